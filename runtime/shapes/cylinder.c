#include "cylinder.h"
double nsm_cylinder_distance(const nsm_pair *pair, double limit, double n[3]) { (void)pair; (void)n; return limit; }
void nsm_cylinder_touches(nsm_touch_list *list) { (void)list; }
