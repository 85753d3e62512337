"""The checks of the seven code stages of chapter ds.07, in the order in which they run.

A check of a stage calls only what is written by then, asks for nothing of a later stage, and passes on every correct
tree. A message starts with the symptom of a pitfall only where the tree shows just that; else it says what was done,
what was expected and what came.
"""

import random
from contextlib import suppress
from itertools import chain

from radix import ROOT, RadixTree, common_runs


def raised(due, call, *arguments):
    """Return the name of *due* where the call raised one of that kind, else of what it raised, or "nothing"."""
    try:
        call(*arguments)
    except (NotImplementedError, RecursionError, NameError, AttributeError):  # a mistake in the code is no answer
        raise
    except due:
        return due.__name__
    except Exception as error:
        return type(error).__name__
    return "nothing"


def said(symptom, shows, what):
    """Return the message *what*, after the symptom of a pitfall where the tree *shows* just that."""
    return f"{symptom} {what}" if shows else what


def edge(tree, node):
    """Return the label and the values of *node*."""
    return list(tree.key(node)), list(tree.values(node))


def path_to(tree, node):
    """Return the nodes from the top down to *node*, ROOT not among them."""
    path = []
    while node != ROOT:
        path.append(node)
        node = tree.parent(node)
    return path[::-1]


def spelled(tree, node):
    """Return the tokens that lead to *node*."""
    return [token for each in path_to(tree, node) for token in tree.key(each)]


def below_root(tree):
    """Return every node but ROOT, parents before their children."""
    nodes = [ROOT]
    for node in nodes:
        nodes.extend(tree.children(node))
    return nodes[1:]


def check_links(tree, done):
    """Assert of every node that its children come by increasing id, are counted, and name it as their parent."""
    for node in (ROOT, *below_root(tree)):
        what = "ROOT" if node == ROOT else f"the node that ends {spelled(tree, node)}"
        children, many = tree.children(node), tree.child_count(node)
        due = sorted(children)
        assert children == due, f"{done}: the children of {what}, by increasing id, are {due}, got {children}"
        assert many == len(due), f"{done}: {what} has {len(due)} children, and child_count says {many}"
        for child in children:
            parent = tree.parent(child)
            assert parent == node, f"{done}: {child} is a child of {what}, id {node}, and names {parent} as its parent"


# 00: runs ---------------------------------------------------------------------------------------------------------


def test_runs_counts_the_runs_that_are_equal():
    """Runs are counted from the start of the label and from token *at* of the key."""
    got = common_runs((1, 2, 3), (1, 2, 3), 0, 1)
    assert got == 3, f"label 1 2 3, key 1 2 3, granule 1: all 3 runs are equal, got {got}"
    got = common_runs((1, 2, 3, 4), (1, 2, 3, 4, 5, 6), 0, 2)
    assert got == 2, f"label 1 2 3 4, key 1 2 3 4 5 6, granule 2: the label's 2 runs are equal, got {got}"
    got = common_runs((3, 4), (1, 2, 3, 4), 2, 1)
    assert got == 2, f"label 3 4, key 1 2 3 4 from token 2 on, granule 1: 2 runs are equal, got {got}"


def test_runs_stops_at_the_first_difference():
    """Only a prefix counts: equal runs after a difference do not."""
    got = common_runs((1, 2, 3), (1, 9, 3), 0, 1)
    assert got == 1, f"label 1 2 3, key 1 9 3, granule 1: what comes after a difference counts nothing, got {got}"
    got = common_runs((1, 2), (9, 2), 0, 1)
    assert got == 0, f"label 1 2, key 9 2, granule 1: the first run differs already, got {got}"


def test_runs_half_a_run_counts_nothing():
    """At granule 2, a run is equal as a whole or not at all."""
    for key in ((1, 2, 3, 9), (1, 2, 9, 4)):
        got = common_runs((1, 2, 3, 4), key, 0, 2)
        assert got == 1, f"label 1 2 3 4, key {key}, granule 2: only the run 1 2 is equal as a whole, got {got}"


def test_runs_counts_no_half_run_at_the_end():
    """What is left over at the end of both is no run, even where it is equal."""
    got = common_runs((1, 2, 3), (1, 2, 3), 0, 2)
    assert got == 1, f"label 1 2 3, key 1 2 3, granule 2: the run 1 2 is equal, the 3 alone is no run, got {got}"


def test_runs_stops_where_the_key_ends():
    """A key that ends first gives its own whole runs."""
    got = common_runs((1, 2, 3, 4), (1, 2), 0, 1)
    assert got == 2, f"label 1 2 3 4, key 1 2, granule 1: the key has 2 runs, got {got}"
    got = common_runs((1, 2, 3, 4), (8, 9, 1, 2, 3), 2, 2)
    assert got == 1, f"label 1 2 3 4, key 8 9 1 2 3 from token 2 on, granule 2: the 3 alone is no run, got {got}"
    got = common_runs((1, 2), (1, 2), 2, 1)
    assert got == 0, f"label 1 2, key 1 2 from token 2 on: nothing of the key is left, got {got}"


# 01: new ----------------------------------------------------------------------------------------------------------


def test_new_starts_empty():
    """A new tree is ROOT alone: no label, no values, no parent, no child, no lock."""
    for granule in (1, 16):
        tree = RadixTree(granule)
        assert tree.granule == granule, f"RadixTree({granule}).granule is {tree.granule}"
        assert (len(tree), tree.is_empty(), tree.node_count()) == (0, True, 0), "a new tree has no value and no node"
        assert edge(tree, ROOT) == ([], []), f"ROOT has no label and no values, got {edge(tree, ROOT)}"
        assert tree.parent(ROOT) is None, f"ROOT has no parent, got {tree.parent(ROOT)}"
        assert (list(tree.children(ROOT)), tree.child_count(ROOT)) == ([], 0), "in a new tree ROOT has no child"
        assert tree.lock_count(ROOT) == 0, f"ROOT is never locked, got {tree.lock_count(ROOT)}"


def test_new_refuses_a_granule_below_1():
    """There is no run of less than one token."""
    for granule in (0, -1):
        error = raised(ValueError, RadixTree, granule)
        assert error == "ValueError", f"RadixTree({granule}) must raise ValueError, and raised {error}"


def test_new_knows_no_dead_id():
    """Every accessor refuses what is no live node, negative numbers among it."""
    tree = RadixTree(1)
    for name in ("key", "values", "parent", "children", "child_count", "lock_count"):
        for node in (-1, 1, "x", None):
            error = raised(LookupError, getattr(tree, name), node)
            assert error == "LookupError", (
                f"{name}({node!r}) in an empty tree: no such node is alive, so LookupError is due; it raised {error}"
            )


def test_new_trees_share_nothing():
    """What goes into one tree shows in no other."""
    first, second = RadixTree(1), RadixTree(2)
    assert (first.granule, second.granule) == (1, 2), "two trees have a granule each"
    with suppress(NotImplementedError):  # until insert is written, there is little to see
        first.insert([1, 2], ["a", "b"])
    for other in (second, RadixTree(1)):
        assert (len(other), other.node_count(), edge(other, ROOT)) == (0, 0, ([], [])), (
            "something was put into one tree, and another tree shows it"
        )


# 02: insert -------------------------------------------------------------------------------------------------------


def test_insert_hangs_a_leaf():
    """A first key becomes one leaf under ROOT, counted, and independent of the lists that were given."""
    for granule in (1, 2):
        tree, key, values = RadixTree(granule), list(range(3 * granule)), ["a", "b", "c"]
        leaf, back = tree.insert(key, values)
        done = f"granule {granule}, insert({key}, {values}) into an empty tree"
        assert back == [], f"{done}: nothing was stored before, so nothing is handed back, got {back}"
        assert edge(tree, leaf) == (key, values), f"{done}: the new leaf holds it all, got {edge(tree, leaf)}"
        parent, children, many = tree.parent(leaf), tree.children(ROOT), tree.child_count(ROOT)
        assert parent == ROOT, f"{done}: the leaf, id {leaf}, hangs under ROOT, and its parent is {parent}"
        assert children == [leaf], f"{done}: children(ROOT) lists the ids of its children, [{leaf}], got {children}"
        assert many == 1, f"{done}: ROOT has one child, and child_count(ROOT) is {many}"
        assert (tree.children(leaf), tree.child_count(leaf)) == ([], 0), f"{done}: a leaf has no child"
        size = len(tree)
        assert size == 3, said(
            "Len and every capacity decision built on it are wrong.",
            size == 0,
            f"{done}: 3 values are stored, and len(tree) is {size}",
        )
        counts = tree.node_count(), tree.is_empty()
        assert counts == (1, False), f"{done}: node_count is 1 and is_empty is False, got {counts}"
        key[0], values[0] = 99, "z"
        assert edge(tree, leaf) == (list(range(3 * granule)), ["a", "b", "c"]), (
            "the caller changed its own lists after the insert, and the tree changed with them"
        )
        assert tree.insert([], []) == (ROOT, []), "the empty key ends at ROOT"


def test_insert_again_hands_everything_back():
    """A stored key ends at the same node, adds nothing and gives all values back."""
    for granule in (1, 2):
        tree, key = RadixTree(granule), list(range(2 * granule))
        leaf, _ = tree.insert(key, ["a", "b"])
        node, back = tree.insert(key, ["x", "y"])
        done = f"granule {granule}, insert({key}) with a b, then with x y"
        size = len(tree)
        assert back == ["x", "y"], said(
            "The tree holds two copies; the caller's duplicates leak.",
            (back, size) == ([], 4),
            f"{done}: all of it is stored, so x y are handed back, got {back}, and len(tree) is {size}",
        )
        assert node == leaf, f"{done}: the node that ends the key is the one from the first time"
        assert edge(tree, leaf) == (key, ["a", "b"]), f"{done}: the stored a b stay, got {edge(tree, leaf)}"
        assert (size, tree.node_count()) == (2, 1), f"{done}: nothing is added, len(tree) is {size}"


def test_insert_extends_a_stored_prefix():
    """A longer key hangs its rest below the node that ends the stored part."""
    for granule in (1, 2):
        tree, long, side = RadixTree(granule), list(range(4 * granule)), [*range(2 * granule), *[9] * granule]
        short = long[: 2 * granule]
        upper, _ = tree.insert(short, ["a", "b"])
        lower, back = tree.insert(long, ["x", "y", "c", "d"])
        done = f"granule {granule}, insert({short}) with a b, then insert({long}) with x y c d"
        assert back == ["x", "y"], f"{done}: the stored part hands x y back, got {back}"
        assert edge(tree, lower) == (long[2 * granule :], ["c", "d"]), f"{done}: the leaf is {edge(tree, lower)}"
        assert edge(tree, upper) == (short, ["a", "b"]), f"{done}: the first node is now {edge(tree, upper)}"
        other, back = tree.insert(side, ["p", "q", "e"])
        done = f"{done}, then insert({side}) with p q e"
        assert (back, edge(tree, other)) == (["p", "q"], ([9] * granule, ["e"])), f"{done}: the last run is a new leaf"
        assert tree.children(ROOT) == [upper], f"{done}: ROOT has one child"
        children, due = tree.children(upper), sorted([lower, other])
        assert children == due, f"{done}: the children of {short}, by increasing id, are {due}, got {children}"
        check_links(tree, done)
        again = tree.insert(long, ["r", "s", "t", "u"])
        assert again == (lower, ["r", "s", "t", "u"]), f"{done}, then {long} again: the whole path is stored"
        assert (len(tree), tree.node_count()) == (5, 3), f"{done}: 5 values in 3 nodes, got {len(tree)}"


def test_insert_refuses_a_wrong_number_of_values():
    """One value per run, or ValueError and an unchanged tree."""
    for granule, key, wrong in ((1, [1, 2, 3], ["a", "c"]), (2, [1, 2, 3, 4], ["a"])):
        tree = RadixTree(granule)
        error = raised(ValueError, tree.insert, key, wrong)
        assert error == "ValueError", said(
            "Every value after the gap belongs to the wrong tokens.",
            error == "nothing",
            f"granule {granule}, insert({key}, {wrong}), too few values: ValueError is due; it raised {error}",
        )
        counts = len(tree), tree.node_count(), list(tree.children(ROOT))
        assert counts == (0, 0, []), f"insert({key}, {wrong}) was refused, and the tree changed all the same"
    tree = RadixTree(2)
    leaf, _ = tree.insert([1, 2], ["a"])
    for key, values in (([1, 2], []), ([1, 2], ["x", "y"]), ([1, 2, 3], ["x"]), ([], ["x"]), ([5], [])):
        error = raised(ValueError, tree.insert, key, values)
        assert error == "ValueError", f"granule 2, insert({key}, {values}): ValueError is due; it raised {error}"
        assert (tree.children(ROOT), edge(tree, leaf), len(tree)) == ([leaf], ([1, 2], ["a"]), 1), (
            f"granule 2, insert({key}, {values}) was refused, and the tree changed all the same"
        )


def test_insert_leaves_an_edge_only_when_it_can_cut():
    """A key that leaves an edge in the middle is cut right, or waits with the tree unchanged."""
    for key, values in (([1, 2, 4], ["x", "y", "d"]), ([1, 2], ["x", "y"])):
        tree = RadixTree(1)
        old, _ = tree.insert([1, 2, 3], ["a", "b", "c"])
        done = f"insert([1, 2, 3]), then insert({key}), which leaves that edge after 1 2"
        try:
            node, back = tree.insert(key, values)
        except NotImplementedError:
            assert (edge(tree, old), tree.children(ROOT)) == (([1, 2, 3], ["a", "b", "c"]), [old]), (
                f"{done}: the cut waits for notebook 03, so the tree must not change"
            )
        else:
            assert back == ["x", "y"], f"{done}: 1 2 is stored, so x y are handed back, got {back}"
            assert spelled(tree, node) == key, f"{done}: the node returned ends the key, got {spelled(tree, node)}"


# 03: split --------------------------------------------------------------------------------------------------------


def test_split_an_insert_cuts_the_edge():
    """Step 2 of the worked example: labels, values and links after the cut."""
    tree = RadixTree(1)
    old, _ = tree.insert([1, 2, 3], ["a", "b", "c"])
    leaf, back = tree.insert([1, 2, 4, 5], ["x", "y", "d", "e"])
    done = "insert([1, 2, 3]) with a b c, then insert([1, 2, 4, 5]) with x y d e"
    middle = tree.parent(leaf)
    assert middle not in (ROOT, old), f"{done}: the new leaf hangs under a new middle node"
    assert (list(tree.key(middle)), list(tree.key(old))) == ([1, 2], [3]), (
        f"{done}: the edge 1 2 3 becomes 1 2 and 3, got {tree.key(middle)} and {tree.key(old)}"
    )
    halves = list(tree.values(middle)), list(tree.values(old))
    assert halves == (["a", "b"], ["c"]), said(
        "Stored values move to the wrong tokens.",
        set(chain(*halves)) == {"a", "b", "c"},
        f"{done}: 1 2 should keep a b, and 3 keep c, got {halves}",
    )
    assert tree.parent(old) == middle, f"{done}: the old node hangs under the middle node"
    children, due = tree.children(middle), sorted([old, leaf])
    assert children == due, said(
        "The lower half of the edge disappears.",
        children == [leaf],
        f"{done}: 3 is node {old} and 4 5 is node {leaf}; the children of 1 2, by increasing id, are {due}, "
        f"got {children}",
    )
    assert (tree.parent(middle), tree.children(ROOT)) == (ROOT, [middle]), f"{done}: ROOT has one child, 1 2"
    assert (edge(tree, leaf), back) == (([4, 5], ["d", "e"]), ["x", "y"]), f"{done}: the leaf takes d e, x y come back"
    assert (len(tree), tree.node_count()) == (5, 3), f"{done}: 5 values in 3 nodes, got {len(tree)}"
    tree.insert([9], ["f"])
    tree.insert([1, 8], ["x", "g"])  # the new node above 1 2 may take the place of 1 2, before 9, which is older
    check_links(tree, f"{done}, then insert([9]), then insert([1, 8])")


def test_split_a_match_ends_exactly_at_a_node():
    """Step 5 of the worked example, on one edge: a match cuts where it ends."""
    tree = RadixTree(1)
    old, _ = tree.insert([1, 2, 3], ["a", "b", "c"])
    tokens, path = tree.match_prefix([1, 9])
    done = "insert([1, 2, 3]), then match_prefix([1, 9])"
    assert tokens == 1, f"{done}: 1 token is stored, got {tokens}"
    labels = [token for node in path for token in tree.key(node)]
    assert labels == [1], said(
        "The returned node covers more than the match.",
        len(labels) > tokens,
        f"{done}: 1 token matched, and the path spells {labels}",
    )
    (upper,) = path
    assert (edge(tree, upper), edge(tree, old)) == (([1], ["a"]), ([2, 3], ["b", "c"])), (
        f"{done}: the new node takes 1 with a, the old id keeps 2 3 with b c; "
        f"got {edge(tree, upper)} and {edge(tree, old)}"
    )
    assert (tree.children(ROOT), tree.children(upper)) == ([upper], [old]), f"{done}: ROOT, 1, 2 3 hang in a row"
    check_links(tree, done)
    assert (len(tree), tree.node_count()) == (3, 2), f"{done}: a split moves values, len(tree) is {len(tree)}"
    assert tree.match_prefix([1, 2, 3]) == (3, [upper, old]), f"{done}: 1 2 3 still matches whole"
    assert tree.match_prefix([7, 1]) == (0, []), "match_prefix([7, 1]): nothing starts with 7"
    assert tree.match_prefix([]) == (0, []), "match_prefix([]): nothing was asked for"
    assert tree.node_count() == 2, "matches that end at a node change nothing"


def test_split_falls_between_whole_runs():
    """At granule 2, runs are compared whole and edges are cut between them."""
    tree = RadixTree(2)
    old, _ = tree.insert([1, 2, 3, 4], ["a", "b"])
    assert tree.match_prefix([1]) == (0, []), "granule 2, 1 2 3 4 is stored: match_prefix([1]) is less than a run"
    tokens, path = tree.match_prefix([1, 2, 3, 9])
    done = "granule 2, insert([1, 2, 3, 4]), then match_prefix([1, 2, 3, 9])"
    assert tokens == 2, said(
        "1 2 3 9 matches 1 2 3 4 whole at granule 2.",
        tokens == 4,
        f"{done}: the run 1 2 is equal, 3 9 is not 3 4; got {tokens} tokens",
    )
    assert len(path) == 1, f"{done}: one node ends the run 1 2, got {len(path)} nodes"
    assert (edge(tree, path[0]), edge(tree, old)) == (([1, 2], ["a"]), ([3, 4], ["b"])), (
        f"{done}: cut between the runs, with a value each, got {edge(tree, path[0])} and {edge(tree, old)}"
    )
    got = tree.match_prefix([1, 2, 3, 4, 5])
    assert got == (4, [path[0], old]), f"{done}, then match_prefix([1, 2, 3, 4, 5]): two whole runs, got {got}"


def test_split_needs_no_leaf_when_the_key_ends_inside():
    """The middle node of the cut is the node that ends the key."""
    for granule in (1, 2):
        tree, long = RadixTree(granule), list(range(3 * granule))
        short = long[: 2 * granule]
        old, _ = tree.insert(long, ["a", "b", "c"])
        node, back = tree.insert(short, ["x", "y"])
        done = f"granule {granule}, insert({long}) with a b c, then insert({short}) with x y"
        assert back == ["x", "y"], f"{done}: all of it was stored, so x y come back, got {back}"
        assert edge(tree, node) == (short, ["a", "b"]), f"{done}: the middle node ends the key, got {edge(tree, node)}"
        assert (tree.children(node), edge(tree, old)) == ([old], (long[2 * granule :], ["c"])), (
            f"{done}: the lower part is the middle node's only child"
        )
        assert (len(tree), tree.node_count()) == (3, 2), f"{done}: no value and no leaf is added"


def test_split_keeps_every_key():
    """After each of many cuts, every key inserted so far matches whole, with the values stored first."""
    shapes = ("abcde", "abx", "ab", "abcq", "axy", "b", "abcde", "abcdz", "axw", "bcd", "a")
    for granule in (1, 2):
        keys = [[ord(letter) + half for letter in shape for half in range(granule)] for shape in shapes]
        tree, stored = RadixTree(granule), {}
        for turn, key in enumerate(keys):
            ends = [tuple(key[: end + granule]) for end in range(0, len(key), granule)]
            values = [f"{turn}.{run}" for run in range(len(ends))]
            tree.insert(key, values)
            for end, value in zip(ends, values, strict=True):
                stored.setdefault(end, value)
            for earlier in keys[: turn + 1]:
                tokens, path = tree.match_prefix(earlier)
                done = f"granule {granule}, after {turn + 1} inserts, match_prefix({earlier}), which was inserted"
                assert tokens == len(earlier), f"{done}: {len(earlier)} tokens are stored, got {tokens}"
                labels = [token for node in path for token in tree.key(node)]
                assert labels == earlier, f"{done}: the path spells {labels}"
                values = [value for node in path for value in tree.values(node)]
                due = [stored[tuple(earlier[: end + granule])] for end in range(0, len(earlier), granule)]
                assert values == due, f"{done}: the values on the path are {due}, got {values}"
        nodes = below_root(tree)
        assert len(tree) == len(stored), f"granule {granule}: {len(stored)} prefixes are stored, len is {len(tree)}"
        assert len(nodes) == tree.node_count(), f"granule {granule}: {len(nodes)} nodes hang below ROOT"
        check_links(tree, f"granule {granule}, after all inserts")


# 04: locks --------------------------------------------------------------------------------------------------------


def fork():
    """Return a tree with 1 2 above 3 and above 4, and the nodes of 1 2, 3 and 4."""
    tree = RadixTree(1)
    three, _ = tree.insert([1, 2, 3], ["a", "b", "c"])
    four, _ = tree.insert([1, 2, 4], ["x", "y", "d"])
    ends = spelled(tree, three), spelled(tree, four)
    assert ends == ([1, 2, 3], [1, 2, 4]), f"insert 1 2 3, then 1 2 4: the two ids end these keys, got {ends}"
    return tree, tree.parent(three), three, four


def test_locks_count_on_the_path():
    """A lock counts on its node and every ancestor, and on nothing beside them."""
    tree, middle, three, four = fork()
    tree.lock(three)
    counts = [tree.lock_count(node) for node in (ROOT, middle, three, four)]
    done = "1 2 above 3 and 4, lock(3)"
    assert counts == [0, 1, 1, 0], said(
        "An ancestor's tokens can be evicted under a running request.",
        counts == [0, 0, 1, 0],
        f"{done}: ROOT, 1 2, 3, 4 count 0 1 1 0, got {counts}",
    )
    tree.unlock(three)
    counts = [tree.lock_count(node) for node in (ROOT, middle, three, four)]
    assert counts == [0, 0, 0, 0], f"{done}, unlock(3): no lock is left, got {counts}"


def test_locks_nest():
    """As many unlocks as locks, in any order, undo them."""
    tree, middle, three, four = fork()
    done = "1 2 above 3 and 4"
    steps = [(tree.lock, three, [1, 1, 0]), (tree.lock, three, [2, 2, 0]), (tree.lock, four, [3, 2, 1])]
    steps += [(tree.lock, middle, [4, 2, 1]), (tree.unlock, three, [3, 1, 1]), (tree.unlock, four, [2, 1, 0])]
    steps += [(tree.unlock, middle, [1, 1, 0]), (tree.unlock, three, [0, 0, 0])]
    names = {middle: "1 2", three: "3", four: "4"}
    for call, node, due in steps:
        call(node)
        done += f", {'lock' if call == tree.lock else 'unlock'}({names[node]})"
        counts = [tree.lock_count(each) for each in names]
        assert counts == due, f"{done}: 1 2, 3, 4 count {due}, got {counts}"


def test_locks_refuse_an_unlock_without_a_lock():
    """RuntimeError before anything has changed, also below a lock of someone else."""
    tree, middle, three, four = fork()
    tree.lock(three)
    error = raised(RuntimeError, tree.unlock, four)
    counts = [tree.lock_count(node) for node in (middle, three, four)]
    done = "1 2 above 3 and 4, lock(3), then unlock(4), which nobody locked"
    assert error == "RuntimeError", said(
        "Someone else's lock is silently released.",
        (error, counts) == ("nothing", [0, 1, 0]),
        f"{done}: RuntimeError is due; it raised {error}, and 1 2, 3, 4 count {counts}",
    )
    assert counts == [1, 1, 0], f"{done}: a refused unlock changes no count; 1 2, 3, 4 count {counts}"
    tree.unlock(three)
    error = raised(RuntimeError, tree.unlock, three)
    assert error == "RuntimeError", f"lock(3), unlock(3), unlock(3): RuntimeError is due; it raised {error}"
    counts = [tree.lock_count(node) for node in (middle, three, four)]
    assert counts == [0, 0, 0], f"lock(3), unlock(3), unlock(3): no count changes by the last, got {counts}"


def test_locks_leave_root_alone():
    """ROOT needs no lock; an id that is not alive can have none."""
    tree, middle, three, four = fork()
    tree.unlock(ROOT)
    tree.lock(ROOT)
    tree.lock(three)
    counts = [tree.lock_count(node) for node in (ROOT, middle, three, four)]
    assert counts == [0, 1, 1, 0], f"unlock(ROOT) and lock(ROOT) do nothing; with lock(3) the counts are {counts}"
    for name in ("lock", "unlock"):
        for node in (-1, 99, "x", None):
            error = raised(LookupError, getattr(tree, name), node)
            assert error == "LookupError", f"{name}({node!r}): LookupError is due; it raised {error}"


def test_locks_are_inherited_by_a_split():
    """The middle node of a cut lies on the path of every lock below it."""
    tree = RadixTree(1)
    leaf, _ = tree.insert([1, 2, 3, 4], ["a", "b", "c", "d"])
    tree.lock(leaf)
    tree.lock(leaf)
    _, path = tree.match_prefix([1, 2, 9])
    done = "insert([1, 2, 3, 4]), lock it twice, match_prefix([1, 2, 9])"
    labels = [list(tree.key(node)) for node in path]
    assert labels == [[1, 2]], f"{done}: the path is one new middle node, 1 2, got {labels}"
    counts = [tree.lock_count(node) for node in (path[0], leaf)]
    assert counts == [2, 2], said(
        "The middle node is evictable under a running request.",
        counts == [0, 2],
        f"{done}: the middle node and the node below it count 2 and 2, got {counts}",
    )
    sibling, _ = tree.insert([1, 8], ["x", "e"])
    counts = [tree.lock_count(node) for node in (tree.parent(sibling), path[0], leaf, sibling)]
    assert counts == [2, 2, 2, 0], f"{done}, insert([1, 8]): 1, 2, 3 4 and 8 count 2 2 2 0, got {counts}"
    tree.unlock(leaf)
    tree.unlock(leaf)
    counts = [tree.lock_count(node) for node in (tree.parent(sibling), path[0], leaf, sibling)]
    assert counts == [0, 0, 0, 0], f"{done}, insert([1, 8]), unlock twice: no lock is left, got {counts}"


# 05: lru ----------------------------------------------------------------------------------------------------------


def three_leaves():
    """Return a tree with 1 2, 3 and 4 5 6 as leaves, inserted in that order, and their nodes."""
    tree = RadixTree(1)
    return tree, *(tree.insert(key, [f"v{token}" for token in key])[0] for key in ([1, 2], [3], [4, 5, 6]))


def listed(tree):
    """Return `lru_order` with every node as the tokens that lead to it."""
    return [spelled(tree, node) for node in tree.lru_order()]


def test_lru_a_match_moves_to_the_newest_end():
    """Each match and each insert is a use."""
    tree, *_ = three_leaves()
    before = listed(tree)
    assert before == [[1, 2], [3], [4, 5, 6]], f"insert 1 2, then 3, then 4 5 6: the oldest is first, got {before}"
    tree.match_prefix([1, 2])
    after = listed(tree)
    assert after == [[3], [4, 5, 6], [1, 2]], said(
        "A hot prefix is evicted as if unused.",
        after == before,
        f"insert 1 2, then 3, then 4 5 6, match_prefix([1, 2]): 1 2 moves to the newest end, got {after}",
    )
    tree.match_prefix([4, 5, 6, 7])
    tree.insert([3], ["again"])
    after = listed(tree)
    assert after == [[1, 2], [4, 5, 6], [3]], f"match 4 5 6 7, then insert 3 again: both were used, got {after}"


def test_lru_a_locked_leaf_leaves_and_rejoins():
    """A lock takes a leaf off the list; the last unlock puts it back where its last use puts it."""
    tree, _, leaf, _ = three_leaves()
    tree.lock(leaf)
    order = listed(tree)
    done = "insert 1 2, then 3, then 4 5 6, lock(3)"
    assert order == [[1, 2], [4, 5, 6]], said(
        "Evict frees a block a request is reading.",
        [3] in order,
        f"{done}: 3 leaves the list and the other two stay, got {order}",
    )
    tree.lock(leaf)
    tree.unlock(leaf)
    order = listed(tree)
    assert order == [[1, 2], [4, 5, 6]], f"{done} once more, unlock(3): one lock is left, got {order}"
    tree.unlock(leaf)
    order = listed(tree)
    done = f"{done}, unlock(3)"
    assert len(order) == 3, said(
        "A finished request's prefix can never be evicted.",
        [3] not in order,
        f"{done}: all three leaves are on the list again, got {order}",
    )
    assert order == [[1, 2], [3], [4, 5, 6]], said(
        "A parent that becomes a leaf jumps ahead of older leaves.",
        order == [[1, 2], [4, 5, 6], [3]],
        f"{done}: whatever comes back, such a parent too, does so where its last use puts it: 3 before 4 5 6, "
        f"got {order}",
    )


def test_lru_only_unlocked_leaves_are_listed():
    """A leaf that gains a child leaves the list; a cut gives no leaf and is no use of the lower half."""
    tree, first, *_ = three_leaves()
    tree.insert([1, 2, 7], ["x", "y", "z"])
    order = listed(tree)
    assert order == [[3], [4, 5, 6], [1, 2, 7]], f"insert 1 2 7 below 1 2: a leaf with a child is none, got {order}"
    tree.match_prefix([4, 9])
    order = listed(tree)
    assert order == [[3], [4, 5, 6], [1, 2, 7]], (
        f"match_prefix([4, 9]) cuts 4 5 6: the middle node is no leaf, the lower half was not used, got {order}"
    )
    tree.lock(first)
    tree.unlock(first)
    order = listed(tree)
    assert order == [[3], [4, 5, 6], [1, 2, 7]], f"lock and unlock 1 2, which has a child: got {order}"


def test_lru_order_agrees_with_a_sort():
    """After each of 120 calls the list is the unlocked leaves, sorted by their last use."""
    for granule in (1, 2):
        rng, tree, used, held = random.Random(granule), RadixTree(granule), {}, []
        for turn in range(120):
            key = [token for token in rng.choices((1, 2, 3), k=rng.randrange(1, 5)) for _ in range(granule)]
            kind = rng.choice(("insert", "insert", "match_prefix", "match_prefix", "lock", "unlock"))
            if kind == "insert":
                used.update(dict.fromkeys(path_to(tree, tree.insert(key, key[::granule])[0]), turn))
            elif kind == "match_prefix":
                used.update(dict.fromkeys(tree.match_prefix(key)[1], turn))
            elif kind == "lock" and used:
                held.append(rng.choice(list(used)))  # in the order of their first use, whatever their ids
                tree.lock(held[-1])
            elif kind == "unlock" and held:
                tree.unlock(held.pop(rng.randrange(len(held))))
            leaves = [node for node in used if not tree.child_count(node) and not tree.lock_count(node)]
            due, order = sorted(leaves, key=used.get), tree.lru_order()
            assert order == due, (
                f"granule {granule}, call {turn + 1}, {kind}: the unlocked leaves by last use are "
                f"{[spelled(tree, node) for node in due]}, got {[spelled(tree, node) for node in order]}"
            )


def steps_among(leaves, steps, use):
    """Return the steps of three uses of a tree in which so many leaves hang under ROOT."""
    tree = RadixTree(1)
    for token in range(leaves):
        tree.insert([token], [token])
    return steps(lambda: [use(tree, token) for token in (0, leaves // 2, leaves - 1)])


def test_lru_a_match_costs_the_same_among_many_leaves(steps):
    """Sixteen times the leaves must not even double the steps."""
    few, many = (steps_among(leaves, steps, lambda tree, token: tree.match_prefix([token])) for leaves in (100, 1600))
    assert many <= 2 * few, f"three matches take {few} steps among 100 leaves and {many} among 1,600: who looks at all?"


# 06: evict --------------------------------------------------------------------------------------------------------


def test_evict_takes_the_oldest_leaf_whole():
    """A leaf goes with all its values, in label order."""
    tree, one, _, _ = three_leaves()
    gone = []
    freed = tree.evict(1, gone.append)
    done = "insert 1 2, then 3, then 4 5 6, evict(1)"
    assert gone == ["v1", "v2"], f"{done}: the oldest leaf goes whole, in the order of its label, got {gone}"
    assert freed == 2, f"{done}: 2 values went, got {freed}"
    assert listed(tree) == [[3], [4, 5, 6]], f"{done}: the others stay listed, got {listed(tree)}"
    left = len(tree), tree.node_count()
    assert left == (4, 2), f"{done}: 4 values are left in 2 nodes, len and node_count say {left}"
    error = raised(LookupError, tree.values, one)
    assert error == "LookupError", f"{done}: its id is dead, so LookupError is due; it raised {error}"


def test_evict_stops_at_n():
    """No leaf goes once n values are gone, and no locked leaf at all."""
    tree, _, three, _ = three_leaves()
    freed, done, pitfall = tree.evict(0), "insert 1 2, then 3, then 4 5 6, evict(0)", "One leaf too many goes."
    assert freed == 0, said(pitfall, freed == 2, f"{done}: nothing is asked for, and {freed} values went")
    assert len(tree) == 6, f"{done}: nothing goes, and len(tree) is {len(tree)}"
    freed, done = tree.evict(2), f"{done}, evict(2)"
    assert freed == 2, said(pitfall, freed == 3, f"{done}: the oldest leaf has the 2 values, and {freed} went")
    assert listed(tree) == [[3], [4, 5, 6]], f"{done}: the others stay listed, got {listed(tree)}"
    tree.lock(three)
    freed = tree.evict(100)
    assert (freed, len(tree)) == (3, 1), f"3 is locked, evict(100): only 4 5 6 may go, got {freed} values"
    assert list(tree.values(three)) == ["v3"], "3 is locked, evict(100): its value stays"
    tree.unlock(three)
    assert (tree.evict(100), tree.is_empty()) == (1, True), "3 is unlocked, evict(100): it goes as well"
    assert (tree.evict(1), tree.lru_order()) == (0, []), "an empty tree has nothing to evict"

    tree, _, three, _ = three_leaves()
    tree.evict(1)

    def fail(value):
        raise ArithmeticError(f"no {value}")

    error = raised(ArithmeticError, tree.evict, 1, fail)
    assert error == "ArithmeticError", f"f raises: the caller must hear of it, and evict raised {error}"
    assert (len(tree), listed(tree)) == (3, [[4, 5, 6]]), "f raised: the leaf that was being freed is out all the same"
    error = raised(LookupError, tree.lock_count, three)
    assert error == "LookupError", f"f raised: the id of the freed leaf is dead, and lock_count of it raised {error}"


def test_evict_a_childless_parent_joins_at_its_own_stamp():
    """The last child takes its leave, and the parent is a leaf as old as its own last use."""
    tree, parent, three, four = fork()
    tree.insert([9], ["e"])
    gone = []
    tree.evict(1, gone.append)
    done = "1 2 above 3 and 4, then insert 9, evict(1)"
    assert gone == ["c"], f"{done}: 3 is the oldest leaf, got {gone}"
    children = tree.children(parent)
    assert children == [four], said(
        "The parent never becomes childless; later walks reach a dead node.",
        three in children,
        f"{done}: the only child of 1 2 is 4, node {four}, got {children}",
    )
    assert listed(tree) == [[1, 2, 4], [9]], f"{done}: 1 2 has a child, so it is not listed, got {listed(tree)}"
    assert tree.match_prefix([1, 2, 3]) == (2, [parent]), f"{done}, match_prefix([1, 2, 3]): it ends at 1 2"
    tree.match_prefix([9])
    tree.evict(1, gone.append)
    order = listed(tree)
    done = f"{done}, match 1 2 3, match 9, evict(1)"
    assert (gone, tree.child_count(parent)) == (["c", "d"], 0), f"{done}: 4 goes, got {gone}"
    assert len(order) == 2, said(
        "Unused subtrees never go.", order == [[9]], f"{done}: 1 2 has no child left, so it is listed, got {order}"
    )
    assert order == [[1, 2], [9]], said(
        "A parent that becomes a leaf jumps ahead of older leaves.",
        order == [[9], [1, 2]],
        f"{done}: 1 2 is a leaf now, and older than 9, got {order}",
    )
    assert (tree.evict(1, gone.append), gone) == (2, ["c", "d", "a", "b"]), f"{done}, evict(1): 1 2 goes, got {gone}"
    assert (tree.children(ROOT), tree.node_count()) == (tree.lru_order(), 1), "only 9 is left"
    assert tree.match_prefix([1, 2]) == (0, []), "1 2 was evicted: nothing starts with 1"

    tree, gone = RadixTree(1), []
    tree.insert([1, 2, 3], ["a", "b", "c"])
    tree.insert([7], ["d"])
    tree.match_prefix([1, 2, 9])
    tree.evict(1, gone.append)
    done = "insert 1 2 3, insert 7, match 1 2 9, which cuts 1 2 off, evict(1)"
    assert gone == ["c"], f"{done}: the lower half 3 was not used since its insert, so c goes, got {gone}"
    assert listed(tree) == [[7], [1, 2]], f"{done}: 1 2 was used by the match, after 7, got {listed(tree)}"
    tree.insert([7, 8], ["x", "e"])
    tree.insert([1, 2, 5], ["y", "z", "f"])
    tree.evict(2, gone.append)
    done = f"{done}, insert 7 8, insert 1 2 5, evict(2)"
    assert gone == ["c", "e", "d"], f"{done}: 8 goes before 7 above it, and before 5, got {gone}"


def test_evict_gives_the_slots_back():
    """A thousand rounds of insert and evict need no more ids than one."""
    tree, ids = RadixTree(1), []
    for turn in range(1000):
        ids.append(tree.insert([turn, turn + 1], ["a", "b"])[0])
        freed = tree.evict(1)
        assert (freed, tree.node_count()) == (2, 0), f"round {turn} of insert and evict: {freed} values went"
    largest = max(ids)
    assert largest < 5, said(
        "The node array grows for the life of the engine.",
        max(ids[500:]) >= 500,
        f"1,000 rounds of one insert and one evict: one node was alive at a time, and ids go to {largest}",
    )
    for key in ([1], [2], [3]):
        tree.insert(key, ["c"])
    tree.evict(2)
    for key in ([4], [5]):  # ids that come back are given to younger children than the one that stayed
        tree.insert(key, ["d"])
    check_links(tree, "insert 1, 2 and 3, evict(2), insert 4 and 5")
    tree = RadixTree(2)
    tree.insert([1, 2, 3, 4], ["a", "b"])
    tree.insert([5, 6], ["c"])
    done = "granule 2, insert 1 2 3 4 with a b, then 5 6 with c, evict(1)"
    left = tree.evict(1), len(tree)
    assert left == (2, 1), f"{done}: 2 values go and 1 is left, evict and len say {left}"
    again = tree.insert([1, 2, 3, 4], ["x", "y"])[1]
    assert again == [], f"{done}, insert 1 2 3 4 again: nothing of it is stored, and {again} is handed back"


def test_evict_costs_the_same_among_many_leaves(steps):
    """Sixteen times the leaves must not even double the steps."""
    few, many = (steps_among(leaves, steps, lambda tree, _: tree.evict(1)) for leaves in (100, 1600))
    assert many <= 2 * few, (
        f"three evictions take {few} steps among 100 leaves and {many} among 1,600: who looks at all?"
    )
