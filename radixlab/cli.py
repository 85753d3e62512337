"""`ol`: arguments in, exit code out. Each command is a module of `commands`, loaded when it is called."""

import importlib
import sys

import click

from radixlab import __version__
from radixlab.checker.process import CheckerFailed
from radixlab.checker.subject import Unreadable
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

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return importlib.import_module(f"radixlab.commands.{name}").command if name in COMMANDS else None


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
        click.echo("interrupted; nothing was changed", err=True)
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return USAGE
    except (NoSuchChapter, NotStarted, AlreadyThere) as error:
        click.echo(str(error), err=True)
        return USAGE
    except Unreadable as error:
        click.echo(f"{error}\nnext: mend the file, then try again", err=True)
        return NOT_THERE_YET
    except (CheckerFailed, OSError) as error:
        click.echo(f"the checker could not do its job: {error}", err=True)
        return INFRASTRUCTURE
