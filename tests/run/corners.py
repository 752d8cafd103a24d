"""Bodies that turn on a corner, an edge or a round end, with and without friction, and bodies that are driven: against
equations of motion of one coordinate, integrated to round-off between their events as in located.py."""
import math
import re

from located import SCHEMES, event_driven, run
from suite import need

G = 9.81


def orders(text, columns, end, scheme, h=4e-3, first=1e-2, within=0.15):
    """Errors at the end fall by 4 as steps are halved; the first one is small; what the last run said."""
    errors = []
    for i in range(3):
        c, err, told = run(text, h/2**i, scheme)
        errors.append([abs(c[n][-1] - x) for n, x in zip(columns, end)])
        if "located" in scheme:
            need(" 0 steps captured" in err, err)
    worst = [max(e) for e in errors]
    for a, b in zip(worst, worst[1:]):
        need(abs(math.log2(a/b) - 2) <= within, f"errors {', '.join(f'{x:.3g}' for x in worst)}")
    need(worst[0] <= first, f"error {worst[0]:.3g}")
    return c, err, told


# --- a body that tips, up to a time before the next event ---

def lagrange(mass, slope, pull):
    """theta'' of T = M(theta) theta'^2/2 and V(theta): M, M' and V' as functions."""
    return lambda t, y: [y[1], (-pull(y[0]) - 0.5*slope(y[0])*y[1]**2)/mass(y[0])]


def tips(f, theta, until):
    return event_driven([theta, 0.0], 0, {0: (f, [])}, until)[0]


def on_a_corner(I, R, sticks, incline=0.0):
    """Unit mass, its centre at a distance R of the corner and at an angle theta from the normal of the ground. What
    sticks turns about the corner; without friction the centre moves along the normal alone."""
    pull = lambda q: -G*R*math.sin(q + incline)
    if sticks:
        return lagrange(lambda q: I + R**2, lambda q: 0.0, pull)
    return lagrange(lambda q: I + (R*math.sin(q))**2, lambda q: R**2*math.sin(2*q), pull)


def planar(shape, I, centre, angle, mu, incline=0.0, more=""):
    """centre: above the corner, turned by -theta; angle: of the body."""
    law = f", coulomb({mu})" if mu else ""
    return f"""model M {{ gravity [{G*math.sin(incline)!r}, {-G*math.cos(incline)!r}];
        body ground {{ fixed, shape = halfplane }}
        body b {{ mass = 1, inertia = {I!r}, shape = {shape}, position = [{centre[0]!r}, {centre[1]!r}],
          attitude = {angle!r}{more} }}
        contact on {{ between = b, ground; with newton(0){law}; }}
        output w = b.omega; simulate {{ until = 0.2, step = 1e-3 }} }}"""


def rectangle(scheme, mu, width=1.0, height=1.0, theta=0.1, incline=0.0):
    """On its lower right corner, theta beyond the upright; angles run against the clock, theta with it."""
    R, I, alpha = math.hypot(width, height)/2, 0.1*(width**2 + height**2), math.atan2(width, height)
    end = tips(on_a_corner(I, R, mu > 0, incline), theta, 0.2)
    centre = (R*math.sin(theta), R*math.cos(theta))
    text = planar(f"rectangle([{width}, {height}])", I, centre, -theta - alpha, mu, incline)
    c, err, _ = orders(text, ("w", "b.angle"), (-end[1], -end[0] - alpha), scheme)
    took = re.search(r"\(([0-9.e+-]+) by friction\)", err)
    need(scheme != "consistent" or took, err)
    need(not took or abs(float(took.group(1))) <= 2e-8, f"friction took {took and took.group(1)} J where nothing slips")


def triangle(scheme):
    """A polygon with its corner off the axes of its body, down an incline, without friction as well."""
    R, I, theta = 0.5, 0.06, 0.2
    corners = [[R*math.cos(a), R*math.sin(a)] for a in (-math.pi/2, math.pi/6, 5*math.pi/6)]
    shape = "polygon([" + ", ".join(f"[{x!r}, {y!r}]" for x, y in corners) + "])"
    for mu, incline in ((2, 0.1), (0, 0.0)):
        end = tips(on_a_corner(I, R, mu > 0, incline), theta, 0.2)
        text = planar(shape, I, (R*math.sin(theta), R*math.cos(theta)), -theta, mu, incline)
        orders(text, ("w", "b.angle"), (-end[1], -end[0]), scheme)


def spatial(shape, turn, centre, mu, output, until=0.2):
    law = f", coulomb({mu})" if mu else ""
    return f"""model M {{ gravity [0, 0, -{G}]; body ground {{ fixed, shape = halfspace }}
        body b {{ mass = 1, shape = {shape}, attitude = {turn}, position = {centre} }}
        contact on {{ between = b, ground; with newton(0){law}; }}
        output w = {output}; simulate {{ until = {until}, step = 1e-3 }} }}"""


def box_on_edge(scheme, mu):
    """A box in space on the edge of two corners: both stick, or both slide."""
    a, b, theta = 0.4, 0.6, 0.15
    R, I, alpha = math.hypot(a, b)/2, (a*a + b*b)/12, math.atan2(a, b)
    end = tips(on_a_corner(I, R, mu > 0), theta, 0.2)
    text = spatial(f"box([{a}, 0.3, {b}])", f"rotation([0, 1, 0], {theta + alpha!r})",
                   f"[{R*math.sin(theta)!r}, 0, {R*math.cos(theta)!r}]", mu, "b.omega[2]")
    orders(text, ("w",), (end[1],), scheme)


def cube_on_corner(scheme, mu):
    """A cube on one corner, its diagonal theta beyond the upright: all its moments of inertia are the same."""
    a, theta = 0.4, 0.12
    R, I = a*math.sqrt(3)/2, a*a/6
    end = tips(on_a_corner(I, R, mu > 0), theta, 0.2)
    upright = "rotation([1, -1, 0], acos(1/sqrt(3)))"      # turns (1, 1, 1) to the vertical
    text = spatial(f"box([{a}, {a}, {a}])", f"rotation([0, 1, 0], {theta!r})*{upright}",
                   f"[{R*math.sin(theta)!r}, 0, {R*math.cos(theta)!r}]", mu, "b.r[3]'")
    orders(text, ("w",), (-R*math.sin(end[0])*end[1],), scheme)


def capsule_on_end(scheme, mu):
    """The round end rolls, or slides: the material point that touches is another one all the time."""
    r, L, theta = 0.1, 0.3, 0.3                            # between the centres of the ends: 2 L
    I = 0.02
    pull = lambda q: -G*L*math.sin(q)
    if mu:
        mass = lambda q: I + (r + L*math.cos(q))**2 + (L*math.sin(q))**2
        f = lagrange(mass, lambda q: -2*r*L*math.sin(q), pull)
    else:
        f = lagrange(lambda q: I + (L*math.sin(q))**2, lambda q: L*L*math.sin(2*q), pull)
    end = tips(f, theta, 0.2)
    text = f"""model M {{ gravity [0, 0, -{G}]; body ground {{ fixed, shape = halfspace }}
        body b {{ mass = 1, inertia = [{I}, {I}, 0.01], shape = capsule({r}, {2*L}),
          attitude = rotation([0, 1, 0], {theta!r}), position = [0, 0, {r + L*math.cos(theta)!r}] }}
        contact on {{ between = b, ground; with newton(0){f', coulomb({mu})' if mu else ''}; }}
        output w = b.omega[2]; simulate {{ until = 0.2, step = 1e-3 }} }}"""
    orders(text, ("w",), (end[1],), scheme)


# --- wheels and blocks that go from corner to corner ---

def wheel(scheme, n, slope):
    """A regular polygon of n corners rolls down a slope: corner by corner, none of them opens but by an impact."""
    R, J, spin, until = 0.3, 0.02, 4.0, 1.6
    half, I = math.pi/n, J + R*R
    k = (J + R*R*math.cos(2*half))/I
    hits = []

    def hit(t, y):
        hits.append((t, y[1]))
        return [-half, k*y[1]], 0

    start = spin*(J + (R*math.cos(half))**2)/I             # it comes along the slope on a side: a corner hits
    f = on_a_corner(J, R, True, slope)
    end, times = event_driven([-half, start], 0, {0: (f, [(lambda t, y: half - y[0], hit)])}, until)
    need(len(times) >= 2, f"{times}")
    corners = [[R*math.cos(half*(2*i + 1) - math.pi/2), R*math.sin(half*(2*i + 1) - math.pi/2)] for i in range(n)]
    shape = "polygon([" + ", ".join(f"[{x!r}, {y!r}]" for x, y in corners) + "])"
    text = planar(shape, J, (0.0, R*math.cos(half)), 0.0, 3, slope,
                  f", velocity = [{spin*R*math.cos(half)!r}, 0], spin = {-spin}")
    text = text.replace("until = 0.2", f"until = {until}")
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        c, err, told = run(text, h, scheme)
        need([e["kind"] for e in told] == ["impact"]*(1 + len(times)), f"{[e['kind'] for e in told]}")
        errors.append(max([abs(float(e["time"]) - t) for e, t in zip(told[1:], times)] + [abs(c["w"][-1] + end[1])]))
        need(abs(float(told[-1]["before"]) + 2*R*math.sin(half)*hits[-1][1]) <= 20*h*h, f"{told[-1]}, {hits[-1]}")
    for a, b in zip(errors, errors[1:]):
        need(abs(math.log2(a/b) - 2) <= 0.2, f"errors {errors}")
    gain = float(re.search(r"largest gain ([0-9.e+-]+)", run(text, 1e-3, scheme, "--record", "energy")[1]).group(1))
    need(gain <= (1e-12 if scheme.startswith("consistent") else 1e-7), f"gains {gain}")


def rocks(scheme, width, height, until):
    """Housner's block: from corner to corner, with 1 - 3/2 sin^2 of its rate at each impact."""
    R, alpha, theta = math.hypot(width, height)/2, math.atan2(width, height), 0.5*math.atan2(width, height)
    I, k = R*R/3, 1 - 1.5*math.sin(alpha)**2
    f = lambda side: lambda t, y: [y[1], -side*G*R*math.sin(alpha - side*y[0])/(I + R*R)]
    hit = lambda side: (lambda t, y: side*y[0] if side*y[1] < 0 else 1, lambda t, y: ([0.0, k*y[1]], -side))
    end, times = event_driven([theta, 0.0], 1, {s: (f(s), [hit(s)]) for s in (1, -1)}, until)
    need(2 <= len(times) <= 4, f"{times}")
    q = theta - alpha                                      # of the line from the corner to the centre
    text = planar(f"rectangle([{width}, {height}])", I, (R*math.sin(q), R*math.cos(q)), -theta, 5)
    text = text.replace("until = 0.2", f"until = {until}")
    _, _, told = orders(text, ("w", "b.angle"), (-end[1], -end[0]), scheme, first=0.05, within=0.2)
    need([e["kind"] for e in told] == ["impact"]*len(times), f"{told}")


# --- dry joints ---

def reversals(scheme):
    """A pendulum with dry friction of given size: it turns round twice, and never rests."""
    f = lambda side: lambda t, y: [y[1], -10*math.sin(y[0]) - 0.3*side]
    turns = lambda side: (lambda t, y: side*y[1] if t > 0.1 else 1, lambda t, y: ([y[0], 0.0], -side))
    end, times = event_driven([1.0, 0.0], -1, {s: (f(s), [turns(s)]) for s in (1, -1)}, 2.2)
    need(len(times) == 2, f"{times}")
    text = """model Osc { coord x = 1; kinetic x'^2/2; potential 10*(1 - cos(x));
        contact dry { normal_force = 1; slip = x'; with coulomb(0.3); } simulate { until = 2.2, step = 1e-3 } }"""
    for h in (8e-3, 3e-3):
        _, _, told = orders(text, ("x", "x'"), end, scheme, h=h)
        need(len(told) == 2 and all(abs(float(e["time"]) - t) <= h*h for e, t in zip(told, times)), f"{told}, {times}")


def hinge(scheme):
    """The same of a body on a hinge, whose rate is a slip."""
    I, r = 0.11, 0.03
    f = lambda side: lambda t, y: [y[1], (G*0.3*math.cos(y[0]) - r*side)/I]
    turns = lambda side: (lambda t, y: side*y[1] if t > 0.1 else 1, lambda t, y: ([y[0], 0.0], -side))
    end, times = event_driven([0.0, 0.0], 1, {s: (f(s), [turns(s)]) for s in (1, -1)}, 1.9)
    need(abs(end[1] - 5.737281051208968) <= 1e-12, f"{end}")
    text = """import "std/joints.nsm";
        model X { gravity [0, 0, -9.81];
        body b { mass = 1, inertia = [0.01, 0.02, 0.02], position = [0.3, 0, 0] }
        Hinge h(A = ground, B = b, at = [0, 0, 0], axis = [0, 1, 0]);
        contact dry { normal_force = 1 [N]; slip = h.rate*0.1; with coulomb(0.3); }
        output rate = h.rate; simulate { until = 1.9, step = 1e-3 } }"""
    orders(text, ("rate",), (end[1],), scheme)


# --- driven bodies ---

def paddle(scheme, axis):
    """A driven paddle turns about an axis and pushes a ball outwards, s'' = w^2 s along it: no friction, no gravity."""
    a, b, w, d = (axis + 1) % 3, (axis + 2) % 3, 1.1, 0.2
    box, at, v, along = [0]*3, [0]*3, [0]*3, [0]*3
    box[a], box[b], box[axis] = 4, 2*d - 0.2, 1
    at[a], at[b], v[b], along[axis] = 1.0, d, w, 1
    s = math.cosh(w) + d*math.sinh(w)                      # s' = w d at first: the ball has no speed along the paddle
    text = f"""model P {{ body paddle {{ driven, shape = box({box}), attitude = rotation({along}, {w}*time) }}
        body ball {{ mass = 1, shape = sphere(0.1), position = {at}, velocity = {v} }}
        contact c {{ between = ball, paddle; with newton(0); }}
        output radius = norm([ball.r[{a + 1}], ball.r[{b + 1}]]);
        output off = ball.r[{b + 1}]*cos({w}*time) - ball.r[{a + 1}]*sin({w}*time) - {d};
        simulate {{ until = 1, step = 1e-3 }} }}"""
    c, _, _ = orders(text, ("radius",), (math.hypot(s, d),), scheme)
    need(max(map(abs, c["off"])) <= (1e-13 if scheme.startswith("consistent") else 1e-6), f"off by {max(c['off'])!r}")


def turntable(scheme):
    """A block stands on a driven plate that turns about a horizontal axis: it turns with it, and does not slip."""
    text = """model T { gravity [0, 0, -9.81];
        body plate { driven, shape = box([2, 2, 0.2]), attitude = rotation([0, 1, 0], 0.1*(1 - cos(3*time))) }
        body b { shape = box([0.2, 0.2, 0.1]), density = 1000, position = [0.5, 0, 0.15] }
        contact c { between = b, plate; with newton(0), coulomb(0.8); }
        output along = b.r[1]*cos(0.1*(1 - cos(3*time))) - b.r[3]*sin(0.1*(1 - cos(3*time))) - 0.5;
        output above = b.r[1]*sin(0.1*(1 - cos(3*time))) + b.r[3]*cos(0.1*(1 - cos(3*time))) - 0.15;
        simulate { until = 1.5, step = 1e-2 } }"""
    worst = []
    for h in (1e-2, 5e-3):
        c, err, _ = run(text, h, scheme)
        need("located" not in scheme or " 0 steps captured" in err, err)
        worst.append(max(max(map(abs, c["along"])), max(map(abs, c["above"]))))
    need(worst[0] <= 1e-4 and worst[1] <= 0.3*worst[0], f"off by {worst}")


TWO = tuple(f"{s}(located = true)" for s in SCHEMES)
ALL = TWO + ("consistent",)
def over_a_sphere():
    """A sphere that slips, then rolls, over a sphere, with rolling friction: its couple turns with the ground. Both
    schemes have order 2 and, extrapolated, one end."""
    text = """model M { gravity [0, 0, -9.81]; body hill { fixed, shape = sphere(0.5) }
        body p { density = 1000, shape = sphere(0.1), position = [0.05, 0, sqrt(0.36 - 0.0025)], velocity = [0, 0.1, 0],
          spin = [5, 0, 0] }
        contact c { between = hill, p; with newton(0), rolling(0.3, 0.001); }
        simulate { until = 0.3, step = 1e-3 } }"""
    ends = []
    for scheme in SCHEMES:
        end = []
        for k in range(4):
            c, _, _ = run(text, 4e-3/2**k, f"{scheme}(located = true)")
            end.append([c[f"p.r[{i}]"][-1] for i in (1, 2, 3)] + [c[f"p.q[{i}]"][-1] for i in (1, 2, 3, 4)])
        first, last = (max(abs(x - y) for x, y in zip(*end[k:k + 2])) for k in (0, 2))
        need(first/last > 9, f"{scheme}: {first:.3g}, {last:.3g}")
        ends.append([y + (y - x)/3 for x, y in zip(*end[2:])])
    need(all(abs(x - y) <= 1e-6 for x, y in zip(*ends)), f"{ends}")


CASES = [("corners, over a sphere", over_a_sphere)]
CASES += [(f"corners, a {w:g} by {h:g} rectangle {'sticks' if mu else 'slides'} on {slope:g}: {s}", rectangle, s, mu,
          w, h, 0.1, slope) for s in ALL
         for w, h, mu, slope in ((1, 1, 0, 0), (1, 1, 1, 0), (0.2, 0.8, 2, 0.05), (2, 0.5, 3, -0.04))]
CASES += [(f"corners, {name} {'sticks' if mu else 'slides'}: {s}", check, s, mu) for s in ALL for mu in (0, 3)
          for name, check in (("a box on its edge", box_on_edge), ("a cube on its corner", cube_on_corner),
                              ("a capsule on its end", capsule_on_end))]
CASES += [(f"corners, {name}: {s}", check, s) for s in ALL for name, check in (("a triangle", triangle),
                                                                               ("a plate that turns", turntable))]
CASES += [(f"corners, a wheel of {n}: {s}", wheel, s, n, slope) for s in TWO
          for n, slope in ((7, 0.18), (6, math.radians(12)), (9, 0.1))]
CASES += [(f"corners, a block {w:g} by {h:g} rocks: {s}", rocks, s, w, h, until) for s in TWO
          for w, h, until in ((0.2, 0.8, 1.2), (0.3, 0.7, 0.7))]
CASES += [(f"corners, {name}: {s}", check, s) for s in TWO for name, check in (("a slip turns round", reversals),
                                                                               ("a hinge turns round", hinge))]
CASES += [(f"corners, a paddle about axis {axis + 1}: {s}", paddle, s, axis) for s in ALL for axis in range(3)]
