// The page as HTML: its frame, page/page.html, with style, scripts, facts and blocks in it.
#include "page_parts.h"
#include <stdlib.h>
#include <string.h>

#define SCRIPT(symbol, file) extern const char symbol[];
#include "scripts.def"
#undef SCRIPT
extern const char page_html[], page_css[], page_worker_js[];

size_t page_frame(void) {
  size_t n = strlen(page_html) + strlen(page_css);
#define SCRIPT(symbol, file) n += strlen(symbol);
#include "scripts.def"
#undef SCRIPT
  return n;
}

// ---- elements -------------------------------------------------------------------------------------------------------
static void escaped(Text *out, const char *s) {
  for (; *s; s++) {
    if (*s == '<') text_add(out, "&lt;");
    else if (*s == '&') text_add(out, "&amp;");
    else text_addc(out, *s);
  }
}

// What a page needs to compute; its worker is a script that the page starts, not the browser.
static void live(const PageLive *l, Text *out) {
  text_add(out, "<script type=\"application/json\" id=\"live\">{\"words\": ");
  page_string(out, l->words);
  page_key(out, "files");
  text_addc(out, '[');
  for (int i = 0; i < l->nfile; i++) {
    text_add(out, i ? ",\n{\"path\": " : "{\"path\": ");
    page_string(out, l->file[i].path);
    text_add(out, ", \"text\": \"");
    page_base64(out, l->file[i].text, l->file[i].n);
    text_add(out, "\"}");
  }
  text_addc(out, ']');
  page_key(out, "vocabulary");
  page_string(out, l->vocabulary);
  text_add(out, "}</script>\n<script type=\"text/plain\" id=\"worker\">");
  text_add(out, page_worker_js);
  text_printf(out, "</script>\n<script type=\"application/octet-stream\" id=\"module\" data-bytes=\"%zu\">", l->n);
  page_base91(out, l->module, l->n);
  text_add(out, "</script>\n");
}

// In the page: elements that a browser does not read before somebody asks for them.
static void page_data(const Trace *t, const PageFacts *f, Text *out) {
  PageBlock *all = page_block_room(t);
  int n = page_blocks(t, all);
  text_add(out, "<script type=\"application/json\" id=\"facts\">");
  page_facts(t, f, out);
  text_add(out, "}</script>\n");
  if (f->live) live(f->live, out);
  for (int i = 0; i < n; i++) page_block_write(t, &all[i], out);
}

static void equations(const Trace *t, Text *out) {
  size_t n = nsm_derivation(t->p, "mathml", NULL, 0);
  char *text = malloc(n + 1);
  if (!text) return;
  nsm_derivation(t->p, "mathml", text, n + 1);
  text_addn(out, text, n);
  free(text);
}

static void scripts(Text *out) {
  text_add(out, "<script>\n\"use strict\";\n(() => {\n");
#define SCRIPT(symbol, file) text_add(out, symbol);
#include "scripts.def"
#undef SCRIPT
  text_add(out, "})();\n</script>\n");
}

// page.html up to the mark <!-- name -->; *at goes behind it.
static void up_to(const char **at, const char *name, Text *out) {
  char mark[40];
  snprintf(mark, sizeof mark, "<!-- %s -->", name);
  const char *found = strstr(*at, mark);
  if (!found) return;
  text_addn(out, *at, (size_t)(found - *at));
  *at = found + strlen(mark);
}

void page_write(const Trace *t, const PageFacts *f, Text *out) {
  const char *at = page_html;
  up_to(&at, "security", out);
  text_printf(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "style-src 'unsafe-inline'; script-src 'unsafe-inline'%s; img-src data: blob:; connect-src %s\">",
              f->live ? " 'wasm-unsafe-eval'; worker-src blob:" : "", f->served ? "'self'" : "'none'");
  up_to(&at, "title", out);
  escaped(out, nsm_program_name(t->p));
  up_to(&at, "style", out);
  text_printf(out, "<style>\n%s</style>", page_css);
  up_to(&at, "equations", out);
  equations(t, out);
  up_to(&at, "data", out);
  page_data(t, f, out);
  up_to(&at, "scripts", out);
  scripts(out);
  text_add(out, at);
}
