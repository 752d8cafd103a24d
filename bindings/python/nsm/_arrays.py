"""Rows of doubles that C writes and Python looks at, without a copy: NumPy arrays, or memoryviews without NumPy."""
import ctypes

from typing import Any

numpy: Any
try:
    import numpy
except ImportError:
    numpy = None


class Rows:
    """Without NumPy: n rows of m doubles from row `at` on, in a buffer that the views keep."""

    def __init__(self, doubles, m, at, n):
        self.doubles, self.m, self.at, self.n = doubles, m, at, n

    def __reduce__(self):
        from_row = self.doubles[self.at * self.m:(self.at + self.n) * self.m]
        return _rows_of, (bytes(from_row), self.m, self.n)

    def column(self, c):
        return self.doubles[self.at * self.m + c:(self.at + self.n) * self.m:self.m]


def _rows_of(data, m, n):
    return Rows(memoryview(bytearray(data)).cast("d"), m, 0, n)


def rows(n, m):
    if numpy is not None:
        return numpy.empty((n, m))
    return Rows(memoryview((ctypes.c_double * (n * m))()).cast("B").cast("d"), m, 0, n)


def address(a):
    if numpy is not None:
        return a.ctypes.data
    return ctypes.addressof(ctypes.c_char.from_buffer(a.doubles)) + 8 * a.m * a.at


def behind(a, k):
    """The rows behind the first k."""
    return a[k:] if numpy is not None else Rows(a.doubles, a.m, a.at + k, a.n - k)


def first(a, k):
    return a[:k] if numpy is not None else Rows(a.doubles, a.m, a.at, k)


def row(a, k):
    return a[k] if numpy is not None else a.doubles[(a.at + k) * a.m:(a.at + k + 1) * a.m]


def column(a, c):
    return a[:, c] if numpy is not None else a.column(c)


def last_time(a, k):
    return float(row(a, k - 1)[0])


def length(a):
    return len(a) if numpy is not None else a.n


def vector(values):
    """A list of numbers as what columns are."""
    if numpy is not None:
        return numpy.array(values, dtype=float)
    import array
    return memoryview(array.array("d", values))
