// The panels: plots with their tools, energy, one-step problems, parameters, claims, the text of the model.
const plots = [];

function timeColumn() {
  const i = columnNamed("time");
  return i >= 0 ? column(i) : new Float64Array(0);
}

function readMarks() {
  const all = block("marks", Float32Array), counts = inBits(all, Int32Array), out = [];
  for (let i = 0; i < all.length; i += 3) out.push({ time: all[i], impacts: counts[i + 1], events: counts[i + 2] });
  return out;
}

/** What a plot can be saved as, folded: pictures, and its numbers where `numbers` gives them. */
function saved(name, plot, numbers = null) {
  const said = make("span", { role: "status" });
  const copy = async text => {
    try { await navigator.clipboard.writeText(text); said.textContent = "copied"; } catch (e) {
      said.textContent = "the browser does not allow it";
    }
    setTimeout(() => { said.textContent = ""; }, 2000);
  };
  const button = (text, does) => make("button", { onclick: does }, text);
  return make("details", { className: "saved" }, make("summary", {}, "save"),
    button("SVG", () => download(name() + ".svg", "image/svg+xml", plot.svg())),
    button("PNG", async () => save(name() + ".png", await plot.png())),
    ...(numbers ? [button("CSV", () => download(name() + ".csv", "text/csv", numbers())),
      button("copy CSV", () => copy(numbers()))] : []), said);
}

// ---- plots of columns -----------------------------------------------------------------------------------------------
const SPECTRUM = -2, SPREAD = -3;

/**
 * A plot with its tools. spec: { columns: [numbers], x: number of a column, -1: time, SPECTRUM, SPREAD, logX, logY }.
 */
class Panel {
  constructor(spec) {
    this.spec = { x: -1, logX: false, logY: false, ...spec };
    this.element = make("div", { className: "plot" });
    if (spec.title) this.element.append(make("h3", {}, spec.title));
    this.plot = new Plot(this.element, { title: spec.title, series: [], xName: "", overTime: true });
    this.element.append(this.tools());
    at("plotList").append(this.element);
    plots.push(this);
    this.fill();
  }

  fill() {
    const { spec } = this, overTime = spec.x === -1, ofRange = spec.x < -1 ? () => this.fill() : null;
    const of = { [-1]: { name: "time", unit: "s" }, [SPECTRUM]: { name: "frequency", unit: "Hz" },
      [SPREAD]: { name: "value", unit: spec.columns.length ? facts.columns[spec.columns[0]].unit : "" } }[spec.x] ||
      facts.columns[spec.x];
    const points = c => {
      if (ofRange) return spec.x === SPECTRUM ? spectrumOf(c) : spreadOf(c);
      const time = timesOf(c);
      return { time, x: overTime ? time : columnAt(spec.x, time), y: column(c) };
    };
    Object.assign(this.plot.of, {
      overTime, ofRange, xName: of.name, xUnit: of.unit, logX: spec.logX, logY: spec.logY, marks: overTime ? marks : [],
      series: spec.columns.map((c, k) => ({
        name: facts.columns[c].name, unit: spec.x === SPREAD ? "% of time" : facts.columns[c].unit, ...points(c),
        colour: colourOf(k) })),
    });
    this.plot.draw();
  }

  tools() {
    const choice = make("div", { className: "choice" });
    facts.columns.forEach((c, i) => {
      if (c.name === "time") return;
      const box = make("input", { type: "checkbox", checked: this.spec.columns.includes(i), onchange: () => {
        this.spec.columns = box.checked ? [...this.spec.columns, i].sort((a, b) => a - b)
          : this.spec.columns.filter(k => k !== i);
        this.fill();
      } });
      choice.append(make("label", { title: c.doc }, box, ` ${c.name}${c.unit ? ` [${c.unit}]` : ""}`));
    });
    const x = make("select", { title: "what the plot is over", onchange: () => { this.spec.x = Number(x.value);
      this.fill(); } },
      make("option", { value: -1 }, "over time"), make("option", { value: SPECTRUM }, "spectrum"),
      make("option", { value: SPREAD }, "histogram"),
      ...facts.columns.map((c, i) => make("option", { value: i }, "over " + c.name)).filter((_, i) =>
        facts.columns[i].name !== "time"));
    x.value = String(this.spec.x);
    const log = (name, key) => {
      const box = make("input", { type: "checkbox", checked: this.spec[key], onchange: () => {
        this.spec[key] = box.checked;
        this.fill();
      } });
      return make("label", {}, box, " " + name);
    };
    const columns = make("details", {}, make("summary", {}, "columns"), choice);
    const table = make("details", { className: "values", ontoggle: () => {
      table.replaceChildren(table.firstChild, ...(table.open ? [this.plot.table()] : []));
    } }, make("summary", {}, "table"));
    const name = () => facts.columns[this.spec.columns[0]] ? facts.columns[this.spec.columns[0]].name : "plot";
    return make("div", { className: "tools" }, columns, table, x, log("log y", "logY"), log("log x", "logX"),
      saved(name, this.plot, () => this.csv()),
      make("button", { title: "remove this plot", ariaLabel: "remove this plot", onclick: () => this.close() }, "✕"));
  }

  csv() {
    const { spec } = this;
    if (spec.x < -1) {                                     // each column has its own frequencies, or values
      const lines = this.plot.of.series.map(s => [`${this.plot.of.xName},${quoted(s.name)}`,
        ...Array.from(s.x, (v, i) => `${v},${s.y[i]}`)].join("\n"));
      return lines.join("\n\n") + "\n";
    }
    return csv([spec.x < 0 ? columnNamed("time") : spec.x, ...spec.columns].filter(i => i >= 0));
  }

  close() {
    this.plot.close();
    this.element.remove();
    plots.splice(plots.indexOf(this), 1);
  }
}

/** The columns that a name of a `plot` means: that one, or all elements where an index is left out. */
function columnsMeant(text) {
  const plain = text.replace(/\s/g, ""), literal = s => s.replace(/[^A-Za-z0-9_]/g, "\\$&");
  const parts = plain.replace(/'+$/, "").split(".").map(p => literal(p) + (p.endsWith("]") ? "" : "(\\[[^\\]]*\\])?"));
  const meant = new RegExp(`^${parts.join("\\.")}${(plain.match(/'+$/) || [""])[0]}$`);
  return facts.columns.flatMap((c, i) => meant.test(c.name.replace(/\s/g, "")) ? [i] : []);
}

/** The plots that the model asks for, of columns that are recorded. */
function plotsOfModel() {
  const most = 8;
  return facts.plots.map(p => ({ title: p.title,
    columns: [...new Set(p.columns.flatMap(columnsMeant))].slice(0, most),
    x: p.over ? columnsMeant(p.over)[0] : -1 })).filter(p => p.columns.length && p.x !== undefined);
}

/** What is plotted at first: what the model asks for, else outputs, then the rest; columns of one unit together, the
 * longest families cut. */
function firstPlots() {
  const asked = plotsOfModel();
  if (asked.length) return asked;
  const outputs = new Map(), others = new Map();
  facts.columns.forEach((c, i) => {
    if (c.name === "time" || "value" in c) return;
    const kind = /'$/.test(c.name) ? "rate" : /lambda|impulse/.test(c.name) ? "force" : "";
    const key = c.unit ? c.unit : kind, groups = c.output ? outputs : others;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(i);
  });
  const chosen = [...outputs.values(), ...others.values()].slice(0, 6).map(g => ({ columns: g.slice(0, 6) }));
  if (!chosen.length && facts.columns.length > 1) chosen.push({ columns: [facts.columns[0].name === "time" ? 1 : 0] });
  return chosen;
}

// ---- energy ---------------------------------------------------------------------------------------------------------
let extra = new Map(), before = new Map();

/** A plot that is not of columns; where it stood before, it stays. */
function plain(parent, of) {
  const old = before.get(of.title);
  if (old) {
    extra.set(of.title, old);
    Object.assign(old.of, { marks, ...of });
    old.draw();
    return old;
  }
  const element = make("div", { className: "plot" });
  parent.append(element);
  const plot = new Plot(element, { xName: "time", xUnit: "s", overTime: true, marks, ...of });
  element.append(make("div", { className: "tools" }, saved(() => of.title || "plot", plot)));
  extra.set(of.title, plot);
  plot.draw();
  return plot;
}

/** Energy and one-step problems; what was there and is no more goes. */
function buildExtra() {
  before = extra;
  extra = new Map();
  energyPanel();
  stepPanel();
  for (const [title, plot] of before)
    if (!extra.has(title)) { plot.close(); plot.canvas.parentElement.remove(); }
}

function energyPanel() {
  at("energy").hidden = !facts.energy;
  if (!facts.energy || !facts.points) return;
  const f = k => field("points", Float32Array, 12, k), time = f(0), n = time.length;
  const [kinetic, potential, forces, dampers, contacts, friction, residue] = [1, 2, 3, 4, 5, 6, 7].map(f);
  const least = Math.min(0, ...potential), lowest = least < 0 ? least : 0;
  /** @type {any[][]} */
  const all = [
    ["kinetic", kinetic], ["potential" + (lowest ? " above its least" : ""), potential.map(v => v - lowest)],
    ["lost by friction", friction], ["lost by impacts", contacts.map((v, i) => v - friction[i])],
    ["lost by dampers", dampers]];
  const parts = all.filter(([name, v]) => name === "kinetic" || v.some(x => Math.abs(x) > 1e-12));
  const sum = new Float64Array(n);
  /** @type {any[]} */
  const series = parts.map(([name, raw], k) => {
    const y = new Float64Array(n);
    for (let i = 0; i < n; i++) y[i] = sum[i] += raw[i];
    return { name, unit: "J", x: time, y, raw, colour: colourOf(k) };
  });
  const given = forces.map(v => facts.energy.initial - lowest + v);
  series.push({ name: "at the start, and put in by forces", unit: "J", x: time, y: given, raw: given, line: true,
    colour: colour("ink") });
  plain(at("energyList"), { series, stacked: true, title: "energy" });
  plain(at("energyList"), { series: [{ name: "residue of a step", unit: "J", x: time, y: residue,
    colour: colour("c4") }],
    title: "residue", height: 130 });
  const e = facts.energy;
  at("energyText").textContent = `Energy ${shown(e.initial)} J → ${shown(e.final)} J. ` +
    `Forces gave ${shown(e.forces)} J, ` +
    `contacts took ${shown(e.contacts)} J (${shown(e.friction)} J by friction), dampers ${shown(e.dampers)} J; the ` +
    `largest residue of a step is ${shown(e.residue)} J.`;
}

// ---- one-step problems ----------------------------------------------------------------------------------------------
function bandSpans(end) {
  const all = block("bands", Int32Array), times = inBits(all, Float32Array), open = new Map(), spans = [];
  const shade = ["", "c5", "c2", "c1"];
  const finish = (row, to) => {
    const [from, state] = open.get(row) || [0, 0];
    if (state) spans.push({ row, from, to, colour: colour(shade[state]) });
  };
  for (let i = 0; i < all.length; i += 3) {
    finish(all[i], times[i + 1]);
    open.set(all[i], [times[i + 1], all[i + 2]]);
  }
  for (const row of open.keys()) finish(row, end);
  return spans;
}

function stepPanel() {
  const parent = at("stepList");
  if (facts.points) {
    const f = k => field("points", Float32Array, 12, k), time = f(0), steps = f(11), per = v => v.map((x,
      i) => x / (steps[i] || 1));
    const residual = f(8);
    if (residual.some(v => v > 0))
      plain(parent, { series: [{ name: "largest residual", unit: "", x: time, y: residual, colour: colour("c0") }],
        logY: true,
        title: "residual", height: 150 });
    plain(parent, { series: [{ name: "Newton iterations a step", unit: "", x: time, y: per(f(9)),
      colour: colour("c1") },
      { name: "iterations of the solver a step", unit: "", x: time, y: per(f(10)), colour: colour("c2") }],
    title: "iterations", height: 150 });
  }
  if (facts.contacts.length) {
    const time = timeColumn(), from = time[0] || 0, to = time.length ? time[time.length - 1] : facts.time;
    plain(parent, { series: [], bands: { names: facts.contacts, from, to, spans: bandSpans(to), legend:
      [["touches", "c5"], ["sticks", "c2"], ["slips", "c1"]].map(([name, c]) => ({ name, colour: colour(c) })) },
    title: "contacts", height: Math.min(60 + 18 * facts.contacts.length, 460) });
  } else if (block("touches", Int32Array).some(n => n > 0)) {
    const n = Float64Array.from(block("touches", Int32Array));
    plain(parent, { series: [{ name: "points of contact of shapes", unit: "", x: block("pictureTime", Float64Array),
      y: n, colour: colour("c5") }], title: "contacts", height: 150 });
  }
  at("stepText").textContent = `${facts.steps} of ${facts.stepsTotal} steps of ${facts.scheme}; ` +
    `${facts.newton} Newton iterations, ${facts.solver} of the one-step solver, ${facts.impacts} impacts, ` +
    `${facts.events} events; largest residual ${shown(facts.residual)}` +
    (facts.miss > 0 ? `, largest miss of a constraint ${shown(facts.miss)}` : "") +
    ". ▾ marks impacts, dotted lines events; where they are dense, a strip below the axis has them.";
}

// ---- tables, text ---------------------------------------------------------------------------------------------------
function claimTable() {
  at("claims").hidden = !facts.claims.length;
  const look = { holds: "holds", fails: "fails" };
  at("claimTable").replaceChildren(make("table", {}, ...facts.claims.map(c => make("tr", {},
    make("td", { className: look[c.outcome] || "open" }, c.outcome), make("td", {}, c.text),
    make("td", { className: "number" }, "line " + c.line)))));
}

function parameterTable(change) {
  const rows = facts.parameters.map(p => {
    const value = make("td", { className: "number" }, shown(p.value) + (p.unit ? ` (${p.unit})` : ""));
    return make("tr", {}, make("td", {}, make("b", {}, p.name)), change ? slider(p, change) : value,
      make("td", {}, p.doc));
  });
  at("parameterTable").replaceChildren(rows.length ? make("table", {}, ...rows) : "This model has none.");
}

/** A slider over the range of the parameter, else about its value, and a field for any number; both in its unit. */
function slider(p, change) {
  const v = p.value, about = [v > 0 ? 0 : v < 0 ? 2 * v : -1, v > 0 ? 2 * v : v < 0 ? 0 : 1];
  const [lo, hi] = (p.range || about).map((end, k) => end === null ? about[k] : end);
  const step = p.fixed && Number.isInteger(v) ? 1 : "any";
  const range = make("input", { type: "range", min: lo, max: hi, step, value: v });
  const field = make("input", { type: "number", step: "any", value: v });
  range.setAttribute("aria-label", p.name);
  field.setAttribute("aria-label", p.name + ", a number");
  range.value = v;
  const set = () => change(p.name, p.unit ? `${field.value} [${p.unit}]` : field.value);
  range.addEventListener("input", () => { field.value = Number(Number(range.value).toPrecision(6)); set(); });
  field.addEventListener("change", () => { if (field.value !== "") { range.value = field.value; set(); } });
  return make("td", {}, range, field, p.unit ? ` ${p.unit}` : "");
}

let written = "";

function modelText() {
  at("command").textContent = facts.command;
  at("notes").textContent = facts.notes;
  const now = JSON.stringify([facts.source, facts.diagnostics]);
  if (now === written) return;
  written = now;
  const worst = new Map();
  for (const d of facts.diagnostics) if (d.line && worst.get(d.line) !== "error") worst.set(d.line, d.severity);
  const lines = facts.source.replace(/\n$/, "").split("\n").map((text, i) => {
    const line = make("span", { className: worst.get(i + 1) || "" }, make("span", { className: "no" }, String(i + 1)),
      text);
    return [line, "\n"];
  });
  at("source").replaceChildren(...lines.flat());
  at("diagnosticList").replaceChildren(...facts.diagnostics.map(d => make("p", { className: d.severity },
    make("b", {}, `${d.severity} ${d.code}`), ` line ${d.line}: ${d.message}${d.help ? ` (${d.help})` : ""}`)));
}
