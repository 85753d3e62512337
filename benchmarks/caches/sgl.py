"""SGLang's `RadixCache`, the tree of a serving engine, without the engine.

Its package needs a hundred others, and its tree none but torch. So only the few modules that make up the tree are
loaded, from the package as it is installed; whatever else of the package they import is a stand-in that does nothing.
"""

import functools
import importlib
import importlib.util
import sys
from array import array
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import version
from types import ModuleType
from typing import Any

from caches.cache import SLOTS, Cache

PACKAGES = ("sglang", "sglang.srt", "sglang.srt.mem_cache")
MODULES = tuple(
    f"sglang.srt.mem_cache.{name}"
    for name in ("radix_cache", "base_prefix_cache", "cache_init_params", "events", "utils", "evict_policy")
)
INSTALL = (
    "install it without its dependencies, and torch, into the environment that `--peers` names: "
    "`pip install --no-deps sglang==0.5.23` and `pip install torch`"
)


class StandIn(ModuleType):
    """A module of which every name is an empty class."""

    __path__: Sequence[str] = ()

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


class Empty(Loader):
    """Load a package without running its `__init__`, or a stand-in."""

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None if spec.name in PACKAGES else StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing."""


class TreeOnly(MetaPathFinder):
    """Find the modules of the tree where they are installed, and a stand-in for any other module of the package."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name.partition(".")[0] != "sglang" or name in MODULES:
            return None  # the usual finders do it
        spec = ModuleSpec(name, Empty(), is_package=True)
        if name in PACKAGES:
            installed = PathFinder.find_spec(name, path)
            if installed is None:
                raise ModuleNotFoundError(f"no module named {name}", name=name)
            spec.submodule_search_locations = installed.submodule_search_locations
        return spec


@functools.cache
def load() -> ModuleType:
    """Return the module of SGLang's tree; ImportError when it cannot be had. It stays, and so do the stand-ins."""
    finder = TreeOnly()
    sys.meta_path.insert(0, finder)
    try:
        return importlib.import_module(MODULES[0])
    finally:
        sys.meta_path.remove(finder)


@functools.cache
def slots() -> Any:
    """Return a tensor of slots, from which values are cut."""
    return importlib.import_module("torch").arange(2 * len(SLOTS))


class Allocator:
    """The part of an engine that takes back what is evicted; it notes nothing but what `drop` does."""

    device = "cpu"

    def __init__(self, drop) -> None:
        self.drop = drop

    def free_segment(self, indices: Any, start_pos: int) -> None:
        """Take the slots of one leaf."""
        self.drop(indices)


class SGLang(Cache):
    """The tree of SGLang: Python objects, keys as arrays, a tensor of one slot a token in every node."""

    title = "SGLang, RadixCache"

    def __init__(self, granule: int, kind: type | None = None) -> None:
        """Make an empty tree of *kind*, a subclass of theirs if it is not theirs."""
        super().__init__(granule)
        module, self.allocator = load(), Allocator(self.drop)
        settings = module.CacheInitParams(
            disable=False, req_to_token_pool=None, token_to_kv_pool_allocator=self.allocator, page_size=granule
        )
        self.tree = (kind or module.RadixCache)(settings)
        self.key_of, self.slots = module.RadixKey, slots()
        self.to_match, self.to_insert, self.to_evict = (
            module.MatchPrefixParams,
            module.InsertParams,
            module.EvictParams,
        )

    @classmethod
    def missing(cls) -> str:
        for package in ("sglang", "torch"):
            if importlib.util.find_spec(package) is None:
                return f"{package} is not installed; {INSTALL}"
        try:
            load()
        except Exception as error:  # whatever a version that is not known raises as it is loaded
            return f"sglang {version('sglang')} does not load ({type(error).__name__}: {error}); {INSTALL}"
        return ""

    def key(self, tokens: list[int]) -> Any:
        return self.key_of(array("q", tokens))

    def values(self, first: int, tokens: int) -> Any:
        start = first * self.granule % len(SLOTS)
        return self.slots[start : start + tokens - tokens % self.granule]

    def match(self, key: Any) -> Any:
        return self.tree.match_prefix(self.to_match(key=key))

    def matched(self, answer: Any) -> int:
        return answer.device_prefix_len

    def insert(self, key: Any, values: Any) -> Any:
        return self.tree.insert(self.to_insert(key=key, value=values))

    def evict(self, tokens: int) -> int:
        return self.tree.evict(self.to_evict(num_tokens=tokens)).num_tokens_evicted

    def __len__(self) -> int:
        return (self.tree.evictable_size() + self.tree.protected_size()) // self.granule
