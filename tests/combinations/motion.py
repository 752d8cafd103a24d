"""The motion that a cell must have, by Runge and Kutta's method with pieces that end at events: nothing here is shared
with nsm. Masses are 1, the normal force is 10 (parts.py); loads act on the first component.

A set-valued law is a force against v where v is not 0, and what it may hold at rest. A vector comes to rest where it
would be 0 within the step; the last way, |v|^2/(2|a|), is exact to second order of a step of 2 ms: all
that a cell looks at is so within 1e-5.
"""
import bisect
import functools
import math

from laws import E, E_T, LIVELY, MU, MU2, MU_R, RADIUS, SOFT
from parts import UNTIL, WEIGHT

H, EVERY, LATE, CLOSE, GROWS, KICK = 2e-3, 1/30, 0.05, 0.01, 4, 2


def disk(v, mu=MU*WEIGHT):
    size = math.sqrt(sum(x*x for x in v))
    return [-mu*x/size for x in v] if size else [0.0]*len(v)


def scaled(v, mu):
    """Maximal dissipation over the ellipsoid with the half-axes mu_i*N."""
    size = math.sqrt(sum((m*x)**2 for m, x in zip(mu, v)))
    return [-WEIGHT*m*m*x/size for m, x in zip(mu, v)] if size else [0.0]*len(v)


def rolling(v):
    k = len(v)//2
    return disk(v[:k]) + disk(v[k:], MU_R*WEIGHT)


def stribeck(v):
    return disk(v, WEIGHT*(0.3 + 0.2/(1 + 4*v[0]**2)))


CONES = {
    "disk": disk, "relay": lambda v: disk(v, 5),
    "ellipse": lambda v: scaled(v, (MU, MU2)),
    "ellipsoid": lambda v: scaled(v, (MU, MU, MU*RADIUS)),
    "rolling": rolling, "stribeck": stribeck,
    "steeper": lambda v: disk(v, 5 + abs(v[0])), "flatter": lambda v: disk(v, 5 - abs(v[0])),
    "floor": lambda v: [0.0], "hold": lambda v: [0.0],
}


def compliant(cone, q):
    """The multiplier of a relation whose output has 0.01 u added."""
    u = -q/CLOSE
    if cone == "floor":
        return max(u, 0)
    if cone == "hold":
        return u
    if cone in ("steeper", "flatter"):
        s = 1 if cone == "steeper" else -1
        return u if abs(q) <= 0.05 else -math.copysign((5 + s*abs(q))/(1 + s*CLOSE), q)
    return min(max(u, -5), 5)


class Load:
    """The load in its direction: by the feature, and by what else the kind of model has."""

    def __init__(self, feature, bias, ramp, spring, factor, threshold):
        self.feature, self.bias, self.ramp, self.spring = feature, bias, ramp, spring
        self.factor, self.threshold = factor, threshold          # of the delay; of the `when`: (value, fires below)
        self.fired, self.past, self.mass = False, ([], []), 1

    def remember(self, t, signal):
        self.past[0].append(t)
        self.past[1].append(signal)
        value, below = self.threshold
        self.fired = self.fired or self.feature == "when" and (signal < value if below else signal > value)

    def late(self, t):
        """The signal LATE ago, between what was remembered."""
        times, values = self.past
        k = bisect.bisect_right(times, t - LATE)
        if k == 0:
            return values[0]
        if k == len(times):
            return values[-1]
        s = (t - LATE - times[k - 1])/(times[k] - times[k - 1])
        return values[k - 1] + s*(values[k] - values[k - 1])

    def at(self, t, way):
        f = self.bias + (t if self.ramp else 0) - (way if self.spring else 0)
        if self.feature == "every":
            f += KICK*(1 - int(t/EVERY + 1e-9) % 2)
        elif self.feature == "input":
            f += GROWS*t
        elif self.feature == "delay":
            f += self.factor*self.late(t)
        return (f + (KICK if self.fired else 0))/self.mass


def rk4(slope, t, y, h):
    def go(s, k):
        return [a + s*b for a, b in zip(y, k)]
    k1 = slope(t, y)
    k2 = slope(t + h/2, go(h/2, k1))
    k3 = slope(t + h/2, go(h/2, k2))
    k4 = slope(t + h*(1 - 1e-4), go(h, k3))                 # before what happens at the end
    return [a + h/6*(b + 2*c + 2*d + e) for a, b, c, d, e in zip(y, k1, k2, k3, k4)]


def ends(t, until=UNTIL):
    """The length of the next piece: to the grid, or to the next instant of `every`."""
    tick = (math.floor(t/EVERY + 1e-9) + 1)*EVERY
    return min(H, tick - t, until - t)


def groups(cone, n):
    """Components that come to rest together."""
    return [range(n//2), range(n//2, n)] if cone == "rolling" else [range(n)]


def slide(cone, v0, load, soft=False):
    """Places and velocities at the end: of components with the mass 1 under a cone."""
    n, t = len(v0), 0.0
    force = (lambda v: [compliant(cone, v[0])] + [0.0]*(n - 1)) if soft else CONES[cone]
    y, resting = [0.0]*n + list(v0), set()
    by_rate = load.factor < 5
    if not soft and cone == "hold":
        resting.add(0)

    def slope(t, y):
        a = force(y[n:])
        a[0] += load.at(t, y[0])
        return y[n:] + [0.0 if i in resting else a[i] for i in range(n)]

    while t < UNTIL - 1e-12:
        load.remember(t, y[n] if by_rate else y[0])
        h, before = ends(t), load.fired
        new = rk4(slope, t, y, h)
        value, below = load.threshold
        signal = new[n] if by_rate else new[0]
        if load.feature == "when" and not before and (signal < value if below else signal > value):
            h *= min(1, (value - load.past[1][-1])/(signal - load.past[1][-1]))     # the instant, by a secant
            new = rk4(slope, t, y, h)
            load.fired = True
        if not soft:
            rest(cone, n, slope, t, y, new, h, resting)
        t, y = t + h, new
    return y[:n], y[n:]


def rest(cone, n, slope, t, y, new, h, resting):
    """Groups that come to rest within the step: of `new` their velocity is 0, their place where it was."""
    a = slope(t, y)[n:]
    for group in groups(cone, n):
        if all(i in resting for i in group):
            continue
        speed = math.sqrt(sum(y[n + i]**2 for i in group))
        slows = -sum(a[i]*y[n + i] for i in group)/speed if speed else 1
        if slows > 0 and speed <= slows*h:
            for i in group:
                new[i], new[n + i] = y[i] + y[n + i]*speed/(2*slows), 0.0
                resting.add(i)


def fall(law, height, rates, load, soft, until):
    """A point mass above the ground: (places, velocities) of x and z then."""
    e = {"inelastic": 0, "newton": E, "elastic": 1, "newton tangential": E, "gap alone": 0}.get(law, LIVELY)
    t, y, resting = 0.0, [0.0, height, rates.get("x", 0.0), rates["z"]], False

    def slope(t, y):
        pushed = max(0.0, -y[1])/SOFT if soft else 0
        return [y[2], y[3], 0.0, -WEIGHT - load.at(t, height - y[1]) + pushed]

    while t < until - 1e-12:
        load.remember(t, y[1])
        h, before = ends(t, until), load.fired
        new = rk4(slope, t, y, h)
        if load.feature == "when" and not before and new[1] < load.threshold[0]:
            h = cross(slope, t, y, h, 1, load.threshold[0])
            new = rk4(slope, t, y, h)
            load.fired = True
        if resting:
            new[1] = new[3] = 0.0
        elif not soft and new[1] < 0:
            h = cross(slope, t, y, h, 1, 0)
            new = rk4(slope, t, y, h)
            blow = -(1 + e)*new[3]
            if law == "newton tangential":
                p = -(1 + E_T)*new[2]
                new[2] += math.copysign(min(abs(p), MU*blow), p)
            new[1], new[3] = 0.0, -e*new[3]
            resting = new[3] < 1e-5
            new[3] = 0.0 if resting else new[3]
            if resting and law == "newton tangential":
                new[2] = 0.0
        t, y = t + h, new
    return y[:2], y[2:]


def cross(slope, t, y, h, k, value):
    """Where in the step component k has the value, by bisection."""
    low, high = 0.0, h
    for _ in range(40):
        middle = (low + high)/2
        if rk4(slope, t, y, middle)[k] > value:
            low = middle
        else:
            high = middle
    return high


def sampled(load, q, h=1e-2):
    """q' = u + F with u in -5 sgn(q + h u), taken at the instants of a clock."""
    t, way, force, n = 0.0, 0.0, 0.0, 0
    rate = [q]
    while t < UNTIL - 1e-12:
        if t >= n*h - 1e-12:
            force, n = min(max(-rate[0]/h, -5), 5), n + 1
        load.remember(t, rate[0])
        piece = min(ends(t), n*h - t)
        new = rk4(lambda t, y: [y[1], force + load.at(t, y[0])], t, [way, rate[0]], piece)
        value = load.threshold[0]
        if load.feature == "when" and not load.fired and new[1] < value:
            piece *= (value - rate[0])/(new[1] - rate[0])
            new = rk4(lambda t, y: [y[1], force + load.at(t, y[0])], t, [way, rate[0]], piece)
            load.fired = True
        t, way, rate = t + piece, new[0], [new[1]]
    return [way], rate


@functools.lru_cache(None)
def motion(name, group, cone, directions, rates, height, feature, ramp, spring, rolls, member, until=UNTIL):
    """{direction: (place, velocity)} at the end, or of impacts at `until`. rates: pairs of direction and velocity;
    member: 0 or 1 of a family."""
    rates = {d: v*(1 + member/4 if d != "z" else 1) for d, v in rates}
    soft = feature == "compliant" and group in ("impact", "relation")
    bias = -5 if cone == "floor" else 0
    if group == "impact":
        load = Load(feature, bias, ramp, spring, 8, (0.03, True))
        (x, z), (vx, vz) = fall(name, height, rates, load, soft, until)
        return {"x": (x, vx), "z": (z, vz)}
    relation = group == "relation"
    load = Load(feature, bias, ramp, spring, 2 if relation else 8, (0.5, True) if relation else (0.05, False))
    moving = [d for d in directions if d != "z" and not (name == "held pin" and d == "y")]
    if rolls:
        cone, moving, load.mass = "disk", [d for d in moving if d in "xy"], rolls
    v0 = [rates.get(d, 0.0) for d in moving]
    place, rate = sampled(load, v0[0]) if cone == "sampled" else slide(cone, v0, load, soft)
    ended = dict(zip(moving, zip(place, rate)))
    for d in directions:
        ended.setdefault(d, (0.0, 0.0))
    return ended
