"""Chapter ds.05: its card is true, its reference is a dict in disguise, and the radix tree stands on it."""

import random
import re
from collections import Counter, deque
from pathlib import Path

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from nbclient import NotebookClient

from radixlab import course, splice
from radixlab.author import lint
from radixlab.chapters.ds05.reference import RobinHoodMap
from radixlab.chapters.ds05.variants.stored_hashes import RobinHoodMap as StoredHashes
from radixlab.checker import mutation
from radixlab.checker.budget import Meter
from radixlab.checker.job import TestFile
from radixlab.checker.jobs import job_of
from radixlab.checker.subject import compile_subject, load
from radixlab.checker.testfile import test_names
from radixlab.checker.worker import Inline

CHAPTER = course.chapter("ds.05")
SAMPLES = Path(__file__).parent / "samples" / "ds05"
BOTH = pytest.mark.parametrize("kind", [RobinHoodMap, StoredHashes], ids=["reference", "stored hashes"])
ON_IT = """

_Tree = RadixTree


class RadixTree(_Tree):
    def __init__(self, granule):
        super().__init__(granule, new_map=RobinHoodMap)
"""


def due_distances(keys, capacity):
    """Return the distances that *keys* must have: in each slot the one that waits longest for it."""
    at_home, waiting = Counter(hash(key) % capacity for key in keys), deque()
    for _ in range(2):  # the second round begins with those who walked past the last slot in the first
        distances = []
        for slot in range(capacity):
            waiting.extend([slot] * at_home[slot])
            distances.append((slot - waiting.popleft()) % capacity if waiting else -1)
    return distances


# The chapter ----------------------------------------------------------------------------------------------------------


def test_the_chapter_is_sound():
    assert {title: problems for title, problems in lint.lint(CHAPTER, decoys=10) if problems} == {}


def test_every_official_test_is_needed_and_every_bug_is_caught():
    caught = {name for bug in CHAPTER.bugs for name in bug.caught_by}
    assert caught == {card.name for card in CHAPTER.tests}
    assert all(bug.caught_by for bug in CHAPTER.bugs)


@pytest.mark.parametrize(
    ("stage", "find", "replace", "says"),
    [
        (
            "steal",
            "        if not self._holds(slot, key):\n            raise KeyError(key)\n        return",
            "        if self._slots[slot] is None:\n            raise KeyError(key)\n        return",
            "A key that was never set has a value. ",
        ),
        ("grow", "        self._make_room()\n", "", "The table fills up to its last slot. "),
        (
            "grow",
            "                self._place(entry)",
            "                self._place(entry)\n                self._stored += 1",
            "Len counts old keys twice. ",
        ),
    ],
)
def test_a_mistake_of_learners_is_named_by_its_stage_as_the_help_does(stage, find, replace, says):
    reference, stages = CHAPTER.text("reference.py"), CHAPTER.text("stages.py")
    assert reference.count(find) == 1
    names = [name for each in CHAPTER.stages_up_to(stage) for name in each.writes]
    map_ = splice.cut(CHAPTER.text("stub.py"), reference.replace(find, replace), names)
    checks = [name for name in test_names(stages) if name.startswith(f"{stage}_")]
    job = job_of(CHAPTER, compile_subject(map_), TestFile(stages, "stages.py"), checks, ours=True)
    (outcomes,) = Inline().run([job])
    failed = [outcome.message for outcome in outcomes.values() if outcome.outcome == "failed"]
    assert failed and failed[0].startswith(says)
    boxes = "".join(cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells if "help" in cell.id)
    assert f"<summary>{says[0].lower()}{says[1:].rstrip('. ')}</summary>" in boxes


def graded(name):
    tests = (SAMPLES / f"{name}_tests.py").read_text(encoding="utf-8")
    return mutation.grade(CHAPTER, mutation.suite(CHAPTER, tests), Inline(), 7)


def test_good_tests_catch_every_bug_and_thin_ones_too_few():
    good, thin = graded("good").mutation, graded("thin").mutation
    assert (good.killed, good.passed) == (len(CHAPTER.bugs), True)
    assert thin.killed < CHAPTER.needed and not thin.passed


def test_a_test_that_expects_an_order_of_equals_rejects_a_correct_map():
    grades = graded("over_fitted")
    assert grades.mutation is None
    invalid = [test for test in grades.own_tests if not test.valid]
    assert [test.name for test in invalid] == ["the_rich_give_way"]
    assert invalid[0].message.startswith("this test rejects a correct map")


# The maps -------------------------------------------------------------------------------------------------------------

KEYS = st.one_of(st.integers(0, 5), st.integers(-8, 8).map(lambda n: 64 * n + 7), st.tuples(st.integers(0, 3)))


class Twins(RuleBasedStateMachine):
    """Both maps and a dict, one after the other asked the same; keys collide, and runs pass the last slot."""

    def __init__(self):
        super().__init__()
        self.maps, self.model, self.capacity = [RobinHoodMap(), StoredHashes()], {}, 8

    @rule(key=KEYS, value=st.integers())
    def set(self, key, value):
        if key not in self.model and 8 * (len(self.model) + 1) > 7 * self.capacity:
            self.capacity *= 2
        self.model[key] = value
        for each in self.maps:
            each[key] = value

    @rule(key=KEYS)
    def delete(self, key):
        known = self.model.pop(key, None) is not None
        for each in self.maps:
            if known:
                del each[key]
            else:
                with pytest.raises(KeyError):
                    del each[key]

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def delete_known(self, data):
        self.delete(data.draw(st.sampled_from(list(self.model))))

    @rule(key=KEYS)
    def look(self, key):
        found = [each.probe(key) for each in self.maps]
        assert key in self.model or found[0] == found[1]
        for each in self.maps:
            assert (key in each, each.get(key, "none")) == (key in self.model, self.model.get(key, "none"))

    @invariant()
    def agree(self):
        due = due_distances(self.model, self.capacity)
        self.maps[0].check()
        for each in self.maps:
            assert (len(each), each.capacity(), dict(each.items())) == (len(self.model), self.capacity, self.model)
            assert each.probe_distances() == due
            for slot, key in enumerate(each.slots()):
                assert key is None or each.probe(key) == (slot, due[slot])


TestTwins = Twins.TestCase
TestTwins.settings = settings(max_examples=40, stateful_step_count=40)


@given(st.lists(st.integers(0, 63), unique=True, max_size=28), st.randoms())
def test_distances_follow_from_the_keys_whatever_came_before(keys, rng):
    """In another order, and with others that came and went: the same table."""
    plain, busy = RobinHoodMap(), RobinHoodMap()
    for key in range(100, 128):  # as large as both will be
        plain[key] = busy[key] = 0
    for key in range(100, 128):
        del plain[key], busy[key]
    for key in keys:
        plain[key] = 0
    others = [key + 64 for key in keys[::2]]
    for key in rng.sample([*keys[::2], *others], len(keys[::2]) * 2):
        busy[key] = 0
    for key in others:
        del busy[key]
    for key in rng.sample(keys[1::2], len(keys[1::2])):
        busy[key] = 0
    assert plain.probe_distances() == busy.probe_distances() == due_distances(keys, 32)


@BOTH
def test_100_000_operations_agree_with_a_dict(kind):
    rng, table, model = random.Random(1985), kind(), {}
    for step in range(100_000):
        key = rng.randrange(400) * 32 if step % 3 else (rng.randrange(40), rng.randrange(9))
        act = rng.random()
        if act < (0.55 if step // 20_000 % 2 else 0.4):  # it fills for a while, and empties for a while
            table[key] = model[key] = step
        elif act < 0.8:
            assert (key in table) == (key in model)
            if key in model:
                del table[key], model[key]
        else:
            assert table.get(key) == model.get(key)
        if step % 5_000 == 0:
            assert dict(table.items()) == model
            assert table.probe_distances() == due_distances(model, table.capacity())
    assert len(table) == len(model) and sorted(table.values()) == sorted(model.values())


def test_probes_grow_with_the_load_and_shrink_with_it():
    rng, table = random.Random(0), RobinHoodMap()
    keys = [rng.getrandbits(40) for _ in range(896)]

    def longest():
        return max(table.probe_distances())

    mean = {}
    for count, key in enumerate(keys, 1):
        table[key] = 0
        if count in (512, 768, 896):
            assert table.capacity() == 1024
            mean[count] = sum(each for each in table.probe_distances() if each >= 0) / count
    assert mean[512] < 1 < mean[768] < mean[896] < 8, "about what 1/2 * (1/(1 - load) - 1) says: 0.5, 1.5, 3.5"
    full = longest()
    for key in keys[512:]:
        del table[key]
    table.check()
    assert longest() < full and table.capacity() == 1024
    before = longest()
    for key in keys[512:]:
        table[key] = 0
    assert before < longest() == full, "the same keys, the same table"
    table[-1] = 0  # the 897th
    assert table.capacity() == 2048 and longest() < full


@BOTH
def test_it_does_what_the_children_of_a_radix_node_ask_for(kind):
    """`get`, `[run] =`, `del`, `in`, `values`, `items`, `len`, and an empty one is false."""
    children = kind()
    assert not children and children.get((1, 2)) is None
    children[1, 2], children[3, 4] = 7, 5
    assert children and len(children) == 2
    assert sorted(children.values()) == [5, 7]
    assert sorted(children.items()) == [((1, 2), 7), ((3, 4), 5)]
    assert children.get((1, 2)) == 7 and (3, 4) in children
    del children[1, 2]
    assert sorted(children) == [(3, 4)]
    with pytest.raises(KeyError):
        del children[1, 2]
    with pytest.raises(TypeError):
        children[[1, 2]] = 1
    assert dict(children.items()) == {(3, 4): 5}


def test_the_rest_of_a_mapping_comes_with_it():
    table = RobinHoodMap()
    table.update({1: "a", 9: "b"})
    assert (table.setdefault(1, "z"), table.setdefault(17, "c"), table.pop(9), table.pop(9, None)) == (
        "a",
        "c",
        "b",
        None,
    )
    assert table == {1: "a", 17: "c"} and set(table.keys()) == {1, 17}
    table.clear()
    assert table == {} and table.probe_distances() == [-1] * 8


@pytest.mark.parametrize(
    "damage",
    [
        "table._slots[1].distance = 0",
        "table._slots[3].distance = 1",
        "table._slots[2] = None",
        "table._stored = 3",
        "table._slots[0], table._slots[1] = table._slots[1], table._slots[0]",
        "table._slots = table._slots[:7]",
        "table._slots[4:8] = [table._slots[0]] * 4",
    ],
)
def test_its_check_sees_a_damaged_table(damage):
    table = RobinHoodMap()
    for key in (0, 8, 1, 16):
        table[key] = 0
    table.check()
    exec(damage, {"table": table})
    with pytest.raises(AssertionError):
        table.check()


# The tree on it -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def on_it(chapter):
    """The plain radix tree, its children in Robin Hood maps, as one source text."""
    return f"{CHAPTER.text('reference.py')}\n\n{chapter.text('reference.py')}{ON_IT}"


def test_the_plain_tree_passes_the_eleven_tests_on_robin_hood_maps(play, chapter, on_it):
    outcomes = play(chapter.text("official.py"), on_it, filename="official.py", ours=True)
    assert {name: outcome.message for name, outcome in outcomes.items() if outcome.outcome != "passed"} == {}
    assert len(outcomes) == 11


def test_its_children_are_in_robin_hood_maps(on_it):
    module = load(compile_subject(on_it), Meter(1_000_000), "radix")
    tree = module.RadixTree(2)
    for token in range(200):
        tree.insert([token, token + 1, 0, 0], ["a", "b"])
    tree.match_prefix([5, 6, 9, 9])
    tree.evict(40)
    tree.check()
    assert tree.children(0) == sorted(tree._nodes[0].children.values())
    for node in tree._nodes:
        if node is not None:
            assert type(node.children) is module.RobinHoodMap
            node.children.check()


# The notebook ---------------------------------------------------------------------------------------------------------

NOTEBOOK = Path(__file__).parents[1] / "notebooks" / "appendix-robin-hood.ipynb"
ANSWERS = {"probe.1": 0, "steal.1": [0, 8, 16, 1], "steal.2": 2, "shift.1": [8, 1], "grow.1": 128}


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(NOTEBOOK, as_version=4)


def written(cell, decorator):
    """Return the functions that stand in *cell* under *decorator*, as text by name."""
    if f"@{decorator}" not in cell.source:
        return {}
    texts = {name: splice.piece(cell.source, name) for name in splice.pieces(cell.source)}
    return {name: text.removeprefix(f"@{decorator}\n") for name, text in texts.items()}


def test_the_cells_to_be_written_are_the_stub_and_the_starter(notebook):
    stub, starter = CHAPTER.text("stub.py"), CHAPTER.text("starter.py")
    for stage in CHAPTER.stages:
        cells = [written(cell, f'exercise("{stage.name}")') for cell in notebook.cells if cell.cell_type == "code"]
        texts = {name: text for cell in cells for name, text in cell.items()}
        assert texts == {name: splice.piece(stub, name) for name in stage.writes}
    tests = {name: text for cell in notebook.cells for name, text in written(cell, "own_test").items()}
    assert tests == {f"test_{name}": splice.piece(starter, f"test_{name}") for name in CHAPTER.own_tests}


def test_every_rule_has_its_cell_and_every_prediction_is_asked(notebook):
    cells = {cell.id for cell in notebook.cells}
    assert {rule_.cell for rule_ in CHAPTER.rules} <= cells
    source = "\n".join(cell.source for cell in notebook.cells)
    assert re.findall(r'predict\("([^"]+)", \.\.\.\)', source) == list(CHAPTER.predictions) == list(ANSWERS)


def test_the_notebook_solved_shows_what_its_text_says(notebook, workspace, tmp_path):
    """Every figure that is quoted after a cell is in the output of that cell; answers are right, all is passed."""
    good = (SAMPLES / "good_tests.py").read_text(encoding="utf-8")
    _, tests = workspace.start(CHAPTER)
    tests.write_text(f"{tests.read_text(encoding='utf-8')}\n\n{splice.piece(good, 'filled')}", encoding="utf-8")
    for cell in notebook.cells:
        if "@exercise" in cell.source or "@own_test" in cell.source:
            for name in splice.pieces(cell.source):
                text = splice.piece(good if name.startswith("test_") else CHAPTER.text("reference.py"), name)
                head = "@own_test\n" if name.startswith("test_") else ""
                cell.source = splice.put(cell.source, name, head + text)
        for name, answer in ANSWERS.items():
            cell.source = cell.source.replace(f'predict("{name}", ...)', f'predict("{name}", {answer})')
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    said = {cell.id: "".join(map(shown, cell.outputs)) for cell in notebook.cells if cell.cell_type == "code"}
    for cell, words in {
        "see-probe": ["another value | value of 23 | None | False | 5", "slot 3, look 5: 23, home 7 + 4"],
        "see-late": ["mean 0.56, worst 11", "mean 1.24, worst 26", "mean 2.68, worst 73"],
        "see-steal": ["['value of 0', 'value of 8', 'value of 1', 'value of 16']", "24: missing, 4 looks"],
        "see-measure": [
            "yours  mean 2.68, worst 11 | missing: mean  3.15",
            "plain  mean 2.68, worst 73 | missing: mean 25.07",
        ],
        "see-shift": ["new table: 9", "after 10,000 deletions: 7"],
        "see-grow": ["key   8 makes it   16", "key 897 makes it 2048"],
        "see-tree": ["evicted: 6 | matched: 3 | nodes: 19", "18 keys in 32 slots"],
        "check": ["7 of 7 pass", "12 of 12 caught", "\npass "],
        "help-see": ["slot 3: 1, home 1 + 3 ?", "slot 1: 16, home 0 + 2 ?"],
        "production-shift": ["seen: [2, 3, 8] | not found: [2, 3]"],
        "challenge-order": ["slot by slot: mean 74.2, worst 171"],
        **{f"write-{stage.name}": [f"{stage.name}: passed"] for stage in CHAPTER.stages},
        **{f"predict-{name}": [": right"] for name in ("round", "steal", "search", "shift", "grow")},
        **{f"own-test-{name}": ["valid", "still alive none"] for name in ("steal", "shift", "grow")},
    }.items():
        assert [word for word in words if word not in said[cell]] == [], f"{cell}: {said[cell]}"
    assert said["see-grow"].count("makes it") == 8
    assert "".join(said.values()).count("not written yet") == 1, "only the challenge is left"
    solution = [name for stage in CHAPTER.stages for name in stage.writes]
    done = splice.cut(CHAPTER.text("stub.py"), CHAPTER.text("reference.py"), solution)
    assert workspace.tree(CHAPTER).read_text(encoding="utf-8") == done


def shown(output):
    return output.text if output.output_type == "stream" else output.data["text/plain"]
