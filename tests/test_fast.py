"""The fast tree: the reference seen from outside, and beyond the chapter what it promises to an engine."""

import copy
import doctest
import pickle
import random
from array import array
from collections.abc import Hashable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import radixlab.fast
from radixlab.chapters.ds07 import reference
from radixlab.chapters.ds07.variants import fast
from radixlab.checker.budget import Meter
from radixlab.checker.subject import compile_subject, load
from radixlab.fast import ROOT, RadixTree

KINDS = [list, tuple, lambda tokens: array("I", tokens), fast.packed, lambda tokens: bytearray(fast.packed(tokens))]
KIND_NAMES = ["list", "tuple", "array", "bytes", "bytearray"]
NAMESPACES = [None, "tuned", ("tenant", 7)]
ALPHABET = 100  # tokens of one namespace, as the reference sees them

kind = pytest.mark.parametrize("kind", KINDS, ids=KIND_NAMES)


def path_of(tree, node: int) -> tuple[tuple[int, ...], ...]:
    """Return the labels from ROOT to *node*, which name it in every tree."""
    labels = []
    while node != ROOT:
        labels.append(tuple(tree.key(node)))
        node = tree.parent(node)
    return tuple(reversed(labels))


def below(tree) -> list[int]:
    """Return every node but ROOT, parents before their children."""
    nodes = [ROOT]
    for node in nodes:
        nodes += tree.children(node)
    return nodes[1:]


def grow(key: list[int], *more: list[int], granule: int = 1) -> tuple[RadixTree, list[int]]:
    """Return a tree of these keys, the values of each their runs' last tokens, and the nodes that end them."""
    tree = RadixTree(granule)
    return tree, [tree.insert(each, each[granule - 1 :: granule])[0] for each in (key, *more)]


# Side by side with the reference --------------------------------------------------------------------------------------


def one_of(things: list, pick: int):
    return things[pick % len(things)]


def trim_by_hand(tree: reference.RadixTree, n: int) -> list[object]:
    """Trim the reference: whole leaves by `evict`, and what is left to do from the tail of the oldest."""
    gone: list[object] = []
    while len(gone) < n and tree.lru_order():
        oldest = tree._nodes[tree.lru_order()[0]]
        kept = len(oldest.values) - (n - len(gone))
        if kept <= 0:
            tree.evict(1, gone.append)
            continue
        gone += oldest.values[kept:]
        tree._stored -= len(oldest.values) - kept
        oldest.label, oldest.values = oldest.label[: kept * tree.granule], oldest.values[:kept]
    return gone


class SideBySide(RuleBasedStateMachine):
    """The fast tree and the reference under the same calls.

    A namespace is to the fast tree what an alphabet of its own is to the reference: no two keys start alike.
    """

    @initialize(granule=st.integers(1, 3))
    def start(self, granule):
        self.granule = granule
        self.fast, self.slow = RadixTree(granule), reference.RadixTree(granule)
        self.held = []  # what the path to each lock spells
        self.fresh = 0

    tokens = st.lists(st.integers(0, 2), max_size=8)
    namespace = st.integers(0, len(NAMESPACES) - 1)
    kinds = st.sampled_from(KINDS)
    picks = st.integers(0, 99)

    def key(self, tokens, space, kind):
        """Return *tokens* as either tree takes them."""
        return kind(tokens), [token + ALPHABET * space for token in tokens]

    def names(self, tree):
        """Return every node of *tree* by its path, in the alphabet of its namespace."""
        found = {(): ROOT}
        for node in below(tree):
            labels = path_of(tree, node)
            if tree is self.fast:
                space = NAMESPACES.index(self.space_of(node))
                labels = tuple(tuple(token + ALPHABET * space for token in label) for label in labels)
            found[labels] = node
        return found

    def space_of(self, node) -> Hashable:
        """Return the namespace of *node*, which the fast tree shows nowhere but here."""
        while (parent := self.fast.parent(node)) != ROOT:
            node = parent
        first = self.fast._nodes[node].first
        return first[0] if isinstance(first, tuple) else None

    def seen(self, tree):
        names = self.names(tree)
        name = {node: labels for labels, node in names.items()} | {None: None}
        nodes = {
            labels: (
                tree.values(node),
                name[tree.parent(node)],
                sorted(name[child] for child in tree.children(node)),
                tree.child_count(node),
                tree.lock_count(node),
            )
            for labels, node in names.items()
        }
        order = [name[node] for node in tree.lru_order()]
        return nodes, order, len(tree), tree.is_empty(), tree.node_count()

    def both(self, labels):
        return self.names(self.fast)[labels], self.names(self.slow)[labels]

    @rule(tokens=tokens, space=namespace, kind=kinds)
    def insert(self, tokens, space, kind):
        tokens = [token for token in tokens for _ in range(self.granule)]
        values = list(range(self.fresh, self.fresh + len(tokens) // self.granule))
        self.fresh += len(values)
        mine, theirs = self.key(tokens, space, kind)
        node, back = self.fast.insert(mine, values, NAMESPACES[space])
        due, due_back = self.slow.insert(theirs, values)
        assert back == due_back
        assert self.names(self.fast)[path_of(self.slow, due)] == node

    @rule(tokens=tokens, times=st.integers(1, 3), space=namespace, kind=kinds)
    def match(self, tokens, times, space, kind):
        tokens = [token for token in tokens for _ in range(times)]  # at granule 2 and 3 it may end inside a run
        mine, theirs = self.key(tokens, space, kind)
        before = self.fast.pretty()
        peeked = self.fast.peek(mine, NAMESPACES[space])
        assert self.fast.pretty() == before, "a peek changes nothing, stamps included"
        matched, path = self.fast.match_prefix(mine, NAMESPACES[space])
        due, due_path = self.slow.match_prefix(theirs)
        assert peeked == matched == due
        assert path == [self.names(self.fast)[path_of(self.slow, node)] for node in due_path]

    @rule(pick=picks)
    def lock(self, pick):
        labels = one_of(sorted(self.names(self.slow)), pick)
        for tree, node in zip((self.fast, self.slow), self.both(labels), strict=True):
            tree.lock(node)
        if labels:
            self.held.append(sum(labels, ()))

    @precondition(lambda self: self.held)
    @rule(pick=picks)
    def unlock(self, pick):
        spelled = self.held.pop(pick % len(self.held))
        labels = next(labels for labels in self.names(self.slow) if sum(labels, ()) == spelled)  # splits cut the path
        for tree, node in zip((self.fast, self.slow), self.both(labels), strict=True):
            tree.unlock(node)

    @rule(pick=picks)
    def unlock_what_is_not_locked(self, pick):
        free = [labels for labels, node in self.names(self.slow).items() if labels and not self.slow.lock_count(node)]
        if free:
            with pytest.raises(RuntimeError):
                self.fast.unlock(self.names(self.fast)[one_of(sorted(free), pick)])

    @rule(n=st.integers(0, 6))
    def evict(self, n):
        gone, due = [], []
        assert self.fast.evict(n, gone.append) == self.slow.evict(n, due.append)
        assert gone == due

    @rule(n=st.integers(0, 6))
    def trim(self, n):
        evictable, gone = self.fast.evictable_size(), []
        freed = self.fast.trim(n, gone.append)
        assert freed == len(gone) == min(n, evictable)
        assert gone == trim_by_hand(self.slow, n)

    @invariant()
    def agree(self):
        if not hasattr(self, "fast"):
            return
        self.fast.check()
        self.slow.check()
        assert self.seen(self.fast) == self.seen(self.slow)
        locked = sum(len(self.slow.values(node)) for node in below(self.slow) if self.slow.lock_count(node))
        assert self.fast.protected_size() == locked
        assert self.fast.evictable_size() == len(self.slow) - locked


TestSideBySide = SideBySide.TestCase
TestSideBySide.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)


# Keys -----------------------------------------------------------------------------------------------------------------


def test_radixlab_fast_is_the_variant():
    assert radixlab.fast.RadixTree is fast.RadixTree
    assert fast.__name__.endswith("ds07.variants.fast")


def test_the_doctests_pass():
    failed, tried = doctest.testmod(fast)
    assert failed == 0 and tried > 20
    for name in ("trim", "peek", "evictable_size", "protected_size", "check", "pretty"):
        assert ">>> tree" in getattr(RadixTree, name).__doc__
    assert "namespace=" in RadixTree.__doc__


@kind
@pytest.mark.parametrize("granule", [1, 2])
def test_a_key_of_any_kind_is_the_same_key(kind, granule):
    tree, (leaf,) = grow([1, 2, 3, 2**32 - 1], granule=granule)
    assert tree.insert(kind([1, 2, 3, 2**32 - 1]), range(4 // granule))[0] == leaf
    assert tree.match_prefix(kind([1, 2, 3, 2**32 - 1, 5])) == (4, [leaf])
    assert tree.peek(kind([1, 2, 9])) == 2
    other = RadixTree(granule)
    node, _ = other.insert(kind([1, 2, 3, 2**32 - 1]), range(4 // granule))
    assert list(other.key(node)) == [1, 2, 3, 2**32 - 1] and all(type(token) is int for token in other.key(node))


@pytest.mark.parametrize("kind", [KINDS[2], KINDS[4]], ids=["array", "bytearray"])
def test_a_key_that_changes_later_changes_no_tree(kind):
    tree, key = RadixTree(1), kind([1, 2, 3])
    leaf, _ = tree.insert(key, "abc")
    key[0] = 9
    assert tree.key(leaf) == [1, 2, 3] and tree.match_prefix([1, 2, 3]) == (3, [leaf])


@kind
def test_on_a_big_endian_machine_labels_are_little_endian_all_the_same(kind, monkeypatch):
    monkeypatch.setattr(fast, "BIG_ENDIAN", not fast.BIG_ENDIAN)  # what a machine of the other order does
    tokens = array("I", [1, 2])
    assert fast.packed(tokens) == fast.packed([1, 2]) == b"\0\0\0\1\0\0\0\2"
    assert list(tokens) == [1, 2], "the caller's array stays"
    tree = RadixTree(1)
    leaf, _ = tree.insert(kind([1, 2]), "ab")
    assert tree.key(leaf) == [1, 2] and tree.match_prefix([1, 2, 3]) == (2, [leaf])


BAD_KEYS = {
    "a byte short": (b"\1\0\0", ValueError, "3 bytes are no key: a token takes 4"),
    "half a token": (b"\1\0\0\0\2\0", ValueError, "6 bytes are no key: a token takes 4"),
    "bytearray": (bytearray(5), ValueError, "5 bytes are no key: a token takes 4"),
    "negative": ([1, 2, -1], OverflowError, "a token is an int in 0 .. 2**32 - 1, not -1"),
    "too large": ((1, 2**32), OverflowError, "a token is an int in 0 .. 2**32 - 1, not 4294967296"),
    "negative in an array": (array("q", [1, -7]), OverflowError, "a token is an int in 0 .. 2**32 - 1, not -7"),
    "text": ("12", TypeError, "a token is an int in 0 .. 2**32 - 1, not '1'"),
    "float": ([1, 2.0], TypeError, "a token is an int in 0 .. 2**32 - 1, not 2.0"),
    "None": ([None], TypeError, "a token is an int in 0 .. 2**32 - 1, not None"),
}


@pytest.mark.parametrize(("key", "error", "sentence"), BAD_KEYS.values(), ids=BAD_KEYS)
def test_a_bad_key_is_refused_in_one_sentence(key, error, sentence):
    tree, _ = grow([1, 2, 3])
    before = tree.pretty()
    for call in (tree.match_prefix, tree.peek, lambda key: tree.insert(key, list(key))):
        with pytest.raises(error) as caught:
            call(key)
        assert str(caught.value) == sentence
        assert tree.pretty() == before
    if not isinstance(key, bytes | bytearray):
        with pytest.raises(error):  # an exception of the same class as the reference's
            reference.tokens_of(key)


def test_a_wrong_number_of_values_is_refused_in_one_sentence():
    tree = RadixTree(2)
    with pytest.raises(ValueError, match=r"^4 tokens in runs of 2 do not take 3 values$"):
        tree.insert(fast.packed([1, 2, 3, 4]), "abc")
    assert tree.is_empty() and tree.node_count() == 0


@pytest.mark.parametrize("at", [0, 1, 2, 63, 64, 500, 1998, 1999])
@pytest.mark.parametrize("granule", [1, 16])
def test_a_long_edge_is_cut_at_the_run_that_differs(granule, at):
    label = [random.Random(at).randrange(2**32) for _ in range(2000)]
    tree, (leaf,) = grow([7] * granule + label, granule=granule)
    changed = [7] * granule + label
    changed[granule + at] ^= 1 << 31
    due = granule + at // granule * granule
    assert tree.peek(changed) == due
    assert tree.match_prefix(fast.packed(changed))[0] == due
    assert tree.key(leaf) == label[due - granule :]
    tree.check()


# Trimming -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("granule", [1, 3])
def test_a_trimmed_leaf_keeps_its_head_and_stays_the_oldest(granule):
    first, second = [token for token in range(5) for _ in range(granule)], [9] * granule
    tree, (oldest, other) = grow(first, second, granule=granule)
    gone = []
    assert tree.trim(2, gone.append) == 2
    assert gone == [3, 4], "from the tail, in label order"
    assert tree.key(oldest) == first[: 3 * granule] and tree.values(oldest) == [0, 1, 2]
    assert tree.lru_order() == [oldest, other] and len(tree) == tree.evictable_size() == 4
    assert tree.match_prefix(first) == (3 * granule, [oldest])
    tree.check()
    assert tree.insert(first, "vwxyz")[1] == ["v", "w", "x"], "what went can be stored again"
    tree.check()


def test_trim_takes_a_leaf_whole_when_all_of_it_is_asked_for():
    tree, (leaf, other) = grow([1, 2], [3, 4])
    assert tree.trim(3) == 3
    with pytest.raises(LookupError):
        tree.key(leaf)
    assert tree.key(other) == [3] and tree.node_count() == 1


def test_trim_goes_on_with_the_parent_that_it_leaves_childless():
    tree, _ = grow([1, 2, 3], [1, 2, 4], [5])
    gone = []
    assert tree.trim(3, gone.append) == 3
    assert gone == [3, 4, 2]
    assert tree.peek([1, 2]) == 1 and tree.peek([5]) == 1


def test_trim_never_takes_what_is_locked():
    tree, (leaf, _) = grow([1, 2, 3], [1, 2, 4, 5])
    tree.lock(leaf)
    assert (tree.evictable_size(), tree.protected_size()) == (2, 3)
    assert tree.trim(100) == 2
    assert tree.match_prefix([1, 2, 3])[0] == 3 and tree.trim(1) == 0
    tree.unlock(leaf)
    assert tree.trim(100) == 3 and tree.is_empty()


@pytest.mark.parametrize("n", [0, -1])
def test_trim_of_nothing_takes_nothing(n):
    tree, _ = grow([1, 2])
    assert tree.trim(n, pytest.fail) == 0 and len(tree) == 2


def test_a_callback_that_raises_leaves_a_sound_tree():
    tree, (leaf, _) = grow([1, 2, 3, 4], [9])

    def fail(value):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        tree.trim(2, fail)
    assert tree.key(leaf) == [1, 2] and len(tree) == 3
    tree.check()
    with pytest.raises(ZeroDivisionError):
        tree.evict(1, fail)
    assert tree.peek([1]) == 0 and len(tree) == 1
    tree.check()


# Namespaces -----------------------------------------------------------------------------------------------------------


def test_equal_keys_of_two_namespaces_have_other_values():
    tree = RadixTree(1)
    nodes = {space: tree.insert([1, 2], [f"{space} 1", f"{space} 2"], namespace=space) for space in NAMESPACES}
    assert len({node for node, _ in nodes.values()}) == 3 and all(back == [] for _, back in nodes.values())
    for space, (node, _) in nodes.items():
        assert tree.match_prefix([1, 2], space) == (2, [node])
        assert tree.values(node) == [f"{space} 1", f"{space} 2"]
    assert len(tree) == 6, "a namespace takes no value"
    assert tree.peek([1, 2], "other") == 0 and tree.match_prefix([1, 2], "other") == (0, [])
    tree.check()


def test_a_namespace_survives_splits_trims_and_removals():
    tree = RadixTree(2)
    leaf, _ = tree.insert([1, 1, 2, 2, 3, 3], "abc", "tuned")
    other, _ = tree.insert([1, 1, 2, 2, 3, 3], "ABC")
    tokens, (middle,) = tree.match_prefix([1, 1, 2, 2, 9, 9], "tuned")
    assert tokens == 4 and tree.children(middle) == [leaf] and tree.values(middle) == ["a", "b"]
    tree.match_prefix([1, 1, 2, 2, 3, 3], "tuned")
    assert tree.match_prefix([1, 1, 9, 9], "tuned")[0] == 2, "a node of a split is split again"
    assert tree.peek([1, 1, 2, 2, 3, 3], "tuned") == 6 and tree.match_prefix([1, 1, 2, 2, 3, 3]) == (6, [other])
    tree.check()
    gone = []
    assert tree.trim(1, gone.append) == 1 and gone == ["c"] and tree.peek([1, 1, 2, 2, 3, 3], "tuned") == 4
    tree.check()
    tree.lock(other)
    assert tree.evict(100, gone.append) == 2 and tree.peek([1, 1], "tuned") == 0 and tree.children(ROOT) == [other]
    assert tree.insert([1, 1], "z", "tuned")[1] == [] and tree.peek([1, 1], "tuned") == 2
    tree.check()


def test_a_namespace_that_looks_like_a_run_is_none():
    tree = RadixTree(1)
    run = fast.packed([1])
    tree.insert([1], "a")
    tree.insert([1], "b", namespace=run)
    tree.insert([1], "c", namespace=(run, run))
    assert [tree.values(tree.match_prefix([1], space)[1][0]) for space in (None, run, (run, run))] == [
        ["a"],
        ["b"],
        ["c"],
    ]


def test_a_namespace_that_cannot_be_hashed_changes_nothing():
    tree, _ = grow([1, 2, 3])
    before = tree.pretty()
    for call in (tree.match_prefix, tree.peek, lambda key, space: tree.insert(key, "ab", space)):
        with pytest.raises(TypeError, match="unhashable"):
            call([1, 2], [])
    assert tree.pretty() == before


# The whole tree -------------------------------------------------------------------------------------------------------

CHAIN = 5000


@pytest.fixture(scope="module")
def chain() -> bytes:
    """A tree that is one chain of 5,000 nodes, pickled."""
    tree, key = RadixTree(1), fast.packed(range(CHAIN))
    tree.insert(key, range(CHAIN))
    for end in range(CHAIN - 1, 0, -1):
        tree.match_prefix(key[: 4 * end])
    assert tree.node_count() == CHAIN
    return pickle.dumps(tree)


def test_a_chain_of_5000_nodes_is_a_tree_like_any_other(chain):
    tree, key = pickle.loads(chain), fast.packed(range(CHAIN))
    tree.check()
    assert len(tree.pretty().splitlines()) == CHAIN + 1
    assert tree.peek(key) == CHAIN and len(tree.match_prefix(key)[1]) == CHAIN
    (leaf,) = tree.lru_order()
    tree.lock(leaf)
    assert tree.protected_size() == CHAIN and tree.trim(1) == 0
    tree.unlock(leaf)
    twin = copy.deepcopy(tree)
    assert tree.trim(10) == 10 and tree.evict(CHAIN) == CHAIN - 10 and tree.is_empty()
    twin.check()
    assert len(twin) == CHAIN


def test_pretty_writes_the_depth_where_indentation_ends(chain):
    lines = pickle.loads(chain).pretty().splitlines()
    assert lines[1].startswith("  0: values 1, locks 0, stamp ")
    assert lines[fast.INDENTED + 1].startswith(f"{'  ' * fast.INDENTED}(21) 20: ")
    assert max(map(len, lines)) < 120


@pytest.mark.parametrize("conversations", [100, 1000])
@pytest.mark.parametrize("again", [False, True], ids=["parents old", "parents new"])
def test_an_eviction_takes_as_many_steps_among_few_conversations_as_among_many(conversations, again):
    meter = Meter(10**9)
    tree = load(compile_subject(Path(fast.__file__).read_text(encoding="utf-8")), meter, "radix").RadixTree(1)
    for first in range(conversations):
        tree.insert([first, 0], "ab")
        tree.insert([first, 0, 1], "abc")
    for first in range(conversations if again else 0):
        tree.match_prefix([first, 0])
    before = meter.total()
    for _ in range(50):
        assert tree.evict(1) in (1, 2)
    assert meter.total() - before <= 50 * 10


DAMAGES = [
    "node.stamp = 99",
    "node.locks = 5",
    "node.values.append(1)",
    "node.parent = 3",
    "node.prev = None",
    "node.label += b'1234'",
    "node.first = b'1234'",
    "tree._stored += 1",
    "tree._protected += 1",
    "tree._free.append(1)",
    "tree._nodes[0].children.clear()",
    "tree._nodes[0].values.append(1)",
    "tree._nodes[0].next = 0",
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_check_sees_a_damaged_tree(damage):
    tree, (leaf, *_) = grow([1, 2], [1, 3], [4])
    tree.check()
    exec(damage, {"tree": tree, "node": tree._nodes[leaf]})
    with pytest.raises((AssertionError, LookupError, AttributeError)):
        tree.check()


def test_bytes_that_a_test_gives_are_tokens_at_the_face_whatever_the_tree(play):
    tests = (
        "from radix import RadixTree\n\ndef test_bytes():\n    tree = RadixTree(1)\n    tree.insert(b'abc', 'xyz')\n"
    )
    tests += "    assert tree.match_prefix([97, 98, 9])[0] == 2\n    assert tree.match_prefix(b'ab')[0] == 2\n"
    for source in (None, Path(fast.__file__).read_text(encoding="utf-8")):
        assert play(tests, source)["bytes"].outcome == "passed"
