"""Shapes on half-spaces by schemes that take their gaps as formulas (docs/numerics/touching.md, section 8), against
located runs that take them as shapes, and against each other."""
from located import run
from suite import need

START = "attitude = rotation([1, 2, 3], 0.6), velocity = [1, 0.2, 0], spin = [1, 2, 0.5]"
SPACE = "gravity [0, 0, -9.81]; body floor { fixed, shape = halfspace, attitude = rotation([0, 1, 0], 0.1) }"
PLANE = "gravity [0, -9.81]; body floor { fixed, shape = halfplane }"
DRIVEN = """gravity [0, 0, -9.81]; body floor { driven, shape = halfspace, attitude = rotation([0, 0, 1], time),
    position = [0.1*sin(3*time), 0, 0.02*sin(5*time)] }"""
# The bodies, and what touches.
MODELS = {
    "box": (SPACE + f"body b {{ shape = box([0.2, 0.3, 0.1]), mass = 1, position = [0, 0, 0.3], {START} }}",
            "between = b, floor; with newton(0.5), coulomb(0.3);"),
    "union": (SPACE + f"""body b {{ mass = 1, position = [0, 0, 0.3], {START}, shape = union(
        sphere(0.05) at([0.2, 0, 0]), capsule(0.04, 0.4) at([0, 0, 0], rotation([0, 1, 0], 90 [deg]))) }}""",
              "between = b, floor; with newton(0.5), coulomb(0.3);"),
    "hull": ("material steel, wood; pair steel, wood { e = 0.6, mu = 0.25 } " +
             SPACE.replace("fixed,", "fixed, material = wood,") + f"""body b {{ density = 200, material = steel,
        shape = convex([[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.4]]), position = [0, 0, 0.4], {START} }}""",
             "between = b, floor; with newton, coulomb;"),
    "driven": (DRIVEN + f"body b {{ shape = sphere(0.1), mass = 1, position = [0, 0, 0.3], {START} }}",
               "between = b, floor; with newton(0.5), coulomb(0.3);"),
    "plane": (PLANE + """
        body d[i in 1:2] { shape = disk(0.1), mass = i, position = [0.25*i, 0.2*i], velocity = [0.1 - 0.1*i, 0] }
        body b { shape = rectangle([0.2, 0.1]), mass = 1, position = [-0.3, 0.3], attitude = 0.3,
            velocity = [1, 0] }""",
              "between = [b, d], floor; with newton(0.5), coulomb(0.3); } contact hits { among = d; with newton(0.3);"),
}


def model(name):
    return f"model M {{ {MODELS[name][0]} contact on {{ {MODELS[name][1]} }} simulate {{ until = 0.4, step = 1e-3 }} }}"


def apart(a, b):
    return max(abs(a[k][-1] - b[k][-1]) for k in a if k in b and "lambda" not in k)


def together(name):
    """Located runs by shapes, of order 2; order 4 against order 6, but where time moves the gap of a sphere."""
    moves = name == "driven"
    by = (0.01, "event_driven(rtol = 1e-11)") if moves else (2e-3, "consistent(order = 6)")
    tight, said, _ = run(model(name), *by)
    off = [apart(run(model(name), h, "moreau(located = true)")[0], tight) for h in (2e-3, 1e-3)]
    need(" 0 steps captured" in said and " impact" in said, said)
    need(off[1] <= 3e-4 and (off[1] <= 0.4*off[0] or off[1] <= 1e-9), f"by shapes: {off}")
    if moves:
        _, err, _ = run(model(name), 1e-3, "consistent(order = 4)", code=1)
        need("E0705" in err and "changes with time" in err, err)
        return
    off = [apart(run(model(name), h, "consistent(order = 4)")[0], tight) for h in (5e-3, 2.5e-3)]
    need(off[0] <= 5e-6 and (off[1] <= off[0]/11 or off[1] <= 1e-10), f"by order 4: {off}")


def rests():
    """A box that stands on four corners, one that is dropped flat: the forces are not determined, the motion is."""
    text = model("box").replace("rotation([0, 1, 0], 0.1)", "rotation([0, 1, 0], 0)")
    text = text.replace(START, "velocity = [1, 0.2, 0]")
    for scheme in ("consistent(order = 4)", "moreau(projection = true)", "d1minus"):
        for z in ("0.05", "0.06"):
            c, _, _ = run(text.replace("0, 0, 0.3]", f"0, 0, {z}]").replace("newton(0.5)", "newton(0)"), 5e-3, scheme)
            moves = max(abs(v) for k in ("b.r[3]'", "b.spin[1]", "b.spin[2]") for v in c[k][-3:])
            need(moves <= 1e-6, f"{scheme}, from {z}: {moves}")


def refused():
    """What has no closed form, is asked for, or is too much, says so at its place."""
    ball = "body b[i in 1:N] { shape = S, mass = 1, position = [i, 0, 1] }"
    for text, law, flags, said in (
            (ball.replace("S", "cylinder(0.1, 0.2)"), "between = b, floor", (), "no gap in closed form"),
            (ball.replace("S", "sphere(0.1)"), "among = b", (), "no two directions of slip"),
            (ball.replace("S", "box([0.1, 0.1, 0.1])"), "among = b", (), "have no gap in closed form"),
            (ball.replace("S", "box([0.1, 0.1, 0.1])"), "between = b, floor", (), "more corners than hold it"),
            (ball.replace("S", "sphere(0.1)").replace("N", "300"), "between = b, floor", (), "300 pairs may touch"),
            (ball.replace("S", "sphere(0.1)") + "output n = on.count;", "between = b, floor", (), "is asked for"),
            (ball.replace("S", "sphere(0.1)"), "between = b, floor", ("--contacts", "/dev/null"), "contacts between")):
        whole = f"""model M {{ {SPACE} {text.replace("N", "2")} contact on {{ {law}; with newton(0), coulomb(0.3); }}
            simulate {{ until = 0.1, step = 1e-3 }} }}"""
        _, err, _ = run(whole, 1e-3, "event_driven", *flags, code=1)
        need("E0705" in err and said in err, err)


CASES = [*((f"shapes as formulas, {name}", together, name) for name in MODELS),
         ("shapes as formulas, rest", rests), ("shapes as formulas, what is refused", refused)]
