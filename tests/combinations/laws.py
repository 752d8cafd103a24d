"""Laws and cones: what is written of them in a model, how they start, and what `motion.py` needs to know."""
import dataclasses

from parts import Start

MU, MU2, RADIUS, MU_R, E, E_T, LIVELY, SOFT = 0.5, 0.25, 1, 0.4, 0.5, 0.4, 0.9, 1e-3
SPACE = {"x": 0.8, "y": 0.6}
FALL = Start({"z": -1}, 0.05)


@dataclasses.dataclass
class Law:
    says: str
    group: str          # impact, friction, given, held, relation
    directions: str     # those that it acts on; gap included
    start: Start
    text: str           # for contacts: laws behind `with`; for relations: the relation
    cone: str = ""      # of motion.py
    rests: bool = True


def friction(says, slips, text, cone, start, z="z"):
    return Law(says, "friction", z + slips, Start(start), "inelastic, " + text, cone)


def given(says, slips, text, cone, start):
    return Law(says, "given", slips, Start(start), text, cone)


ROLL, SPIN = {"x": 1, "r": 0.5}, dict(SPACE, s=0.6)
ROLLS = dict(SPACE, r=0.3, w=0.4)
CONES = [
    ("coulomb", "coulomb(mu) in the plane", "x", f"coulomb({MU})", "disk", {"x": 1}),
    ("coulomb space", "coulomb(mu) in space", "xy", f"coulomb({MU})", "disk", SPACE),
    ("elliptic", "coulomb(mu1, mu2)", "xy", f"coulomb({MU}, {MU2})", "ellipse", SPACE),
    ("contensou", "contensou(mu, radius)", "xys", f"contensou({MU}, {RADIUS})", "ellipsoid", SPIN),
    ("contensou exact", "contensou(mu, radius, exact)", "xys", f"contensou({MU}, {RADIUS}, exact)", "disk", SPACE),
    ("rolling", "rolling(mu, mu_r) in the plane", "xr", f"rolling({MU}, {MU_R})", "rolling", ROLL),
    ("rolling space", "rolling(mu, mu_r) in space", "xyrw", f"rolling({MU}, {MU_R})", "rolling", ROLLS),
    ("stribeck", "coulomb(mu) with mu of the slip", "x", "coulomb(0.3 + 0.2/(1 + 4*SLIP^2))", "stribeck", {"x": 1}),
]
OCTAGON = """{l : l[1] <= 5, -l[1] <= 5, l[2] <= 5, -l[2] <= 5,
                                l[1] + l[2] <= 7, l[1] - l[2] <= 7, l[2] - l[1] <= 7, -l[1] - l[2] <= 7}"""
POLYGON = f"""
model Polygon(y) {{                   // its multipliers are a vector: a family of them is one of parts
  multiplier l[2];
  relation c: -y in normal_cone({OCTAGON}, l);
}}"""
LAWS = {
    "inelastic": Law("inelastic", "impact", "z", FALL, "inelastic"),
    "newton": Law("newton(e)", "impact", "z", FALL, f"newton({E})"),
    "elastic": Law("elastic", "impact", "z", FALL, "elastic", rests=False),
    **{name: Law(f"{name}(e)", "impact", "z", FALL, f"{name}({LIVELY})", rests=False)
       for name in ("poisson", "binary", "lzb")},
    "newton tangential": Law("newton(e, e_t), coulomb(mu)", "impact", "xz", Start({"x": 0.5, "z": -1}, 0.05),
                             f"newton({E}, {E_T}), coulomb({MU})"),
    "gap alone": Law("a contact without a law", "impact", "z", FALL, ""),
}
for name, says, slips, text, cone, start in CONES:
    LAWS[name] = friction(says, slips, text, cone, start)
for name, says, slips, text, cone, start in CONES:
    LAWS["given " + name] = given(says + " under normal_force", slips, text, cone, start)
LAWS.update({
    "held": Law("coulomb(mu) on a constraint", "held", "xz", Start({"x": 1}), f"coulomb({MU})", "disk"),
    "held pin": Law("coulomb(mu) on two constraints (a pin)", "held", "xyz", Start({"x": 1}), f"coulomb({MU})", "disk"),
    "held space": Law("coulomb(mu) on a constraint, two slips", "held", "xyz", Start(SPACE), f"coulomb({MU})", "disk"),
    "held twice": Law("coulomb(mu) on a constraint that is said twice", "held", "xz", Start({"x": 1}),
                      f"coulomb({2*MU})", "disk"),
    "complementarity": Law("0 <= y perp u >= 0", "relation", "x", Start({"x": 1}), "0 <= Y perp u_x@ >= 0", "floor"),
    "interval": Law("-y in normal_cone([lo, hi], u)", "relation", "x", Start({"x": 1}),
                    "-(Y) in normal_cone([-5, 3], u_x@)", "relay"),
    "free": Law("-y in normal_cone([-inf, inf], u)", "relation", "x", Start({"x": 0}),
                "-(Y) in normal_cone([-inf, inf], u_x@)", "hold"),
    "relay": Law("u in -K*sgn(y)", "relation", "x", Start({"x": 1}), "u_x@ in -5*sgn(Y)", "relay"),
    "graph": Law("u in graph(y, ...), falling", "relation", "x", Start({"x": 1}),
                 "u_x@ in graph(Y, [(-1, 6), (0, 5), (0, -5), (1, -6)])", "steeper"),
    "stribeck graph": Law("u in graph(y, ...), not monotone", "relation", "x", Start({"x": 1}),
                          "u_x@ in graph(Y, [(-1, 4), (0, 5), (0, -5), (1, -4)])", "flatter"),
    "polyhedron": Law("-y in normal_cone({l : A*l <= b}, l)", "relation", "xy", Start({"x": 1}),
                      f"-[Y, Y2] in normal_cone({OCTAGON}, l)", "relay"),
    "sampled": Law("u in -K*sgn(y) inside of every", "relation", "x", Start({"x": 1}), "", "sampled"),
})


def contact_text(law, host, soft, times=None):
    """The statement of a contact, or of a constraint with friction. times: a factor of a given normal force."""
    gap = host.place.get("z", "0") + (f" + {SOFT:g}*c@.lambda" if soft else "")
    slips = [host.rate[d] for d in law.directions if d != "z"]
    laws = law.text.replace("SLIP", f"({slips[0]})") if slips else law.text
    slip = (f"slip = {slips[0]};" if len(slips) == 1 else f"slip = [{', '.join(slips)}];") if slips else ""
    with_laws = f"with {laws};" if laws else ""
    if law.group == "impact" and not slips:
        return f"contact c@: {gap} >= 0{' with ' + laws if laws else ''};"
    if law.group == "given":
        return f"contact c@ {{ normal_force = 10{f'*{times}' if times else ''}; {slip} {with_laws} }}"
    return f"contact c@ {{ normal = {gap}; {slip} {with_laws} }}"


def held_text(law, name, host, soft):
    """Friction on a constraint; the weight of 10 has parts 6 and 8 on the two normals of a pin. A constraint that is
    said twice bears half of it, which twice the coefficient makes up for."""
    soft = f" + {SOFT:g}*c@.lambda" if soft else ""
    normal, slips = host.place["z"] + soft, [host.rate["x"]]
    if name == "held pin":
        normal = f"[{host.place['y']}, {host.place['z']}{soft}]"
    elif name == "held space":
        slips.append(host.rate["y"])
    slip = slips[0] if len(slips) == 1 else f"[{', '.join(slips)}]"
    again = f"\nconstraint also@: {normal} = 0;" if name == "held twice" else ""
    return f"constraint c@ {{ normal = {normal}; slip = {slip}; with {law.text}; }}{again}"


def relation_text(law, name, host, soft):
    y = {d: host.rate[d] for d in law.directions}
    if name == "sampled":
        return ""
    if name == "polyhedron":
        more = {"x": " + 0.01*l[1]", "y": " + 0.01*l[2]"} if soft else {"x": "", "y": ""}
        return "relation c: " + law.text.replace("Y2", y["y"] + more["y"]).replace("Y", y["x"] + more["x"]) + ";"
    more = " + 0.01*u_x@" if soft else ""
    return "relation c@: " + law.text.replace("Y", y["x"] + more) + ";"
