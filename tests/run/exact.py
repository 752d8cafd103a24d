"""Closed forms that .run files name."""
import math


def ballard(t):
    """The ball of Ballard: q'' = -2, e = 1/2, q(0) = 1: on [3 - 2^(1-n), 3 - 2^-n) a parabola, 0 from t = 3 on. (q, q')"""
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
