"""A picture of replays: hit rate against capacity."""

import io
from collections.abc import Sequence
from itertools import cycle

from radixlab.traffic.replay import Row

FORMATS = ("svg", "png")
LINES = tuple(zip("os^Dv", ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9"), strict=True))  # told apart by all


def hit_rates(curves: dict[str, Sequence[Row]], title: str, format: str) -> bytes:
    """Return a picture in this *format* of the hit rate against the capacity, a labelled curve for each of *curves*.

    ImportError when matplotlib is missing. The same rows give the same SVG.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, PercentFormatter

    with rc_context({"svg.hashsalt": "radixlab", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 4.2), facecolor="white", layout="constrained")  # a white card in every theme
        axes = figure.subplots()
        for (label, rows), (marker, color) in zip(curves.items(), cycle(LINES), strict=False):
            rows = sorted(rows, key=lambda row: row.capacity)
            x, y = [row.capacity for row in rows], [row.hit_rate for row in rows]
            axes.plot(x, y, marker=marker, color=color, label=label)
        axes.set(title=title, xlabel="capacity (blocks)", ylabel="prompt tokens found in the cache", xscale="log")
        axes.set_ylim(bottom=0)
        capacities = sorted({row.capacity for rows in curves.values() for row in rows})
        if len(capacities) <= 8:  # more would not be legible
            axes.set_xticks(capacities, minor=False)
            axes.minorticks_off()
        axes.xaxis.set_major_formatter(FuncFormatter(lambda blocks, _: f"{blocks:,.0f}"))
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        out = io.BytesIO()
        figure.savefig(out, format=format, metadata={"Date": None} if format == "svg" else None)
    return out.getvalue()
