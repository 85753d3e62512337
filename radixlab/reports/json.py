"""A report as JSON, in the shape of `report.schema.json`."""

import json

from radixlab.checker.report import Report


def render(report: Report) -> str:
    """Return *report* as one JSON object, ending with a newline."""
    return json.dumps(report.as_dict(), indent=1, ensure_ascii=False) + "\n"
