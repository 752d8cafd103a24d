// Meshes of robots, from files or from points.
#pragma once
#include "robot_text.h"

// For density 1, in the axes of the mesh; volume 0 and shape NULL: it is not there.
typedef struct RobotMesh { const char *shape; double volume, centre[3], inertia[9]; } RobotMesh;

const char *robot_mesh_path(Arena *a, const SourceFile *beside, const char *path);
bool robot_mesh_is_read(const char *path);                 // by its ending: .stl or .obj
bool robot_mesh_points(Arena *a, RobotMesh *to, int n, const double *point, double flat);  // false: without a volume
// False: *wrong is told.
bool robot_mesh_file(RobotText *t, RobotWrong *wrong, const XmlNode *n, const char *path, const double scale[3],
                     RobotMesh *to);
