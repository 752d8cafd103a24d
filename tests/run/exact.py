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
