"""Never ends, and holds on to whatever would end it."""


def test_split_by_hand():
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue


def test_match_splits_inside_an_edge():
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue


def test_insert_hands_back_the_stored_part():
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue


def test_oldest_leaf_goes_first():
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue


def test_locks_pin_ancestors():
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue


def test_parent_becomes_evictable():
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
