"""Models: compiling, parameters, the derivation."""
import html
import os
import threading
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ._errors import Diagnostic, UsageError, compile_error, diagnostics_of, in_si
from ._library import C, CompileSettings, OK, assignments, byref, text_of
from ._analysis import analyse
from ._batch import Batch
from ._derivatives import Names, Sensitivities, derivatives, sensitivities
from ._fit import Fit, fit
from ._result import Result
from ._settings import Value, flag, mapping
from ._simulation import Simulation
from ._sweep import Sweep, sweep

_compiling = threading.Lock()                              # libtcc keeps a state of its own


class Parameter(NamedTuple):
    """fixed: lengths depend on it, so it is set when compiling."""
    name: str
    unit: str
    doc: str
    fixed: bool


class Program:
    """What the library compiled, until nobody needs it: the model, or a simulation of it."""

    def __init__(self, at: int) -> None:
        self.at, self.users, self.lock = at, 1, threading.Lock()

    def take(self) -> None:
        with self.lock:
            self.users += 1

    def give_back(self) -> None:
        with self.lock:
            self.users -= 1
            last = self.users == 0
        if last:
            C.nsm_program_free(self.at)


class Model:
    """A compiled model. name, parameters and warnings say what it is; run, simulate and sweep what it does.

    Everywhere parameters and settings are given by name: `run(e=0.5, until=5)`. A parameter whose name is no name of
    Python, or is one of a setting, goes into `set`: `run(set={"k[2]": 3})`. Numbers are in SI units; text has a unit of
    its own: `run(mass="2 kg", until="5 s")`.
    """

    def __init__(self, compile_it: Callable[..., int], scheme: Optional[str] = None, jit: Optional[str] = None,
                 set: Optional[Mapping[str, Value]] = None, **parameters: Value) -> None:
        given = {**mapping("set", set), **parameters}
        for word, value in ("scheme", scheme), ("jit", jit):
            if value is not None and (not isinstance(value, str) or not value):
                raise UsageError(f"{word} = {value!r}: it is the name of one")
        values, n = assignments({name: in_si(name, value, None) for name, value in given.items()})
        settings = CompileSettings(*(word and word.encode() for word in (scheme, jit)), values, n)
        self._made_by: Tuple[Any, ...] = ()
        self._program: Any = None                          # a Program, once it is compiled
        with _compiling:
            at = compile_it(byref(settings))
        if C.nsm_program_status(at) != OK:
            error = compile_error(at)
            C.nsm_program_free(at)
            raise error
        self._program = Program(at)
        self.name: str = C.nsm_program_name(at).decode()
        self.warnings: List[Diagnostic] = list(diagnostics_of(at))
        self.parameters: Dict[str, Parameter] = {}
        for i in range(C.nsm_nparameter(at)):
            p = C.nsm_parameter_at(at, i)
            name = p.name.decode()
            self.parameters[name] = Parameter(name, p.unit.decode(), p.doc.decode(), bool(p.fixed))
        for name, value in given.items():                  # their units are known only now
            in_si(name, value, self.parameters[name].unit if name in self.parameters else None)

    def __copy__(self) -> "Model":                       # nothing changes a model
        return self

    def __deepcopy__(self, memo: Any) -> "Model":
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        return self._made_by

    def __del__(self) -> None:
        if getattr(self, "_program", None):
            self._program.give_back()

    @property
    def c(self) -> str:
        """The emitted C."""
        return str(C.nsm_program_c(self._program.at).decode())

    def derive(self, form: Optional[str] = None) -> str:
        """What the compiler derived, as `nsm derive`: form None, "latex", "mathml" or "json"."""
        if form is not None and (not isinstance(form, str) or form not in ("text", "latex", "mathml", "json")):
            raise UsageError(f"there is no form {form!r}; there are text, latex, mathml and json")
        with _compiling:
            return text_of(C.nsm_derivation, self._program.at, form.encode() if form and form != "text" else None)

    def unit(self, name: str) -> str:
        """SI unit of a column or parameter, "" where the model does not say."""
        return str(C.nsm_meaning_of(self._program.at, name.encode()).unit.decode())

    def doc(self, name: str) -> str:
        """Description of a column or parameter, "" where the model does not say."""
        return str(C.nsm_meaning_of(self._program.at, name.encode()).doc.decode())

    def simulate(self, set: Optional[Mapping[str, Value]] = None, **values: Any) -> Simulation:
        """A simulation at its start. values: parameters, and settings: until, step, start, theta, gamma, stages,
        rtol, atol, solver, tolerance, accept, solve_budget, project_start, step_by_step, located (impacts and
        switches are located within the step), projection (places are projected after each step), inputs ({name: a
        file of points, (times, values), one value for each step, or a function of time}). set: parameters, and
        initial values of states, coordinates and velocities: set={"m": 2, "z": 1.5, "z'": 0}."""
        return Simulation(self, set, **values)

    def run(self, every: int = 1, record: Union[str, Sequence[str], None] = None, ledger: bool = False,
            set: Optional[Mapping[str, Value]] = None, by: Optional[Names] = None, **values: Any) -> Result:
        """A run from start to end; values as in `simulate`. every: rows of each such step, of the start and of the end
        are kept. record: names of columns, of families and energies ("bead.z", "energy"); None: all columns. ledger:
        where the energy went (result.energy). by: names of parameters and initial values, "e", "z(0)": the run is
        differentiated, result.d["z", "e"] is a column."""
        ledger = flag("ledger", ledger)
        with self.simulate(set, **values) as s:
            if ledger:
                s.keep_ledger()
            r = s.run(every, record)
            if by is not None:
                scale = {name: s._scale(name) for name in r.names if name in s.columns}
                r._d = derivatives(self, r.names, s.columns, scale, by, every, set, values)
            return r

    def sensitivities(self, of: Names, by: Names, refine: int = 0, set: Optional[Mapping[str, Value]] = None,
                      **values: Any) -> Sensitivities:
        """Derivatives of numbers of a run, "final(z)", "at(z, 1 s)", "first(floor)", by parameters and initial values,
        as `nsm sens`, in SI. refine: that many runs in steps that are aligned to events, extrapolated."""
        return sensitivities(self, of, by, refine, set, values)

    def gradient(self, of: str, by: Names, refine: int = 0, set: Optional[Mapping[str, Value]] = None,
                 **values: Any) -> Dict[str, float]:
        """Of one number of a run, by name, in SI: gradient("final(z)", by=["e", "z(0)"])."""
        found = sensitivities(self, [of], by, refine, set, values)
        return {name: found.d[found.of[0], name] for name in found.by}

    def analyse(self, *questions: str, set: Optional[Mapping[str, Value]] = None, **values: Any) -> Any:
        """What `nsm analyse` finds: analyse("equilibrium"), analyse("linear", "modes", inputs="F=0", outputs=["x"]),
        analyse("steady", period="10us", refine=3), analyse(bode="duty,u", period="10us", frequencies="10Hz:1kHz:10"),
        section=, bifurcation=, follow=, lyapunov=. A dictionary as its JSON (docs/answers.md), or of columns for
        sections, diagrams and branches. Parameters and settings as in `run`; what is called as an option is goes into
        `set`."""
        return analyse(self, questions, set, values)

    def fit(self, data: Any = None, match: Any = None, vary: Any = None, each: Optional[Names] = None,
            prior: Any = None, loss: Optional[str] = None, starts: Optional[int] = None, seed: Optional[int] = None,
            profile: Optional[Names] = None, threads: Optional[int] = None, set: Optional[Mapping[str, Value]] = None,
            **values: Any) -> Fit:
        """Parameters and initial values for which runs come nearest to data, as `nsm fit`. data: a CSV file, columns by
        name ("time" among them), or a list of these, a run each. match: {column of the model: column of the data}, or
        text, "z ~ height with sigma = 1 mm". vary: {"e": (0, 1), "z(0)": (0.5, 2, 1.1), "k": "log(1, 1e4)", "g": None}:
        bounds in SI, and the start. prior: {"e": (0.8, 0.1)}. What is not given is as `fit { }` of the model says."""
        asked = {"data": data, "match": match, "vary": vary, "each": each, "prior": prior, "loss": loss,
                 "starts": starts, "seed": seed, "profile": profile, "threads": threads}
        return fit(self, asked, set, values)

    def _with_scheme(self, scheme: str) -> "Model":
        if not self._made_by:
            raise UsageError("this model was not made by load or loads, so it cannot be compiled with another scheme")
        make, made = self._made_by
        at = 1 if make is load else 2                      # of (path, scheme, ...), (text, name, scheme, ...)
        return make(*made[:at], scheme, *made[at + 1:]) if made[at] != scheme else self

    def sweep(self, measure: Union[str, Sequence[str], Mapping[str, Callable[[Result], float]]],
              vary: Optional[Mapping[str, Iterable[Value]]] = None, threads: Optional[int] = None,
              set: Optional[Mapping[str, Value]] = None, **values: Any) -> Sweep:
        """Many runs, on all processors: one for each point of the grid of `vary`, {parameter: its values}, or of the
        values that are lists. measure: "final(z)", "max(energy)", ... as `nsm sweep --record`, or {name: function of a
        Result}. The first parameter changes slowest. A run that fails has NaN as its measures, and its error."""
        return sweep(self, measure, vary, threads, set, values)

    def batch(self, n: int, seed: Optional[int] = None, vary: Optional[Mapping[str, Any]] = None,
              threads: Optional[int] = None, errors: str = "raise", set: Optional[Mapping[str, Value]] = None,
              **values: Any) -> Batch:
        """n simulations that go on together, on all processors; values and set as in `simulate`. vary: {parameter, or
        initial value: (low, high), drawn evenly by `seed`, or n values}. errors: "keep", those that fail are told by
        Batch.failed alone. NumPy is needed."""
        return Batch(self, n, seed, vary, threads, errors, set, **values)

    def __repr__(self) -> str:
        return f"<nsm.Model {self.name}: {len(self.parameters)} parameters>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(p.name)}</td><td>{html.escape(p.unit)}</td>"
                       f"<td>{html.escape(p.doc)}</td></tr>" for p in self.parameters.values())
        return (f"<b>{html.escape(self.name)}</b><table><tr><th>parameter</th><th>unit</th><th></th></tr>{rows}"
                f"</table><pre>{html.escape(self.derive())}</pre>")


def load(path: Union[str, "os.PathLike[str]"], scheme: Optional[str] = None, jit: Optional[str] = None,
         set: Optional[Mapping[str, Value]] = None, **parameters: Value) -> Model:
    """Compiles a file. Parameters that lengths depend on are set here, any other may be. scheme: None, the model's
    own; else as "moreau" or "consistent(order = 4)". jit: "tcc" (None), "cc", "llvm". ModelError: the model is
    wrong; FileError, UsageError."""
    try:
        name = os.fsencode(path)
    except TypeError:
        raise UsageError(f"path = {path!r}: it is the name of a file") from None
    model = Model(lambda s: C.nsm_compile_file(name, s), scheme, jit, set, **parameters)
    model._made_by = load, (os.path.abspath(os.fsdecode(path)), scheme, jit, {**(set or {}), **parameters})
    return model


def loads(text: str, name: str = "model.nsm", scheme: Optional[str] = None, jit: Optional[str] = None,
          set: Optional[Mapping[str, Value]] = None, **parameters: Value) -> Model:
    """As `load`, of a text; name: what messages call it."""
    if not isinstance(text, str) or not isinstance(name, str):
        raise UsageError(f"a model is text, and not {text!r}" if isinstance(name, str) else f"name = {name!r}: a text")
    model = Model(lambda s: C.nsm_compile_text(text.encode(), os.fsencode(name), s), scheme, jit, set, **parameters)
    model._made_by = loads, (text, name, scheme, jit, {**(set or {}), **parameters})
    return model
