"""Several laws in one model: what one of them does while another acts. References of this file's own: closed forms."""
import math

from event_driven import BUILT
from located import run
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


CASES = [(f"together, struck while it slides: {s}", struck, s)
         for s in ("moreau(located = true)", *(["event_driven"] if BUILT else []))]
