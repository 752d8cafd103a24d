"""Which cells do not run, and why: rules.txt."""
import dataclasses
import pathlib
import re

from cells import FEATURES, SCHEMES, VARIANTS, all_cells
from kinds import KINDS
from laws import LAWS

FILE = pathlib.Path(__file__).with_name("rules.txt")
ALL_SCHEMES = [s + l for s in SCHEMES for l in ("", " located")] + list(VARIANTS)
WITH = {"family": ("asked", "listed", "walls"), "plain": ("materials", "sized")}       # what a rule means by them, too
GROUPS = {law.group for law in LAWS.values()}


@dataclasses.dataclass
class Rule:
    code: str
    schemes: set
    laws: set
    kinds: set
    features: set
    reason: str
    text: list          # the four columns as they are written
    cells: int = 0
    failing: int = 0    # of ?: cells that did not run

    def fits(self, cell):
        return (cell.scheme_name in self.schemes and cell.law in self.laws and cell.kind in self.kinds and
                cell.feature in self.features)


def names(text, known, line):
    """The names that a column means."""
    if text == "*":
        return set(known)
    out = set()
    for word in (w.strip() for w in text.split(",")):
        group = {law for law, of in LAWS.items() if of.group == word} if known is LAWS else set()
        if word not in known and not group:
            raise ValueError(f"{FILE.name}, rule {line}: {word} is unknown")
        out |= group or ({word, *WITH.get(word, ())} if known is FEATURES else {word})
    return out


def read():
    rules = []
    text = re.sub(r"\n +", " ", re.sub(r"(?m)^#.*", "", FILE.read_text()))          # lines that go on begin with blanks
    for n, line in enumerate(filter(str.strip, text.splitlines()), 1):
        code, schemes, laws, kinds, features, reason = (part.strip() for part in line.split("|"))
        known = zip((schemes, laws, kinds, features), (ALL_SCHEMES, LAWS, KINDS, FEATURES))
        rules.append(Rule(code, *(names(text, k, n) for text, k in known), reason, [schemes, laws, kinds, features]))
    return rules


def rule_of(cell, rules):
    """The first rule that fits, or None."""
    return next((rule for rule in rules if rule.fits(cell)), None)


def sorted_out():
    """(rules, cells with their rule or None); rules know how many cells they have."""
    rules, out = read(), []
    for cell in all_cells():
        rule = rule_of(cell, rules)
        if rule:
            rule.cells += 1
        out.append((cell, rule))
    return rules, out
