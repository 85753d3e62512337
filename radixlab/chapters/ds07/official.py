"""The eleven tests of chapter ds.07: what `ol check` runs against a tree.

They see the public face only, and know a node by what a call returned or by the tokens that lead to it, never by a
number. What each checks, and why it matters downstream, is the table in section 4 of the chapter.
"""

import random
from itertools import chain, count, pairwise, takewhile

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


def walked(tree):
    """Return path, id and children of every node, ROOT first; a cycle ends after `node_count` nodes."""
    found, most = [((), ROOT, tree.children(ROOT))], tree.node_count()
    for path, _, children in found:
        if len(found) > most + 1:
            break
        found += [(path + tuple(tree.key(child)), child, tree.children(child)) for child in children]
    return found


def nodes_by_path(tree):
    """Return every node but ROOT under the tokens that lead to it."""
    return {path: node for path, node, _ in walked(tree)[1:]}


def edge(tree, node):
    """Return the label and the values of *node*."""
    return list(tree.key(node)), list(tree.values(node))


def test_hand_example_split_and_match():
    """The worked example of section 3, step by step."""
    tree = RadixTree(1)
    old, back = tree.insert([1, 2, 3], ["a", "b", "c"])
    done = "step 1, insert [1,2,3]"
    assert back == [], f"{done}: nothing was stored, so nothing is handed back"
    assert edge(tree, old) == ([1, 2, 3], ["a", "b", "c"]), f"{done}: one node holds the whole key"
    assert (tree.parent(old), tree.children(ROOT), tree.node_count(), len(tree)) == (ROOT, [old], 1, 3), (
        f"{done}: one leaf under ROOT, with 3 values"
    )

    new, back = tree.insert([1, 2, 4, 5], ["x", "y", "d", "e"])
    done = "step 2, insert [1,2,3] and [1,2,4,5]"
    assert back == ["x", "y"], f"{done}: 1 2 is stored, so x and y are handed back"
    assert edge(tree, new) == ([4, 5], ["d", "e"]), f"{done}: the rest of the key is a new leaf"
    assert edge(tree, old) == ([3], ["c"]), f"{done}: the old node keeps its id and the lower part of its edge"
    middle = tree.parent(new)
    assert edge(tree, middle) == ([1, 2], ["a", "b"]), f"{done}: the new middle node keeps the stored a and b"
    assert (tree.children(ROOT), tree.parent(middle)) == ([middle], ROOT), f"{done}: the middle node hangs under ROOT"
    assert tree.children(middle) == sorted([old, new]), (
        f"{done}: 3 and 4 5 hang under the middle node, by increasing id"
    )
    assert (tree.parent(old), tree.child_count(middle)) == (middle, 2), f"{done}: links go both ways"
    assert (tree.node_count(), len(tree)) == (3, 5), f"{done}: 3 nodes, and 5 values: a split moves values"

    done = "steps 3 and 4, insert [1,2,3] and [1,2,4,5], match [1,2,3,9] and [1,2,7]"
    assert tree.match_prefix([1, 2, 3, 9]) == (3, [middle, old]), f"{done}: 3 tokens on the path 1 2, 3"
    assert tree.match_prefix([1, 2, 7]) == (2, [middle]), f"{done}: 2 tokens on the path 1 2"
    assert (tree.node_count(), len(tree)) == (3, 5), f"{done}: both matches end at a node, so nothing changes"

    tokens, path = tree.match_prefix([1, 9])
    done = "step 5, insert [1,2,3] and [1,2,4,5], match [1,9]"
    assert (tokens, len(path)) == (1, 1), f"{done}: 1 token, and one node that ends exactly there"
    assert edge(tree, path[0]) == ([1], ["a"]), f"{done}: the match ended inside 1 2, so that edge was split"
    assert edge(tree, middle) == ([2], ["b"]), f"{done}: the split node keeps its id and its lower part"
    assert (tree.parent(middle), tree.children(path[0])) == (path[0], [middle]), f"{done}: 2 hangs under 1"
    assert (tree.children(ROOT), tree.parent(path[0])) == (path, ROOT), f"{done}: 1 hangs under ROOT"
    assert tree.children(middle) == sorted([old, new]), f"{done}: 3 and 4 5 still hang under 2, by increasing id"
    assert (tree.node_count(), len(tree)) == (4, 5), f"{done}: one node more, and still 5 values"

    assert tree.match_prefix([7, 1]) == (0, []), f"{done}; step 6, match [7,1]: nothing starts with 7"
    assert tree.match_prefix([1, 2, 3]) == (3, [path[0], middle, old]), f"{done}, match [1,2,3] still finds it"
    assert tree.match_prefix([1, 2, 4, 5]) == (4, [path[0], middle, new]), f"{done}, match [1,2,4,5] still finds it"
    assert (tree.node_count(), len(tree)) == (4, 5), f"{done}: these three matches change nothing"


def test_granule_matches_whole_runs_only():
    """At granule 2, runs are compared whole, edges are cut between runs, and less than a run matches nothing."""
    tree = RadixTree(2)
    old, _ = tree.insert([1, 2, 3, 4], [10, 11])
    done = "granule 2, insert [1,2,3,4]"
    assert tree.match_prefix([1]) == (0, []), f"{done}, match [1]: one token is less than a run, so it matches nothing"
    assert tree.match_prefix([1, 9]) == (0, []), f"{done}, match [1,9]: the run 1 9 is not the run 1 2"
    assert tree.node_count() == 1, f"{done}: a match of nothing splits nothing"
    tokens, path = tree.match_prefix([1, 2, 3, 9])
    done = f"{done}, match [1,2,3,9]"
    assert (tokens, len(path)) == (2, 1), f"{done}: the run 1 2 is equal, the run 3 9 is not 3 4: 2 tokens match"
    assert edge(tree, path[0]) == ([1, 2], [10]), f"{done}: the split falls between the runs"
    assert edge(tree, old) == ([3, 4], [11]), f"{done}: the lower part is one whole run with its value"
    assert tree.match_prefix([1, 2, 3]) == (2, path), f"{done}, match [1,2,3]: the 3 alone is less than a run"
    assert tree.match_prefix([1, 2, 3, 4, 5]) == (4, [*path, old]), (
        f"{done}, match [1,2,3,4,5]: two runs match, the 5 is left over"
    )
    new, back = tree.insert([1, 2, 3, 9], [20, 21])
    done = f"{done}, insert [1,2,3,9]"
    assert (edge(tree, new), back) == (([3, 9], [21]), [20]), f"{done}: 3 9 is a new run beside 3 4; 1 2 was stored"
    assert tree.children(path[0]) == sorted([old, new]), f"{done}: 3 4 and 3 9 hang side by side, by increasing id"
    assert len(tree) == 3, f"{done}: one value per run"


def test_reinserting_hands_every_value_back():
    """A key that is stored already gives all values back, and the node that it ended at before."""
    for granule in (1, 2):
        tree = RadixTree(granule)
        short, long = range(2 * granule), range(4 * granule)
        done = f"granule {granule}"
        assert tree.is_empty(), f"{done}: a new tree is empty"
        upper, _ = tree.insert(short, ["a", "b"])
        done = f"granule {granule}, insert {[*short]} twice"
        assert tree.insert(short, ["p", "q"]) == (upper, ["p", "q"]), (
            f"{done}: all is stored: both values, the same node"
        )
        assert (len(tree), tree.node_count()) == (2, 1), f"{done}: a stored key adds no value and no node"
        leaf, back = tree.insert(long, ["r", "s", "c", "d"])
        done = f"{done}, insert {[*long]}"
        assert back == ["r", "s"], f"{done}: the stored part of a longer key hands its values back"
        done = f"{done} twice"
        assert tree.insert(long, ["t", "u", "v", "w"]) == (leaf, ["t", "u", "v", "w"]), f"{done}: all is stored by now"
        assert (len(tree), tree.node_count(), tree.is_empty()) == (4, 2, False), (
            f"{done}: 4 values were needed, no more"
        )
        assert edge(tree, upper) == (list(short), ["a", "b"]), f"{done}: the values stored first stay"
        assert edge(tree, leaf) == (list(long)[len(short) :], ["c", "d"]), f"{done}: the values stored first stay"
        links = tree.children(ROOT), tree.children(upper), tree.parent(leaf)
        assert links == ([upper], [leaf], upper), f"{done}: the longer key hangs below the shorter one"
        assert tree.insert([], []) == (ROOT, []), f"{done}: the empty key ends at ROOT"


def test_lru_order_follows_last_use():
    """Whatever is used moves to the newest end, and evict(1) takes the oldest leaf whole."""
    tree = RadixTree(1)
    one, _ = tree.insert([1, 2], ["a", "b"])
    three, _ = tree.insert([3, 4], ["c", "d"])
    five, _ = tree.insert([5, 6], ["e", "f"])
    done = "insert [1,2], [3,4], [5,6]"
    assert tree.lru_order() == [one, three, five], f"{done}: the leaf inserted first is the oldest"
    tree.match_prefix([1, 2])
    done = f"{done}, match [1,2]"
    assert tree.lru_order() == [three, five, one], f"{done}: a match moves a leaf to the newest end"
    tree.insert([3, 4], ["p", "q"])
    done = f"{done}, insert [3,4]"
    assert tree.lru_order() == [five, one, three], f"{done}: an insert of a stored key uses it as well"
    gone = []
    done = f"{done}, evict(1)"
    assert tree.evict(1, gone.append) == 2, f"{done}: the oldest leaf goes whole, with both values"
    assert gone == ["e", "f"], f"{done}: the callback gets the values of the oldest leaf, in the order of its label"
    assert (tree.match_prefix([5, 6]), len(tree)) == ((0, []), 4), f"{done}: the evicted leaf is no longer stored"
    assert tree.lru_order() == [one, three], f"{done}: the other leaves keep their order"
    tree.match_prefix([1, 9])
    done = f"{done}, match [1,9]"
    assert tree.lru_order() == [one, three], (
        f"{done}: the match ended above the lower half of 1 2: that one was not used"
    )
    new, _ = tree.insert([1, 2, 7], ["x", "y", "z"])
    done = f"{done}, insert [1,2,7]"
    assert tree.lru_order() == [three, new], f"{done}: a leaf that gains a child is no leaf"


def test_a_childless_parent_becomes_evictable():
    """Once its last child is gone, a parent is a leaf, at the place of its own last use."""
    tree = RadixTree(1)
    child, _ = tree.insert([1, 2, 3], ["a", "b", "c"])
    older, _ = tree.insert([8], ["o"])
    _, (parent,) = tree.match_prefix([1, 2])
    newer, _ = tree.insert([9], ["n"])
    done = "insert [1,2,3], [8], match [1,2], insert [9]"
    assert tree.lru_order() == [child, older, newer], f"{done}: a node with a child is not listed"
    assert tree.evict(0) == 0, f"{done}, evict(0): it frees nothing"
    gone = []
    done = f"{done}, evict(1)"
    assert (tree.evict(1, gone.append), gone) == (1, ["c"]), (
        f"{done}: one value was asked for, and the oldest leaf has one"
    )
    assert tree.lru_order() == [older, parent, newer], f"{done}: the childless parent joins at its own stamp"
    assert (tree.children(parent), tree.child_count(parent)) == ([], 0), f"{done}: the evicted leaf left its parent"
    assert tree.match_prefix([1, 2, 3]) == (2, [parent]), f"{done}: a later walk ends at the parent"
    done = f"{done}, match [1,2,3]"
    assert tree.lru_order() == [older, newer, parent], f"{done}: the parent was used last"
    done = f"{done}, evict(3)"
    assert (tree.evict(3, gone.append), gone) == (4, ["c", "o", "n", "a", "b"]), f"{done}: the parent goes in its turn"
    assert (tree.lru_order(), tree.children(ROOT), tree.node_count()) == ([], [], 0), f"{done}: nothing is left"
    assert (tree.is_empty(), tree.evict(1)) == (True, 0), f"{done}: an empty tree has nothing to evict"

    leaves = [tree.insert([1, 2, last], ["a", "b", "c"])[0] for last in (3, 4)]
    parent = tree.parent(leaves[1])
    newest, _ = tree.insert([9], ["n"])
    done = "insert [1,2,3], [1,2,4], [9] into the emptied tree, evict(1)"
    assert (tree.evict(1), tree.lru_order()) == (1, [leaves[1], newest]), f"{done}: the parent still has a child"
    done = f"{done}, evict(1)"
    assert (tree.evict(1), tree.lru_order()) == (1, [parent, newest]), f"{done}: the parent joins as the oldest leaf"
    done = f"{done}, evict(9)"
    assert (tree.evict(9), tree.is_empty()) == (3, True), (
        f"{done}: eviction ends when nothing is left, chains of parents included"
    )


def test_locks_pin_the_path():
    """A lock keeps a node and its ancestors from eviction until it is undone; locks nest."""
    tree = RadixTree(1)
    three, _ = tree.insert([1, 2, 3], ["a", "b", "c"])
    four, _ = tree.insert([1, 2, 4], ["x", "y", "d"])
    nine, _ = tree.insert([9], ["e"])
    parent = tree.parent(three)
    tree.lock(ROOT)
    tree.lock(three)
    fork = "insert [1,2,3], [1,2,4], [9]"
    done = f"{fork}, lock 1 2 3"
    assert (tree.lock_count(three), tree.lock_count(parent)) == (1, 1), (
        f"{done}: a lock counts on the node and its ancestors"
    )
    assert (tree.lock_count(four), tree.lock_count(ROOT)) == (0, 0), (
        f"{done}: a lock counts on no sibling and never on ROOT"
    )
    assert tree.lru_order() == [four, nine], f"{done}: a locked leaf is not on the list"
    tree.unlock(three)
    done = f"{done}, unlock it"
    assert tree.lru_order() == [three, four, nine], f"{done}: an unlocked leaf joins the list again, at its own stamp"

    tree.lock(three)
    tree.lock(three)
    done = f"{fork}, lock 1 2 3 twice"
    assert (tree.lock_count(three), tree.lock_count(parent)) == (2, 2), f"{done}: locks nest"
    tree.match_prefix([1, 2, 3])
    done = f"{done}, match [1,2,3]"
    assert tree.lru_order() == [four, nine], f"{done}: a locked leaf stays off the list when it is used"
    gone = []
    done = f"{done}, evict(9)"
    assert (tree.evict(9, gone.append), gone) == (2, ["d", "e"]), f"{done}: only the two unlocked leaves may go"
    assert tree.match_prefix([1, 2, 3]) == (3, [parent, three]), f"{done}: the locked path is still there"
    tree.unlock(three)
    done = f"{done}, unlock 1 2 3"
    assert (tree.lock_count(three), tree.lock_count(parent)) == (1, 1), f"{done}: one unlock undoes one lock"
    assert (tree.lru_order(), tree.evict(9)) == ([], 0), f"{done}, evict(9): one lock is left, so nothing may go"
    tree.unlock(three)
    tree.lock(parent)
    done = f"{done} again, lock 1 2, evict(9)"
    assert (tree.lru_order(), tree.evict(9)) == ([three], 1), f"{done}: a lock pins no descendant"
    assert (tree.lru_order(), tree.evict(9)) == ([], 0), f"{done}: a locked parent stays when its last child has gone"
    tree.unlock(parent)
    tree.unlock(ROOT)
    done = f"{done}, unlock 1 2"
    assert (tree.lock_count(parent), tree.lru_order()) == (0, [parent]), f"{done}: the parent is free again"
    assert (tree.evict(9), tree.is_empty()) == (2, True), f"{done}, evict(9): what is unlocked can go"


def test_a_split_inherits_the_locks_below_it():
    """The middle node of a split is locked as often as the node below it."""
    tree = RadixTree(1)
    leaf, _ = tree.insert([1, 2, 3, 4], ["a", "b", "c", "d"])
    tree.lock(leaf)
    tree.lock(leaf)
    _, (middle,) = tree.match_prefix([1, 2, 9])
    done = "insert [1,2,3,4], lock it twice, match [1,2,9]"
    assert tree.lock_count(middle) == 2, f"{done}: the match split the edge of a leaf locked twice, so 1 2 counts 2 too"
    assert tree.lock_count(leaf) == 2, f"{done}: a split changes no count below it"
    sibling, _ = tree.insert([1, 8], ["p", "q"])
    top = tree.parent(sibling)
    done = f"{done}, insert [1,8]"
    assert (tree.lock_count(top), tree.lock_count(middle)) == (2, 2), (
        f"{done}: a split by an insert inherits the locks as well"
    )
    assert tree.lock_count(sibling) == 0, f"{done}: the new leaf beside it is not locked"
    tree.lock(sibling)
    done = f"{done}, lock 1 8"
    assert [tree.lock_count(node) for node in (top, middle, leaf)] == [3, 2, 2], f"{done}: a lock counts upwards only"
    tree.unlock(leaf)
    tree.unlock(leaf)
    done = f"{done}, unlock 1 2 3 4 twice"
    assert [tree.lock_count(node) for node in (top, middle, leaf)] == [1, 0, 0], (
        f"{done}: an unlock passes the middle nodes too"
    )
    tree.unlock(sibling)
    done = f"{done}, unlock 1 8"
    assert tree.lock_count(top) == 0, f"{done}: no lock is left"
    tree.match_prefix([1, 2, 3, 9])
    done = f"{done}, match [1,2,3,9]"
    assert tree.lock_count(tree.parent(leaf)) == 0, f"{done}: a split above an unlocked leaf is not locked"


def test_unlock_without_a_lock_panics():
    """An unlock that undoes no lock raises RuntimeError, and changes nothing."""
    tree = RadixTree(1)
    locked, _ = tree.insert([1, 2], ["a", "b"])
    other, _ = tree.insert([1, 3], ["x", "c"])
    parent = tree.parent(locked)

    def counts():
        return [tree.lock_count(node) for node in (parent, locked, other)]

    fork = "insert [1,2], [1,3]"
    done = f"{fork}, unlock 1 3"
    assert refuses(RuntimeError, tree.unlock, other), f"{done}: nothing is locked: the unlock must raise RuntimeError"
    assert counts() == [0, 0, 0], f"{done}: an unlock that is refused changes no count"
    tree.lock(locked)
    done = f"{fork}, lock 1 2, unlock 1 3"
    assert refuses(RuntimeError, tree.unlock, other), (
        f"{done}: the lock is on the sibling: the unlock must raise RuntimeError"
    )
    assert counts() == [1, 1, 0], f"{done}: someone else's lock on the parent must stay"
    tree.unlock(locked)
    done = f"{fork}, lock 1 2, unlock it"
    assert counts() == [0, 0, 0], f"{done}: an unlock that has its lock is no error"
    done = f"{done} twice"
    assert refuses(RuntimeError, tree.unlock, locked), f"{done}: the second unlock of one lock must raise RuntimeError"
    assert counts() == [0, 0, 0], f"{done}: an unlock that is refused changes no count"


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
            call = f"granule {granule}, insert {stored}, insert {key} with {many} values"
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
        done = f"round {turn} of insert [n], insert [n,n+1], evict(2)"
        assert max(first, second) < 5, f"{done}: two nodes are alive, so freed ids are there to be used again"
        if turn % 100 == 99:  # an id used again starts new: its own edge, no child and no lock of the node before
            assert (edge(tree, first), edge(tree, second)) == (([turn], ["a"]), ([turn + 1], ["b"])), (
                f"{done}: new edges"
            )
            assert (back, tree.children(first), tree.children(second)) == (["x"], [second], []), (
                f"{done}: [n] has [n,n+1] below it"
            )
            tree.lock(second)
            assert (tree.lock_count(first), tree.lock_count(second)) == (1, 1), f"{done}: one lock is held"
            tree.unlock(second)
        assert tree.evict(2) == 2, f"{done}: both nodes go"
    assert (tree.node_count(), tree.is_empty()) == (0, True), "every round took back what it stored"


class NaiveMap:
    """Every stored prefix and its value, one by one; a node is a prefix that has a stamp."""

    def __init__(self, granule):
        self.granule = granule
        self.value = {}  # every stored prefix -> its value
        self.longer = {(): 0}  # every stored prefix -> how many stored ones are one run longer
        self.tips = set()  # the stored prefixes of which no stored one is longer: the leaves
        self.stamp = {(): 0}  # a prefix that ends a node -> the last walk over it
        self.node = {(): ROOT}  # a prefix that ends a node -> the id that the tree gave to it
        self.held = []  # the locked prefixes, each as often as it is locked
        self.walks = 0

    def prefixes(self, key, above=0):
        """Return the prefixes of *key* that are longer than *above* tokens, the shortest first."""
        return [key[:end] for end in range(above + self.granule, len(key) + 1, self.granule)]

    def walk(self, key):
        """Stamp the nodes that spell *key*, the one where the match ends among them; return the path."""
        known = list(takewhile(self.value.__contains__, self.prefixes(key)))
        path = [*filter(self.stamp.__contains__, known[:-1]), *known[-1:]]
        self.walks += 1
        self.stamp.update(dict.fromkeys(path, self.walks))
        return path

    def insert(self, key, values):
        """Store what is new of *key*; return the path and the values handed back."""
        path = self.walk(key)
        stored = path[-1] if path else ()
        known = len(stored) // self.granule
        if new := self.prefixes(key, len(stored)):
            self.value.update(zip(new, values[known:], strict=True))
            self.longer[stored] += 1
            self.longer.update({**dict.fromkeys(new, 1), key: 0})
            self.tips.discard(stored)
            self.tips.add(key)
            self.stamp[key] = self.walks
            path.append(key)
        return path, values[:known]

    def edge(self, node):
        """Return the prefixes that end inside or at the edge of *node*, the shortest first."""
        above = max(len(node) - self.granule, 0)
        while node[:above] not in self.stamp:
            above -= self.granule
        return self.prefixes(node, above)

    def values(self, path):
        """Return the values of each node of a *path* that starts under ROOT."""
        stored = [self.value[prefix] for prefix in self.prefixes(path[-1])]
        ends = [len(prefix) // self.granule for prefix in path]
        return [stored[above:end] for above, end in pairwise([0, *ends])]

    def locks(self, node):
        """Return how many locks are held on *node* or below it."""
        return sum(prefix[: len(node)] == node for prefix in self.held)

    def leaves(self):
        """Return the unlocked leaves, the oldest first."""
        return sorted(self.tips.difference(self.held), key=self.stamp.get)

    def evict(self, n):
        """Forget the oldest unlocked leaf until *n* values are gone; return the values."""
        gone = []
        while len(gone) < n and (leaves := self.leaves()):
            leaf = leaves[0]
            label = self.edge(leaf)
            for prefix in label:
                gone.append(self.value.pop(prefix))
                del self.longer[prefix]
            parent = label[0][: -self.granule]
            self.longer[parent] -= 1
            self.tips.remove(leaf)
            if parent and not self.longer[parent]:
                self.tips.add(parent)
            del self.stamp[leaf], self.node[leaf]
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


def perform(tree, model, closely, kind, *arguments):
    """Do one operation on the tree and on the naive map; yield what the tree said beside what is expected.

    Looked at *closely*, the tree also says what it holds after it.
    """
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
    if not closely:
        return
    if path:
        stored = [list(tree.values(model.node[prefix])) for prefix in path]
        yield "values on the path", stored, model.values(path)
    yield "len", len(tree), len(model.value)
    yield "lru_order", tree.lru_order(), list(map(model.node.get, model.leaves()))


def whole_tree(tree, model):
    """Yield every node of the tree beside what is expected of it."""
    nodes = walked(tree)
    yield "nodes by path", {path: node for path, node, _ in nodes}, model.node
    yield "node_count and is_empty", (tree.node_count(), tree.is_empty()), (len(model.node) - 1, not model.value)
    for path, node, children in nodes:
        name = f"the node that ends {list(path)}" if path else "ROOT"
        label = model.edge(path)
        parent = model.node[label[0][: -model.granule]] if path else None
        yield f"parent of {name}", tree.parent(node), parent
        yield f"values of {name}", list(tree.values(node)), [model.value[prefix] for prefix in label]
        yield f"lock_count of {name}", tree.lock_count(node), model.locks(path) if path else 0
        yield f"children of {name}, by increasing id", children, sorted(children)
        yield f"child_count of {name}", tree.child_count(node), len(children)


def as_call(kind, arguments):
    """Return an operation as it can be typed in."""
    return f"{kind}({', '.join(str(list(each) if isinstance(each, tuple) else each) for each in arguments)})"


def play(granule, operations):
    """Play seeded operations on a tree and on the naive map; the two must agree on each.

    What the tree holds is compared after each of the first 250, and then after every tenth: mistakes show early.
    """
    rng, fresh = random.Random(granule), count()
    tree, model = RadixTree(granule), NaiveMap(granule)
    kinds = rng.choices(("insert", "match_prefix", "lock", "unlock", "evict"), (36, 22, 8, 14, 20), k=operations)
    calls = []
    for step, kind in enumerate(kinds, 1):
        arguments = draw(rng, model, kind, fresh)
        calls.append((kind, [model.node[arguments[0]]] if kind in ("lock", "unlock") else arguments))
        checks = perform(tree, model, step <= 250 or step % 10 == 0, kind, *arguments)
        if step % 250 == 0:
            checks = chain(checks, whole_tree(tree, model))
        differ = None
        try:
            for what, got, due in checks:
                if got != due:
                    differ = f"{what}: expected {due}, got {got}"
                    break
        except NotImplementedError:
            raise
        except Exception as error:
            differ = f"outcome: expected an answer, got {error!r}"
        if differ:
            told = [as_call(*call) for call in (calls if step < 12 else calls[-5:])]
            raise AssertionError("\n".join([f"step {step}, granule {granule}, {told[-1]}: {differ}", *told]))


def test_model_based_against_a_naive_map():
    """2,500 seeded operations at each granule leave the tree and a naive map of every prefix in agreement."""
    for granule in (1, 2):
        play(granule, 2500)
