"""`ol`: arguments in, exit code out. Each command is a module of `commands`, loaded when it is called."""

import importlib
import io
import sys

import click

from radixlab import __version__
from radixlab.checker.process import CheckerFailed
from radixlab.checker.subject import Unreadable
from radixlab.commands.common import stderr
from radixlab.commands.lines import Context, with_fitted_help
from radixlab.course import NoSuchChapter
from radixlab.workspace import AlreadyThere, NotStarted

NOT_THERE_YET, USAGE, INFRASTRUCTURE, INTERRUPTED = 1, 2, 3, 130
# In a learner's order.
COMMANDS = (
    *("list", "lab", "demo", "start", "tests", "check", "tdd", "hint", "watch", "bugs", "explain", "diff"),
    *("submit", "replay", "grade", "pack", "dev"),
)


class _Commands(click.Group):
    """The commands, each in the module that bears its name."""

    context_class = Context

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        return with_fitted_help(importlib.import_module(f"radixlab.commands.{name}").command)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with `ol start ds.07`; `ol check ds.07` says what is next at any time.",
)
@click.version_option(__version__, prog_name="ol")
def ol() -> None:
    """Write a radix tree over token ids, stage by stage, and have your own tests graded by the bugs they catch."""


def main(argv: list[str] | None = None) -> int:
    """Run `ol` with *argv*, the command line's own by default, and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a sign shows another
    try:
        code = ol.main(argv, prog_name="ol", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Abort:
        _say("interrupted; nothing was changed")
        return INTERRUPTED
    except click.ClickException as error:
        said = io.StringIO()
        error.show(said)
        _say(said.getvalue().rstrip("\n"))
        return USAGE
    except (NoSuchChapter, NotStarted, AlreadyThere) as error:
        _say(str(error))
        return USAGE
    except Unreadable as error:
        _say(f"{error}\nnext: mend the file, then try again")
        return NOT_THERE_YET
    except (CheckerFailed, OSError) as error:
        _say(f"the checker could not do its job: {error}")
        return INFRASTRUCTURE


def _say(text: str) -> None:
    stderr.print(text, markup=False, soft_wrap=True)
