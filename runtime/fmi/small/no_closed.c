// In place of contacts and friction of schemes of two points in an FMU of a model whose rows are all constraints: no
// contact ever closes there.
#include "runtime/schemes/consistent.h"

int      con_columns(nsm_sim *s, double h) { (void)s; (void)h; return 1; }
int      con_contacts(nsm_sim *s) { (void)s; return 1; }
void     con_apply_contacts(nsm_sim *s) { (void)s; }
void     con_project(nsm_sim *s) { (void)s; }
void     con_slide(nsm_sim *s, double t1) { (void)s; (void)t1; }
void     con_book_impact(nsm_sim *s) { (void)s; }
nsm_code con_settle(nsm_sim *s, const nsm_view *v, nsm_error *e) { (void)s; (void)v; (void)e; return NSM_OK; }
double   con_stride(nsm_sim *s, sim_iteration *it, int from) { (void)s; (void)it; (void)from; return 1; }
int      con_freeze(nsm_sim *s, const sim_iteration *it) { (void)s; (void)it; return 0; }
