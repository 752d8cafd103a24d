// Pieces of text that models of robots are made of: numbers, places, rotations, names; what is left out.
#pragma once
#include "../base/vec.h"
#include "frame.h"
#include "xml_tree.h"

typedef struct RobotText {
  Arena *a;
  Vec(const char *) names;              // that are taken
  Vec(const char *) left;               // what is left out, with its line
  Text *notes;                          // the same, for a person
} RobotText;

const char *robot_number(Arena *a, double x);
const char *robot_vector(Arena *a, const double x[3]);
const char *robot_turn(Arena *a, const Frame *f);          // rotation(axis, angle); NULL: there is none
const char *robot_inertia(Arena *a, const double I[3][3]);
// A name in nsm for `from`, which no other has: `behind` is put behind it until it is new.
const char *robot_name(RobotText *t, const char *from, const char *behind);
void        robot_left_out(RobotText *t, const XmlNode *at, const char *what);     // once of each kind
void        robot_text_free(RobotText *t);
