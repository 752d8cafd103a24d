// The editor of a page that computes: the text of the model is compiled and run as it is typed. What is wrong stands
// below it, with carets, as the command says it; the plots are then those of the last text that ran.
const AFTER_A_KEY = [20, 300];                             // ms without another one: as long as the last run took

async function bytesThrough(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

class Editor {
  constructor() {
    this.field = at("editor");
    this.path = facts.path;
    this.took = 0;                                         // ms, by the last run
    this.field.value = facts.source;
    at("edit").hidden = false;
    at("source").hidden = true;
    this.assist = new Assist(this.field, live);
    this.field.addEventListener("input", () => {
      clearTimeout(this.timer);
      const [least, most] = AFTER_A_KEY;
      this.timer = setTimeout(() => this.run(), Math.min(Math.max(this.took - 80, least), most));
    });
    this.field.addEventListener("keydown", e => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); this.run(); }
    });
    at("runModel").addEventListener("click", () => this.run());
    at("saveModel").addEventListener("click", () => download(this.path.replace(/^.*\//, ""), "text/plain",
      this.field.value));
    at("linkModel").addEventListener("click", () => this.link());
    at("code").hidden = false;
    at("code").addEventListener("toggle", () => this.showCode());
    at("savePage").addEventListener("click", () => this.savePage());
    if (at("begin")) this.begin(JSON.parse(at("begin").textContent));
    else if (!at("gallery") && location.hash.startsWith("#model=")) this.follow(location.hash.slice(7));
  }

  show(path, text) {
    this.path = path;
    this.field.value = text;
    this.assist.colour();
    return this.run();
  }

  async showCode() { if (at("code").open) at("codeText").textContent = await live.code(); }

  begin({ path, text }) { return this.show(String(path), String(text)); }

  /** This page as it was loaded, with the text of the model in it, which it runs when it is opened. */
  savePage() {
    const begin = JSON.stringify({ path: this.path, text: this.field.value }).replace(/</g, "\\u003c");
    const data = '<div id="data">\n', tag = "script", head = `<${tag} type="application/json" id="begin">`;
    const page = untouched.replace(new RegExp(`${head}[^<]*<[/]${tag}>\n`), "");
    const text = page.replace(data, () => `${data}${head}${begin}</${tag}>\n`);
    save(this.path.replace(/^.*\/|\.nsm$/g, "") + ".html", new Blob(["<!doctype html>\n", text],
      { type: "text/html" }));
  }

  async run() {
    clearTimeout(this.timer);
    const begin = performance.now();
    await edit(this.path, this.field.value);
    this.assist.mark(at("said").textContent);
    this.showCode();
    this.took = performance.now() - begin;
  }

  /** The address of the page with the text in it, compressed. */
  async link() {
    const bytes = new TextEncoder().encode(JSON.stringify({ path: this.path, text: this.field.value }));
    // @ts-ignore: newer browsers have it
    const packed = await bytesThrough(bytes, new CompressionStream("deflate-raw"));
    let raw = "";
    for (const b of packed) raw += String.fromCharCode(b);
    const text = btoa(raw).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
    history.replaceState(null, "", "#model=" + text);
    at("said").textContent = "The address of this page now holds the model.";
  }

  async follow(text) {
    try {
      const packed = bytesOf(text.replace(/-/g, "+").replace(/_/g, "/"));
      // @ts-ignore: newer browsers have it
      const bytes = await bytesThrough(packed, new DecompressionStream("deflate-raw"));
      const { path, text: model } = JSON.parse(new TextDecoder().decode(bytes));
      await this.show(String(path), String(model));
    } catch (e) { at("said").textContent = `The address holds no model: ${e.message}`; }
  }
}
