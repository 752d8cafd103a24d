"""Joints: against an independent program of minimal coordinates, against published angles, angles that count
revolutions (docs/numerics/bodies.md, section 6). CASES as in bodies.py."""
import math

from claims import run
from suite import ROOT, SANITIZED, need

G = 9.81


# --- an independent program: angles of a chain of hinges, Newton and Euler's recursion, Runge and Kutta's method ---

def cross(a, b):
    return (a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0])


def add(*v):
    return tuple(map(sum, zip(*v)))


def times(s, a):
    return (s*a[0], s*a[1], s*a[2])


def dot(a, b):
    return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]


def turn(axis, angle, v):
    """v turned about a unit axis [Rodrigues]."""
    c, s = math.cos(angle), math.sin(angle)
    return add(times(c, v), times(s, cross(axis, v)), times((1 - c)*dot(axis, v), axis))


class Chain:
    """Rods of length l along `way`, hinged end to end about axes given where all angles are 0."""

    def __init__(self, axes, way, l, m, J):
        self.axes = [times(1/math.sqrt(dot(a, a)), a) for a in axes]
        self.way, self.l, self.m, self.J, self.n = way, l, m, J, len(axes)

    def moments(self, q, dq, ddq, g):
        """What the motors of the hinges must give for the accelerations ddq."""
        frame = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        w, dw, a = (0, 0, 0), (0, 0, 0), (0, 0, g)
        links, out = [], [0.0]*self.n
        for i in range(self.n):
            axis = add(*[times(self.axes[i][k], frame[k]) for k in range(3)])
            frame = [turn(axis, q[i], e) for e in frame]
            dw = add(dw, times(ddq[i], axis), times(dq[i], cross(w, axis)))
            w = add(w, times(dq[i], axis))
            arm = add(*[times(self.l/2*self.way[k], frame[k]) for k in range(3)])
            centre = add(a, cross(dw, arm), cross(w, cross(w, arm)))
            a = add(a, times(2, cross(dw, arm)), times(2, cross(w, cross(w, arm))))
            def inertia(v, f=frame):
                return add(*[times(self.J[k]*dot(f[k], v), f[k]) for k in range(3)])
            links.append((axis, arm, times(self.m, centre), add(inertia(dw), cross(w, inertia(w)))))
        force, moment = (0, 0, 0), (0, 0, 0)
        for i in reversed(range(self.n)):
            axis, arm, f, t = links[i]
            moment = add(moment, t, cross(times(2, arm), force), cross(arm, f))
            force = add(force, f)
            out[i] = dot(axis, moment)
        return out

    def accelerations(self, q, dq):
        n, zero = self.n, [0.0]*self.n
        rest = self.moments(q, dq, zero, G)
        A = [self.moments(q, zero, [float(i == k) for i in range(n)], 0) + [-rest[k]] for k in range(n)]
        for i in range(n):                                    # positive definite, so no pivots
            for k in range(i + 1, n):
                f = A[k][i]/A[i][i]
                if f:
                    A[k] = [x - f*y for x, y in zip(A[k], A[i])]
        x = zero[:]
        for i in reversed(range(n)):
            x[i] = (A[i][n] - sum(A[i][k]*x[k] for k in range(i + 1, n)))/A[i][i]
        return x

    def after(self, t, steps):
        h, n, y = t/steps, self.n, [0.0]*(2*self.n)
        slope = lambda y: y[n:] + self.accelerations(y[:n], y[n:])
        for _ in range(steps):
            a = slope(y)
            b = slope([u + h/2*v for u, v in zip(y, a)])
            c = slope([u + h/2*v for u, v in zip(y, b)])
            d = slope([u + h*v for u, v in zip(y, c)])
            y = [u + h/6*(p + 2*r + 2*s + w) for u, p, r, s, w in zip(y, a, b, c, d)]
        return y[:n]


def extrapolated(model, names, steps):
    """The last values of three steps h, h/2, h/4, by Richardson: errors h^2, h^4, ...; and the ratio of differences."""
    v = []
    for h in steps:
        c = run(model.replace("STEP", repr(h)))[0]
        v.append([c[n][-1] for n in names])
    once = [[b + (b - a)/3 for a, b in zip(v[i], v[i + 1])] for i in range(2)]
    ratio = max(abs(b - a) for a, b in zip(v[0], v[1]))/max(abs(b - a) for a, b in zip(v[1], v[2]))
    return [b + (b - a)/15 for a, b in zip(*once)], ratio


CHAIN = """import "std/joints.nsm";
model Chain {{
  param n = {n}, l = {l};
  gravity [0, 0, -9.81];
  body rod[i in 1:n] {{ mass = {m}, inertia = [{J[0]}, {J[1]}, {J[2]}], position = (i - 1/2)*l*[{way}] }}
  Hinge first(A = ground, B = rod[1], at = [0, 0, 0], axis = {first});
  Hinge joint[i in 2:n](A = rod[i-1], B = rod[i], at = (i - 1)*l*[{way}], axis = {axis});
  simulate {{ until = 0.2, step = STEP, scheme = consistent }}
  expect drift(energy) <= 1e-12;
}}"""


def against_minimal_coordinates(n, way, axes, first, axis, J, steps):
    l, m = 0.2, 0.5
    model = CHAIN.format(n=n, l=l, m=m, J=J, way=", ".join(map(str, way)), first=first, axis=axis)
    names = ["first.angle"] + [f"joint[{i}].angle" for i in range(2, n + 1)]
    ours, ratio = extrapolated(model, names, steps)
    other = Chain(axes, way, l, m, J).after(0.2, 100)
    off = max(abs(a - b) for a, b in zip(ours, other))
    need(off <= 1e-8, f"the angles differ by {off:.2e}")
    need(abs(ratio - 4) <= 0.1, f"the order is not 2: differences in the ratio {ratio:.3f}")


def chain_of_ten():
    axes = [(0, 1, 0.3 if i % 2 else -0.3) for i in range(10)]
    against_minimal_coordinates(10, (1, 0, 0), axes, "[0, 1, -0.3]",
                                "[0, 1, if floor(i/2)*2 == i then 0.3 else -0.3]", (1e-4, 2e-3, 2e-3),
                                (1e-3, 5e-4, 2.5e-4))


def arm_of_seven():
    axes = [(0, i % 2, 1 - i % 2) if i else (0, 0.6, 0.8) for i in range(7)]
    against_minimal_coordinates(7, (0.6, 0, 0.8), axes, "[0, 0.6, 0.8]",
                                "[0, if floor(i/2)*2 == i then 1 else 0, if floor(i/2)*2 == i then 0 else 1]",
                                (1e-3, 2e-3, 2.5e-3), (1e-3, 5e-4, 2.5e-4))


# --- published angles ---

def squeezer():
    """Test set of Mazzia and Magherini, at 0.03 s."""
    text = (ROOT/"models"/"iftomm_a03_squeezer.nsm").read_text()
    text = text[:text.index("  simulate")] + "  simulate { until = 0.03 [s], step = 4 [us] }\n}\n"
    c = run(text)[0]
    for name, want in (("beta", 15.81077119629904), ("theta", -15.75637105984298), ("gamma", 0.04082224013073101),
                       ("phi", -0.5347301163226948), ("delta", 0.5244099658805304), ("omega", 0.5347301163226948),
                       ("epsilon", 1.048080741042263)):
        need(abs(c[name][-1] - want) <= 1e-5, f"{name} is {c[name][-1]!r}, not {want!r}")


# --- revolutions ---

def revolutions():
    """A motor turns a hinge by many revolutions: the angle does not jump, and the work is that of its moment."""
    c = run("""import "std/joints.nsm";
model Motor {
  body b { mass = 1, inertia = [0.1, 0.1, 0.2], attitude = rotation([1, 1, 0], 0.3) }
  Hinge h(A = b, B = ground, at = [0, 0, 0], axis = [1, 2, 2]);
  force h.angle = 1;
  output E = 0.1*b.spin[1]^2/2 + 0.1*b.spin[2]^2/2 + 0.2*b.spin[3]^2/2;
  simulate { until = 10, step = 0.01, scheme = consistent }
}""")[0]
    angle, work = c["h.angle"], c["E"]
    need(abs(angle[-1]) > 100, f"it turned by {angle[-1]} only")
    need(max(abs(b - a) for a, b in zip(angle, angle[1:])) < 2, "the angle jumps")
    off = max(abs(a - e) for a, e in zip(angle, work))
    need(off <= 1e-10, f"the work is off by {off:.2e}")


def redundant():
    """1000 steps of Bennett's linkage: energy by its claim, and the closed form of its angles."""
    text = (ROOT/"models"/"bennett_linkage.nsm").read_text().replace("until = 2 [s], step = 4 [ms]",
                                                                     "until = 8 [s], step = 8 [ms]")
    c = run(text)[0]
    need(max(map(abs, c["product"])) <= 1e-10, "the angles leave their closed form")


def windows_of_forty():
    """81 rods pass the singular positions of A02 straight through, as one rod does; fewer under the sanitizers."""
    windows = 15 if SANITIZED else 40
    text = (ROOT/"models"/"iftomm_a02_windows.nsm").read_text().replace("n = 2,", f"n = {windows},")
    c = run(text)[0]
    need(max(map(abs, c["spread"])) <= 1e-9, "the posts are not parallel")
    need(max(map(abs, c["one_rod"])) <= 1e-9*603, "they do not move as one rod")


def four_bar_at_rest():
    """24 rows on 18 coordinates that do not move: what rounding makes of rows that are 0 by symmetry is no residual."""
    text = (ROOT/"models"/"spatial_four_bar.nsm").read_text()
    text = text.replace("force q1", "// force q1").replace("force h1", "// force h1")
    text = text[:text.index("  simulate")] + "  simulate { until = 2.2 [s], step = 2 [ms] }\n}\n"
    c = run(text)[0]
    need(max(map(abs, c["q1.angle"])) <= 1e-9, "it falls from where it stands")


def floating(kind, words):
    """Two bodies in space on one joint, with a spring: momentum, angular momentum, energy to round-off."""
    text = """import "std/joints.nsm";
model F {
  body one { mass = 1, inertia = [0.2, 0.25, 0.1], spin = [1, 2, 3] }
  body two { mass = 2, inertia = [0.3, 0.15, 0.35], position = [1, 0.1, 0.3], attitude = rotation([1, 2, 3], 0.5),
             spin = [1, 0, 2], velocity = [0.1, 0.2, -0.3] }
  KIND j(A = one, B = two, at = [0.5, 0.1, 0]WORDS);
  potential 5*(norm(one.point([0, 0.3, 0.1]) - two.point([0.2, 0, 0.4])) - 0.5)^2;
  var L = one.R*[0.2*one.spin[1], 0.25*one.spin[2], 0.1*one.spin[3]] + cross(one.r, one.r') +
          two.R*[0.3*two.spin[1], 0.15*two.spin[2], 0.35*two.spin[3]] + 2*cross(two.r, two.r');
  var P = one.r' + 2*two.r';
  output L1 = L[1]; output L2 = L[2]; output L3 = L[3]; output P1 = P[1]; output P2 = P[2]; output P3 = P[3];
  simulate { until = 5, step = 5 [ms], scheme = consistent }
}""".replace("KIND", kind).replace("WORDS", words)
    c, s, _ = run(text, "--project-start")
    for x in "LP":
        off = max(math.dist([c[f"{x}{i}"][k] for i in (1, 2, 3)], [c[f"{x}{i}"][0] for i in (1, 2, 3)])
                  for k in range(len(c["time"])))
        need(off <= 1e-12, f"{x} moves by {off:.2g}")
    need(s["energy"]["drift"] <= 1e-12*abs(s["energy"]["initial"]), f"energy {s['energy']}")


def balanced():
    """Two jaws on slides pull outwards alike: no joint carries a torque. What rounding leaves of these rows is no
    residual; the palm goes as the sum of the weights, less the lift."""
    text = """import "std/joints.nsm";
model Balanced {
  gravity [0, -9.81] [m/s^2];
  body palm { mass = 1 [kg], inertia = 0.01 [kg*m^2], position = [0, 0.5] [m] }
  body jaw[i in 1:2] { mass = 0.3 [kg], inertia = 0.002 [kg*m^2], position = [(2*i - 3)*0.2, 0.3] [m] }
  PlanarSlider lift(A = ground, B = palm, at = [0, 0.5] [m], axis = [0, 1]);
  PlanarSlider close[i in 1:2](A = palm, B = jaw[i], at = jaw[i].r, axis = [1, 0]);
  force lift.position = 15.7 [N];
  for i in 1:2 { force close[i].position = (2*i - 3)*30 [N]; }
  output turn = norm([palm.angle, jaw[1].angle, jaw[2].angle]);
  simulate { until = 1 [s], step = 1 [ms] }
}
"""
    for scheme in ("consistent", "moreau", "midpoint"):
        c = run(text.replace("1 [ms]", "1 [ms], scheme = " + scheme))[0]
        need(max(c["turn"]) <= 1e-12, f"{scheme}: something turns")
        place = 0.5 + 0.5*(15.7/1.6 - G)
        need(abs(c["palm.r[2]"][-1] - place) <= 1e-4, f"{scheme}: the palm is at {c['palm.r[2]'][-1]}")


def falling():
    """Bodies on joints fall freely: no joint has a force, and what rounding leaves of the turns is no residual. Among
    them a rod that acts beside the centre, along an axis of its body."""
    text = """import "std/joints.nsm";
model Falling {
  gravity [0, 0, -9.81] [m/s^2];
  body b0 { shape = box([0.2, 0.15, 0.1] [m]), density = 200, attitude = rotation([0.3, 0.2, -0.9], 1) }
  body b1 { shape = capsule(0.06 [m], 0.2 [m]), density = 5000, position = [0.5, 0.1, 0.1] [m],
            attitude = rotation([-0.8, 0.4, 0.1], 2) }
  body b2 { shape = cylinder(0.1 [m], 0.1 [m]), density = 1000, position = [1, 0, 0.2] [m],
            attitude = rotation([0.5, 0.5, 0.6], 2.5) }
  body b3 { shape = box([0.2, 0.15, 0.1] [m]), density = 5000, position = [1.5, -0.1, 0] [m],
            attitude = rotation([0.1, -0.7, 0.2], 0.7) }
  Cylindrical first(A = b0, B = b1, at = [0.25, 0, 0.05] [m], axis = [0.24, 0, 0.06]);
  Hinge second(A = b1, B = b2, at = [0.75, 0, 0.1] [m], axis = [0.17, -0.09, -0.4]);
  Rod third(A = b2, B = b3, a = [0.02, 0, 0.01] [m], b = [0, 0.03, 0] [m]);
  potential 5 [N*m]*second.angle^2/2;
  output turn = norm(b0.spin) + norm(b1.spin) + norm(b2.spin) + norm(b3.spin), speed = b3.r[3]';
  simulate { until = 1 [s], step = 2 [ms] }
}
"""
    for scheme in ("consistent", "moreau"):
        c, _, err = run(text.replace("2 [ms]", "2 [ms], scheme = " + scheme))
        need("tolerance" not in err, f"{scheme}: a step stopped above its tolerance: {err}")
        need(max(c["turn"]) <= 1e-11, f"{scheme}: something turns: {max(c['turn'])}")
        need(abs(c["speed"][-1] + 9.81) <= 1e-12, f"{scheme}: it falls at {c['speed'][-1]}")


def no_runaway():
    """Where rod and slot come to lie across their bodies an iterate far away, with 10¹² times the energy, looks small
    beside its own terms: it is not taken."""
    text = """import "std/joints.nsm";
model Rack {
  gravity [0, -9.81] [m/s^2];
  param heavy = 5000 [kg/m^2], light = 2 [kg/m^2];
  body floor { fixed, shape = halfplane }
  body b0 { shape = polygon([[-0.1, -0.1], [0.12, -0.08], [0, 0.15]] [m]), density = light, position = [0, 0.656] [m] }
  body b1 { shape = disk(0.1 [m]), density = light, position = [0.4, 0.5869] [m] }
  body b2 {
    shape = polygon([[-0.1, -0.1], [0.12, -0.08], [0, 0.15]] [m]), density = heavy, position = [0.8, 0.547] [m],
    attitude = 2.97
  }
  body b3 { shape = polygon([[-0.1, -0.1], [0.12, -0.08], [0, 0.15]] [m]), density = heavy, position = [1.2, 0.6773] [m]
  }
  body b4 { shape = rectangle([0.2, 0.15] [m]), density = heavy, position = [1.6, 0.6016] [m] }
  PlanarFixed j0(A = ground, B = b0, at = [0, 0.828] [m]);
  Rope j1(A = b0, B = b1, a = [0.02, 0.01] [m], b = [0, 0.03] [m]);
  PlanarSlider j2(A = b0, B = b2, at = [0.4, 0.6015] [m], axis = [-0.6228, -0.4833]);
  Rod j3(A = b0, B = b3, a = [0.02, 0.01] [m], b = [0, 0.03] [m]);
  PinInSlot j4(A = b0, B = b4, at = [0.8, 0.6288] [m], axis = [0.4772, 0.3894]);
  contact falls { between = [b0, b1, b2, b3, b4], floor; with newton(0.3), coulomb(0.3); }
  simulate { until = 0.5 [s], step = 2 [ms] }
}
"""
    _, s, _ = run(text)
    need(s["status"] == "ok" and s["energy"]["gain"] <= 1e-9*s["energy"]["initial"], f"{s['status']}, {s['energy']}")
    need(abs(s["energy"]["residue"]) <= 1e-9*s["energy"]["initial"], f"{s['energy']}")


DOOR = """
import "std/joints.nsm";
model DoorAndCrate {
  gravity [0, 0, -9.81] [m/s^2];
  discrete torque : N*m = 0;
  every 20 [ms] { torque = 0.4 [N*m] - torque; }
  body floor { fixed, shape = halfspace }
  body door { mass = 2 [kg], inertia = [0.1, 0.1, 0.1] [kg*m^2], position = [0.4, 0, 1] [m] }
  body crate {
    mass = 1 [kg], shape = box([0.2, 0.2, 0.2] [m]), position = [2, 0, 0.1] [m], velocity = [1, 0.3, 0] [m/s]
  }
  Hinge top(A = ground, B = door, at = [0, 0, 1.2], axis = [0, 0, 1], mu = 0.1, radius = 0.01, motor_torque = torque);
  Hinge low(A = ground, B = door, at = [0, 0, 0.8], axis = [0, 0, 1], mu = 0.1, radius = 0.01);
  contact lies { between = crate, floor; with newton(0), coulomb(0.3); }
  output w : rad/s = top.rate, v : m/s = norm(crate.r');
  simulate { until = 1 [s], step = 2 [ms] }
}
"""


def door_and_crate():
    """Dry hinges said twice, a sampled motor and a crate that slides to rest, in every scheme: one motion."""
    rates = []
    for scheme in ("moreau", "moreau(located = true)", "consistent", "consistent(located = true)", "midpoint"):
        c, s, _ = run(DOOR, "--scheme", scheme)
        rates.append(c["w"][-1])
        need(c["v"][-1] <= 1e-12, f"{scheme}: the crate moves at {c['v'][-1]!r}")
        need(abs(s["energy"]["residue"]) <= 1e-6*s["energy"]["initial"], f"{scheme}: {s['energy']}")
    need(max(rates) - min(rates) <= 1e-4*max(rates), f"the door turns at {rates}")


# --- joints with names ---

ALIKE = [("Hinge", "", ", mu = 0.2, radius = 0.01", ("consistent", "moreau", "midpoint")),
         ("Ball", "", ", damping = 0.02", ("consistent",)), ("Universal", ", axis2 = [3, 0, 0]", "", ("moreau",))]


def chain_of(kind, axis2, more, named):
    """Four bodies on joints at slanted axes, as families or with a name for each; every other joint is written from
    the outer body to the inner one."""
    axis = "" if kind == "Ball" else ", axis = [0, 2, {0} - 1.5]" + axis2
    body = "{{ mass = 1 + 0.1*{0}, inertia = [0.01, 0.02, 0.015], position = [0.1 + 0.2*{0}, 0, 0.01*{0}], " \
           "spin = [0.3, 0.1*{0}, -0.2] }}"
    joint = f"A = {{1}}, B = {{2}}, at = [0.2*({{0}} + 1), 0, 0.01*({{0}} + 1)]{axis}{more}"
    if named:
        items = [f"body rod{i} " + body.format(i) for i in range(1, 6)]
        items += [f"{kind} j{i}(" + joint.format(i, *(f"rod{k}" for k in ((i, i+1) if i < 3 else (i+1, i)))) + ");"
                  for i in range(1, 5)]
    else:
        items = ["body rod[i in 1:5] " + body.format("i"),
                 f"{kind} j[i in 1:2](" + joint.format("i", "rod[i]", "rod[i+1]") + ");",
                 f"{kind} k[i in 3:4](" + joint.format("i", "rod[i+1]", "rod[i]") + ");"]
    return "import \"std/joints.nsm\";\nmodel Chain {\n  gravity [0, 0, -9.81];\n  " + "\n  ".join(items) + \
           "\n  simulate { until = 0.1, step = 2e-3 }\n}\n"


def named_joints():
    """Joints that are named one by one share their kernels (compiler/plan/alike.c): they move as families do, which are
    made without that."""
    for kind, axis2, more, schemes in ALIKE:
        for scheme in schemes:
            family = run(chain_of(kind, axis2, more, False), "--scheme", scheme, "--project-start")[0]
            named = run(chain_of(kind, axis2, more, True), "--scheme", scheme, "--project-start")[0]
            for i in range(1, 6):
                for axis in (1, 2, 3):
                    a, b = family[f"rod[{i}].r[{axis}]"], named[f"rod{i}.r[{axis}]"]
                    off = max(abs(x - y) for x, y in zip(a, b))
                    need(off <= 1e-12, f"{kind}{more} by {scheme}: rod {i} is off by {off:.1e}")


def about_its_centre():
    """A crank whose rate is given turns about its centre of mass, and its pin strikes bars: no row of its place has a
    size of its own, and what is left there is round-off of nothing (it was 1e-286 m/s, and ended the run)."""
    bars = ", ".join(f"rectangle([20, 8] [mm]) at([{x}, {y}] [mm], {turn} [deg])" for x, y, turn in
                     ((28, 14, 45), (14, 28, 45), (-28, 14, -45), (-14, 28, -45)))
    text = """import "std/joints.nsm";
      model Struck {
        body base { fixed, position = [0, 0] [m] }
        body crank { mass = 0.1 [kg], inertia = 1e-4 [kg*m^2], position = [0, 0] [m],
                     shape = disk(3 [mm]) at([-40, 0] [mm]) }
        body wheel { mass = 0.1 [kg], inertia = 5e-5 [kg*m^2], position = [56.568542, 0] [mm], shape = union(%s) }
        Pin p1(A = base, B = crank, at = [0, 0] [m], motor_rate = 6 [rad/s]);
        Pin p2(A = base, B = wheel, at = [56.568542, 0] [mm], mu = 0.05, radius = 5 [mm]);
        contact touch { between = crank, wheel; with newton(0), coulomb(0.1); }
        output rate = p1.rate;
        simulate { until = 4 [s], step = 1 [ms], scheme = %s }
      }""" % (bars, "%s")
    for scheme in "moreau(theta = 1/2)", "moreau(theta = 1)":
        out = run(text % scheme)[0]
        done = abs(out["time"][-1] - 4) < 1e-12 and abs(out["rate"][-1] - 6) <= 1e-12
        need(done, f"{scheme}: ends at {out['time'][-1]}")


CASES = [("a crank about its centre", about_its_centre),
         ("chain of 10 hinges against minimal coordinates", chain_of_ten),
         ("arm of 7 hinges against minimal coordinates", arm_of_seven),
         ("squeezer against published angles", squeezer), ("an angle counts revolutions", revolutions),
         ("Bennett's linkage for long", redundant), ("40 windows", windows_of_forty),
         ("four-bar at rest", four_bar_at_rest), ("forces in balance", balanced), ("bodies on joints fall", falling),
         ("no iterate runs away", no_runaway),
         ("joints with names", named_joints), ("dry hinges said twice beside a crate", door_and_crate)]
for kind_, words_ in (("Hinge", ", axis = [1, 2, 1]"), ("Screw", ", axis = [1, 2, 1], pitch = 0.3"),
                      ("Slider", ", axis = [1, 2, 1]"), ("Planar", ", axis = [1, 2, 1]"),
                      ("Universal", ", axis = [0, 0, 1], axis2 = [1, 1, 0]")):
    CASES.append((f"floating on a {kind_}", floating, kind_, words_))
