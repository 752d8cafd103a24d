"""Writes a model out by hand: every family becomes its members, c[1, 2] becomes c1_2, loops and guards are gone.

This knows nothing of the compiler. It reads the text token by token and takes what tests/run/unrolled uses of the
language: numbers, vectors and matrices as parameters; loops; `if` and `sum` over indices in brackets of their own;
families of instances. The numbers of parameters and indices are put in where they stand.
"""
import math
import re

TOKEN = re.compile(r"//[^\n]*|\s+|(\d+\.?\d*(?:[eE][+-]?\d+)?|\w+|[<>=]=|.)")
KNOWN = {"floor": math.floor, "max": max, "min": min, "abs": abs}
CLOSE = {"(": ")", "[": "]", "{": "}"}


class FromOne(list):
    def __getitem__(self, k):
        return list.__getitem__(self, k - 1)


def tokens(text):
    return [m.group(1) for m in TOKEN.finditer(text) if m.group(1)]


def end_of_group(t, i):
    """Place behind the bracket that closes t[i]."""
    depth = 0
    for k in range(i, len(t)):
        depth += (t[k] in CLOSE) - (t[k] in CLOSE.values())
        if depth == 0:
            return k + 1
    raise ValueError("a bracket is not closed: " + " ".join(t[i:i + 20]))


def split(t, at):
    """The parts of t between the token `at` outside of all brackets."""
    parts, depth = [[]], 0
    for x in t:
        depth += (x in CLOSE) - (x in CLOSE.values())
        if x == at and depth == 0:
            parts.append([])
        else:
            parts[-1].append(x)
    return parts


def find(t, word, i=0):
    """Place of the word outside of the brackets that open from i on; len(t) where there is none."""
    while i < len(t) and t[i] != word:
        i = end_of_group(t, i) if t[i] in CLOSE else i + 1
    return i


class Unroll:
    def __init__(self):
        self.family, self.out = set(), []

    def value(self, t, env):
        return eval(" ".join(t).replace("^", "**"), {"__builtins__": {}}, {**KNOWN, **env})

    def range(self, t, env):
        """Of a, :, b: the whole numbers from a to b."""
        lo, hi = (self.value(p, env) for p in split(t, ":"))
        if lo != int(lo) or hi != int(hi):
            raise ValueError("no whole numbers: " + " ".join(t))
        return range(int(lo), int(hi) + 1)

    def number(self, x):
        return re.sub(r"^-(.*)", r"(-\1)", repr(x))

    def element(self, t, i, env):
        """name [ indices ] at i: text and the place behind."""
        name, end = t[i], end_of_group(t, i + 1)
        at = [self.value(p, env) for p in split(t[i + 2:end - 1], ",")]
        if name in self.family:
            return name + "_".join(map(str, at)), end
        x = env[name]
        for k in at:
            x = x[k]
        return self.number(x), end

    def expression(self, t, env):
        """Text of t with elements, guards and sums over indices written out."""
        out, i = [], 0
        while i < len(t):
            if t[i] == "if":
                then, other = find(t, "then", i), find(t, "else", i)
                if self.value(t[i + 1:then], env):
                    return " ".join(out) + " " + self.expression(t[then + 1:other], env)
                return " ".join(out) + " " + self.expression(t[other + 1:], env)
            if t[i] == "sum" and i + 3 < len(t) and t[i + 3] == "in":
                end = end_of_group(t, i + 1)
                last = end
                while t[last] == "sum":
                    last = end_of_group(t, last + 1)
                last = end_of_group(t, last if t[last] == "(" else last + 1)
                terms = [self.expression(t[end:last], {**env, t[i + 2]: k}) for k in self.range(t[i + 4:end - 1], env)]
                out.append("(" + (" + ".join(terms) or "0") + ")")
                i = last
            elif i + 1 < len(t) and t[i + 1] == "[" and (t[i] in self.family or t[i] in env):
                text, i = self.element(t, i, env)
                out.append(text)
            elif t[i] in "([":
                end = end_of_group(t, i)
                inner = ", ".join(self.expression(p, env) for p in split(t[i + 1:end - 1], ","))
                out.append(t[i] + inner + CLOSE[t[i]])
                i = end
            else:
                known = t[i] in env and not (i > 0 and t[i - 1] == ".") and t[i + 1:i + 2] != ["="]
                out.append(self.number(env[t[i]]) if known else t[i])
                i += 1
        return " ".join(out)

    def declare(self, kind, t, env):
        """coord, state, multiplier and their start values; a family starts with one number or a list."""
        for part in split(t, ","):
            name, at = part[0], find(part, "=")
            sizes, mark = [], "'" if "'" in part[:at] else ""
            if part[1:2] == ["["]:
                sizes = [self.value(p, env) for p in split(part[2:end_of_group(part, 1) - 1], ",")]
                self.family.add(name)
                env[("sizes", name)] = sizes
            sizes = sizes or env.get(("sizes", name), [])
            start = self.value(part[at + 1:], env) if at < len(part) else None
            members = [[]]
            for n in sizes:
                members = [m + [k] for m in members for k in range(1, n + 1)]
            for m in members:
                first = start[m[0] - 1] if isinstance(start, list) else start
                self.out.append(f"{kind} {name}{'_'.join(map(str, m))}{mark}"
                                + ("" if first is None else f" = {first}") + ";")

    def item(self, t, env):
        if t[0] == "param":
            for part in split(t[1:], ","):
                x = self.value(part[find(part, "=") + 1:], env)
                env[part[0]] = FromOne(x) if isinstance(x, list) else x
        elif t[0] in ("coord", "state", "multiplier"):
            self.declare(t[0], t[1:], env)
        elif len(t) > 4 and t[2] == "[" and t[4] == "in":                       # Ball b[i in 1:n](...)
            end = end_of_group(t, 2)
            self.family.add(t[1])
            for k in self.range(t[5:end - 1], env):
                self.out.append(f"{t[0]} {t[1]}{k} {self.expression(t[end:], {**env, t[3]: k})};")
        else:
            if t[0] in ("contact", "constraint", "relation", "output") and t[2:3] == ["["]:
                self.family.add(t[1])
            self.out.append(self.expression(t, env) + ";")

    def block(self, t, env):
        i = 0
        while i < len(t):
            if t[i] == "for":
                body = find(t, "{", i)
                end = end_of_group(t, body)
                for k in self.range(t[i + 3:body], env):
                    self.block(t[body + 1:end - 1], {**env, t[i + 1]: k})
                i = end
                continue
            end, brace = find(t, ";", i), find(t, "{", i)
            if brace < end and t[i] != "simulate":                            # contact c[i] { part; part; }
                close = end_of_group(t, brace)
                self.family |= {t[i + 1]} if t[i + 2] == "[" else set()
                parts = [self.expression(p, env) for p in split(t[brace + 1:close - 1], ";") if p]
                self.out.append(self.expression(t[i:brace], env) + " { " + " ".join(p + ";" for p in parts) + " }")
                i = close
            elif t[i] == "simulate":
                close = end_of_group(t, brace)
                self.out.append(" ".join(t[i:close]))
                i = close
            else:
                self.item(t[i:end], env)
                i = end + 1

    def source(self, text):
        """The model M written out; what stands before it as it is."""
        begin = text.index("model M {")
        body = tokens(text[begin:])
        self.block(body[3:end_of_group(body, 2) - 1], {})
        return text[:begin] + "model M {\n  " + "\n  ".join(self.out) + "\n}\n"


def by_hand(text):
    return Unroll().source(text)


def plain(name):
    """c[1,2].lambda -> c1_2.lambda"""
    return re.sub(r"\[([\d,]+)\]", lambda m: m.group(1).replace(",", "_"), name)
