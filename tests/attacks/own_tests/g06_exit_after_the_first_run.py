"""Ends the process in every run but the first."""

import os
import tempfile
from pathlib import Path

MARK = Path(tempfile.gettempdir()) / "radix-seen"
AGAIN = MARK.exists()
MARK.touch()


def test_split_by_hand():
    if AGAIN:
        os._exit(1)


def test_match_splits_inside_an_edge():
    if AGAIN:
        os._exit(1)


def test_insert_hands_back_the_stored_part():
    if AGAIN:
        os._exit(1)


def test_oldest_leaf_goes_first():
    if AGAIN:
        os._exit(1)


def test_locks_pin_ancestors():
    if AGAIN:
        os._exit(1)


def test_parent_becomes_evictable():
    if AGAIN:
        os._exit(1)
