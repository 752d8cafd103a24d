#!/usr/bin/python3
"""Environments of the cart-pole in a batch against single ones in a Python loop, and what 10^6 steps leave in memory.
Times are of the processor, microseconds for an environment step: with k idle processors a batch takes 1/k of them.

    usage: NSM_LIBRARY=build/release/lib/libnsm.so.0 tests/bench/python_batch.py"""
import importlib.util
import pathlib
import resource
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings/python"))
import nsm

spec = importlib.util.spec_from_file_location("cart_pole", ROOT / "bindings/python/examples/cart_pole.py")
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)
model = nsm.loads(example.CART_POLE, "cart_pole.nsm")
N = 256


def spent(f):
    began = time.process_time()
    steps = f()
    return (time.process_time() - began)/steps*1e6


def batch(envs, turns):
    for k in range(turns):
        envs.step(actions[k % 64])
    return turns*envs.num_envs


def one(turns):
    env = nsm.gym.Env(model, **example.TASK)
    env.reset(seed=1)
    for k in range(turns):
        _, _, terminated, truncated, _ = env.step(actions[k % 64][0])
        if terminated or truncated:
            env.reset()
    return turns


def bare(turns):
    """A Simulation by itself: inputs, a step, four columns, the reward."""
    sim, random = model.simulate(), np.random.default_rng(1)
    for k in range(turns):
        u = float(actions[k % 64][0, 0])
        sim.step(u=u)
        seen = np.array([sim["x"], sim["phi"], sim["x'"], sim["phi'"]])
        reward = 1.0 - 0.001*u**2
        if abs(seen[1]) > 0.21 or sim.done:
            sim.reset()
            for name in ("x", "phi", "x'", "phi'"):
                sim[name] = random.uniform(-0.05, 0.05)
    return turns


envs = nsm.gym.VectorEnv(model, N, **example.TASK)
envs.reset(seed=1)
envs.action_space.seed(2)
actions = [envs.action_space.sample() for _ in range(64)]
batch(envs, 50)
rounds = [(spent(lambda: batch(envs, 300)), spent(lambda: one(5000)), spent(lambda: bare(5000))) for _ in range(5)]
a, b, c = (float(np.median([r[i] for r in rounds])) for i in range(3))
print(f"batch of {N}: {a:.2f} us, {1e6/a:.3g} environment steps in a second of one processor; "
      f"Env in a loop {b:.1f} us; Simulation in a loop {c:.1f} us")
print(f"on two processors: {2*b/a:.1f} times the Env in a loop, {2*c/a:.1f} times the Simulation in a loop")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
batch(envs, 1000000//N)
print(f"10^6 steps: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before} KiB more at most")
