// The signed distance of two cores (points, segments, polyhedra) in the axes of the pair's A, without roundings.
#ifndef NSM_SHAPES_DISTANCE_H
#define NSM_SHAPES_DISTANCE_H
#include "core.h"

// Distance of the cores by GJK, 0 where they overlap; v: the shortest vector from A to B. It stops with the answer
// `limit` as soon as the distance is proved to be more than that.
double nsm_gjk(const nsm_core_pair *pair, double limit, double v[3]);

// f(n) = min over B of n.x - max over A of n.x: for every unit n a lower bound of the signed distance.
double nsm_core_bound(const nsm_core_pair *pair, const double n[3]);

// The best of the faces' and edges' axes whose gap is at most `limit`: the signed distance itself where a pair of
// features attains it or the cores overlap by little; both must have faces.
double nsm_axis_distance(const nsm_core_pair *pair, double limit, double n[3]);

// max over |n| = 1 of f(n), and n. Where it is more than `limit`, any number above limit may be returned.
double nsm_core_distance(const nsm_core_pair *pair, double limit, double n[3]);

#endif
