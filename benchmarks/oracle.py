"""Random traffic on SGLang's `RadixCache`, on the reference and on the fast tree: do the three always agree?

Compared after each operation: the tokens matched, their values, the values handed back, the values evicted and their
order, and how many values are stored, can be evicted and cannot. In one point SGLang's tree is another one: a match or
an insert that ends inside an edge stamps the lower half too, which it did not use. So each run is made twice, on their
tree with that mended, and on their tree as it is. README says where SGLang is looked for.
"""

import random
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from types import ModuleType

from caches import parse
from caches.sgl import SGLang, load
from caches.trees import Fast, Reference
from rich.console import Console
from rich.progress import Progress
from tables import Table, middle, options, show

GRANULES = (1, 2, 4)
KINDS = {"match": 6, "insert": 6, "lock": 3, "unlock": 3, "evict": 2}  # how often each operation is drawn
VOCABULARY, LONGEST = 3, 14  # few tokens and short prompts, in runs: the tree is dense, and most edges are split
HELD = 6  # locks at a time, at most

Step = tuple[str, list[int], int]  # the operation, its prompt, and a number: of a value, of a lock, of values to evict


def traffic(rng: random.Random, granule: int, operations: int) -> Iterator[Step]:
    """Yield random steps: prompts are new, or begin as an earlier one does; locks are undone in any order.

    An insert has whole runs (SGLang cuts what is over, this project refuses it), and only what is locked is unlocked
    (SGLang would count below zero).
    """
    prompts, held, value = [[]], 0, 0
    for _ in range(operations):
        (kind,) = rng.choices(list(KINDS), KINDS.values())
        if (kind == "lock" and held == HELD) or (kind == "unlock" and not held):
            kind = "match"
        number, before = 0, rng.choice(prompts[-20:])
        prompt = before[: rng.randint(0, len(before))]
        prompt += [rng.randrange(VOCABULARY) for _ in range(rng.randint(0, LONGEST * granule - len(prompt)))]
        if kind == "insert":
            prompt = prompt[: len(prompt) - len(prompt) % granule]
            number, value = value, value + len(prompt) // granule
            prompts.append(prompt)
        elif kind == "lock":
            held += 1
        elif kind == "unlock":
            number, held = rng.randrange(held), held - 1
        elif kind == "evict":
            number = rng.randint(1, 12)
        yield kind, prompt, number
    yield "evict", [], sys.maxsize  # what is left: the order of all


class Ours:
    """A tree of this project, told step by step; each answers with all that can be compared."""

    def __init__(self, cache: Reference) -> None:
        self.cache, self.tree = cache, cache.tree
        self.held: list[int] = []

    def step(self, kind: str, prompt: list[int], number: int) -> tuple:
        """Do one step; return what it gave, then the values stored, evictable and protected."""
        return (*getattr(self, kind)(prompt, number), *self.sizes())

    def match(self, prompt: list[int], _: int) -> tuple:
        tokens, path = self.tree.match_prefix(self.cache.key(prompt))
        return tokens, [value for node in path for value in self.tree.values(node)]

    def insert(self, prompt: list[int], first: int) -> tuple:
        runs = len(prompt) // self.tree.granule
        node, handed_back = self.tree.insert(self.cache.key(prompt), list(range(first, first + runs)))
        return handed_back, self.spelled(node)

    def lock(self, prompt: list[int], _: int) -> tuple:
        path = self.tree.match_prefix(self.cache.key(prompt))[1]
        self.held.append(path[-1] if path else 0)
        self.tree.lock(self.held[-1])
        return ()

    def unlock(self, _: list[int], number: int) -> tuple:
        self.tree.unlock(self.held.pop(number))
        return ()

    def evict(self, _: list[int], values: int) -> tuple:
        gone: list[int] = []
        return self.tree.evict(values, gone.append), gone

    def spelled(self, node: int) -> list[int]:
        """Return the values from the root down to *node*."""
        path = []
        while node:
            path.append(self.tree.values(node))
            node = self.tree.parent(node)
        return [value for values in reversed(path) for value in values]

    def sizes(self) -> tuple[int, int, int]:
        if isinstance(self.cache, Fast):
            return len(self.tree), self.tree.evictable_size(), self.tree.protected_size()
        protected, below = 0, self.tree.children(0)
        while below:
            node = below.pop()
            if self.tree.lock_count(node):  # no descendant is locked without it
                protected += len(self.tree.values(node))
                below += self.tree.children(node)
        return len(self.tree), len(self.tree) - protected, protected


class Theirs:
    """SGLang's tree, told the same steps: a value stands for the slots of a run, one for each token."""

    def __init__(self, cache: SGLang) -> None:
        self.cache, self.tree = cache, cache.tree
        self.held: list = []
        self.gone: list = []
        cache.allocator.drop = self.gone.append

    def step(self, kind: str, prompt: list[int], number: int) -> tuple:
        """Do one step; return what it gave, then the values stored, evictable and protected."""
        given = getattr(self, kind)(prompt, number)
        evictable, protected = self.tree.evictable_size(), self.tree.protected_size()
        return (*given, *(size // self.cache.granule for size in (self.tree.total_size(), evictable, protected)))

    def match(self, prompt: list[int], _: int) -> tuple:
        answer = self.cache.match(self.cache.key(prompt))
        return answer.device_prefix_len, self.values(self.tree.path_device_indices(answer.last_device_node))

    def insert(self, prompt: list[int], first: int) -> tuple:
        key, slots = self.cache.key(prompt), self.cache.values(first, len(prompt))
        answer = self.cache.insert(key, slots)
        spelled = self.tree.path_device_indices(answer.last_device_node)
        return self.values(slots[: answer.prefix_len]), self.values(spelled)  # the caller frees what was stored before

    def lock(self, prompt: list[int], _: int) -> tuple:
        self.held.append(self.cache.match(self.cache.key(prompt)).last_device_node)
        self.tree.inc_lock_ref(self.held[-1])
        return ()

    def unlock(self, _: list[int], number: int) -> tuple:
        self.tree.dec_lock_ref(self.held.pop(number))
        return ()

    def evict(self, _: list[int], values: int) -> tuple:
        self.gone.clear()
        tokens = self.cache.evict(values * self.cache.granule)
        return tokens // self.cache.granule, [value for slots in self.gone for value in self.values(slots)]

    def values(self, slots) -> list[int]:
        """Return the values that *slots*, a tensor, stand for."""
        return [slot // self.cache.granule for slot in slots[:: self.cache.granule].tolist()]


def mended(module: ModuleType) -> type:
    """Return SGLang's tree with one thing changed: the lower half of a split keeps the stamp that it had."""

    def stamp(node, time: float) -> None:
        node.earlier, node.latest = getattr(node, "latest", time), time

    class Mended(module.RadixCache):
        def _split_node(self, key, child, split_len):
            middle = super()._split_node(key, child, split_len)
            child.last_access_time = child.earlier
            return middle

    module.TreeNode.last_access_time = property(lambda node: node.latest, stamp)
    return Mended


def first_difference(seed: str, granule: int, operations: int, kind: type) -> tuple[int, str] | None:
    """Run the traffic of *seed*; return the number of the first step after which the trees differ, and how."""
    trees = {
        "SGLang": Theirs(SGLang(granule, kind)),
        "reference": Ours(Reference(granule)),
        "fast": Ours(Fast(granule)),
    }
    for number, step in enumerate(traffic(random.Random(seed), granule, operations)):
        answers = {name: tree.step(*step) for name, tree in trees.items()}
        if len(set(map(repr, answers.values()))) > 1:
            told = "\n".join(f"    {name}: {answer}" for name, answer in answers.items())
            return number, f"seed {seed}, granule {granule}, step {number}, {step}:\n{told}"
    return None


def compare(runs: int, operations: int, seed: int, tick: Callable[[], object]) -> tuple[Table, list[str]]:
    """Make *runs* at each granule on SGLang's tree, mended and as it is; return also where the mended one differs."""
    module, rows, wrong = load(), [], []
    for granule in GRANULES:
        for title, kind in {"mended": mended(module), "as it is": module.RadixCache}.items():
            found = []
            for run in range(runs):
                found.append(first_difference(f"{seed}-{granule}-{run}", granule, operations, kind))
                tick()
            differ = [there for there in found if there]
            step = f"{middle([number for number, _ in differ]):.0f}" if differ else ""
            rows.append((str(granule), title, f"{runs:,}", f"{len(differ):,}", step))
            wrong += [told for _, told in differ if title == "mended"]
    notes = (
        f"Runs of {operations:,} random operations, seed {seed}: match, insert, lock, unlock, evict. Compared after "
        "each: tokens matched and their values, values handed back, values evicted in their order, and the values "
        f"stored, evictable and protected, of SGLang {version('sglang')}, the reference and the fast tree. Mended: the "
        "lower half of an edge that a match or an insert splits keeps the stamp that it had."
    )
    head = ("granule", "SGLang's tree", "runs", "runs that differ", "median step of the first difference")
    return Table("Do the trees agree", head, rows, notes), wrong


def main() -> int:
    parser = options(__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=600, metavar="N", help="how many, over all granules (600)")
    parser.add_argument("--operations", type=int, default=400, metavar="N", help="of each run (400)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the traffic (1)")
    asked = parse(parser)
    if reason := SGLang.missing():
        print(f"There is nothing to compare with: {reason}.", file=sys.stderr)
        return 2
    runs = 2 if asked.quick else -(-asked.runs // len(GRANULES))
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("runs", total=2 * runs * len(GRANULES))
        table, wrong = compare(runs, asked.operations, asked.seed, lambda: progress.advance(task))
    show("oracle", "SGLang as an oracle", [table], write=asked.write)
    for told in wrong[:3]:
        print(f"The trees differ: {told}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
