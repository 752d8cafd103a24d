"""Environments for learning, with gymnasium's interface: one (Env), or many at once (VectorEnv). Where gymnasium is
installed they are its kinds, and their spaces its boxes; nothing of it is needed.

    cart = nsm.loads(CART_POLE)
    task = dict(action={"u": (-10, 10)}, observe=["x", "phi", "x'", "phi'"], frame=0.02,
                reward=lambda now, action: 1.0 - 0.01*action["u"]**2,
                done=lambda now: abs(now["phi"]) > 0.2, start={"phi": (-0.05, 0.05)})
    env = nsm.gym.Env(cart, **task)
    many = nsm.gym.VectorEnv(cart, 256, **task)

An action holds for one frame, which is a whole number of steps of the clock. `reward` and `done` are functions of what
is observed by name: numbers in an Env, arrays in a VectorEnv; comparisons and functions of NumPy serve both. An episode
is terminated where `done` says so or a `stop` of the model, and truncated at the end of the run (until=...), or where a
step fails: then info["failed"] is true. All numbers are in SI units. NumPy is needed.
"""
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ._batch import Batch
from ._errors import UsageError, in_si
from ._library import BatchWork, C, COLUMN_STATE, STOPPED
from ._picture import picture
from ._settings import meant

if TYPE_CHECKING:
    from ._model import Model

import numpy as np

_Box: Any
_Env: Any
_VectorEnv: Any
try:
    import gymnasium
    _Box, _Env, _VectorEnv = gymnasium.spaces.Box, gymnasium.Env, gymnasium.vector.VectorEnv
    _batched = gymnasium.vector.utils.batch_space
    _mode = {"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP} if hasattr(gymnasium.vector,
                                                                                    "AutoresetMode") else {}
except ImportError:
    class _Box:                                            # type: ignore[no-redef]
        """What gymnasium.spaces.Box is, as far as agents ask for it."""

        def __init__(self, low: Any, high: Any, shape: Any = None, dtype: Any = np.float64, seed: Any = None) -> None:
            shape = np.shape(low) if shape is None else tuple(shape)
            self.low, self.high = (np.full(shape, x, dtype=dtype) for x in (low, high))
            self.shape, self.dtype = shape, np.dtype(dtype)
            self.seed(seed)

        def seed(self, seed: Any = None) -> None:
            self._random = np.random.default_rng(seed)

        def sample(self) -> Any:
            """Even between bounds; normal where there are none, exponential from one of them."""
            low, high = np.isfinite(self.low), np.isfinite(self.high)
            out = np.where(low & high, self._random.uniform(np.where(low, self.low, 0), np.where(high, self.high, 1)),
                           self._random.normal(size=self.shape))
            far = self._random.exponential(size=self.shape)
            return np.where(low & ~high, self.low + far, np.where(high & ~low, self.high - far, out)).astype(self.dtype)

        def contains(self, x: Any) -> bool:
            return (isinstance(x, np.ndarray) and np.can_cast(x.dtype, self.dtype) and x.shape == self.shape
                    and bool(np.all(x >= self.low) and np.all(x <= self.high)))

        def __contains__(self, x: Any) -> bool:
            return self.contains(x)

        def __eq__(self, other: Any) -> bool:
            return (isinstance(other, type(self)) and self.shape == other.shape and self.dtype == other.dtype
                    and bool(np.all(self.low == other.low) and np.all(self.high == other.high)))

        def __repr__(self) -> str:
            return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"

    class _Env:                                            # type: ignore[no-redef]
        _np_random: Any = None

        @property
        def unwrapped(self) -> Any:
            return self

        @property
        def np_random(self) -> Any:
            if self._np_random is None:
                self._np_random = np.random.default_rng()
            return self._np_random

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_: Any) -> None:
            self.close()

        def close(self) -> None:
            pass

    class _VectorEnv(_Env):                                # type: ignore[no-redef]
        pass

    def _batched(space: Any, n: int) -> Any:
        return _Box(np.repeat(space.low[None], n, 0), np.repeat(space.high[None], n, 0), dtype=space.dtype)

    _mode = {}

Names = Union[Sequence[str], Mapping[str, Tuple[Any, Any]]]     # names, or with bounds: {name: (low, high)}
Start = Union[None, Mapping[str, Any], Callable[[Any], Mapping[str, Any]]]


def _space(names: Names, unit: Callable[[str], str]) -> Any:
    bounds = [(in_si(name, low, unit(name)), in_si(name, high, unit(name))) for name, (low, high) in names.items()] \
        if isinstance(names, Mapping) else [(-np.inf, np.inf)]*len(names)
    low, high = np.array(bounds, dtype=float).reshape(-1, 2).T
    return _Box(low, high, dtype=np.float64)


class _Runs:
    """What both kinds of environment are made of: n runs, and one call into C for each frame."""

    def __init__(self, model: "Model", n: int, action: Names, observe: Optional[Names], reward: Callable[..., Any],
                 done: Optional[Callable[..., Any]], frame: Any, start: Start, also: Sequence[str],
                 threads: Optional[int], set: Any, values: Mapping[str, Any]) -> None:
        if isinstance(action, str) or isinstance(observe, str):
            raise UsageError("action and observe: they are lists of names, or {name: (low, high)}")
        if not callable(reward) or done is not None and not callable(done):
            raise UsageError("reward and done are functions")
        self.batch = Batch(model, n, None, None, threads, "keep", set, **values)
        self.reward, self.done, self.start, self.n = reward, done, start, n
        self.action = list(action)
        for name in self.action:
            if name not in self.batch._input:
                raise UsageError(f"action: there is no input `{name}`" + meant(name, self.batch._input))
        member = C.nsm_batch_member(self.batch._alive(), 0)
        if observe is None:
            observe = [name for c, name in enumerate(self.batch.columns)
                       if C.nsm_kind_of_column(member, c) == COLUMN_STATE]
        self.observe = list(observe)
        self.names = [*self.observe, *(name for name in also if name not in self.observe)]
        self.action_space, self.observation_space = _space(action, model.unit), _space(observe, model.unit)
        self._columns = np.array([self.batch._find(name) for name in ["time", *self.names]], dtype=np.intc)
        self._inputs = np.array([self.batch._input[name] for name in self.action], dtype=np.intc)
        self.steps = self._frame(C.nsm_time_of_step(member, 1) - C.nsm_time_of_step(member, 0), frame)
        self.until = C.nsm_time_of_step(member, self.batch.steps_total)

    @staticmethod
    def _frame(step: float, frame: Any) -> int:
        if frame is None:
            return 1
        length = in_si("frame", frame, "s")
        steps = round(length / step)
        if steps < 1 or abs(length / step - steps) > 1e-6:
            raise UsageError(f"frame = {frame!r}: it is no whole number of steps of {step:g} s")
        return steps

    def begin(self, who: Sequence[int], randoms: Sequence[Any]) -> Any:
        """These back to the start, each with initial values drawn by its own generator; the rows of all."""
        n, work, mask = self.n, BatchWork(), np.zeros(self.n, dtype=np.uint8)
        mask[list(who)] = 1
        drawn: List[Mapping[str, Any]] = [self._draw(random) for random in randoms]
        names = list({name: None for values in [self.batch._start, *drawn] for name in values})
        given = dict(self.batch._start)
        columns = {name: np.full(n, in_si(name, given[name], self.batch.model.unit(name))) if name in given
                   else np.zeros(n) for name in names}
        for i, values in zip(who, drawn):
            if len(values) != len(drawn[0]):
                raise UsageError("start gives other names for each environment")
            for name, value in values.items():
                columns[name][i] = in_si(name, value, self.batch.model.unit(name))
        work.reset = 1
        rows = self.batch._reading(work, self._columns)
        self.batch._write(work, columns, mask)
        return rows

    def _draw(self, random: Any) -> Mapping[str, Any]:
        if callable(self.start):
            return self.start(random)
        unit = self.batch.model.unit
        return {name: random.uniform(in_si(name, value[0], unit(name)), in_si(name, value[1], unit(name)))
                if isinstance(value, tuple) else value for name, value in (self.start or {}).items()}

    def go(self, actions: Any) -> Tuple[Any, Any]:
        """One frame: the rows (n, 1 + names), and the codes."""
        work = BatchWork()
        work.ninput, work.input, work.value = len(self._inputs), self._inputs.ctypes.data, actions.ctypes.data
        work.steps = self.steps
        rows = self.batch._reading(work, self._columns)
        self.batch._do(work)
        return rows, self.batch._code

    def actions_of(self, action: Any, shape: Tuple[int, ...]) -> Any:
        given = np.asarray(action, dtype=np.float64, order="C")
        if given.shape != shape:
            raise UsageError(f"an action has the shape {shape}, and not {given.shape}")
        if not np.isfinite(given).all():
            raise UsageError("an action is finite")
        return given


class Env(_Env):                                           # type: ignore[misc]
    """One environment. action: names of inputs, or {name: (low, high)}; observe: names of columns, likewise, None: all
    states; reward(now, action), done(now): functions of numbers by name; frame: how long an action holds [s], None: a
    step; start: initial values, {name: (low, high)} drawn evenly, or a function of a generator of NumPy; also: columns
    that `reward` and `done` see and the agent does not. set and values: parameters and settings, as Model.simulate.

    render_mode="rgb_array": render() gives what `draw` of the model shows, (height, width, 3) bytes, within `view`, two
    corners, or what was drawn first and half as much around it."""
    metadata: Dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 50}
    spec: Any = None
    _np_random: Any = None

    def __init__(self, model: "Model", action: Names, observe: Optional[Names] = None,
                 reward: Callable[..., Any] = lambda now, action: 0.0, done: Optional[Callable[..., Any]] = None,
                 frame: Any = None, start: Start = None, also: Sequence[str] = (), set: Any = None,
                 render_mode: Optional[str] = None, view: Any = None, size: Tuple[int, int] = (640, 480),
                 **values: Any) -> None:
        if render_mode not in (None, "rgb_array"):
            raise UsageError(f"render_mode = {render_mode!r}: it is None or \"rgb_array\"")
        self.render_mode, self._view, self._size, self._model = render_mode, view, size, model
        self._runs = _Runs(model, 1, action, observe, reward, done, frame, start, also, 1, set, values)
        self.action_space, self.observation_space = self._runs.action_space, self._runs.observation_space
        self._over = True

    def _seen(self, row: Any) -> Tuple[Any, Dict[str, Any], Dict[str, Any]]:
        """Observation, numbers by name, info."""
        r = self._runs
        now = dict(zip(r.names, row[1:].tolist()))
        return row[1:1 + len(r.observe)].copy(), now, {"time": float(row[0])}

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Tuple[Any, Any]:
        """A new episode: (observation, info). seed: of the generator, which goes on where it is None."""
        if seed is not None:
            self._np_random = np.random.default_rng(seed)
            self._np_random_seed = seed
        self._over = False
        observation, _, info = self._seen(self._runs.begin([0], [self.np_random])[0])
        return observation, info

    def step(self, action: Any) -> Tuple[Any, float, bool, bool, Dict[str, Any]]:
        """One frame: (observation, reward, terminated, truncated, info)."""
        if self._over:
            raise UsageError("the episode is over, or has not begun: reset() begins one")
        r = self._runs
        given = r.actions_of(action, (len(r.action),))
        rows, codes = r.go(given)
        observation, now, info = self._seen(rows[0])
        reward = float(r.reward(now, dict(zip(r.action, given.tolist()))))
        failed = codes[0] not in (0, STOPPED)
        terminated = bool(codes[0] == STOPPED or r.done is not None and r.done(now))
        if failed:
            info.update(failed=True, error=r.batch.message)
        self._over = terminated or failed or rows[0, 0] >= r.until
        return observation, reward, terminated, bool(self._over and not terminated), info

    def render(self) -> Any:
        """What is drawn now, as an array of bytes; None without a render_mode."""
        if self.render_mode is None:
            return None
        member = C.nsm_batch_member(self._runs.batch._alive(), 0)
        pixels, self._view = picture(self._model._program.at, member, *self._size, self._view)
        return pixels

    def close(self) -> None:
        self._runs.batch.close()


class VectorEnv(_VectorEnv):                               # type: ignore[misc]
    """num_envs environments in lock step, on `threads` threads (None: all processors); the others as in Env, whose bits
    each one has. reward(now, action) and done(now) get arrays (num_envs,), and give such arrays.

    An episode that is over begins anew in the same call: the observation is that of the new start, and that of the end
    is in info["final_obs"], where info["_final_obs"] is true. Seeds are seed, seed + 1, ..., or a list of them."""
    metadata: Dict[str, Any] = {"render_modes": [], **_mode}
    render_mode: Optional[str] = None
    spec: Any = None
    _np_random: Any = None

    def __init__(self, model: "Model", num_envs: int, action: Names, observe: Optional[Names] = None,
                 reward: Callable[..., Any] = lambda now, action: np.zeros(len(next(iter(action.values())))),
                 done: Optional[Callable[..., Any]] = None, frame: Any = None, start: Start = None,
                 also: Sequence[str] = (), threads: Optional[int] = None, set: Any = None, **values: Any) -> None:
        self._runs = r = _Runs(model, num_envs, action, observe, reward, done, frame, start, also, threads, set, values)
        self.num_envs = num_envs
        self.single_action_space, self.single_observation_space = r.action_space, r.observation_space
        self.action_space = _batched(r.action_space, num_envs)
        self.observation_space = _batched(r.observation_space, num_envs)
        self._randoms = [np.random.default_rng() for _ in range(num_envs)]
        self._begun = False
        self._last: Any = None

    def _seen(self, rows: Any) -> Any:
        return np.ascontiguousarray(rows[:, 1:1 + len(self._runs.observe)])

    def reset(self, *, seed: Union[None, int, Sequence[Optional[int]]] = None,
              options: Optional[Dict[str, Any]] = None) -> Tuple[Any, Any]:
        """New episodes of all: (observations (n, k), info). options={"reset_mask": truth values}: of these alone."""
        n = self.num_envs
        mask = (options or {}).get("reset_mask")
        who = list(range(n)) if mask is None else np.flatnonzero(mask).tolist()
        seeds: Iterable[Optional[int]] = ([None]*n if seed is None else
                                          range(seed, seed + n) if isinstance(seed, int) else seed)
        for i, one in enumerate(seeds):
            if one is not None:
                self._randoms[i] = np.random.default_rng(one)
        rows = self._runs.begin(who, [self._randoms[i] for i in who])
        self._last = self._last if self._begun and mask is not None else rows
        self._last[who] = rows[who]
        self._begun = True
        return self._seen(self._last), {"time": self._last[:, 0].copy()}

    def step(self, actions: Any) -> Tuple[Any, Any, Any, Any, Dict[str, Any]]:
        """One frame of all: (observations, rewards, terminated, truncated, info), each an array over them."""
        if not self._begun:
            raise UsageError("no episode has begun: reset() begins them")
        r, n = self._runs, self.num_envs
        given = r.actions_of(actions, (n, len(r.action)))
        rows, codes = r.go(given)
        now = {name: rows[:, 1 + k] for k, name in enumerate(r.names)}
        rewards = self._each("reward", r.reward(now, {name: given[:, k] for k, name in enumerate(r.action)}), float)
        observations, info = self._seen(rows), {"time": rows[:, 0].copy()}
        terminated = self._each("done", r.done(now), bool) if r.done is not None else np.zeros(n, dtype=bool)
        if codes.any():
            terminated = terminated | (codes == STOPPED)
            failed = (codes != 0) & (codes != STOPPED)
            if failed.any():
                info.update(failed=failed, error=r.batch.message)
            over = terminated | failed | (rows[:, 0] >= r.until)
        else:
            over = terminated | (rows[:, 0] >= r.until)
        if over.any():
            info["final_obs"], info["_final_obs"] = observations, over
            who = np.flatnonzero(over).tolist()
            anew = r.begin(who, [self._randoms[i] for i in who])
            rows[over] = anew[over]
            observations = self._seen(rows)
        self._last = rows
        return observations, rewards, terminated, over & ~terminated, info

    def _each(self, what: str, values: Any, kind: Any) -> Any:
        out = np.asarray(values, dtype=kind)
        if out.shape == ():
            return np.full(self.num_envs, out)
        if out.shape != (self.num_envs,):
            raise UsageError(f"{what} gives an array of {out.shape}, and not one value for each of {self.num_envs}")
        return out

    def render(self) -> None:
        return None

    def close(self, **_: Any) -> None:
        self._runs.batch.close()
