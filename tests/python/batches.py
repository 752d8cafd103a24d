"""Batches and environments: the bits of single runs, states, what fails, gymnasium's rules. Added by `run`."""
import copy
import importlib.util
import itertools
import math
import pathlib
import pickle
import sys

from suite import ENV, ROOT, Failed, need, run

import nsm

CHECKS = []
BALL = "models/bouncing_ball.nsm"
CART = """model Cart { param m = 2 [kg]; input u : N = 0, w : N = 0; coord x : m = 0, x' = 0 [m/s]; kinetic m*x'^2/2;
  force x = u + w; simulate { until = 1 [s], step = 10 [ms] } }"""
# It stops at x = 1, and the assertion fails at 2 where it did not stop.
ENDS = """model Ends { param rate = 1, stops = 1; state x = 0; x' = rate;
  when x > 1 and stops > 0 { stop "far enough"; }  assert x < 2;  simulate { until = 1, step = 0.125 } }"""


def check(f):
    CHECKS.append(f)
    return f


def raises(kind, f, *args, **kw):
    try:
        f(*args, **kw)
    except kind as e:
        return e
    raise Failed(f"{kind.__name__} was not raised")


def equal(a, b):
    import numpy
    return a.shape == b.shape and bool(((a == b) | (numpy.isnan(a) & numpy.isnan(b))).all())


# ---- batches --------------------------------------------------------------------------------------------------------
@check
def a_batch_has_the_bits_of_single_runs():
    """Whatever the number of threads: events, sliding, families, contacts of shapes, samples; and rows with units."""
    import numpy
    cases = [(BALL, {"e": (0.3, 0.9), "z": (0.5, 1)}, {"located": True, "until": 0.9}),
             ("models/woodpecker.nsm", {"mu1": (0.2, 0.4)}, {"until": 0.1}), ("models/filippov_relay.nsm", {}, {}),
             ("models/chain.nsm", {"k[2]": (1, 2)}, {"until": 0.2}), ("models/thermostat.nsm", {}, {}),
             ("models/stack_of_boxes.nsm", {}, {"until": 0.02}), ("models/servo_sampled.nsm", {}, {"until": 0.1})]
    for path, vary, settings in cases:
        model = nsm.load(path)
        for name in list(vary):
            if name not in model.parameters and name not in model.simulate().columns:
                del vary[name]
        wanted = None
        for threads in (1, 2, 5):
            batch = model.batch(7, seed=3, vary=vary, threads=threads, **settings)
            r = batch.run(every=10)
            need(wanted is None or equal(wanted.array, r.array), f"{path}: {threads} threads have other bits")
            wanted = r
        for i in (0, 3, 6):
            own = {name: float(batch.parameter(name)[i]) if name in model.parameters else float(batch._start[name][i])
                   for name in vary}
            one = model.run(every=10, set=own, **settings)
            need(equal(one.array[:len(wanted.one(i))], wanted.one(i)), f"{path}: member {i} is not the run alone")
        need(not vary or len({tuple(x) for x in wanted.array[-1]}) > 3, f"{path}: the members are all the same")


@check
def inputs_of_a_batch_are_arrays_and_functions():
    import numpy
    m, u = nsm.loads(CART), numpy.random.default_rng(1).normal(size=(100, 5))
    batch = m.batch(5)
    each = batch.run(inputs={"u": u, "w": 1})
    singles = [m.simulate() for _ in range(5)]
    for i, sim in enumerate(singles):
        for k in range(100):
            sim.step(u=u[k, i], w=1)
        need(equal(numpy.array(sim.values()), each.one(i)[-1]), f"member {i}")
        other = m.simulate().advance(100, u=u[:, i], w=1.0)
        need(list(other.values()) == list(sim.values()), "an array for a simulation")
    batch.reset().advance(100, {"u": lambda b: -3*b["x'"] + 2, "w": numpy.arange(5.0)})
    sim = m.simulate().advance(100, u=lambda s: -3*s["x'"] + 2, w=4)
    need(equal(numpy.array(sim.values()), batch.values()[4]), "functions")
    raises(nsm.UsageError, batch.advance, 2, u=[1, 2, 3])
    raises(nsm.UsageError, batch.advance, 2, u=[1, 2, 3, 4, math.nan])
    raises(nsm.UsageError, batch.advance, 2, v=1)
    raises(nsm.UsageError, sim.advance, 3, u=[1.0, 2.0])


@check
def batches_are_saved_restored_copied_and_pickled():
    import numpy
    m = nsm.load(BALL)
    batch = m.batch(4, seed=1, vary={"e": [0.1, 0.5, 0.7, 0.9]}, until=1).advance(60)
    states, start = batch.save(), batch.values()
    ways = [copy.copy(batch), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch)), batch.clone()]
    end = batch.advance(60).values()
    for other in ways:
        need(equal(other.values(), start) and equal(other.advance(60).values(), end), "a copy goes another way")
        need(equal(other.reset().values(), m.batch(4, until=1, vary={"e": other.parameter("e")}).values()), "reset")
    need(equal(batch.restore(states).values(), start) and equal(batch.advance(60).values(), end), "restored")
    who = numpy.array([True, False, True, False])
    batch.restore(states, who)
    need(equal(batch.values()[who], start[who]) and equal(batch.values()[~who], end[~who]), "restored in part")
    batch.reset(who)
    need(list(batch.steps_done > 0) == [False, True, False, True], f"{batch.steps_done}")
    batch.advance(3, who=~who)
    batch["z"] = 2
    need((batch["z"] == 2).all(), "written")
    raises(nsm.UsageError, batch.restore, states[:3])
    raises(nsm.UsageError, batch.restore, [b"x"]*4)
    raises(nsm.UsageError, batch.reset, [1, 0, 1, 0])
    raises(nsm.UsageError, batch.write, {"z": [1, 2]})
    raises(nsm.UsageError, batch.write, {"floor.lambda": 1})
    for wrong in (0, -1, 1.5, "x", None):
        raises(nsm.UsageError, m.batch, wrong)
    raises(nsm.UsageError, m.batch, 2, vary={"ee": (0, 1)})
    raises(nsm.UsageError, m.batch, 2, vary={"e": (0, 1, 2)})
    raises(nsm.UsageError, m.batch, 2, errors="ignore")
    for seed in ("x", -1, 1.5):
        raises(nsm.UsageError, m.batch, 2, seed=seed)
    batch.close()
    raises(ValueError, batch.advance, 1)


@check
def members_that_end_do_not_end_the_others():
    m = nsm.loads(ENDS)
    vary = {"rate": [0.5, 4, 4, 0.5], "stops": [1, 1, 0, 0]}
    batch = m.batch(4, vary=vary, errors="keep").advance(8)
    need(list(batch.stopped) == [False, True, False, False] and list(batch.failed) == [False, False, True, False],
         f"{batch.stopped}, {batch.failed}")
    need("assert" in batch.message and list(batch.steps_done)[::3] == [8, 8], f"{batch.message}, {batch.steps_done}")
    twin = pickle.loads(pickle.dumps(batch))
    need(list(twin.failed) == list(batch.failed) and list(twin.stopped) == list(batch.stopped), "pickled")
    e = raises(nsm.ClaimError, m.batch(4, vary=vary).advance, 8)
    need("^" in str(e), str(e))
    batch.reset()
    need(not batch.failed.any() and not batch.stopped.any() and not batch.message, "reset")


@check
def a_batch_is_a_table_of_pandas_and_xarray():
    r = nsm.load(BALL).batch(3, seed=1, vary={"z": (0.5, 1)}, until=0.1).run(every=5)
    if importlib.util.find_spec("pandas"):
        t = r.to_pandas()
        need(t.loc[1]["z"].tolist() == r["z"][:, 1].tolist() and t.index.names == ["run", "time"], f"{t}")
    if importlib.util.find_spec("xarray"):
        x = r.to_xarray()
        need(x["z"].sel(run=2).values.tolist() == r["z"][:, 2].tolist() and x["z"].attrs["units"] == "m", f"{x}")
    return None if importlib.util.find_spec("xarray") else "xarray is not here"


# ---- environments ---------------------------------------------------------------------------------------------------
def example():
    spec = importlib.util.spec_from_file_location("cart_pole", ROOT / "bindings/python/examples/cart_pole.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, nsm.loads(module.CART_POLE, "cart_pole.nsm")


def place(now, action):
    return now["x"]


def rules(env):
    """What gymnasium.utils.env_checker.check_env asks of an environment, written down: spaces, signatures, what reset
    and step give, and that a seed decides everything."""
    import inspect
    import numpy
    for space in env.action_space, env.observation_space:
        for what in ("shape", "dtype", "low", "high", "sample", "contains", "seed"):
            need(hasattr(space, what), f"a space has {what}")
        need(space.contains(space.sample()) and (space.low <= space.high).all(), f"{space}")
    takes = inspect.signature(env.reset).parameters
    need(takes["seed"].default is None and takes["options"].default is None
         and all(p.kind == p.KEYWORD_ONLY for p in takes.values()), f"reset({takes})")
    need(isinstance(env.metadata["render_modes"], list) and env.render_mode is None, "render modes")
    need(env.unwrapped is env and env.spec is None, "unwrapped, spec")

    def good(observation):
        need(isinstance(observation, numpy.ndarray) and env.observation_space.contains(observation), f"{observation}")
        need(numpy.isfinite(observation).all(), f"{observation}")
        return observation.copy()

    seen = []
    for seed in (123, 123, 456):
        observation, info = env.reset(seed=seed)
        need(isinstance(info, dict), "info is a dictionary")
        env.action_space.seed(7)
        now = [good(observation)]
        state = str(env.np_random.bit_generator.state)
        for _ in range(50):
            action = env.action_space.sample()
            kept = action.copy()
            observation, reward, terminated, truncated, info = env.step(action)
            need((action == kept).all(), "an action is changed")
            need(type(terminated) is bool and type(truncated) is bool and isinstance(info, dict), "truth values")
            need(isinstance(reward, float) and math.isfinite(reward), f"reward {reward}")
            now.append(good(observation))
            if terminated or truncated:
                raises(nsm.UsageError, env.step, action)   # gymnasium warns where an episode goes on beyond its end
                observation, info = env.reset()
                now.append(good(observation))
        seen.append((state, [x.tolist() for x in now]))
    need(seen[0] == seen[1], "the same seed gives other observations")
    need(seen[0] != seen[2], "another seed gives the same observations")
    a, _ = env.reset(seed=5)
    b, _ = env.reset()
    need((a != b).any(), "a reset without a seed goes on with the generator")
    env.reset(seed=None, options={})
    last = b.copy()
    env.step(env.action_space.sample())
    need((b == last).all(), "an observation that was given is changed by the next step")


@check
def an_environment_keeps_the_rules_of_gymnasium():
    module, model = example()
    env = nsm.gym.Env(model, **module.TASK)
    rules(env)
    e = nsm.gym.Env(nsm.loads(CART), action=["u"], reward=place, frame="20 ms")
    rules(pickle.loads(pickle.dumps(nsm.gym.Env(nsm.loads(CART), {"u": (-1, 1)}, reward=place, start={"x": (0, 1)}))))
    rules_of_time = [e.reset()[1]["time"]] + [e.step([1.0])[4]["time"] for _ in range(3)]
    need([round(t, 9) for t in rules_of_time] == [0, 0.02, 0.04, 0.06], f"{rules_of_time}")
    need(e.observation_space.shape == (2,) and e.step([1.0])[2:4] == (False, False), "all states are observed")
    for _ in range(46):
        last = e.step([1.0])
    need(last[2:4] == (False, True), f"the end of the run truncates: {last}")
    env.close()
    for wrong in (dict(action=["v"]), dict(action="u"), dict(action=["u"], observe=["y"]), dict(action=["u"], reward=1),
                  dict(action=["u"], frame=0.015), dict(action=["u"], frame=0), dict(action=["u"], step=-1)):
        raises(nsm.UsageError, nsm.gym.Env, nsm.loads(CART), **wrong)
    e.reset()
    for wrong in ([1.0, 2.0], [math.nan], 1.0):
        raises(nsm.UsageError, e.step, wrong)
    if not importlib.util.find_spec("gymnasium"):
        return                                             # its rules are those above
    from gymnasium.utils.env_checker import check_env
    check_env(nsm.gym.Env(model, **module.TASK), skip_render_check=True)


@check
def many_environments_have_the_bits_of_one():
    import numpy
    module, model = example()
    n = 9
    many = nsm.gym.VectorEnv(model, n, threads=2, until=0.6, **module.TASK)
    each = [nsm.gym.Env(model, until=0.6, **module.TASK) for _ in range(n)]
    seen, _ = many.reset(seed=40)
    need(seen.shape == many.observation_space.shape == (n, 4) and many.action_space.shape == (n, 1), "shapes")
    first = [env.reset(seed=40 + i)[0] for i, env in enumerate(each)]
    need((seen == numpy.array(first)).all(), "the start")
    many.action_space.seed(3)
    ends = 0
    for k in range(120):
        action = many.action_space.sample()
        seen, reward, terminated, truncated, info = many.step(action)
        for i, env in enumerate(each):
            own = env.step(action[i])
            need(own[1:4] == (reward[i], terminated[i], truncated[i]), f"step {k} of {i}: {own}")
            now = own[0]
            if own[2] or own[3]:
                ends += 1
                need(info["_final_obs"][i] and (info["final_obs"][i] == now).all(), "the last observation")
                now = env.reset()[0]
            need((now == seen[i]).all(), f"step {k} of {i}: {now} and {seen[i]}")
    need(ends > 30, f"only {ends} episodes ended")
    mask = numpy.arange(n) == 4
    again, _ = many.reset(seed=[44]*n, options={"reset_mask": mask})
    need((again[4] == first[4]).all() and (again[~mask] == seen[~mask]).all(), "one of them anew")
    many.close()


@check
def an_environment_says_that_a_step_failed():
    import numpy
    task = dict(observe=["x"], reward=lambda now, action: now["x"])
    model = nsm.loads(ENDS.replace("param rate = 1,", "input rate = 1; param"))
    env = nsm.gym.Env(model, ["rate"], **task)
    env.reset()
    env.step([4.0])
    env.step([4.0])
    need(env.step([4.0])[2:4] == (True, False), "a stop of the model terminates")
    many = nsm.gym.VectorEnv(model, 2, ["rate"], set={"stops": 0}, **task)
    many.reset()
    for _ in range(4):
        _, _, terminated, truncated, info = many.step(numpy.array([[4.0], [0.0]]))
    need(list(truncated) == [True, False] and list(info["failed"]) == [True, False] and "assert" in info["error"], info)
    many.step(numpy.array([[0.0], [0.0]]))


@check
def the_example_holds_its_pole():
    program = ROOT / "bindings/python/examples/cart_pole.py"
    out = run([sys.executable, program], env=dict(ENV, PYTHONPATH=str(ROOT / "bindings/python"),
                                                  NSM_LIBRARY=nsm._library.C._name)).expect(0).out
    reward = float(out.split("reward ")[1].split()[0])
    need(450 < reward <= 500, out)
