// The motion: pictures over time, decoded and interpolated, and how they look in a plane. space.js shows them in space.
//
// A picture is a list of things: { shape, points, ... } in the coordinates of the model. Bodies are made of parts with
// the numbers of their kinds in runtime/shapes/shape.h.
const SPHERE = 0, BOX = 1, CAPSULE = 2, CYLINDER = 3, HALFSPACE = 4, CONVEX = 5, DISK = 6, RECTANGLE = 7, POLYGON = 8,
  HALFPLANE = 9;

class Motion {
  constructor() {
    this.time = block("pictureTime", Float64Array);
    this.values = block("picture", Float32Array);
    this.width = facts.pictureNumbers;
    this.touch = block("touch", Float32Array);
    this.touches = block("touches", Int32Array);
    this.touchStart = new Int32Array(this.touches.length + 1);
    this.touches.forEach((n, i) => { this.touchStart[i + 1] = this.touchStart[i] + n; });
    this.present = facts.bodies.length > 0 || facts.drawings.length > 0;
    this.spatial = facts.bodies.some(b => b.parts.some(p => p.kind < DISK)) ||
      facts.drawings.some(d => d.arguments[0] === 3);
    this.offsets = [];
    let at = 0;
    for (const b of facts.bodies) if (b.moves) { b.offset = at; at += 12; }
    for (const d of facts.drawings) {
      d.offset = at;
      d.numbers = d.arguments.reduce((a, b) => a + b, 0);
      at += d.numbers * d.members;
    }
    this.strongest = 0;
    for (let i = 0; i < this.touch.length; i += 6)
      this.strongest = Math.max(this.strongest, Math.hypot(this.touch[i + 3], this.touch[i + 4], this.touch[i + 5]));
    if (this.present) this.measure();
  }

  get begin() { return this.time[0]; }
  get end() { return this.time[this.time.length - 1]; }

  /** All numbers at a time, between two pictures in proportion. */
  at(time) {
    const k = Math.min(Math.max(indexOf(this.time, time), 1), Math.max(this.time.length - 1, 1)), w = this.width;
    const a = (k - 1) * w, b = Math.min(k, this.time.length - 1) * w, out = new Float32Array(w);
    const span = this.time[Math.min(k, this.time.length - 1)] - this.time[k - 1];
    const share = span > 0 ? Math.min(Math.max((time - this.time[k - 1]) / span, 0), 1) : 0;
    for (let i = 0; i < w; i++) out[i] = this.values[a + i] + share * (this.values[b + i] - this.values[a + i]);
    this.index = share > 0.5 ? Math.min(k, this.time.length - 1) : k - 1;
    return out;
  }

  poseOf(body, now) { return body.moves ? now.subarray(body.offset, body.offset + 12) : body.pose; }

  /** What a camera may follow: [[name, place at a time]]. */
  followed() {
    const most = 12, out = facts.bodies.filter(b => b.moves).map(b => [b.name,
      now => Array.from(this.poseOf(b, now).slice(0, 3))]);
    const kinds = ["disk", "circle", "sphere", "box", "trail"];
    facts.drawings.filter(d => kinds.includes(d.shape)).forEach(d => {
      for (let m = 0; m < d.members; m++)
        out.push([`${d.shape}${d.members > 1 ? ` ${m + 1}` : ""}`, now => this.argumentsOf(d, m, now)[0]]);
    });
    return out.slice(0, most);
  }

  /** How far what is followed (its number, -1: nothing) went since the begin. */
  shift(which, time) {
    const of = this.followed()[which];
    if (!of) return [0, 0, 0];
    const then = of[1](this.at(this.begin)), now = of[1](this.at(time));
    return [0, 1, 2].map(i => (now[i] || 0) - (then[i] || 0));
  }

  /** Arguments of member m of a drawing, each an array. */
  argumentsOf(d, m, now) {
    const out = [];
    let at = d.offset + m * d.numbers;
    for (const n of d.arguments) {
      out.push(Array.from(now.subarray(at, at + n)));
      at += n;
    }
    return out;
  }

  /** The box that holds everything at all times; half-planes and half-spaces have no end and do not count. Of fixed
   * bodies that are much larger than all that moves, only what is near counts: a pole, a wall. */
  measure() {
    const all = this.boxOf(() => true), moving = this.boxOf(b => b.moves);
    const extent = box => Math.max(...box[1].map((v, i) => v - box[0][i]));
    let [lo, hi] = all;
    if (extent(moving) > 0 && extent(all) > 6 * extent(moving)) {
      const [a, b] = moving, room = extent(moving) / 2;
      lo = a.map((v, i) => Math.max(v - room, lo[i]));
      hi = b.map((v, i) => Math.min(v + room, hi[i]));
    }
    if (!(lo[0] <= hi[0])) { lo.fill(-1); hi.fill(1); }
    this.lo = lo;
    this.hi = hi;
    this.size = Math.max(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]) || 1;
  }

  /** [lowest, highest corner] of drawings and of the bodies that `counts` takes. */
  boxOf(counts) {
    const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
    const add = (p, r = 0) => {
      for (let i = 0; i < 3; i++) {
        const v = p[i] || 0;
        if (!Number.isFinite(v)) continue;
        lo[i] = Math.min(lo[i], v - r);
        hi[i] = Math.max(hi[i], v + r);
      }
    };
    const stride = Math.max(1, Math.floor(this.time.length / 200));
    for (let k = 0; k < this.time.length; k += stride) {
      const now = this.values.subarray(k * this.width, (k + 1) * this.width);
      for (const b of facts.bodies.filter(counts))
        for (const p of b.parts) {
          if (p.kind === HALFSPACE || p.kind === HALFPLANE || (!b.moves && k > 0)) continue;
          const pose = this.poseOf(b, now);
          if (p.corner) for (let i = 0; i < p.corner.length; i += 3) add(place(pose, inBody(p, p.corner.slice(i,
            i + 3))));
          else add(place(pose, p.at), reach(p));
        }
      for (const d of facts.drawings)
        for (let m = 0; m < d.members; m++) {
          const a = this.argumentsOf(d, m, now);
          if (["line", "polygon", "spring",
            "damper"].includes(d.shape)) a.filter(p => p.length > 1).forEach(p => add(p));
          else if (d.shape === "box") add(a[0], Math.hypot(...a[1]) / 2);
          else if (["disk", "circle", "sphere"].includes(d.shape)) add(a[0], a[1][0]);
          else add(a[0]);
        }
    }
    return [lo, hi];
  }

  /** The biggest arrow of the model's own, over all times: arrows are drawn in proportion to it. */
  longest() {
    if (this.most !== undefined) return this.most;
    this.most = 0;
    for (const d of facts.drawings.filter(x => x.shape === "arrow"))
      for (let k = 0; k < this.time.length; k++)
        for (let m = 0; m < d.members; m++) {
          const v = this.argumentsOf(d, m, this.values.subarray(k * this.width, (k + 1) * this.width))[1];
          this.most = Math.max(this.most, Math.hypot(...v));
        }
    return this.most;
  }

  /** Places of a trail's member up to now, at most so many. */
  trail(d, m, time) {
    const out = [], stride = Math.max(1, Math.floor(this.time.length / 1500)), n = d.arguments[0];
    for (let k = 0; k < this.time.length && this.time[k] <= time; k += stride) {
      const at = k * this.width + d.offset + m * d.numbers;
      out.push(Array.from(this.values.subarray(at, at + n)));
    }
    return out;
  }

  /** Bodies that move and would be too small to be seen: [place, colour]; pixel: where a place is on the screen. */
  small(now, pixel) {
    const out = [];
    facts.bodies.filter(b => b.moves && b.parts.length).forEach((b, k) => {
      const pose = this.poseOf(b, now), middle = Array.from(pose.slice(0, 3)), [x, y] = pixel(middle);
      const far = Math.max(...b.parts.map(p => Math.max(reach(p), ...corners(p).map(q => Math.hypot(...q)))));
      const sizes = [0, 1, 2].map(i => pixel(middle.map((v, j) => v + (i === j ? far : 0))));
      if (sizes.every(([u, v]) => Math.hypot(u - x, v - y) < SMALL)) out.push([middle, colourOf(k)]);
    });
    return out;
  }

  /** Points of contact of the picture next to the last asked for: [place, arrow]; an arrow's length is the root of its
   * impulse over the strongest one, so that what rests is seen beside impacts. */
  contacts() {
    const out = [], i = this.index || 0;
    for (let k = this.touchStart[i]; k < this.touchStart[i + 1]; k++) {
      const t = this.touch.subarray(6 * k, 6 * k + 6);
      const p = Math.hypot(t[3], t[4], t[5]), by = p > 0 ? 1 / Math.sqrt(p * this.strongest) : 0;
      const arrow = [t[3] * by, t[4] * by, t[5] * by];
      out.push([[t[0], t[1], t[2]], arrow]);
    }
    return out;
  }
}

/** r + R x of a pose. */
function place(pose, x) {
  const out = [0, 0, 0];
  for (let i = 0; i < 3; i++)
    out[i] = pose[i] + pose[3 + 3 * i] * x[0] + pose[4 + 3 * i] * x[1] + pose[5 + 3 * i] * (x[2] || 0);
  return out;
}

/** at + turn x of a part. */
function inBody(p, x) {
  const t = p.turn, z = x[2] || 0;
  return [0, 1, 2].map(i => p.at[i] + t[3 * i] * x[0] + t[3 * i + 1] * x[1] + t[3 * i + 2] * z);
}

/** How far a part without corners reaches from its origin. */
const SMALL = 5;                                           // pixels, from the middle: what is smaller gets a ring

/** Corners of a part, in its own frame. */
function corners(p) {
  const out = [];
  for (let i = 0; p.corner && i < p.corner.length; i += 3) out.push(p.corner.slice(i, i + 3));
  return out;
}

function reach(p) {
  if (p.kind === BOX) return Math.hypot(...p.size);
  if (p.kind === RECTANGLE) return Math.hypot(p.size[0], p.size[1]);
  if (p.kind === CAPSULE) return p.size[0] + p.size[1];
  return p.kind === CYLINDER ? Math.hypot(p.size[0], p.size[1]) : p.size[0];
}

/** Corners of a convex polygon, counter-clockwise. */
function hull2(corner) {
  const p = [];
  for (let i = 0; i < corner.length; i += 3) p.push([corner[i], corner[i + 1]]);
  p.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = list => {
    const out = [];
    for (const q of list) {
      while (out.length > 1) {
        const [a, b] = out.slice(-2);
        if ((b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]) > 0) break;
        out.pop();
      }
      out.push(q);
    }
    out.pop();
    return out;
  };
  return [...half(p), ...half(p.slice().reverse())];
}

/** A zigzag from a to b of n turns, so wide, in a plane. */
function zigzag(a, b, wide, n = 9) {
  const dx = b[0] - a[0], dy = b[1] - a[1], l = Math.hypot(dx, dy) || 1, out = [a];
  for (let i = 0; i <= 2 * n; i++) {
    const s = 0.12 + 0.76 * i / (2 * n), w = i % (2 * n) === 0 ? 0 : (i % 2 ? wide : -wide);
    out.push([a[0] + s * dx - w * dy / l, a[1] + s * dy + w * dx / l]);
  }
  return [...out, b];
}

// ---- in a plane -----------------------------------------------------------------------------------------------------
class Plane {
  constructor(motion, canvas) {
    this.motion = motion;
    this.canvas = canvas;
    this.shift = [0, 0, 0];                                // of the camera, with what it follows
    this.reset();
  }

  reset() {
    const m = this.motion;
    this.middle = [(m.lo[0] + m.hi[0]) / 2, (m.lo[1] + m.hi[1]) / 2];
    this.zoom = 1;
  }

  turn(dx, dy) {
    this.middle[0] -= dx / this.scale;
    this.middle[1] += dy / this.scale;
  }

  fit(width, height) {
    const m = this.motion, w = Math.max(m.hi[0] - m.lo[0], m.size * 0.25), h = Math.max(m.hi[1] - m.lo[1],
      m.size * 0.25);
    this.scale = this.zoom * 0.84 * Math.min(width / w, height / h);
    this.width = width;
    this.height = height;
  }

  pixel(p) {
    const [x, y] = this.shift;
    return [this.width / 2 + (p[0] - this.middle[0] - x) * this.scale,
      this.height / 2 - (p[1] - this.middle[1] - y) * this.scale];
  }

  polygon(points, fill, stroke, width = 1.5, closed = true) {
    const c = this.to;
    c.beginPath();
    points.forEach((p, i) => { const [x, y] = this.pixel(p); if (i) c.lineTo(x, y); else c.moveTo(x, y); });
    if (closed) c.closePath();
    c.lineWidth = width;
    if (fill) { c.fillStyle = fill; c.fill(); }
    if (stroke) { c.strokeStyle = stroke; c.stroke(); }
  }

  disk(p, radius, fill, stroke, angle = null) {
    const c = this.to, [x, y] = this.pixel(p), r = Math.max(Math.abs(radius) * this.scale, 1);
    c.beginPath();
    c.arc(x, y, r, 0, 2 * Math.PI);
    if (angle !== null) { c.moveTo(x, y); c.lineTo(x + r * Math.cos(angle), y - r * Math.sin(angle)); }
    c.lineWidth = 1.5;
    if (fill) { c.fillStyle = fill; c.fill(); }
    if (stroke) { c.strokeStyle = stroke; c.stroke(); }
  }

  ring(p, stroke) {
    const c = this.to, [x, y] = this.pixel(p);
    c.beginPath();
    c.arc(x, y, SMALL + 2, 0, 2 * Math.PI);
    c.lineWidth = 1.5;
    c.strokeStyle = stroke;
    c.stroke();
  }

  arrow(p, v, stroke) {
    const c = this.to, [x, y] = this.pixel(p), l = Math.hypot(v[0], v[1]);
    if (l < 2) return;
    const ex = x + v[0], ey = y - v[1], head = Math.min(8, l / 2), ux = v[0] / l, uy = -v[1] / l;
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(ex, ey);
    c.moveTo(ex - head * (ux + 0.5 * uy), ey - head * (uy - 0.5 * ux));
    c.lineTo(ex, ey);
    c.lineTo(ex - head * (ux - 0.5 * uy), ey - head * (uy + 0.5 * ux));
    c.lineWidth = 2;
    c.strokeStyle = stroke;
    c.stroke();
  }

  part(pose, p, fill, stroke) {
    const world = list => list.map(x => place(pose, inBody(p, x)));
    const turned = Math.atan2(pose[6], pose[3]);
    if (p.kind === DISK) this.disk(world([[0, 0]])[0], p.size[0], fill, stroke, turned);
    else if (p.kind === RECTANGLE) {
      const [a, b] = p.size;
      this.polygon(world([[-a, -b], [a, -b], [a, b], [-a, b]]), fill, stroke);
    } else if (p.kind === POLYGON) this.polygon(world(hull2(p.corner)), fill, stroke);
    else if (p.kind === HALFPLANE) {
      const far = 3 * (this.width + this.height) / this.scale;
      this.polygon(world([[-far, 0], [far, 0], [far, -far], [-far, -far]]), colour("floor"), colour("dim"));
    }
  }

  draw(time, show) {
    const canvas = this.canvas, box = canvas.parentElement.getBoundingClientRect();
    const pen = new CanvasPen(canvas, box.width, box.height), m = this.motion, now = m.at(time);
    this.to = pen.to;
    this.fit(box.width, box.height);
    const fixed = facts.bodies.filter(b => !b.moves), moving = facts.bodies.filter(b => b.moves);
    for (const b of fixed) for (const p of b.parts) this.part(b.pose, p, colour("floor"), colour("dim"));
    if (show.trails) this.trails(time);
    moving.forEach((b, k) => {
      for (const p of b.parts) this.part(m.poseOf(b, now), p, withAlpha(colourOf(k), 0.35), colourOf(k));
    });
    facts.drawings.forEach((d, k) => {
      for (let i = 0; i < d.members; i++) this.drawing(d, m.argumentsOf(d, i, now), k, show);
    });
    if (show.forces)
      for (const [p, f] of m.contacts()) this.arrow(p, f.map(v => v * box.height * 0.25), colour("bad"));
    for (const [p, tint] of m.small(now, q => this.pixel(q))) this.ring(p, tint);
    this.rule(pen);
  }

  trails(time) {
    facts.drawings.forEach((d, k) => {
      if (d.shape !== "trail") return;
      for (let i = 0; i < d.members; i++)
        this.polygon(this.motion.trail(d, i, time), "", withAlpha(colourOf(k), 0.7), 1.3, false);
    });
  }

  drawing(d, a, k, show) {
    const ink = colour("ink"), own = colourOf(k);
    if (d.shape === "line") this.polygon(a, "", ink, 2.5, false);
    else if (d.shape === "polygon") this.polygon(a, withAlpha(own, 0.35), own);
    else if (d.shape === "disk" || d.shape === "sphere") this.disk(a[0], a[1][0], withAlpha(own, 0.45), own);
    else if (d.shape === "circle") this.disk(a[0], a[1][0], "", own);
    else if (d.shape === "box") {
      const angle = a[2] ? a[2][0] : 0, c = Math.cos(angle), s = Math.sin(angle), [w, h] = a[1].map(x => x / 2);
      const corner = (x, y) => [a[0][0] + c * x - s * y, a[0][1] + s * x + c * y];
      this.polygon([corner(-w, -h), corner(w, -h), corner(w, h), corner(-w, h)], withAlpha(own, 0.35), own);
    } else if (d.shape === "spring") this.polygon(zigzag(a[0], a[1], a[2] ? a[2][0] / 2 : this.motion.size * 0.03), "",
      own, 1.6, false);
    else if (d.shape === "damper") this.damper(a[0], a[1], a[2] ? a[2][0] / 2 : this.motion.size * 0.025, own);
    else if (d.shape === "arrow" && show.forces && this.motion.longest() > 0) {
      const scale = this.height * 0.25 / this.motion.longest();
      this.arrow(a[0], a[1].map(v => v * scale), colour("bad"));
    } else if (d.shape === "text") {
      const [x, y] = this.pixel(a[0]), c = this.to;
      c.fillStyle = ink;
      c.textAlign = "center";
      c.textBaseline = "middle";
      c.font = "13px system-ui, sans-serif";
      c.fillText(d.text || shown(a[1][0]), x, y);
    } else if (d.shape === "trail") this.disk(a[0], 2.5 / this.scale, own, "");
  }

  damper(a, b, wide, stroke) {
    const dx = b[0] - a[0], dy = b[1] - a[1], l = Math.hypot(dx, dy) || 1, nx = -dy / l * wide, ny = dx / l * wide;
    const on = s => [a[0] + s * dx, a[1] + s * dy], side = (s, k) => [on(s)[0] + k * nx, on(s)[1] + k * ny];
    this.polygon([a, on(0.35)], "", stroke, 1.6, false);
    this.polygon([side(0.65, 1), side(0.35, 1), side(0.35, -1), side(0.65, -1)], "", stroke, 1.6, false);
    this.polygon([side(0.55, 0.8), side(0.55, -0.8)], "", stroke, 1.6, false);
    this.polygon([on(0.55), b], "", stroke, 1.6, false);
  }

  /** A length to compare with. */
  rule(pen) {
    const rough = 90 / this.scale, power = 10 ** Math.floor(Math.log10(rough));
    const l = [1, 2, 5].map(k => k * power).reverse().find(k => k <= rough) || power, y = this.height - 14;
    pen.path([14, y - 3, 14, y, 14 + l * this.scale, y, 14 + l * this.scale, y - 3], colour("dim"), 1);
    pen.text(14 + l * this.scale / 2, y - 9, shown(l), colour("dim"));
  }
}

function withAlpha(hex, alpha) {
  const v = [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
  return `rgba(${v.join(",")},${alpha})`;
}
