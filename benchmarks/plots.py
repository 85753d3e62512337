"""The figures of the structures, drawn: time for each call against the number of leaves."""

import sys
from pathlib import Path

from tables import middle


def plot(results: dict, titles: dict[str, str], heads: dict[str, str], path: Path) -> None:
    """Draw a panel for each workload, granule and operation into the SVG file *path*; only say so without matplotlib.

    *results*: what was measured, a case -> a structure -> its figures.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        print("No plot: it needs matplotlib, `pip install matplotlib`.", file=sys.stderr)
        return
    matplotlib.rcParams.update({"svg.hashsalt": "structures", "svg.fonttype": "none", "font.size": 8})
    rows = list(dict.fromkeys((case.workload, case.granule) for case in results))
    heads = {operation: head for operation, head in heads.items() if operation != "again"}
    figure = Figure(figsize=(11, 2.3 * len(rows)), layout="constrained")
    panels = figure.subplots(len(rows), len(heads), sharex=True, sharey=True, squeeze=False)
    for (workload, granule), across in zip(rows, panels, strict=True):
        cases = {c.leaves: taken for c, taken in results.items() if (c.workload, c.granule) == (workload, granule)}
        across[0].set_ylabel(f"{workload}, granule {granule}\nµs a call")
        for panel, operation in zip(across, heads, strict=True):
            _lines(panel, cases, titles, operation)
    for panel, head in zip(panels[0], heads.values(), strict=True):
        panel.set_title(head)
    for panel in panels[-1]:
        panel.set_xlabel("leaves")
    lines = {line.get_label(): line for panel in panels.flat for line in panel.lines}
    figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path, metadata={"Date": None})


def _lines(panel, cases: dict, titles: dict[str, str], operation: str) -> None:
    """Draw a line for each structure that has figures; its colour is its own in every panel."""
    for place, (name, title) in enumerate(titles.items()):
        there = {
            leaves: middle(taken[name].times[operation])
            for leaves, taken in cases.items()
            if name in taken and operation in taken[name].times
        }
        if there:
            style = {"linewidth": 2.2 if name == "fast" else 1.1, "linestyle": ":" if name == "floor" else "-"}
            panel.loglog(list(there), list(there.values()), marker="o", ms=3, color=f"C{place}", label=title, **style)
    panel.grid(visible=True, which="major", linewidth=0.3)
    panel.minorticks_off()
