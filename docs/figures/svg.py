"""Line plots as SVG, without other libraries: panels of curves with axes, units and a legend, readable on light and on
dark pages.

A plot is svg.page([panel, ...]); a panel is a dict with
    title, x, y          texts (with units)
    curves               [(label, class, [(x, y), ...]), ...]; the class is one of a b c d: colour and dashes in STYLE
    dots                 points alone, without lines between them
    ylim, log            (low, high) or None for the data's own range; log: decades on the y axis
Coordinates are rounded to a tenth of a point, so that files change only where the picture does.
"""
import math

W, H, LEFT, RIGHT, TOP, BOTTOM = 440, 300, 66, 14, 30, 74
STYLE = """
  text { font: 12px sans-serif; fill: #24292f } .title { font-weight: bold }
  .frame { fill: none; stroke: #8c959f } .grid { stroke: #8c959f; stroke-opacity: .3 }
  .curve { fill: none; stroke-width: 1.6; stroke-linejoin: round }
  .a { stroke: #0a5fb4 } .b { stroke: #c4500c }
  .c { stroke: #7a5cc0; stroke-dasharray: 7 3 } .d { stroke: #1f7a4d; stroke-dasharray: 2 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .a { stroke: #6cb6ff } .b { stroke: #f69d50 } .c { stroke: #b9a3f5 } .d { stroke: #6bc995 }
  }"""


def ticks(low, high, most=6):
    """Round numbers in [low, high]."""
    step = 10 ** math.floor(math.log10((high - low) / most))
    step *= next(k for k in (1, 2, 5, 10) if (high - low) / (k * step) <= most)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def label(v):
    return f"{v:.10g}".replace("-", "\u2212")


def thin(points, most=700):
    """The same line with fewer points: the smallest and largest value of each stretch of x, so that no jump is lost."""
    if len(points) <= most:
        return points
    size, kept = math.ceil(len(points) / (most // 2)), []
    for i in range(0, len(points), size):
        part = points[i:i + size]
        kept += sorted({min(part, key=lambda p: p[1]), max(part, key=lambda p: p[1])})
    return [points[0], *kept, points[-1]]


def panel(p, left):
    log = p.get("log")
    value = (lambda y: math.log10(max(y, 1e-300))) if log else (lambda y: y)
    xs = [x for _, _, c in p["curves"] for x, _ in c]
    ys = [value(y) for _, _, c in p["curves"] for _, y in c]
    x0, x1 = min(xs), max(xs)
    y0, y1 = map(value, p["ylim"]) if p.get("ylim") else (min(ys), max(ys))
    if not p.get("ylim"):
        y0, y1 = y0 - 0.05 * (y1 - y0), y1 + 0.05 * (y1 - y0)
    X = lambda x: left + LEFT + (x - x0) / (x1 - x0) * (W - LEFT - RIGHT)
    beyond = 1 if log else y1 - y0      # a curve may leave the panel that far, then it is cut
    Y = lambda y: H - BOTTOM - (min(max(value(y), y0 - beyond), y1 + beyond) - y0) / (y1 - y0) * (H - TOP - BOTTOM)
    out = [f'<text class="title" x="{left + LEFT}" y="18">{p["title"]}</text>']
    for t in ticks(x0, x1):
        out += [f'<path class="grid" d="M{X(t):.1f} {TOP}V{H - BOTTOM}"/>',
                f'<text x="{X(t):.1f}" y="{H - BOTTOM + 16}" text-anchor="middle">{label(t)}</text>']
    if log:
        decades = [k for k in ticks(y0, y1) if k == int(k)]
        marks = [(10.0 ** k, f'10<tspan dy="-5" font-size="9">{label(k)}</tspan>') for k in decades]
    else:
        marks = [(t, label(t)) for t in ticks(y0, y1)]
    for t, text in marks:
        out += [f'<path class="grid" d="M{left + LEFT} {Y(t):.1f}H{left + W - RIGHT}"/>',
                f'<text x="{left + LEFT - 6}" y="{Y(t) + 4:.1f}" text-anchor="end">{text}</text>']
    clip = f"clip{left}"
    inside = f'x="{left + LEFT}" y="{TOP}" width="{W - LEFT - RIGHT}" height="{H - TOP - BOTTOM}"'
    out.append(f'<clipPath id="{clip}"><rect {inside}/></clipPath>')
    for _, look, curve in p["curves"]:
        if p.get("dots"):
            marks = "".join(f"M{X(x):.1f} {Y(y):.1f}h0" for x, y in curve)
            out.append(f'<path class="curve {look}" stroke-linecap="round" clip-path="url(#{clip})" d="{marks}"/>')
            continue
        line = " ".join(f"{X(x):.1f},{Y(y):.1f}" for x, y in thin(curve))
        out.append(f'<polyline class="curve {look}" clip-path="url(#{clip})" points="{line}"/>')
    across, down = f"{left + (LEFT + W - RIGHT) / 2:.1f}", f"{(TOP + H - BOTTOM) / 2:.1f}"
    out.append(f'<rect class="frame" {inside}/>')
    out.append(f'<text x="{across}" y="{H - BOTTOM + 34}" text-anchor="middle">{p["x"]}</text>')
    out.append(f'<text x="{left + 14}" y="{down}" text-anchor="middle" '
               f'transform="rotate(-90 {left + 14} {down})">{p["y"]}</text>')
    at = left + LEFT
    for text, look, _ in p["curves"]:
        out += [f'<path class="curve {look}" d="M{at} {H - 16}h24"/>',
                f'<text x="{at + 29}" y="{H - 12}">{text}</text>']
        at += 44 + 6.6 * len(text)
    return out


def page(panels, describe):
    width = W * len(panels)
    body = [line for k, p in enumerate(panels) for line in panel(p, k * W)]
    size = f'width="{width}" height="{H}" viewBox="0 0 {width} {H}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">', f"<title>{describe}</title>",
                      f"<style>{STYLE}\n</style>", *body, "</svg>", ""])
