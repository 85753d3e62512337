"""JUnit XML of a class: in its schema, each submission's suites under its name, whatever is in names and messages."""

from xml.etree import ElementTree as ET

import pytest
from samples.outputs.classes import SAMPLES, grades, hostile

from radixlab.classroom.outputs import junit

etree = pytest.importorskip("lxml.etree", reason="no lxml: `pip install 'radixlab[test]'`")
SCHEMA = etree.XMLSchema(etree.parse(SAMPLES / "junit.xsd"))


def parsed(text: str) -> ET.Element:
    """Return the root of *text*, which is in the schema."""
    SCHEMA.assertValid(etree.fromstring(text.encode()))
    return ET.fromstring(text.encode())


def test_the_schema_knows_a_bad_document():
    for bad in (
        "<testsuite name='a'/>",
        "<testsuites tests='1' failures='0'><testcase classname='a' name='b' time='0'/></testsuites>",
        "<testsuites tests='-1' failures='0'/>",
    ):
        assert not SCHEMA.validate(etree.fromstring(bad))


@pytest.mark.parametrize("made", [lambda grade: grade, hostile])
def test_a_class_is_in_the_schema_and_its_counts_are_right(made, chapter):
    root = parsed(junit.render([made(grade) for grade in grades()], chapter))
    assert parsed(junit.render([], chapter)).get("tests") == "0"
    for element in (root, *root):
        assert int(element.get("tests")) == len(element.findall(".//testcase"))
        for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(element.get(key)) == len(element.findall(f".//{tag}")), (element.get("name"), key)


def test_a_submission_has_three_suites_and_one_without_a_report_a_single_case(chapter):
    root = parsed(junit.render(grades(), chapter))
    suites = {suite.get("name"): suite for suite in root}
    assert len(suites) == len(root)
    ada = [suite for name, suite in suites.items() if name.startswith("class/ada/")]
    assert [len(suite) for suite in ada] == [11, len(grades()[0].report["own_tests"]), 18]
    assert not any(suite.findall("testcase/*") for suite in ada)
    gil, hal, ida = (suites[f"class/{name}/radix.py"] for name in ("gil", "hal", "ida"))
    assert gil[0][0].tag == hal[0][0].tag == "failure" and gil[0][0].get("type") == "timeout"
    assert ida[0][0].tag == "error" and ida[0][0].text == "the disk is full", "not the learner's fault"


def test_hostile_words_come_back_as_words(chapter):
    root = parsed(junit.render([hostile(grades()[2])], chapter))
    assert "]]>" in root[0].get("name") and "\\x00" in root[0].get("name")
    failure = root.find(".//failure")
    assert failure.text.startswith("\\x1b[31m</script><script>alert(1)</script>]]>\\x00\\ud800\\u202e=cmd")
