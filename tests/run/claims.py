"""Claims about families of models that are written here: what rests, what opens, energies that balance, hard steps.

Each function takes the number of the case; CASES lists them with their names for the suite.
"""
import json
import math
import pathlib
import random
import tempfile

from suite import need, nsm
from table import Table

ENERGIES = ("consistent", "consistent_explicit_mass")

def run(text, *flags, code=0):
    """(columns, summary, stderr) of `nsm run`."""
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        (place / "m.nsm").write_text(text)
        ran = nsm("run", place / "m.nsm", *flags, "-o", place / "r.csv", "--summary", place / "s.json", timeout=300)
        ran.expect(code)
        table, summary = Table((place / "r.csv").read_text()), json.loads((place / "s.json").read_text())
    return table, summary, ran.err


# --- what rests stays, to the last bit ---

def stack(n, ratio):
    """n masses on each other, the ratio alternates between them, at places that are no round numbers."""
    masses = [ratio if i % 2 else 1 for i in range(n)]
    words = ["coord " + ", ".join(f"x{i} = {0.1 + 0.3*i}" for i in range(n)) + ";"]
    words.append("kinetic (" + " + ".join(f"{m}*x{i}'^2" for i, m in enumerate(masses)) + ")/2;")
    words.append("potential 9.81*(" + " + ".join(f"{m}*x{i}" for i, m in enumerate(masses)) + ");")
    words.append("contact c0: x0 - 0.1 >= 0 with inelastic;")
    words += [f"contact c{i}: x{i} - x{i-1} - 0.3 >= 0 with inelastic;" for i in range(1, n)]
    return " ".join(words)


INCLINE = """param a = 0.5, r = 1000; coord x = 0.3, y = 0.7, u = 0.3, v = 0.9;
    kinetic (x'^2 + y'^2)/2 + r*(u'^2 + v'^2)/2; potential 9.81*(y + r*v);
    contact p {
        normal = (y - 0.7)*cos(a) - (x - 0.3)*sin(a); slip = x'*cos(a) + y'*sin(a);
        with inelastic, coulomb(0.8);
    }
    contact q {
        normal = (v - y - 0.2)*cos(a) - (u - x)*sin(a); slip = (u' - x')*cos(a) + (v' - y')*sin(a);
        with inelastic, coulomb(0.8);
    }"""
CHAIN = """param n = 20; coord z[n] = [PLACES]; kinetic sum(i in 1:n) z[i]'^2/2; potential sum(i in 1:n) 9.81*z[i];
    contact g: z[1] - 0.05 >= 0 with inelastic;
    for i in 1:n-1 { contact c[i]: z[i+1] - z[i] - 0.1 >= 0 with inelastic; }
    """.replace("PLACES", ", ".join(str(0.05 + 0.1*i) for i in range(20)))
DROP = ("coord z = 0.01, w = 0.33; kinetic z'^2/2 + 3*w'^2/2; potential 9.81*z + 3*9.81*w;"
        "contact g: z >= 0 with newton(0.5); contact h: w - z - 0.3 >= 0 with newton(0.3);")
# text, time from which on it rests
RESTING = {f"two masses, ratio {r:g}": (stack(2, r), 0.01) for r in (2, 3, 100, 1000, 1e6)}
RESTING |= {f"{n} masses, ratio {r:g}": (stack(n, r), 0.01) for n in (3, 4, 5) for r in (10, 1e-3)}
RESTING |= {"incline": (INCLINE, 0.01), "chain of beads": (CHAIN, 0.01), "after impacts": (DROP, 3)}


def rests(name):
    text, after = RESTING[name]
    for scheme in ("moreau", "midpoint", "consistent"):
        c, _, _ = run(f"model R {{ {text} simulate {{ until = {after + 0.4}, step = 1e-3, scheme = {scheme} }} }}")
        state = [n for n in c if n != "time" and "lambda" not in n]
        first = next(i for i, t in enumerate(c["time"]) if t >= after)
        for n in state:
            low, high = min(c[n][first:]), max(c[n][first:])
            need(low == high, f"{scheme}: {n} moves between {low!r} and {high!r}")


def rests_on_a_table_that_moves(kind):
    """At constant speed, and up and down: the contact never lets go. moreau alone: the schemes on energy know no gaps
    of the time, midpoint takes the speed of the table from the middle of the step."""
    table, speed = {"lifted": ("0.3*time", "0.3"), "shaken": ("0.05*sin(9*time)", "0.45")}[kind]
    c, _, _ = run(f"""model T {{
        coord z = 0, y = 0.2, z' = {speed}, y' = {speed};
        kinetic z'^2/2 + 5*y'^2/2; potential 9.81*(z + 5*y);
        contact c: z - {table} >= 0 with inelastic; contact d: y - z - 0.2 >= 0 with inelastic;
        output g = z - {table};
        simulate {{ until = 3, step = 1e-3, scheme = moreau }}
    }}""")
    need(min(c["c.lambda"][1:]) > 0 and min(c["d.lambda"][1:]) > 0, "a contact let go")
    need(max(map(abs, c["g"])) <= 1e-6, f"the gap is {max(map(abs, c['g'])):.1e}")


def opens(share):
    """The upper of two masses is pulled up by its weight and a share of it: it leaves, however small the share."""
    for scheme in ("moreau", "midpoint", "consistent"):
        c, _, _ = run(f"""model A {{
            param r = 1000, g = 9.81; coord x = 0, y = 1;
            kinetic (x'^2 + r*y'^2)/2; potential g*(x + r*y); force y = r*g*(1 + {share});
            contact a: x >= 0 with inelastic; contact b: y - x - 1 >= 0 with inelastic;
            simulate {{ until = 1, step = 1e-3, scheme = {scheme} }}
        }}""")
        speed, want = c["y'"][-1], 9.81*float(share)
        need(abs(speed - want) <= 1e-3*want, f"{scheme}: y' = {speed:.6g}, not {want:.6g}")
        need(max(c["b.lambda"]) <= 1e-10 and c["x"][-1] == 0, f"{scheme}: the contact holds, or the lower mass moves")


# --- the ledger finds round-off only ---

def balanced_model(seed, scheme):
    """Forces, dampers, contacts, friction, belts, constraints; potentials and masses that the scheme is exact for."""
    r = random.Random(seed)
    n = r.randint(1, 3)
    q = [f"q{i}" for i in range(n)]
    curved = scheme in ENERGIES

    def u(a, b):
        return round(r.uniform(a, b), 3)

    def pick():
        return r.choice(q)

    tied = n == 3 and r.random() < 0.3
    speed = {x: u(-1, 1) for x in q}
    if tied:
        speed["q0"] = 0.5*speed["q1"]
    words = ["coord " + ", ".join(f"{x} = {u(-.5, .5)}, {x}' = {speed[x]}" for x in q) + ";"]
    mass = [f"{u(.5, 2)}*{x}'^2" for x in q]
    mass += [f"{u(.1, .4)}*cos({pick()})^2*{pick()}'^2"] if curved and r.random() < 0.5 else []
    words.append("kinetic (" + " + ".join(mass) + ")/2;")
    height = scheme == "midpoint"
    words += [f"potential {u(-3, 3)}*{x};" if height else f"potential {u(.5, 8)}*{x}^2/2;" for x in q]
    if curved and r.random() < 0.6:
        words.append(f"potential {u(.1, 1)}*cos({pick()} - {pick()}) + {u(.1, 1)}*{pick()}^4;")
    for _ in range(r.randint(1, 3)):
        x, y, z = pick(), pick(), pick()
        force = r.choice([f"{u(-1, 1)}*{y}*{z}'", f"{u(-1, 1)}*sin({u(.5, 3)}*time)*{y}",
                          f"-{u(0, 1)}*{x}'*abs({x}')", f"{u(-1, 1)}*{y}'*sin({z})"])
        words.append(f"force {x} = {force};")
    if r.random() < 0.6:
        words.append(f"dissipation {u(.01, .5)}*{pick()}'^2;")
    if curved and r.random() < 0.4:
        words.append(f"dissipation {u(.01, .2)}*(1 + {pick()}^2)*{pick()}'^4;")
    x, y, e = pick(), pick(), r.choice([0, 0.5, 0.9])
    gap = f"{x} + 0.6" if not curved or x == y or r.random() < 0.5 else f"{x} + 0.2*{y}^2 + 0.6"
    kind = r.choice(["none", "plain", "friction", "force"])
    belt = r.choice(["", f" - {u(.1, 1)}"])
    if kind == "plain":
        words.append(f"contact c: {gap} >= 0 with newton({r.choice([e, 1])});")
    if kind == "friction" and n > 1:
        along = r.choice([k for k in q if k != x])
        words.append(f"contact c {{ normal = {gap}; slip = {along}'{belt}; with newton({e}), coulomb({u(.1, .8)}); }}")
    if kind == "force":
        words.append(f"contact c {{ normal_force = {u(.1, 2)}; slip = {x}'{belt}; with coulomb({u(.1, .8)}); }}")
    if tied:
        words.append("constraint k: q0' - 0.5*q1' = 0;")
    words.append(f"simulate {{ until = 2, step = {r.choice(['1e-2', '3e-3', '2e-2'])}, scheme = {scheme} }}")
    return f"model R {{ {' '.join(words)} }}"


def ledger(scheme):
    name = scheme.split("(")[0]
    for seed in range(16):
        text = balanced_model(seed, scheme if name == "moreau" else name)
        _, s, _ = run(text)
        e = s["energy"]
        size = sum(abs(e[k]) for k in ("initial", "final", "contacts", "forces", "dampers"))
        need(e["residue"] <= 1e-14*size, f"residue {e['residue']:.1e} of {size:.2g} J: {text}")


def friction_and_a_force_of_velocities(scheme):
    """The force of the motion, not of the velocities that friction settles afterwards, does the work."""
    _, s, _ = run(f"""model D {{
        coord x = 1, y = 0.3, z = 0.05, y' = 1, z' = -0.4; var r = sqrt(x^2 + y^2);
        kinetic (x'^2 + y'^2 + z'^2)/2; potential 50*(r - 1)^2 + 9.81*z;
        force x = -y; force y = x*x'; force z = x'*y;
        contact f {{ normal = z; slip = [x', y' - 0.2]; with newton(0.3), coulomb(0.2); }}
        simulate {{ until = 3, step = 1e-2, scheme = {scheme} }}
    }}""")
    need(s["energy"]["residue"] <= 1e-13, f"residue {s['energy']['residue']:.1e} J")
    need(s["energy"]["friction"] > 0.1 and abs(s["energy"]["forces"]) > 0.1, "nothing was tried")


# --- forces along expressions ---

ROD = """param l = 0.7; coord x = 0, y = 0, a = 0.3, b = 0.1, x' = 1, a' = 2, b' = -1;
    kinetic x'^2 + y'^2 + 0.15*a'^2 + 0.1*b'^2*(2 + sin(a)); potential 19.62*y + 3*cos(b);"""
ALONG = """var p = [x, y] + rotation(a)*[l, 0.2];
    force p = [3*cos(time), 2 - 0.1*x'*y]; force norm(p - [5, 5]) = -2 + 0.1*(norm(p - [5, 5]))';
    force [cos(a)*x' + sin(a)*y', 2*b'] = [0.5, 0.1*a]; force time*b + x*time^2 = 0.3;
    force atan2(sin(a - b), cos(a - b)) = 0.7*sin(3*time);"""
# the same, by hand: the force at the tip, and its moment
BY_HAND = """var ux = l*cos(a) - 0.2*sin(a), uy = l*sin(a) + 0.2*cos(a), dx = x + ux - 5, dy = y + uy - 5;
    var far = sqrt(dx^2 + dy^2), f = -2 + 0.1*far', Fx = 3*cos(time) + f*dx/far, Fy = 2 - 0.1*x'*y + f*dy/far;
    force x = Fx + 0.5*cos(a) + 0.3*time^2; force y = Fy + 0.5*sin(a); force b = 0.2*a - 0.7*sin(3*time) + 0.3*time;
    force a = ux*Fy - uy*Fx + 0.7*sin(3*time);"""


def forces_along_expressions(scheme):
    """Virtual work gives what one writes by hand; the ledger closes, also where an angle passes +-pi."""
    def end(words, h, *flags):
        c, s, _ = run(f"model A {{ {ROD} {words} simulate {{ until = 4, step = {h}, scheme = {scheme} }} }}", *flags)
        turned = max(abs(a - b) for a, b in zip(c["a"], c["b"])) > math.pi
        return [c[n][-1] for n in ("x", "y", "a", "b")], s, turned
    if scheme.startswith("consistent"):          # two points of the same second order, and the work exactly
        for h in (2e-2, 1e-2):
            (one, s, turned), (other, _, _) = end(ALONG, h), end(BY_HAND, h)
            need(turned, "the angle never passed pi")
            size = abs(s["energy"]["initial"]) + abs(s["energy"]["final"]) + abs(s["energy"]["forces"])
            need(s["energy"]["residue"] <= 2e-15*size, f"residue {s['energy']['residue']:.1e} of {size:.2g} J")
            need(max(abs(p - q) for p, q in zip(one, other)) <= 5*h*h, f"{one} and {other}")
            general, _, _ = end(ALONG, h, "--whole-steps", "off")
            need(max(abs(p - q) for p, q in zip(one, general)) <= 1e-11, "the whole step steps otherwise")
        fine = [end(ALONG, h)[0] for h in (1e-2, 5e-3, 2.5e-3)]
        ratio = max(abs(p - q) for p, q in zip(fine[0], fine[1]))/max(abs(p - q) for p, q in zip(fine[1], fine[2]))
        need(3.6 <= ratio <= 4.4, f"not of second order: {ratio:.2f}")
        return
    (one, _, _), (other, _, _) = end(ALONG, 1e-2), end(BY_HAND, 1e-2)
    need(max(abs(p - q) for p, q in zip(one, other)) <= 1e-11, f"{one} and {other}")


# --- rolling friction ---

def wheel_on_an_incline(scheme):
    """Held by rolling friction where tan(a) < mu_r/R, to the last bit; else it rolls with 2/3 (sin a - mu_r/R cos a) g.
    In space a ball, in any direction, with 5/7; the ledger closes."""
    for held in (True, False):
        a, mu_r, R, g = (0.1, 0.012, 0.1, 9.81) if held else (0.1, 0.004, 0.1, 9.81)
        text = f"""model W {{
            coord x = 0, y = 0, z = {R}, p = 0, q = 0; kinetic (x'^2 + y'^2 + z'^2)/2 + JJ*{R}^2*(p'^2 + q'^2)/2;
            potential {g}*(z*cos({a}) - (x*cos(0.7) + y*sin(0.7))*sin({a}));
            contact c {{ normal = z - {R}; slip = SLIP; with inelastic, rolling(0.5, {mu_r}); }}
            simulate {{ until = 2, step = 1e-2, scheme = {scheme} }}
        }}"""
        for J, slip, share in (("0.4", f"[x' - {R}*q', y' + {R}*p', p', q']", 5/7),
                               ("0.5", None, 2/3)):
            words = text.replace("JJ", J)
            if slip is None:                             # in the plane: along x alone
                words = words.replace("cos(0.7)", "1").replace("sin(0.7)", "0")
                slip = f"[x' - {R}*q', q']"
            c, s, _ = run(words.replace("SLIP", slip))
            speed = math.hypot(c["x'"][-1], c["y'"][-1])
            if held:
                need(speed <= 1e-15 and max(map(abs, c["x"])) <= 1e-15, f"{scheme}: it rolls, {speed:.1e} m/s")
            else:
                want = 2*share*g*(math.sin(a) - mu_r/R*math.cos(a))
                need(abs(speed - want) <= 1e-11, f"{scheme}: {speed!r}, not {want!r}")
            need(s["max_residual"] <= 1e-12, f"residual {s['max_residual']:.1e}")
            if scheme.startswith("consistent"):
                need(s["energy"]["residue"] <= 1e-14, f"residue {s['energy']['residue']:.1e} J")


# --- constraints of vectors ---

def redundant_mechanism(bars):
    """A parallelogram with one crank more than it needs, in absolute coordinates: twelve rows for eleven."""
    _, s, _ = run("""model Bar(l, x0, y0, a0) {
            coord x = x0, y = y0, a = a0; kinetic (x'^2 + y'^2)/2 + l^2/12*a'^2/2; potential 9.81*y;
            var r = [x, y], d = [cos(a), sin(a)], left = r - l/2*d, right = r + l/2*d;
        }
        model Four {
            param l = 1, w = 2, a0 = 1, n = BARS;
            Bar crank[i in 1:n](l = l, x0 = w*(i - 1)/(n - 1) + l/2*cos(a0), y0 = l/2*sin(a0), a0 = a0);
            Bar coupler(l = w, x0 = w/2 + l*cos(a0), y0 = l*sin(a0), a0 = 0);
            for i in 1:n {
                var at = [w*(i - 1)/(n - 1), 0];
                constraint foot[i]: crank[i].left = at;
                constraint head[i]: crank[i].right - coupler.left = at;
                output push[i] = norm(foot[i].lambda);
            }
            simulate { until = 10, step = 0.01, scheme = consistent }
        }""".replace("BARS", str(bars)).replace("crank[i].right - coupler.left = at",
                                                "crank[i].right = coupler.r + (at[1]/w - 0.5)*w*coupler.d"))
    need(s["energy"]["drift"] <= 1e-12*abs(s["energy"]["initial"]), f"drift {s['energy']['drift']:.1e} J")


# --- compliant contacts ---

def bounces_on_a_spring(k, h):
    """An elastic bounce keeps the energy, at any stiffness and step; the default scheme is the one that does."""
    c, s, _ = run(f"""model B {{
        param k = {k}; coord z = 0.5; kinetic z'^2/2; potential 9.81*z; contact f: z + f.lambda/k >= 0;
        simulate {{ until = 6, step = {h} }}
    }}""")
    need(s["scheme"] == "consistent", s["scheme"])
    need(s["energy"]["drift"] <= 1e-12*s["energy"]["initial"], f"drift {s['energy']['drift']:.1e}")
    need(sum(a < 0 < b for a, b in zip(c["z'"], c["z'"][1:])) >= 8, "it did not bounce")
    law = [max(0, -z*float(k)) for z in c["z"]]
    need(all(abs(f - g) <= 1e-9*(1 + f) for f, g in zip(c["f.lambda"], law)), "the force is not that of the law")


# --- Newton's method of moreau ---

def rope(kind):
    """Chains of pendulums by constraints and by angles: few iterations, because the Jacobian is whole."""
    if kind.startswith("constraints"):
        n, h, until = (100, 1e-3, 1) if kind.endswith("100") else (300, 5e-4, 0.6)
        text = f"""
            model P(x0, m) {{ param g = 9.81; coord x = x0, y = 0; kinetic m*(x'^2 + y'^2)/2; potential m*g*y; }}
            model Rope {{
                param n = {n}, l = 1/n, m = 0.1/n; P p[i in 1:n](x0 = i*l, m = m);
                constraint top: (p[1].x^2 + p[1].y^2)/2 = l^2/2;
                for i in 1:n-1 {{ constraint rod[i]: ((p[i+1].x - p[i].x)^2 + (p[i+1].y - p[i].y)^2)/2 = l^2/2; }}
                simulate {{ until = {until}, step = {h}, scheme = moreau }}
            }}"""
    else:
        text = """model Rope {
            param n = 40, l = 1/n, m = 0.1/n; coord f[n] = pi/2;
            kinetic sum(i in 1:n) sum(j in 1:n) m*l^2*(n + 1 - max(i, j))*cos(f[i] - f[j])*f[i]'*f[j]'/2;
            potential sum(i in 1:n) -9.81*m*l*(n + 1 - i)*cos(f[i]);
            simulate { until = 1, step = 1e-3, scheme = moreau }
        }"""
    _, s, _ = run(text)
    need(s["newton_iterations"] <= 3.2*s["steps"], f"{s['newton_iterations']/s['steps']:.2f} iterations a step")
    need(s["tolerance_reached"] is True, "above the tolerance")


def stiff_rod(h):
    """A spring of 1e8 N/m, whose length is known to 1e-16 and its force to 1e-8: the iteration ends at that."""
    _, s, said = run(f"""model S {{
        param k = 1e8; coord x = 1, y = 0, y' = 1;
        kinetic (x'^2 + y'^2)/2; potential k*(sqrt(x^2 + y^2) - 1)^2/2 + 9.81*y;
        simulate {{ until = 0.05, step = {h}, scheme = moreau(theta = 1/2) }}
    }}""")
    need(s["tolerance_reached"] is True and "tolerance" not in said, said)
    need(s["newton_iterations"] <= 4*s["steps"], f"{s['newton_iterations']/s['steps']:.2f} iterations a step")


def a_residual_that_falls_no_more():
    """A force in steps of 1e-9 leaves nothing to converge to in some step: it is said, and where."""
    text = """model S {
        coord x = 0, y = 0.3, x' = 1; kinetic (x'^2 + y'^2)/2;
        force x = -1e3*x' + 1e3*cos(y) - 1e-9*floor(1e9*(x' + y)); force y = -y^3;
        simulate { until = 3, step = 1e-2, scheme = moreau }
    }"""
    _, s, said = run(text)
    need(s["tolerance_reached"] is False, "the tolerance was reached")
    need("Newton's method stopped above the tolerance 1e-12" in said and "of x' at t =" in said, said)
    _, s, said = run(text.replace(" - 1e-9*floor(1e9*(x' + y))", ""))
    need(s["tolerance_reached"] is True and "tolerance" not in said, said)
    coarse = text.replace("1e-9*floor(1e9*", "1e-6*floor(1e6*").replace("until = 3,", "until = 30,")
    _, s, said = run(coarse)                               # parts of the steps that have no solution have one
    need(s["halved"] > 0 and "steps in parts" in said, said)
    _, _, said = run(coarse.replace("1e-6*floor(1e6*", "1e-1*floor(1e1*"), code=3)
    need("Newton's method did not converge" in said and "the right side of line 3 jumps" in said, said)


def work_of_a_force_is_force_times_way(theta):
    c, s, _ = run(f"""model W {{
        coord q = 1, r = 0, q' = 0.3; kinetic (1 + r^2)*q'^2/2 + r'^2; force q = 2; potential (q - r)^4;
        simulate {{ until = 2, step = 1e-2, scheme = moreau(theta = {theta}) }}
    }}""")
    work, want = s["energy"]["forces"], 2*(c["q"][-1] - c["q"][0])
    need(abs(work - want) <= 1e-12, f"{work:.15g} J, not {want:.15g} J")


def elliptic_friction_dissipates_most(scheme):
    """While it slides lambda_t = -N (mu1^2 u1, mu2^2 u2)/|(mu1 u1, mu2 u2)|, u at the end of the step (`moreau`) or its
    mean (`consistent`); in a model whose steps are iterated."""
    c, _, _ = run(f"""model E {{
        coord x = 0, y = 0, z = 0, x' = 3, y' = 2; kinetic (x'^2 + y'^2 + z'^2)/2;
        potential 9.81*z + 0.3*x^4 + 0.2*(x - y)^4;
        contact wood {{ normal = z; slip = [x', y']; with inelastic, coulomb(0.5, 0.2); }}
        simulate {{ until = 0.3, step = 1e-3, scheme = {scheme} }}
    }}""")
    u, v, q, r = (c[n] for n in ("x'", "y'", "x", "y"))
    N, a, b = (c["wood.lambda" + n] for n in ("", "_t[1]", "_t[2]"))
    for k in range(1, len(u)):
        s, t = (u[k], v[k]) if scheme == "moreau" else ((q[k] - q[k-1])/1e-3, (r[k] - r[k-1])/1e-3)
        length = math.hypot(0.5*s, 0.2*t)
        for force, want in ((a[k], -N[k]*0.25*s/length), (b[k], -N[k]*0.04*t/length)):
            need(abs(force - want) <= 1e-9*N[k], f"step {k}: {force:.9g}, not {want:.9g}")
    need(abs(v[-1]) > 1 and abs(u[-1]) > 0.1, "it does not slide to the end")


# --- strongly nonlinear models at large steps ---

def nonlinear_model(seed):
    r = random.Random(seed)
    n = r.randint(1, 4)
    q = [f"q{i}" for i in range(n)]

    def u(a, b):
        return round(r.uniform(a, b), 3)

    def pick():
        return r.choice(q)

    words = ["coord " + ", ".join(f"{x} = {u(-.6, .6)}, {x}' = {u(-1.5, 1.5)}" for x in q) + ";"]
    for x in q:
        m = r.choice([f"(1 + {x}^2)", f"(1 + {x}^2)^(-0.5)", f"(2 + tanh({x}))", f"(1 + sin({x})^2)",
                      f"(1 + max({x}, 0)^2)", f"{u(.5, 2)}"])
        words += [f"kinetic {m}*{x}'^2/2;", f"potential 0.4*{x}^2 + 0.05*{x}^4;"]
    for _ in range(r.randint(1, 5)):
        x, y = pick(), pick()
        words.append("potential " + r.choice([
            f"{u(.1, 1)}*abs({x} - {y})", f"{u(.5, 2)}^({x})*{u(.1, 1)}", f"{u(.5, 2)}*max({x}, {y}, 0.3)^2",
            f"{u(.5, 2)}*({x}^2 + 1)^(-2.5)", f"{u(.1, 1)}*tan(atan({x}))*{x}", f"{u(.1, 1)}*sqrt(1 + {x}^2 + {y}^2)",
            f"{u(.1, 2)}*atan2({x}, 1 + {y}^2)*{x}", f"{u(5, 200)}*max(0, {x} - 0.2)^2",
            f"{u(.1, 1)}*exp({x})*cos({y})", f"{u(1, 100)}*(sqrt(({x} - 2)^2 + {y}^2) - 2)^2"]) + ";")
    x, y = pick(), pick()
    gap = f"1.7 - {x}^2 + 0.1*sin({y})"
    along = [k for k in q if k != x]
    if along:
        words.append(f"contact c {{ normal = {gap}; slip = {r.choice(along)}'; with newton(0), coulomb(0.4); }}")
    words.append(f"contact d: {gap} >= 0 with newton(0);")
    return " ".join(words)


def large_steps(scheme):
    """The contact is there twice, with and without friction. No energy comes from nowhere."""
    for seed in range(12):
        for h in ("0.1", "0.2"):
            text = f"model F {{ {nonlinear_model(seed)} simulate {{ until = 5, step = {h}, scheme = {scheme} }} }}"
            _, s, _ = run(text)
            e, size = s["energy"], max(1, abs(s["energy"]["initial"]))
            need(e["gain"] <= 1e-12*size and e["residue"] <= 1e-12*size, f"gain {e['gain']:.1e}: {text}")


def the_duplicated_contact_with_atan2():
    text = """model E {
        coord q1 = 0.441, q1' = -0.091, q2 = 0.441, q2' = -0.171;
        kinetic (1 + q1^2)^(-0.5)*q1'^2/2; potential 0.4*q1^2 + 0.05*q1^4;
        kinetic (1 + sin(q2)^2)*q2'^2/2; potential 0.4*q2^2 + 0.05*q2^4;
        potential 0.341*abs(q1 - q2); potential 1.605^(q2)*0.444;
        potential 1.814*max(q1, q1, 0.3)^2; potential 1.359*(q1^2 + 1)^(-2.5);
        contact c0 { normal = 1.7 - q2^2 + 0.1*sin(q1); slip = q1'; with newton(0), coulomb(0.4); }
        contact c1: 1.7 - q2^2 + 0.1*sin(q1) >= 0 with newton(0);
        simulate { until = 10, step = 0.1, scheme = SCHEME }
    }"""
    for scheme in (*ENERGIES, "moreau", "midpoint"):
        run(text.replace("SCHEME", scheme))


# --- potentials whose derivatives have kinks, vanish or are unbounded somewhere ---

# From each start the motion crosses these places, or begins there.
STARTS = ("x = 0, y = 0, x' = 1, y' = 0", "x = 0.5, y = -0.3, x' = -0.5, y' = 0.3", "x = 1, y = 1, x' = 0, y' = 0")
POTENTIALS = {
    "powers": ("abs(x)^3", "(x^2)^(3/2)", "abs(x)^(4/3) + y^2/2", "(x^2)^0.75 + abs(x - y)^1.25", "(x^2 + y^2)^(1/3)",
               "2^(x^2) + abs(y)^3.1", "sqrt(max(x, 0))^5 + sqrt(max(-x, 0))^5"),
    "branches": ("max(x, 0)^(3/2) + y^2", "max(x*y, 0)^2", "min(x, y)^2", "if x > 0 then x^2 else 4*x^2",
                 "max(abs(x) - 0.3, 0)^(5/2)*10 + y^2", "abs(sin(x))^(5/2) + y^2", "x^4/(1 + abs(y))"),
    "functions": ("sqrt(x^2 + y^2)", "exp(-1/max(x, 1e-3))", "log(1 + x^2)", "asin(x/4)^2 + y^2",
                  "atan2(y, x + 3)^2 + x^2 + y^2", "tanh(x)^2*cosh(y/2)"),
}


def potentials_keep_their_energy(kind):
    for V in POTENTIALS[kind]:
        for start in STARTS:
            text = f"model Q {{ coord {start}; kinetic (x'^2 + y'^2)/2; potential {V};"
            _, summary, _ = run(text + " simulate { until = 5, step = 1e-2, scheme = consistent } }")
            drift = summary["energy"]["drift"]
            need(drift <= 2e-14, f"{V} from {start}: the energy drifts by {drift:.2e} J")


# --- moreau is what docs/numerics/moreau.md says: (4), (5), (7), (9), (10) from the rows that a run leaves ---

CURVED = """coord q = 0.4, q' = 1, z = 0.2; state x = -0.5; multiplier l;
    kinetic (1 + q^2/2)*q'^2/2 + z'^2/2; potential q^4/4 + 3*z*cos(z); force q = sin(x) + (1 + x^2/4)*l;
    x' = -x^3 + cos(q) + (2 + sin(x))*l; relation r: 0 <= y perp l >= 0; var y = x + l/2 + sin(3*time);
    contact c: z + 0.1*sin(z) >= 0 with newton(0.5);"""
STRAIGHT = """coord q = 0.4, q' = 1, z = 0.2; state x = -0.5; multiplier l;
    kinetic 2*q'^2/2 + z'^2/2; potential q^2/2 + 3*z; force q = x + 0.7*l - 0.2*q' + cos(2*time);
    x' = -x + q + 2*l; relation r: 0 <= y perp l >= 0; var y = x + l/2 + sin(3*time);
    contact c: z >= 0 with newton(0.5);"""


def curved(s, t):
    """(M, f, g) of q, z, x, and the gap, its derivative, y."""
    q, v, z, x, l = s
    return ((1 + q*q/2, 1, 1), (-q*v*v/2 - q**3 + math.sin(x), -3*math.cos(z) + 3*z*math.sin(z), -x**3 + math.cos(q)),
            ((1 + x*x/4)*l, 0, (2 + math.sin(x))*l), z + 0.1*math.sin(z), 1 + 0.1*math.cos(z), x + l/2 + math.sin(3*t))


def straight(s, t):
    q, v, z, x, l = s
    return ((2, 1, 1), (-q + x - 0.2*v + math.cos(2*t), -3, -x + q), (0.7*l, 0, 2*l), z, 1, x + l/2 + math.sin(3*t))


def moreau_keeps_its_equations(model, theta, gamma):
    text, terms = {"curved": (CURVED, curved), "straight": (STRAIGHT, straight)}[model]
    h = 0.02
    c, _, _ = run(f"""model E {{ {text}
        simulate {{ until = 4, step = {h}, scheme = moreau(theta = {theta}, gamma = {gamma}) }} }}""")
    rows = list(zip(*(c[n] for n in ("time", "q", "q'", "z", "z'", "x", "l", "c.lambda"))))
    hit = 0
    for (t0, q0, v0, z0, w0, x0, l0, _), (t1, q1, v1, z1, w1, x1, l1, p) in zip(rows, rows[1:]):
        _, f0, _, gap, slope, _ = terms((q0, v0, z0, x0, l0), t0)
        _, f1, _, _, slope1, _ = terms((q1, v1, z1, x1, l1), t1)
        law = [(1 - gamma)*a + gamma*b for a, b in ((q0, q1), (v0, v1), (z0, z1), (x0, x1))]
        _, _, g, _, _, y = terms((*law, l1), t0 + gamma*h)
        mid = [(1 - theta)*a + theta*b for a, b in ((q0, q1), (v0, v1), (z0, z1), (x0, x1))]
        M, *_ = terms((*mid, 0), t0)
        impulse = (0, slope1*p, 0)
        for k, step in enumerate((v1 - v0, w1 - w0, x1 - x0)):
            off = (M[k]*step - h*theta*f1[k] - h*(1 - theta)*f0[k] - h*g[k] - impulse[k])
            need(abs(off) <= 1e-12, f"(4), row {k} at t = {t1:g}: off by {off:.2e}")
        for a, b, u0, u1 in ((q0, q1, v0, v1), (z0, z1, w0, w1)):
            need(abs(b - a - h*(theta*u1 + (1 - theta)*u0)) <= 1e-14, f"(5) at t = {t1:g}")
        need(min(l1, y) >= -1e-12 and abs(min(l1, y)) <= 1e-12, f"(7) at t = {t1:g}: l = {l1:.3g}, y = {y:.3g}")
        closed = gap + h/2*slope*w0 <= 0
        rate = slope1*w1 + 0.5*slope*w0
        need(p >= 0 and (abs(p*rate) <= 1e-12 and rate >= -1e-12 if closed else p == 0), f"(9), (10) at t = {t1:g}")
        hit += p > 0
    need(hit > 3 and max(c["l"]) > 0.1 and min(c["l"][1:]) == 0, "the laws do not switch")


# |s|^(1/2) under a law that holds s at 0: each step meets a slope without bound, and v and x die away to 1e-12 while
# the control does not.
SUPER_TWISTING = """model SuperTwisting { param k1 = 3, k2 = 4, c = 2;  state x = 1, v = 0, w = 0;  multiplier l;
  var s = v + c*x;  relation r: l in -sgn(s);
  x' = v;  v' = k1*sqrt(abs(s))*l + w + 0.5*sin(3*time) - c*v;  w' = k2*l;  output S = s;
  simulate { until = 10, step = 1e-3, scheme = moreau(theta = 1) } }"""


def super_twisting(flags):
    """Every step converges, and s is 0 in sliding; with c = 1.3 few steps have a v with v + c x = 0."""
    data, summary, said = run(SUPER_TWISTING, *flags.split())
    need(summary["tolerance_reached"], said)
    most = max(abs(s) for t, s in zip(data["time"], data["S"]) if t > 3)
    need(most <= 1e-16, f"s is {most:.3g} in sliding")


CASES = [(f"rests: {name}", rests, name) for name in RESTING]
for kind in ("lifted", "shaken"):
    CASES.append((f"rests on a table that is {kind}", rests_on_a_table_that_moves, kind))
for share in ("1e-6", "1e-12"):
    CASES.append((f"opens at {share} of the weight", opens, share))
for scheme in (*ENERGIES, "moreau(theta = 1/2)", "midpoint"):
    CASES.append((f"ledger of random models, {scheme}", ledger, scheme))
for scheme in ENERGIES:
    CASES.append((f"ledger with a force of velocities, {scheme}", friction_and_a_force_of_velocities, scheme))
    CASES.append((f"large steps, {scheme}", large_steps, scheme))
for scheme in ("consistent", "moreau(theta = 1/2)", "midpoint"):
    CASES.append((f"forces along expressions, {scheme}", forces_along_expressions, scheme))
for scheme in ("consistent", "moreau(theta = 1/2)", "midpoint"):
    CASES.append((f"a wheel and a ball with rolling friction, {scheme}", wheel_on_an_incline, scheme))
for bars in (2, 3):
    CASES.append((f"a parallelogram of {bars} cranks in absolute coordinates", redundant_mechanism, bars))
for k, h in (("1e3", "1e-2"), ("1e4", "1e-3"), ("1e8", "1e-2")):
    CASES.append((f"bounces on a spring of {k}, step {h}", bounces_on_a_spring, k, h))
for kind in ("constraints, 100", "constraints, 300", "angles"):
    CASES.append((f"rope by {kind}", rope, kind))
for h in ("1e-3", "1e-4", "1e-5"):
    CASES.append((f"stiff rod at {h}", stiff_rod, h))
for theta in (0.5, 0.8, 1):
    CASES.append((f"work of a force, theta {theta}", work_of_a_force_is_force_times_way, theta))
for scheme in ("moreau", "consistent"):
    CASES.append((f"elliptic friction dissipates most, {scheme}", elliptic_friction_dissipates_most, scheme))
for flags in ("--set c=2", "--set c=1.3", "--set c=0.7 --set k1=5", "--theta 1/2 --set c=1.3", "--step 1e-2"):
    CASES.append((f"super-twisting, {flags}", super_twisting, flags))
CASES.append(("a residual that falls no more", a_residual_that_falls_no_more))
CASES.append(("a duplicated contact, atan2 and kinks", the_duplicated_contact_with_atan2))
for kind in POTENTIALS:
    CASES.append((f"potentials keep their energy: {kind}", potentials_keep_their_energy, kind))
for model in ("curved", "straight"):
    for theta, gamma in ((0.5, 1), (0.7, 0.4), (1, 0.8), (0.6, 0.6)):
        CASES.append((f"moreau keeps its equations: {model}, theta {theta}, gamma {gamma}", moreau_keeps_its_equations,
                      model, theta, gamma))
