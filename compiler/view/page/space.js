// The motion in space: solids by WebGL with a light, all that is a line on a canvas above them.
const vertexText = `
attribute vec3 place, normal;
uniform mat4 toScreen;
uniform mat3 turn;
uniform vec3 at, size;
varying vec3 n, p;
void main() {
  p = at + turn * (place * size);
  n = turn * (normal / max(size, vec3(1e-9)));
  gl_Position = toScreen * vec4(p, 1.0);
}`;
const fragmentText = `
precision mediump float;
uniform vec3 tint, eye;
uniform float squares;
varying vec3 n, p;
void main() {
  vec3 d = normalize(n), l = normalize(vec3(0.35, -0.5, 0.8)), v = normalize(eye - p);
  if (dot(d, v) < 0.0) d = -d;
  float light = 0.42 + 0.5 * max(dot(d, l), 0.0) + 0.12 * pow(max(dot(reflect(-l, d), v), 0.0), 16.0);
  vec3 c = tint;
  if (squares > 0.0) {
    vec2 s = floor(p.xy / squares);
    if (mod(s.x + s.y, 2.0) > 0.5) c *= 0.9;
    light = 0.95;
  }
  gl_FragColor = vec4(c * light, 1.0);
}`;

// ---- meshes: triangles with normals ---------------------------------------------------------------------------------
function meshOf(triangles) {
  const place = [], normal = [];
  for (const [a, b, c, smooth] of triangles) {
    const u = b.map((v, i) => v - a[i]), w = c.map((v, i) => v - a[i]), n = cross(u, w);
    for (const p of [a, b, c]) { place.push(...p); normal.push(...(smooth ? smooth(p) : n)); }
  }
  return { place: new Float32Array(place), normal: new Float32Array(normal) };
}

const cross = (u, w) => [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
const dot = (u, w) => u[0] * w[0] + u[1] * w[1] + u[2] * w[2];
const minus = (u, w) => [u[0] - w[0], u[1] - w[1], u[2] - w[2]];
const unit = u => { const l = Math.hypot(...u) || 1; return u.map(v => v / l); };

function sphereMesh(around = 24, up = 14) {
  const out = [], p = (i, k) => {
    const a = 2 * Math.PI * i / around, b = Math.PI * k / up - Math.PI / 2;
    return [Math.cos(a) * Math.cos(b), Math.sin(a) * Math.cos(b), Math.sin(b)];
  };
  for (let i = 0; i < around; i++)
    for (let k = 0; k < up; k++)
      out.push([p(i, k), p(i + 1, k), p(i + 1, k + 1), q => q], [p(i, k), p(i + 1, k + 1), p(i, k + 1), q => q]);
  return meshOf(out);
}

function cylinderMesh(around = 28, caps = true) {
  const out = [], p = (i, z) => [Math.cos(2 * Math.PI * i / around), Math.sin(2 * Math.PI * i / around), z];
  const side = q => [q[0], q[1], 0];
  for (let i = 0; i < around; i++) {
    out.push([p(i, -1), p(i + 1, -1), p(i + 1, 1), side], [p(i, -1), p(i + 1, 1), p(i, 1), side]);
    if (caps) out.push([[0, 0, 1], p(i, 1), p(i + 1, 1)], [[0, 0, -1], p(i + 1, -1), p(i, -1)]);
  }
  return meshOf(out);
}

function boxMesh() {
  const out = [];
  for (let axis = 0; axis < 3; axis++)
    for (const s of [-1, 1]) {
      const p = (u, v) => { const q = [0, 0, 0]; q[axis] = s; q[(axis + 1) % 3] = u * s; q[(axis + 2) % 3] = v;
        return q; };
      out.push([p(-1, -1), p(1, -1), p(1, 1)], [p(-1, -1), p(1, 1), p(-1, 1)]);
    }
  return meshOf(out);
}

/** The convex hull of corners, point by point: faces that see a new point go, its horizon is joined to it. */
function hullMesh(corner) {
  const p = [];
  for (let i = 0; i < corner.length; i += 3) p.push(corner.slice(i, i + 3));
  const size = Math.max(...p.map(q => Math.hypot(...minus(q, p[0])))) || 1, tiny = 1e-9 * size;
  const normal = f => unit(cross(minus(p[f[1]], p[f[0]]), minus(p[f[2]], p[f[0]])));
  const far = (list, value) => list.reduce((a, b) => value(b) > value(a) ? b : a);
  const all = p.map((_, i) => i), a = 0, b = far(all, i => Math.hypot(...minus(p[i], p[a])));
  const c = far(all, i => Math.hypot(...cross(minus(p[b], p[a]), minus(p[i], p[a]))));
  const n = normal([a, b, c]), d = far(all, i => Math.abs(dot(n, minus(p[i], p[a]))));
  const up = dot(n, minus(p[d], p[a])) > 0;
  let faces = up ? [[a, c, b], [a, b, d], [b, c, d], [c, a, d]] : [[a, b, c], [b, a, d], [c, b, d], [a, c, d]];
  for (const i of all) {
    if (i === a || i === b || i === c || i === d) continue;
    const seen = faces.filter(f => dot(normal(f), minus(p[i], p[f[0]])) > tiny);
    if (!seen.length) continue;
    const edges = seen.flatMap(f => [[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]]);
    const horizon = edges.filter(([u, v]) => !edges.some(([x, y]) => x === v && y === u));
    faces = faces.filter(f => !seen.includes(f)).concat(horizon.map(([u, v]) => [u, v, i]));
  }
  return meshOf(faces.map(f => f.map(i => p[i])));
}

/** A part of a body as meshes: [[name, what makes it, place in the part, size]]; half-spaces have none. */
function meshesOf(p, key) {
  const [a, b, c] = p.size, o = [0, 0, 0];
  if (p.kind === SPHERE) return [["sphere", sphereMesh, o, [a, a, a]],
    ["belt", () => cylinderMesh(28, false), o, [a * 1.004, a * 1.004, a * 0.06]]];
  if (p.kind === BOX) return [["box", boxMesh, o, [a, b, c]]];
  if (p.kind === CYLINDER) return [["cylinder", cylinderMesh, o, [a, a, b]]];
  if (p.kind === DISK) return [["cylinder", cylinderMesh, o, [a, a, a * 0.02]]];
  if (p.kind === RECTANGLE) return [["box", boxMesh, o, [a, b, 0.02 * Math.min(a, b)]]];
  if (p.kind === CAPSULE) return [["cylinder", cylinderMesh, o, [a, a, b]],
    ...[b, -b].map(z => ["sphere", sphereMesh, [0, 0, z], [a, a, a]])];
  return p.kind === CONVEX ? [[key, () => hullMesh(p.corner), o, [1, 1, 1]]] : [];
}

// ---- matrices, by columns -------------------------------------------------------------------------------------------
function times(a, b) {
  const out = new Float32Array(16);
  for (let i = 0; i < 4; i++)
    for (let j = 0; j < 4; j++) for (let k = 0; k < 4; k++) out[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return out;
}

const product = (a, b) => {                                 // 3 x 3, by rows
  const out = new Array(9).fill(0);
  for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) for (let k = 0; k < 3;
    k++) out[3 * i + j] += a[3 * i + k] * b[3 * k + j];
  return out;
};

/** A rotation (by rows) that takes the z axis to d. */
function along(d) {
  const z = unit(d), x = unit(Math.abs(z[2]) < 0.9 ? cross([0, 0, 1], z) : cross([1, 0, 0], z)), y = cross(z, x);
  return [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
}

const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255);

class Space {
  constructor(motion, solids, lines) {
    this.motion = motion;
    this.solids = solids;
    this.canvas = lines;
    this.gl = solids.getContext("webgl", { antialias: true, preserveDrawingBuffer: true });
    this.meshes = new Map();
    this.shift = [0, 0, 0];                                // of the camera, with what it follows
    if (this.gl) this.prepare();
    this.reset();
  }

  reset() {
    this.yaw = -0.9;
    this.pitch = 0.42;
    this.zoom = 1;
  }

  turn(dx, dy) {
    this.yaw -= dx * 0.008;
    this.pitch = Math.min(Math.max(this.pitch + dy * 0.008, -1.5), 1.5);
  }

  prepare() {
    const gl = this.gl, shader = (kind, text) => {
      const s = gl.createShader(kind);
      gl.shaderSource(s, text);
      gl.compileShader(s);
      return s;
    };
    const program = this.program = gl.createProgram();
    gl.attachShader(program, shader(gl.VERTEX_SHADER, vertexText));
    gl.attachShader(program, shader(gl.FRAGMENT_SHADER, fragmentText));
    gl.linkProgram(program);
    gl.useProgram(program);
    gl.enable(gl.DEPTH_TEST);
    this.place = gl.getAttribLocation(program, "place");
    this.normal = gl.getAttribLocation(program, "normal");
    this.uniform = {};
    for (const name of ["toScreen", "turn", "at", "size", "tint", "eye", "squares"])
      this.uniform[name] = gl.getUniformLocation(program, name);
  }

  mesh(name, make) {
    if (!this.meshes.has(name)) {
      const gl = this.gl, m = make(), buffer = data => {
        const b = gl.createBuffer();
        gl.bindBuffer(gl.ARRAY_BUFFER, b);
        gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
        return b;
      };
      this.meshes.set(name, { place: buffer(m.place), normal: buffer(m.normal), n: m.place.length / 3 });
    }
    return this.meshes.get(name);
  }

  solid(mesh, at, turn, size, tint, squares = 0) {
    const gl = this.gl;
    if (!gl) return;
    const u = this.uniform, r = turn;
    gl.uniform3fv(u.at, at);
    gl.uniform3fv(u.size, size);
    gl.uniform3fv(u.tint, tint);
    gl.uniform1f(u.squares, squares);
    gl.uniformMatrix3fv(u.turn, false, [r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]]);
    for (const [where, buffer] of [[this.place, mesh.place], [this.normal, mesh.normal]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(where);
      gl.vertexAttribPointer(where, 3, gl.FLOAT, false, 0, 0);
    }
    gl.drawArrays(gl.TRIANGLES, 0, mesh.n);
  }

  camera(width, height) {
    const m = this.motion, middle = m.lo.map((v, i) => (v + m.hi[i]) / 2 + this.shift[i]);
    const radius = Math.hypot(...minus(m.hi, m.lo)) / 2 || 1;
    const away = 2.75 * radius / Math.min(1, width / height) / this.zoom;
    const from = [Math.cos(this.yaw) * Math.cos(this.pitch), Math.sin(this.yaw) * Math.cos(this.pitch),
      Math.sin(this.pitch)];
    this.middle = middle;
    this.eye = middle.map((v, i) => v + away * from[i]);
    const z = unit(from), x = unit(cross([0, 0, 1], z)), y = cross(z, x), f = 1 / Math.tan(0.4);
    const near = away * 0.02, farthest = away + 40 * radius;
    const look = [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
      -dot(x, this.eye), -dot(y, this.eye), -dot(z, this.eye), 1];
    const lens = [f * height / width, 0, 0, 0, 0, f, 0, 0, 0, 0, (farthest + near) / (near - farthest), -1,
      0, 0, 2 * farthest * near / (near - farthest), 0];
    this.toScreen = times(lens, look);
    this.width = width;
    this.height = height;
    this.radius = radius;
  }

  pixel(p) {
    const m = this.toScreen, q = [p[0], p[1], p[2] || 0, 1], c = [0, 1, 2, 3].map(i =>
      m[i] * q[0] + m[4 + i] * q[1] + m[8 + i] * q[2] + m[12 + i] * q[3]);
    return [this.width * (0.5 + 0.5 * c[0] / c[3]), this.height * (0.5 - 0.5 * c[1] / c[3])];
  }

  part(pose, p, tint, key) {
    const turn = product(Array.from(pose.slice(3, 12)), p.turn);
    if (p.kind === HALFSPACE) this.plane(place(pose, p.at), turn, tint);
    for (const [name, make, at, size] of meshesOf(p, key))
      this.solid(this.mesh(name, make), place(pose, inBody(p, at)), turn, size, tint);
  }

  /** The surface of a half-space: a piece of it in front of what moves, where one looks from outside. */
  plane(at, turn, tint) {
    const normal = [turn[2], turn[5], turn[8]], level = Math.abs(normal[2]) > 0.7,
      size = (level ? 5 : 1.3) * this.radius;
    if (dot(normal, minus(this.eye, at)) <= 0) return;
    const off = dot(normal, minus(this.middle, at)), middle = this.middle.map((v, i) => v - off * normal[i]);
    const flat = [[[-1, -1, 0], [1, -1, 0], [1, 1, 0]], [[-1, -1, 0], [1, 1, 0], [-1, 1, 0]]];
    const square = level ? 10 ** Math.round(Math.log10(this.radius)) / 2 : 0;
    this.solid(this.mesh("flat", () => meshOf(flat)), middle, turn, [size, size, 1], tint, square);
  }

  rod(a, b, radius, tint) {
    const d = minus(b, a), l = Math.hypot(...d);
    if (l > 0) this.solid(this.mesh("cylinder", cylinderMesh), a.map((v, i) => (v + b[i]) / 2), along(d),
      [radius, radius, l / 2], tint);
  }

  ring(p, stroke) {
    const [x, y] = this.pixel(p), turn = [...Array(33).keys()].map(i => i * Math.PI / 16);
    this.pen.path(turn.flatMap(t => [x + (SMALL + 2) * Math.cos(t), y + (SMALL + 2) * Math.sin(t)]), stroke, 1.5);
  }

  line(points, stroke, width = 1.5) {
    this.pen.path(points.flatMap(p => this.pixel(p)), stroke, width);
  }

  arrow(p, v, stroke) {
    const l = Math.hypot(...v);
    if (l < this.radius * 0.01) return;
    const end = p.map((x, i) => x + v[i]), [ax, ay] = this.pixel(p), [bx, by] = this.pixel(end);
    const d = Math.hypot(bx - ax, by - ay) || 1, ux = (bx - ax) / d, uy = (by - ay) / d, h = Math.min(8, d / 2);
    this.pen.path([ax, ay, bx, by], stroke, 2);
    this.pen.path([bx - h * (ux + 0.5 * uy), by - h * (uy - 0.5 * ux), bx, by, bx - h * (ux - 0.5 * uy),
      by - h * (uy + 0.5 * ux)], stroke, 2);
  }

  draw(time, show) {
    const box = this.canvas.parentElement.getBoundingClientRect(), m = this.motion, now = m.at(time), gl = this.gl;
    this.pen = new CanvasPen(this.canvas, box.width, box.height);
    this.camera(box.width, box.height);
    if (gl) {
      const scale = window.devicePixelRatio || 1, back = rgb(colour("paper"));
      if (this.solids.width !== Math.round(box.width * scale)) this.solids.width = Math.round(box.width * scale);
      if (this.solids.height !== Math.round(box.height * scale)) this.solids.height = Math.round(box.height * scale);
      gl.viewport(0, 0, this.solids.width, this.solids.height);
      gl.clearColor(back[0], back[1], back[2], 1);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.uniformMatrix4fv(this.uniform.toScreen, false, this.toScreen);
      gl.uniform3fv(this.uniform.eye, this.eye);
    } else this.pen.text(box.width / 2, 20, "This browser shows no WebGL: solids are left out.", colour("bad"));
    let k = 0;
    facts.bodies.forEach((b, i) => {
      const tint = rgb(b.moves ? colourOf(k++) : colour("floor"));
      b.parts.forEach((p, n) => this.part(m.poseOf(b, now), p, tint, `hull ${i} ${n}`));
    });
    facts.drawings.forEach((d, n) => {
      for (let i = 0; i < d.members; i++) this.drawing(d, i, m.argumentsOf(d, i, now), n, time, show);
    });
    if (show.forces)
      for (const [p, f] of m.contacts()) this.arrow(p, f.map(v => v * this.radius * 0.7), colour("bad"));
    for (const [p, tint] of m.small(now, q => this.pixel(q))) this.ring(p, tint);
    this.rule();
  }

  /** Axes of the world, as long as the number says, in the middle of the picture's lower left. */
  rule() {
    const l = 10 ** Math.floor(Math.log10(0.5 * this.radius / this.zoom)), [ox, oy] = this.pixel(this.middle);
    const to = [46, this.height - 40];
    ["x", "y", "z"].forEach((name, i) => {
      const [x, y] = this.pixel(this.middle.map((v, k) => v + (k === i ? l : 0))), dx = x - ox, dy = y - oy;
      this.pen.path([to[0], to[1], to[0] + dx, to[1] + dy], colour("dim"), 1.5);
      const far = Math.hypot(dx, dy) || 1;
      this.pen.text(to[0] + dx * (1 + 8 / far), to[1] + dy * (1 + 8 / far), name, colour("dim"));
    });
    this.pen.text(to[0], this.height - 10, `${shown(l)} m`, colour("dim"));
  }

  drawing(d, member, a, k, time, show) {
    const own = colourOf(k), tint = rgb(own), thin = this.radius * 0.012, flat = p => [p[0], p[1], p[2] || 0];
    const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    if (d.shape === "line") for (let i = 1; i < a.length; i++) this.rod(flat(a[i - 1]), flat(a[i]), thin,
      rgb(colour("dim")));
    else if (d.shape === "polygon") this.line([...a, a[0]], own);
    else if (d.shape === "sphere" || d.shape === "disk")
      this.solid(this.mesh("sphere", sphereMesh), flat(a[0]), identity, [a[1][0], a[1][0], a[1][0]], tint);
    else if (d.shape === "circle") {
      const turn = [...Array(49).keys()].map(i => i * Math.PI / 24);
      this.line(turn.map(t => [a[0][0] + a[1][0] * Math.cos(t), a[0][1] + a[1][0] * Math.sin(t), a[0][2] || 0]), own);
    } else if (d.shape === "box") {
      const angle = a[2] && a[2].length === 1 ? a[2][0] : 0, c = Math.cos(angle), s = Math.sin(angle);
      const turn = a[2] && a[2].length === 9 ? a[2] : [c, -s, 0, s, c, 0, 0, 0, 1];
      this.solid(this.mesh("box", boxMesh), flat(a[0]), turn, flat(a[1]).map(x => (x || thin) / 2), tint);
    } else if (d.shape === "spring" || d.shape === "damper") {
      const from = flat(a[0]), to = flat(a[1]), r = along(minus(to, from)),
        wide = a[2] ? a[2][0] / 2 : this.radius * 0.05;
      const coil = [...Array(121).keys()].map(i => {
        const s = i / 120, w = s < 0.1 || s > 0.9 || d.shape === "damper" ? 0 : wide, t = s * 18 * Math.PI;
        return from.map((v, j) => v + s * (to[j] - v) + w * (Math.cos(t) * r[3 * j] + Math.sin(t) * r[3 * j + 1]));
      });
      this.line(coil, own, 1.4);
    } else if (d.shape === "trail") {
      if (show.trails) this.line(this.motion.trail(d, member, time), withAlpha(own, 0.8), 1.3);
    } else if (d.shape === "arrow" && show.forces && this.motion.longest() > 0)
      this.arrow(flat(a[0]), flat(a[1]).map(v => v * this.radius * 0.7 / this.motion.longest()), colour("bad"));
    else if (d.shape === "text") {
      const [x, y] = this.pixel(a[0]);
      this.pen.text(x, y, d.text || shown(a[1][0]), colour("ink"));
    }
  }
}
