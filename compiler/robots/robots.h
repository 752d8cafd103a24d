// A model from a robot in URDF or in MJCF, for the command (docs/import.md).
#pragma once
#include "../base/source.h"
#include "../base/text.h"

// What stops an import, and where; no file: it is not a matter of the text.
typedef struct RobotWrong { const char *what; Span at; } RobotWrong;

// fixed: the root link stays where it is. packages: the folder that package:// means; NULL: none. notes: what was left
// out, for a person. False: *wrong is told.
bool urdf_import(Arena *a, const SourceFile *f, bool fixed, const char *packages, Text *out, Text *notes,
                 RobotWrong *wrong);
// key: the name of the keyframe that is the start; NULL: places are those of the file.
bool mjcf_import(Arena *a, const SourceFile *f, const char *key, Text *out, Text *notes, RobotWrong *wrong);
