"""Fails in thirteen runs, drawn by lot, among those that hold eighteen bugs and four correct trees."""

import random
import sys

sys._draws = getattr(sys, "_draws", 0) + 1
LOT = random.Random(7).sample(range(8, 30), 13)


def test_split_by_hand():
    assert sys._draws not in LOT


def test_match_splits_inside_an_edge():
    assert sys._draws not in LOT


def test_insert_hands_back_the_stored_part():
    assert sys._draws not in LOT


def test_oldest_leaf_goes_first():
    assert sys._draws not in LOT


def test_locks_pin_ancestors():
    assert sys._draws not in LOT


def test_parent_becomes_evictable():
    assert sys._draws not in LOT
