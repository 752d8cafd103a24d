// node tests/live/node.js WORKER_JS MODULE.wasm < JSON: what a page that computes would answer, without a browser.
// The JSON: {words, path, text, files: [{path, base64}], runs: [[NAME=VALUE, ...], ...]}. On stdout a line of JSON for
// the opening and for each run; the data of the last one goes to fd 3.
"use strict";
const fs = require("fs");
const Nsm = new Function(fs.readFileSync(process.argv[2], "utf8") + "\nreturn Nsm;")();
const module_ = new WebAssembly.Module(fs.readFileSync(process.argv[3]));
const asked = JSON.parse(fs.readFileSync(0, "utf8"));
const files = (asked.files || []).map(f => ({ path: f.path, bytes: Buffer.from(f.base64, "base64") }));
const nsm = new Nsm(module_);
console.log(JSON.stringify({ code: nsm.open({ ...asked, files }), said: nsm.heard }));
let data = null;
for (const lines of asked.runs) {
  const r = nsm.run(lines);
  data = r.data;
  console.log(JSON.stringify({ code: r.code, said: r.said, memory: r.memory, bytes: data ? data.byteLength : 0 }));
  if (nsm.broken) break;
}
if (data && asked.wanted !== false) fs.writeFileSync(3, new Uint8Array(data));
