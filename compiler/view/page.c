// What a page tells of a run. Facts are JSON; numbers are blocks, little-endian as the processors are that run this:
// float64 for columns, which are the same bits that the CSV prints, float32 for what is only looked at.
#include "pack.h"
#include "page_parts.h"
#include "thin.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "blocks of numbers are little-endian");

// ---- pieces ---------------------------------------------------------------------------------------------------------
void page_string(Text *out, const char *s) {
  Text t = {0};
  text_json_string(&t, s);
  for (const char *c = text_str(&t); *c; c++) {
    if (*c == '<') text_add(out, "\\u003c");
    else text_addc(out, *c);
  }
  text_free(&t);
}

static void number(Text *out, double x) {
  if (isfinite(x)) text_number(out, x);
  else text_add(out, "null");
}

static void numbers(Text *out, const double *x, int n) {
  text_addc(out, '[');
  for (int i = 0; i < n; i++) {
    if (i) text_addc(out, ',');
    number(out, x[i]);
  }
  text_addc(out, ']');
}

void page_key(Text *out, const char *name) { text_printf(out, ",\n\"%s\": ", name); }
static void fact(Text *out, const char *name, const char *value) { page_key(out, name); page_string(out, value); }
static void count(Text *out, const char *name, double value) { page_key(out, name); number(out, value); }

// ---- facts ----------------------------------------------------------------------------------------------------------
static void columns(const Trace *t, Text *out) {
  page_key(out, "columns");
  text_addc(out, '[');
  for (int i = 0; i < t->ncolumn; i++) {
    const TraceColumn *c = &t->column[i];
    text_add(out, i ? ",\n{\"name\": " : "{\"name\": ");
    page_string(out, c->name);
    text_add(out, ", \"unit\": ");
    page_string(out, c->unit);
    text_add(out, ", \"doc\": ");
    page_string(out, c->doc);
    if (c->output) text_add(out, ", \"output\": true");
    if (column_is_constant(c)) {                                  // one number stands for all
      text_add(out, ", \"value\": ");
      number(out, c->value.at[0]);
    }
    text_addc(out, '}');
  }
  text_addc(out, ']');
}

// In the unit of its value, where it is known.
static void range(const Model *m, const nsm_parameter *p, Text *out) {
  for (int i = 0; i < m->nparam; i++) {
    if (strcmp(m->param[i].name, p->name)) continue;
    double end[2];
    model_param_range(m, i, &end[0], &end[1]);
    if (isnan(end[0])) return;
    for (int k = 0; k < 2; k++) end[k] = nsm_from_si(end[k], nsm_unit_scale(p->unit));
    text_add(out, ", \"range\": ");
    numbers(out, end, 2);
    return;
  }
}

static void parameters(const Trace *t, Text *out) {
  page_key(out, "parameters");
  text_addc(out, '[');
  for (int i = 0; t->parameter && i < nsm_nparameter(t->p); i++) {
    nsm_parameter p = nsm_parameter_at(t->p, i);
    text_add(out, i ? ",\n{\"name\": " : "{\"name\": ");
    page_string(out, p.name);
    text_add(out, ", \"unit\": ");
    page_string(out, p.unit);
    text_add(out, ", \"doc\": ");
    page_string(out, p.doc);
    text_printf(out, ", \"fixed\": %s, \"value\": ", p.fixed ? "true" : "false");
    number(out, nsm_from_si(t->parameter[i], nsm_unit_scale(p.unit)));
    range(t->p->c->model, &p, out);
    text_addc(out, '}');
  }
  text_addc(out, ']');
}

static void claims(const Trace *t, Text *out) {
  static const char *const word[] = { "holds", "fails", "not reached" };
  const Model *m = t->p->c->model;
  page_key(out, "claims");
  text_addc(out, '[');
  for (int i = 0; i < t->nclaim; i++) {
    Span at = m->expect[i].span;
    text_add(out, i ? ",\n{\"text\": " : "{\"text\": ");
    page_string(out, m->expect[i].text);
    text_printf(out, ", \"line\": %d, \"outcome\": \"%s\"}", at.file ? source_line(at.file, at.lo) : 0,
                t->claims_known ? word[t->claim[i]] : "not checked");
  }
  text_addc(out, ']');
}

static void diagnostics(const Trace *t, Text *out) {
  static const char *const severity[] = { "error", "warning", "note" };
  const nsm_diagnostic *d = nsm_diagnostics(t->p);
  page_key(out, "diagnostics");
  text_addc(out, '[');
  for (int i = 0; i < nsm_ndiagnostic(t->p); i++) {
    text_printf(out, "%s{\"severity\": \"%s\", \"code\": \"%s\", \"line\": %d, \"message\": ", i ? ",\n" : "",
                severity[d[i].severity], d[i].code, d[i].line);
    page_string(out, d[i].message);
    text_add(out, ", \"help\": ");
    page_string(out, d[i].help);
    text_addc(out, '}');
  }
  text_addc(out, ']');
}

static void part(const nsm_part *p, Text *out) {
  text_printf(out, "{\"kind\": %d, \"size\": ", p->kind);
  numbers(out, p->size, 3);
  text_add(out, ", \"at\": ");
  numbers(out, p->at, 3);
  text_add(out, ", \"turn\": ");
  numbers(out, p->turn, 9);
  if (p->ncorner) {
    text_add(out, ", \"corner\": ");
    numbers(out, p->corner, 3 * p->ncorner);
  }
  text_addc(out, '}');
}

static void bodies(const Trace *t, Text *out) {
  page_key(out, "bodies");
  text_addc(out, '[');
  for (int i = 0; i < t->nbody; i++) {
    const TraceBody *b = &t->body[i];
    text_add(out, i ? ",\n{\"name\": " : "{\"name\": ");
    page_string(out, b->name);
    text_printf(out, ", \"moves\": %s, \"pose\": ", b->moves ? "true" : "false");
    numbers(out, b->pose, 12);
    text_add(out, ", \"parts\": [");
    for (int k = 0; k < b->npart; k++) {
      if (k) text_addc(out, ',');
      part(&b->part[k], out);
    }
    text_add(out, "]}");
  }
  text_addc(out, ']');
}

static void drawings(const Trace *t, Text *out) {
  page_key(out, "drawings");
  text_addc(out, '[');
  for (int i = 0; i < t->ndrawing; i++) {
    const TraceDrawing *d = &t->drawing[i];
    text_printf(out, "%s{\"shape\": \"%s\", \"members\": %d, \"arguments\": [", i ? ",\n" : "", d->of.shape,
                d->members);
    for (int k = 0; k < d->of.nargument; k++) text_printf(out, "%s%d", k ? ", " : "", d->of.argument[k]);
    text_add(out, "], \"text\": ");
    page_string(out, d->of.text);
    text_addc(out, '}');
  }
  text_addc(out, ']');
}

static void plots(const Trace *t, Text *out) {
  const Model *m = t->p->c->model;
  page_key(out, "plots");
  text_addc(out, '[');
  for (int i = 0; i < m->nplot; i++) {
    const MPlot *p = &m->plot[i];
    text_add(out, i ? ",\n{\"title\": " : "{\"title\": ");
    page_string(out, p->title);
    text_add(out, ", \"columns\": [");
    for (int k = 0; k < p->ncolumn; k++) {
      if (k) text_addc(out, ',');
      page_string(out, p->column[k]);
    }
    text_add(out, "], \"over\": ");
    page_string(out, p->over ? p->over : "");
    text_addc(out, '}');
  }
  text_addc(out, ']');
}

static void outcome(const Trace *t, Text *out) {
  static const struct { nsm_code code; const char *word; } all[] = {
    { NSM_OK, "ok" }, { NSM_CLAIM, "claim failed" }, { NSM_INTERRUPTED, "interrupted" }, { NSM_STOPPED, "ok" } };
  const char *word = t->began ? "failed" : "did not begin";
  for (size_t i = 0; t->began && i < sizeof all / sizeof *all; i++) if (all[i].code == t->code) word = all[i].word;
  fact(out, "status", word);
  fact(out, "message", t->message);
  count(out, "time", t->time);
  count(out, "seconds", t->seconds);
  count(out, "steps", (double)t->count.steps);
  count(out, "stepsTotal", (double)t->steps_total);
  count(out, "newton", (double)t->count.newton_iterations);
  count(out, "solver", (double)t->count.solver_iterations);
  count(out, "impacts", (double)t->count.impacts);
  count(out, "events", (double)t->count.events);
  count(out, "residual", t->count.max_residual);
  count(out, "miss", t->count.max_miss);
  if (!t->ledger) return;
  const nsm_energy *g = &t->energy;
  const double value[] = { g->initial, g->kinetic + g->potential, g->forces, g->dampers, g->contacts, g->friction,
                           g->residue };
  static const char *const name[] = { "initial", "final", "forces", "dampers", "contacts", "friction", "residue" };
  page_key(out, "energy");
  for (int i = 0; i < 7; i++) {
    text_printf(out, "%s\"%s\": ", i ? ", " : "{", name[i]);
    number(out, value[i]);
  }
  text_addc(out, '}');
}

// What is the same in each run of the same.
void page_lasting(const Trace *t, const PageFacts *f, Text *out) {
  const Compilation *c = t->p->c;
  fact(out, "model", nsm_program_name(t->p));
  fact(out, "path", f->path);
  fact(out, "scheme", c->plan ? c->plan->scheme->name : "");
  fact(out, "source", f->source);
  fact(out, "printed", f->diagnostics);
  count(out, "rows", (double)t->rows);
  columns(t, out);
  parameters(t, out);
  claims(t, out);
  diagnostics(t, out);
  bodies(t, out);
  drawings(t, out);
  plots(t, out);
  page_key(out, "contacts");
  text_addc(out, '[');
  for (int i = 0; i < t->ncontact; i++) {
    if (i) text_addc(out, ',');
    page_string(out, t->contact[i]);
  }
  text_addc(out, ']');
  count(out, "pictures", (double)t->picture_time.n);
  count(out, "pictureNumbers", t->picture_numbers);
  count(out, "points", (double)t->point.n);
}

void page_facts(const Trace *t, const PageFacts *f, Text *out) {
  text_add(out, "{\"version\": ");
  page_string(out, nsm_version());
  fact(out, "command", f->command);
  fact(out, "notes", f->notes);
  if (f->motion) fact(out, "motion", f->motion);
  page_key(out, "served");
  text_add(out, f->served || f->live ? "true" : "false");
  count(out, "kept", (double)t->kept);
  outcome(t, out);
  page_lasting(t, f, out);
}

// ---- blocks ---------------------------------------------------------------------------------------------------------
PageBlock *page_block_room(const Trace *t) { return ARENA_ARRAY(t->a, PageBlock, 2*t->ncolumn + PAGE_OTHER_BLOCKS); }

int page_blocks(const Trace *t, PageBlock *out) {
  int n = 0;
  for (int i = 0; i < t->ncolumn; i++) {
    const TraceColumn *c = &t->column[i];
    if (column_is_constant(c)) continue;
    bool time = !strcmp(c->name, "time");
    const double *value = t->kept ? c->kept_value.at : c->value.at;
    out[n] = (PageBlock){ .bytes = value, .n = (t->kept ? c->kept_value.n : c->value.n) * sizeof(double), .series = 1,
                          .near = time ? PACK_TIMES : PACK_VALUES };
    snprintf(out[n++].name, sizeof out->name, "column%d", i);
    if (!t->kept || time) continue;
    out[n] = (PageBlock){ .bytes = c->kept_time.at, .n = c->kept_time.n * sizeof(double), .series = 1,
                          .near = PACK_TIMES };
    snprintf(out[n++].name, sizeof out->name, "times%d", i);
  }
  const PageBlock other[PAGE_OTHER_BLOCKS] = {
    { "points", t->point.at, t->point.n * sizeof *t->point.at, 0, false, 0 },
    { "marks", t->mark.at, t->mark.n * sizeof *t->mark.at, 0, false, 0 },
    { "bands", t->band.at, t->band.n * sizeof *t->band.at, 0, false, 0 },
    { "picture", t->picture.at, t->picture.n * sizeof *t->picture.at, t->picture_numbers, true, PACK_VALUES },
    { "pictureTime", t->picture_time.at, t->picture_time.n * sizeof *t->picture_time.at, 1, false, PACK_TIMES },
    { "touch", t->touch.at, t->touch.n * sizeof *t->touch.at, 6, true, PACK_VALUES },
    { "touches", t->touches.at, t->touches.n * sizeof *t->touches.at, 0, false, 0 } };
  for (int i = 0; i < PAGE_OTHER_BLOCKS; i++)
    if (other[i].n) out[n++] = other[i];
  return n;
}

void page_answer(const Trace *t, const PageFacts *f, Text *out) {
  PageBlock *all = page_block_room(t);
  Text facts = {0};
  int n = page_blocks(t, all);
  size_t at = 0;
  page_facts(t, f, &facts);
  page_key(&facts, "blocks");
  for (int i = 0; i < n; i++) {
    text_printf(&facts, "%s\"%s\": [%zu, %zu]", i ? ", " : "{", all[i].name, at, all[i].n);
    at += (all[i].n + 7)/8*8;
  }
  text_add(&facts, n ? "}}" : "{}}");
  while (facts.n % 8) text_addc(&facts, ' ');
  unsigned char head[8] = { 0 };
  for (int i = 0; i < 8; i++) head[i] = (unsigned char)((uint64_t)facts.n >> 8*i);
  text_addn(out, (const char *)head, sizeof head);
  text_addn(out, facts.at, facts.n);
  for (int i = 0; i < n; i++) {
    text_addn(out, all[i].bytes, all[i].n);
    text_addn(out, "\0\0\0\0\0\0\0", (8 - all[i].n % 8) % 8);
  }
  text_free(&facts);
}
