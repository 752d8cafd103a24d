"""Claims about the laws of friction: what each of them brings to rest stays, under a contact and under a given normal
force, in every scheme, located or not, in coordinates, on bodies and among others; forces keep to their set and take.

Each function takes the case; CASES lists them with their names for the suite.
"""
import math

from claims import run
from suite import need

M, G, J = 0.5, 9.81, (0.002, 0.003, 0.0025)
MU, MU2, R, MU_R = 0.4, 0.25, 0.06, 0.03
# Directions of slip, the law, half axes of its parts in units of the normal force.
LAWS = {
    "line": (["x"], f"coulomb({MU})", [[MU]]),
    "plane": (["x", "y"], f"coulomb({MU})", [[MU, MU]]),
    "ellipse": (["x", "y"], f"coulomb({MU}, {MU2})", [[MU, MU2]]),
    "area": (["x", "y", "c"], f"contensou({MU}, {R})", [[MU, MU, MU*R]]),
    "hertz": (["x", "y", "c"], f"contensou({MU}, {R}, exact)", [[MU, MU, MU*R]]),
    "wheel": (["x", "b"], f"rolling({MU}, {MU_R})", [[MU], [MU_R]]),
    "ball": (["x", "y", "a", "b"], f"rolling({MU}, {MU_R})", [[MU, MU], [MU_R, MU_R]]),
}
START = {"x": 0.9, "y": 1.1, "a": 3, "b": -4, "c": 15}
SCHEMES = ["moreau", "moreau(located = true)", "midpoint", "consistent", "consistent(located = true)"]


def puck(name, law, given):
    """A puck that slides, spins and rolls against one law; on a slope less steep than every law."""
    slips, text, _ = LAWS[law]
    at = {v: f"{v}_{name}" for v in "xyzabc"}
    starts = "".join(f", {at[v]}' = {START[v]}" for v in slips)
    energy = f"{M}*({at['x']}'^2 + {at['y']}'^2 + {at['z']}'^2)/2 + " + " + ".join(
        f"{j}*{at[v]}'^2/2" for j, v in zip(J, "abc"))
    pull = f"0.5*{at['x']}" + (f" + 0.5*{at['y']}" if "y" in slips else "")
    press = f"normal_force = {M*G};" if given else f"normal = {at['z']};"
    impact = "" if given else "inelastic, "
    slip = ", ".join(at[v] + "'" for v in slips)
    return (f"coord {', '.join(x + ' = 0' for x in at.values())}{starts}; kinetic {energy};\n"
            f"potential {M}*({0 if given else G}*{at['z']} - {pull});\n"
            f"contact k_{name} {{ {press} slip = [{slip}]; with {impact}{text}; }}\n")


def comes_to_rest(scheme):
    """Each law under a contact (c) and the same force, given (g): at rest, alike, within the law, never giving."""
    every = [(law, given) for law in LAWS for given in (False, True)]
    text = "".join(puck(f"{law}_{'g' if given else 'c'}", law, given) for law, given in every)
    ends = []
    for h in (2e-3, 1e-3):
        c, s, _ = run(f"model A {{ {text} simulate {{ until = 1.5, step = {h}, scheme = {scheme} }} }}")
        for law, given in every:
            name = f"{law}_{'g' if given else 'c'}"
            slips, _, parts = LAWS[law]
            for v in slips:
                need(abs(c[f"{v}_{name}'"][-1]) <= 1e-12, f"{v}_{name}' = {c[f'{v}_{name}' + chr(39)][-1]}, h = {h}")
                apart = max(abs(x - y) for x, y in zip(c[f"{v}_{law}_c"], c[f"{v}_{law}_g"]))
                need(apart <= 1e-10, f"{v} of {law} under a contact and a given force are {apart} apart")
            forces = [n for n in c if n.startswith(f"k_{name}.lambda_")]
            need(len(forces) == len(slips), f"{name}: {forces}")
            for i in range(1, len(c["time"])):
                first, N = 0, M*G*h
                for axes in parts:
                    used = math.hypot(*(c[n][i]/(a*N) for n, a in zip(forces[first:], axes)))
                    first += len(axes)
                    need(used <= 1 + 1e-10, f"{name} uses {used} of its law at {c['time'][i]}")
        need(all(x["friction"] >= 0 for x in s["losses"].values()), f"losses {s['losses']}")
        if scheme.startswith("consistent"):
            need(s["energy"]["gain"] <= 1e-15 and abs(s["energy"]["residue"]) <= 1e-12, f"{s['energy']}")
        ends.append([c[f"{v}_{law}_g"][-1] for law in LAWS for v in LAWS[law][0]])
    apart = max(abs(x - y) for x, y in zip(*ends))
    need(apart <= (3e-2 if "mid" in scheme or scheme == "moreau" else 1e-2), f"h and h/2 end {apart} apart")


def body_on_feet(law):
    """A body on three feet, on a slope: it slides, turns and stops."""
    slips, spin, _ = law
    feet = ["[0.1, 0, 0]", "[-0.06, 0.09, 0]", "[-0.06, -0.09, 0]"]
    text = "gravity [0.5, 0.3, -9.81]; body p { mass = 0.5, inertia = [0.002, 0.003, 0.0025], velocity = [0.9, 0.4, 0],"
    text += " spin = [0, 0, 5] }\n"
    for i, foot in enumerate(feet):
        text += f"var f{i} = p.point({foot}); contact k{i} {{ normal = f{i}[3]; slip = [f{i}[1]', f{i}[2]'{spin}]; "
        text += f"with inelastic, {slips}; }}\n"
    text += "output u = sqrt(p.r[1]'^2 + p.r[2]'^2 + p.r[3]'^2 + p.omega[1]^2 + p.omega[2]^2 + p.omega[3]^2);"
    for h in (2e-2, 1e-3):
        c, s, _ = run(f"model A {{ {text} simulate {{ until = 1, step = {h}, scheme = consistent }} }}")
        need(c["u"][-1] <= 1e-12, f"it moves on with {c['u'][-1]}, h = {h}")
        need(s["energy"]["gain"] <= 1e-15, f"{s['energy']}")
        need("unsettled" not in s, "unsettled steps")


def coefficients_that_move():
    """Half axes and a given force as expressions; friction stops a puck when the force comes back."""
    text = """coord x = 0, y = 0, c = 0, x' = 1, y' = 1.5, c' = 20;
      kinetic (x'^2 + y'^2)/4 + 0.0025*c'^2/2;
      contact k { normal_force = 4.9*(1 + cos(5*time)); slip = [x', y', c']; with contensou(0.4 + 0.1*x'^2, 0.06); }"""
    for scheme in SCHEMES:
        c, s, _ = run(f"model A {{ {text} simulate {{ until = 1.8, step = 1e-3, scheme = {scheme} }} }}")
        need(all(abs(c[v][-1]) <= 1e-12 for v in ("x'", "y'", "c'")), f"{scheme}: {[c[v][-1] for v in c]}")
        i = min(range(len(c["time"])), key=lambda k: abs(c["time"][k] - math.pi/5))
        pressed = 1e-3*4.9*(1 + math.cos(5*c["time"][i]))
        need(math.hypot(c["k.lambda_t[1]"][i], c["k.lambda_t[2]"][i]) <= 0.6*pressed + 1e-5, "no force, no friction")


CASES = [(f"every law of friction brings to rest: {scheme}", comes_to_rest, scheme) for scheme in SCHEMES]
CASES += [(f"a body on three feet stops: {name}", body_on_feet, law) for name, law in
          (("ellipse", ("coulomb(0.3, 0.5)", "", None)), ("area", ("contensou(0.3, 0.02)", ", p.omega[3]", None)),
           ("hertz", ("contensou(0.3, 0.02, exact)", ", p.omega[3]", None)))]
CASES += [("half axes and a given force that move", coefficients_that_move)]
