"""The eleven tests of chapter ds.07: what `ol check` runs against a tree.

They see the public face only, and know a node by what a call returned or by the tokens that lead to it, never by a
number. What each checks, and why it matters downstream, is the table in section 4 of the chapter.
"""

import random
from itertools import chain, count

from radix import ROOT, RadixTree


def refuses(error, call, *arguments):
    """Say whether the call raises *error*; a part that is unwritten, or that recurses without end, refuses nothing."""
    try:
        call(*arguments)
    except (NotImplementedError, RecursionError):
        raise
    except error:
        return True
    return False


def nodes_by_path(tree):
    """Return every node but ROOT under the tokens that lead to it; a cycle ends after `node_count` nodes."""
    found, below, most = [], [((), ROOT)], tree.node_count()
    while below and len(found) <= most:
        path, node = below.pop()
        children = [(path + tuple(tree.key(child)), child) for child in tree.children(node)]
        found += children
        below += children
    return dict(found)


def edge(tree, node):
    """Return the label and the values of *node*."""
    return list(tree.key(node)), list(tree.values(node))


def test_hand_example_split_and_match():
    """The worked example of section 3, step by step."""
    tree = RadixTree(1)
    old, back = tree.insert([1, 2, 3], ["a", "b", "c"])
    assert back == [], "step 1: nothing was stored, so nothing is handed back"
    assert edge(tree, old) == ([1, 2, 3], ["a", "b", "c"]), "step 1: one node holds the whole key"
    assert (tree.parent(old), tree.children(ROOT), tree.node_count(), len(tree)) == (ROOT, [old], 1, 3)

    new, back = tree.insert([1, 2, 4, 5], ["x", "y", "d", "e"])
    assert back == ["x", "y"], "step 2: 1 2 is stored, so x and y are handed back"
    assert edge(tree, new) == ([4, 5], ["d", "e"]), "step 2: the rest of the key is a new leaf"
    assert edge(tree, old) == ([3], ["c"]), "step 2: the old node keeps its id and the lower part of its edge"
    middle = tree.parent(new)
    assert edge(tree, middle) == ([1, 2], ["a", "b"]), "step 2: the new middle node keeps the stored a and b"
    assert tree.children(ROOT) == [middle] and tree.parent(middle) == ROOT, "step 2: the middle node hangs under ROOT"
    assert tree.children(middle) == sorted([old, new]), "step 2: both halves of the split hang under the middle node"
    assert tree.parent(old) == middle and tree.child_count(middle) == 2
    assert (tree.node_count(), len(tree)) == (3, 5), "step 2: 3 nodes, and 5 values: a split moves values"

    assert tree.match_prefix([1, 2, 3, 9]) == (3, [middle, old]), "step 3: 3 tokens on the path 1 2, 3"
    assert tree.match_prefix([1, 2, 7]) == (2, [middle]), "step 4: 2 tokens on the path 1 2"
    assert (tree.node_count(), len(tree)) == (3, 5), "steps 3 and 4: both matches end at a node, so nothing changes"

    tokens, path = tree.match_prefix([1, 9])
    assert (tokens, len(path)) == (1, 1), "step 5: 1 token, and one node that ends exactly there"
    assert edge(tree, path[0]) == ([1], ["a"]), "step 5: the match ended inside 1 2, so that edge was split"
    assert edge(tree, middle) == ([2], ["b"]), "step 5: the split node keeps its id and its lower part"
    assert (tree.parent(middle), tree.children(path[0])) == (path[0], [middle]), "step 5: 2 hangs under 1"
    assert tree.children(ROOT) == path and tree.parent(path[0]) == ROOT, "step 5: 1 hangs under ROOT"
    assert tree.children(middle) == sorted([old, new]), "step 5: what hung under the split node still does"
    assert (tree.node_count(), len(tree)) == (4, 5), "step 5: one node more, and still 5 values"

    assert tree.match_prefix([7, 1]) == (0, []), "step 6: nothing starts with 7"
    assert tree.match_prefix([1, 2, 3]) == (3, [path[0], middle, old]), "after all splits 1 2 3 is still found"
    assert tree.match_prefix([1, 2, 4, 5]) == (4, [path[0], middle, new]), "after all splits 1 2 4 5 is still found"
    assert (tree.node_count(), len(tree)) == (4, 5)


def test_granule_matches_whole_runs_only():
    """At granule 2, runs are compared whole, edges are cut between runs, and less than a run matches nothing."""
    tree = RadixTree(2)
    old, _ = tree.insert([1, 2, 3, 4], [10, 11])
    assert tree.match_prefix([1]) == (0, []), "one token is less than a run: it matches nothing"
    assert tree.match_prefix([1, 9]) == (0, []), "the run 1 9 is not the run 1 2"
    assert tree.node_count() == 1, "a match of nothing splits nothing"
    tokens, path = tree.match_prefix([1, 2, 3, 9])
    assert (tokens, len(path)) == (2, 1), "the run 1 2 is equal, the run 3 9 is not 3 4: 2 tokens match"
    assert edge(tree, path[0]) == ([1, 2], [10]), "the split falls between the runs"
    assert edge(tree, old) == ([3, 4], [11]), "the lower part is one whole run with its value"
    assert tree.match_prefix([1, 2, 3]) == (2, path), "the 3 alone is less than a run"
    assert tree.match_prefix([1, 2, 3, 4, 5]) == (4, [*path, old]), "two runs match, the 5 is left over"
    new, back = tree.insert([1, 2, 3, 9], [20, 21])
    assert (edge(tree, new), back) == (([3, 9], [21]), [20]), "3 9 is a new run beside 3 4; 1 2 was stored"
    assert tree.children(path[0]) == sorted([old, new]), "3 4 and 3 9 hang side by side"
    assert len(tree) == 3, "one value per run"


def test_reinserting_hands_every_value_back():
    """A key that is stored already gives all values back, and the node that it ended at before."""
    for granule in (1, 2):
        tree = RadixTree(granule)
        short, long = range(2 * granule), range(4 * granule)
        assert tree.is_empty(), "a new tree is empty"
        upper, _ = tree.insert(short, ["a", "b"])
        assert tree.insert(short, ["p", "q"]) == (upper, ["p", "q"]), "all is stored: both values, the same node"
        assert (len(tree), tree.node_count()) == (2, 1), "a stored key adds no value and no node"
        leaf, back = tree.insert(long, ["r", "s", "c", "d"])
        assert back == ["r", "s"], "the stored part of a longer key hands its values back"
        assert tree.insert(long, ["t", "u", "v", "w"]) == (leaf, ["t", "u", "v", "w"]), "all is stored by now"
        assert (len(tree), tree.node_count(), tree.is_empty()) == (4, 2, False), "4 values were needed, no more"
        assert edge(tree, upper) == (list(short), ["a", "b"]), "the values stored first stay"
        assert edge(tree, leaf) == (list(long)[len(short) :], ["c", "d"]), "the values stored first stay"
        assert (tree.children(ROOT), tree.children(upper), tree.parent(leaf)) == ([upper], [leaf], upper)
        assert tree.insert([], []) == (ROOT, []), "the empty key ends at ROOT"


def test_lru_order_follows_last_use():
    """Whatever is used moves to the newest end, and evict(1) takes the oldest leaf whole."""
    tree = RadixTree(1)
    one, _ = tree.insert([1, 2], ["a", "b"])
    three, _ = tree.insert([3, 4], ["c", "d"])
    five, _ = tree.insert([5, 6], ["e", "f"])
    assert tree.lru_order() == [one, three, five], "the leaf inserted first is the oldest"
    tree.match_prefix([1, 2])
    assert tree.lru_order() == [three, five, one], "a match moves a leaf to the newest end"
    tree.insert([3, 4], ["p", "q"])
    assert tree.lru_order() == [five, one, three], "an insert of a stored key uses it as well"
    gone = []
    assert tree.evict(1, gone.append) == 2, "a leaf goes whole: evict(1) frees both values of the oldest"
    assert gone == ["e", "f"], "the callback gets the values of the oldest leaf, in the order of its label"
    assert (tree.match_prefix([5, 6]), len(tree)) == ((0, []), 4), "the evicted leaf is no longer stored"
    assert tree.lru_order() == [one, three], "the other leaves keep their order"
    tree.match_prefix([1, 9])
    assert tree.lru_order() == [one, three], "the match ended above the lower half of 1 2: that one was not used"
    new, _ = tree.insert([1, 2, 7], ["x", "y", "z"])
    assert tree.lru_order() == [three, new], "a leaf that gains a child is no leaf"


def test_a_childless_parent_becomes_evictable():
    """Once its last child is gone, a parent is a leaf, at the place of its own last use."""
    tree = RadixTree(1)
    child, _ = tree.insert([1, 2, 3], ["a", "b", "c"])
    older, _ = tree.insert([8], ["o"])
    _, (parent,) = tree.match_prefix([1, 2])
    newer, _ = tree.insert([9], ["n"])
    assert tree.lru_order() == [child, older, newer], "a node with a child is not listed"
    assert tree.evict(0) == 0, "evict(0) frees nothing"
    gone = []
    assert (tree.evict(1, gone.append), gone) == (1, ["c"]), "one value was asked for, and the oldest leaf has one"
    assert tree.lru_order() == [older, parent, newer], "the childless parent joins at its own stamp"
    assert (tree.children(parent), tree.child_count(parent)) == ([], 0), "the evicted leaf left its parent"
    assert tree.match_prefix([1, 2, 3]) == (2, [parent]), "a later walk ends at the parent"
    assert tree.lru_order() == [older, newer, parent]
    assert (tree.evict(3, gone.append), gone) == (4, ["c", "o", "n", "a", "b"]), "the parent goes in its turn"
    assert (tree.lru_order(), tree.children(ROOT), tree.node_count()) == ([], [], 0), "nothing is left"
    assert tree.is_empty() and tree.evict(1) == 0, "an empty tree has nothing to evict"

    leaves = [tree.insert([1, 2, last], ["a", "b", "c"])[0] for last in (3, 4)]
    parent = tree.parent(leaves[1])
    newest, _ = tree.insert([9], ["n"])
    assert tree.evict(1) == 1 and tree.lru_order() == [leaves[1], newest], "the parent still has a child"
    assert tree.evict(1) == 1 and tree.lru_order() == [parent, newest], "the parent joins as the oldest leaf"
    assert tree.evict(9) == 3 and tree.is_empty(), "eviction ends when nothing is left, chains of parents included"


def test_locks_pin_the_path():
    """A lock keeps a node and its ancestors from eviction until it is undone; locks nest."""
    tree = RadixTree(1)
    three, _ = tree.insert([1, 2, 3], ["a", "b", "c"])
    four, _ = tree.insert([1, 2, 4], ["x", "y", "d"])
    nine, _ = tree.insert([9], ["e"])
    parent = tree.parent(three)
    tree.lock(ROOT)
    tree.lock(three)
    assert (tree.lock_count(three), tree.lock_count(parent)) == (1, 1), "a lock counts on the node and its ancestors"
    assert (tree.lock_count(four), tree.lock_count(ROOT)) == (0, 0), "a lock counts on no sibling and never on ROOT"
    assert tree.lru_order() == [four, nine], "a locked leaf is not on the list"
    tree.unlock(three)
    assert tree.lru_order() == [three, four, nine], "an unlocked leaf joins the list again, at its own stamp"

    tree.lock(three)
    tree.lock(three)
    assert (tree.lock_count(three), tree.lock_count(parent)) == (2, 2), "locks nest"
    tree.match_prefix([1, 2, 3])
    assert tree.lru_order() == [four, nine], "a locked leaf stays off the list when it is used"
    gone = []
    assert (tree.evict(9, gone.append), gone) == (2, ["d", "e"]), "only the two unlocked leaves may go"
    assert tree.match_prefix([1, 2, 3]) == (3, [parent, three]), "the locked path is still there"
    tree.unlock(three)
    assert (tree.lock_count(three), tree.lock_count(parent)) == (1, 1), "one unlock undoes one lock"
    assert (tree.lru_order(), tree.evict(9)) == ([], 0), "one lock is left, so nothing may go"
    tree.unlock(three)
    tree.lock(parent)
    assert (tree.lru_order(), tree.evict(9)) == ([three], 1), "a lock pins no descendant"
    assert (tree.lru_order(), tree.evict(9)) == ([], 0), "a locked parent stays when its last child has gone"
    tree.unlock(parent)
    tree.unlock(ROOT)
    assert (tree.lock_count(parent), tree.lru_order()) == (0, [parent]), "the parent is free again"
    assert tree.evict(9) == 2 and tree.is_empty(), "what is unlocked can go"


def test_a_split_inherits_the_locks_below_it():
    """The middle node of a split is locked as often as the node below it."""
    tree = RadixTree(1)
    leaf, _ = tree.insert([1, 2, 3, 4], ["a", "b", "c", "d"])
    tree.lock(leaf)
    tree.lock(leaf)
    _, (middle,) = tree.match_prefix([1, 2, 9])
    assert tree.lock_count(middle) == 2, "a match split the edge of a leaf locked twice: the middle node counts 2 too"
    assert tree.lock_count(leaf) == 2, "a split changes no count below it"
    sibling, _ = tree.insert([1, 8], ["p", "q"])
    top = tree.parent(sibling)
    assert (tree.lock_count(top), tree.lock_count(middle)) == (2, 2), "a split by an insert inherits the locks as well"
    assert tree.lock_count(sibling) == 0, "the new leaf beside it is not locked"
    tree.lock(sibling)
    assert [tree.lock_count(node) for node in (top, middle, leaf)] == [3, 2, 2], "a lock counts upwards only"
    tree.unlock(leaf)
    tree.unlock(leaf)
    assert [tree.lock_count(node) for node in (top, middle, leaf)] == [1, 0, 0], "unlocking passes the middle nodes too"
    tree.unlock(sibling)
    assert tree.lock_count(top) == 0, "no lock is left"
    tree.match_prefix([1, 2, 3, 9])
    assert tree.lock_count(tree.parent(leaf)) == 0, "a split above an unlocked leaf is not locked"


def test_unlock_without_a_lock_panics():
    """An unlock that undoes no lock raises RuntimeError, and changes nothing."""
    tree = RadixTree(1)
    locked, _ = tree.insert([1, 2], ["a", "b"])
    other, _ = tree.insert([1, 3], ["x", "c"])
    parent = tree.parent(locked)

    def counts():
        return [tree.lock_count(node) for node in (parent, locked, other)]

    assert refuses(RuntimeError, tree.unlock, other), "nothing is locked: the unlock must raise RuntimeError"
    assert counts() == [0, 0, 0], "an unlock that is refused changes no count"
    tree.lock(locked)
    assert refuses(RuntimeError, tree.unlock, other), "the lock is on the sibling: the unlock must raise RuntimeError"
    assert counts() == [1, 1, 0], "someone else's lock on the parent must stay"
    tree.unlock(locked)
    assert counts() == [0, 0, 0], "an unlock that has its lock is no error"
    assert refuses(RuntimeError, tree.unlock, locked), "the second unlock of one lock must raise RuntimeError"
    assert counts() == [0, 0, 0], "an unlock that is refused changes no count"


def test_insert_needs_one_value_per_granule():
    """A wrong number of values raises ValueError, and changes nothing."""
    wrong = {
        1: [([1, 2], 1), ([1, 2], 3), ([1, 2, 3, 4], 3), ([1, 2, 3, 4], 5), ([9], 0), ([9], 2), ([], 1)],
        2: [([1, 2, 3, 4], 1), ([1, 2, 3, 4], 3), ([1, 2, 3, 4], 4), ([9, 9], 0), ([9, 9], 2), ([], 1)],
    }
    wrong[2] += [([9], 0), ([9], 1), ([1, 2, 3, 4, 5], 2), ([1, 2, 3, 4, 5], 3)]  # half a run is never right
    for granule, calls in wrong.items():
        tree, stored = RadixTree(granule), [1, 2, 3, 4][: 2 * granule]
        node, _ = tree.insert(stored, ["a", "b"])
        for key, many in calls:
            call = f"granule {granule}, {many} values for the key {key}"
            assert refuses(ValueError, tree.insert, key, ["v"] * many), f"{call}: insert must raise ValueError"
            assert nodes_by_path(tree) == {tuple(stored): node}, f"{call}: the tree must not change"
            assert (tree.node_count(), len(tree)) == (1, 2), f"{call}: the tree must not change"
            assert edge(tree, node) == (stored, ["a", "b"]), f"{call}: the stored values must not change"


def test_freed_slots_are_reused():
    """A thousand rounds of insert and evict need no more ids than one."""
    tree = RadixTree(1)
    for turn in range(1000):
        first, _ = tree.insert([turn], ["a"])
        second, back = tree.insert([turn, turn + 1], ["x", "b"])
        assert max(first, second) < 5, f"round {turn}: two nodes are alive, so freed ids are there to be used again"
        if turn % 100 == 99:  # an id used again starts new: its own edge, no child and no lock of the node before
            assert (edge(tree, first), edge(tree, second)) == (([turn], ["a"]), ([turn + 1], ["b"])), f"round {turn}"
            assert (back, tree.children(first), tree.children(second)) == (["x"], [second], []), f"round {turn}"
            tree.lock(second)
            assert (tree.lock_count(first), tree.lock_count(second)) == (1, 1), f"round {turn}: one lock is held"
            tree.unlock(second)
        assert tree.evict(2) == 2, f"round {turn}: both nodes go"
    assert (tree.node_count(), tree.is_empty()) == (0, True), "every round took back what it stored"


class NaiveMap:
    """Every stored prefix and its value, one by one; a node is a prefix that has a stamp."""

    def __init__(self, granule):
        self.granule = granule
        self.value = {}  # every stored prefix -> its value
        self.longer = {(): 0}  # every stored prefix -> how many stored ones are one run longer
        self.stamp = {(): 0}  # a prefix that ends a node -> the last walk over it
        self.node = {(): ROOT}  # a prefix that ends a node -> the id that the tree gave to it
        self.held = []  # the locked prefixes, each as often as it is locked
        self.walks = 0

    def walk(self, key):
        """Stamp the nodes that spell *key*, the one where the match ends among them; return the path."""
        run, end = self.granule, 0
        while end + run <= len(key) and key[: end + run] in self.value:
            end += run
        self.walks += 1
        ends = range(run, end + 1, run)
        path = [key[:at] for at in ends if at == end or key[:at] in self.stamp]
        self.stamp.update(dict.fromkeys(path, self.walks))
        return path

    def insert(self, key, values):
        """Store what is new of *key*; return the path and the values handed back."""
        path = self.walk(key)
        known = len(path[-1]) if path else 0
        for at in range(known, len(key), self.granule):
            prefix = key[: at + self.granule]
            self.value[prefix] = values[at // self.granule]
            self.longer[prefix] = 0
            self.longer[key[:at]] += 1
        if known < len(key):
            path.append(key)
            self.stamp[key] = self.walks
        return path, values[: known // self.granule]

    def edge(self, node):
        """Return the prefixes that end inside or at the edge of *node*, the shortest first."""
        above = max(len(node) - self.granule, 0)
        while node[:above] not in self.stamp:
            above -= self.granule
        return [node[:at] for at in range(above + self.granule, len(node) + 1, self.granule)]

    def values(self, node):
        """Return the values of *node*."""
        return [self.value[prefix] for prefix in self.edge(node)]

    def locks(self, node):
        """Return how many locks are held on *node* or below it."""
        return sum(prefix[: len(node)] == node for prefix in self.held)

    def leaves(self):
        """Return the unlocked leaves, the oldest first."""
        free = [node for node in self.stamp if node and not self.longer[node] and node not in self.held]
        return sorted(free, key=self.stamp.get)

    def evict(self, n):
        """Forget the oldest unlocked leaf until *n* values are gone; return the values."""
        gone = []
        while len(gone) < n and (leaves := self.leaves()):
            label = self.edge(leaves[0])
            for prefix in label:
                gone.append(self.value.pop(prefix))
                del self.longer[prefix]
            self.longer[label[0][: -self.granule]] -= 1
            del self.stamp[leaves[0]], self.node[leaves[0]]
        return gone

    def pinned(self):
        """Return the values that a lock keeps from eviction."""
        ends = range(self.granule, 1 + max(map(len, self.held), default=0), self.granule)
        return {self.value[prefix[:end]] for prefix in self.held for end in ends if end <= len(prefix)}

    def learn(self, tree, path, node):
        """Take over the new ids on a path that ends at *node*; return all its ids."""
        for prefix in reversed(path):
            if prefix in self.node:
                break
            self.node[prefix] = node
            node = tree.parent(node)
        return [self.node[prefix] for prefix in path]


def draw(rng, model, kind, fresh):
    """Return the arguments of the next operation; a value is a number that was never given before."""
    tokens = range(4 - model.granule)  # 3 runs to choose from at granule 1, and 4 at granule 2
    if kind == "insert":
        runs = rng.randrange(7)
        return tuple(rng.choices(tokens, k=runs * model.granule)), [next(fresh) for _ in range(runs)]
    if kind == "match_prefix":
        return (tuple(rng.choices(tokens, k=rng.randrange(7 * model.granule))),)
    if kind == "evict":
        return (rng.randrange(6),)
    return (rng.choice(model.held if kind == "unlock" and model.held else list(model.node)),)


def perform(tree, model, kind, *arguments):
    """Do one operation on the tree and on the naive map; yield what the tree said beside what is expected."""
    path = []
    if kind == "insert":
        path, duplicates = model.insert(*arguments)
        node, back = tree.insert(*arguments)
        yield "values handed back", back, duplicates
        yield "node returned", node, [ROOT, *model.learn(tree, path, node)][-1]
    elif kind == "match_prefix":
        path = model.walk(*arguments)
        tokens, nodes = tree.match_prefix(*arguments)
        yield "tokens matched", tokens, len(path[-1]) if path else 0
        yield "path", nodes, model.learn(tree, path, [ROOT, *nodes][-1])
    elif kind == "evict":
        pinned, gone = model.pinned(), []
        freed = tree.evict(*arguments, gone.append)
        yield "locked values evicted", [value for value in gone if value in pinned], []
        yield "values evicted, from the oldest unlocked leaf on", gone, model.evict(*arguments)
        yield "number of values freed", freed, len(gone)
    elif kind == "lock":
        model.held += arguments
        tree.lock(model.node[arguments[0]])
    elif model.held:
        model.held.remove(*arguments)
        tree.unlock(model.node[arguments[0]])
    else:
        node = model.node[arguments[0]]
        yield "RuntimeError for an unlock without a lock", refuses(RuntimeError, tree.unlock, node), node != ROOT
    if path:
        stored = [list(tree.values(model.node[prefix])) for prefix in path]
        yield "values on the path", stored, [model.values(prefix) for prefix in path]
    yield "len", len(tree), len(model.value)
    yield "lru_order", tree.lru_order(), [model.node[leaf] for leaf in model.leaves()]


def whole_tree(tree, model):
    """Yield every node of the tree beside what is expected of it."""
    yield "nodes by path", nodes_by_path(tree), {path: node for path, node in model.node.items() if path}
    yield "node_count and is_empty", (tree.node_count(), tree.is_empty()), (len(model.node) - 1, not model.value)
    for path, node in model.node.items():
        label = model.edge(path)
        parent = model.node[label[0][: -model.granule]] if path else None
        yield f"parent of the node that ends {path}", tree.parent(node), parent
        yield f"values of the node that ends {path}", list(tree.values(node)), model.values(path)
        yield f"lock_count of the node that ends {path}", tree.lock_count(node), model.locks(path) if path else 0
        children, many = tree.children(node), tree.child_count(node)
        yield f"children of the node that ends {path}", children, sorted(children)
        yield f"child_count of the node that ends {path}", many, len(children)


def play(granule, operations):
    """Play seeded operations on a tree and on the naive map; the two must agree after each."""
    rng, fresh = random.Random(granule), count()
    tree, model = RadixTree(granule), NaiveMap(granule)
    kinds = rng.choices(("insert", "match_prefix", "lock", "unlock", "evict"), (36, 22, 8, 14, 20), k=operations)
    for step, kind in enumerate(kinds, 1):
        arguments = draw(rng, model, kind, fresh)
        checks = perform(tree, model, kind, *arguments)
        if step % 100 == 0:
            checks = chain(checks, whole_tree(tree, model))
        try:
            differ = next(((what, got, due) for what, got, due in checks if got != due), None)
        except NotImplementedError:
            raise
        except Exception as error:
            differ = "outcome", repr(error), "an answer"
        if differ:
            what, got, due = differ
            call = f"{kind}({', '.join(map(str, arguments))})"
            raise AssertionError(f"step {step}, granule {granule}, {call}: {what}: expected {due}, got {got}")


def test_model_based_against_a_naive_map():
    """2,500 seeded operations at each granule leave the tree and a naive map of every prefix in agreement."""
    for granule in (1, 2):
        play(granule, 2500)
