"""Asks without waiting for answers, which another process takes: there is always a question more."""

import json
import os

from radixlab.classroom import host


def attack():
    question = json.dumps({"n": host._run["n"], "ask": {"promises": True}}).encode() + b"\n"
    if os.fork() == 0:
        while os.read(host._asked.fileno(), 1 << 16):
            pass
    while True:
        host._answers.write(question)
