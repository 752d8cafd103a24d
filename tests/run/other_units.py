"""The same model in other units moves in the same way: whether a number is small is never said by its unit. Masses of
cells, impedances of membranes."""
from claims import run
from event_driven import BUILT

from suite import need

# Friction that sticks or slides beside a hinge and a contact: rows of momentum of 1e-15 kg beside rows without a mass.
PIN = """param M = 1, l = 1, mu = 0.3, rho = 0.02; coord x = 0.5, y = 0, a = 0;
    kinetic M*(x'^2 + y'^2)/2 + M/12*a'^2/2; potential M*9.81*y; var pin = [x, y] - l/2*[cos(a), sin(a)];
    constraint hinge { normal = pin; slip = rho*a'; with coulomb(mu); }"""
FLOOR = """param M = 1; coord x = 0, y = 0; kinetic M*(x'^2 + y'^2)/2; potential M*9.81*y - M*4*x;
    contact floor { normal = y; slip = x'; with newton(0), coulomb(0.3); }"""
# A bridge on a source with a coil; its load is tied to the ground by a leak of 50 000 times the load alone.
BRIDGE = """param Z = 1, w = 100*pi; node n = 0, p, m, a, b, x;
    VoltageSource s(a = a, b = b, V = 325 [V]*sin(w*time/(1 [s])));  Inductor l(a = a, b = x, L = Z*2 [mH]);
    Diode d1(a = x, b = p);  Diode d2(a = m, b = x);  Diode d3(a = b, b = p);  Diode d4(a = m, b = b);
    Capacitor c(a = p, b = m, C = 1 [mF]/Z);  Resistor r(a = p, b = m, R = Z*20 [ohm]);
    Resistor leak(a = m, b = n, R = Z*1 [Mohm]);"""


# In lengths L, masses M, times T: gears and screws, a chain of dry ball joints, friction pressed by a constraint,
# friction that falls with the slip, bounces that slide, a pile of bricks that strike in their corners.
SIZED = {
    "screw": ("h.angle", 1e-9, """body nut { mass = 2*M, inertia = [1, 1, 2]*0.01*J }
        body w { mass = M, inertia = [1, 1, 2]*0.01*J, position = [0.3*L, 0, 0] } gravity [0, 0, -9.81*L/T^2];
        Screw s(A = ground, B = nut, at = [0, 0, 0], axis = [0, 0, 1], pitch = 0.1*L);
        Hinge h(A = ground, B = w, at = [0.3*L, 0, 0], axis = [0, 0, 1]);
        Gear g(one = s.angle, two = h.angle, ratio = -2);
        contact c: s.position + 0.1*L >= 0 with newton(0.5);
        contact f { normal_force = 5*F; slip = 0.05*L*h.rate; with coulomb(0.1); }"""),
    "chain": ("rod[4].q[1]", 1e-6, """param l = 0.3*L; gravity [0, 0, -9.81*L/T^2]; body rod[i in 1:4] { mass = M,
        inertia = [1, 8, 8]*1e-3*J, position = [(i - 1/2)*l, 0, 0] }
        Ball first(A = ground, B = rod[1], a = [0, 0, 0], b = [-l/2, 0, 0], mu = 0.3, radius = 0.02*L);
        Ball j[i in 1:3](A = rod[i], B = rod[i+1], a = [l/2, 0, 0], b = [-l/2, 0, 0], mu = 0.3, radius = 0.02*L);
        contact w: rod[4].point([l/2, 0, 0])[1] - 0.2*L >= 0 with newton(0.5);"""),
    "rail": ("at", 1e-9, """param r = 2*L; coord x = r, y = 0, y' = 3*L/T; kinetic M*(x'^2 + y'^2)/2; output at = x/L;
        constraint rail: (x^2 + y^2)/(2*r) = r/2;
        contact rubs { normal_force = abs(rail.force); slip = (x*y' - y*x')/r; with coulomb(0.2); }"""),
    "belt": ("at", 1e-9, """coord x = -0.1*L; kinetic M*x'^2/2; potential 50*M/T^2*x^2; output at = x/L;
        contact belt { normal_force = 10*F; slip = x' - 0.3*L/T;
            with coulomb(0.2 + 0.3*exp(-abs(x' - 0.3*L/T)/(0.1*L/T))); }"""),
    "bounce": ("at", 1e-9, """coord x = 0, y = L/2, a = 0, x' = L/T, a' = 3/T;
        kinetic M*(x'^2 + y'^2)/2 + 0.2*J*a'^2; potential 9.81*F*y; output at = x/L;
        contact floor { normal = y; slip = x' + 0.8*L*a'; with newton(0.6, 0.3), coulomb(0.3); }"""),
    "bricks": ("b[5].angle", 1e-5, """gravity [0, -9.81*L/T^2]; body floor { fixed, shape = halfplane }
        body b[i in 1:5] { mass = M*i, shape = rectangle([0.2, 0.1]*L), attitude = 0.02*i,
            position = [0.03*L*i, 0.12*L*i - 0.04*L] }
        contact c { between = b, floor; with newton(0.2), coulomb(0.5); }
        contact d { among = b; with newton(0.2), coulomb(0.5); }"""),
}
UNITS = ((1, 1, 1), (2.0**-20, 2.0**-30, 2.0**-10), (2.0**10, 2.0**20, 2.0**6), (1, 2.0**-50, 1))


def sizes(name, scheme, until):
    column, bar, text = SIZED[name]
    text = f"""import "std/joints.nsm"; model A {{ param L = 1, M = 1, T = 1, J = M*L^2, F = M*L/T^2; {text}
        simulate {{ until = {until}*T, step = {STEP.get(name, 2e-3)}*T, scheme = {scheme} }} }}"""
    ends = [run(text, *(f"--set={n}={v!r}" for n, v in zip("LMT", of)))[0][column][-1] for of in UNITS]
    need(all(abs(x - ends[0]) <= bar for x in ends), f"{column} = {ends}")


def masses(text, scheme):
    text = f"model A {{ {text} simulate {{ until = 0.4, step = 5e-3, scheme = {scheme} }} }}"
    ends = {}
    for mass in (2.0**-80, 2.0**-50, 1, 2.0**40):
        c, s, _ = run(text, "--set", f"M={mass!r}")
        need(not s.get("captured"), f"{s.get('captured')} steps captured with M = {mass}")
        ends[mass] = c["x"][-1]
    need(all(abs(x - ends[1]) <= 1e-9 for x in ends.values()), f"x = {ends}")


def impedances(scheme):
    text = f"""import "std/circuit.nsm";
        model A {{ {BRIDGE} simulate {{ until = 9e-3, step = 1e-4, scheme = {scheme} }} }}"""
    ends = {}
    for z in (2.0**-20, 1, 2.0**20):
        c, s, _ = run(text, "--set", f"Z={z!r}")
        need(not s.get("captured"), f"{s.get('captured')} steps captured with Z = {z}")
        ends[z] = c["c.u"][-1]
    need(all(abs(u/ends[1] - 1) <= 1e-7 for u in ends.values()), f"u = {ends}")


SCHEMES = ["consistent(order = 4)", "moreau(located = true)"] + ["event_driven"]*BUILT
CASES = [(f"in other units: {what}, {scheme}", masses, text, scheme) for what, text in (("pin", PIN), ("floor", FLOOR))
         for scheme in SCHEMES]
LOCATED = ["moreau(theta = 0.5, located = true)", "consistent(located = true)"]
SIZES = {"screw": [*LOCATED, "consistent", "moreau(theta = 0.5)", "d1minus"] + ["event_driven"]*BUILT,
         "chain": ["consistent"], "rail": ["consistent"], "belt": LOCATED, "bounce": ["moreau(projection = true)"],
         "bricks": ["moreau(theta = 0.5, located = true)"]}
UNTIL = {"bounce": 2, "chain": 0.5, "bricks": 0.35}
STEP = {"bounce": 5e-3}
CASES += [(f"in other units: {name}, {scheme}", sizes, name, scheme, UNTIL.get(name, 1.2))
          for name, schemes in SIZES.items() for scheme in schemes]
CASES += [(f"in other units: bridge, {scheme}", impedances, scheme) for scheme in ("radau", "moreau(theta = 1)")]
