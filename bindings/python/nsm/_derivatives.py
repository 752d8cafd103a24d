"""Derivatives of runs: run(by=...), sensitivities, gradient; the Jacobian of a step. docs/answers.md has the rules."""
import ctypes
import re
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _arrays
from ._errors import UsageError, run_error
from ._library import C, RunErrorText, SensAsked, byref, c_long
from ._settings import mapping, probe, settings_of, whole

if TYPE_CHECKING:
    from ._model import Model

Names = Union[str, Sequence[str]]


def _names(what: str, value: Names) -> str:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not names or not all(isinstance(n, str) and n for n in names):
        raise UsageError(f"{what} = {value!r}: it is a name, or a list of names")
    return ", ".join(names)


def names_in(by: Names) -> List[str]:
    """One by one, as the library reads them: commas stand between names, and in the brackets of an element."""
    words = [w.strip() for w in re.split(r",(?![^\[(]*[\])])", _names("by", by))]
    if not all(words):
        raise UsageError(f"by = {by!r}: a name is missing")
    return words


class _Taken:
    """A run that the library has differentiated, until its numbers are read."""

    def __init__(self, model: "Model", of: Optional[Names], by: Names, refine: int, every: int,
                 set: Optional[Mapping[str, Any]], values: Mapping[str, Any]) -> None:
        given = mapping("set", set)
        for name in given:
            if name not in model.parameters:
                raise UsageError(f"set has `{name}`, which is no parameter: a run that is differentiated begins where "
                                 "the model says")
        self.model, self._error = model, RunErrorText()
        self._error_at = ctypes.pointer(self._error)
        settings = settings_of(model, given, values, lambda s: probe(self, s))
        asked = SensAsked(None if of is None else _names("of", of).encode(), _names("by", by).encode(), refine, every)
        self.at = C.nsm_differentiate(model._program.at, byref(settings), byref(asked), self._error_at)
        if not self.at:
            raise run_error(model._program.at, self._error)

    def __enter__(self) -> "_Taken":
        return self

    def __exit__(self, *_: Any) -> None:
        C.nsm_sens_free(self.at)

    def by(self) -> List[str]:
        return [C.nsm_sens_by(self.at, j).decode() for j in range(C.nsm_sens_nby(self.at))]

    def of(self) -> List[str]:
        return [C.nsm_sens_of(self.at, i).decode() for i in range(C.nsm_sens_nof(self.at))]


class Sensitivities:
    """What Model.sensitivities gave, in SI: value["final(z)"], d["final(z)", "e"], and error likewise where runs were
    refined, else None. of, by: the names; jacobian: all of d, by NumPy."""

    def __init__(self, taken: _Taken) -> None:
        self.of, self.by = taken.of(), taken.by()
        value, d, error = (f(taken.at) for f in (C.nsm_sens_value, C.nsm_sens_d, C.nsm_sens_error))
        self.value: Dict[str, float] = {name: value[i] for i, name in enumerate(self.of)}
        places = [(of, by) for of in self.of for by in self.by]
        self.d: Dict[Tuple[str, str], float] = {place: d[i] for i, place in enumerate(places)}
        self.error: Optional[Dict[Tuple[str, str], float]] = (
            {place: error[i] for i, place in enumerate(places)} if error else None)

    @property
    def jacobian(self) -> Any:
        if _arrays.numpy is None:
            raise ImportError("Sensitivities.jacobian needs NumPy")
        return _arrays.numpy.array([[self.d[of, by] for by in self.by] for of in self.of])

    def __repr__(self) -> str:
        return f"<nsm.Sensitivities of {', '.join(self.of)} by {', '.join(self.by)}>"


class Derivatives(Mapping[Tuple[str, str], Any]):
    """r.d["z", "e"]: a column, the derivative of r["z"] by what `e` or `z(0)` is in SI; nan where there is none, as of
    impulses of contacts."""

    def __init__(self, names: List[str], by: List[str], columns: Dict[Tuple[str, str], Any]) -> None:
        self.names, self.by, self._columns = names, by, columns

    def __getitem__(self, of_by: Tuple[str, str]) -> Any:
        try:
            return self._columns[of_by]
        except (KeyError, TypeError):
            raise KeyError(f"{of_by}: there are pairs of {', '.join(self.names)} by {', '.join(self.by)}") from None

    def __iter__(self) -> Iterator[Tuple[str, str]]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def derivatives(model: "Model", names: List[str], columns: List[str], scale: Dict[str, float], by: Names, every: int,
                set: Optional[Mapping[str, Any]], values: Mapping[str, Any]) -> Derivatives:
    """Of the rows of a run. columns: all of the model; scale: what a value in SI is multiplied by in a result."""
    with _Taken(model, None, by, 0, every, set, values) as taken:
        words, n = taken.by(), c_long()
        x = C.nsm_sens_rows(taken.at, byref(n))
        wide = 1 + len(words)
        size = len(columns)*wide
        found = {}
        for name in names:
            if name not in columns:
                continue
            c = columns.index(name)
            for j, word in enumerate(words):
                at = c*wide + 1 + j
                found[name, word] = _arrays.vector([scale[name]*x[i*size + at] for i in range(n.value)])
        return Derivatives([name for name in names if name in columns], words, found)


def sensitivities(model: "Model", of: Names, by: Names, refine: int, set: Optional[Mapping[str, Any]],
                  values: Mapping[str, Any]) -> Sensitivities:
    with _Taken(model, of, by, whole("refine", refine, 0, none=False), 0, set, values) as taken:
        return Sensitivities(taken)


class Jacobian:
    """Of one step, in SI: A[i, j] of states[i] at its end by states[j] now, B by inputs[j], P by parameters[j]."""

    def __init__(self, states: List[str], inputs: List[str], parameters: List[str], d: Any) -> None:
        self.states, self.inputs, self.parameters = states, inputs, parameters
        n, m = len(states), len(inputs)
        self.A, self.B, self.P = d[:, :n], d[:, n:n + m], d[:, n + m:]

    def __repr__(self) -> str:
        return f"<nsm.Jacobian of a step: {len(self.states)} states, {len(self.inputs)} inputs>"
