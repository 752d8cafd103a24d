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
CASES += [(f"in other units: bridge, {scheme}", impedances, scheme) for scheme in ("radau", "moreau(theta = 1)")]
