// In place of clock/flow_pieces.c and of the steps of schemes/flow*.c in every FMU: none is stepped by event_driven.
#include "runtime/clock/flow_pieces.h"

void     sim_flow_open(nsm_sim *s) { (void)s; }
void     sim_flow_accept(nsm_sim *s) { (void)s; }
void     sim_flow_restored(nsm_sim *s) { (void)s; }
void     sim_flow_stale(nsm_sim *s) { (void)s; }
void     sim_flow_give_up(nsm_sim *s) { (void)s; }
void     sim_flow_holds(nsm_sim *s) { (void)s; }
int      sim_flow_touches(nsm_sim *s) { (void)s; return 0; }
int      sim_flow_off(nsm_sim *s) { (void)s; return 0; }
void     sim_flow_jump(nsm_sim *s) { (void)s; }
void     sim_flow_rests(nsm_sim *s) { (void)s; }
int      sim_flow_mend_sets(nsm_sim *s, int shortest) { (void)s; (void)shortest; return 0; }
double   sim_flow_speed(const nsm_sim *s, int row) { (void)s; (void)row; return 0; }
double   sim_flow_gap_error(const nsm_sim *s, int row) { (void)s; (void)row; return 0; }
void     sim_flow_other_set(nsm_sim *s, int row) { (void)s; (void)row; }
int      sim_flow_found(nsm_sim *s, double *length) { (void)s; (void)length; return 0; }
int      sim_flow_is_at(const nsm_sim *s, int when) { (void)s; (void)when; return 0; }
double   sim_flow_verify(nsm_sim *s, double t1) { (void)s; (void)t1; return 0; }
