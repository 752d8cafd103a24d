// Plots: lines over time or over another column, areas, bands. One description is drawn on a canvas or as SVG. Where
// there are more points than pixels, each pixel column shows the smallest and the largest value within it.

// What all plots over time share: the range that is shown (null: all of it), the cursor, and the pins that measure
// between them, at most two.
const shared = { range: null, cursor: null, pins: [], plots: new Set() };
const redrawAll = () => shared.plots.forEach(p => p.draw());

function setRange(range) {
  shared.range = range;
  shared.plots.forEach(p => { if (p.of.ofRange) p.of.ofRange(); });
  redrawAll();
}

function setCursor(time) {
  shared.cursor = time;
  shared.plots.forEach(p => p.draw());
}

/** A first pin, a second, and with a third click none. */
function setPin(time) {
  shared.pins = shared.pins.length < 2 ? [...shared.pins, time] : [];
  redrawAll();
}

window.addEventListener("beforeprint", () => shared.plots.forEach(p => { p.hidden = false; p.draw(); }));

// ---- pens -----------------------------------------------------------------------------------------------------------
class CanvasPen {
  constructor(canvas, width, height) {
    const scale = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.height = height + "px";
    }
    // Not by the graphics processor: where it is simulated, a line there takes a hundred times as long.
    this.to = canvas.getContext("2d", { willReadFrequently: true });
    this.to.setTransform(scale, 0, 0, scale, 0, 0);
    this.to.clearRect(0, 0, width, height);
    this.to.font = "11px system-ui, sans-serif";
    this.to.lineJoin = "round";
  }

  path(points, stroke, width = 1.4, fill = "", dash = []) {
    const c = this.to;
    c.beginPath();
    let pen = false;
    for (let i = 0; i < points.length; i += 2) {
      if (Number.isNaN(points[i + 1])) { pen = false; continue; }
      if (pen) c.lineTo(points[i], points[i + 1]);
      else c.moveTo(points[i], points[i + 1]);
      pen = true;
    }
    c.setLineDash(dash);
    c.lineWidth = width;
    if (fill) { c.fillStyle = fill; c.fill(); }
    if (stroke) { c.strokeStyle = stroke; c.stroke(); }
  }

  rectangle(x, y, w, h, fill) { this.to.fillStyle = fill; this.to.fillRect(x, y, w, h); }
  wide(words) { return this.to.measureText(words).width; }

  text(x, y, words, fill, align = "center", turned = false) {
    const c = this.to;
    c.save();
    c.translate(x, y);
    if (turned) c.rotate(-Math.PI / 2);
    c.fillStyle = fill;
    c.textAlign = align;
    c.textBaseline = "middle";
    c.fillText(words, 0, 0);
    c.restore();
  }

  clip(x, y, w, h) {
    this.to.save();
    this.to.beginPath();
    this.to.rect(x, y, w, h);
    this.to.clip();
  }

  unclip() { this.to.restore(); }
}

const escaped = text => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");

class SvgPen {
  constructor(width, height) {
    this.parts = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
      `<rect width="100%" height="100%" fill="${colour("paper")}"/>`];
    this.clips = 0;
  }

  path(points, stroke, width = 1.4, fill = "none", dash = []) {
    let d = "", pen = false;
    for (let i = 0; i < points.length; i += 2) {
      if (Number.isNaN(points[i + 1])) { pen = false; continue; }
      d += (pen ? "L" : "M") + points[i].toFixed(2) + " " + points[i + 1].toFixed(2);
      pen = true;
    }
    this.parts.push(`<path d="${d}" fill="${fill || "none"}" stroke="${stroke || "none"}" stroke-width="${width}" ` +
      `stroke-linejoin="round"${dash.length ? ` stroke-dasharray="${dash}"` : ""}/>`);
  }

  rectangle(x, y, w, h, fill) {
    this.parts.push(`<rect x="${x.toFixed(2)}" y="${y.toFixed(2)}" width="${w.toFixed(2)}" height="${h.toFixed(2)}" ` +
      `fill="${fill}"/>`);
  }

  text(x, y, words, fill, align = "center", turned = false) {
    const anchor = { center: "middle", left: "start", right: "end" }[align];
    this.parts.push(`<text x="${x}" y="${y}" fill="${fill}" text-anchor="${anchor}" dominant-baseline="central"` +
      `${turned ? ` transform="rotate(-90 ${x} ${y})"` : ""}>${escaped(words)}</text>`);
  }

  clip(x, y, w, h) {
    const id = "clip" + ++this.clips;
    this.parts.push(`<clipPath id="${id}"><rect x="${x}" y="${y}" width="${w}" height="${h}"/></clipPath>`,
      `<g clip-path="url(#${id})">`);
  }

  unclip() { this.parts.push("</g>"); }
  wide(words) { return 6.2 * words.length; }
  finish() { return this.parts.join("\n") + "\n</svg>\n"; }
}

/** A colour mixed with that of the paper, for areas. */
function soft(hex) {
  const share = 0.5, part = (c, i) => parseInt(c.slice(i, i + 2), 16), paper = colour("paper");
  return "#" + [1, 3, 5].map(i => Math.round(share * part(hex, i) + (1 - share) * part(paper, i)).toString(16)
    .padStart(2, "0")).join("");
}

// ---- scales ---------------------------------------------------------------------------------------------------------
/** Positions of ticks from lo to hi, about `most`: 1, 2, 5 times a power of ten; decades of a logarithmic axis. */
function ticks(lo, hi, log, most) {
  const out = [];
  if (log) {
    const step = Math.max(1, Math.ceil((hi - lo) / most));
    for (let k = Math.ceil(lo / step) * step; k <= hi; k += step) out.push(k);
    if (out.length >= 2) return out;
    out.length = 0;
    for (let k = Math.floor(lo); k <= hi; k++)
      for (const m of [1, 2, 5]) { const at = k + Math.log10(m); if (at >= lo && at <= hi) out.push(at); }
    if (out.length >= 2) return out;
    out.length = 0;
  }
  const rough = (hi - lo) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough) || power, first = Math.ceil(lo / step - 1e-9);
  if (!(Math.abs(first) < 1e15)) return [lo];              // numbers that differ in their last digits
  for (let k = first; k * step <= hi + step * 1e-9; k++) out.push(k * step);
  return out;
}

/** The words at ticks: all of an axis with as many digits, or all with an exponent. */
function tickTexts(at, log) {
  const step = at.length > 1 ? at[1] - at[0] : Math.abs(at[0] || 1), most = Math.max(step, ...at.map(Math.abs));
  const digits = Math.max(0, Math.min(8, -Math.floor(Math.log10(step) + 1e-9)));
  return at.map(x => {
    if (log && Number.isInteger(x)) return "1e" + x;
    if (log) return Number((10 ** x).toPrecision(2)).toExponential().replace("e+", "e");
    if (Math.abs(x) < step * 1e-6) return "0";
    const figures = Math.min(Math.max(4, Math.ceil(Math.log10(most / step)) + 1), 15);
    if (most >= 1e5 || most < 1e-3) return Number(x.toPrecision(figures)).toExponential().replace("e+", "e");
    return x.toFixed(digits);
  });
}

/**
 * Do marks at these pixels, ascending, stand denser than one for six pixels somewhere? Checked over ten of them.
 * @param {number[]} at
 */
function areDense(at) {
  const several = 10, apart = 6;
  return at.some((x, i) => i >= several && x - at[i - several] < several * apart);
}

/** First index with x[i] >= value, x ascending. */
function indexOf(x, value) {
  let lo = 0, hi = x.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (x[mid] < value) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

function extent(values, from, to, log, out) {
  for (let i = from; i < to; i++) {
    let v = values[i];
    if (log) v = v > 0 ? Math.log10(v) : NaN;
    if (v < out.lo) out.lo = v;
    if (v > out.hi) out.hi = v;
  }
}

/** With room at both ends. What differs by round-off alone is a constant. */
function widened(range) {
  if (!(range.lo <= range.hi)) return { lo: 0, hi: 1 };
  const wide = range.hi - range.lo, size = Math.max(Math.abs(range.lo), Math.abs(range.hi));
  const room = wide > 1e-9 * size ? wide * 0.05 : size * 0.05 || 0.5;
  return { lo: range.lo - room, hi: range.hi + room };
}

// ---- a plot ---------------------------------------------------------------------------------------------------------
/**
 * of: { series: [{ name, unit, x, y, colour }], xName, xUnit, overTime, logX, logY, stacked, bands, marks, height }.
 * Stacked series are areas on each other; bands are { names, spans: [{ row, from, to, colour }] }.
 */
class Plot {
  constructor(parent, of) {
    this.of = of;
    this.canvas = make("canvas", { tabIndex: 0, role: "img" });
    this.legend = make("div", { className: "legend" });
    this.measured = make("div", { className: "measured", hidden: true });
    parent.append(this.canvas, this.legend, this.measured);
    this.drag = null;
    this.hidden = this.stale = false;
    this.listen();
    shared.plots.add(this);
    this.observers = [new ResizeObserver(() => this.draw()), new IntersectionObserver(all => {
      this.hidden = !all[all.length - 1].isIntersecting;
      if (this.stale) this.draw();
    }, { rootMargin: "200px" })];
    for (const o of this.observers) o.observe(parent);
  }

  close() {
    shared.plots.delete(this);
    for (const o of this.observers) o.disconnect();
  }

  xRange() {
    const of = this.of, all = { lo: Infinity, hi: -Infinity };
    if (of.overTime && shared.range) return { lo: shared.range[0], hi: shared.range[1] };
    for (const s of of.series) {
      if (of.overTime && s.x.length) {
        all.lo = Math.min(all.lo, s.x[0]);
        all.hi = Math.max(all.hi, s.x[s.x.length - 1]);
      } else extent(s.x, 0, s.x.length, of.logX, all);
    }
    if (of.bands) { all.lo = of.bands.from; all.hi = of.bands.to; }
    return of.overTime && all.lo < all.hi ? all : widened(all);
  }

  yRange(x) {
    const of = this.of, all = { lo: Infinity, hi: -Infinity };
    if (of.bands) return { lo: 0, hi: of.bands.names.length };
    for (const s of of.series) {
      const from = of.overTime ? Math.max(0, indexOf(s.x, x.lo) - 1) : 0;
      const to = of.overTime ? Math.min(s.x.length, indexOf(s.x, x.hi) + 1) : s.x.length;
      extent(s.y, from, to, of.logY, all);
    }
    if (of.stacked) all.lo = Math.min(all.lo, 0);
    return widened(all);
  }

  /** Points of a line in pixels, at most four for each pixel column. */
  reduced(s, box, x, y) {
    const of = this.of, n = s.x.length, out = [];
    const px = v => box.x + (v - x.lo) / (x.hi - x.lo) * box.w;
    const py = v => box.y + box.h - ((of.logY ? v > 0 ? Math.log10(v) : NaN : v) - y.lo) / (y.hi - y.lo) * box.h;
    if (!of.overTime) {
      let lastX = NaN, lastY = NaN;
      for (let i = 0; i < n; i++) {
        const a = px(of.logX ? s.x[i] > 0 ? Math.log10(s.x[i]) : NaN : s.x[i]), b = py(s.y[i]);
        if (Math.abs(a - lastX) < 0.3 && Math.abs(b - lastY) < 0.3) continue;
        out.push(a, Number.isNaN(a) ? NaN : b);
        lastX = a;
        lastY = b;
      }
      return out;
    }
    const from = Math.max(0, indexOf(s.x, x.lo) - 1), to = Math.min(n, indexOf(s.x, x.hi) + 1);
    if (to - from <= 3 * box.w) {
      for (let i = from; i < to; i++) out.push(px(s.x[i]), py(s.y[i]));
      return out;
    }
    for (let i = from; i < to;) {
      const pixel = Math.floor(px(s.x[i])), first = i;
      let least = i, most = i;
      for (; i < to && Math.floor(px(s.x[i])) === pixel; i++) {
        if (s.y[i] < s.y[least]) least = i;
        if (s.y[i] > s.y[most]) most = i;
      }
      out.push(px(s.x[first]), py(s.y[first]));
      const [a, b] = least < most ? [least, most] : [most, least];
      if (a !== first) out.push(px(s.x[a]), py(s.y[a]));
      if (b !== a) out.push(px(s.x[b]), py(s.y[b]));
      if (i - 1 > b) out.push(px(s.x[i - 1]), py(s.y[i - 1]));
    }
    return out;
  }

  /**
   * Where a line over time goes up and down within four pixels, or more than twice within twelve: there it would be a
   * solid block. Such places are told where one is sixteen pixels high, and then down to eight, and where they are
   * sixteen wide; what the line rises by on the whole is no height. Of each pixel column: is it such a place (`is`),
   * and the edges of the block.
   */
  blocks(s, box, x, y) {
    const n = Math.ceil(box.w) + 1, halves = [2, 6], lo = new Float64Array(n).fill(Infinity);
    const hi = new Float64Array(n).fill(-Infinity), way = new Float64Array(n), is = new Uint8Array(n);
    const sum = new Float64Array(n), count = new Float64Array(n), tall = new Uint8Array(n);
    const from = Math.max(0, indexOf(s.x, x.lo)), to = Math.min(s.x.length, indexOf(s.x, x.hi));
    if (!this.of.overTime || this.of.logY || to - from < box.w / 2) return { any: false, is, lo, hi };
    for (let i = from, last = NaN; i < to; i++) {
      const p = Math.floor((s.x[i] - x.lo) / (x.hi - x.lo) * box.w);
      const v = box.y + box.h - (s.y[i] - y.lo) / (y.hi - y.lo) * box.h;
      if (v < lo[p]) lo[p] = v;
      if (v > hi[p]) hi[p] = v;
      if (Math.abs(v - last) > 0) way[p] += Math.abs(v - last);
      if (!Number.isNaN(v)) { sum[p] += v; count[p]++; }
      last = v;
    }
    const out = { any: false, is, lo: lo.slice(), hi: hi.slice() };
    for (const half of halves) for (let p = 0; p < n; p++) {
      if (is[p]) continue;
      let least = Infinity, most = -Infinity, ways = 0;
      const sums = [0, 0], counts = [0, 0];
      for (let q = Math.max(0, p - half); q < Math.min(n, p + half); q++) {
        least = Math.min(least, lo[q]);
        most = Math.max(most, hi[q]);
        ways += way[q];
        sums[q < p ? 0 : 1] += sum[q];
        counts[q < p ? 0 : 1] += count[q];
      }
      const rise = counts[0] && counts[1] ? 2 * Math.abs(sums[1] / counts[1] - sums[0] / counts[0]) : 0;
      is[p] = most - least - rise > 8 && ways >= (half === 2 ? 3 : 4.5) * (most - least) ? 1 : 0;
      if (is[p]) tall[p] = most - least - rise > 16 ? 1 : 0;
      for (let q = Math.max(0, p - half); is[p] && q <= Math.min(n - 1, p + half); q++) {
        out.lo[p] = Math.min(out.lo[p], lo[q]);
        out.hi[p] = Math.max(out.hi[p], hi[q]);
      }
    }
    for (let p = 0; p < n; p++) {
      const from = p;
      while (p < n && is[p]) p++;
      if (p - from < 16) is.fill(0, from, p);
      else if (tall.subarray(from, p).some(t => t)) out.any = true;
    }
    return out;
  }

  /** A line; in place of a solid block its edges, and a hatching between them. */
  line(pen, s, box, x, y) {
    const points = this.reduced(s, box, x, y), { any, is, lo, hi } = this.blocks(s, box, x, y), apart = 48;
    s.hatched = any;
    if (!any) { pen.path(points, s.colour); return; }
    for (let i = 0; i < points.length; i += 2) if (is[Math.floor(points[i] - box.x)]) points[i + 1] = NaN;
    pen.path(points, s.colour);
    for (let p = 0; p < is.length;) {
      const upper = [], lower = [];
      for (; p < is.length && is[p]; p++) {
        if (!(lo[p] <= hi[p])) continue;
        upper.push(box.x + p, lo[p]);
        lower.push(box.x + p, hi[p]);
        const at = Math.round(box.x + p) + 0.5;
        if (p % apart === apart / 2) pen.path([at, lo[p], at, hi[p]], s.colour, 0.7);
      }
      pen.path(upper, s.colour, 1);
      pen.path(lower, s.colour, 1);
      while (p < is.length && !is[p]) p++;
    }
  }

  axes(pen, box, x, y, scales) {
    const of = this.of, ink = colour("dim"), line = colour("line"), below = box.y + box.h + box.strip;
    scales.y.forEach((v, i) => {
      const at = Math.round(box.y + box.h - (v - y.lo) / (y.hi - y.lo) * box.h) + 0.5;       // one pixel wide
      pen.path([box.x, at, box.x + box.w, at], line, 1);
      pen.text(box.x - 5, at, scales.words[i], ink, "right");
    });
    const xTicks = ticks(x.lo, x.hi, of.logX && !of.overTime, Math.max(2, box.w / (box.w < 400 ? 100 : 74)));
    const words = tickTexts(xTicks, of.logX && !of.overTime);
    xTicks.forEach((v, i) => {
      const at = Math.round(box.x + (v - x.lo) / (x.hi - x.lo) * box.w) + 0.5, half = pen.wide(words[i]) / 2;
      pen.path([at, box.y, at, box.y + box.h], line, 1);
      pen.text(Math.min(at, box.x + box.w + box.right - half), below + 10, words[i], ink);
    });
    pen.path([box.x, box.y, box.x, box.y + box.h, box.x + box.w, box.y + box.h], ink, 1);
    pen.text(box.x + box.w / 2, below + 24, of.xName + (of.xUnit ? ` [${of.xUnit}]` : ""), ink);
    const units = [...new Set(of.series.map(s => s.unit))];
    const unit = units.length === 1 && units[0] ? `[${units[0]}]` : "";
    const full = `${of.series.length === 1 ? of.series[0].name : ""} ${unit}`.trim();
    const what = pen.wide(full) <= box.h + 16 ? full : unit;           // the legend has the name, too
    if (!of.bands) pen.text(9, box.y + box.h / 2, what, ink, "center", true);
  }

  area(pen, box, x, y) {
    const of = this.of, zero = box.y + box.h - (0 - y.lo) / (y.hi - y.lo) * box.h;
    for (let k = of.series.length; k-- > 0;) {
      const top = this.reduced(of.series[k], box, x, y);
      if (top.length < 4 || of.series[k].line) continue;
      pen.path([top[0], zero, ...top, top[top.length - 2], zero], "", 0, soft(of.series[k].colour));
      pen.path(top, of.series[k].colour, 1.2);
    }
    for (const s of of.series)
      if (s.line) pen.path(this.reduced(s, box, x, y), s.colour, 1.6, "", [5, 3]);
  }

  bands(pen, box, x) {
    const of = this.of.bands, h = box.h / of.names.length;
    for (const s of of.spans) {
      const a = box.x + (s.from - x.lo) / (x.hi - x.lo) * box.w, b = box.x + (s.to - x.lo) / (x.hi - x.lo) * box.w;
      if (b < box.x || a > box.x + box.w) continue;
      pen.rectangle(a, box.y + s.row * h + 1, Math.max(b - a, 0.7), Math.max(h - 2, 1), s.colour);
    }
    if (h >= 10) of.names.forEach((name, k) => {
      const most = 14, text = name.length > most ? "…" + name.slice(-most + 1) : name;
      pen.text(box.x - 5, box.y + (k + 0.5) * h, text, colour("dim"), "right");
    });
  }

  /** Marks within the range x, with their places in pixels from its begin. */
  marksIn(x, width) {
    const of = this.of, all = of.overTime && of.marks || [], out = [];
    for (const m of all) {
      const at = (m.time - x.lo) / (x.hi - x.lo) * width;
      if (at >= 0 && at <= width) out.push({ at, impacts: m.impacts, events: m.events });
    }
    return out;
  }

  /** Each by itself within the plot; where they are dense, as a strip below its axis. */
  marks(pen, box, marks) {
    if (box.strip) { this.strip(pen, box, marks); return; }
    for (const m of marks) {
      const at = box.x + m.at;
      if (m.impacts) pen.path([at - 3.5, box.y, at + 3.5, box.y, at, box.y + 6, at - 3.5, box.y], "", 1, colour("c1"));
      if (m.events) pen.path([at, box.y, at, box.y + box.h], colour("c3"), 0.7, "", [2, 3]);
    }
  }

  strip(pen, box, marks) {
    const kinds = [["impacts", "c1"], ["events", "c3"]].filter(([kind]) => marks.some(m => m[kind]));
    kinds.forEach(([kind, name], row) => {
      const h = (box.strip - 2) / kinds.length, top = box.y + box.h + 2 + row * h;
      let from = NaN, to = NaN;
      const put = () => { if (from <= to) pen.rectangle(box.x + from, top, to - from + 1, h - 0.5, colour(name)); };
      for (const m of marks) {
        const pixel = Math.floor(m.at);
        if (!m[kind] || pixel <= to) continue;
        if (pixel !== to + 1) { put(); from = pixel; }
        to = pixel;
      }
      put();
    });
  }

  paint(pen, width, height) {
    const of = this.of, x = this.xRange(), y = this.yRange(x);
    const yTicks = of.bands ? [] : ticks(y.lo, y.hi, of.logY, Math.max(3, (height - 44) / (width < 500 ? 52 : 34)));
    const scales = { y: yTicks, words: tickTexts(yTicks, of.logY) };
    const left = of.bands ? 96 : Math.max(48, 24 + Math.max(0, ...scales.words.map(w => pen.wide(w)))), right = 10;
    const box = { x: left, y: 8, w: Math.max(width - left - right, 20), h: height - 44, right, strip: 0 };
    const marks = this.marksIn(x, box.w);
    if (areDense(marks.map(m => m.at))) {
      box.strip = 9;
      box.h -= box.strip;
    }
    this.axes(pen, box, x, y, scales);
    pen.clip(box.x, box.y, box.w, box.h + box.strip);
    if (of.bands) this.bands(pen, box, x);
    else if (of.stacked) this.area(pen, box, x, y);
    else for (const s of of.series) this.line(pen, s, box, x, y);
    this.marks(pen, box, marks);
    pen.unclip();
    return { box, x, y };
  }

  /** What nobody sees, out of the window, is drawn when it comes into it. */
  draw() {
    this.stale = this.hidden;
    if (this.stale) return;
    const width = this.canvas.parentElement.clientWidth - 15, height = this.of.height || 220;
    if (width < 40) return;
    const pen = new CanvasPen(this.canvas, width, height);
    this.last = this.paint(pen, width, height);
    const { box, x } = this.last, ink = colour("ink");
    if (this.drag) {
      const a = Math.min(this.drag.from, this.drag.to), b = Math.max(this.drag.from, this.drag.to);
      pen.to.globalAlpha = 0.15;
      pen.rectangle(a, box.y, b - a, box.h, colour("accent"));
      pen.to.globalAlpha = 1;
    }
    if (this.of.overTime && shared.cursor !== null) {
      const at = box.x + (shared.cursor - x.lo) / (x.hi - x.lo) * box.w;
      if (at >= box.x && at <= box.x + box.w) pen.path([at, box.y, at, box.y + box.h], ink, 0.8, "", [3, 3]);
    } else if (shared.cursor !== null) this.dots(pen);
    for (const time of this.of.overTime ? shared.pins : []) {
      const at = box.x + (time - x.lo) / (x.hi - x.lo) * box.w;
      if (at >= box.x && at <= box.x + box.w) pen.path([at, box.y, at, box.y + box.h], colour("accent"), 1.2);
    }
    this.label();
    this.measure();
  }

  /** For those who do not see it: what is plotted, and its extremes. */
  spoken() {
    const of = this.of, name = of.title || of.series.map(s => s.name).join(", ") || "nothing";
    const span = s => {
      const y = { lo: Infinity, hi: -Infinity };
      extent(s.raw || s.y, 0, (s.raw || s.y).length, false, y);
      return y.lo <= y.hi ? `${s.name} from ${brief(y.lo)} to ${brief(y.hi)}${s.unit ? " " + s.unit : ""}` : s.name;
    };
    return `${name} over ${of.xName}` + (of.series.length ? `: ${of.series.slice(0, 8).map(span).join("; ")}` : "");
  }

  /** Value of a series over time at this time, on the line between its points. */
  valueAt(s, time) {
    const y = s.raw || s.y, i = Math.min(Math.max(indexOf(s.x, time), 1), s.x.length - 1);
    if (s.x.length < 2 || time >= s.x[s.x.length - 1]) return y[y.length - 1];
    if (time <= s.x[0]) return y[0];
    return s.x[i] > s.x[i - 1] ? y[i - 1] + (y[i] - y[i - 1]) * (time - s.x[i - 1]) / (s.x[i] - s.x[i - 1]) : y[i];
  }

  /** Between two times: extremes, mean and root mean square of the line through the points. */
  statistics(s, a, b) {
    const y = s.raw || s.y, from = indexOf(s.x, a), to = indexOf(s.x, b);
    const times = [a, ...s.x.slice(from, to), b], values = [this.valueAt(s, a), ...y.slice(from, to),
      this.valueAt(s, b)];
    let sum = 0, square = 0, least = Infinity, most = -Infinity;
    for (const v of values) { least = Math.min(least, v); most = Math.max(most, v); }
    for (let i = 1; i < times.length; i++) {
      const dt = times[i] - times[i - 1], u = values[i - 1], v = values[i];
      sum += dt * (u + v) / 2;
      square += dt * (u * u + u * v + v * v) / 3;
    }
    return { least, most, mean: sum / (b - a), rms: Math.sqrt(square / (b - a)) };
  }

  /** A table of what is between two pins. */
  measure() {
    const series = this.of.series.filter(s => s.y && s.x.length), [p, q] = shared.pins;
    this.measured.hidden = !this.of.overTime || !shared.pins.length || !series.length;
    if (this.measured.hidden) return;
    const row = (cells, tag) => make("tr", {}, ...cells.map((c, i) => make(i || tag === "th" ? tag : "th", {}, c)));
    if (q === undefined) {
      this.measured.replaceChildren(make("table", {}, row(["", `at ${shown(p)} s`], "th"),
        ...series.map(s => row([s.name, shown(this.valueAt(s, p))], "td"))));
      return;
    }
    const [a, b] = p < q ? [p, q] : [q, p], hertz = b > a ? `, ${brief(1 / (b - a))} Hz` : "";
    const rows = b > a ? series.map(s => {
      const m = this.statistics(s, a, b), u = this.valueAt(s, a), v = this.valueAt(s, b);
      return row([s.name, ...[u, v, v - u, m.least, m.most, m.mean, m.rms].map(shown)], "td");
    }) : [];
    this.measured.replaceChildren(make("table", {}, make("caption", {}, `${shown(a)} s to ${shown(b)} s: ` +
      `${shown(b - a)} s${hertz}`), row(["", "first", "last", "difference", "least", "largest", "mean", "rms"], "th"),
      ...rows));
  }

  /** A table for those who do not see the plot: the series at some times. */
  table(parts = 20) {
    const x = this.xRange(), series = this.of.series.filter(s => s.y && s.x.length);
    const row = (cells, tag) => make("tr", {}, ...cells.map(c => make(tag, {}, c)));
    const head = row([this.of.xName + (this.of.xUnit ? ` [${this.of.xUnit}]` : ""),
      ...series.map(s => s.name + (s.unit ? ` [${s.unit}]` : ""))], "th");
    if (!this.of.overTime) {
      const s = series[0], n = s ? s.x.length : 0, at = [...Array(Math.min(n, parts + 1)).keys()].map(i =>
        Math.round(i * (n - 1) / Math.max(1, Math.min(n - 1, parts))));
      return make("table", {}, head, ...at.map(i => row([s.x[i], ...series.map(o => o.y[i])].map(shown), "td")));
    }
    const times = [...Array(parts + 1).keys()].map(i => x.lo + (x.hi - x.lo) * i / parts);
    const values = t => [t, ...series.map(s => this.valueAt(s, t))];
    return make("table", {}, head, ...times.map(t => row(values(t).map(shown), "td")));
  }

  /** The nearest mark within six pixels, else the time itself. */
  snapped(time) {
    const { box, x } = this.last, at = (time - x.lo) / (x.hi - x.lo) * box.w;
    const near = this.marksIn(x, box.w).filter(m => Math.abs(m.at - at) < 6);
    const best = near.sort((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at))[0];
    return best ? x.lo + best.at / box.w * (x.hi - x.lo) : time;
  }

  /** Arrows move the cursor (with shift by more), Enter pins it, + and - zoom, Escape shows all. */
  key(e) {
    if (!this.last || !this.of.overTime || e.ctrlKey || e.altKey || e.metaKey) return;
    const { x } = this.last, by = (x.hi - x.lo) * (e.shiftKey ? 0.1 : 0.01);
    const now = shared.cursor === null ? (x.lo + x.hi) / 2 : shared.cursor;
    const zoom = f => setRange([now + (x.lo - now) * f, now + (x.hi - now) * f]);
    const keys = { ArrowLeft: () => setCursor(Math.max(now - by, x.lo)), Enter: () => setPin(now),
      ArrowRight: () => setCursor(Math.min(now + by, x.hi)), "+": () => zoom(0.5), "-": () => zoom(2),
      Escape: () => { shared.pins = []; setRange(null); } };
    if (!keys[e.key]) return;
    e.preventDefault();
    keys[e.key]();
  }

  /** Where the cursor is on curves of a phase plot. */
  dots(pen) {
    const { box, x, y } = this.last;
    for (const s of this.of.series) {
      if (!s.time || !s.time.length) continue;
      const i = Math.min(indexOf(s.time, shared.cursor), s.time.length - 1);
      const a = box.x + ((this.of.logX ? Math.log10(s.x[i]) : s.x[i]) - x.lo) / (x.hi - x.lo) * box.w;
      const b = box.y + box.h - ((this.of.logY ? Math.log10(s.y[i]) : s.y[i]) - y.lo) / (y.hi - y.lo) * box.h;
      pen.path([a - 4, b, a, b - 4, a + 4, b, a, b + 4, a - 4, b], colour("ink"), 1, s.colour);
    }
  }

  label() {
    this.canvas.setAttribute("aria-label", this.spoken());
    const of = this.of, entries = of.bands ? of.bands.legend : of.series;
    this.legend.replaceChildren(...entries.map(s => {
      let value = "";
      if (shared.cursor !== null && s.y && s.y.length) {
        const i = Math.min(indexOf(of.overTime ? s.x : s.time || s.x, shared.cursor), s.y.length - 1);
        value = " = " + shown(s.raw ? s.raw[i] : s.y[i]);
      }
      const mark = make("i");
      mark.style.background = s.colour;
      const hatched = s.hatched ? " (hatched: faster than the pixels)" : "";
      return make("span", {}, mark, s.name + value + hatched);
    }));
  }

  timeAt(event) {
    const { box, x } = this.last, where = event.clientX - this.canvas.getBoundingClientRect().left;
    return x.lo + (Math.min(Math.max(where, box.x), box.x + box.w) - box.x) / box.w * (x.hi - x.lo);
  }

  listen() {
    const canvas = this.canvas, where = e => e.clientX - canvas.getBoundingClientRect().left;
    canvas.addEventListener("pointermove", e => {
      if (!this.last || !this.of.overTime) return;
      if (this.drag) this.drag.to = where(e);
      setCursor(this.timeAt(e));
    });
    canvas.addEventListener("pointerleave", () => { if (!this.drag) setCursor(null); });
    canvas.addEventListener("pointerdown", e => {
      if (!this.last || !this.of.overTime || e.pointerType === "touch" || e.button) return;
      canvas.setPointerCapture(e.pointerId);
      this.drag = { from: where(e), to: where(e), time: this.timeAt(e) };
    });
    canvas.addEventListener("pointerup", e => {
      const drag = this.drag;
      this.drag = null;
      if (!drag) return;
      const time = this.timeAt(e);
      if (Math.abs(drag.to - drag.from) > 5) setRange([Math.min(drag.time, time), Math.max(drag.time, time)]);
      else setPin(this.snapped(time));
    });
    canvas.addEventListener("dblclick", () => { shared.pins = []; setRange(null); });
    canvas.addEventListener("keydown", e => this.key(e));
    canvas.addEventListener("wheel", e => {
      if (!this.last || !this.of.overTime || !(e.ctrlKey || e.shiftKey || shared.range)) return;
      e.preventDefault();
      const time = this.timeAt(e), { x } = this.last, by = e.deltaY > 0 ? 1.25 : 0.8;
      setRange([time + (x.lo - time) * by, time + (x.hi - time) * by]);
    }, { passive: false });
  }

  /** The same as a picture of points, twice as fine: a Blob. */
  async png() {
    const scale = 2, picture = new Image(), canvas = document.createElement("canvas");
    picture.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(this.svg());
    await picture.decode();
    canvas.width = scale * picture.width;
    canvas.height = scale * picture.height;
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return new Promise(then => { canvas.toBlob(then, "image/png"); });
  }

  svg() {
    const width = 720, height = 360, pen = new SvgPen(width, height + 20);
    this.paint(pen, width, height);
    const entries = this.of.bands ? this.of.bands.legend : this.of.series;
    entries.forEach((s, k) => {
      const x = 66 + (k % 5) * 130, y = height + 10 * (1 + Math.floor(k / 5)) - 2;
      pen.rectangle(x, y - 2, 12, 3, s.colour);
      pen.text(x + 16, y, s.name, colour("ink"), "left");
    });
    return pen.finish();
  }
}
