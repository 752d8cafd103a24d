// Do the steps of runtime/schemes take the equations of a scheme? What they do not is said before anything is compiled,
// so that no scheme is stepped otherwise than it is written.
//
//   implicit   points are reached from the begin; q_E = q_B + h (b u_B + e u_E), b + e = 1; M, H of constraints at any
//              points; f at any points with weights that add up to 1; what multipliers add, and outputs, at one point
//              on the way from the begin to the end; rates, and H of contacts, at the end
//   point      all at one point P that the begin knows, from which the end is reached; outputs and rates at P with the
//              velocities of the end
//
// Contacts act by their gap, and h times their rate, where the end is reached from.
#include "equations.h"

typedef struct Form { Piece p; const Equations *q; Point all[PIECE_POINTS]; int from; bool known; } Form;

// The term of a function that stands once with the weight `by`; NULL: it does not.
static const Term *only(const Terms *t, ModelFunction of, Ex by) {
  const Term *found = NULL;
  for (int i = 0; i < t->n; i++) {
    if (t->at[i].of != of) continue;
    if (found) return NULL;
    found = &t->at[i];
  }
  return found && found->weight == by ? found : NULL;
}

static bool alone(const Form *f, Ex e, ModelFunction of, int *point) {
  Terms t = terms_of(&f->p, e);
  const Term *found = t.n == 1 ? only(&t, of, number(&f->p, 1)) : NULL;
  if (found) *point = found->point;
  return found != NULL;
}

// The share of the way from the begin to the end?
static bool on_the_way(const Form *f, int point) {
  const Point *y = &f->all[point], *end = &f->all[END];
  if (point == BEGIN || point == END) return true;
  Point by = part_of(&f->p, end, y->share);
  return y->from == by.from && y->time == by.time && y->begin == by.begin && y->end == by.end;
}

// At the point that the begin knows, with the velocities of the end?
static bool later(const Form *f, int point) {
  const Point *y = &f->all[point];
  Ex none = number(&f->p, 0);
  return y->from == f->from && y->time == none && y->begin == none && y->end == none && y->share == number(&f->p, 1);
}

static const char *wrong_points(const Form *f) {
  const Point *end = &f->all[END];
  Ex one = number(&f->p, 1), way = plus(&f->p, end->begin, end->end), time = end->time;
  for (int i = END; i < PIECE_POINTS; i++)
    if (f->all[i].time != EX_NONE && !(f->known && (i == END || later(f, i))) && f->all[i].from != BEGIN)
      return "a point that is not reached from the begin";
  if (f->known) {
    const Point *y = &f->all[f->from];
    if (point_moves(&f->p, f->all, f->from) || point_shares(&f->p, f->all, f->from))
      return "a point on the way to the end that the unknowns move";
    way = plus(&f->p, way, plus(&f->p, y->begin, y->end));
    time = plus(&f->p, time, y->time);
  }
  return time != one || way != one || end->share != one ? "an end that is not the whole way from the begin" : NULL;
}

static const char *wrong_momentum(const Form *f, int *inertia) {
  const Piece *p = &f->p;
  Terms t = terms_of(p, f->q->momentum(p));
  Ex by = minus(p, number(p, 0), length(p)), sum = number(p, 0);
  int h = ex_symbol(p->pool, length(p));
  const Term *M = only(&t, INERTIA, number(p, 1)), *g = only(&t, REACTION, by);
  if (!M) return "INERTIA more than once, or with a weight other than 1";
  if (!g) return "REACTION more than once, or with a weight other than h";
  for (int i = 0; i < t.n; i++) {
    if (t.at[i].of > REACTION) return "other functions in the momentum than INERTIA, FORCE and REACTION";
    if (t.at[i].of != FORCE) continue;
    sum = minus(p, sum, ex_diff(p->pool, t.at[i].weight, h));
    if (f->known && t.at[i].point != f->from) return "FORCE at another point than that of M";
  }
  if (sum != number(p, 1)) return "weights of FORCE that do not add up to h";
  if (f->known && (M->point != f->from || g->point != f->from)) return "INERTIA or REACTION at another point";
  if (g->point == BEGIN) return "REACTION at the begin, where multipliers have nothing to act on";
  if (!on_the_way(f, g->point) && !f->known) return "REACTION at a point off the way from the begin to the end";
  *inertia = M->point;
  return NULL;
}

static const char *wrong_row(const Form *f) {
  int point, before, along;
  if (!alone(f, f->q->rate(&f->p), RATE, &point) || !alone(f, f->q->before(&f->p), RATE, &before))
    return "a rate that is not one RATE";
  if (!alone(f, f->q->impulse(&f->p), IMPULSE, &along)) return "an impulse that is not one IMPULSE";
  if (f->known) {
    bool there = later(f, point) && before == f->from && along == f->from;
    return there ? NULL : "rates and impulses at another point than M";
  }
  if (point != END || before != BEGIN) return "rates at other points than the end, and before it the begin";
  return along == END || f->p.cls->kind == CLASS_CONSTRAINT
             ? NULL : "impulses of contacts along H at another point than the end";
}

static const char *wrong_relation(const Form *f, const Piece *smooth) {
  int point, law = point_of(smooth, f->q->momentum(smooth), REACTION);
  if (!alone(f, f->q->relation(&f->p), OUTPUT, &point)) return "a relation that is not one OUTPUT";
  return f->known ? later(f, point) ? NULL : "outputs without the velocities of the end"
                  : point == law ? NULL : "outputs at another point than what multipliers add";
}

static const char *wrong_closed(const Form *f) {
  Terms t = terms_of(&f->p, f->q->closed(&f->p));
  const Term *gap = only(&t, GAP, number(&f->p, 1));
  bool there = gap && gap->point == f->from && t.n <= 2;
  for (int i = 0; i < t.n; i++) there &= t.at[i].point == f->from && (t.at[i].of == GAP || t.at[i].of == RATE);
  return there ? NULL : "contacts that act by other than GAP and h RATE where the end is reached from";
}

// By its statements, of those that the model has. Rows that are gaps are of a form of their own (schatzman_paoli.c).
static const char *wrong_statement(const Form *f, const Piece *smooth, int inertia) {
  ClassKind kind = f->p.cls->kind;
  if (kind == CLASS_RELATION) return wrong_relation(f, smooth);
  if (kind == CLASS_CONTACT || kind == CLASS_CONSTRAINT || kind == CLASS_FRICTION)
    return f->q->before ? wrong_row(f) : NULL;
  if (kind != CLASS_SMOOTH) return NULL;
  int force = point_of(&f->p, f->q->momentum(&f->p), FORCE), others = point_of(smooth, f->q->momentum(smooth), FORCE);
  return force == others || force == inertia ? NULL : "FORCE of what turns at another point than M";
}

static const char *wrong(Form *f, const System *s) {
  f->p.cls = &(SysClass){ .kind = CLASS_SMOOTH };
  Piece smooth = f->p;
  f->q->points(&f->p, f->all);
  f->from = f->all[END].from;
  f->known = f->from != BEGIN;
  int inertia = END;
  const char *no = wrong_points(f);
  if (!no) no = wrong_momentum(f, &inertia);
  if (!no) no = wrong_closed(f);
  for (int i = 0; i < s->ncls && !no; i++) {
    f->p.cls = &s->cls[i];
    no = wrong_statement(f, &smooth, inertia);
  }
  return no;
}

static bool at_ends(const Piece *p, Ex e) {
  Terms t = terms_of(p, e);
  for (int i = 0; i < t.n; i++) if (t.at[i].of == FORCE && t.at[i].point > END) return false;
  return true;
}

void check_form(Arena *a, const System *s, const SchemeDescriptor *d, DiagBag *bag) {
  Form f = { .p = { a, s, s->pool, NULL }, .q = d->equations };
  const char *no = wrong(&f, s);
  Span at = s->model->sim.scheme_span.file ? s->model->sim.scheme_span : s->model->span;
  if (no) {
    Diag *g = diag(bag, DIAG_E0705, at, "the scheme '%s' has no step", d->name);
    diag_note(g, "its equations have %s", no);
    diag_help(g, "a step of its own, or equations that the steps take (docs/adding.md, \"A scheme\")");
    return;
  }
  Piece smooth = { a, s, s->pool, &(SysClass){ .kind = CLASS_SMOOTH } };
  if (s->algebraic_states && !at_ends(&smooth, d->equations->momentum(&smooth)))
    (void)refuse_in_scheme(s, d, at, "unknowns without inertia, which hold at the end, as it takes forces elsewhere",
                           bag);
}
