"""Solutions that .run files name: closed forms, and motions event by event."""
import bisect
import math


def ballard(t):
    """The ball of Ballard: q'' = -2, e = 1/2, q(0) = 1: on [3 - 2^(1-n), 3 - 2^-n) a parabola, 0 from t = 3 on.
    (q, q')"""
    if t < 1:
        return 1 - t * t, -2 * t
    if t >= 3:
        return 0.0, 0.0
    n = max(0, math.floor(-math.log2(3 - t)) + 1)
    while not t < 3 - 2.0**-n:
        n += 1
    while n > 0 and t < 3 - 2.0 ** (1 - n):
        n -= 1
    s = t - 3
    return -s * s - 3 / 2**n * s - 2 / 4**n, -2 * s - 3 / 2**n


def ballard_q(t):
    return ballard(t)[0]


def stribeck(v):
    return 0.2 + 0.3 * math.exp(-abs(v) / 0.1)


def runge_kutta(f, y, h):
    """One step of the classical method for y' = f(y)."""
    def at(a, k):
        return [u + a * v for u, v in zip(y, k)]
    k1 = f(y)
    k2 = f(at(h / 2, k1))
    k3 = f(at(h / 2, k2))
    k4 = f(at(h, k3))
    return [u + h / 6 * (a + 2 * b + 2 * c + d) for u, a, b, c, d in zip(y, k1, k2, k3, k4)]


def until(f, y, event, h=1e-3):
    """Part of a step of length h after which event(y) changes its sign, or h; and y there."""
    begin, end = event(y), runge_kutta(f, y, h)
    if begin == 0 or event(end) * begin > 0:
        return h, end
    lo, hi = 0.0, h
    for _ in range(60):
        middle = (lo + hi) / 2
        lo, hi = (middle, hi) if event(runge_kutta(f, y, middle)) * begin > 0 else (lo, middle)
    return hi, runge_kutta(f, y, hi)


class Sliding:
    """Slip, stick, slip, ... event by event: position and velocity at any time."""

    def __init__(self, y, slide, slip, leaves, belt):
        self.slide, self.slip, self.leaves, self.belt = slide, slip, leaves, belt
        self.nodes = [(0.0, y, self.phase(y))]

    def phase(self, y):
        return "stick" if abs(self.slip(y)) < 1e-12 and self.leaves(y) <= 0 else "slip"

    def motion(self, phase):
        return self.slide if phase == "slip" else lambda y: [self.belt, 0.0]

    def at(self, t):
        while self.nodes[-1][0] < t:
            time, y, phase = self.nodes[-1]
            h, y = until(self.motion(phase), y, self.slip if phase == "slip" else self.leaves)
            if phase == "slip" and h < 1e-3:
                y[1] = self.belt
                phase = "stick" if self.leaves(y) <= 0 else "slip"
            elif phase == "stick" and h < 1e-3:
                phase = "slip"
            self.nodes.append((time + h, y, phase))
        k = max(0, bisect.bisect_right(self.nodes, t, key=lambda n: n[0]) - 1)
        time, y, phase = self.nodes[k]
        return runge_kutta(self.motion(phase), y, t - time)


on_ground = Sliding([0.0, 1.0], lambda y: [y[1], -9.81 * stribeck(y[1])], lambda y: y[1], lambda y: -1.0, 0.0)
on_belt = Sliding([0.0, 0.0], lambda y: [y[1], -100 * y[0] + 10 * stribeck(y[1] - 0.3)],   # never faster than the belt
                  lambda y: min(y[1] - 0.3, -1e-300) if abs(y[1] - 0.3) < 1e-9 else y[1] - 0.3,
                  lambda y: 100 * y[0] - 5.0, 0.3)


def stribeck_x(t):
    return on_ground.at(t)[0]


def belt_x(t):
    return on_belt.at(t)[0]


def belt_v(t):
    return on_belt.at(t)[1]


def rough_x(t):
    """x'' = -g (0.2 + 0.1 x), x(0) = 0, x'(0) = 2."""
    w = math.sqrt(0.981)
    t = min(t, math.atan(1 / w) / w)
    return 2 * math.cos(w * t) - 2 + 2 / w * math.sin(w * t)


def brake_x(t):
    """x'' = -g (0.1 + 0.2 t), x'(0) = 2."""
    t = min(t, (-0.1 + math.sqrt(0.01 + 0.4 * 2 / 9.81)) / 0.2)
    return 2 * t - 9.81 * (0.1 * t**2 / 2 + 0.2 * t**3 / 6)


def steep_x(t):
    """x'' = 3 - 100 x up to x' = 0.2, with the belt up to x = 0.03, then again x'' = 3 - 100 x."""
    first = math.asin(2 / 3) / 10
    second = first + (0.03 * math.cos(10 * first)) / 0.2
    if t < first:
        return 0.03 * (1 - math.cos(10 * t))
    return 0.03 + (0.2 * (t - second) if t < second else 0.02 * math.sin(10 * (t - second)))


def aging_x(t):
    """x'' = -g (0.2 + 0.1 exp(-t)), x'(0) = 2."""
    return 2 * t - 9.81 * (0.1 * t**2 + 0.1 * t - 0.1 * (1 - math.exp(-t)))


def tank_x(t):
    """x' = -x^(1/2), x(0) = 1."""
    return max(0, 1 - t / 2) ** 2


def third_y(t):
    """y' = -y^(1/3), y(0) = 1."""
    return max(0, 1 - 2 * t / 3) ** 1.5


def zero(t):
    return 0.0


def pin_omega(t):
    """Turning about a pin with friction mu |F| at the radius r (tests/run/pin_friction.nsm)."""
    c = 0.3 * 0.04 * 2 * 0.3 / (0.05 + 2 * 0.3**2)
    return 10 / (1 + c / math.sqrt(1 - c * c) * 10 * t)


def contensou(u):
    """b_T and b_s of Contensou's exact set at the ratio u = v/(R w) of the slip velocities."""
    if u <= 1:
        return 3 * math.pi / 32 * (4 * u - u**3), (3 * u**4 - 8 * u**2 + 8) / 8
    if u > 50:
        return 1 - 0.1 / u**2, 16 / (15 * math.pi) / u
    a, r = math.asin(1 / u), math.sqrt(u * u - 1)
    T = 3 / 16 * ((4 * u - u**3) * a + (u * u + 2) * r / u)
    return T, ((3 * u**4 - 8 * u**2 + 8) * a + (6 - 3 * u * u) * r) / (4 * math.pi)


def puck(m=1, J=0.0008, g=9.81, mu=0.3, radius=0.03, v=1.0, w=30.0, h=1e-5, until=0.61):
    """Speed and spin every 10 h until the puck rests, by the classical Runge-Kutta method."""
    R = 16 * radius / (3 * math.pi)

    def rate(v, w):
        if v < 1e-9 or w < 1e-9:
            return 0.0, 0.0
        T, s = contensou(v / (R * w))
        return -mu * g * T, -mu * m * g * radius * s / J

    out = [(v, w)]
    for k in range(round(until / h)):
        a = rate(v, w)
        b = rate(v + h / 2 * a[0], w + h / 2 * a[1])
        c = rate(v + h / 2 * b[0], w + h / 2 * b[1])
        d = rate(v + h * c[0], w + h * c[1])
        v = max(0.0, v + h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0]))
        w = max(0.0, w + h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1]))
        if k % 10 == 9:
            out.append((v, w))
    return out


PUCK = []


def puck_at(t, which):
    if not PUCK:
        PUCK.extend(puck())
    i = min(int(t / 1e-4 + 1e-9), len(PUCK) - 2)
    s = t / 1e-4 - i
    return (1 - s) * PUCK[i][which] + s * PUCK[i + 1][which]


def puck_speed(t):
    return puck_at(t, 0)


def puck_spin(t):
    return puck_at(t, 1)
