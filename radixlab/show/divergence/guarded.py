"""Trees that cannot end the program, whatever is wrong with them."""

from collections.abc import Callable
from types import ModuleType
from typing import Any


class Guarded:
    """A tree that cannot end the program: SystemExit and its like become exceptions of the same name."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree

    def __getattr__(self, name: str) -> Any:
        """Return what the tree has, a method guarded; where looking it up fails, something that fails when called."""
        try:
            thing = _guarded(getattr)(self.tree, name)
        except AttributeError:
            raise
        except Exception as error:
            return Unmade(1, error).__getattr__
        return _guarded(thing) if callable(thing) else thing

    def __len__(self) -> int:
        """Return the number of values."""
        return _guarded(lambda: len(self.tree))()


class Unmade:
    """Stands for a tree that could not be made: whatever it is asked for raises the same again."""

    def __init__(self, granule: int, error: Exception) -> None:
        self.granule, self.error = granule, error

    def __getattr__(self, name: str) -> Any:
        """Raise why there is no tree."""
        raise self.error


def new_tree(subject: ModuleType, granule: int) -> Guarded | Unmade:
    """Return an empty tree of *subject*, whatever making one raises."""
    try:
        return Guarded(_guarded(lambda: subject.RadixTree(granule))())
    except Exception as error:
        return Unmade(granule, error)


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return *function*; what it raises that is no Exception becomes one of the same name."""

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except (Exception, KeyboardInterrupt):
            raise
        except BaseException as error:
            alike = type(type(error).__name__, (Exception,), {})(str(error))
            raise alike.with_traceback(error.__traceback__) from None

    return call
