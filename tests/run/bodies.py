"""Claims about bodies: closed forms, orders, conservation, independent programs, the same bits by every backend.

Each function takes the case; CASES lists them with their names for the suite.
"""
import math

from claims import run
from suite import ROOT, need


def max_off(c, names, scale):
    return max(math.dist([c[n][i] for n in names], [c[n][0] for n in names]) for i in range(len(c["time"])))/scale


# --- the free top ---

J = (1.0, 2.0, 2.5)
SPIN = (0.4, 3.0, 0.6)
FREE = """model T {{
  param J = [1, 2, 2.5];
  body b {{ mass = 1, inertia = [J[1], J[2], J[3]], spin = [{0}, {1}, {2}], attitude = rotation([1, 2, 2], 0.7) }}
  var L = b.R*[J[1]*b.spin[1], J[2]*b.spin[2], J[3]*b.spin[3]];
  output Lx = L[1]; output Ly = L[2]; output Lz = L[3];
  output off = sqrt(dot(b.q, b.q)) - 1;
  output E = J[1]*b.spin[1]^2/2 + J[2]*b.spin[2]^2/2 + J[3]*b.spin[3]^2/2;
  simulate {{ until = {3}, step = {4}, scheme = {5} }}
}}"""


def jacobi(u, m):
    """sn, cn, dn of u with parameter m, by descending Landen transformations [Abramowitz and Stegun, 16.4]."""
    a, b, c, n = [1.0], math.sqrt(1 - m), [math.sqrt(m)], 0
    while abs(c[n]) > 1e-17 and n < 30:
        a.append((a[n] + b)/2)
        c.append((a[n] - b)/2)
        b = math.sqrt(a[n]*b)
        n += 1
    phi = 2**n*a[n]*u
    for k in range(n, 0, -1):
        phi = (phi + math.asin(c[k]*math.sin(phi)/a[k]))/2
    sn = math.sin(phi)
    return sn, math.cos(phi), math.sqrt(1 - m*sn*sn)


def elliptic_k(m):
    a, b = 1.0, math.sqrt(1 - m)
    while abs(a - b) > 1e-15*a:
        a, b = (a + b)/2, math.sqrt(a*b)
    return math.pi/(2*a)


def closed_form(t):
    """Euler's equations for J1 < J2 < J3 from SPIN [Landau and Lifshitz, Mechanics, section 37]."""
    e2 = sum(j*w*w for j, w in zip(J, SPIN))
    l2 = sum((j*w)**2 for j, w in zip(J, SPIN))
    j1, j2, j3 = J
    swap = l2 < e2*j2                       # then the roles of the axes 1 and 3 change
    if swap:
        j1, j3 = j3, j1
    w = (SPIN[2], SPIN[1], SPIN[0]) if swap else SPIN
    a1 = math.sqrt((e2*j3 - l2)/(j1*(j3 - j1)))
    a2 = math.sqrt((e2*j3 - l2)/(j2*(j3 - j2)))
    a3 = math.sqrt((l2 - e2*j1)/(j3*(j3 - j1)))
    rate = math.sqrt((j3 - j2)*(l2 - e2*j1)/(j1*j2*j3))
    m = (j2 - j1)*(e2*j3 - l2)/((j3 - j2)*(l2 - e2*j1))
    # signs and phase: w1 = s1 a1 cn, w2 = s2 a2 sn, w3 = s3 a3 dn, with s2 = by the equation of w2'
    s1, s3 = math.copysign(1, w[0]), math.copysign(1, w[2])
    s2 = s1*s3 if not swap else -s1*s3
    lo, hi = -elliptic_k(m), elliptic_k(m)
    for _ in range(200):
        mid = (lo + hi)/2
        if s2*a2*jacobi(mid, m)[0]*s2 < s2*w[1]:
            lo = mid
        else:
            hi = mid
    sn, cn, dn = jacobi(lo + rate*t, m)
    out = (s1*a1*cn, s2*a2*sn, s3*a3*dn)
    return out[::-1] if swap else out


def free_top_order(scheme):
    errors = []
    for n in (100, 200, 400):
        c, _, _ = run(FREE.format(*SPIN, 2, 2/n, scheme))
        errors.append(math.dist([c[f"b.spin[{i}]"][-1] for i in (1, 2, 3)], closed_form(2)))
    orders = [math.log2(a/b) for a, b in zip(errors, errors[1:])]
    need(all(abs(o - 2) <= 0.05 for o in orders) and errors[-1] < 1e-3, f"errors {errors}, orders {orders}")


def free_top_conserves(scheme):
    speed = math.hypot(*SPIN)
    c, _, _ = run(FREE.format(*SPIN, 10**4*0.4/speed, 0.4/speed, scheme))
    e = max(abs(x - c["E"][0]) for x in c["E"])/c["E"][0]
    l = max_off(c, ("Lx", "Ly", "Lz"), math.hypot(*(j*w for j, w in zip(J, SPIN))))
    q = max(abs(x) for x in c["off"])
    kept = e <= 1e-13 and l <= 1e-13 and q <= 1e-14
    need(len(c["time"]) >= 10**4 and kept, f"dE/E {e:.2g}, dL/L {l:.2g}, |p|-1 {q:.2g}")


def moreau_keeps_energy():
    """The gyroscopic term at the mean velocity does no work; Newton's method stops at its tolerance."""
    speed = math.hypot(*SPIN)
    c, _, _ = run(FREE.format(*SPIN, 10**3*0.4/speed, 0.4/speed, "moreau(theta = 1/2)"))
    e = max(abs(x - c["E"][0]) for x in c["E"])/c["E"][0]
    need(e <= 1e-10, f"dE/E {e:.2g}")


# --- tops ---

HEAVY = """model H {{
  param A = 0.2, C = 0.05, l = 0.5;
  body top {{ mass = 1, inertia = [A, A, C], position = [0, -l*sin({tilt}), l*cos({tilt})],
             attitude = rotation([1, 0, 0], {tilt}), {start} }}
  gravity [0, 0, -9.81];
  var foot = top.point([0, 0, -l]);
  constraint x: foot[1] = 0;
  constraint y: foot[2] = 0;
  constraint z: foot[3] = 0;
  var L = top.R*[A*top.spin[1], A*top.spin[2], C*top.spin[3]];
  output Lz = L[3] + top.r[1]*top.r[2]' - top.r[2]*top.r[1]';
  output tilt = acos(min(1, max(-1, top.R[3, 3])));
  output azimuth = atan2(top.R[1, 3], -top.R[2, 3]);
  output gap = max(abs(foot[1]), max(abs(foot[2]), abs(foot[3])));
  var slip = foot';
  output rate = max(abs(slip[1]), max(abs(slip[2]), abs(slip[3])));
  simulate {{ until = {until}, step = {step}, scheme = {scheme} }}
}}"""


def precession(tilt, w3, fast=False):
    """The steady precession O of a heavy top: A' cos(tilt) O^2 - C w3 O + m g l = 0, w3 the spin about the axis."""
    a, c, mgl = 0.2 + 0.25, 0.05, 9.81*0.5
    p, q = a*math.cos(tilt), c*w3
    root = math.sqrt(q*q - 4*p*mgl)
    return (q + root)/(2*p) if fast else (q - root)/(2*p)


def heavy_top(scheme):
    """Steady precession at a constant tilt; energy, angular momentum about the vertical, constraints on both levels."""
    tilt, w3, l = 0.5, 100.0, 0.5
    o = precession(tilt, w3)
    # w = o e_z + the rest along the axis: in body axes (0, o sin, w3); velocity of the centre o e_z x r
    start = f"spin = [0, {o*math.sin(tilt)!r}, {w3!r}], velocity = [{o*l*math.sin(tilt)!r}, 0, 0]"
    c, s, _ = run(HEAVY.format(tilt=tilt, start=start, until=1, step=2.5e-4, scheme=scheme))
    off = max(abs(x - tilt) for x in c["tilt"])
    need(off <= 2e-4, f"the tilt moves by {off:.2g}")
    turned, before = 0.0, c["azimuth"][0]
    for x in c["azimuth"][1:]:
        turned += (x - before + math.pi) % (2*math.pi) - math.pi
        before = x
    need(abs(turned - o) <= 5e-4*o, f"precesses by {turned}, not {o}")
    if scheme != "consistent":
        return
    need(s["energy"]["drift"] <= 1e-13*abs(s["energy"]["initial"]), f"energy {s['energy']}")
    moved = max(abs(x - c["Lz"][0]) for x in c["Lz"])
    need(moved <= 1e-13*abs(c["Lz"][0]), f"L_z moves by {moved}")
    need(max(c["gap"]) <= 1e-13 and max(c["rate"]) <= 1e-11, f"gap {max(c['gap'])}, rate {max(c['rate'])}")


def tilted_top():
    """10^4 steps of a top without symmetry that is held at a point of no axis: energy and L_z to round-off."""
    text = """import "std/joints.nsm";
model T {
  body top { mass = 1, inertia = [0.2, 0.25, 0.1], position = [0.1, 0.2, 0.45], attitude = rotation([1, 2, 0.5], 0.3),
             spin = [2, 1, 10] }
  gravity [0, 0, -9.81];
  Ball foot(A = ground, B = top, at = [0, 0, 0]);
  var L = top.R*[0.2*top.spin[1], 0.25*top.spin[2], 0.1*top.spin[3]] + cross(top.r, top.r');
  output Lz = L[3];
  simulate { until = 20, step = 2 [ms], scheme = consistent }
}"""
    c, s, _ = run(text, "--project-start", "--record", "time,Lz,energy")
    moved = max(abs(x - c["Lz"][0]) for x in c["Lz"])
    need(len(c["Lz"]) > 10**4 and moved <= 1e-12*abs(c["Lz"][0]), f"L_z moves by {moved}")
    need(s["energy"]["drift"] <= 1e-12*abs(s["energy"]["initial"]), f"energy {s['energy']}")


def collisions(shape, law):
    """Free bodies collide, with friction: momentum and angular momentum to round-off."""
    text = """model C {
  body a { shape = SHAPE, density = 1000, spin = [1, 2, 3], attitude = rotation([1, 1, 0], 0.5) }
  body b { shape = SHAPE, density = 700, position = [0.5, 0.02, 0.03], velocity = [-2, 0.1, 0], spin = [0, 3, 1] }
  contact k { among = [a, b]; with newton(0.7), LAW; }
  var P = a.mass*a.r' + b.mass*b.r', L = a.mass*cross(a.r, a.r') + a.R*(a.inertia*a.spin) + b.mass*cross(b.r, b.r') +
          b.R*(b.inertia*b.spin);
  output P1 = P[1]; output P2 = P[2]; output P3 = P[3]; output L1 = L[1]; output L2 = L[2]; output L3 = L[3];
  output count = k.count;
  simulate { until = 0.6, step = 1 [ms], scheme = consistent }
}""".replace("SHAPE", shape).replace("LAW", law)
    c, _, _ = run(text)
    need(max(c["count"]) > 0, "they do not meet")
    for x in "PL":
        size = math.hypot(*(c[f"{x}{i}"][0] for i in (1, 2, 3)))
        off = max_off(c, [f"{x}{i}" for i in (1, 2, 3)], size)
        need(off <= 1e-13, f"{x} moves by {off:.2g}")


def sleeping_top():
    """Upright it stands while C^2 w^2 > 4 A' m g l, and falls below."""
    a, c, mgl = 0.45, 0.05, 9.81*0.5
    limit = math.sqrt(4*a*mgl)/c
    for share, falls in ((1.1, False), (0.7, True)):
        start = f"spin = [0.001, 0, {share*limit}], velocity = [0, -0.0005, 0]"
        c, _, _ = run(HEAVY.format(tilt=0, start=start, until=4, step=2e-3, scheme="consistent"))
        need((max(c["tilt"]) > 0.3) == falls, f"spin {share} of the limit: tilt {max(c['tilt'])}")


def passes(c, name, degrees):
    a, t, x = degrees, c["time"], c[name]                 # columns declared in degrees
    i = next(i for i in range(len(t) - 1) if x[i] < a <= x[i + 1])
    return t[i] + (a - x[i])/(x[i + 1] - x[i])*(t[i + 1] - t[i])


def tippe_top():
    """[Möller 2011, table 6.5]: when the inclination passes 45, 90 and 150 degrees.

    At 150 degrees the table has 1.4364 s. Both `consistent` and `moreau` go to 1.436454 s as steps go to 0.
    """
    text = (ROOT/"models/tippe_top.nsm").read_text()
    off = []
    for step in ("1e-3", "5e-4", "2.5e-4"):
        c, s, _ = run(text, "--step", step, "--until", "1.1")
        off.append(passes(c, "inclination", 90) - 0.972946)
        need(s["energy"]["gain"] <= 1e-15, f"a step gains {s['energy']['gain']} J")
    need(abs(off[1]) <= 6e-4 and all(abs(math.log2(a/b) - 2) <= 0.1 for a, b in zip(off, off[1:])), f"90 degrees {off}")
    c, _, _ = run(text, "--step", "1e-5", "--until", "1.45", "--every", "2")
    for degrees, t in ((45, 0.59887), (90, 0.97294), (150, 1.43645)):
        need(abs(passes(c, "inclination", degrees) - t) <= 5e-5, f"{degrees} at {passes(c, 'inclination', degrees)}")


# --- energies of the user, families, backends ---

ADDED = """model A {{
  body b {{ mass = 2, inertia = [1, 2, 2.5], position = [0, 0, 1], spin = [0.3, 4, 0.2], velocity = [0.5, 0.2, 0] }}
  var v = b.point([0.3, 0.4, -0.1])';
  kinetic 0.7*dot(v, v)/2;
  potential 3*(b.point([0.3, 0, 0])[3] - 0.5)^2 + b.R[1, 2]^2;
  simulate {{ until = 1, step = {step}, scheme = {scheme} }}
}}"""
# the same as one body of the sum: its centre is 0.7/2.7 of the way to the point
STATE = [f"b.q[{k}]" for k in (1, 2, 3, 4)] + [f"b.r[{k}]" for k in (1, 2, 3)]


def a_mass_put_on_a_body():
    """Euler and Poincare: a point mass that the user puts on a body by its kinetic energy, by four schemes."""
    ends = {}
    for scheme, step in (("consistent", 0.01), ("consistent", 0.005), ("consistent", 0.0025), ("midpoint", 1e-4),
                         ("moreau(theta = 1/2)", 1e-3), ("consistent_explicit_mass", 1e-3)):
        c, s, _ = run(ADDED.format(scheme=scheme, step=step))
        ends[scheme, step] = [c[n][-1] for n in STATE]
        if scheme.startswith("consistent"):
            need(s["energy"]["drift"] <= 1e-12, f"{scheme}: energy drifts by {s['energy']['drift']}")
    a, b, c = (ends["consistent", h] for h in (0.01, 0.005, 0.0025))
    order = math.log2(math.dist(a, b)/math.dist(b, c))
    limit = [y + (y - x)/3 for x, y in zip(b, c)]
    need(abs(order - 2) <= 0.05, f"order {order}")
    for key, tolerance in ((("midpoint", 1e-4), 1e-4), (("moreau(theta = 1/2)", 1e-3), 1e-5),
                           (("consistent_explicit_mass", 1e-3), 1e-2)):
        need(math.dist(ends[key], limit) <= tolerance, f"{key}: {math.dist(ends[key], limit)} off")


PAIR = """gravity [0, 0, -9.81];
  {bodies}
  contact c1: {a}.point([0, 0, -1])[3] >= 0 with newton(0.5);
  contact c2: {b}.point([0, 0, -1])[3] >= 0 with newton(0.5);
  simulate {{ until = 0.8, step = 1e-3 }}"""
ENTRIES = ("mass = 1, inertia = [1, 2, 2.5], position = [{0}, 0, 1.5], spin = [0.1*{0}, 1, 0.3]",)


def families_are_the_same():
    one = PAIR.format(a="a", b="b", bodies="body a {{ {0} }} body b {{ {1} }}".format(
        ENTRIES[0].format(1), ENTRIES[0].format(2)))
    many = PAIR.format(a="f[1]", b="f[2]", bodies="body f[i in 1:2] {{ {0} }}".format(ENTRIES[0].format("i")))
    x, _, _ = run(f"model M {{ {one} }}")
    y, _, _ = run(f"model M {{ {many} }}")
    for a, b in (("a", "f[1]"), ("b", "f[2]")):
        for n in [f".r[{k}]" for k in (1, 2, 3)] + [f".q[{k}]" for k in (1, 2, 3, 4)] + [".spin[2]"]:
            need(x[a + n] == y[b + n], f"{a + n} and {b + n} differ")


def same_bits(scheme):
    text = "model M { " + PAIR.format(a="f[1]", b="f[2]", bodies="body f[i in 1:2] {{ {0} }}".format(
        ENTRIES[0].format("i"))).replace("step = 1e-3", f"step = 1e-3, scheme = {scheme}") + " }"
    ways = [run(text, "--jit", jit)[0] for jit in ("tcc", "cc", "llvm")]
    need(ways[0] == ways[1] == ways[2], "backends differ")


def turned_axes():
    """A body described in turned body axes, with its inertia as a matrix, moves as before."""
    a, s = math.cos(0.3), math.sin(0.3)
    # body axes turned by 0.3 about z: J' = Q^T J Q, spin' = Q^T spin, attitude' = attitude o Q
    j = [[a*a*1 + s*s*2, a*s*(2 - 1), 0], [a*s*(2 - 1), s*s*1 + a*a*2, 0], [0, 0, 2.5]]
    w = [a*0.3 + s*4, -s*0.3 + a*4, 0.2]
    text = "model A {{ body b {{ mass = 1, inertia = {0}, spin = {1}, attitude = rotation([0, 0, 1], {2}) }}\n" \
           "output x = b.omega[1]; output y = b.omega[2]; simulate {{ until = 1, step = 1e-3 }} }}"
    x, _, _ = run(text.format("[1, 2, 2.5]", "[0.3, 4, 0.2]", 0))
    y, _, _ = run(text.format(j, w, 0.3))
    for n in ("x", "y"):
        need(max(abs(p - q) for p, q in zip(x[n], y[n])) <= 1e-12, f"{n} differs")


def words_are_names():
    """body, gravity, ground, fixed, driven, rotation, initial are names where they stand as names."""
    c, _, _ = run("model A { param gravity = 9.81, fixed = 1; coord body = 1, ground = 0, driven[2] = [1, 2];"
                  " kinetic fixed*body'^2/2 + ground'^2/2 + driven[1]'^2 + driven[2]'^2; potential gravity*body;"
                  " force ground = body; simulate { until = 1, step = 0.1 } }")
    need(abs(c["body"][-1] - (1 - 9.81/2)) <= 1e-12, "falls wrongly")
    run("model body { coord gravity = 1; kinetic gravity'^2/2; } model M { body b[i in 1:2](); simulate"
        " { until = 1, step = 0.1 } }")


def gravity_of_any_form():
    """Any vector expression is a gravity; an expression in parentheses has elements; a place computed in a family."""
    for given in ("[1, 0, -9.81]", "[1, 0, -9.81] [m/s^2]", "g", "2*g/2", "g + 0*g", "(g)", "-1*g*(-1)", "down(1)*1",
                  "rotation([1, 0, 0], 0)*g", "[1, 0, 0] + [0, 0, -9.81]"):
        c, _, _ = run("function down(a) = [a, 0, -9.81]; model A { param g = [1, 0, -9.81]; gravity " + given + ";"
                      " body b[i in 1:2] { mass = 1, inertia = [1, 1, 1], position = [-0.4 + 0.05*i, 0, -0.96] [m] }"
                      " output z = (b[2].r - [0, 0, 1])[3], x = (2*b[2].r)[1]; simulate { until = 1, step = 0.1 } }")
        need(abs(c["z"][-1] + 1.96 + 9.81/2) <= 1e-12 and abs(c["x"][-1] - 2*(-0.3 + 0.5)) <= 1e-12, given)


def rotations_of_a_family():
    """Attitudes by products and matrices that depend on the index are those of the matrices written."""
    ways = ("rotation([0, 0, 1], 0.1*i)*(rotation([1, 0, 0], 2.5*i)*rotation([0, 1, 0], 1))",
            "transpose(rotation([0, 1, 0.5], 1.3*i))", "rotation([1, 2, 2], pi*i)*identity(3)",
            "rotation([1, 0, 0], 0.7*i)*[[0, 0, 1], [1, 0, 0], [0, 1, 0]]")
    for way in ways:
        off = " + ".join(f"norm((b[i].R - ({way}))*[{e}])" for e in ("1, 0, 0", "0, 1, 0", "0, 0, 1"))
        c, _, _ = run("model M { body b[i in 1:6] { mass = 1, inertia = [1, 1, 1], position = [i, 0, 0], attitude = "
                      f"{way} }} output off = sum(i in 1:6) ({off}); simulate {{ until = 1, step = 1 }} }}")
        need(c["off"][0] <= 1e-13, f"{way}: off by {c['off'][0]:.2g}")
    c, _, _ = run("model M { body c { driven, attitude = rotation([0, 0, 1], 2*time)*rotation([1, 0, 0], 3*time) }"
                  " output w = norm(c.spin - [3, 2*sin(3*time), 2*cos(3*time)]); simulate { until = 1, step = 0.1 } }")
    need(max(c["w"]) <= 1e-13, f"spin of a product: off by {max(c['w']):.2g}")


def corners_of_a_family():
    """Wedges whose corners depend on two indices: masses, centres and inertia in closed form, placed by their centres;
    the same motion as bodies written one by one; and they rest on a floor."""
    one = "shape = convex([[0, 0, 0], [{0}, 0, 0], [0, {1}, 0], [0, 0, 1]]), density = 6"
    many = "body w[i in 1:2, j in 1:3] { " + one.format("i", "j") + ", position = w[i,j].centre + [4*i, 4*j, 0] } "
    apart = "".join(f"body v{i}{j} {{ {one.format(i, j)}, position = v{i}{j}.centre + [{4*i}, {4*j}, 5] }} "
                    for i in (1, 2) for j in (1, 2, 3))
    names = ", ".join(f"v{i}{j}" for i in (1, 2) for j in (1, 2, 3))
    c, _, _ = run("model M { gravity [0, 0, -10]; body floor { fixed, shape = halfspace } " + many + apart +
                  f"contact on {{ between = [w, {names}], floor; with newton(0), coulomb(0.3); }} " +
                  " ".join(f"output m{i}{j} = w[{i},{j}].mass, x{i}{j} = w[{i},{j}].centre[1], "
                           f"J{i}{j} = w[{i},{j}].inertia[1, 1], K{i}{j} = v{i}{j}.inertia[1, 1]; "
                           for i in (1, 2) for j in (1, 2, 3)) + "simulate { until = 0.1, step = 0.01 } }")
    for i in (1, 2):
        for j in (1, 2, 3):
            m, x, inertia, apart_one = (c[f"{n}{i}{j}"][0] for n in "mxJK")
            need(abs(m - i*j) <= 1e-14*m and abs(x - i/4) <= 1e-15*i, f"mass {m}, centre {x} of w[{i},{j}]")
            need(abs(inertia - m*(j*j + 1)*3/80) <= 1e-14*inertia, f"inertia {inertia} of w[{i},{j}]")
            need(inertia == apart_one, "a member and a body of its own differ")
            for k in (1, 2, 3):
                need(abs(c[f"w[{i},{j}].r[{k}]"][-1] - c[f"w[{i},{j}].r[{k}]"][0]) <= 1e-15, "it does not rest")


DRIVEN = """model M {{
  gravity [{0}];
  body plate {{ driven, {1} }}
  body crate {{ {2} }}
  contact on {{ between = crate, plate; with newton({3}), coulomb(0.3); }}
  simulate {{ until = 1, step = {4}, scheme = consistent }}
}}"""
BELT = ("0, 0, -10", "shape = box([10, 1, 1]), position = [time, 0, 0]", "shape = box([1, 1, 1]), mass = 1, "
        "position = [0, 0, 1]", 0)
TILTS = ("0, 0, -9.81", "shape = box([1, 1, 0.1]), position = [0.3*sin(3*time), 0, 0.05*sin(8*time)], "
         "attitude = rotation([0.3, 1, 0], 0.1*sin(2*time))", "shape = sphere(0.1), mass = 1, position = [0, 0, 0.15]",
         0.2)
FLAT = ("0, -9.81", "shape = rectangle([2, 0.2]), position = [0.1*sin(3*time), 0.05*sin(8*time)], attitude = "
        "0.1*sin(2*time)", "shape = disk(0.1), mass = 1, position = [0, 0.2]", 0.5)
LIFT = ("0, 0, -10", "shape = box([3, 3, 1]), position = [0, 0, 0.25*(1 - cos(4*time))]", "shape = box([1, 1, 1]), "
        "mass = 2, position = [0, 0, 1]", 0)


def driven_balance():
    """What drives a body does work at impacts, pressing and friction; the ledger closes to round-off."""
    for scene in (BELT, TILTS, FLAT, LIFT):
        _, s, _ = run(DRIVEN.format(*scene, 2e-3))
        energy = s["energy"]
        need(abs(energy["residue"]) <= 1e-13, f"residue {energy['residue']:.3g} J")


def driven_closed_forms():
    """A crate on a belt slides until it has its speed; one on a lift that never leaves it has its height, and the lift
    does the work m (a + g) dz."""
    c, s, _ = run(DRIVEN.format(*BELT, 1e-2))
    need(abs(c["crate.r[1]'"][-1] - 1) <= 1e-12, "it does not move with the belt")
    need(abs(c["crate.r[1]"][-1] - (1 - 1/6)) <= 1e-3, f"it is at {c['crate.r[1]'][-1]}")
    need(abs(s["energy"]["forces"] - 1) <= 1e-12, "the belt's work is force times its way: mu m g v (v/(mu g))")
    off = []
    for step in (4e-3, 2e-3, 1e-3):
        c, s, _ = run(DRIVEN.format(*LIFT, step))
        z = [0.25*(1 - math.cos(4*t)) + 1 for t in c["time"]]
        need(max(abs(a - b) for a, b in zip(c["crate.r[3]"], z)) <= 1e-13, "it does not follow the lift")
        off.append(abs(s["energy"]["forces"] - 2*10*(z[-1] - 1) - math.sin(4)**2))
    need(off[0] <= 1e-3 and 3 < off[0]/off[1] < 5 and 3 < off[1]/off[2] < 5, f"work of the lift, off {off}")


def driven_rolling():
    """A ball on a plate that goes to and fro rolls: x = 2/7 of the plate's way, whatever the step."""
    shaken = ("0, 0, -9.81", "shape = box([1, 1, 0.1]), position = [0.3*(1 - cos(3*time)), 0, 0]", TILTS[2], 0)
    for step in (5e-2, 4e-3):
        c, _, _ = run(DRIVEN.format(*shaken, step))
        off = max(abs(x - 2/7*0.3*(1 - math.cos(3*t))) for x, t in zip(c["crate.r[1]"], c["time"]))
        need(off <= 1e-14, f"off {off:.3g}")


def turned_by(p, w):
    """p o exp(w), of quaternions: docs/numerics/bodies.md, section 2."""
    half = math.hypot(*w)/2
    s, k = math.cos(half), 0.5*(math.sin(half)/half if half else 1)
    a, x, y, z = p
    b, u, v, r = s, k*w[0], k*w[1], k*w[2]
    return (a*b - x*u - y*v - z*r, a*u + x*b + y*r - z*v, a*v + y*b + z*u - x*r, a*r + z*b + x*v - y*u)


def midpoint_moves():
    """Attitudes of midpoint move by half of the spin before, then by half of that after, in steps whose velocities are
    corrected for round-off too."""
    c, _, _ = run((ROOT / "models/gimbals.nsm").read_text(), "--scheme", "midpoint", "--until", "0.2s")
    h = c["time"][1] - c["time"][0]
    for body in ("outer", "inner", "rotor"):
        p = list(zip(*(c[f"{body}.q[{i}]"] for i in range(1, 5))))
        w = list(zip(*([h/2*x for x in c[f"{body}.spin[{i}]"]] for i in range(1, 4))))
        off = max(math.dist(turned_by(turned_by(p[k], w[k]), w[k + 1]), p[k + 1]) for k in range(len(p) - 1))
        need(off <= 1e-14, f"{body} moves elsewhere by {off:.3g}")


RESTING = """model T {{
  param a = 0.3, m = 1.7, h = 1e-3;
  gravity rotation([0, 1, 0], {0})*[0, 0, -9.81];
  body floor {{ fixed, shape = halfspace, position = [0, 0, -a/2] }}
  body crate {{ shape = box([a, a, a]), mass = m }}
  contact ground {{ between = crate, floor; with newton(0), coulomb(0.6); }}
  output fast = norm(crate.r') + norm(crate.omega);
  simulate {{ until = 0.2, step = h, scheme = {1} }}
}}"""


def rests_at_the_origin():
    """Where places, energies and rates are 0 nothing else says how large they might be: what is left is round-off, no
    solution that ran away, and no energy that came from nowhere."""
    for scheme in ("consistent", "consistent(located = true)", "moreau", "midpoint", "consistent(order = 4)"):
        for tilt in (1e-4, 0.2):
            c, summary, said = run(RESTING.format(tilt, scheme), "--step", "5e-3" if "4" in scheme else "1e-3")
            need("W085" not in said and max(c["fast"]) <= 1e-12, f"{scheme}, {tilt}: {max(c['fast']):.3g} m/s: {said}")
            need(summary["newton_iterations"] <= 10*summary["steps"], f"{scheme}, {tilt}: {summary}")


CASES = [("a box rests at the origin", rests_at_the_origin), ("rotations of a family", rotations_of_a_family),
         ("corners of a family", corners_of_a_family),
         ("driven bodies: the ledger", driven_balance), ("driven bodies: closed forms", driven_closed_forms),
         ("driven bodies: rolling", driven_rolling),
         ("gravity of any form", gravity_of_any_form), ("words are names", words_are_names),
         ("families are the same", families_are_the_same),
         ("turned body axes", turned_axes), ("a mass put on a body", a_mass_put_on_a_body),
         ("tilted top", tilted_top), ("sleeping top", sleeping_top), ("tippe top", tippe_top),
         ("midpoint moves by its own velocities", midpoint_moves),
         ("free top keeps its energy, moreau", moreau_keeps_energy)]
for shape_, law_ in (("sphere(0.15)", "rolling(0.3, 0.01)"), ("box([0.2, 0.3, 0.25])", "coulomb(0.3)")):
    CASES.append((f"bodies collide, {shape_}", collisions, shape_, law_))
for scheme_ in ("consistent", "moreau(theta = 1/2)"):
    CASES.append((f"free top, order, {scheme_}", free_top_order, scheme_))
for scheme_ in ("consistent", "consistent1"):
    CASES.append((f"free top conserves, {scheme_}", free_top_conserves, scheme_))
for scheme_ in ("consistent", "moreau(theta = 1/2)"):
    CASES.append((f"heavy top, {scheme_}", heavy_top, scheme_))
for scheme_ in ("consistent", "moreau(theta = 1/2)", "midpoint"):
    CASES.append((f"same bits, {scheme_}", same_bits, scheme_))
