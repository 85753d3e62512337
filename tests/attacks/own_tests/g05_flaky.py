"""Fails three times in ten, by a chance that no seed holds."""

import os


def test_split_by_hand():
    assert os.urandom(1)[0] >= 77


def test_match_splits_inside_an_edge():
    assert os.urandom(1)[0] >= 77


def test_insert_hands_back_the_stored_part():
    assert os.urandom(1)[0] >= 77


def test_oldest_leaf_goes_first():
    assert os.urandom(1)[0] >= 77


def test_locks_pin_ancestors():
    assert os.urandom(1)[0] >= 77


def test_parent_becomes_evictable():
    assert os.urandom(1)[0] >= 77
