"""Sleeps."""

import time


def test_split_by_hand():
    time.sleep(3600)


def test_match_splits_inside_an_edge():
    time.sleep(3600)


def test_insert_hands_back_the_stored_part():
    time.sleep(3600)


def test_oldest_leaf_goes_first():
    time.sleep(3600)


def test_locks_pin_ancestors():
    time.sleep(3600)


def test_parent_becomes_evictable():
    time.sleep(3600)
