"""Answers with a list in a list in a list, a million times."""

import os

from radixlab.classroom import host


def answer(name, *arguments):
    head = f'{{"n":"{host._run["n"]}","value":'.encode()
    os.write(host._answers.fileno(), head + b"[" * 900_000 + b"]" * 900_000 + b"}\n")
    return 0
