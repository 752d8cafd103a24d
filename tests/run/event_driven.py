"""From event to event by CVODES, `event_driven` (docs/numerics/event_driven.md): errors against the references of
high_order.py and located.py, which are runs of other programs; what rests; what is refused. Left out where nsm was
built without SUNDIALS."""
import pathlib
import re

import high_order
import located
from located import run
from suite import NSM, need

BUILT = (pathlib.Path(NSM).parent / "lib/libnsm_sundials.so").exists()
SYSTEMS = [n for n in high_order.BARS] + [n for n in located.SYSTEMS if n not in high_order.BARS]


def of_system(name):
    text, end, h = high_order.SYSTEMS[name] if name in high_order.SYSTEMS else high_order.of_located(name)
    if not end:
        c, _, _ = run(text, h/16, "consistent(order = 8)")
        end = {k: c[k][-1] for k in c if k != "time" and "lambda" not in k}
    return text, end, h


def errors(name, *tolerances):
    text, end, h = of_system(name)
    for rtol in tolerances:
        c, err, _ = run(text, h, f"event_driven(rtol = {rtol!r})")
        need("steps captured" not in err or " 0 steps captured" in err, err)
        yield max(abs(c[k][-1] - end[k]) for k in end)


def exact(name):
    """At rtol = 1e-10 within 1e-9; at 1e-12 better than that."""
    a, b = errors(name, 1e-10, 1e-12)
    need(a <= 1e-9 and b <= 3e-10, f"{a:.3g} at 1e-10, {b:.3g} at 1e-12")


def rests():
    """A ball past the point where its bounces accumulate: exactly at rest, with all energy booked."""
    c, err, told = run(located.BALL.replace("until = 10", "until = 9"), 5e-3, "event_driven(rtol = 1e-10)")
    need(c["z"][-1] == 0.1 and c["z'"][-1] == 0, f"z = {c['z'][-1]!r}, z' = {c['z'][-1]!r}")
    residue = re.search(r"residue (\S+)", err)
    need(residue is None or float(residue[1]) <= 1e-8, err)


def closed_form():
    """The same ball: heights after each impact, at times between the steps' own."""
    c, err, _ = run(located.BALL.replace("until = 10", "until = 2"), 5e-3, "event_driven(rtol = 1e-12)")
    t, z, v, begin = 0.0, 0.9, 0.0, (2*0.9/9.81)**0.5
    for now, seen in zip(c["time"], c["z"]):
        n, t0, u = 0, begin, 0.9*9.81*begin
        while now > t0 + 2*u/9.81:
            t0, u = t0 + 2*u/9.81, 0.9*u
        want = 1 - 9.81*now**2/2 if now <= begin else 0.1 + u*(now - t0) - 9.81*(now - t0)**2/2
        need(abs(seen - want) <= 1e-10, f"z = {seen!r} at {now}, {want!r} is exact")


def refused():
    """What it does not take, with the reason."""
    for text, scheme, flags, said in (
            (located.BALL, "event_driven(located = false)", (), "from event to event"),
            (located.BALL, "event_driven", ("--located", "off"), "from event to event"),
            (located.BALL, "moreau", ("--rtol", "1e-9"), "are of event_driven"),
            (located.BALL, "event_driven(order = 4)", (), "takes rtol and atol"),
            (located.BALL, "event_driven", ("--rtol", "0"), "rtol")):
        _, err, _ = run(text, 1e-2, scheme, *flags, code=2)
        need(said in err, err)
    shapes = """model B { body b { mass = 1, inertia = [1, 1, 1], shape = sphere(0.1), position = [0, 0, 1] }
        body floor { fixed, shape = halfspace } contact c { between = b, floor; with newton(0); }
        simulate { until = 1, step = 1e-3 } }"""
    _, err, _ = run(shapes, 1e-3, "event_driven", code=1)
    need("E0705" in err and "contacts between shapes" in err, err)


def left_out():
    return "left out: nsm was built without libsundials-dev"


CASES = [(f"event-driven, {name}", *((exact, name) if BUILT else (left_out,))) for name in SYSTEMS]
CASES += [(f"event-driven, {what}", f if BUILT else left_out) for what, f in
          (("rest", rests), ("a closed form", closed_form), ("what is refused", refused))]
