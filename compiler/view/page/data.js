// The data of the page: facts as JSON, numbers as blocks of letters, decoded when somebody asks for them. What a
// server answers (page.h, page_answer) has the blocks as they are.
let facts, answer = null, answerStart = 0;
const untouched = document.getElementById("live") ? document.documentElement.outerHTML : "";
const decoded = new Map();

/**
 * The element with this id.
 * @type {(id: string) => any}
 */
const at = id => document.getElementById(id);

function bytesOf(text) {
  // @ts-ignore: newer browsers have it
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/** Bytes of page_block.c, base91: two letters are thirteen bits. */
function bytesOfLetters(text, n) {
  const bytes = new Uint8Array(n), value = c => c - 32 - (c > 38 ? 1 : 0) - (c > 60 ? 1 : 0);
  let held = 0, bits = 0, to = 0;
  for (let i = 0; i < text.length; i += 2) {
    held |= (value(text.charCodeAt(i)) + 91 * value(text.charCodeAt(i + 1))) << bits;
    for (bits += 13; bits >= 8; bits -= 8) {
      if (to < n) bytes[to++] = held & 255;
      held >>= 8;
    }
  }
  return bytes;
}

// ---- packed numbers (compiler/view/pack.c) --------------------------------------------------------------------------
/** Bits of bytes, the low ones first. */
class Bits {
  constructor(bytes) { this.bytes = bytes; this.at = 0; this.held = 0; this.n = 0; }

  /** A number of at most 24 bits. */
  few(n) {
    for (; this.n < n; this.n += 8) this.held |= this.bytes[this.at++] << this.n;
    const x = this.held & ((1 << n) - 1);
    this.held >>>= n;
    this.n -= n;
    return x;
  }

  /** Of at most 53. */
  many(n) {
    let x = 0, size = 1;
    for (; n > 16; n -= 16, size *= 65536) x += size * this.few(16);
    return x + size * this.few(n);
  }

  double() {
    const view = new DataView(new ArrayBuffer(8));
    for (let i = 0; i < 8; i += 2) view.setUint16(i, this.few(16), true);
    return view.getFloat64(0, true);
  }

  /** Ones up to a zero, or `most` of them. */
  ones(most) {
    let n = 0;
    while (n < most && this.few(1)) n++;
    return n;
  }
}

const signed = u => u % 2 ? -(u + 1) / 2 : u / 2;

/** A series of n numbers, into every `stride`-th place of `out` from `at`. */
function unpackSeries(bits, n, out, at, stride) {
  const BLOCK = 64, NOTHING = 63, FAR = 24, WHOLE = 53, POWER = 512, kind = bits.few(2);
  if (kind < 2) {
    const first = kind ? bits.double() : 0;
    for (let i = 0; i < n; i++, at += stride) out[at] = kind ? first : bits.double();
    return;
  }
  const digit = [1, 2, 5][bits.few(2)], power = bits.few(10) - POWER, ten = Number("1e" + Math.abs(power));
  const least = signed(bits.many(WHOLE));
  let a = 0, b = 0, c = 0;                                 // the three before
  for (let i = 0; i < n; i += BLOCK) {
    const order = bits.few(2), k = bits.few(6), size = 2 ** k;
    for (let j = i; j < n && j < i + BLOCK; j++, at += stride) {
      let r = 0;
      if (k !== NOTHING) {
        const ones = bits.ones(FAR);
        r = signed(ones < FAR ? ones * size + (k > 16 ? bits.many(k) : bits.few(k)) : bits.many(WHOLE));
      }
      const x = r + (order === 0 ? 0 : order === 1 ? a : order === 2 ? 2 * a - b : 3 * a - 3 * b + c);
      c = b;
      b = a;
      a = x;
      out[at] = power < 0 ? (x + least) * digit / ten : (x + least) * digit * ten;
    }
  }
}

/** What an element with packed numbers holds. */
function unpacked(element, Type) {
  const [series, each, n] = element.dataset.packed.split(" ").map(Number), out = new Type(series * each);
  const bits = new Bits(bytesOfLetters(element.textContent, n));
  for (let s = 0; s < series; s++) unpackSeries(bits, each, out, s, series);
  return out;
}

/** Block `id` as an array of this type, empty where there is none. */
function block(id, Type) {
  if (!decoded.has(id)) {
    const element = at(id), text = element ? element.textContent : "", place = answer && facts.blocks[id];
    if (!answer && element && element.dataset.packed) decoded.set(id, unpacked(element, Type));
    else decoded.set(id, place ? new Type(answer, answerStart + place[0], place[1] / Type.BYTES_PER_ELEMENT)
      : new Type(!answer && text ? bytesOf(text).buffer : 0));
  }
  return decoded.get(id);
}

/** The same bytes as numbers of another type: those of this block alone, wherever it stands in its buffer. */
const inBits = (of, Type) => new Type(of.buffer, of.byteOffset, of.length);

const columnNamed = name => facts.columns.findIndex(c => c.name === name);

/**
 * Values of column i: of all rows, or of those that were kept of it (facts.kept, thin.h).
 * @returns {Float64Array}
 */
function column(i) {
  const of = facts.columns[i], id = "column" + i;
  if ("value" in of && !decoded.has(id)) decoded.set(id, new Float64Array(facts.kept ? 2 : facts.rows).fill(of.value));
  return block(id, Float64Array);
}

/**
 * Times of the values of column i.
 * @returns {Float64Array}
 */
function timesOf(i) {
  const time = columnNamed("time");
  if (time < 0) return new Float64Array(0);
  if (!facts.kept) return column(time);
  if ("value" in facts.columns[i]) { const t = timesOf(time); return Float64Array.of(t[0], t[t.length - 1]); }
  return block((i === time ? "column" : "times") + i, Float64Array);
}

/** Column i at these times, ascending: between two rows that were kept, on the line that joins them. */
function columnAt(i, times) {
  const own = timesOf(i), y = column(i), out = new Float64Array(times.length);
  if (own === times || !own.length) return y;
  for (let k = 0, r = 0; k < times.length; k++) {
    while (r + 1 < own.length && own[r + 1] <= times[k]) r++;
    const last = r + 1 >= own.length || own[r] >= times[k];
    out[k] = last ? y[r] : y[r] + (y[r + 1] - y[r]) * (times[k] - own[r]) / (own[r + 1] - own[r]);
  }
  return out;
}

/** Field k of every point of a block of so many numbers each. */
function field(id, Type, width, k) {
  const all = block(id, Type), out = new Float64Array(all.length / width);
  for (let i = 0; i < out.length; i++) out[i] = all[i * width + k];
  return out;
}

/** Of the page, or of what a server answered: an ArrayBuffer. */
function readFacts(from = null) {
  decoded.clear();
  answer = from;
  if (!answer) { facts = JSON.parse(at("facts").textContent); return; }
  const n = Number(new DataView(answer).getBigUint64(0, true));
  facts = JSON.parse(new TextDecoder().decode(new Uint8Array(answer, 8, n)));
  answerStart = 8 + n;
}

// ---- small helpers --------------------------------------------------------------------------------------------------
/**
 * An element with attributes and children.
 * @returns {any}
 */
function make(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (key in e && key !== "list") e[key] = value;
    else e.setAttribute(key, value);
  }
  e.append(...children);
  return e;
}

const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const colourOf = i => colour("c" + i % 8);

/** A number for a reader: six digits. */
function shown(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-4) return x.toExponential(4).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(x.toPrecision(6)));
}

/** The same with three digits. */
const brief = x => typeof x === "number" ? shown(Number(x.toPrecision(3))) : shown(x);

const download = (name, type, text) => save(name, new Blob([text], { type }));

function save(name, blob) {
  const url = URL.createObjectURL(blob);
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

const quoted = name => /[",\n]/.test(name) ? `"${name.replace(/"/g, '""')}"` : name;

/** Columns as CSV; numbers read back as the same bits. A field is empty where the row was not kept of its column. */
function csv(columns) {
  const lines = [columns.map(i => quoted(facts.columns[i].name)).join(",")], values = columns.map(column);
  if (!facts.kept) {
    for (let r = 0; r < facts.rows; r++) lines.push(values.map(v => v[r]).join(","));
    return lines.join("\n") + "\n";
  }
  const times = columns.map(timesOf), row = columns.map(() => 0), time = columns.indexOf(columnNamed("time"));
  for (;;) {
    const now = Math.min(...times.map((t, k) => row[k] < t.length ? t[row[k]] : Infinity));
    if (now === Infinity) return lines.join("\n") + "\n";
    const fields = columns.map((_, k) => times[k][row[k]] === now ? String(values[k][row[k]++]) : "");
    if (time >= 0) fields[time] = String(now);
    lines.push(fields.join(","));
  }
}
