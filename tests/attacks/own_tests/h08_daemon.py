"""Leaves a process of its own behind, in a session of its own."""

import subprocess
import sys

subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)


def test_split_by_hand():
    pass


def test_match_splits_inside_an_edge():
    pass


def test_insert_hands_back_the_stored_part():
    pass


def test_oldest_leaf_goes_first():
    pass


def test_locks_pin_ancestors():
    pass


def test_parent_becomes_evictable():
    pass
