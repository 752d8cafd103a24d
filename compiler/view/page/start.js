// The page as a whole: everything is built from the facts, and again when a run on the server made new ones.
let editor = null, motion = null, scene = null, marks = [], playing = false, now = 0, lastFrame = 0;

/** What happened, in one line. */
function happened() {
  if (facts.motion) return facts.motion;
  const many = (n, what) => n ? [`${n} ${what}${n === 1 ? "" : "s"}`] : [], e = facts.energy, c = facts.claims;
  const said = [facts.steps < facts.stepsTotal ? `ended at t = ${shown(facts.time)} s, before its end`
    : `ran to t = ${shown(facts.time)} s`, ...many(facts.impacts, "impact"), ...many(facts.events, "event")];
  if (e) {
    const size = Math.max(Math.abs(e.initial), Math.abs(e.final), Math.abs(e.forces));
    const ways = [["impacts", e.contacts - e.friction], ["friction", e.friction], ["dampers", e.dampers]];
    const lost = ways.filter(([, x]) => Math.abs(x) > 1e-9 * size).map(([name, x]) => `${brief(x)} J to ${name}`);
    if (Math.abs(e.forces) > 1e-9 * size) lost.push(`${brief(e.forces)} J from forces`);
    said.push(`energy ${brief(e.initial)} → ${brief(e.final)} J${lost.length ? ` (${lost.join(", ")})` : ""}`);
  }
  if (facts.residual > 0) said.push(`laws hold to ${facts.residual.toExponential(0)} in each step`);
  const hold = c.filter(x => x.outcome === "holds").length, known = c.filter(x => x.outcome !== "not checked").length;
  if (known) said.push(`${hold} of ${known} claims hold`);
  return said.join("; ") + `. ${facts.steps} steps of ${facts.scheme} in ${brief(facts.seconds)} s.`;
}

function showState() {
  document.title = facts.model + " · nsm";
  at("name").textContent = facts.model;
  at("status").textContent = facts.status;
  at("status").classList.toggle("bad", facts.status !== "ok");
  at("summary").textContent = happened();
  at("message").hidden = !facts.message;
  at("message").textContent = facts.message;
  const packed = !answer && document.querySelector("[data-packed]");
  at("kept").hidden = !facts.kept && !packed;
  at("kept").textContent = facts.kept ? `Of ${facts.rows} rows this page keeps about ${facts.kept} numbers of each ` +
    "column, the smallest and the largest of each part, so that it stays below 3 MB. nsm view --full keeps all; " +
    "--record A,B makes a page of fewer columns, with more of each." : "Numbers of this page are within a millionth " +
    "of the range of their column; nsm view --full keeps all digits.";
  at("foot").textContent = `Made by nsm ${facts.version} from ${facts.path}.`;
}

// ---- motion ---------------------------------------------------------------------------------------------------------
function showMotion() {
  if (!scene) return;
  scene.shift = motion.shift(Number(at("follow").value), now);
  scene.draw(now, { forces: at("forces").checked, trails: at("trails").checked });
  at("clock").textContent = `t = ${now.toPrecision(4)} s`;
  const span = motion.end - motion.begin || 1;
  at("scrub").value = String(1000 * (now - motion.begin) / span);
}

function frame(stamp) {
  if (!playing) return;
  const speed = Number(at("speed").value), passed = Math.min((stamp - lastFrame) / 1000, 0.1);
  lastFrame = stamp;
  now += passed * speed;
  if (now > motion.end) {
    if (filming) { filming.stop(); return; }
    now = motion.begin;
  }
  showMotion();
  if (filming) filming.picture();
  setCursor(now);
  requestAnimationFrame(frame);
}

function play(on) {
  playing = on;
  at("play").textContent = on ? "Pause" : "Play";
  if (!on) return;
  lastFrame = performance.now();
  requestAnimationFrame(frame);
}

/** Speeds 1, 2, 5, ... times real time; at first one with which the run takes about ten seconds. */
function speeds() {
  const span = motion.end - motion.begin || 1, wish = span / 10, list = [];
  for (let k = -5; k <= 4; k++) for (const m of [1, 2, 5]) list.push(m * 10 ** k);
  const best = span <= 20 && span >= 3 ? 1 : list.reduce((a,
    b) => Math.abs(Math.log(b / wish)) < Math.abs(Math.log(a / wish)) ? b : a);
  const near = [...new Set([...list.filter(s => s >= best / 25 && s <= best * 25), 1])].sort((a, b) => a - b);
  at("speed").replaceChildren(...near.map(s => make("option", { value: s, selected: s === best },
    s === 1 ? "real time" : shown(s) + " ×")));
}

function buildMotion(keep) {
  motion = new Motion();
  const names = motion.followed().map(([name]) => name), was = at("follow").value;
  at("follow").replaceChildren(...["nothing", ...names].map((name, i) => make("option", { value: i - 1 }, name)));
  at("follow").value = keep && Number(was) < names.length ? was : "-1";
  at("model3d").hidden = !facts.bodies.some(b => b.parts.length);
  const has = motion.present && motion.time.length > 0;
  at("motion").hidden = !has;
  document.querySelector("main").classList.toggle("still", !has);
  if (!has) { scene = null; return; }
  const old = keep ? scene : null;
  if (old && old instanceof Space === motion.spatial) {
    scene.motion = motion;
    if (scene.meshes) for (const key of [...scene.meshes.keys()]) if (key.startsWith("hull")) scene.meshes.delete(key);
  } else scene = motion.spatial ? new Space(motion, at("solids"), at("lines")) : new Plane(motion, at("lines"));
  if (!keep) speeds();
  now = Math.min(Math.max(keep ? now : motion.begin, motion.begin), motion.end);
  showMotion();
}

function listenToMotion() {
  at("play").addEventListener("click", () => play(!playing));
  at("scrub").addEventListener("input", () => {
    now = motion.begin + Number(at("scrub").value) / 1000 * (motion.end - motion.begin);
    showMotion();
    setCursor(now);
  });
  for (const id of ["forces", "trails"]) at(id).addEventListener("change", showMotion);
  at("follow").addEventListener("change", showMotion);
  at("film").addEventListener("click", () => film());
  at("model3d").addEventListener("click", () => download(facts.model + ".gltf", "model/gltf+json", gltf(motion)));
  at("look").addEventListener("click", () => { scene.reset(); showMotion(); });
  const stage = at("lines"), fingers = new Map();
  stage.addEventListener("pointerdown", e => { stage.setPointerCapture(e.pointerId); fingers.set(e.pointerId,
    [e.clientX, e.clientY]); });
  stage.addEventListener("pointermove", e => {
    const last = fingers.get(e.pointerId);
    if (!last || !scene) return;
    const others = [...fingers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
    if (others.length) {
      const [o] = others, before = Math.hypot(last[0] - o[0], last[1] - o[1]), after = Math.hypot(e.clientX - o[0],
        e.clientY - o[1]);
      scene.zoom *= before > 0 ? after / before : 1;
    } else scene.turn(e.clientX - last[0], e.clientY - last[1]);
    fingers.set(e.pointerId, [e.clientX, e.clientY]);
    showMotion();
  });
  for (const name of ["pointerup", "pointercancel"]) stage.addEventListener(name,
    (/** @type {any} */ e) => fingers.delete(e.pointerId));
  stage.addEventListener("wheel", e => {
    if (!scene) return;
    e.preventDefault();
    scene.zoom = Math.min(Math.max(scene.zoom * (e.deltaY > 0 ? 0.9 : 1.11), 0.05), 50);
    showMotion();
  }, { passive: false });
  document.addEventListener("keydown", e => {
    const where = /** @type {any} */ (e.target);
    if (e.key === " " && where === document.body && scene) { e.preventDefault(); play(!playing); }
  });
}

// ---- a run on the server, or in the page ---------------------------------------------------------------------------
const changed = new Map();
const STOP_AFTER = 50;                                     // ms that a run has when the next change is there
let asking = false, again = false;

function complain(text) {
  at("message").hidden = false;
  at("message").textContent = text;
}

/** A run in the page; one that was stopped shows nothing. */
async function compute(lines) {
  at("state").textContent = "computing …";
  at("stop").hidden = false;
  const r = await live.run(lines);
  at("stop").hidden = true;
  at("state").textContent = !r ? "stopped" : r.data ? `computed, t = ${facts.time} s` : "no run";
  if (!r) return;
  if (r.data) renew(r.data); else complain(r.said || `The run ended with exit code ${r.code}.`);
  if (r.data) at("state").textContent = `${facts.status} at t = ${shown(facts.time)} s`;
}

/** The page of another text. One that does not compile leaves the page as it is. */
async function edit(path, text) {
  changed.clear();
  at("state").textContent = "compiling …";
  const r = await live.open(path, text);
  if (!r) return;
  at("said").textContent = r.said;
  at("state").textContent = r.data ? "" : "the model does not compile";
  at("message").hidden = true;
  if (!r.data) return;
  const shape = () => JSON.stringify([facts.model, facts.columns.map(c => c.name), facts.plots]), before = shape();
  readFacts(r.data);
  const same = shape() === before;                         // a number was changed: plots and camera stay
  if (!same) play(false);
  build(same, same);
  if (same) parameterTable(change);
  page.renewed++;
}

async function ask() {
  if (asking) {
    again = true;
    // also where the run that goes on still waits for the module
    if (live) live.ready.then(() => setTimeout(() => { if (again) live.stop(); }, STOP_AFTER));
    return;
  }
  asking = true;
  const lines = [...changed].map(([name, value]) => `${name}=${value}`);
  at("message").hidden = true;
  try {
    if (live) await compute(lines);
    else {
      const body = lines.join("\n");
      const answer = await fetch("/run", { method: "POST", headers: { "Content-Type": "text/plain" }, body });
      if (answer.ok) renew(await answer.arrayBuffer()); else complain(await answer.text());
    }
  } catch (e) {
    complain(`${live ? "The page cannot compute" : "The server does not answer"}: ${e.message}`);
  }
  asking = false;
  if (again) { again = false; await ask(); }
}

function change(name, value) {
  changed.set(name, value);
  ask();
}

/** New data: the plots keep their columns, the motion its time. */
function renew(data) {
  const names = facts.columns.map(c => c.name).join("\n");
  readFacts(data);
  build(true, facts.columns.map(c => c.name).join("\n") === names);
  page.renewed++;
}

// ---- the page -------------------------------------------------------------------------------------------------------
function build(keep, sameColumns) {
  marks = readMarks();
  showState();
  buildMotion(keep);
  if (keep && sameColumns) plots.forEach(p => p.fill());
  else {
    [...plots].forEach(p => p.close());
    firstPlots().forEach(spec => new Panel(spec));
  }
  buildExtra();
  claimTable();
  if (!keep) parameterTable(facts.served ? change : null);
  modelText();
  for (const link of /** @type {any} */ (document.querySelectorAll("#parts a")))
    link.hidden = at(link.getAttribute("href").slice(1)).hidden;
}

const page = { ready: 0, renew, motion: () => motion, facts: () => facts, column: name => column(columnNamed(name)),
  times: name => timesOf(columnNamed(name)),
  plots: () => plots, play, marks: () => marks, bands: () => bandSpans(facts.time), renewed: 0,
  time: () => now, show: time => { now = time; showMotion(); }, range: setRange, change, editor: () => editor,
  filmed: 0, film, gltf: () => gltf(motion), pin: setPin };
Object.defineProperty(window, "nsmPage", { value: page });

readFacts();
if (at("live")) live = new Live();
build(false, false);
listenToMotion();
editor = live ? new Editor() : null;
if (at("gallery")) new Playground(JSON.parse(at("gallery").textContent), editor);
at("stop").addEventListener("click", () => { again = false; live.stop(); });
at("addPlot").addEventListener("click", () => new Panel({ columns: [] }));
at("zoomOut").addEventListener("click", () => setRange(null));
at("allCsv").addEventListener("click", () => download(facts.model + ".csv", "text/csv", csv(facts.columns.map((_,
  i) => i))));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => build(true, false));
new ResizeObserver(showMotion).observe(at("stage"));
page.ready = performance.now();
