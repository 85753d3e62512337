"""Points: what the card weighs, and nothing for kills that do not count."""

from dataclasses import replace

from radixlab.classroom.points import killed_bugs, max_points, passed_tests, points


def test_all_points_are_for_the_reference(chapter, checked):
    report = checked("reference", "good").as_dict()
    assert points(chapter, report) == max_points(chapter) == len(chapter.tests) + len(chapter.bugs)


def test_the_card_weighs_tests_and_bugs(chapter, checked):
    report = checked("s01", "thin").as_dict()
    weighed = replace(chapter, points={"tests": 2.5, "bugs": 0.1})
    passed, killed = passed_tests(report), killed_bugs(report)
    assert 0 < passed < 11 and 0 < killed < 18
    assert points(weighed, report) == round(2.5 * passed + 0.1 * killed, 6)
    assert max_points(weighed) == 2.5 * 11 + 1.8


def test_no_bug_counts_while_an_own_test_is_not_valid(chapter, checked):
    report = checked("reference", "no python").as_dict()
    assert (killed_bugs(report), points(chapter, report)) == (0, 11)
