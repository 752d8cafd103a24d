"""What `draw` items of a model show, as an array of bytes (height, width, 3): for `render` of environments. Places in
space are seen along y, from a little above. NumPy is needed.

Lines are as wide as the distance of a point from a segment says, so edges are smooth: a point at distance d from a line
of width w is covered by w/2 - d + 1/2, within 0 and 1, in pixels."""
import ctypes
from typing import Any, List, Optional, Tuple

import numpy as np

from ._errors import UsageError
from ._library import C

WHITE, INK, FILL, TRAIL = 255.0, (40.0, 40.0, 40.0), (90.0, 130.0, 190.0), (200.0, 120.0, 60.0)
Figure = Tuple[str, List[Any]]                             # a picture and its arguments


def figures(program: int, sim: int) -> List[Figure]:
    """What is drawn now: the shape and its arguments, arrays of numbers, of each picture."""
    out: List[Figure] = []
    for i in range(C.nsm_ndrawing(program)):
        item, members = C.nsm_drawing_at(program, i), C.nsm_drawing_members(program, sim, i)
        sizes = list(item.argument[:item.nargument])
        values = np.zeros((members, sum(sizes)))
        C.nsm_read_drawing(program, sim, i, values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
        ends = np.cumsum([0, *sizes])
        for row in values:
            out.append((item.shape.decode(), [row[a:b] for a, b in zip(ends, ends[1:]) if b > a]))
    return out


def flat(place: Any) -> Any:
    """A place in the plane of the picture."""
    return place if len(place) == 2 else np.array([place[0] + 0.35*place[1], place[2] + 0.2*place[1]])


def outline(shape: str, of: List[Any]) -> Tuple[List[Any], float]:
    """The corners of a picture, and the radius around them."""
    if shape in ("disk", "circle", "sphere"):
        return [flat(of[0])], float(of[1][0])
    if shape == "box":
        half, angle = of[1]/2, float(of[2][0]) if len(of) > 2 and len(of[2]) == 1 else 0.0
        if len(of[0]) == 3:
            return [flat(of[0] + half*s) for s in np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1)
                                                            for c in (-1, 1)])], 0.0
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        return [of[0] + turn @ (half*np.array(s)) for s in ((-1, -1), (1, -1), (1, 1), (-1, 1))], 0.0
    if shape == "arrow":
        return [flat(of[0]), flat(of[0] + of[1])], 0.0
    places = of[:2] if shape in ("spring", "damper") else of[:1] if shape in ("trail", "text") else of
    return [flat(p) for p in places], 0.0


class Canvas:
    """A picture of a part of the plane: view is ((x, y) of the lower left corner, (x, y) of the upper right one)."""

    def __init__(self, width: int, height: int, view: Any) -> None:
        (left, low), (right, high) = view
        self.scale = min(width/(right - left), height/(high - low))
        self.pixels = np.full((height, width, 3), WHITE)
        self.x = (np.arange(width) + 0.5 - width/2)/self.scale + (left + right)/2
        self.y = (height/2 - np.arange(height) - 0.5)/self.scale + (low + high)/2

    def cover(self, share: Any, colour: Any) -> None:
        share = np.clip(share, 0, 1)[:, :, None]
        self.pixels += share*(np.array(colour) - self.pixels)

    def line(self, a: Any, b: Any, colour: Any = INK, width: float = 2.0) -> None:
        d, x, y = b - a, self.x[None, :] - a[0], self.y[:, None] - a[1]
        t = np.clip((x*d[0] + y*d[1])/max(float(d @ d), 1e-300), 0, 1)
        self.cover(width/2 + 0.5 - np.hypot(x - t*d[0], y - t*d[1])*self.scale, colour)

    def disk(self, at: Any, radius: float, colour: Any, ring: bool = False) -> None:
        r = (np.hypot(self.x[None, :] - at[0], self.y[:, None] - at[1]) - radius)*self.scale
        self.cover(1.5 - abs(r) if ring else 0.5 - r, colour)

    def polygon(self, corners: List[Any], colour: Any) -> None:
        """Filled by the number of edges to the right of a point."""
        inside = np.zeros(self.pixels.shape[:2], dtype=bool)
        x, y = self.x[None, :], self.y[:, None]
        for a, b in zip(corners, corners[1:] + corners[:1]):
            if a[1] != b[1]:
                inside ^= ((a[1] > y) != (b[1] > y)) & (x < a[0] + (y - a[1])*(b[0] - a[0])/(b[1] - a[1]))
        self.cover(inside.astype(float), colour)
        for a, b in zip(corners, corners[1:] + corners[:1]):
            self.line(a, b)

    def figure(self, shape: str, of: List[Any]) -> None:
        points, radius = outline(shape, of)
        if shape in ("disk", "sphere"):
            self.disk(points[0], radius, FILL)
        if radius > 0:
            self.disk(points[0], radius, INK, ring=True)
        elif shape == "polygon" or shape == "box" and len(points) == 4:
            self.polygon(points, FILL)
        elif shape == "box":
            for i in range(8):
                for k in (1, 2, 4):
                    if not i & k:
                        self.line(points[i], points[i | k])
        elif shape == "trail":
            self.disk(points[0], 3/self.scale, TRAIL)
        elif shape == "spring":
            d, teeth = points[1] - points[0], 12
            across = np.array([-d[1], d[0]])*0.08
            way = [points[0] + d*k/teeth + across*(k % 2*2 - 1)*(0 < k < teeth) for k in range(teeth + 1)]
            for a, b in zip(way, way[1:]):
                self.line(a, b)
        elif shape != "text":
            for a, b in zip(points, points[1:]):
                self.line(a, b, TRAIL if shape == "arrow" else INK, 6.0 if shape == "damper" else 2.0)


def view_of(drawn: List[Figure]) -> Any:
    """A box around all that is drawn, half as large again."""
    edges = [p + sign*radius for points, radius in (outline(*f) for f in drawn) for p in points for sign in (-1, 1)]
    low, high = np.min(edges, axis=0), np.max(edges, axis=0)
    size = max(float(np.max(high - low)), 1e-9)
    middle = (low + high)/2
    return tuple(middle - 0.75*size), tuple(middle + 0.75*size)


def picture(program: int, sim: int, width: int, height: int, view: Optional[Any] = None) -> Tuple[Any, Any]:
    """The array and the view, which is made by what is drawn where it is None."""
    drawn = figures(program, sim)
    if not drawn:
        raise UsageError("render shows what `draw` of the model says, and this one has none")
    view = view or view_of(drawn)
    canvas = Canvas(width, height, view)
    for shape, of in drawn:
        canvas.figure(shape, of)
    return np.rint(canvas.pixels).astype(np.uint8), view
