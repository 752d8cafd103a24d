// A robot in URDF: links that joints make a tree of. read.c makes it of the document, write.c the model of it.
#pragma once
#include "../base/vec.h"
#include "frame.h"
#include "robot_text.h"
#include "xml_tree.h"

typedef struct Link {
  const char *name, *own;               // own: in nsm
  const XmlNode *node;
  struct Joint *above;                  // NULL: the root
  Frame at;                             // of its axes in the world, all joints at 0
  double mass, com[3], inertia[3][3];   // about the centre of mass, axes of the link
  bool placed;
} Link;

typedef struct Joint {
  const char *name, *own, *type;
  const XmlNode *node;
  Link *parent, *child;
  double axis[3];                       // in the world
} Joint;

typedef struct Urdf {
  Arena *a;
  const SourceFile *file;
  bool fixed;
  const char *packages;
  const XmlNode *robot;
  Vec(Link *) links;
  Vec(Joint *) joints;
  Link *root, *carrier;                 // carrier: has the mass of a root without one, which is fixed to it; or NULL
  RobotText text;
  RobotWrong *wrong;
} Urdf;

bool urdf_read(Urdf *u);
void urdf_write(Urdf *u, Text *out);
// The body that a link is, or is fixed to without a mass of its own: its name; "ground" for what stands still.
const char *urdf_body(const Urdf *u, const Link *l);
