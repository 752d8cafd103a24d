"""Several laws in one model: what one of them does while another acts. References of this file's own: closed forms."""
import math

from claims import run as claims_run
from event_driven import BUILT
from located import run
from located_more import orders
from suite import need


def struck(scheme):
    """A mass slides on dry ground, by a relay, and another one catches up with it. The impact moves both, as a relay
    has no impulse. The relay stands before and behind the contact."""
    m, M, e, a = 2, 0.5, 0.3, 0.8                           # masses, restitution, friction of the second by its mass
    laws = f"relation dry: f in -{a*M}*sgn(q');", f"contact hit: q - p >= 0 with newton({e});"
    t = (math.sqrt(0.25 + 0.2*a) - 0.5)/a                   # -0.1 + t = t/2 - a t^2/2
    impulse = (0.5 + a*t)*(1 + e)/(1/m + 1/M)
    for order in (laws, laws[::-1]):
        text = f"""model S {{ coord p = -0.1, p' = 1, q = 0, q' = 0.5; multiplier f;
            kinetic {m}*p'^2/2 + {M}*q'^2/2; force q = f; {" ".join(order)}
            simulate {{ until = 0.3, step = 0.01 }} }}"""
        for whole in ("on", "off"):
            c, _, told = run(text, 0.01, scheme, "--whole-steps", whole)
            for x in told if "located" in scheme else []:
                need(abs(float(x["time"]) - t) <= 1e-12 and abs(float(x["impulse"]) - impulse) <= 1e-12, f"{x}, {t!r}")
            end = 1 - impulse/m, 0.5 - a*0.3 + impulse/M
            off = max(abs(c[name][-1] - x) for name, x in zip(("p'", "q'"), end))
            need(off <= 1e-9, f"{off:.3g} off {end}")


def dry_pins():
    """Two dry pins of one chain, whose forces turn in each step: one slides on while the other one sticks. Both schemes
    find the same events, and nothing is captured."""
    text = """import "std/joints.nsm";
        model Arm {
          param l = 0.4;
          gravity [0, -9.81];
          body link[i in 1:3] { mass = 1, inertia = l^2/12, position = [0, -(i - 0.5)*l] }
          Pin top(A = ground, B = link[1], at = [0, 0], motor_torque = table(time, [0, 1, 2, 3], [0, 4, -4, 0]));
          Pin j[i in 1:2](A = link[i], B = link[i+1], at = [0, -i*l], mu = 0.3, radius = 0.02, damping = 0.02);
          output tip = link[3].point([0, -l/2]);
          simulate { until = 1.2, step = 2e-3 }
        }"""
    told = {}
    for scheme in ("moreau(theta = 1/2, located = true)", "consistent(located = true)"):
        c, err, told[scheme] = run(text, 2e-3, scheme)
        need(" 0 steps captured" in err, err)
    a, b = told.values()
    need(len(a) == len(b) == 6, f"{len(a)} and {len(b)} events")
    for x, y in zip(a, b):
        need((x["kind"], x["contact"]) == (y["kind"], y["contact"]), f"{x}, {y}")
        need(abs(float(x["time"]) - float(y["time"])) <= 1e-4, f"{x}, {y}")


def discontinuous():
    """A boost converter whose coil is cut off in each period, into a load that changes with time: the network has
    unknowns without a derivative, and its sets of index 2 are begun in steps of 1e-12 s."""
    text = """import "std/circuit.nsm";
        model Boost {
          param T = 10 [us];
          node gnd : V = 0, vin : V, sw : V, out : V, cap : V;
          VoltageSource src(a = vin, b = gnd, V = 12 [V]);
          Inductor L(a = vin, b = sw, L = 100 [uH]);
          Switch S(a = sw, b = gnd, on = if time/T - floor(time/T) < 0.23 then 1 else 0);
          Diode D(a = sw, b = out);
          Resistor esr(a = out, b = cap, R = 20 [mohm]);
          Capacitor C(a = cap, b = gnd, C = 100 [uF], u0 = 40 [V]);
          Resistor load(a = out, b = gnd, R = 20 [ohm]*(1 + sin(time/(1 [ms]))/2));
          simulate { until = 0.1 [ms], step = 0.5 [us] }
        }"""
    ends = []
    for h in (2e-6, 0.5e-6):
        c, err, _ = run(text, h, "radau")
        need(" 10 located, 0 steps captured" in err, err)
        ends.append(c["C.u"][-1])
    need(abs(ends[0] - ends[1]) <= 1e-9, f"{ends}")


def turning_slip(law):
    """A puck that a force across its way turns, until it stops: order 2. The reference is consistent(order = 6)."""
    text = """model Puck {
          coord x = 0, y = 0, z = 0, x' = 1.5;
          kinetic (x'^2 + y'^2 + z'^2)/2;  potential 10*z;
          force y = 1.5*cos(3*time);
          contact ice { normal = z;  slip = [x', y'];  with LAW, coulomb(0.2); }
          simulate { until = 3, step = 0.01 }
        }""".replace("LAW", law)
    orders(text, ("x", "y"), 0.01, (0.58444069278, 0.142250638673), "moreau(located = true)", within=0.3)


def stops_and_starts(scheme, share):
    """A slip stops, and friction lets go again in the same step: where the force that grows with time reaches it."""
    for h in (0.02, 0.005):
        stops, starts = 0.5 + 0.2*h, 0.5 + (0.2 + share)*h
        text = f"""model A {{ coord x = 0, x' = {starts**2 - (stops - starts)**2!r}; kinetic x'^2/2;
            force x = 1 + 2*(time - {starts!r}); contact dry {{ normal_force = 1; slip = x'; with coulomb(1); }}
            simulate {{ until = 0.7, step = {h!r} }} }}"""
        _, err, told = run(text, h, scheme)
        off = [(float(e["time"]) - t)/h for e, t in zip(told, (stops, starts))]
        need([e["kind"] for e in told] == ["sticks", "slips"], f"{told}")
        need(max(map(abs, off)) <= 1e-5, f"off by {off} steps")


def row_of_masses(n, located):
    """Masses on dry ground, the last of which is pulled: it slides, and the others let go one by one. Forces between
    those that stick are round-off of it. By Newton's method, as the spring of the first is a table, and as a line."""
    text = """model Row {
          param k = 50, m = 2, mu = 2;
          param n = COUNT;
          coord x[n] = 0;
          multiplier f[n];
          kinetic sum(i in 1:n) m*x[i]'^2/2;  potential sum(i in 1:n-1) k*(x[i+1] - x[i])^2/2;
          for i in 1:n { relation dry[i]: f[i] in -mu*sgn(x[i]');  force x[i] = f[i]; }
          force x[n] = 10;  force x[1] = SPRING;
          simulate { until = 5, step = 2e-3, scheme = moreau(theta = 1/2, located = LOCATED) }
        }""".replace("COUNT", str(n)).replace("LOCATED", located)
    of = [claims_run(text.replace("SPRING", by))[0] for by in ("-x[1]", "-table(x[1], [-9, 0, 9], [-9, 0, 9])")]
    for i in range(1, n + 1):
        a, b = (c[f"x[{i}]"][-1] for c in of)
        need(a > 0 and abs(a - b) <= 1e-9*abs(a), f"x[{i}]: {a!r}, {b!r}")


CASES = [(f"together, a slip that turns: {law}", turning_slip, law)
         for law in ("inelastic", "poisson(0)", "binary(0)", "lzb(0.5, 1, 1.5)")]
CASES += [(f"together, stops and starts in a step: {scheme}, {share}", stops_and_starts, f"{scheme}(located = true)",
           share) for scheme in ("moreau", "consistent") for share in (0.45, 0.5, 0.75)]
CASES += [(f"together, a row of {n} masses that stick, located: {on}", row_of_masses, n, on)
          for n in (4, 6) for on in ("true", "false")]
CASES += [("together, a coil that is cut off", discontinuous), ("together, dry pins of a chain", dry_pins)]
CASES += [(f"together, struck while it slides: {s}", struck, s)
         for s in ("moreau(located = true)", *(["event_driven"] if BUILT else []))]
