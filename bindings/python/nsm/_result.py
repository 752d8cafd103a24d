"""What a run gave: columns by name."""
import html
import os
from typing import (TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union,
                    overload)

from . import _arrays

if TYPE_CHECKING:
    from ._derivatives import Derivatives
    from ._model import Model
    from ._simulation import Counters, Energy


class Event(NamedTuple):
    """A located event. kind: "impact", "opens", "slips", "sticks", "switches"; contact: its name; of an impact the
    normal velocity before and after [m/s], the impulse [N s] and the energy that it took, friction included [J]; nan
    where there is none."""
    time: float
    kind: str
    contact: str
    before: float
    after: float
    impulse: float
    energy: float


class Events(Tuple[Event, ...]):
    """Events in the order of time; events["time"] is a column of them."""

    @overload                                                # type: ignore[override]
    def __getitem__(self, what: int) -> Event: ...
    @overload
    def __getitem__(self, what: slice) -> Tuple[Event, ...]: ...
    @overload
    def __getitem__(self, what: str) -> Any: ...

    def __getitem__(self, what: Any) -> Any:
        if not isinstance(what, str):
            return super().__getitem__(what)
        if what not in Event._fields:
            raise KeyError(f"{what}: there are {', '.join(Event._fields)}")
        values = [getattr(event, what) for event in self]
        return values if what in ("kind", "contact") else _arrays.vector(values)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in Event._fields)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(x) if isinstance(x, str) else format(x, 'g')}</td>"
                                        for x in event) + "</tr>" for event in self[:20])
        return f"{len(self)} events<table><tr>{head}</tr>{body}</table>"


class Claim(NamedTuple):
    """An `expect` of the model. held: None where the run did not reach the time that it is about; value: of its
    statistic, a tuple of them where it has several."""
    text: str
    held: Optional[bool]
    value: object
    line: int


class Result(Mapping[str, Any]):
    """r["z"] is a column; names, units, time, array (rows by columns, NumPy alone) and energy, counters, message (of a
    `stop` of the model, else ""), wall (seconds that the steps took). events: those that were located; claims: those of
    the model, where these are all rows of a run, else none. Columns are views: nothing was copied."""

    def __init__(self, model: "Model", names: List[str], rows: Any, counters: "Counters", energy: "Energy",
                 message: str, wall: float, events: Sequence[Event] = (), claims: Sequence[Claim] = ()) -> None:
        self.model, self.names, self.counters, self.energy, self.message, self.wall = (model, names, counters, energy,
                                                                                      message, wall)
        self.events, self.claims = Events(events), list(claims)
        self._d: Optional["Derivatives"] = None
        self._rows = rows
        self._number = {name: c for c, name in reversed(list(enumerate(names)))}
        self._units: Optional[Dict[str, str]] = None

    def __getitem__(self, name: str) -> Any:
        try:
            return _arrays.column(self._rows, self._number[name])
        except KeyError:
            raise KeyError(f"{name}: there are {', '.join(self.names[:12])}" +
                           (", ..." if len(self.names) > 12 else "")) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """NumPy takes a result as its rows, and not as the names that a mapping gives."""
        return self.array if dtype is None and not copy else self.array.astype(dtype or float)

    @property
    def time(self) -> Any:
        return self["time"]

    @property
    def d(self) -> "Derivatives":
        """Derivatives of columns, of a run(by=...): r.d["z", "e"]."""
        if self._d is None:
            raise AttributeError("this run was not differentiated: run(by=[...])")
        return self._d

    @property
    def nrow(self) -> int:
        return int(_arrays.length(self._rows))

    @property
    def array(self) -> Any:
        if _arrays.numpy is None:
            raise ImportError("Result.array needs NumPy")
        return self._rows

    @property
    def units(self) -> Dict[str, str]:
        """In which the columns are: as declared (`: deg`), else in SI; "" where the model does not say."""
        if self._units is None:
            self._units = {name: self.model.unit(name) for name in self.names}
        return self._units

    def label(self, name: str) -> str:
        return f"{name} [{self.units[name]}]" if self.units[name] else name

    def plot(self, *names: str, x: str = "time", ax: Any = None) -> Any:
        """Columns over another one, by matplotlib; returns the axes. Without names: all but time, at most eight."""
        import matplotlib.pyplot as pyplot
        ax = ax if ax is not None else pyplot.subplots()[1]
        names = names or tuple(n for n in self.names if n != x)[:8]
        for name in names:
            ax.plot(self[x], self[name], label=self.label(name))
        ax.set_xlabel(self.label(x))
        if len(names) == 1:
            ax.set_ylabel(self.label(names[0]))
        else:
            ax.legend()
        return ax

    def to_pandas(self) -> Any:
        """A table of pandas, the time as its index; attrs["units"] has the units."""
        import pandas
        table = pandas.DataFrame({name: self[name] for name in self.names if name != "time"},
                                 index=pandas.Index(self.time, name="time"))
        table.attrs["units"] = dict(self.units)
        return table

    def to_xarray(self) -> Any:
        """A data set of xarray over `time`, each variable with its units."""
        import xarray
        return xarray.Dataset({name: ("time", self[name], {"units": self.units[name]})
                               for name in self.names if name != "time"},
                              coords={"time": ("time", self.time, {"units": "s"})}, attrs={"model": self.model.name})

    def to_csv(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """As `nsm run -o`, with other digits: the shortest that read back the same."""
        import csv
        with open(path, "w", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow(self.names)
            out.writerows([repr(float(x)) for x in _arrays.row(self._rows, i)] for i in range(self.nrow))

    def __repr__(self) -> str:
        return f"<nsm.Result of {self.model.name}: {self.nrow} rows of {', '.join(self.names[:6])}" + (
            ", ...>" if len(self.names) > 6 else ">")

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(self.label(name))}</th>" for name in self.names)
        shown = sorted({*range(min(5, self.nrow)), *range(max(0, self.nrow - 5), self.nrow)})
        body = "".join("<tr>" + "".join(f"<td>{x:g}</td>" for x in _arrays.row(self._rows, i)) + "</tr>" for i in shown)
        return f"<b>{html.escape(self.model.name)}</b>, {self.nrow} rows<table><tr>{head}</tr>{body}</table>"
