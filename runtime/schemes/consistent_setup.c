// The energy-consistent schemes: which models they take, sizes, and the graph of K. Nothing here runs in a step.
#include "consistent.h"
#include <math.h>
#include <string.h>

// ---- which models ---------------------------------------------------------------------------------------------------
static int refuse(nsm_sim *s, int cls, const char *why, nsm_error *e) {
  char name[256];
  sim_family_name(name, sizeof name, sim_text(s, s->a->m->cls[cls].label));
  sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(cls), "line %d: the energy-consistent schemes %s (%s); `moreau` does",
              s->a->m->cls[cls].line, why, name);
  return 0;
}

// A compliant contact stands for a potential: only where it gives way.
static int compliances(nsm_sim *s, nsm_error *e) {
  for (int a = 0; a < s->a->on.compliant.n; a++) {
    int cls = s->a->on.compliant.of[a];
    const sim_class *k = &s->a->cls[cls];
    for (int i = 0; i < k->tab.count; i++) {
      double c = k->tab.num[(size_t)i * (size_t)k->c->nnum + (size_t)k->c->compliance_num];
      if (c > 0 && isfinite(c)) continue;
      char name[256];
      sim_instance_name(s, cls, i, name, sizeof name);
      sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(cls),
                  "line %d: the compliance of %s, the factor of its force in the gap, is %.6g; it must be positive (a "
                  "rigid contact has no force in its gap, and an impact law)",
                  k->c->line, name, c);
      return 0;
    }
  }
  return 1;
}

int sim_consistent_fits(nsm_sim *s, nsm_error *e) {
  if (!sim_own_velocities(s, e)) return 0;
  if (s->a->nx > 0) {
    char name[256];
    sim_z_name(s, s->a->nv, name, sizeof name);
    sim_fail_at(
        e, NSM_MODEL_WRONG, sim_at_z(s, s->a->nv),
        "the energy-consistent schemes take mechanical systems only, and %s is a first-order state; `moreau` takes "
        "both",
        name);
    return 0;
  }
  for (int a = 0; a < s->a->m->nclass; a++) {
    const nsm_class *c = &s->a->m->cls[a];
    const sim_class *k = &s->a->cls[a];
    if (k->tab.count == 0) continue;
    if (c->kind == NSM_RELATION) return refuse(s, a, "know no relations", e);
    if (c->kind == NSM_SMOOTH && c->g_stage != NSM_NONE)
      return refuse(s, a, "know no multipliers of relations in forces", e);
    if (c->kind == NSM_SMOOTH && (c->mass_stage != NSM_NONE || c->f_stage != NSM_NONE) && !c->c_fn)
      return refuse(s, a, "have no discrete form of this term", e);
    if (c->kind == NSM_CONSTRAINT && c->velocity_level && !c->dg_fn)
      return refuse(s, a, "have no discrete form of this constraint", e);
    if (c->kind == NSM_FRICTION && s->a->scheme->one_step)
      return refuse(s, a, "with one step know no friction", e);
    if (sim_contactlike(c) && c->kind != NSM_FRICTION && !c->dg_fn && c->h_stage > NSM_EVENT)
      return refuse(s, a, "have no discrete derivative of this gap", e);
    if (!s->a->scheme->one_step || c->kind != NSM_CONTACT) continue;
    for (int i = 0; i < k->tab.count; i++) {
      double r = c->e_num >= 0 ? k->tab.num[(size_t)i * (size_t)c->nnum + (size_t)c->e_num] : 0;
      if (r == 1) continue;
      char name[256];
      sim_instance_name(s, a, i, name, sizeof name);
      sim_fail_at(
          e, NSM_MODEL_WRONG, sim_at_class(a),
          "line %d: `consistent1` is for elastic impacts, e = 1, and %s has e = %.6g (a resting contact would sink); "
          "use `consistent`",
          c->line, name, r);
      return 0;
    }
  }
  return compliances(s, e);
}

// ---- graph of K -----------------------------------------------------------------------------------------------------
// d row / d q_col: through u and, where P of (9) has an entry, through kappa.
static void edge_q(const nsm_sim *s, sim_graph *g, int row, int col) {
  const sim_rows *r = &s->n.r;
  const struct sim_consistent *c = s->n.con;
  sim_graph_edge(g, row, col);
  for (int e = r->z0[col]; e < r->z0[col + 1]; e++)
    if (c->of[r->zs[e]] >= 0) sim_graph_edge(g, row, s->a->nv + c->ns + c->of[r->zs[e]]);
}

static void edges_square(const nsm_sim *s, sim_graph *g, const sim_class *k, const nsm_pattern *p) {
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) {
      int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]);
      if (p->wrt[e] == NSM_WRT_Q) edge_q(s, g, row, col);
      else sim_graph_edge(g, row, col);
    }
}

static void edges(nsm_sim *s, sim_graph *g) {
  const struct sim_consistent *c = s->n.con;
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.smooth.of[a]];
    edges_square(s, g, k, &k->c->mass);
    edges_square(s, g, k, &k->c->cjac);
  }
  for (int a = 0; a < s->a->on.row.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.row.of[a]];
    edges_square(s, g, k, &k->c->curve);
    if (k->c->kind != NSM_CONSTRAINT) continue;
    for (int i = 0; i < k->tab.count; i++) {
      int rate = s->a->nv + c->of[k->row0 + i], gap = rate + c->ns;
      const nsm_pattern *patterns[] = { &k->c->h, &k->c->dr, &k->c->rq, &k->c->gq };
      for (int n = 0; n < 4; n++)
        for (int e = 0; e < patterns[n]->n; e++) {
          int z = sim_z_of(s, k, i, patterns[n]->col[e]);
          edge_q(s, g, rate, z);
          edge_q(s, g, gap, z);
        }
    }
  }
}

static void shape_matrix(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  sim_graph g = sim_graph_count(s, c->n);
  edges(s, &g);
  sim_graph_fill(s, &g);
  edges(s, &g);
  sim_graph_close(&g);
  int *node = sim_nodes(s, c->n, c->ns, c->row, s->a->nv, s->a->nv + c->ns);
  sim_matrix_shape(s, &c->k, c->n, g.start, g.neighbour, node);
  sim_give(s, node);
  sim_graph_give(s, &g);
  con_entries_room(s);
  c->constrained = SIM_NEW(s, c->k.nblock, unsigned char);
  c->inverted = SIM_NEW(s, c->k.nblock, unsigned char);
  c->inverse = SIM_NEW(s, c->k.nblock, double *);
  size_t room = 0, n = 0;
  for (int b = 0; b < c->k.nblock; b++) {
    sim_block *k = &c->k.block[b];
    for (int i = k->first; i < k->first + k->n; i++) c->constrained[b] |= c->k.order[i] >= s->a->nv;
    if (!c->constrained[b]) continue;
    size_t m = (size_t)k->n, values = k->kind == BLOCK_SPARSE ? k->sparse->values : m * (size_t)k->ld;
    if (k->kind == BLOCK_TRIDIAGONAL) k->kind = BLOCK_BAND;    // which finds pivots below the diagonal
    if (values > room) room = values;
    if ((m <= PSEUDO_MOST || k->kind == BLOCK_DENSE) && m > n) n = m;
  }
  c->keep = SIM_NEW(s, room, double);
  c->right = SIM_NEW(s, n * n, double);
  c->row_scale = SIM_NEW(s, c->n, double);
  c->col_scale = SIM_NEW(s, c->n, double);
  c->jpvt = SIM_NEW(s, n, int);
  c->lwork = nsm_la_pseudo_inverse_work((int)n);
  c->work = SIM_NEW(s, c->lwork, double);
  c->rhs = SIM_NEW(s, c->n, double);
}

// ---- contacts -------------------------------------------------------------------------------------------------------
static void touched_blocks(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  const sim_matrix *k = &c->k;
  int *last = c->seat, n = 0;
  for (int i = 0; i < k->nblock; i++) last[i] = -1;
  for (int row = 0; row < s->n.r.n; row++) {
    for (int e = s->n.r.c0[row]; c->of[row] < 0 && e < s->n.r.c0[row + 1]; e++) {
      int b = k->block_of[s->n.r.cz[e]];
      if (last[b] == row) continue;
      last[b] = row;
      c->blocks[n++] = b;
    }
    c->blocks0[row + 1] = n;
  }
}

void con_touched(nsm_sim *s) {
  touched_blocks(s);
  memset(s->n.con->has_column, 0, (size_t)s->n.r.n);
}

static void contacts_room(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  size_t n = (size_t)c->nc, entries = (size_t)s->n.r.c0[s->n.r.n];
  c->seat = SIM_NEW(s, c->k.nblock, int);
  c->blocks0 = SIM_NEW(s, s->n.r.n + 1, int);
  c->blocks = SIM_NEW(s, entries, int);
  c->x0 = SIM_NEW(s, entries, size_t);
  c->at_block0 = SIM_NEW(s, c->k.nblock, int);
  c->at_end = SIM_NEW(s, c->k.nblock, int);
  c->at_block = SIM_NEW(s, entries, int);
  c->at_x = SIM_NEW(s, entries, size_t);
  c->has_column = SIM_NEW(s, s->n.r.n, unsigned char);
  con_touched(s);
  int **ints[] = { &c->act, &c->parent, &c->member, &c->local, &c->count, &c->next };
  for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) *ints[i] = SIM_NEW(s, n, int);
  c->zero = SIM_NEW(s, n, unsigned char);
  c->row_start = SIM_NEW(s, n + 1, int);
  c->mark = SIM_NEW(s, n, int);
  for (size_t i = 0; i < n; i++) c->mark[i] = -1;
  c->index = SIM_NEW(s, s->n.r.n, int);
  c->crowd = SIM_NEW(s, c->k.nblock, int);
  double **sized[] = { &c->qv, &c->terms, &c->lo, &c->hi, &c->lam, &c->uv, &c->l0, &c->diag, &c->line };
  for (size_t i = 0; i < sizeof sized / sizeof *sized; i++) *sized[i] = SIM_NEW(s, n, double);
  sim_solver_analyse(s, &c->solver, s->now.con_tiny, c->nc);
}

// R1 affine with a constant Jacobian, gaps with constant directions, constant friction, no constraints.
static int is_affine(const nsm_sim *s) {
  int yes = s->n.con->ns == 0 && s->a->on.mu.n == 0;
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    const nsm_class *c = s->a->cls[s->a->on.smooth.of[a]].c;
    yes &= !c->c_fn || c->c_affine;
  }
  for (int a = 0; a < s->a->on.contact.n; a++) {
    const nsm_class *c = s->a->cls[s->a->on.contact.of[a]].c;
    yes &= c->y_affine && c->h_stage <= NSM_EVENT && c->curve.n == 0;
  }
  for (int a = 0; a < s->a->on.friction.n; a++) yes &= s->a->cls[s->a->on.friction.of[a]].c->h_stage <= NSM_EVENT;
  return yes;
}

static void mass_diagonal(nsm_sim *s) {
  double *m = s->n.con->mass_inverse;
  for (int a = 0; a < s->a->on.mass.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.mass.of[a]];
    const nsm_pattern *p = &k->c->mass;
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++)
        if (sim_z_of(s, k, i, p->row[e]) == sim_z_of(s, k, i, p->col[e]))
          m[sim_z_of(s, k, i, p->row[e])] += k->mass[(size_t)i * (size_t)p->n + (size_t)e];
  }
  for (int i = 0; i < s->a->nv; i++) m[i] = m[i] > 0 ? 1 / m[i] : 0;
}

// The mean of H of class k, its velocities, and its places in the columns of P.
static void means(nsm_sim *s, const sim_class *k, con_class *o) {
  const sim_rows *r = &s->n.r;
  size_t n = (size_t)k->c->h.n, count = (size_t)k->tab.count * n;
  s->n.con->means += k->tab.count;
  o->hm = SIM_NEW(s, count, double);
  o->hm_z = SIM_NEW(s, count, int);
  o->x_at = SIM_NEW(s, count, int);
  for (size_t e = 0; e < count; e++) {
    const int *z = r->xz + r->x0[k->row0 + (int)(e / n)];
    o->hm_z[e] = sim_z_of(s, k, (int)(e / n), k->c->h.col[e % n]);
    while (z[o->x_at[e]] != o->hm_z[e]) o->x_at[e]++;
  }
}

void sim_consistent_analyse(nsm_sim *s) {
  struct sim_consistent *c = s->n.con = SIM_NEW(s, 1, struct sim_consistent);
  c->cls = SIM_NEW(s, s->a->m->nclass, con_class);
  c->of = SIM_NEW(s, s->n.r.n, int);
  c->row = SIM_NEW(s, s->n.r.n, int);
  for (int row = 0; row < s->n.r.n; row++) {
    int constraint = s->a->cls[s->n.r.cls[row]].c->kind == NSM_CONSTRAINT;
    c->of[row] = constraint ? c->ns : -1;
    if (constraint) c->row[c->ns++] = row;
    else c->nc++;
  }
  c->n = s->a->nv + 2 * c->ns;
  for (int a = 0; a < s->a->m->nclass; a++) {
    const sim_class *k = &s->a->cls[a];
    con_class *o = &c->cls[a];
    size_t count = (size_t)k->tab.count;
    o->cjac = SIM_NEW(s, count * (size_t)k->c->cjac.n, double);
    o->curve = SIM_NEW(s, count * (size_t)k->c->curve.n, double);
    o->mass0 = SIM_NEW(s, count * (size_t)k->c->mass.n, double);
    o->dg = SIM_NEW(s, count * (size_t)k->c->h.n, double);
    o->dg_before = SIM_NEW(s, count * (size_t)k->c->h.n, double);
    if (k->c->hm_fn) means(s, k, o);
    o->dr = SIM_NEW(s, count * (size_t)k->c->dr.n, double);
    o->gq = SIM_NEW(s, count * (size_t)k->c->gq.n, double);
    o->rq = SIM_NEW(s, count * (size_t)k->c->rq.n, double);
  }
  double **by_q[] = { &c->uc, &c->uc_low, &c->inc_q, &c->inc_u, &c->dq, &c->fresh, &c->size, &c->speed,
                       &c->try_u, &c->mass_inverse };
  for (size_t i = 0; i < sizeof by_q / sizeof *by_q; i++) *by_q[i] = SIM_NEW(s, s->a->nv, double);
  double **by_l[] = { &c->kappa1, &c->try_l, &c->try_k };
  for (size_t i = 0; i < sizeof by_l / sizeof *by_l; i++) *by_l[i] = SIM_NEW(s, s->a->nl, double);
  double **by_n[] = { &c->res, &c->dz };
  for (size_t i = 0; i < sizeof by_n / sizeof *by_n; i++) *by_n[i] = SIM_NEW(s, c->n, double);
  c->hold = SIM_NEW(s, s->a->nv + 2 * c->ns, double);
  double **by_row[] = { &c->gap, &c->drift,
                         &c->drive_begin, &c->drive_way, &c->drive_end, &c->moved, &c->slip, &c->start, &c->creep,
                         &c->gap_end, &c->rate_end };
  for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++) *by_row[i] = SIM_NEW(s, s->n.r.n, double);
  c->pushed = SIM_NEW(s, s->n.w.n, double);
  c->newest = SIM_NEW(s, s->a->nv + SIM_HOLDING(s), double);
  c->back = SIM_NEW(s, c->ns, double);
  c->disk = SIM_NEW(s, s->n.r.nfriction, double);
  c->pressed = SIM_NEW(s, s->n.r.nfriction, double);
  c->freeze = SIM_NEW(s, s->n.r.n, unsigned char);
  c->ended = SIM_NEW(s, s->n.r.n, unsigned char);
  c->off = SIM_NEW(s, s->n.r.nfriction, unsigned char);
  c->wants = SIM_NEW(s, s->n.w.nblock, unsigned char);
  c->link = SIM_NEW(s, s->n.w.nblock, int);
  shape_matrix(s);
  mass_diagonal(s);
  con_light_analyse(s);
  con_near_analyse(s);
  contacts_room(s);
  c->affine = is_affine(s);
}
