// The search of the site. Its index, words.js, is a script, so that it is there from disk, too; it is read when
// somebody goes to the field. A section is found where all words stand in it, its heading or the title of its page.
"use strict";
(() => {
  const field = document.getElementById("words"), found = document.getElementById("found");
  const up = document.body.dataset.up;
  const MOST = 14, AROUND = 70;                            // results; letters on both sides of a word
  let sections = null, asked = false;

  window.siteWords = pages => {
    sections = [];
    for (const [where, title, inner, parts] of pages)
      for (const [anchor, heading, text] of parts)
        sections.push({ to: up + where + (anchor ? "#" + anchor : ""), title, inner, heading, text,
          low: text.toLowerCase(), lowHeading: heading.toLowerCase(), lowTitle: title.toLowerCase() });
    show();
  };

  function prepare() {
    if (asked) return;
    asked = true;
    const script = document.createElement("script");
    script.src = up + "words.js";
    document.head.append(script);
  }

  function worth(s, words) {
    let sum = 0;
    for (const w of words) {
      const inHeading = s.lowHeading.includes(w), inTitle = s.lowTitle.includes(w), first = s.low.indexOf(w);
      if (!inHeading && !inTitle && first < 0) return 0;
      const whole = x => new RegExp("(^|[^a-z0-9])" + w.replace(/[^a-z0-9]/g, "\\$&") + "([^a-z0-9]|$)").test(x);
      sum += (inHeading ? whole(s.lowHeading) ? 24 : 12 : 0) + (inTitle ? whole(s.lowTitle) ? 16 : 8 : 0) +
        (first >= 0 ? whole(s.low) ? 6 : 2 : 0) + Math.min(s.low.split(w).length - 1, 8) / 4;
    }
    return s.inner ? sum / 3 : sum;
  }

  function line(s, words) {
    const at = Math.max(0, Math.min(...words.map(w => s.low.indexOf(w)).filter(i => i >= 0), s.low.length) - AROUND);
    const a = document.createElement("a"), b = document.createElement("b"), small = document.createElement("small");
    a.href = s.to;
    b.textContent = s.heading === s.title ? s.title : `${s.title}: ${s.heading}`;
    small.textContent = (at ? "… " : "") + s.text.slice(at, at + 2 * AROUND + 30);
    a.append(b, small);
    a.addEventListener("click", close);
    return a;
  }

  function close() { found.hidden = true; }

  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.hidden = !words.length;
    if (!words.length || !sections) return;
    const best = sections.map(s => [worth(s, words), s]).filter(([w]) => w > 0).sort((a, b) => b[0] - a[0]);
    const none = document.createElement("p");
    none.textContent = best.length ? `${best.length} found` : "Nothing has all of these words.";
    found.replaceChildren(none, ...best.slice(0, MOST).map(([, s]) => line(s, words)));
  }

  function step(by) {
    const all = [field, ...found.querySelectorAll("a")], i = all.indexOf(document.activeElement);
    const next = all[Math.min(Math.max(i + by, 0), all.length - 1)];
    if (next) next.focus();
  }

  field.addEventListener("focus", prepare);
  field.addEventListener("input", () => { prepare(); show(); });
  document.getElementById("search").addEventListener("submit", e => {
    e.preventDefault();
    const first = found.querySelector("a");
    if (first) first.click();
  });
  document.addEventListener("keydown", e => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    if (e.key === "/" && !typing) { e.preventDefault(); field.focus(); }
    if (e.key === "Escape" && !found.hidden) { close(); field.focus(); }
    if (!found.hidden && (e.key === "ArrowDown" || e.key === "ArrowUp")) {
      e.preventDefault();
      step(e.key === "ArrowDown" ? 1 : -1);
    }
  });
  document.addEventListener("click", e => { if (!found.contains(e.target) && e.target !== field) close(); });
})();
