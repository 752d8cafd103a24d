"""docs/combinations.md: what goes with what, as the cells of the table are."""
import textwrap

from cells import FEATURES
from kinds import KINDS
from laws import LAWS

LETTERS = {"moreau": "M", "moreau located": "L", "midpoint": "P", "consistent": "C", "consistent located": "D",
           "consistent1": "1", "consistent_explicit_mass": "X", "radau": "E", "radau located": "R",
           "moreau projected": "J", "consistent order 4": "F", "schatzman_paoli": "S", "d1minus": "K",
           "event_driven": "V"}
GROUPS = [("impact", "Impact laws on a gap"), ("friction", "Friction on a gap"),
          ("given", "Friction under a given normal force"), ("held", "Friction on constraints"),
          ("relation", "Relations")]
HEAD = """# What goes with what

Every scheme with every law, every kind of model and every feature: {cells} small models. `tests/combinations/run --all`
runs them; without `--all`, and so in `./check`, it runs all that have no feature and as many of the others as show each
three things together. It writes this page, and fails where the page says something else.

- {runs} cells run and are right: places and velocities are those of a closed form or of an integrator that shares
  nothing with nsm, what should rest has a speed of at most 1e-12, constraints hold to 1e-9, whole steps and the generic
  step agree to 1e-9, and the energy-consistent schemes close their ledger to 1e-11 J.
- {refused} are refused when the model is compiled, with a code (`nsm explain CODE`).
{open}- {none} have no meaning.

The tables name the schemes with which a law runs in a kind of model: `M` moreau, `L` moreau(located = true), `P`
midpoint, `C` consistent, `D` consistent(located = true), `1` consistent1, `X` consistent_explicit_mass, `R`
radau, `E` radau(located = false), `J` moreau(projection = true), `F` consistent(order = 4), `S` schatzman_paoli,
`K` d1minus, `V` event_driven. A small letter (`i` for `1`) means that some features are refused there, or do not run
yet; the rules below say which. `-` has no meaning.
"""

OPEN = "- {} are of kinds of which some do not run yet.\n"


def paragraph(text):
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n"


def entry(law, kind, rule_at):
    """The letters of the schemes that run."""
    word, meaning = "", False
    for scheme, letter in LETTERS.items():
        rules = [rule_at[scheme, law, kind, f] for f in FEATURES]
        runs = sum(r is None for r in rules)
        matter = sum(r is None or r.code != "-" for r in rules)
        meaning = meaning or matter > 0
        if runs:
            word += letter if runs == matter else letter.lower() if letter != "1" else "i"
    return word or ("none" if meaning else "-")


def table(group, title, rule_at):
    laws = [law for law, of in LAWS.items() if of.group == group]
    text = f"## {title}\n\n" + "".join(f"- {law}: `{LAWS[law].says}`\n" for law in laws)
    heads = "|".join(law.removeprefix(group + " ") for law in laws)
    text += f"\n|kind|{heads}|\n|" + "---|"*(len(laws) + 1) + "\n"
    for kind in KINDS:
        text += f"|{kind}|" + "|".join(entry(law, kind, rule_at) for law in laws) + "|\n"
    return text + "\n"


def rule_list(rules, title, codes):
    """Rules with the cells that they have."""
    text = f"## {title}\n\n"
    words = ("schemes", "laws", "kinds", "features")
    for rule in rules:
        if not codes(rule.code):
            continue
        where = "; ".join(f"{word} {said}" for word, said in zip(words, rule.text) if said != "*") or "all"
        code = f"`{rule.code}` " if rule.code.startswith("E") else ""
        line = f"- {code}{rule.reason}. *{where}* ({rule.cells} cells)"
        text += textwrap.fill(line, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) + "\n"
    return text + "\n"


def page(rules, sorted_cells):
    rule_at = {(c.scheme_name, c.law, c.kind, c.feature): rule for c, rule in sorted_cells}
    count = {"-": 0, "?": 0, "E": 0, "runs": 0}
    for rule in rule_at.values():
        count["runs" if rule is None else rule.code[0]] += 1
    text = HEAD.format(cells=len(rule_at), runs=count["runs"], refused=count["E"], none=count["-"],
                       open=OPEN.format(count["?"]) if count["?"] else "")
    text += "\nKinds of models:\n\n" + "".join(f"- {kind}: {says}\n" for kind, (_, says) in KINDS.items())
    text += "\nFeatures:\n\n" + "".join(f"- {feature}: {says}\n" for feature, says in FEATURES.items()) + "\n"
    text += "".join(table(group, title, rule_at) for group, title in GROUPS)
    text += rule_list(rules, "Refused", lambda code: code.startswith("E"))
    if count["?"]:
        text += rule_list(rules, "Not all of these run yet", lambda code: code == "?")
    return text + rule_list(rules, "Without meaning", lambda code: code == "-").rstrip("\n") + "\n"
