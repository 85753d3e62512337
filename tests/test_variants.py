"""The reference and its variants: the same tree to whoever looks from outside, and every rule of the interface."""

import importlib.util
import random
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DS07 = Path(__file__).parents[1] / "radixlab" / "chapters" / "ds07"
VARIANTS = sorted(path.stem for path in (DS07 / "variants").glob("*.py"))
CORRECT = ["reference", *VARIANTS]


def load(name: str) -> ModuleType:
    path = DS07 / "reference.py" if name == "reference" else DS07 / "variants" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"ds07_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MODULES = {name: load(name) for name in CORRECT}
ROOT = 0

Name = tuple[int, ...]  # the labels from ROOT to a node, joined: the one name of a node that all trees share


@pytest.fixture(params=CORRECT)
def radix(request) -> ModuleType:
    return MODULES[request.param]


class Value:
    """A value that a tree may only move."""

    def __init__(self, name: object) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def _refuse(self, *_: object) -> None:
        raise AssertionError("a tree neither compares, hashes, tests nor copies a value")

    __eq__ = __hash__ = __bool__ = __lt__ = __copy__ = __deepcopy__ = __reduce_ex__ = _refuse


def values_for(tokens: int, granule: int = 1, name: object = "v") -> list[Value]:
    return [Value((name, i)) for i in range(tokens // granule)]


def identities(values: Iterable[object]) -> list[int]:
    return [id(value) for value in values]


def path_of(tree: Any, node: int) -> Name:
    """Name *node* by its path."""
    labels = []
    while node != ROOT:
        labels.append(tuple(tree.key(node)))
        node = tree.parent(node)
    return tuple(token for label in reversed(labels) for token in label)


def ids_by_path(tree: Any) -> dict[Name, int]:
    """Return every node but ROOT under its path."""
    found, todo = {}, [((), ROOT)]
    while todo:
        path, node = todo.pop()
        for child in tree.children(node):
            below = (*path, *tree.key(child))
            found[below] = child
            todo.append((below, child))
    return found


def observe(tree: Any) -> dict[object, object]:
    """Return all there is to see of a tree, with nodes named by their paths."""
    ids = {(): ROOT, **ids_by_path(tree)}
    path = {node: path for path, node in ids.items()} | {None: None}
    seen: dict[object, object] = {
        "granule": tree.granule,
        "len": len(tree),
        "is_empty": tree.is_empty(),
        "node_count": tree.node_count(),
        "lru_order": [path[leaf] for leaf in tree.lru_order()],
    }
    for name, node in ids.items():
        seen[name] = (
            tuple(tree.key(node)),
            identities(tree.values(node)),
            path[tree.parent(node)],
            sorted(path[child] for child in tree.children(node)),
            tree.child_count(node),
            tree.lock_count(node),
        )
    return seen


def assert_consistent(tree: Any) -> None:
    """Assert what holds in every correct tree, seen from outside."""
    nodes = ids_by_path(tree).values()
    assert tree.node_count() == len(nodes) == len(set(nodes))
    assert len(tree) == sum(len(tree.values(node)) for node in nodes)
    assert tree.is_empty() == (len(tree) == 0)
    idle = {node for node in nodes if not tree.child_count(node) and not tree.lock_count(node)}
    assert len(tree.lru_order()) == len(idle) and set(tree.lru_order()) == idle
    for node in nodes:
        assert len(tree.key(node)) == len(tree.values(node)) * tree.granule > 0
        assert list(tree.children(node)) == sorted(tree.children(node))
        assert all(tree.parent(child) == node for child in tree.children(node))
        assert tree.lock_count(node) >= sum(tree.lock_count(child) for child in tree.children(node))


def assert_refused(tree: Any, error: type[Exception] | tuple[type[Exception], ...], call: Any, *args: object) -> None:
    """Assert that the call raises *error* and that nothing has changed, ids included."""
    before, ids = observe(tree), ids_by_path(tree)
    with pytest.raises(error) as caught:
        call(*args)
    assert not isinstance(caught.value, NotImplementedError | RecursionError)
    assert (observe(tree), ids_by_path(tree)) == (before, ids)


# Side by side ---------------------------------------------------------------------------------------------------------


class Play:
    """One tree under random operations, which name nodes by paths."""

    def __init__(self, radix: ModuleType, granule: int) -> None:
        self.tree = radix.RadixTree(granule)
        self.most = 0  # nodes ever alive at once
        self.highest = 0  # id ever given out

    def do(self, operation: str, *args: Any) -> tuple[object, object]:
        """Do one operation; return what came of it and the tree after it, with nodes named by their paths."""
        result = getattr(self, operation)(*args)
        self.most = max(self.most, self.tree.node_count())
        self.highest = max([self.highest, *ids_by_path(self.tree).values()])
        assert self.highest <= self.most + 2
        return result, observe(self.tree)

    def insert(self, key: Sequence[int], values: list[Value]) -> object:
        node, handed_back = self.tree.insert(key, values)
        return path_of(self.tree, node), identities(handed_back)

    def match_prefix(self, key: Sequence[int]) -> object:
        tokens, path = self.tree.match_prefix(key)
        return tokens, [path_of(self.tree, node) for node in path]

    def lock(self, path: Name) -> object:
        return self.tree.lock({(): ROOT, **ids_by_path(self.tree)}[path])

    def unlock(self, path: Name) -> object:
        node = {(): ROOT, **ids_by_path(self.tree)}[path]
        try:
            return self.tree.unlock(node)
        except RuntimeError as error:
            return type(error)

    def evict(self, n: int) -> object:
        gone: list[Value] = []
        return self.tree.evict(n, gone.append), identities(gone)


def random_key(rng: random.Random, granule: int, stored: list[Name], ragged: bool) -> list[int]:
    """Return a key that mostly continues, shortens or leaves one that is stored."""
    key = list(rng.choice(stored)) if rng.random() < 0.7 else []
    key = key[: rng.randint(0, len(key))] if rng.random() < 0.5 else key
    key += [rng.randint(0, 2) for _ in range(rng.randint(0, 4 * granule))]
    return key if ragged else key[: len(key) // granule * granule]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("granule", [1, 2, 3])
def test_the_variants_are_the_reference_seen_from_outside(granule, seed):
    rng = random.Random(f"{granule} {seed}")
    plays = {name: Play(MODULES[name], granule) for name in CORRECT}
    reference = plays.pop("reference")
    held: list[Name] = []
    done = set()
    for step in range(500):
        alive = {(): ROOT, **ids_by_path(reference.tree)}
        operation = rng.choices(["insert", "match_prefix", "lock", "unlock", "evict"], [7, 6, 3, 4, 3])[0]
        if operation == "insert":
            key = random_key(rng, granule, list(alive), ragged=False)
            args = (tuple(key), values_for(len(key), granule, step))
        elif operation == "match_prefix":
            args = (random_key(rng, granule, list(alive), ragged=True),)
        elif operation == "lock":
            args = (rng.choice(list(alive)),)
            held.append(args[0])
        elif operation == "unlock":
            free = [path for path, node in alive.items() if not reference.tree.lock_count(node)]
            # A lock that is held (its node cannot go, and keeps its path), or now and then none.
            matched = held and rng.random() < 0.9
            args = (held.pop(rng.randrange(len(held))) if matched else rng.choice(free),)
        else:
            args = (rng.choice([0, 1, 1, 2, 3, 5, 8, 1000 * (step % 4 == 0)]),)
        result, seen = reference.do(operation, *args)
        reference.tree.check()
        for name, play in plays.items():
            assert play.do(operation, *args) == (result, seen), f"{name}, step {step}: {operation}{args}"
        done.add((operation, result is RuntimeError))
    assert len(done) == 6  # each operation, and an unmatched unlock
    assert reference.most > 20


def test_sorted_scan_gives_the_numbers_out_in_another_order():
    ends = {}
    for name in CORRECT:
        tree = MODULES[name].RadixTree(1)
        first, _ = tree.insert([1, 2, 3], values_for(3))
        leaf, _ = tree.insert([1, 2, 4, 5], values_for(4))
        ends[name] = {path_of(tree, node): node for node in (first, leaf, tree.parent(leaf))}
    assert all(set(ids) == {(1, 2, 3), (1, 2, 4, 5), (1, 2)} for ids in ends.values())
    assert ends["sorted_scan"] != ends["reference"]


# The helper -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [list, tuple, lambda tokens: array("I", tokens)], ids=["list", "tuple", "array"])
def test_common_runs_counts_whole_runs_only(radix, kind):
    rng = random.Random(7)
    for _ in range(1000):
        granule, at = rng.randint(1, 3), rng.randint(0, 4)
        label = [rng.randint(0, 1) for _ in range(granule * rng.randint(0, 5))]
        key = [9] * at + label[: rng.randint(0, len(label))] + [rng.randint(0, 1) for _ in range(rng.randint(0, 4))]
        whole = [runs for runs in range(len(label) // granule + 1) if is_common(label, key[at:], runs * granule)]
        assert radix.common_runs(kind(label), kind(key), at, granule) == max(whole)


def is_common(label: list[int], rest: list[int], tokens: int) -> bool:
    return len(rest) >= tokens and label[:tokens] == rest[:tokens]


@pytest.mark.parametrize("name", VARIANTS)
def test_common_runs_of_a_variant_takes_two_kinds_of_sequence(name):
    common_runs = MODULES[name].common_runs
    assert common_runs((1, 2, 3, 4), [0, 1, 2, 3, 5], 1, 1) == 3
    assert common_runs(range(4), array("I", [0, 1, 2]), 0, 2) == 1
    assert common_runs([1, 2], (1, 2), 2, 1) == common_runs([1, 2], (1, 2), 3, 1) == 0


# The rules ------------------------------------------------------------------------------------------------------------


def sample(radix: ModuleType) -> Any:
    """Return the tree of step 2 of the worked example, with 9 beside it, and 1 2 3 locked."""
    tree = radix.RadixTree(1)
    tree.insert([1, 2, 3], values_for(3, name="abc"))
    tree.insert([1, 2, 4, 5], values_for(4, name="xyde"))
    tree.insert([9], values_for(1, name="i"))
    tree.lock(ids_by_path(tree)[1, 2, 3])
    return tree


@pytest.mark.parametrize("granule", [0, -1, -16])
def test_rule_1_a_granule_is_at_least_one(radix, granule):
    with pytest.raises(ValueError):
        radix.RadixTree(granule)


@pytest.mark.parametrize("granule", [1, 2, 3])
def test_rule_1_one_value_for_each_run(radix, granule):
    tree = radix.RadixTree(granule)
    tree.insert([1] * 3 * granule, values_for(3))
    for key, values in [([1], 0), ([], 1), ([1] * 2 * granule, 3), ([1] * 2 * granule, 1), ([1] * granule + [2], 1)]:
        if len(key) != values * granule:
            assert_refused(tree, ValueError, tree.insert, key, values_for(values))
    assert_consistent(tree)


DEAD = [-1, -2, 99, 10**30, "x", "1", None, 1.0, 0.0, (), [], {}, object()]


@pytest.mark.parametrize("call", ["key", "values", "parent", "children", "child_count", "lock_count", "lock", "unlock"])
def test_rule_1_an_id_that_is_no_live_node(radix, call):
    tree = sample(radix)
    freed = ids_by_path(tree)[(9,)]
    tree.match_prefix([1, 2, 4, 5])
    assert tree.evict(1) == 1
    for node in [*DEAD, freed]:
        assert_refused(tree, LookupError, getattr(tree, call), node)


def test_rule_1_no_id_is_alive_in_an_empty_tree_or_in_another_one(radix):
    tree, other = radix.RadixTree(1), radix.RadixTree(1)
    node, _ = other.insert([1], values_for(1))
    for dead in (-1, 1, node):
        assert_refused(tree, LookupError, tree.lock, dead)


def test_rule_1_an_unmatched_unlock(radix):
    tree = sample(radix)
    ids = ids_by_path(tree)
    assert_refused(tree, RuntimeError, tree.unlock, ids[1, 2, 4, 5])  # under a node that somebody else has locked
    assert_refused(tree, RuntimeError, tree.unlock, ids[(9,)])
    tree.unlock(ids[1, 2, 3])
    for node in ids.values():
        assert_refused(tree, RuntimeError, tree.unlock, node)
    assert_consistent(tree)


def test_rule_2_root(radix):
    tree = sample(radix)
    before = observe(tree)
    for call in (tree.lock, tree.unlock, tree.unlock):
        assert call(ROOT) is None
    assert observe(tree) == before
    assert radix.ROOT == ROOT and tree.lock_count(ROOT) == 0 and tree.parent(ROOT) is None
    assert list(tree.key(ROOT)) == list(tree.values(ROOT)) == []
    tree.unlock(ids_by_path(tree)[1, 2, 3])
    assert tree.evict(10**6) == 6
    assert tree.lru_order() == tree.children(ROOT) == [] and tree.is_empty() and tree.evict(1) == 0
    assert tree.insert([], []) == (ROOT, []) and tree.match_prefix([]) == (0, [])


def test_rule_3_freed_ids_are_used_again(radix):
    tree, most, highest = radix.RadixTree(2), 0, 0
    for i in range(1000):
        for last in (1, 2):
            node, _ = tree.insert([7, 7, i, last], values_for(2))
            most, highest = max(most, tree.node_count()), max(highest, node)
        tree.evict(i % 5)
    assert most < 10 and highest <= most + 2
    tree.evict(10**6)
    assert tree.node_count() == 0


def test_rules_4_and_6_a_split_and_a_node_that_rejoins(radix):
    tree = radix.RadixTree(1)
    leaf, _ = tree.insert([1, 2, 3], values_for(3))
    other, _ = tree.insert([5], values_for(1))
    tree.lock(leaf)
    tree.lock(leaf)
    tokens, (middle,) = tree.match_prefix([1, 2, 7])
    assert tokens == 2 and tree.children(middle) == [leaf] and tree.lock_count(middle) == 2
    tree.unlock(leaf)
    tree.unlock(leaf)
    assert tree.lru_order() == [leaf, other]  # the lower part kept its old stamp
    assert tree.evict(1) == 1
    assert tree.lru_order() == [other, middle]  # the upper part has the stamp of the match


def test_rule_5_a_key_that_ends_inside_an_edge_adds_no_leaf(radix):
    tree = radix.RadixTree(2)
    leaf, _ = tree.insert([1, 1, 2, 2, 3, 3], values_for(6, 2))
    values = values_for(4, 2)
    middle, handed_back = tree.insert([1, 1, 2, 2], values)
    assert identities(handed_back) == identities(values)
    assert (tree.node_count(), len(tree), tree.children(middle)) == (2, 3, [leaf])
    assert tree.insert([1, 1, 2, 2], values_for(4, 2))[0] == middle and tree.node_count() == 2
    assert list(tree.key(middle)) == [1, 1, 2, 2] and list(tree.key(leaf)) == [3, 3]


def test_rule_7_leaves_go_whole_and_in_order(radix):
    tree = radix.RadixTree(1)
    keys = [[1, 2, 3], [4, 5], [6]]
    stored = [values_for(len(key), name=key[0]) for key in keys]
    for key, values in zip(keys, stored, strict=True):
        tree.insert(key, values)
    gone: list[Value] = []
    assert tree.evict(0, gone.append) == 0 and gone == []
    assert tree.evict(1, gone.append) == 3 and identities(gone) == identities(stored[0])
    assert tree.evict(2) == 2
    assert tree.evict(2, gone.append) == 1 and identities(gone[3:]) == identities(stored[2])
    assert tree.is_empty()


def test_rule_7_an_exception_of_f_leaves_a_consistent_tree(radix):
    tree = sample(radix)
    tree.unlock(ids_by_path(tree)[1, 2, 3])
    tree.insert([1, 2, 3, 6], values_for(4))
    oldest = tree.lru_order()[0]
    path, values = path_of(tree, oldest), tree.values(oldest)
    calls: list[Value] = []

    def f(value: Value) -> None:
        calls.append(value)
        if len(calls) == 2:
            raise ZeroDivisionError

    stored = len(tree)
    with pytest.raises(ZeroDivisionError):
        tree.evict(4, f)
    assert identities(calls) == identities(values[:2])
    assert path not in ids_by_path(tree) and stored - len(tree) >= len(values)
    assert_consistent(tree)
    if hasattr(tree, "check"):
        tree.check()
    left = len(tree)
    assert tree.evict(10**6) == left and tree.node_count() == 0


def test_rule_8_nothing_is_shared_with_the_caller(radix):
    tree = radix.RadixTree(1)
    key, values = [1, 2, 3], values_for(3)
    leaf, handed_back = tree.insert(key, values)
    handed_back.append("mine")
    key[:], values[:] = [7], ["mine"]
    key = array("I", [1, 2, 4])
    tree.insert(key, values_for(3))
    key[0] = 7
    known = [1, 2, 4]
    duplicates = tree.insert(known, values_for(3))[1]
    path = tree.match_prefix(known)[1]
    before = observe(tree)
    mine = [known, duplicates, path, tree.lru_order()]
    for node in (ROOT, leaf, *path):
        mine += [tree.key(node), tree.values(node), tree.children(node)]
    for result in mine:
        if not isinstance(result, tuple):
            result.append(1)
            result[0] = 1
            result.reverse()
    assert observe(tree) == before
    tree.unlock(tree.lock(leaf) or leaf)
    assert observe(tree) == before


BAD_TOKENS = [-1, 2**32, 2**70, 1.0, 1.5, "1", None, (1,)]


@pytest.mark.parametrize("token", BAD_TOKENS, ids=repr)
def test_rule_9_a_bad_token_changes_nothing(radix, token):
    tree = sample(radix)
    errors = (TypeError, ValueError, OverflowError)
    for key in ([token], [1, 2, token], [1, token], [1, 2, 4, 5, token], [9, 8, token, 7], (token, 1)):
        assert_refused(tree, errors, tree.match_prefix, key)
        assert_refused(tree, errors, tree.insert, key, values_for(len(key)))
        assert_refused(tree, errors, tree.insert, key, [])


class Key(Sequence):
    """A sequence that can do no more than it must."""

    def __init__(self, tokens: Sequence[int]) -> None:
        self._tokens = tokens

    def __len__(self) -> int:
        return len(self._tokens)

    def __getitem__(self, at: int) -> int:
        if not 0 <= at < len(self._tokens):
            raise IndexError
        return self._tokens[at]


def kinds_of_sequence() -> list[Any]:
    kinds = [list, tuple, Key, *(lambda tokens, code=code: array(code, tokens) for code in "BHIqQ")]
    kinds.append(lambda tokens: range(tokens[0], tokens[-1] + 1))
    if importlib.util.find_spec("numpy"):
        import numpy

        kinds += [lambda tokens, kind=kind: numpy.array(tokens, kind) for kind in ("uint8", "uint32", "int64")]
    return kinds


@pytest.mark.parametrize("granule", [1, 2])
def test_rule_9_a_key_is_any_sequence_of_tokens(radix, granule):
    tree = radix.RadixTree(granule)
    first, _ = tree.insert([1, 2, 3, 4], values_for(4, granule))
    for kind in kinds_of_sequence():
        assert tree.insert(kind([1, 2, 3, 4]), tuple(values_for(4, granule)))[0] == first
        assert tree.match_prefix(kind([1, 2, 3, 4, 5, 6])) == (4, [first])
    for kind in kinds_of_sequence():
        tree = radix.RadixTree(granule)
        leaf, _ = tree.insert(kind([1, 2, 3, 4]), values_for(4, granule))
        assert list(tree.key(leaf)) == [1, 2, 3, 4] and all(type(token) is int for token in tree.key(leaf))


def test_rule_9_the_smallest_and_the_largest_token(radix):
    tree = radix.RadixTree(1)
    leaf, _ = tree.insert([0, 2**32 - 1], values_for(2))
    assert list(tree.key(leaf)) == [0, 2**32 - 1] and tree.match_prefix([0, 2**32 - 1, 0])[0] == 2


def test_rule_10_a_chain_of_5000_nodes(radix, monkeypatch):
    tree, length = radix.RadixTree(1), 5000
    key, values = list(range(length)), values_for(length)
    leaf, _ = tree.insert(key, values)
    with monkeypatch.context() as patch:
        # The cuts compare twelve million tokens, which only this helper does in C.
        patch.setattr(radix, "common_runs", MODULES["head_tail"].common_runs)
        for cut in range(length - 1, 0, -1):
            assert tree.match_prefix(key[:cut])[0] == cut
    assert tree.node_count() == len(tree) == length
    tokens, path = tree.match_prefix(key)
    assert tokens == length and path[-1] == leaf and [list(tree.key(node)) for node in path] == [[t] for t in key]
    tree.lock(leaf)
    assert tree.lock_count(path[0]) == 1 and tree.lru_order() == [] and tree.evict(1) == 0
    tree.unlock(leaf)
    assert tree.insert([*key, 1], [*values, Value("new")])[0] == tree.lru_order()[0]
    gone: list[Value] = []
    assert tree.evict(10**6, gone.append) == length + 1 and tree.node_count() == 0
    assert identities(gone[1:]) == identities(reversed(values))
