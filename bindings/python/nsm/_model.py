"""Models: compiling, parameters, the derivation."""
import html
import os
import threading
from typing import Dict, List, NamedTuple, Optional

from ._errors import Diagnostic, compile_error, diagnostics_of, in_si
from ._library import C, CompileSettings, OK, assignments, byref, text_of
from ._result import Result
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

    def __init__(self, at):
        self.at, self.users, self.lock = at, 1, threading.Lock()

    def take(self):
        with self.lock:
            self.users += 1

    def give_back(self):
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

    def __init__(self, compile_it, scheme=None, jit=None, set=None, **parameters):
        given = {**(set or {}), **parameters}
        values, n = assignments({name: in_si(name, value, None) for name, value in given.items()})
        settings = CompileSettings(scheme and scheme.encode(), jit and jit.encode(), values, n)
        self._program = None
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

    def __deepcopy__(self, memo) -> "Model":
        return self

    def __reduce__(self):
        return self._made_by

    def __del__(self):
        if getattr(self, "_program", None):
            self._program.give_back()

    @property
    def c(self) -> str:
        """The emitted C."""
        return C.nsm_program_c(self._program.at).decode()

    def derive(self, form: Optional[str] = None) -> str:
        """What the compiler derived, as `nsm derive`: form None, "latex" or "json"."""
        if form not in (None, "text", "latex", "json"):
            raise ValueError(f"there is no form {form!r}; there are text, latex and json")
        with _compiling:
            return text_of(C.nsm_derivation, self._program.at, form.encode() if form not in (None, "text") else None)

    def unit(self, name: str) -> str:
        """SI unit of a column or parameter, "" where the model does not say."""
        return C.nsm_meaning_of(self._program.at, name.encode()).unit.decode()

    def doc(self, name: str) -> str:
        """Description of a column or parameter, "" where the model does not say."""
        return C.nsm_meaning_of(self._program.at, name.encode()).doc.decode()

    def simulate(self, set=None, **values) -> Simulation:
        """A simulation at its start. values: parameters, and settings: until, step, start, theta, gamma, stages,
        solver, tolerance, accept, solve_budget, project_start, step_by_step, located (impacts and switches are located
        within the step), inputs ({name: path of a file of points}). set: parameters, and initial values of states,
        coordinates and velocities: set={"m": 2, "z": 1.5, "z'": 0}."""
        return Simulation(self, set, **values)

    def run(self, every: int = 1, record=None, ledger: bool = False, set=None, **values) -> Result:
        """A run from start to end; values as in `simulate`. every: rows of each such step, of the start and of the end
        are kept. record: names of columns, of families and energies ("bead.z", "energy"); None: all columns. ledger:
        where the energy went (result.energy)."""
        with self.simulate(set, **values) as s:
            if ledger:
                s.keep_ledger()
            return s.run(every, record)

    def sweep(self, measure, vary=None, threads: Optional[int] = None, set=None, **values) -> Sweep:
        """Many runs, on all processors: one for each point of the grid of `vary`, {parameter: its values}, or of the
        values that are lists. measure: "final(z)", "max(energy)", ... as `nsm sweep --record`, or {name: function of a
        Result}. The first parameter changes slowest. A run that fails has NaN as its measures, and its error."""
        return sweep(self, measure, vary, threads, set, values)

    def __repr__(self):
        return f"<nsm.Model {self.name}: {len(self.parameters)} parameters>"

    def _repr_html_(self):
        rows = "".join(f"<tr><td>{html.escape(p.name)}</td><td>{html.escape(p.unit)}</td>"
                       f"<td>{html.escape(p.doc)}</td></tr>" for p in self.parameters.values())
        return (f"<b>{html.escape(self.name)}</b><table><tr><th>parameter</th><th>unit</th><th></th></tr>{rows}"
                f"</table><pre>{html.escape(self.derive())}</pre>")


def load(path, scheme: Optional[str] = None, jit: Optional[str] = None, set=None, **parameters) -> Model:
    """Compiles a file. Parameters that lengths depend on are set here, any other may be. scheme: None, the model's own;
    jit: "tcc" (None), "cc", "llvm". ModelError: the model is wrong; FileError, UsageError."""
    name = os.fsencode(path)
    model = Model(lambda s: C.nsm_compile_file(name, s), scheme, jit, set, **parameters)
    model._made_by = load, (os.path.abspath(os.fsdecode(path)), scheme, jit, {**(set or {}), **parameters})
    return model


def loads(text: str, name: str = "model.nsm", scheme: Optional[str] = None, jit: Optional[str] = None, set=None,
          **parameters) -> Model:
    """As `load`, of a text; name: what messages call it."""
    model = Model(lambda s: C.nsm_compile_text(text.encode(), os.fsencode(name), s), scheme, jit, set, **parameters)
    model._made_by = loads, (text, name, scheme, jit, {**(set or {}), **parameters})
    return model
