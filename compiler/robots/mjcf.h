// A model in MJCF: a tree of bodies with joints and geoms. mjcf_read.c makes it of the document, all of it placed in
// the world where the joints are as the file has them; mjcf_write.c and mjcf_joints.c the model of it.
#pragma once
#include "../base/vec.h"
#include "frame.h"
#include "robot_mesh.h"
#include "robot_text.h"

typedef struct MjBody {
  const char *name, *own;               // own: in nsm
  const XmlNode *node;
  struct MjBody *parent, *rigid;        // rigid: the one that it is a part of, as it has no joints; NULL: the world
  Frame at;                             // in the world, at the start
  Frame moved;                          // how its joints moved it there from where the file has it (mjcf_key.c)
  double mass, com[3], inertia[3][3];   // with those that are a part of it: place of the centre of mass in the world,
                                        // inertia about it in axes of the world
  int njoint;
  bool free;
} MjBody;

typedef enum { MJ_HINGE, MJ_SLIDE, MJ_BALL } MjKind;
typedef struct MjJoint {
  const char *name, *own;
  const XmlNode *node;
  MjBody *body;
  MjKind kind;
  double axis[3], at[3];                // in the world, at the start
  double moved;                         // from its place in the file to the start
  double ref, stiffness, springref, damping, armature, dry, range[2];
  bool limited;
  const char *place, *rate;             // in nsm: from the start
} MjJoint;

typedef enum { MJ_PLANE, MJ_SPHERE, MJ_CAPSULE, MJ_CYLINDER, MJ_BOX, MJ_ELLIPSOID, MJ_MESH, MJ_OTHER } MjShape;
// Where elements of a body stand, in the world: its axes or those of a `frame` in it; and their default class.
typedef struct MjPlace { Frame at; const char *class; } MjPlace;
typedef struct MjGeom {
  const char *name, *class;
  const XmlNode *node;
  MjBody *body;                         // NULL: the world
  MjShape shape;
  Frame at;                             // in the world
  double size[3], friction[3];
  const char *hull;                     // of a mesh, in nsm; NULL: it is not there
  int contype, conaffinity, condim;
  bool paired;                          // it touches by a `pair`
} MjGeom;

// condim; coefficients of sliding, spinning and rolling
typedef struct MjLaw { int condim; double friction[3]; } MjLaw;
typedef struct MjPair { MjGeom *g, *h; MjLaw law; } MjPair;

typedef struct MjSite { const char *name; MjBody *body; Frame at; } MjSite;       // in the world

typedef struct Mjcf {
  Arena *a;
  const SourceFile *file;
  RobotText text;
  RobotWrong *wrong;
  XmlNode *root;
  bool degree, autolimits, exact, geoms_always, geoms_never;        // compiler
  const char *eulerseq;
  const XmlNode *key;                   // the keyframe that is the start; NULL: none
  double *qpos;                         // [nqpos] its places; `took` of them are those of joints read so far
  int nqpos, took;
  double groups[2];
  Vec(MjBody *) bodies;
  Vec(MjJoint *) joints;
  Vec(MjGeom *) geoms;
  Vec(MjSite *) sites;
  Vec(MjPair) pairs;
} Mjcf;

bool mjcf_read(Mjcf *m, const char *key);                  // key: the name of the keyframe at the start; NULL: none
bool mjcf_key_read(Mjcf *m, const char *name);             // mjcf_key.c; false: *wrong
bool mjcf_key_complete(Mjcf *m);                           // is there a number for each joint?
void mjcf_key_free(Mjcf *m, MjBody *b);                    // a free joint, another joint: their part of `qpos`
void mjcf_key_joint(Mjcf *m, MjBody *b, MjJoint *j);
void mjcf_write(Mjcf *m, Text *out);
bool mjcf_mesh(Mjcf *m, const MjGeom *g, RobotMesh *to);      // mjcf_mesh.c; false: *wrong
void mjcf_joints(Mjcf *m, Text *out);                      // joints, and what acts along them
bool mjcf_chain(Mjcf *m, const MjBody *b, MjJoint **joint, Text *out);   // those of one body, its b->njoint
void mjcf_actuators(Mjcf *m, Text *out);                   // with equality constraints and tendons
void mjcf_contacts(Mjcf *m, Text *out);
bool mjcf_pairs(Mjcf *m);                                  // mjcf_pairs.c: reads `pair`; false: *wrong
bool mjcf_touches(const MjGeom *g);                        // is it a shape?
const MjLaw *mjcf_pair_law(const Mjcf *m, const MjGeom *g, const MjGeom *h);    // NULL: they are no pair
void mjcf_sensors(Mjcf *m, Text *out);                     // as outputs, mjcf_sensors.c

// mjcf_spot.c: a frame in the world at the start, and the body of the model that it moves with. type: xbody, geom,
// site; false: there is none, or it stands still.
typedef struct MjSpot { const MjBody *rigid; Frame at; } MjSpot;
bool mjcf_spot(const Mjcf *m, const char *type, const char *name, MjSpot *to);
const char *mjcf_spot_origin(Mjcf *m, const MjSpot *s);    // in the body, from its centre of mass
const char *mjcf_spot_vector(Mjcf *m, const MjSpot *s, const double x[3]);      // x in its axes: in the world, in nsm
const char *mjcf_spot_axis(Mjcf *m, const MjSpot *s, int axis);

// An attribute of an element, or of its default class: `tag` says whose defaults. NULL: nowhere.
const char *mjcf_text(const Mjcf *m, const XmlNode *n, const char *tag, const char *name, const char *childclass);
// The numbers of it into to[count], which keeps what it has where there are fewer; how many there are. -1: *wrong.
int mjcf_numbers(Mjcf *m, const XmlNode *n, const char *tag, const char *name, const char *childclass, int count,
                 double *to);
bool mjcf_known_class(Mjcf *m, const XmlNode *n, const char *attribute);   // false: *wrong
const MjBody *mjcf_rigid(const MjBody *b);                 // NULL: the world
const char   *mjcf_own(const MjBody *b);                   // its name in nsm, or "ground"
const MjJoint *mjcf_joint(const Mjcf *m, const char *name);
