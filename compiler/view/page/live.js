// A page that computes (nsm view --live): a worker has nsm, and answers as a server would (page.h, page_answer). A run
// that is still going on when the next change comes is ended with its worker; the next one begins from the module,
// which is compiled once.
class Live {
  constructor() {
    const told = JSON.parse(at("live").textContent);
    const gallery = at("gallery") ? JSON.parse(at("gallery").textContent).files : [];
    const files = [...told.files, ...gallery].map(f => ({ path: f.path, bytes: bytesOf(f.text) }));
    const words = told.words.trim().split("\n");
    this.first = { words, files, path: facts.path, text: facts.source };
    this.number = 0;                                       // of the run that is wanted
    this.waiting = null;                                   // what gets its answer
    const source = this.source = URL.createObjectURL(new Blob([at("worker").textContent], { type: "text/javascript" }));
    this.start = () => {
      this.worker = new Worker(source);
      this.worker.onmessage = e => this.hear(e.data);
      this.worker.onerror = e => this.answer({ code: 125, said: e.message || "the worker could not be started" });
      this.worker.postMessage(this.first);
    };
    this.ready = this.unpack().then(module => { this.first.module = module; this.start(); });
  }

  async unpack() {
    // @ts-ignore: newer browsers have it
    const unpacker = new DecompressionStream("gzip");
    const packed = bytesOfLetters(at("module").textContent, Number(at("module").dataset.bytes));
    const stream = new Blob([packed]).stream().pipeThrough(unpacker);
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
  }

  /** A run with these values: {code, said, data}. Whatever goes on is stopped, and its answer is null. */
  async run(lines) {
    await this.ready;
    if (this.waiting) this.stop();
    const number = ++this.number;
    return new Promise(then => {
      this.waiting = then;
      this.worker.postMessage({ lines, number });
    });
  }

  /** Another text in place of the model's: compiled, and run. Its parameters have the values of the text. */
  async open(path, text) {
    await this.ready;
    this.first = { ...this.first, words: [path], path, text };
    if (this.waiting) this.stop(); else this.worker.postMessage(this.first);
    return this.run([]);
  }

  stop() {
    if (!this.waiting) return;
    this.worker.terminate();
    this.answer(null);
    this.start();
  }

  /** The emitted C of the text that was compiled last. */
  async code() {
    await this.ready;
    return new Promise(then => {
      this.coded = then;
      this.worker.postMessage({ code: true });
    });
  }

  hear(data) {
    if (this.coded && "code" in data && !("number" in data) && !data.opened) { this.coded(data.code); return; }
    if (data.equations) at("derivation").innerHTML = data.equations;       // as the page has them, escaped by nsm
    if (data.number === this.number) this.answer(data);
  }

  answer(what) {
    const then = this.waiting;
    this.waiting = null;
    if (then) then(what);
  }
}

let live = null;                                        // of a page that computes
