// How a run went: a few lines for a person on stderr, JSON for a program.
#include "summary.h"
#include "runtime/clock/clock.h"
#include <math.h>
#include <stdlib.h>

// Why events are not located, where there may be any; NULL.
static const char *unlocated(const nsm_sim *s, char *room, size_t size) {
  int any = s->a->on.contact.n + s->a->on.friction.n + s->a->on.relation.n > 0 || s->touching;
  if (s->a->located || s->a->scheme->collocates || !any) return NULL;
  snprintf(room, size, "%s does not", s->a->scheme->name);
  if (!s->a->scheme->located) return room;
  switch (s->a->unlocated) {
  case NSM_UNLOCATED_NAMED:   return "its scheme is named";
  case NSM_UNLOCATED_SHAPES:  return "contacts of shapes";
  case NSM_UNLOCATED_MANY:    return "many contacts and laws";
  case NSM_UNLOCATED_REFUSED: return "laws beside contacts";
  default:                    return "as said";
  }
}

static const char *many(long n) { return n == 1 ? "" : "s"; }

void nsm_summary_lines(nsm_sim *s, const nsm_summary *m, FILE *f) {
  const nsm_counters *c = &m->count;
  long steps = nsm_steps_done(s) < c->steps ? nsm_steps_done(s) : c->steps;
  fprintf(f, "%s: %s, t = %.10g s after %ld of %ld steps of %s", sim_text(s, s->a->m->name), m->status, nsm_time(s),
          steps, m->total, s->a->scheme->name);
  if (steps < c->steps) fprintf(f, " in %ld pieces", c->steps);
  fprintf(f, ", %.3g s", m->wall_s);
  if (m->compile_s > 0) fprintf(f, " (and %.3g s to compile)", m->compile_s);
  if (m->failed > 0)
    fprintf(f, "; %d of %d claims %s not hold", m->failed, m->held + m->failed, m->failed > 1 ? "do" : "does");
  fprintf(f, "\n");
  if (m->step_ns >= 0) fprintf(f, "  %.4g ns per step (median)\n", m->step_ns);
  fprintf(f, "  %ld Newton iteration%s, %ld of the one-step solver", c->newton_iterations, many(c->newton_iterations),
          c->solver_iterations);
  if (s->a->on.contact.n > 0) fprintf(f, ", %ld impact%s", c->impacts, many(c->impacts));
  if (sim_has_events(s)) fprintf(f, ", %ld event%s", c->events, many(c->events));
  if (s->a->located && s->n.r.n > 0) fprintf(f, ", %ld located", c->located);
  if (s->a->located) fprintf(f, ", %ld step%s captured", c->captured, many(c->captured));
  else if (s->a->scheme->collocates) fprintf(f, ", %ld of implicit Euler", c->captured);
  char room[64];
  const char *why = unlocated(s, room, sizeof room);
  if (why) fprintf(f, ", not located (%s)", why);
  if (c->halved > 0) fprintf(f, ", %ld step%s in parts", c->halved, many(c->halved));
  if (s->n.r.n > 0) fprintf(f, ", largest residual %.2g", c->max_residual);
  if (s->w.misses) fprintf(f, ", largest miss of a constraint %.2g", c->max_miss);
  if (s->touching)
    fprintf(f, "\n  %ld contact%s of shapes at a time, %.3g m deep", c->contacts, many(c->contacts), c->deepest);
  fprintf(f, "\n");
  const sim_ledger *g = &s->now.ledger;
  if (!g->on) {
    if (isfinite(m->began_J))
      fprintf(f, "  energy %.10g -> %.10g J; where it went: --summary FILE keeps the ledger\n", m->began_J, m->ended_J);
    return;
  }
  fprintf(
      f,
      "  energy %.10g -> %.10g J: drift %.2g, largest gain %.2g, contacts took %.4g (%.4g by friction), dampers %.4g, "
      "forces gave %.4g, residue %.2g\n",
      g->initial, g->kinetic + g->potential, g->drift, g->gain, g->contacts, g->friction, g->dampers, g->forces,
      g->residue);
  if (s->a->projects) fprintf(f, "  projections of places gave %.4g J\n", g->projected);
  if (sim_has_events(s) || g->resets != 0) fprintf(f, "  events took %.4g J\n", g->resets);
}

static const double missed = 1e-3;       // of the size of a constraint's terms

// What no residual of a step tells (ledger/misses.c), with the codes of compiler/base/diag_codes.def.
void nsm_summary_warnings(const nsm_sim *s, const nsm_summary *m, FILE *f) {
  const char *scheme = s->a->scheme->name;
  if (s->now.count.max_miss > missed) {
    char name[256];
    sim_row_name(s, s->now.miss_at, name, sizeof name);
    fprintf(f, "warning[W0850]: %s is missed by %.2g of the size of its terms, at t = %.10g s: '%s' keeps constraints "
            "on velocities, and places drift\n  = help: a smaller step; moreau(theta = 1/2) drifts by its square, "
            "consistent not at all\n", name, s->now.count.max_miss, s->now.miss_time, scheme);
  }
  if (s->w.trembles > 0) {
    const nsm_class *c = &s->a->m->cls[s->w.trembles_of];
    fprintf(f, "warning[W0853]: the `if` of line %d goes to and fro in %ld steps, the first at t = %.10g s: both "
            "branches drive back there, and what slides trembles by the step\n  = help: `if s > 0 then a else b` "
            "slides as (a + b)/2 + u, with multiplier u; relation N: u in (a - b)/2*sgn(s);\n", c->line,
            s->w.trembles, s->w.trembles_from);
  }
  if (sim_made_checked(s) > 0) {
    const sim_ledger *g = &s->now.ledger;
    char name[256];
    sim_row_name(s, g->made_at, name, sizeof name);
    fprintf(f,
            "warning[W0854]: impacts make %.3g J, %.2g of all energy, the most %.3g J at t = %.10g s, by %s: newton(e) "
            "can where friction or coefficients that differ are coupled\n  = help: poisson(e), binary(e) and lzb(e) "
            "make none; nor does one newton(e, e) for all\n",
            g->made, sim_made_checked(s), g->made_most, g->made_time, name);
  }
  nsm_energy now;
  double alone = s->now.ledger.on || m->message || !nsm_get_energy(s, &now) ? 0
                 : sim_gained_alone(s, m->began_J, now.kinetic, now.potential);
  if (alone > 0)
    fprintf(f, "warning[W0851]: the energy rose by %.3g J, and nothing gives any: '%s' does not resolve this motion\n"
            "  = help: a smaller step; scheme = consistent keeps the energy\n", alone, scheme);
  double checked = sim_residue_checked(s);
  if (checked > 0 && s->a->scheme->two_point)
    fprintf(f, "warning[W0851]: a step misses the balance of energy by %.3g J, %.2g of all energies and works: '%s' "
            "keeps it to round-off\n  = help: a smaller step, or a smaller --tolerance\n", s->now.ledger.missed,
            checked, scheme);
  else if (checked > 0)
    fprintf(f, "warning[W0851]: %.3g J came from nowhere, %.2g of all energy that was exchanged: '%s' does not resolve "
            "this motion\n  = help: a smaller step; scheme = consistent keeps the energy\n", s->now.ledger.gains,
            checked, scheme);
}

static void string(FILE *f, const char *t) {
  fputc('"', f);
  for (; *t; t++) {
    unsigned char c = (unsigned char)*t;
    if (c == '"' || c == '\\') fprintf(f, "\\%c", c);
    else if (c < 0x20) fprintf(f, "\\u%04x", c);
    else fputc(c, f);
  }
  fputc('"', f);
}

static void number(FILE *f, double x) {
  char text[NSM_NUMBER_ROOM];
  if (!isfinite(x)) { fputs("null", f); return; }          // JSON has no nan
  fwrite(text, 1, (size_t)nsm_number(x, text), f);
}

static void entry(FILE *f, const char *key, double x) {
  fprintf(f, "  \"%s\": ", key);
  number(f, x);
  fputs(",\n", f);
}

static void energy(FILE *f, const sim_ledger *g) {
  const char *const key[] = { "initial",  "final",    "drift",   "gain",    "forces",
                              "contacts", "friction", "dampers", "residue", "made" };
  const double value[] = { g->initial, g->kinetic + g->potential, g->drift,   g->gain,   g->forces,
                           g->contacts, g->friction,              g->dampers, g->residue, g->made };
  fputs("  \"energy\": {", f);
  for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
    fprintf(f, "%s\"%s\": ", i ? ", " : " ", key[i]);
    number(f, value[i]);
  }
  fputs(" },\n", f);
}

// What each contact took: by impacts, and by friction. Those that took nothing are left out.
static void losses(nsm_sim *s, FILE *f) {
  const sim_rows *r = &s->n.r;
  int listed = 0;
  fputs("  \"losses\": {", f);
  for (int row = 0; row < r->n; row++) {
    if (r->cls[row] >= s->a->given->nclass) continue;         // of shapes: rows are not the same contact for long
    int k = r->friction_of[row], rows[3 + SIM_SLIPS] = { row }, n = k < 0 ? 1 : sim_friction_rows(s, k, rows),
        kind = s->a->cls[r->cls[row]].c->kind;
    double impacts = kind == NSM_CONTACT ? s->now.loss[row] : 0, friction = 0;
    if (rows[0] != row || !sim_contactlike(s->a->cls[r->cls[row]].c)) continue;
    for (int d = 0; d < n; d++) friction += s->a->cls[r->cls[rows[d]]].c->kind == NSM_FRICTION ? s->now.loss[rows[d]] :
        0;
    if (impacts == 0 && friction == 0) continue;
    char name[256];
    sim_row_name(s, row, name, sizeof name);
    fputs(listed++ ? ",\n    " : "\n    ", f);
    string(f, name);
    fputs(": { \"impacts\": ", f);
    number(f, impacts);
    fputs(", \"friction\": ", f);
    number(f, friction);
    fputs(" }", f);
  }
  fputs(listed ? "\n  },\n" : "},\n", f);
}

static void counters(nsm_sim *s, const nsm_counters *c, FILE *f) {
  fprintf(f, "  \"newton_iterations\": %ld,\n  \"solver_iterations\": %ld,\n  \"impacts\": %ld,\n",
          c->newton_iterations, c->solver_iterations, c->impacts);
  if (c->whole_steps > 0) fprintf(f, "  \"whole_steps\": %ld,\n", c->whole_steps);
  entry(f, "max_residual", c->max_residual);
  if (s->w.misses) entry(f, "max_miss", c->max_miss);
  fprintf(f, "  \"tolerance_reached\": %s,\n",
          c->stagnations == 0 && c->accepted == 0 && c->unsettled == 0 && c->missed == 0 ? "true" : "false");
  fprintf(f, "  \"accepted\": %ld,\n", c->accepted);
  if (c->halved > 0) fprintf(f, "  \"halved\": %ld,\n", c->halved);
  if (c->softened > 0) fprintf(f, "  \"softened\": %ld,\n", c->softened);
  if (c->unsettled > 0) fprintf(f, "  \"unsettled\": %ld,\n", c->unsettled);
  if (s->touching) {
    fprintf(f, "  \"contacts\": %ld,\n", c->contacts);
    entry(f, "deepest", c->deepest);
  }
  if (s->unique) fprintf(f, "  \"several_solutions\": %ld,\n", sim_unique_steps(s));
  if (s->a->located) fprintf(f, "  \"located\": %ld,\n", c->located);
  if (s->a->located || s->a->scheme->collocates) fprintf(f, "  \"captured\": %ld,\n", c->captured);
  if (c->accepted > 0) entry(f, "worst_accepted", c->worst_accepted);
  if (c->piles > 0) {
    fprintf(f, "  \"piles\": %ld,\n  \"missed\": %ld,\n", c->piles, c->missed);
    entry(f, "pile_tolerance", c->pile_tolerance);
  }
  if (c->missed > 0) {
    entry(f, "worst_missed", c->worst_missed);
    entry(f, "closing", c->closing);
  }
}

// All columns at the end; 0 where there is no memory for them.
static int final_row(nsm_sim *s, FILE *f) {
  fputs("  \"final\": {", f);
  int n = nsm_ncolumn(s);
  double *row = malloc((size_t)n * sizeof *row);
  if (row) { nsm_read(s, row); nsm_in_units(s, row); }
  for (int i = 0; row && i < n; i++) {
    fputs(i ? ",\n    " : "\n    ", f);
    string(f, nsm_column_name(s, i));
    fputs(": ", f);
    number(f, row[i]);
  }
  int known = row != NULL;
  free(row);
  return known;
}

int nsm_summary_json(nsm_sim *s, const nsm_summary *m, FILE *f) {
  const nsm_counters *c = &m->count;
  fputs("{\n  \"status\": ", f);
  string(f, m->status);
  fputs(",\n  \"model\": ", f);
  string(f, sim_text(s, s->a->m->name));
  fputs(",\n  \"scheme\": ", f);
  string(f, s->a->scheme->name);
  if (m->message) { fputs(",\n  \"message\": ", f); string(f, m->message); }
  fprintf(f, ",\n  \"steps\": %ld,\n", c->steps);
  entry(f, "time", nsm_time(s));
  entry(f, "wall_s", m->wall_s);
  entry(f, "compile_s", m->compile_s);
  if (m->step_ns >= 0) entry(f, "step_ns", m->step_ns);
  counters(s, c, f);
  if (m->held + m->failed + m->not_reached > 0)
    fprintf(f, "  \"claims\": { \"held\": %d, \"failed\": %d, \"not_reached\": %d },\n", m->held, m->failed,
            m->not_reached);
  if (s->now.ledger.on) {
    energy(f, &s->now.ledger);
    losses(s, f);
  }
  char euler[512];
  if (sim_weights_note(s, euler, sizeof euler)) {
    fputs("  \"implicit_euler\": ", f);
    string(f, euler);
    fputs(",\n", f);
  }
  if (*s->a->note) { fputs("  \"note\": ", f); string(f, s->a->note); fputs(",\n", f); }
  int known = final_row(s, f);
  fputs("\n  }\n}\n", f);
  return known && fflush(f) == 0 && !ferror(f);
}
