"""What a run gave: columns by name."""
import html
from collections.abc import Mapping
from typing import Dict, List

from . import _arrays


class Result(Mapping):
    """r["z"] is a column; names, units, time, array (rows by columns, NumPy alone) and energy, counters, message (of a
    `stop` of the model, else ""), wall (seconds that the steps took). Columns are views: nothing was copied."""

    def __init__(self, model, names, rows, counters, energy, message, wall):
        self.model, self.names, self.counters, self.energy, self.message, self.wall = (model, names, counters, energy,
                                                                                      message, wall)
        self._rows = rows
        self._number = {name: c for c, name in reversed(list(enumerate(names)))}
        self._units = None

    def __getitem__(self, name: str):
        try:
            return _arrays.column(self._rows, self._number[name])
        except KeyError:
            raise KeyError(f"{name}: there are {', '.join(self.names[:12])}" +
                           (", ..." if len(self.names) > 12 else "")) from None

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        return len(self.names)

    @property
    def time(self):
        return self["time"]

    @property
    def nrow(self) -> int:
        return _arrays.length(self._rows)

    @property
    def array(self):
        if _arrays.numpy is None:
            raise ImportError("Result.array needs NumPy")
        return self._rows

    @property
    def units(self) -> Dict[str, str]:
        """SI units; "" where the model does not say."""
        if self._units is None:
            self._units = {name: self.model.unit(name) for name in self.names}
        return self._units

    def label(self, name: str) -> str:
        return f"{name} [{self.units[name]}]" if self.units[name] else name

    def plot(self, *names: str, x: str = "time", ax=None):
        """Columns over another one, by matplotlib; returns the axes. Without names: all but time, at most eight."""
        import matplotlib.pyplot as pyplot
        ax = ax if ax is not None else pyplot.subplots()[1]
        names = names or [n for n in self.names if n != x][:8]
        for name in names:
            ax.plot(self[x], self[name], label=self.label(name))
        ax.set_xlabel(self.label(x))
        if len(names) == 1:
            ax.set_ylabel(self.label(names[0]))
        else:
            ax.legend()
        return ax

    def to_csv(self, path):
        """As `nsm run -o`, with other digits: the shortest that read back the same."""
        import csv
        with open(path, "w", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow(self.names)
            out.writerows([repr(float(x)) for x in _arrays.row(self._rows, i)] for i in range(self.nrow))

    def __repr__(self):
        return f"<nsm.Result of {self.model.name}: {self.nrow} rows of {', '.join(self.names[:6])}" + (
            ", ...>" if len(self.names) > 6 else ">")

    def _repr_html_(self):
        head = "".join(f"<th>{html.escape(self.label(name))}</th>" for name in self.names)
        shown = sorted({*range(min(5, self.nrow)), *range(max(0, self.nrow - 5), self.nrow)})
        body = "".join("<tr>" + "".join(f"<td>{x:g}</td>" for x in _arrays.row(self._rows, i)) + "</tr>" for i in shown)
        return f"<b>{html.escape(self.model.name)}</b>, {self.nrow} rows<table><tr>{head}</tr>{body}</table>"
