"""A simulation: steps, values, inputs, states. Each call into C is made while no other thread uses the simulation."""
import ctypes
import math
import threading
import time
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _arrays
from ._derivatives import Jacobian, Names, names_in
from ._errors import Error, UsageError, in_si, run_error
from ._held import Held
from ._library import (C, ClaimText, CounterValues, EVENT_HOOK, EnergyValues, NSM_ENERGIES, OK, RunErrorText, STOPPED,
                       byref, c_int, c_long)
from ._result import Claim, Event, Result
from ._settings import SETTINGS, Value, mapping, meant, meant_here, probe, settings_of, whole

if TYPE_CHECKING:
    from ._model import Model

LOOK = 0.05          # seconds between two looks for Ctrl-C


class Counters(NamedTuple):
    """What a run did: as nsm_counters in include/nsm.h."""
    steps: int
    newton_iterations: int
    solver_iterations: int
    impacts: int
    stagnations: int
    worst_residual: float
    whole_steps: int
    left_out: int
    frozen: int
    unsettled: int
    softened: int
    max_residual: float
    accepted: int
    accepted_step: int
    worst_accepted: float
    contacts: int
    deepest: float
    events: int
    located: int
    captured: int
    max_miss: float
    halved: int
    piles: int
    pile_tolerance: float
    missed: int
    worst_missed: float
    closing: float
    pile_step: int
    missed_step: int


class Energy(NamedTuple):
    """Energies now [J], and the ledger since keep_ledger; nan: not kept, or the model has no energy."""
    kinetic: float
    potential: float
    initial: float
    forces: float
    dampers: float
    contacts: float
    friction: float
    residue: float

    @property
    def total(self) -> float:
        return self.kinetic + self.potential


_contact_states = ("apart", "touches", "sticks", "slips")


def _name(of: Any) -> str:
    """`floor` of "contact floor"; other rows with their kind."""
    name: str = of.decode()
    return name[len("contact "):] if name.startswith("contact ") else name


def _event(e: Any) -> Event:
    return Event(e.time, e.kind.decode(), _name(e.name), e.before, e.after, e.impulse, e.loss)


def _is_list(name: str, value: Any, n: int) -> bool:
    """One value for each of n steps?"""
    if isinstance(value, str) or not hasattr(value, "__len__"):
        return False
    if len(value) != n:
        raise UsageError(f"the input {name} has {len(value)} values, and there are {n} steps")
    return True


def _selects(what: str, name: str) -> bool:
    """As `--record`: bead selects bead[3].z, and bead.z as well."""
    if name == what or name.startswith((what + "[", what + ".")):
        return True
    letters, depth = [], 0
    for c in name:
        depth += c == "["
        if depth == 0:
            letters.append(c)
        depth -= c == "]"
    bare = "".join(letters)
    return bare == what or bare.startswith(what + ".") or bare == what + "'" and what.endswith("'")


class Simulation(Held):
    """Made by Model.simulate. sim["z"] reads a column, sim["z"] = 1 writes a state, coordinate or velocity.

    columns: their names. stopped: a `stop` of the model ended the run, and message is what it said."""
    _what = "simulation"

    def __init__(self, model: "Model", set: Optional[Mapping[str, Value]] = None, _begins: bool = True,
                 **values: Any) -> None:
        self._prepare(model)
        given = mapping("set", set)
        made = dict(given)
        start = {name: given.pop(name) for name in list(given) if name not in model.parameters}
        settings = settings_of(model, given, values, lambda s: probe(self, s))
        self._made = {**made, **values}                    # values: their inputs are points now
        settings.any_start = int(bool(start) or not _begins)
        self._open(C.nsm_simulate(model._program.at, byref(settings), self._error_at))
        self._start = start
        if start and _begins:
            self._begin()

    def _begin(self) -> None:
        """At the start, with the initial values that were given by the names of columns."""
        for name in self._start:
            if name not in self._number:
                raise UsageError(f"there is no parameter or initial value `{name}`" +
                                 meant_here(name, [*self.model.parameters, *self.columns]))
        n = len(self._start)
        columns = (ctypes.c_int*n)(*(self._number[name] for name in self._start))
        values = (ctypes.c_double*n)(*(in_si(name, x, self.model.unit(name)) for name, x in self._start.items()))
        with self._lock:
            self._check(C.nsm_begin(self._alive(), n, columns, values, self._error_at))
            self.stopped, self.message = False, ""

    def _prepare(self, model: "Model") -> None:
        self._at: Any = None                               # nsm_sim; None: closed
        self._lock, self._error = threading.Lock(), RunErrorText()
        self._error_at = ctypes.pointer(self._error)
        self.model, self.stopped, self.message = model, False, ""

    def _open(self, at: Any) -> None:
        if not at:
            raise run_error(self.model._program.at, self._error)
        self._program = self.model._program
        self._program.take()
        self._at = at
        n = C.nsm_ncolumn(at)
        names = [C.nsm_column_name(at, c).decode() for c in range(n + NSM_ENERGIES)]
        self._names, self.columns = names, names[:n]
        self._number = {name: c for c, name in reversed(list(enumerate(names)))}

    def _give_back(self, at: Any) -> None:
        C.nsm_close(at)

    def _check(self, code: int) -> None:
        if code == STOPPED:
            self.stopped, self.message = True, self._error.text.decode("utf-8", "replace")
        elif code != OK:
            raise run_error(self.model._program.at, self._error)

    def _find(self, name: str) -> int:
        try:
            return self._number[name]
        except (KeyError, TypeError):
            raise UsageError(f"there is no column `{name}`" + meant(name, self.columns)) from None

    # ---- time -------------------------------------------------------------------------------------------------------
    @property
    def time(self) -> float:
        with self._lock:
            return float(C.nsm_time(self._alive()))

    @property
    def steps_done(self) -> int:
        with self._lock:
            return int(C.nsm_steps_done(self._alive()))

    @property
    def steps_total(self) -> int:
        with self._lock:
            return int(C.nsm_steps_total(self._alive()))

    @property
    def done(self) -> bool:
        """Is the run at its end? (Stopped by the model: after the step that stopped it.)"""
        with self._lock:
            return self.stopped or bool(C.nsm_steps_done(self._alive()) >= C.nsm_steps_total(self._at))

    # ---- steps ------------------------------------------------------------------------------------------------------
    def step(self, inputs: Optional[Mapping[str, Value]] = None, **more: Value) -> "Simulation":
        """One step, with inputs that keep their values until they are given other ones: sim.step(u=0.3). RunError: the
        state is that before it."""
        if isinstance(inputs, (int, float)):
            raise UsageError(f"step = {inputs!r}: it takes values of inputs; sim.advance(10) takes several steps, "
                             "sim.step_by(0.01) one of another length")
        with self._lock:
            at = self._alive()
            for name, value in {**mapping("inputs", inputs), **more}.items() if inputs is not None or more else ():
                if value.__class__ is not float:
                    value = in_si(name, value, self.model.unit(name))
                self._check(C.nsm_set_input(at, name.encode(), value, self._error_at))
            # nsm_advance has the bits of a run; nsm_step refuses to go beyond its end
            ahead = C.nsm_steps_done(at) < C.nsm_steps_total(at)
            code = C.nsm_advance(at, 1, self._error_at) if ahead else C.nsm_step(at, self._error_at)
            if code != OK:
                self._check(code)
        return self

    def step_by(self, h: Value) -> "Simulation":
        """One step of length h [s], off the clock of the run."""
        h = in_si("h", h, "s")
        with self._lock:
            self._check(C.nsm_step_by(self._alive(), h, self._error_at))
        return self

    def _steps_to(self, to: Value) -> int:
        """How many steps lead to this time [s], at least."""
        t = in_si("to", to, "s")
        with self._lock:
            at = self._alive()
            k, total = C.nsm_steps_done(at), C.nsm_steps_total(at)
            slack = 1e-9 * (C.nsm_time_of_step(at, 1) - C.nsm_time_of_step(at, 0))
            low, high = k, total                           # the first step that ends there or later
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if C.nsm_time_of_step(at, middle) >= t - slack else (middle + 1, high)
            return int(low - k)

    def advance(self, n: Optional[int] = None, inputs: Optional[Mapping[str, Any]] = None,
                to: Optional[Value] = None, **more: Any) -> "Simulation":
        """n steps, or those that lead to the time `to`, or as many as there are to the end of the run. inputs, which
        keep their values until they are given other ones: {name: a number; n of them, one for each step; a function of
        the simulation, which is asked before each step}."""
        if (n is None) == (to is None):
            raise UsageError("advance takes a number of steps, or a time by `to`")
        n = whole("n", n, 0, none=False) if to is None else self._steps_to(to)
        given = {**mapping("inputs", inputs), **more}
        changing = {name: value for name, value in given.items() if callable(value) or _is_list(name, value, n)}
        self.input({name: value for name, value in given.items() if name not in changing})
        if not changing:
            self._steps(n, 0, None, 0, None)
            return self
        for k in range(n):
            if self.done:
                break
            self.step({name: value(self) if callable(value) else value[k] for name, value in changing.items()})
        return self

    def _steps(self, n: Any, every: int, numbers: Any, ncolumn: int, rows: Any) -> int:
        """Up to n steps, in pieces so that Ctrl-C is seen; how many rows were written."""
        written, piece = c_long(0), 1024
        at_rows = _arrays.address(rows) if rows is not None else 0
        while n > 0:
            some = min(n, piece)
            began = time.perf_counter()
            with self._lock:
                at = self._alive()
                before = C.nsm_steps_done(at)
                code = C.nsm_record(at, some, every, numbers, ncolumn, at_rows + 8 * ncolumn * written.value,
                                    byref(written), self._error_at)
                done = C.nsm_steps_done(at) - before
                try:
                    self._check(code)
                except Error as e:
                    e.rows = written.value
                    raise
            if done < some or code == STOPPED:
                break
            n -= some
            piece = 2 * piece if time.perf_counter() - began < LOOK / 2 else max(1, piece // 2)
        return written.value

    # ---- rows -------------------------------------------------------------------------------------------------------
    def select(self, record: Union[str, Sequence[str], None] = None) -> List[str]:
        """The columns that names of columns, families and energies stand for, as `nsm run --record`; time first."""
        if record is None:
            return list(self.columns)
        wanted = [record] if isinstance(record, str) else record
        if not isinstance(wanted, (list, tuple, set, frozenset)) or not all(isinstance(w, str) for w in wanted):
            raise UsageError(f"record = {record!r}: it is a list of names of columns")
        chosen = {"time": None}
        for what in wanted:
            found = [name for name in self.columns if _selects(what, name)]
            for name in found or [self._names[self._find(what)]]:
                chosen[name] = None
        return list(chosen)

    def run(self, every: int = 1, record: Union[str, Sequence[str], None] = None,
            steps: Optional[int] = None) -> Result:
        """To the end of the run, or `steps` steps: rows of now, of each step whose number is a multiple of `every`, and
        of the last one."""
        every, steps = whole("every", every, 1, none=False), whole("steps", steps, 0)
        names = self.select(record)
        if "energy.residue" in names:
            self.keep_ledger()
        n = len(names)
        numbers = None if names == self.columns else (c_int * n)(*(self._number[name] for name in names))
        with self._lock:
            at = self._alive()
            first = C.nsm_steps_done(at)
            left = C.nsm_steps_total(at) - first
            left = left if steps is None else min(left, steps)
            events: List[Event] = []
            if C.nsm_nclaim(at) > 0 and first == 0:
                self._check(C.nsm_keep_claims(at, self._error_at))
            hook = EVENT_HOOK(lambda _, event: events.append(_event(event[0])))
            C.nsm_on_event(at, hook, None)
            rows = _arrays.rows((first + left) // every - first // every + 2, n)
            self._check(C.nsm_read_columns(at, numbers, n, _arrays.address(rows), self._error_at))
        began, error = time.perf_counter(), None
        try:
            written = 1 + self._steps(left, every, numbers, n, _arrays.behind(rows, 1))
        except Error as e:
            error, written = e, 1 + e.rows
        wall = time.perf_counter() - began
        with self._lock:
            at = self._alive()
            last = C.nsm_steps_done(at)
            if (last % every and last > first) or (self.stopped and C.nsm_time(at) != _arrays.last_time(rows, written)):
                C.nsm_read_columns(at, numbers, n, _arrays.address(_arrays.behind(rows, written)), self._error_at)
                written += 1
            C.nsm_on_event(at, EVENT_HOOK(), None)         # type: ignore[call-overload]  # a pointer to nothing
            complete = error is None and first == 0 and (self.stopped or last == C.nsm_steps_total(at))
            claims = list(self._claims()) if complete else []
            for c, name in enumerate(names):
                C.nsm_column_in_unit(at, self._number[name], _arrays.address(rows) + 8 * c, written, n)
        result = Result(self.model, names, _arrays.first(rows, written), self.counters, self.energy, self.message, wall,
                        events, claims)
        if error is not None:
            error.result = result
            raise error
        return result

    def _claims(self) -> Iterator[Claim]:
        claim = ClaimText()
        for i in range(C.nsm_nclaim(self._at)):
            if C.nsm_claim_at(self._at, i, byref(claim)):
                value = tuple(claim.value[:claim.nvalue])
                yield Claim(claim.text.decode(), None if claim.held < 0 else bool(claim.held),
                            value[0] if len(value) == 1 else value, claim.line)

    @property
    def contacts(self) -> Dict[str, str]:
        """What the contacts that the model names did in the last step: "apart", "touches", "sticks" or "slips"."""
        with self._lock:
            at = self._alive()
            return {_name(C.nsm_contact_name(at, i)): _contact_states[C.nsm_contact_state_at(at, i)]
                    for i in range(C.nsm_ncontact(at))}

    # ---- values -----------------------------------------------------------------------------------------------------
    def __getitem__(self, name: str) -> float:
        c = self._find(name)
        with self._lock:
            return float(C.nsm_read_column(self._alive(), c))

    def __setitem__(self, name: str, value: Value) -> None:
        c = self._find(name)
        value = in_si(name, value, self.model.unit(name))
        with self._lock:
            self._check(C.nsm_write_column(self._alive(), c, value, self._error_at))

    def values(self) -> Any:
        """All columns now, in the order of `columns`."""
        n = len(self.columns)
        row = _arrays.rows(1, n)
        with self._lock:
            self._check(C.nsm_read_columns(self._alive(), None, n, _arrays.address(row), self._error_at))
        return _arrays.row(row, 0)

    def set(self, values: Optional[Mapping[str, Value]] = None, **more: Value) -> None:
        """Parameters take other values, from the next step on. It costs as much as opening the simulation."""
        for name, value in {**mapping("values", values), **more}.items():
            known = self.model.parameters.get(name)
            value = in_si(name, value, known.unit if known else None)
            with self._lock:
                self._check(C.nsm_set_parameter(self._alive(), name.encode(), value, self._error_at))
            self._made[name] = value

    def parameter(self, name: str) -> float:
        if not isinstance(name, str):
            raise UsageError(f"there is no parameter `{name}`" + meant(name, self.model.parameters))
        with self._lock:
            value = float(C.nsm_get_parameter(self._alive(), name.encode()))
        if math.isnan(value) and name not in self.model.parameters:
            raise UsageError(f"there is no parameter `{name}`")
        return value

    def input(self, values: Optional[Mapping[str, Value]] = None, **more: Value) -> None:
        """Inputs take these values from now on, until they are given other ones. What samples at the start has sampled
        before: its values are those of simulate(inputs={"u": 5})."""
        for name, value in {**mapping("values", values), **more}.items():
            value = in_si(name, value, self.model.unit(name))
            with self._lock:
                self._check(C.nsm_set_input(self._alive(), name.encode(), value, self._error_at))

    # ---- derivatives ------------------------------------------------------------------------------------------------
    def _scale(self, name: str) -> float:
        """What a value in SI of a column is multiplied by in a result."""
        x = (ctypes.c_double * 2)(1.0, 0.0)
        with self._lock:
            C.nsm_column_in_unit(self._alive(), self._number[name], ctypes.addressof(x), 2, 1)
        return float(x[0] - x[1])

    def jacobian(self, by: Optional[Names] = None) -> Jacobian:
        """The derivative of the next step, which is not taken: j.A by the states now, j.B by the inputs, j.P by the
        parameters `by`; each event within the step is in it. NumPy is needed."""
        if _arrays.numpy is None:
            raise ImportError("Simulation.jacobian needs NumPy")
        words = [] if by is None else names_in(by)
        with self._lock:
            at = self._alive()
            n, inputs = C.nsm_nstate(at, None), [C.nsm_input_name(at, i).decode() for i in range(C.nsm_ninput(at))]
            numbers = (c_int * (n + 1))()
            C.nsm_nstate(at, numbers)
            d = _arrays.rows(n, n + len(inputs) + len(words))
            self._check(C.nsm_jacobian(self.model._program.at, at, ", ".join(words).encode(), _arrays.address(d),
                                       self._error_at))
        return Jacobian([self.columns[c] for c in numbers[:n]], inputs, words, d)

    # ---- states -----------------------------------------------------------------------------------------------------
    def reset(self) -> "Simulation":
        """Back to the start."""
        self._begin()
        return self

    def save(self) -> bytes:
        """What a run goes on from, with the same bits."""
        with self._lock:
            state = ctypes.create_string_buffer(C.nsm_state_size(self._alive()))
            C.nsm_save(self._at, state)
        return state.raw

    def restore(self, state: bytes) -> "Simulation":
        """Back to a state of this model with the same sizes and parameters. UsageError: it is of another one."""
        if not isinstance(state, (bytes, bytearray, memoryview)):
            raise UsageError(f"a state is what `save` gave, and not {state!r}")
        with self._lock:
            if len(state) != C.nsm_state_size(self._alive()):
                raise UsageError("the state is of another model, or of other sizes of it")
            self._check(C.nsm_restore(self._at, bytes(state), self._error_at))
            self.stopped, self.message = False, ""
        return self

    def clone(self) -> "Simulation":
        """Another simulation with the same settings in the same state."""
        other = Simulation.__new__(Simulation)
        other._prepare(self.model)
        other._made, other._start = dict(self._made), dict(self._start)
        with self._lock:
            other._open(C.nsm_clone(self._alive(), other._error_at))
            other.stopped, other.message = self.stopped, self.message
        return other

    def __copy__(self) -> "Simulation":
        return self.clone()

    def __deepcopy__(self, memo: Any) -> "Simulation":
        return self.clone()

    def __reduce__(self) -> Tuple[Any, ...]:
        return _resumed, (self.model, self._made, self.save(), self.stopped, self.message)

    # ---- what a run did ---------------------------------------------------------------------------------------------
    @property
    def counters(self) -> Counters:
        c = CounterValues()
        with self._lock:
            C.nsm_get_counters(self._alive(), byref(c))
        return Counters(*(getattr(c, name) for name, _ in c._fields_))

    def keep_ledger(self) -> None:
        """From now on the ledger says where the energy goes."""
        with self._lock:
            C.nsm_keep_ledger(self._alive())

    @property
    def energy(self) -> Energy:
        e = EnergyValues()
        with self._lock:
            C.nsm_get_energy(self._alive(), byref(e))
        return Energy(*(getattr(e, name) for name, _ in e._fields_))

    def __repr__(self) -> str:
        where = f"t = {self.time:g} s, step {self.steps_done} of {self.steps_total}" if self._at else "closed"
        return f"<nsm.Simulation of {self.model.name}: {where}>"


def _resumed(model: "Model", made: Dict[str, Any], state: bytes, stopped: bool, message: str) -> Simulation:
    """A pickled simulation: opened as it was made, with the parameters that it had, and its state."""
    settings = {name: value for name, value in made.items() if name in SETTINGS and name not in model.parameters}
    s = Simulation(model, {name: value for name, value in made.items() if name not in settings}, **settings)
    s.restore(state)
    s.stopped, s.message = stopped, message
    return s
