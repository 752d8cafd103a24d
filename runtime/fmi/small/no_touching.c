// In place of touching/ and shapes/ in an FMU of a model whose shapes do not touch: what these do where sim.touching is
// NULL.
#include "runtime/touching/touching.h"

const nsm_model *sim_touch_extend(nsm_sim *s, const nsm_model *m, const int *room) { (void)s; (void)room; return m; }
void   sim_touch_class(int number, int *group, int *direction) { *group = *direction = number; }
int    sim_touch_open(nsm_sim *s, nsm_error *e) { (void)s; (void)e; return 1; }
void   sim_touch_close(nsm_sim *s) { (void)s; }
void   sim_touch_begin(nsm_sim *s) { (void)s; }
void   sim_touch_restitution(const nsm_sim *s, double *e) { (void)s; (void)e; }
int    sim_touch_drives(nsm_sim *s, double h, double *begin, double *moved) {
  (void)s; (void)h; (void)begin; (void)moved;
  return 0;
}
void   sim_touch_driven(const nsm_sim *s, int which, double *out) { (void)s; (void)which; (void)out; }
int    sim_touch_update(nsm_sim *s, double h) { (void)s; (void)h; return 1; }
int    sim_touch_lacks(const nsm_sim *s) { (void)s; return 0; }
int   *sim_touch_wanted(const nsm_sim *s) { (void)s; return NULL; }
int   *sim_touch_rooms(const nsm_sim *s) { (void)s; return NULL; }
void   sim_touch_scale(nsm_sim *s) { (void)s; }
void   sim_touch_ahead(nsm_sim *s, const nsm_view *v, double *gap, double *rate) {
  (void)s; (void)v; (void)gap; (void)rate;
}
void   sim_touch_there(nsm_sim *s, const nsm_view *v) { (void)s; (void)v; }
int    sim_touch_acts(const nsm_sim *s) { (void)s; return 0; }
double sim_touch_further(nsm_sim *s, double h, const nsm_view *end) {
  (void)s; (void)h; (void)end;
  return 0;
}
int    sim_touch_rest(nsm_sim *s, const double *size, sim_stop *stop, double share) {
  (void)s; (void)size; (void)stop; (void)share;
  return 0;
}
void   sim_touch_stop(nsm_sim *s, int z, double share) { (void)s; (void)z; (void)share; }
double sim_touch_size(const nsm_sim *s, int row) { (void)s; (void)row; return 0; }
void   sim_parts_none(nsm_sim *s) { (void)s; }
void   sim_touch_name(const nsm_sim *s, int cls, int i, char *out, size_t size) {
  (void)s; (void)cls; (void)i;
  if (size > 0) *out = 0;
}
void   nsm_touch_slip(const double *normal, double *t1, double *t2) { (void)normal; (void)t1; (void)t2; }
