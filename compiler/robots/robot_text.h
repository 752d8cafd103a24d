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
// A warning where no body has this inertia, which a model is refused for (E0241); what: "the link `arm`".
void        robot_doubt_inertia(RobotText *t, const XmlNode *at, const char *what, const double I[3][3]);
// A name in nsm for `from`, which no other has: `behind` is put behind it until it is new.
const char *robot_name(RobotText *t, const char *from, const char *behind);
// The name of the model: a capital first, and none of std/joints.nsm. NULL: it has none in the file.
const char *robot_model_name(RobotText *t, const char *from);
void        robot_left_out(RobotText *t, const XmlNode *at, const char *what);     // once of each kind
void        robot_left_whole(RobotText *t, const XmlNode *at, const char *what);   // the element with its attributes
// The attributes that nobody asked for, of each kind of element once; quiet: names that say nothing of the motion,
// NULL. An element that nobody asked for anything is not looked at.
void        robot_report(RobotText *t, const XmlNode *n, const char *const *quiet);
void        robot_text_free(RobotText *t);
