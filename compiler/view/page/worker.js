// The worker of a page that computes: nsm as a module of WebAssembly (compiler/live), and what it asks of a machine.
// There are no files, no network and no clock but the time of day. Messages to it: {module, words, path, text} once,
// then {lines, number} for a run, {code} for the emitted C; from it: {opened, code, said}, then {number, code, said,
// data, memory}. A worker that gets {language: module} instead answers an editor: {ask, number}, {number, said}.
"use strict";

/** What ends the module: an exit code. */
class Exit extends Error { constructor(code) { super("exit " + code); this.code = code; } }

/** One nsm in a memory of its own. */
class Nsm {
  constructor(module) {
    this.said = "";
    this.utf8 = new TextDecoder();
    const wasi = { fd_write: (...a) => this.write(...a), proc_exit: code => { throw new Exit(code); },
      clock_time_get: (_id, _precision, at) => this.clock(at), environ_sizes_get: (n, size) => this.zero(n, size),
      environ_get: () => 0, fd_prestat_get: () => 8 };
    for (const i of WebAssembly.Module.imports(module))
      if (i.module === "wasi_snapshot_preview1" && !(i.name in wasi)) wasi[i.name] = () => 44;     // there is no file
    const live = { no_memory: () => { throw new Exit(4); }, table: () => this.table.length,
      load: (at, n, functions) => this.load(at, n, functions),
      unload: (from, n) => { for (let i = 0; i < n; i++) this.table.set(from + i, null); } };
    const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi, live });
    /** @type {any} */
    this.nsm = instance.exports;
    this.table = this.nsm.__indirect_function_table;
    this.nsm._initialize();
  }

  view() { return new DataView(this.nsm.memory.buffer); }

  zero(...places) { for (const at of places) this.view().setUint32(at, 0, true); return 0; }

  clock(at) {
    const now = performance.timeOrigin + performance.now();
    this.view().setBigUint64(at, BigInt(Math.round(now * 1e6)), true);
    return 0;
  }

  /** Both streams are what nsm says. */
  write(_file, parts, n, written) {
    let sum = 0;
    const v = this.view();
    for (let i = 0; i < n; i++) {
      const at = v.getUint32(parts + 8 * i, true), size = v.getUint32(parts + 8 * i + 4, true);
      this.said += this.utf8.decode(new Uint8Array(this.nsm.memory.buffer, at, size), { stream: true });
      sum += size;
    }
    v.setUint32(written, sum, true);
    return 0;
  }

  /** The functions of a model, from its module, at the end of the table; 0: the engine does not take it. */
  load(at, n, functions) {
    const { memory, __stack_pointer: stack } = this.nsm, from = this.table.length;
    try {
      const model = new WebAssembly.Module(new Uint8Array(memory.buffer, at, n).slice());
      this.table.grow(functions);
      new WebAssembly.Instance(model, { env: { memory, table: this.table, stack }, f: this.nsm });
      return 1;
    } catch (e) {
      this.said += e.message + "\n";
      while (this.table.length < from + functions) this.table.grow(1);
      return 0;
    }
  }

  text(s) {
    const bytes = new TextEncoder().encode(s), at = this.nsm.live_room(bytes.length);
    const to = new Uint8Array(this.nsm.memory.buffer, at, bytes.length + 1);
    to.set(bytes);
    to[bytes.length] = 0;
    return at;
  }

  /** The exit code of a call; what it said is in `heard` then. */
  call(name, ...texts) {
    this.said = "";
    try { return this.nsm[name](...texts.map(t => this.text(t))); } catch (e) {
      const short = /memory|table|grow/i.test(e.message) || (e instanceof Exit && e.code === 4);
      if (short) this.said += "error: the run needs more than the 512 MB of memory that a page has for it\n";
      else if (!(e instanceof Exit)) this.said += `error: nsm broke off: ${e.message}\n`;
      this.broken = true;
      return e instanceof Exit ? e.code : 125;
    } finally { this.heard = this.said.replace(/\x1b\[[0-9;]*m/g, ""); }
  }

  open({ words, path, text, files }) {
    for (const f of files || []) {
      const at = this.nsm.live_room(f.bytes.length);
      new Uint8Array(this.nsm.memory.buffer).set(f.bytes, at);
      this.nsm.live_file(this.text(f.path), at, f.bytes.length);
    }
    return this.call("live_open", words.join("\n"), path, text);
  }

  textAt(at) {
    const bytes = new Uint8Array(this.nsm.memory.buffer, at);
    return this.utf8.decode(bytes.slice(0, bytes.indexOf(0)));
  }

  /** The derivation in MathML; "" where the model does not compile. */
  equations() { return this.broken ? "" : this.textAt(this.nsm.live_equations()); }

  /** The emitted C. */
  code() { return this.broken ? "" : this.textAt(this.nsm.live_code()); }

  /** What the language server says of a place in a text (compiler/live/ask), as JSON. */
  ask({ method, text, line, character }) {
    return this.textAt(this.nsm.live_ask(this.text(method), this.text(text), line, character));
  }

  /** What the run gives for the page, as page_answer of view/page.h has it; null: nothing. */
  run(lines) {
    const code = this.call("live_run", lines.join("\n"));
    const n = this.broken ? 0 : this.nsm.live_answer_size(), at = n && this.nsm.live_answer();
    return { code, said: this.heard, data: n ? this.nsm.memory.buffer.slice(at, at + n) : null,
      memory: this.nsm.memory.buffer.byteLength };
  }
}

if (typeof importScripts === "function") {
  const MOST = 256 << 20;                                  // bytes: more, and a new memory is begun
  let first = null, nsm = null;
  const open = () => {
    nsm = new Nsm(first.module);
    return nsm.open(first);
  };
  addEventListener("message", ({ data }) => {
    if (data.language) { nsm = new Nsm(first = data.language); return; }
    if (data.ask) {
      let said = "null";
      try { said = nsm.ask(data.ask); } catch (e) { nsm = new Nsm(first); }
      postMessage({ number: data.number, said });
      return;
    }
    if (data.code) { postMessage({ code: nsm.code() }); return; }
    if (data.module) {
      first = data;
      const code = open();
      postMessage({ opened: true, code, said: nsm.heard, equations: nsm.equations() });
      return;
    }
    const r = nsm.run(data.lines);
    postMessage({ number: data.number, ...r }, r.data ? [r.data] : []);
    if (nsm.broken || r.memory > MOST) open();
  });
}
