"""Answers with a line that has no end."""

import os

from radixlab.classroom import host


def answer(name, *arguments):
    while True:
        os.write(host._answers.fileno(), b"[" * 65_536)
