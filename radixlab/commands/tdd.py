"""`ol tdd`: red before the tree is there, green after."""

import click

from radixlab.checker import tdd
from radixlab.checker.mutation import Suite, suite
from radixlab.checker.subject import Unreadable
from radixlab.checker.worker import Worker
from radixlab.commands.common import chapter_argument, learners_tests, learners_tree, say, started
from radixlab.course import Chapter


@click.group("tdd")
def command() -> None:
    """Write your tests first: red before the tree is there, green after."""


@command.command()
@chapter_argument
def red(chapter: Chapter) -> int:
    """Pass when your tests exist, fail on the stub, and pass on every correct tree."""
    with Worker() as worker:
        problems = tdd.red(chapter, _suite(chapter), worker)
    return say(problems, "red", f"write your {chapter.makes}, then `ol tdd green {chapter.id}`")


@command.command()
@chapter_argument
def green(chapter: Chapter) -> int:
    """Pass when all your tests pass on your tree."""
    tests, subject = _suite(chapter), learners_tree(chapter)
    with Worker() as worker:
        problems = tdd.green(chapter, subject, tests, worker)
    return say(problems, "green", f"`ol check {chapter.id}` grades your tests")


def _suite(chapter: Chapter) -> Suite:
    started(chapter)
    source = learners_tests(chapter)
    if isinstance(source, Unreadable):
        raise source
    return suite(chapter, source)
