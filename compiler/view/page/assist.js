// Help while one types. Colours: the text stands once more behind the field, whose own letters are transparent.
// Completion (while one types a name, or by Ctrl+Space) and what a name is (by pointing at it, or F1) are answered by
// the language server, where the module of the page has it (compiler/live/ask), in a worker of its own.

/** A text of the language in pieces: [[kind, text]]; kinds are classes of page.css, "" for the rest. */
function pieces(text, words) {
  const out = [], token = new RegExp(["(\\/\\/[^\\n]*)", '("(?:[^"\\n\\\\]|\\\\.)*"?)', "(\\[[a-zA-Z0-9*/^. %-]*\\])",
    "(\\b\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)", "([A-Za-z_]\\w*)"].join("|"), "g");
  let end = 0;
  const put = (kind, part) => {
    const last = out[out.length - 1];
    if (last && last[0] === kind) last[1] += part;
    else if (part) out.push([kind, part]);
  };
  for (const m of text.matchAll(token)) {
    put("", text.slice(end, m.index));
    const kind = m[1] ? "comment" : m[2] ? "string" : m[4] ? "digit" : m[5] && words.has(m[5]) ? "word" : "";
    const unit = m[3] && /[0-9.)\w]\s*$|:\s*$/.test(text.slice(0, m.index).slice(-40)) && !/\w$/.test(text.slice(0,
      m.index)) ? "unit" : "";
    put(kind || unit, m[0]);
    end = m.index + m[0].length;
  }
  put("", text.slice(end));
  return out;
}

class Assist {
  constructor(field, live) {
    this.field = field;
    this.words = new Set(JSON.parse(at("live").textContent).vocabulary.split(" "));
    this.behind = make("pre", { id: "behind", ariaHidden: "true" });
    this.list = make("ul", { id: "choices", hidden: true });
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "what fits here");
    this.tip = make("div", { id: "tip", hidden: true });
    this.tip.setAttribute("role", "status");
    field.parentElement.append(this.behind, this.list, this.tip);
    for (const [name, value] of [["aria-autocomplete", "list"], ["aria-controls", "choices"]])
      field.setAttribute(name, value);
    this.wrong = new Set();                                // numbers of lines
    this.items = [];
    this.number = 0;
    this.waiting = new Map();
    this.colour();
    this.listen();
    live.ready.then(() => this.start(live.first.module, live.source));
  }

  // ---- the language server ------------------------------------------------------------------------------------------
  start(module, source) {
    if (!WebAssembly.Module.exports(module).some(e => e.name === "live_ask")) return;
    this.worker = new Worker(source);
    this.worker.onmessage = ({ data }) => {
      const then = this.waiting.get(data.number);
      this.waiting.delete(data.number);
      if (then) then(JSON.parse(data.said));
    };
    this.worker.postMessage({ language: module });
  }

  /** An answer about a place in the text, null where there is none. */
  ask(method, offset) {
    if (!this.worker) return Promise.resolve(null);
    const before = this.field.value.slice(0, offset).split("\n"), number = ++this.number;
    return new Promise(then => {
      this.waiting.set(number, then);
      this.worker.postMessage({ number, ask: { method, text: this.field.value, line: before.length - 1,
        character: before[before.length - 1].length } });
    });
  }

  // ---- colours ------------------------------------------------------------------------------------------------------
  colour() {
    const out = document.createDocumentFragment();
    let line = make("span"), n = 1;
    const close = () => { if (this.wrong.has(n)) line.className = "wrong"; out.append(line, "\n"); };
    for (const [kind, text] of pieces(this.field.value, this.words))
      text.split("\n").forEach((part, i) => {
        if (i) { close(); line = make("span"); n++; }
        line.append(kind ? make("i", { className: kind }, part) : part);
      });
    close();
    this.behind.replaceChildren(out);
    if (this.scrolled) this.scroll();                      // reading where it is lays the page out
  }

  /** Lines that nsm names in what it says are marked. */
  mark(said) {
    this.wrong = new Set([...said.matchAll(/^ *--> [^\n]*?:(\d+):\d+$/gm)].map(m => Number(m[1])));
    this.colour();
  }

  scroll() {
    this.behind.scrollTop = this.field.scrollTop;
    this.behind.scrollLeft = this.field.scrollLeft;
  }

  // ---- places -------------------------------------------------------------------------------------------------------
  metrics() {
    const style = getComputedStyle(this.field), pen = document.createElement("canvas").getContext("2d");
    pen.font = `${style.fontSize} ${style.fontFamily}`;
    return { wide: pen.measureText("0123456789").width / 10, high: parseFloat(style.lineHeight),
      left: parseFloat(style.paddingLeft), top: parseFloat(style.paddingTop) };
  }

  /** Where a letter stands, in pixels of the field's parent. */
  pixel(offset) {
    const before = this.field.value.slice(0, offset).split("\n"), m = this.metrics();
    return [this.field.offsetLeft + m.left + before[before.length - 1].length * m.wide - this.field.scrollLeft,
      this.field.offsetTop + m.top + before.length * m.high - this.field.scrollTop];
  }

  /** The letter at the pointer, -1: none. */
  letter(event) {
    const box = this.field.getBoundingClientRect(), m = this.metrics(), lines = this.field.value.split("\n");
    const row = Math.floor((event.clientY - box.top - m.top + this.field.scrollTop) / m.high);
    const k = Math.floor((event.clientX - box.left - m.left + this.field.scrollLeft) / m.wide);
    if (row < 0 || row >= lines.length || k < 0 || k >= lines[row].length) return -1;
    return lines.slice(0, row).reduce((sum, l) => sum + l.length + 1, 0) + k;
  }

  show(element, offset) {
    const [x, y] = this.pixel(offset), wide = this.field.offsetWidth;
    element.hidden = false;
    element.style.left = Math.max(0, Math.min(x, this.field.offsetLeft + wide - Math.min(element.offsetWidth,
      wide))) + "px";
    element.style.top = y + 2 + "px";
  }

  // ---- completion ---------------------------------------------------------------------------------------------------
  async complete() {
    const end = this.field.selectionStart, text = this.field.value;
    const answer = await this.ask("completion", end);
    if (this.field.value !== text || this.field.selectionStart !== end) return;
    const word = /[A-Za-z0-9_/]*$/.exec(text.slice(0, end))[0], most = 60;
    this.items = (answer ? answer.items : []).filter(i => i.label !== word).sort((a, b) =>
      a.sortText < b.sortText ? -1 : 1).slice(0, most);
    this.from = end - word.length;
    this.choose(0);
  }

  choose(k) {
    this.at = Math.min(Math.max(k, 0), this.items.length - 1);
    this.list.replaceChildren(...this.items.map((item, i) => {
      const one = make("li", { id: "choice" + i, onpointerdown: e => { e.preventDefault(); this.take(i); } },
        make("b", {}, item.label), make("span", {}, item.detail));
      one.setAttribute("role", "option");
      one.setAttribute("aria-selected", String(i === this.at));
      return one;
    }));
    if (!this.items.length) { this.close(); return; }
    this.show(this.list, this.from);
    this.list.children[this.at].scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-activedescendant", "choice" + this.at);
  }

  take(k) {
    const item = this.items[k];
    this.close();
    this.taking = true;
    this.field.setSelectionRange(this.from, this.field.selectionStart);
    // What a browser can undo; where it has no such command, the text alone.
    if (!document.execCommand("insertText", false, item.label)) {
      this.field.setRangeText(item.label, this.from, this.field.selectionEnd, "end");
      this.field.dispatchEvent(new Event("input"));
    }
    this.taking = false;
    this.close();
  }

  close() {
    this.items = [];
    this.list.hidden = true;
    this.tip.hidden = true;
    this.field.removeAttribute("aria-activedescendant");
  }

  // ---- what a name is -----------------------------------------------------------------------------------------------
  async tell(offset) {
    const text = this.field.value, answer = await this.ask("hover", offset);
    if (!answer || this.field.value !== text) { this.tip.hidden = true; return; }
    this.close();
    this.tip.replaceChildren(...answer.contents.value.split(/```(?:nsm)?\n?/).map((part, i) =>
      part.trim() ? make(i % 2 ? "pre" : "p", {}, part.trim().replace(/\*\*|`/g, "")) : ""));
    this.show(this.tip, offset);
  }

  listen() {
    const field = this.field;
    field.addEventListener("input", e => {
      this.colour();
      this.close();
      clearTimeout(this.timer);
      const typed = /** @type {any} */ (e).data, before = field.value.slice(0, field.selectionStart);
      if (typed && !this.taking && /[A-Za-z_.]$/.test(before)) this.timer = setTimeout(() => this.complete(), 120);
    });
    field.addEventListener("scroll", () => { this.scrolled = true; this.scroll(); });
    field.addEventListener("blur", () => this.close());
    field.addEventListener("click", () => this.close());
    field.addEventListener("keydown", e => {
      const keys = { ArrowDown: () => this.choose(this.at + 1), ArrowUp: () => this.choose(this.at - 1),
        Enter: () => this.take(this.at), Tab: () => this.take(this.at) };
      if (e.key === " " && e.ctrlKey) { e.preventDefault(); this.complete(); return; }
      if (e.key === "F1") { e.preventDefault(); this.tell(field.selectionStart); return; }
      if (e.key === "Escape") { this.close(); return; }
      if (this.list.hidden || e.ctrlKey || e.altKey || e.metaKey || !keys[e.key]) return;
      e.preventDefault();
      keys[e.key]();
    });
    field.addEventListener("pointermove", e => {
      clearTimeout(this.pointing);
      if (this.items.length) return;
      this.tip.hidden = true;
      const offset = this.letter(e);
      if (offset >= 0 && /\w/.test(field.value[offset])) this.pointing = setTimeout(() => this.tell(offset), 350);
    });
    field.addEventListener("pointerleave", () => clearTimeout(this.pointing));
  }
}
