// The motion for other programs: as a film (WebM, by the browser's own encoder), and as bodies that move (glTF 2.0, by
// the specification of the Khronos Group), for Blender and others.
let filming = null;

// The last picture stands so long (ms): an encoder that lags behind would lose it, and of a short run every picture.
const lastStands = 500;

/** Plays the run once from its begin, at the speed that is set, and gives the film to be saved. */
function film() {
  if (filming) { filming.stop(); return; }
  const lines = at("lines"), solids = at("solids"), parts = [], kinds = ["video/webm;codecs=vp9", "video/webm"];
  const canvas = make("canvas", { width: lines.width, height: lines.height }), to = canvas.getContext("2d");
  const kind = kinds.find(k => window.MediaRecorder && MediaRecorder.isTypeSupported(k));
  if (!kind) { complain("This browser records no films."); return; }
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: kind });
  recorder.ondataavailable = e => parts.push(e.data);
  recorder.onstop = () => {
    page.filmed = parts.reduce((sum, p) => sum + p.size, 0);
    save(facts.model + ".webm", new Blob(parts, { type: "video/webm" }));
  };
  filming = {
    picture: () => {
      to.fillStyle = colour("paper");
      to.fillRect(0, 0, canvas.width, canvas.height);
      for (const from of [solids, lines]) if (from.width) to.drawImage(from, 0, 0, canvas.width, canvas.height);
    },
    stop: () => {
      const { picture } = filming, again = setInterval(picture, 50);
      filming = null;
      at("film").textContent = "Film";
      play(false);
      setTimeout(() => { clearInterval(again); recorder.stop(); }, lastStands);
    } };
  at("film").textContent = "End the film";
  now = motion.begin;
  showMotion();
  filming.picture();
  recorder.start();
  play(true);
}

/** Quaternion x, y, z, w of a rotation by rows. */
function quaternion(r) {
  const t = [r[0] - r[4] - r[8], r[4] - r[0] - r[8], r[8] - r[0] - r[4], r[0] + r[4] + r[8]];
  const k = t.indexOf(Math.max(...t)), s = Math.sqrt(Math.max(0, 1 + t[k])) / 2, d = 1 / (4 * s || 1);
  const off = [r[7] - r[5], r[2] - r[6], r[3] - r[1]], sum = [r[1] + r[3], r[2] + r[6], r[5] + r[7]];
  if (k === 3) return [...off.map(v => v * d), s];
  if (k === 0) return [s, sum[0] * d, sum[1] * d, off[0] * d];
  if (k === 1) return [sum[0] * d, s, sum[2] * d, off[1] * d];
  return [sum[1] * d, sum[2] * d, s, off[2] * d];
}

/** Bodies with shapes as nodes, their motion as an animation; the z axis of the model is up, which is y there. */
function gltf(motion) {
  const bytes = [], views = [], accessors = [], meshes = [], nodes = [], made = new Map();
  let size = 0;
  const numbers = (data, type, target, ends) => {
    const width = { SCALAR: 1, VEC3: 3, VEC4: 4 }[type], n = data.length / width;
    const extreme = f => [...Array(width).keys()].map(k => {
      let v = data[k];
      for (let i = 1; i < n; i++) v = f(v, data[i * width + k]);
      return v;
    });
    views.push({ buffer: 0, byteOffset: size, byteLength: 4 * data.length, ...(target ? { target } : {}) });
    accessors.push({ bufferView: views.length - 1, componentType: 5126, count: n, type,
      ...(ends ? { min: extreme(Math.min), max: extreme(Math.max) } : {}) });
    bytes.push(new Uint8Array(data.buffer, data.byteOffset, 4 * data.length));
    size += 4 * data.length;
    return accessors.length - 1;
  };
  const shape = (name, makeMesh, material) => {
    if (!made.has(name)) {
      const m = makeMesh(), n = new Float32Array(m.normal.length);
      for (let i = 0; i < n.length; i += 3) n.set(unit(Array.from(m.normal.subarray(i, i + 3))), i);
      made.set(name, [numbers(m.place, "VEC3", 34962, true), numbers(n, "VEC3", 34962, false)]);
    }
    const [POSITION, NORMAL] = made.get(name);
    meshes.push({ primitives: [{ attributes: { POSITION, NORMAL }, material }] });
    return meshes.length - 1;
  };
  const bodies = facts.bodies.filter(b => b.parts.some(p => meshesOf(p, "").length)), roots = [], samplers = [],
    channels = [];
  const materials = bodies.map((b, i) => ({ name: b.name, doubleSided: true, pbrMetallicRoughness: {
    baseColorFactor: [...rgb(b.moves ? colourOf(i) : colour("floor")), 1], metallicFactor: 0,
    roughnessFactor: 0.7 } }));
  const add = node => nodes.push(node) - 1, times = motion.time.length ? Float32Array.from(motion.time) : null;
  const input = times ? numbers(times, "SCALAR", 0, true) : -1;
  bodies.forEach((b, i) => {
    const children = b.parts.flatMap((p, k) => meshesOf(p, `hull ${i} ${k}`).map(([name, makeMesh, place, scale]) =>
      add({ mesh: shape(name, makeMesh, i), translation: inBody(p, place), rotation: quaternion(p.turn), scale })));
    const first = motion.poseOf(b, motion.values.subarray(0, motion.width));
    const node = add({ name: b.name, children, translation: Array.from(first.slice(0, 3)),
      rotation: quaternion(first.slice(3, 12)) });
    roots.push(node);
    if (!b.moves || !times) return;
    const move = new Float32Array(3 * times.length), turn = new Float32Array(4 * times.length);
    for (let k = 0, last = [0, 0, 0, 1]; k < times.length; k++) {
      const pose = motion.poseOf(b, motion.values.subarray(k * motion.width, (k + 1) * motion.width));
      let q = quaternion(pose.slice(3, 12));
      if (q.reduce((sum, v, j) => sum + v * last[j], 0) < 0) q = q.map(v => -v);            // the shorter way
      move.set(pose.slice(0, 3), 3 * k);
      turn.set(last = q, 4 * k);
    }
    for (const [path, data, type] of [["translation", move, "VEC3"], ["rotation", turn, "VEC4"]]) {
      samplers.push({ input, output: numbers(data, type, 0, false), interpolation: "LINEAR" });
      channels.push({ sampler: samplers.length - 1, target: { node, path } });
    }
  });
  const root = add({ name: facts.model, children: roots, rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] });
  let raw = "";
  for (const part of bytes) for (let i = 0; i < part.length; i += 8192)
    raw += String.fromCharCode(...part.subarray(i, i + 8192));
  return JSON.stringify({ asset: { version: "2.0", generator: `nsm ${facts.version}` }, scene: 0,
    scenes: [{ name: facts.model, nodes: [root] }], nodes, meshes, materials, accessors, bufferViews: views,
    buffers: [{ byteLength: size, uri: "data:application/octet-stream;base64," + btoa(raw) }],
    ...(channels.length ? { animations: [{ name: "run", samplers, channels }] } : {}) });
}
