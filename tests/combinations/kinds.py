"""Kinds of models: each function makes the Host (parts.py) that has the directions of a law, or gives None where the
kind cannot have them."""
from parts import WEIGHT, Host

ORDER = "xyzswr"


def along(directions):
    return [d for d in ORDER if d in directions]


def speed(start, d):
    """The velocity at the start; that of a family grows from member to member, but for the fall."""
    value = start.rate.get(d, 0)
    return f"{value:g}*@F" if value and d != "z" else f"{value:g}"


def coordinates(directions, start, free):
    lines = []
    for d in along(directions):
        lines.append(f"coord {d}@D = {start.height if d == 'z' else 0:g}, {d}' = {speed(start, d)};")
    each = "".join(f"kinetic {d}@'^2/2;\n" for d in along(directions))
    each += f"potential {WEIGHT}*z@;\n" if "z" in directions else ""
    names = {d: f"{d}@" for d in along(directions)}
    return Host(names, {d: n + "'" for d, n in names.items()}, "\n".join(lines), each, push=names)


def constrained(directions, start, free, redundant=False):
    """Each direction is two halves that a nonlinear constraint ties together; laws act on one, loads on the other."""
    lines, each, apart = [], "", []
    for d in along(directions):
        a, b = f"{d}@", f"{d}2@"
        for name in (d, d + "2"):
            lines.append(f"coord {name}@D = {start.height if d == 'z' else 0:g}, {name}' = {speed(start, d)};")
        each += f"kinetic ({a}'^2 + {b}'^2)/4;\nconstraint tie_{d}@: {a}^3 + {a} = {b}^3 + {b};\n"
        each += f"constraint again_{d}@: 2*{a} = 2*{b};\n" if redundant else ""
        apart.append(f"abs({a} - {b})")
    each += f"potential {WEIGHT}*z2@;\n" if "z" in directions else ""
    names, other = {d: f"{d}@" for d in along(directions)}, {d: f"{d}2@" for d in along(directions)}
    return Host(names, {d: n + "'" for d, n in names.items()}, "\n".join(lines), each, push=other,
                miss=" + ".join(apart))


def redundant(directions, start, free):
    return constrained(directions, start, free, True)


def body(name, mass, start, shape="", moves=(0, 0, 0), place=(0, 0, 0), inertia="[1, 1, 1]"):
    """The declaration of a body in space; moves: a velocity that is added, place: where it is beside the gap."""
    v = [f"{speed(start, d)} + {m:g}" for d, m in zip("xyz", moves)]
    w = [speed(start, d) for d in "rws"]
    at = f"[{place[0]:g}, {place[1]:g}, {place[2] + start.height:g}]"
    shape = f", {shape}" if shape else ""
    return (f"body {name}@D {{ mass = {mass:g}, inertia = {inertia}{shape}, position = {at},\n"
            f"  velocity = [{', '.join(v)}], spin = [{', '.join(w)}] }}")


def space(name, low="0", against=""):
    """Places and velocities of a body in space, above `low`, relative to the body `against`."""
    less = [f" - {against}.r[{k}]" if against else "" for k in (1, 2, 3)]
    rate = [f" - {against}.r[{k}]'" if against else "" for k in (1, 2, 3)]
    place = {d: f"{name}.r[{k}]{less[k - 1]}" for d, k in zip("xyz", (1, 2, 3))}
    place["z"] += f" - {low}" if low != "0" else ""
    v = {d: f"{name}.r[{k}]'{rate[k - 1]}" for d, k in zip("xyz", (1, 2, 3))}
    v.update({d: f"{name}.omega[{k}]" for d, k in zip("rws", (1, 2, 3))})
    return place, v


def pushes(name):
    return {d: f"{name}.r[{k}]" for d, k in zip("xyz", (1, 2, 3))}


def gravity(directions):
    return f"gravity [0, 0, -{WEIGHT}];\n" if "z" in directions else ""


def bodies(directions, start, free):
    place, rate = space("b@")
    return Host(place, rate, gravity(directions) + body("b", 1, start), push=pushes("b@"))


def planar_bodies(directions, start, free):
    if directions - set("xzr"):
        return None
    text = (f"gravity [0, -{WEIGHT if 'z' in directions else 0}];\n"
            f"body b@D {{ mass = 1, inertia = 1, position = [0, {start.height:g}],\n"
            f"  velocity = [{speed(start, 'x')}, {speed(start, 'z')}], spin = {speed(start, 'r')} }}")
    return Host({"x": "b@.r[1]", "z": "b@.r[2]"}, {"x": "b@.r[1]'", "z": "b@.r[2]'", "r": "b@.omega"}, text,
                push={"x": "b@.r[1]", "z": "b@.r[2]"})


def joints(directions, start, free):
    """Along and about the axis of a cylindrical joint; two halves fixed to each other where that is not all."""
    if directions <= set("xz"):
        text = gravity(directions)
        text += (f"body b@D {{ mass = 1, inertia = [1, 1, 1], position = [0, 0, {start.height:g}],\n"
                 f"  velocity = [0, 0, {speed(start, 'z')}], spin = [0, 0, {speed(start, 'x')}] }}\n"
                 f"Cylindrical j@D(A = ground, B = b@, at = [0, 0, {start.height:g}], axis = [0, 0, 1]);")
        return Host({"x": "j@.angle", "z": f"{start.height:g} + j@.position"}, {"x": "j@.rate", "z": "j@.speed"}, text,
                    imports='import "std/joints.nsm";', push={"x": "j@.angle", "z": "j@.position"})
    half = "[0.5, 0.5, 0.5]"
    text = gravity(directions) + "\n".join(body(name, 0.5, start, inertia=half) for name in ("b", "other"))
    text += f"\nFixed j@D(A = b@, B = other@, at = [0, 0, {start.height:g}]);"
    place, rate = space("b@")
    return Host(place, rate, text, imports='import "std/joints.nsm";', push=pushes("other@"))


def driven_bodies(directions, start, free):
    """Against a body that moves evenly."""
    table = "body table { driven, position = [0.3*time, 0.2*time, 0.1*time] }\n"
    place, rate = space("b@", against="table")
    text = gravity(directions) + table + body("b", 1, start, moves=(0.3, 0.2, 0.1))
    return Host(place, rate, text, push=pushes("b@"))


def planar_shapes(directions, start, free):
    """A low block on a half-plane; far above it where the law is not one of the contact (`free`)."""
    if directions - set("xzr"):
        return None
    round_one = "r" in directions and not free
    shape, low = ("disk(0.1)", 0.1) if round_one else ("rectangle([0.4, 0.1])", 0.05)
    up = 5 if free == "far" else 0
    spin = f"-({speed(start, 'x')})/0.1" if round_one else "0"
    inertia = "0.005" if round_one else "1"
    text = (f"gravity [0, -{WEIGHT if 'z' in directions or free == 'rests' else 0}];\n"
            "body floor { fixed, shape = halfplane }\n"
            f"body b@D {{ mass = 1, inertia = {inertia}, shape = {shape},\n"
            f"  position = [{apart()}, {low + up + start.height:g}],\n"
            f"  velocity = [{speed(start, 'x')}, {speed(start, 'z')}], spin = {spin} }}\n")
    text += "contact on { between = b, floor; with inelastic; }\n" if free else ""
    names = {"x": f"b@.r[1] - ({apart()})", "z": f"b@.r[2] - {low + up:g}"}
    return Host(names, {"x": "b@.r[1]'", "z": "b@.r[2]'", "r": "b@.omega"}, text, push={"x": "b@.r[1]", "z": "b@.r[2]"},
                shapes="between = b, floor", rolls=1.5 if round_one else 0)


def apart():
    """The place of a member of a family, beside the others."""
    return "4*(@F - 1)"


def spatial_shapes(directions, start, free, driven=False):
    round_one = "r" in directions and not free
    shape, low = ("sphere(0.1)", 0.1) if round_one else ("box([0.4, 0.4, 0.1])", 0.05)
    up = 5 if free == "far" else 0
    moves = (0.3, 0.2, 0.1) if driven else (0, 0, 0)
    floor = ("driven, position = [0.3*time, 0.2*time, 0.1*time]" if driven else "fixed")
    w = [f"-({speed(start, 'y')})/0.1", f"({speed(start, 'x')})/0.1", "0"] if round_one else ["0", "0", "0"]
    v = [f"{speed(start, d)} + {m:g}" for d, m in zip("xyz", moves)]
    inertia = "[0.004, 0.004, 0.004]" if round_one else "[1, 1, 1]"
    text = (f"gravity [0, 0, -{WEIGHT if 'z' in directions or free == 'rests' else 0}];\n"
            f"body floor {{ {floor}, shape = halfspace }}\n"
            f"body b@D {{ mass = 1, inertia = {inertia}, shape = {shape},\n"
            f"  position = [{apart()}, 0, {low + up + start.height:g}],\n"
            f"  velocity = [{', '.join(v)}], spin = [{', '.join(w)}] }}\n")
    text += "contact on { between = b, floor; with inelastic; }\n" if free else ""
    place, rate = space("b@", low=f"{low + up:g}", against="floor" if driven else "")
    place["x"] += f" - ({apart()})"
    return Host(place, rate, text, push=pushes("b@"), shapes="between = b, floor",
                rolls=1.4 if round_one else 0)


def driven_shapes(directions, start, free):
    return spatial_shapes(directions, start, free, True)


def mixed(directions, start, free):
    """Coordinates, and a state that pushes."""
    host = coordinates(directions, start, free)
    host.outside += "\nstate p@D = 0;"
    host.each += "p@' = 1;\n"
    host.ramp = True
    return host


def machine(directions, start, free):
    """Coordinates and a network: a capacitor, charged evenly, that feels the velocity and pushes."""
    host = coordinates(directions, start, free)
    host.imports = 'import "std/circuit.nsm";'
    host.outside += "\nnode g = 0;\nnode e@N;\nCapacitor store@D(a = e@, b = g, C = 1);"
    host.ramp = host.spring = True
    return host


def first_order(directions, start, free):
    outside = "\n".join(f"state {d}@D = {speed(start, d)};" for d in along(directions))
    names = {d: f"{d}@" for d in along(directions)}
    return Host({}, names, outside, first_order=True, hung="{q}' = {f};")


def network(directions, start, free):
    """The voltage of a capacitor, a node."""
    outside, names = "node g = 0;\n", {}
    for d in along(directions):
        outside += f"node {d}@N;\nCapacitor c_{d}@D(a = {d}@, b = g, C = 1, u0 = {speed(start, d)});\n"
        names[d] = f"{d}@"
    return Host({}, names, outside, imports='import "std/circuit.nsm";', first_order=True, hung="flow g to {q} = {f};")


def coil(directions, start, free):
    """The current of an inductor, in a loop with a voltage that the law gives."""
    outside, names = "node g = 0;\n", {}
    for d in along(directions):
        outside += f"node {d}@N;\nalgebraic j_{d}@N;\n"
        outside += f"Inductor l_{d}@D(a = {d}@, b = g, L = 1, i0 = {speed(start, d)});\n"
        names[d] = f"l_{d}@.i"
    return Host({}, names, outside, imports='import "std/circuit.nsm";', first_order=True,
                hung="flow g to {d}@ = j_{d}@;\n{d}@ = {f};")


KINDS = {
    "coordinates": (coordinates, "generalised coordinates with energies"),
    "constraints": (constrained, "coordinates tied by nonlinear constraints"),
    "redundant": (redundant, "the same, and every constraint said twice"),
    "bodies": (bodies, "rigid bodies in space, gaps and slips as formulas"),
    "planar bodies": (planar_bodies, "rigid bodies in the plane, gaps and slips as formulas"),
    "planar shapes": (planar_shapes, "blocks and disks on a half-plane"),
    "spatial shapes": (spatial_shapes, "boxes and spheres on a half-space"),
    "joints": (joints, "bodies on joints of std/joints.nsm"),
    "driven bodies": (driven_bodies, "gaps and slips against a driven body, as formulas"),
    "driven shapes": (driven_shapes, "boxes and spheres on a half-space that is driven"),
    "mixed": (mixed, "coordinates and first-order states"),
    "machines": (machine, "coordinates and a circuit that feel each other"),
    "first order": (first_order, "states with equations"),
    "capacitors": (network, "circuits by nodes: the voltage of a capacitor"),
    "coils": (coil, "circuits by nodes: the current of an inductor"),
}
