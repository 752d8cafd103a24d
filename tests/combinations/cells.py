"""One cell of the table: which model it is, and what it must do."""
import dataclasses
import itertools
import re

from kinds import KINDS
from laws import LAWS, POLYGON, contact_text, held_text, relation_text
from motion import motion
from parts import UNTIL, Start, model

SCHEMES = ["moreau", "midpoint", "consistent", "consistent1", "consistent_explicit_mass", "radau"]
# Schemes with an argument, or without a choice to locate events or not.
VARIANTS = {"moreau projected": "moreau(projection = true)", "consistent order 4": "consistent(order = 4)",
            "schatzman_paoli": "schatzman_paoli", "d1minus": "d1minus", "event_driven": "event_driven"}
FEATURES = {
    "plain": "nothing else",
    "family": "two members of a family, `for`",
    "asked": "a family; another output reads those of its members, `fit` and `analyse` ask about the second",
    "listed": "two members of a family of shapes, which the contact names one by one",
    "materials": "the numbers of the law are those of a pair of materials",
    "sized": "the size of the shape is a parameter that is set from outside",
    "every": "a load that a clock switches, `every`, and coefficients of friction that it holds",
    "when": "a load that an event switches, `when`, and normal forces that it sets",
    "input": "a load from a file, `input`, on which coefficients of friction depend",
    "delay": "a load by `delay`",
    "compliant": "the contact or relation is compliant",
    "branches": "loads by `if` and `if not`, and by |v|, max(v, 0), max(-v, 0) of slips and of what is held; sum 0",
    "wall": "a wall without friction, which a force presses the body against all along",
    "walls": "two members of a family, each with its wall",
    "loose wall": "a wall that a force of `every` presses the body against, and then leaves alone, by turns",
}
OF_SHAPES = ("listed", "materials", "sized")
SET = {"sized": {"thick": 0.1}}          # from outside
WALLS = ("wall", "walls", "loose wall")


@dataclasses.dataclass(frozen=True)
class Cell:
    scheme: str
    located: bool
    law: str
    kind: str
    feature: str

    @property
    def family(self):
        return self.feature in ("family", "asked", "listed", "walls")

    @property
    def scheme_name(self):
        return self.scheme + (" located" if self.located else "")

    def __str__(self):
        return f"{self.scheme_name}, {self.law}, {self.kind}, {self.feature}"


def all_cells():
    schemes = [*itertools.product(SCHEMES, (False, True)), *itertools.product(VARIANTS, (False,))]
    for kind, law, feature, (scheme, located) in itertools.product(KINDS, LAWS, FEATURES, schemes):
        yield Cell(scheme, located, law, kind, feature)


def scheme_text(cell):
    if cell.scheme in VARIANTS:
        return VARIANTS[cell.scheme]
    if cell.scheme == "radau":                              # located unless it is told not to
        return "radau" if cell.located else "radau(located = false)"
    return f"{cell.scheme}(located = true)" if cell.located else cell.scheme


def free_of(law, kind):
    """How a model of shapes has a law that is not one of the contact of shapes."""
    if law.group in ("impact", "friction"):
        return ""
    return "far" if law.group == "held" else "rests"


def more(block):
    """Eleven more of a block, which count and act on nothing: the state has room for each."""
    return "".join(f"\ndiscrete n{i} = 0;  {block} {{ n{i} = n{i} + 1; }}" for i in range(11))


def load(feature, signal, group, rates):
    """(declarations, expression) of a load; signal: what it listens to; rates: in its direction, and what is held."""
    test = {"impact": f"{signal} < 0.03", "relation": f"{signal} < 0.5"}.get(group, f"{signal} > 0.05")
    # the first instant is the start, or one period behind it: an offset that equals the period
    clock = "d = 2;\nevery 1/30 offset 1/30" if group in ("friction", "held", "relation") else "d = 0;\nevery 1/30"
    return {
        "every": (f"discrete grip = 1, {clock} {{ d = 2 - d;  grip = 1; }}" + more("every 1/30"), "d"),
        "when": (f"discrete d = 0, press = 1;\nwhen {test} {{ d = 2;  press = 1; }}" + more(f"when {test}"),
                 "d"),
        "input": ("input f;", "f"),
        "branches": ("", f"(if {signal} < 1e3 then 2 else 0) - (if not ({signal} < 1e3) then 0 else 2)" +
                         "".join(f" + abs({v}) - max({v}, 0) - max(-({v}), 0)" for v in rates)),
        "delay": ("", f"{2 if group == 'relation' else 8}*delay({signal}, 0.05)"),
    }.get(feature, ("", "0"))


# What a coefficient and a given normal force are multiplied by: 1, but the compiler does not know.
HELD = {"every": "grip", "input": "max(1, f - 9)"}
PRESSED = {"when": "press"}


# What a pair of materials calls the arguments of a law.
PAIRED = {"newton": ("e", "e_t"), "poisson": ("e",), "binary": ("e",), "lzb": ("e",), "coulomb": ("mu",),
          "contensou": ("mu", "radius"), "rolling": ("mu", "mu_r")}


def is_paired(law):
    """Are all numbers of the law those that a pair of materials can have?"""
    calls = re.findall(r"(\w+)\(([^)]*)\)", law.text)
    return all(name in PAIRED and len(x := numbers.split(",")) <= len(PAIRED[name]) and
               all(re.fullmatch(r" *[0-9.]+ *", n) for n in x) for name, numbers in calls)


def of_materials(cell, laws, host):
    """Laws without their numbers, which go to the pair of the materials of both bodies."""
    given = []

    def bare(m):
        given.extend(f"{name} = {x}" for name, x in zip(PAIRED[m[1]], m[2].split(",")))
        return m[1]

    laws = re.sub(rf"\b({'|'.join(PAIRED)})\(([^)]*)\)", bare, laws)
    host.outside = host.outside.replace("shape =", "material = steel, shape =")
    host.outside = f"material steel; pair steel, steel {{ {', '.join(given)} }}\n" + host.outside
    return laws


def law_text(cell, law, host):
    """The law. Between shapes coefficients are constant."""
    soft = cell.feature == "compliant"
    if cell.feature in HELD and not (host.shapes and law.group in ("impact", "friction")):
        moving = re.sub(r"\b(coulomb|contensou|rolling)\(([0-9.]+)", rf"\1(\2*{HELD[cell.feature]}", law.text)
        law = dataclasses.replace(law, text=moving)
    if law.group == "relation":
        return relation_text(law, cell.law, host, soft)
    if law.group == "held":
        return held_text(law, cell.law, host, soft)
    if host.shapes and law.group != "given":
        laws = law.text.replace("SLIP", "b[1].r[1]'" if cell.family else "b.r[1]'")
        if host.rolls:                                      # rolls without slip, and is slowed down by 5
            laws = f"inelastic, rolling(0.9, {0.05*host.rolls:g})"
        if cell.feature == "materials":
            laws = of_materials(cell, laws, host)
        shapes = host.shapes.replace(" b,", " [b[1:1], b[2:2]],") if cell.feature == "listed" else host.shapes
        return f"contact c {{ {shapes}; {'with ' + laws + ';' if laws else ''} }}"
    return contact_text(law, host, soft, PRESSED.get(cell.feature))


def declared(cell, law):
    """Multipliers of relations, and the law that is sampled."""
    if cell.law == "polyhedron":
        return "" if cell.family else "multiplier l[2];\n"
    if cell.law == "sampled":
        return "discrete u_x@N = 0;\n"
    return "".join(f"multiplier u_{d}@N;\n" for d in law.directions) if law.group == "relation" else ""


def forces(cell, law, host, expression):
    """What pushes: the load, the multiplier, what another part of the model adds."""
    d = "z" if law.group == "impact" else "x"
    sign = "-" if d == "z" else ""
    relation = law.group == "relation"
    total = {d: [expression] if expression != "0" else [] for d in host.rate if d in law.directions}
    if d not in total:
        return ""
    for other in total:
        if other != d:
            total[other] = []
        if relation:
            part = "part@." if cell.family else ""
            total[other].append(f"{part}l[{'xy'.index(other) + 1}]" if cell.law == "polyhedron" else f"u_{other}@")
    total[d] += ["-5"] if law.cone == "floor" else []
    total[d] += ["p@"] if host.ramp and not host.spring else ["store@.u"] if host.spring else []
    text = f"flow g to e@ = 1 - ({sign}({host.rate[d]}));\n" if host.spring else ""
    for at, terms in total.items():
        f = " + ".join(terms)
        if host.first_order:
            text += host.hung.format(q=host.rate[at], d=at, f=f or "0") + "\n"
        elif f:
            text += f"force {host.push[at]} = {sign}({f});\n"
    return text


def sampled_laws(host, family):
    """Laws for a discrete variable; those of a family one by one, as no `for` stands inside of `every`."""
    law = f"  relation c%: u_x@ in -5*sgn({host.rate['x']} + 0.01*u_x@);\n"
    members = [("1", "[1]"), ("2", "[2]")] if family else [("", "@")]
    return "".join(law.replace("%", name).replace("@", index) for name, index in members)


def weights(law_name, host):
    """The weight of 10 of a pin has its parts on both normals."""
    return f"force {host.push['y']} = -6;\nforce {host.push['z']} = 2;\n" if law_name == "held pin" else ""


def asks(law, shapes):
    """What is asked of runs changes none. READ is outside of the `for` whose outputs it reads."""
    name = f"V{law.directions[0]}[2]"
    hits = "match hit(c[2]) ~ struck;  " if law.group == "impact" and not shapes else ""
    return (f"param asked = 1 in [0, 2];\n"
            f"output READ = {name} - V{law.directions[0]}[1];\n"
            f"fit {{ data = \"none.csv\";  match {name} ~ measured;  {hits}vary asked log in [0.5, 2]; }}\n"
            f"analyse {{ section {name} = 0 down;  outputs {name};  points = 3; }}")


def build(cell):
    """(text, host) of the model, host None where the kind has no such directions."""
    law = LAWS[cell.law]
    if cell.feature in OF_SHAPES and not ("shapes" in cell.kind and law.group in ("impact", "friction")):
        return None, None
    if cell.feature == "materials" and not is_paired(law):
        return None, None
    start = law.start
    if law.cone == "hold":
        start = Start({"x": 0})
    wall = cell.feature in WALLS
    host = KINDS[cell.kind][0](set(law.directions) | ({"y"} if wall else set()), start,
                                free_of(law, cell.kind) if "shapes" in cell.kind else "")
    if host is None or (host.first_order and law.group != "relation"):
        return None, None
    signal = host.rate["x"] if law.group == "relation" else host.place["z" if law.group == "impact" else "x"]
    along = "z" if law.group == "impact" else "x"
    rates = [host.rate[d] for d in (along, "z") if d in law.directions and (d == along or law.group != "impact")]
    around, expression = load(cell.feature, signal, law.group, rates)
    if cell.feature == "sized":
        host.outside = "param thick = 0.05;\n" + re.sub(r"\b0\.1(?=\]?\))", "thick", host.outside, count=1)
    outputs = {}
    for d in law.directions:
        if d in host.place:
            outputs["P" + d] = host.place[d]
        outputs["V" + d] = host.rate[d]
    if host.miss:
        outputs["MISS"] = host.miss
    host.outside += "\n" + declared(cell, law)
    if cell.feature == "asked":
        around += asks(law, host.shapes)
    if cell.law == "sampled":
        around += "\nevery 0.01 {\n" + sampled_laws(host, cell.family) + "}"
    text = forces(cell, law, host, expression) + weights(cell.law, host)
    contact = law_text(cell, law, host)
    if wall:
        loose = cell.feature == "loose wall"
        around += "\ndiscrete press = 1;\nevery 1/30 { press = 1 - press; }" if loose else ""
        text += f"force {host.push['y']} = -3{'*press' if loose else ''};\n"
    if host.shapes and law.group in ("impact", "friction"):
        around, contact = around + "\n" + contact, ""
    if cell.law == "polyhedron" and cell.family:
        host.imports += POLYGON
        around, contact = around + f"\nPolygon part@D(y = [{host.rate['x']}, {host.rate['y']}]);", ""
    if wall:
        contact += f"\ncontact wall@: {host.place['y']} >= 0 with inelastic;"
    return model(host, contact, text, outputs, cell.family, around, scheme_text(cell)), host


def expected(cell, host, member, until=UNTIL):
    law = LAWS[cell.law]
    rates = {d: v for d, v in law.start.rate.items() if not host.shapes or d in "xyz"}
    return motion(cell.law, law.group, law.cone, law.directions, tuple(sorted(rates.items())), law.start.height,
                  cell.feature, host.ramp, host.spring, host.rolls, member, until)
