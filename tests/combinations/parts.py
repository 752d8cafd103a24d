"""What a cell of the table is put together from: the names of directions, and the text of a model.

A law acts on directions, and a kind of model has them:

    x, y     along the ground          z    away from it: the gap
    s        spin about z              r, w rolling about x and y

Every direction of every kind has the mass (the inertia) 1, the weight along -z is 10, so that one law has one motion in
all kinds, and `motion.py` computes it once. Texts are written for one member or a family of two:

    @D  behind a name that is declared: `[i in 1:2]`, or nothing      @N  the same where an index has no name: `[2]`
    @   behind a name that is used: `[i]`, or nothing                 @F  1 for the first member, 1.25 for the second
"""
import dataclasses

WEIGHT, STEP, UNTIL = 10, 1e-3, 0.4


@dataclasses.dataclass
class Start:
    """Velocities at the start by their direction, and the height of the gap then."""
    rate: dict
    height: float = 0


@dataclasses.dataclass
class Host:
    """A kind of model, made for the directions of a law."""
    place: dict                         # direction -> expression of its place, where it has one
    rate: dict                          # direction -> expression of its velocity
    outside: str                        # declarations
    each: str = ""                      # statements of each member
    imports: str = ""
    push: dict = dataclasses.field(default_factory=dict)   # direction -> what a force acts on
    shapes: str = ""                    # "between = A, B" where shapes touch
    miss: str = ""                      # how far its constraints are apart
    ramp: bool = False                  # a load that grows with time is added by another part of the model
    spring: bool = False                # ... and falls with the way that the load has gone
    rolls: float = 0                    # of what rolls without slip: its mass with its inertia, (m R^2 + J)/R^2
    first_order: bool = False           # the quantity of relations is a state, not a velocity
    hung: str = ""                      # how a load reaches a first-order quantity: text with LOAD


def write(text, family):
    """The text for one member, or for a family."""
    for mark, one, many in (("@D", "", "[i in 1:2]"), ("@N", "", "[2]"), ("@F", "1", "(1 + (i - 1)/4)"),
                            ("@", "", "[i]")):
        text = text.replace(mark, many if family else one)
    return text


def indented(text, by):
    return "".join(" "*by + line + "\n" for line in text.strip().splitlines())


def model(host, law_text, load_text, outputs, family, around, scheme):
    """The whole model."""
    each = indented(host.each, 0) + indented(law_text, 0) + indented(load_text, 0)
    each += "".join(f"output {name}@ = {expression};\n" for name, expression in outputs.items())
    each = indented(each, 4 if family else 2)
    if family:
        each = "  for i in 1:2 {\n" + each + "  }\n"
    text = indented(host.imports, 0) + "model Cell {\n" + indented(host.outside, 2) + indented(around, 2) + each
    text += f"  simulate {{ until = {UNTIL}, step = {STEP}, scheme = {scheme} }}\n}}\n"
    return write(text, family)
