// The playground: a page that computes, into which docs/site/make has put the models of the gallery (`gallery`).
// The editor stands beside what it gives; #open=NAME in the address is a model, #model=... a text.
class Playground {
  constructor(told, editor) {
    this.told = told;
    this.editor = editor;
    document.body.classList.add("play");
    document.querySelector("main").prepend(at("model"));
    at("site").replaceChildren(make("a", { href: "index.html", className: "home" }, "nsm"),
      ...told.menu.map(([name, to]) => make("a", { href: to }, name)));
    at("site").hidden = false;
    this.pick = at("models");
    const fields = [...new Set(told.models.map(m => m.field))];
    this.pick.replaceChildren(make("option", { value: "" }, "a model of the gallery …"),
      ...fields.map(f => make("optgroup", { label: f }, ...told.models.filter(m => m.field === f).map(m =>
        make("option", { value: m.name, title: m.about }, m.name.replace(/_/g, " "))))));
    this.pick.addEventListener("change", () => { if (this.pick.value) location.hash = "open=" + this.pick.value; });
    at("pick").hidden = false;
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  /** What the address asks for. */
  follow() {
    const [what, value] = location.hash.slice(1).split("=");
    if (what === "model" && value) this.editor.follow(value);
    if (what !== "open") return;
    const model = this.told.models.find(m => m.name === value);
    if (!model) { at("said").textContent = `The gallery has no model "${value}".`; return; }
    this.pick.value = model.name;
    this.editor.show(`models/${model.name}.nsm`, model.text);
  }
}
