"""Batches: many simulations of a model that go on together, each with the bits that it has alone. They need NumPy."""
import ctypes
import time
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _arrays
from ._errors import UsageError, in_si, run_error
from ._held import Held
from ._library import BatchWork, C, OK, STOPPED, USAGE, RunErrorText, byref
from ._settings import SETTINGS, Value, mapping, meant, whole
from ._simulation import LOOK, Simulation

if TYPE_CHECKING:
    from ._model import Model

np = _arrays.numpy
Inputs = Mapping[str, Any]              # {name: a number, n numbers, (steps, n) numbers, a function of the batch}


def _drawn(name: str, value: Any, n: int, random: Any, unit: Optional[str]) -> Any:
    """n numbers in SI: a tuple (low, high) is drawn from evenly, a list or array has one for each, one is for all."""
    if isinstance(value, tuple):
        if len(value) != 2:
            raise UsageError(f"vary: {name} = {value!r}: a range is (low, high), and values are a list or an array")
        low, high = (in_si(name, x, unit) for x in value)
        if low > high:
            raise UsageError(f"vary: {name} = {value!r}: the lower end of the range comes first")
        return random.uniform(low, high, n)
    if isinstance(value, str) or getattr(value, "ndim", 0) == 0 and not isinstance(value, Sequence):
        return np.full(n, in_si(name, value, unit))
    values = np.array([in_si(name, x, unit) for x in value] if isinstance(value, Sequence) else value, dtype=float)
    if values.shape != (n,):
        raise UsageError(f"{name} has {values.shape} values, and the batch {n} simulations")
    return values


class Batch(Held):
    """n simulations of a model. Made by Model.batch.

    batch["z"] is one number of each, as an array (n,); batch["z"] = values writes states, coordinates and velocities.
    columns: all names. failed: which ended with an error, and take no more steps; stopped: which a `stop` of the model
    ended; message: what the first of them said. With errors="keep" an error of a step is seen there alone, else it is
    raised when the others have done their steps."""
    _what = "batch"

    def __init__(self, model: "Model", n: int, seed: Optional[int] = None, vary: Optional[Mapping[str, Any]] = None,
                 threads: Optional[int] = None, errors: str = "raise", set: Optional[Mapping[str, Value]] = None,
                 **values: Any) -> None:
        if np is None:
            raise ImportError("a batch needs NumPy")
        self._at: Any = None
        self._n = whole("n", n, 1, none=False)
        self._threads = whole("threads", threads, 1) or 0
        if errors not in ("raise", "keep"):
            raise UsageError(f'errors = {errors!r}: it is "raise" or "keep"')
        self.errors, self.model, self.message = errors, model, ""
        random = np.random.default_rng(whole("seed", seed, 0))
        with_all = Simulation(model, set, _begins=False, **values)
        self._take(with_all)
        self._parameters: Dict[str, Any] = {}              # those in which members differ
        start: Dict[str, Any] = dict(with_all._start)
        for name, value in mapping("vary", vary).items():
            given = _drawn(name, value, self._n, random, model.unit(name) or None)
            if name in model.parameters:
                self._set(name, given)
            else:
                if name not in self._number:
                    what = [*model.parameters, *(n for n in self._names if n != "time")]
                    raise UsageError(f"vary: there is no parameter or initial value `{name}`" + meant(name, what))
                start[name] = given
        self._start = start
        self._begin(None)

    def _take(self, first: Simulation) -> None:
        """The simulation becomes the first of n."""
        self._error = RunErrorText()
        self._error_at = ctypes.pointer(self._error)
        self._lock = first._lock
        self._made, self._program, self.columns = first._made, first._program, first.columns
        self._names, self._number = first._names, first._number
        with first._lock:
            one, first._at = first._alive(), None          # its share of the program goes with it
            count = C.nsm_ninput(one)
            self._input = {C.nsm_input_name(one, i).decode(): i for i in range(count)}
            self.steps_total: int = C.nsm_steps_total(one)
            self._at = C.nsm_batch_of(one, self._n, self._threads, self._error_at)
        if not self._at:
            self._program.give_back()
            raise run_error(self.model._program.at, self._error)
        self._code = np.zeros(self._n, dtype=np.intc)

    def _give_back(self, at: Any) -> None:
        C.nsm_batch_close(at)

    def __len__(self) -> int:
        return int(self._n)

    def _find(self, name: str) -> int:
        try:
            return self._number[name]
        except (KeyError, TypeError):
            raise UsageError(f"there is no column `{name}`" + meant(name, self._names)) from None

    # ---- work -------------------------------------------------------------------------------------------------------
    def _do(self, work: BatchWork, who: Any = None) -> None:
        """One call into C, which keeps the codes; who: bytes (n,), or None for all."""
        work.who = None if who is None else who.ctypes.data
        work.code = self._code.ctypes.data
        with self._lock:
            code = C.nsm_batch_do(self._alive(), byref(work), self._error_at)
        if code == OK:
            return
        error = run_error(self.model._program.at, self._error)
        if code in self._code:
            self.message = str(error)
            if self.errors == "keep":
                return
        raise error

    def _who(self, who: Any) -> Any:
        """A mask, as bytes."""
        if who is None:
            return None
        mask = np.asarray(who)
        if mask.shape != (self._n,) or mask.dtype != bool:
            raise UsageError(f"who: it is an array of {self._n} truth values")
        return np.ascontiguousarray(mask).view(np.uint8)

    def _reading(self, work: BatchWork, numbers: Any) -> Any:
        rows = np.empty((self._n, len(numbers)))
        work.kept = numbers                                # it lives as long as C may look at it
        work.ncolumn, work.column, work.row = len(numbers), numbers.ctypes.data, rows.ctypes.data
        return rows

    def _spread(self, name: str, value: Any, steps: int) -> Any:
        """An input as (n,) or (steps, n) numbers."""
        if isinstance(value, str) or isinstance(value, (int, float)):
            return np.full(self._n, in_si(name, value, self.model.unit(name)))
        given = np.asarray(value, dtype=float)
        if not np.isfinite(given).all():
            raise UsageError(f"the values of the input {name} are finite")
        if given.ndim == 1 and given.shape == (self._n,) or given.ndim == 2 and given.shape == (steps, self._n):
            return given
        raise UsageError(f"the input {name} has {given.shape} values; it takes one number, {self._n} of them, or an "
                         f"array of {steps} steps by {self._n}")

    def _inputs(self, inputs: Inputs, steps: int) -> Tuple[Any, Any]:
        """Numbers of inputs, and their values: (n, inputs) or (steps, n, inputs)."""
        for name in inputs:
            if name not in self._input:
                raise UsageError(f"there is no input `{name}`" + meant(name, self._input))
        numbers = np.array([self._input[name] for name in inputs], dtype=np.intc)
        values = [self._spread(name, value, steps) for name, value in inputs.items()]
        if any(value.ndim == 2 for value in values):
            values = [np.broadcast_to(value, (steps, self._n)) for value in values]
        return numbers, np.ascontiguousarray(np.stack(values, axis=-1))

    def advance(self, n: int = 1, inputs: Optional[Inputs] = None, who: Any = None, **more: Any) -> "Batch":
        """n steps of each, or as many as there are to the end of the run. inputs, which keep their values until they
        are given other ones: {name: one number; n of them, one for each simulation; an array, steps by simulations; a
        function of the batch, which is asked before each step}. who: truth values, for some alone."""
        n = whole("n", n, 0, none=False)
        given = {**mapping("inputs", inputs), **more}
        mask = self._who(who)
        asked = {name: f for name, f in given.items() if callable(f)}
        if asked:
            fixed = {name: value for name, value in given.items() if name not in asked}
            for k in range(n):
                now = {name: f(self) for name, f in asked.items()}
                rest = {name: value[k] if getattr(value, "ndim", 0) == 2 else value for name, value in fixed.items()}
                self._steps(1, {**now, **rest}, mask)
        else:
            self._steps(n, given, mask)
        return self

    def _steps(self, n: int, inputs: Inputs, mask: Any) -> None:
        """In pieces, so that Ctrl-C is seen."""
        numbers, values = self._inputs(inputs, n) if inputs else (np.zeros(0, dtype=np.intc), None)
        work, done, piece = BatchWork(), 0, max(1, 8192 // self._n)
        while done < n or n == 0:
            some = min(piece, n - done)
            work.steps = some
            if values is not None:
                work.ninput, work.input = len(numbers), numbers.ctypes.data
                work.each_step = int(values.ndim == 3)
                work.value = values.ctypes.data + (values.strides[0]*done if work.each_step else 0)
            began = time.perf_counter()
            self._do(work, mask)
            if n == 0:
                break
            done += some
            piece = 2*piece if time.perf_counter() - began < LOOK / 2 else max(1, piece // 2)

    def run(self, every: int = 1, record: Union[str, Sequence[str], None] = None, steps: Optional[int] = None,
            inputs: Optional[Inputs] = None) -> "BatchResult":
        """To the end of the run, or `steps` steps: the columns of now, of each `every`-th step and of the last one. A
        simulation that has ended keeps its last values."""
        every, steps = whole("every", every, 1, none=False), whole("steps", steps, 0)
        names = Simulation.select(self, record)            # type: ignore[arg-type]
        left = self.steps_total - int(self.steps_done.min())
        left = left if steps is None else min(left, steps)
        rows = [self.values(names)]
        given, done = mapping("inputs", inputs), 0
        while done < left:
            some = min(every, left - done)
            now = {name: value[done:done + some] if getattr(value, "ndim", 0) == 2 else value
                   for name, value in given.items()}
            self.advance(some, now)
            done += some
            rows.append(self.values(names))
        return BatchResult(self, names, np.stack(rows))

    # ---- values -----------------------------------------------------------------------------------------------------
    def values(self, names: Union[str, Sequence[str], None] = None) -> Any:
        """Columns now in SI, (n, columns); None: all of them."""
        chosen = self.columns if names is None else [names] if isinstance(names, str) else names
        work = BatchWork()
        rows = self._reading(work, np.array([self._find(name) for name in chosen], dtype=np.intc))
        self._do(work)
        return rows

    def __getitem__(self, name: str) -> Any:
        return self.values(name)[:, 0]

    def __setitem__(self, name: str, values: Any) -> None:
        self.write({name: values})

    def write(self, values: Mapping[str, Any], who: Any = None) -> None:
        """States, coordinates and velocities take values: one number, or one for each simulation. It is a disturbance:
        nothing compares them with the laws, also at the start."""
        self._write(BatchWork(), mapping("values", values), self._who(who))

    def _write(self, work: BatchWork, values: Mapping[str, Any], mask: Any) -> None:
        numbers = np.array([self._find(name) for name in values], dtype=np.intc)
        if values:
            written = np.ascontiguousarray(np.stack(
                [_drawn(name, x, self._n, None, self.model.unit(name)) for name, x in values.items()], axis=-1))
            work.nwrite, work.write, work.written = len(numbers), numbers.ctypes.data, written.ctypes.data
        self._do(work, mask)

    def _set(self, name: str, values: Any) -> None:
        for i, value in enumerate(values):
            with self._lock:
                member = C.nsm_batch_member(self._alive(), i)
                code = C.nsm_set_parameter(member, name.encode(), value, self._error_at)
            if code != OK:
                raise run_error(self.model._program.at, self._error)
        self._parameters[name] = values

    def set(self, values: Optional[Mapping[str, Any]] = None, **more: Any) -> None:
        """Parameters take other values, one number or one for each simulation, from the next step on."""
        for name, value in {**mapping("values", values), **more}.items():
            if name not in self.model.parameters:
                raise UsageError(f"there is no parameter `{name}`" + meant(name, self.model.parameters))
            self._set(name, _drawn(name, value, self._n, None, self.model.parameters[name].unit))

    def parameter(self, name: str) -> Any:
        """Its values, (n,)."""
        if name not in self.model.parameters:
            raise UsageError(f"there is no parameter `{name}`" + meant(name, self.model.parameters))
        with self._lock:
            at = self._alive()
            return np.array([C.nsm_get_parameter(C.nsm_batch_member(at, i), name.encode()) for i in range(self._n)])

    @property
    def time(self) -> Any:
        return self["time"]

    @property
    def steps_done(self) -> Any:
        with self._lock:
            at = self._alive()
            return np.array([C.nsm_steps_done(C.nsm_batch_member(at, i)) for i in range(self._n)])

    @property
    def stopped(self) -> Any:
        return self._code == STOPPED

    @property
    def failed(self) -> Any:
        return (self._code != OK) & (self._code != STOPPED)

    @property
    def done(self) -> Any:
        """Which take no more steps."""
        return (self._code != OK) | (self.steps_done >= self.steps_total)

    # ---- states -----------------------------------------------------------------------------------------------------
    def _begin(self, mask: Any) -> None:
        work = BatchWork()
        work.reset = 1
        self._write(work, self._start, mask)

    def reset(self, who: Any = None) -> "Batch":
        """Back to the start, with the initial values that were given; who: truth values, for some alone."""
        mask = self._who(who)
        self._begin(mask)
        if not self.failed.any():
            self.message = ""
        return self

    def save(self) -> List[bytes]:
        """A state of each, as of Simulation.save."""
        states = []
        with self._lock:
            for i in range(self._n):
                member = C.nsm_batch_member(self._alive(), i)
                state = ctypes.create_string_buffer(C.nsm_state_size(member))
                C.nsm_save(member, state)
                states.append(state.raw)
        return states

    def restore(self, states: Sequence[bytes], who: Any = None) -> "Batch":
        """Back to states of `save`; they take steps again."""
        return self._restore(states, self._who(who), np.zeros(self._n, dtype=np.intc))

    def _restore(self, states: Sequence[bytes], mask: Any, codes: Any) -> "Batch":
        if len(states) != self._n:
            raise UsageError(f"there are {len(states)} states, and {self._n} simulations")
        for i, state in enumerate(states):
            if mask is not None and not mask[i]:
                continue
            with self._lock:
                at = self._alive()
                fits = isinstance(state, bytes) and len(state) == C.nsm_state_size(C.nsm_batch_member(at, i))
                code = C.nsm_batch_restore(at, i, state, int(codes[i]), self._error_at) if fits else USAGE
            if not fits:
                raise UsageError(f"state {i} is of another model, or of other sizes of it")
            if code != OK:
                raise run_error(self.model._program.at, self._error)
            self._code[i] = codes[i]
        return self

    def clone(self) -> "Batch":
        """Another batch in the same states."""
        other: Batch = _resumed(*self.__reduce__()[1])
        return other

    def __copy__(self) -> "Batch":
        return self.clone()

    def __deepcopy__(self, memo: Any) -> "Batch":
        return self.clone()

    def __reduce__(self) -> Tuple[Any, ...]:
        return _resumed, (self.model, self._n, self._threads or None, self.errors, self._made, self._parameters,
                          self._start, self.save(), self._code.copy(), self.message)

    def __repr__(self) -> str:
        return f"<nsm.Batch of {self._n} {self.model.name}>" if self._at else "<nsm.Batch, closed>"


def _resumed(model: "Model", n: int, threads: Optional[int], errors: str, made: Dict[str, Any],
             parameters: Dict[str, Any], start: Dict[str, Any], states: List[bytes], codes: Any, message: str) -> Batch:
    """A pickled batch: opened as it was made, with the parameters that it had, and its states."""
    settings = {name: value for name, value in made.items() if name in SETTINGS and name not in model.parameters}
    first = {name: value for name, value in made.items() if name not in settings and name in model.parameters}
    batch = Batch(model, n, None, parameters, threads, errors, first, **settings)
    batch._start = dict(start)
    batch._restore(states, None, codes)
    batch.message = message
    return batch


class BatchResult(Mapping[str, Any]):
    """r["z"] is (rows, n), in the unit that the model declares; r.time (rows,) that of the first simulation; r.array is
    (rows, n, columns), names the columns."""

    def __init__(self, batch: Batch, names: List[str], rows: Any) -> None:
        self.model, self.names, self.array = batch.model, names, rows
        self._number = {name: c for c, name in enumerate(names)}
        flat = rows.reshape(-1, len(names))
        with batch._lock:
            member = C.nsm_batch_member(batch._alive(), 0)
            for c, name in enumerate(names):
                C.nsm_column_in_unit(member, batch._number[name], flat.ctypes.data + 8*c, len(flat), len(names))

    def __getitem__(self, name: str) -> Any:
        return self.array[:, :, self._number[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def time(self) -> Any:
        return self["time"][:, 0]

    def one(self, i: int) -> Any:
        """(rows, columns) of simulation i."""
        return self.array[:, i, :]

    def to_pandas(self) -> Any:
        """A table of pandas with an index of (run, time)."""
        import pandas
        nrow, n, _ = self.array.shape
        index = pandas.MultiIndex.from_arrays([np.repeat(np.arange(n), nrow), self["time"].T.reshape(-1)],
                                              names=["run", "time"])
        table = pandas.DataFrame({name: self[name].T.reshape(-1) for name in self.names if name != "time"}, index=index)
        table.attrs["units"] = {name: self.model.unit(name) for name in self.names}
        return table

    def to_xarray(self) -> Any:
        """A data set of xarray over `time` and `run`."""
        import xarray
        return xarray.Dataset({name: (("time", "run"), self[name], {"units": self.model.unit(name)})
                               for name in self.names if name != "time"},
                              coords={"time": ("time", self.time, {"units": "s"})}, attrs={"model": self.model.name})
