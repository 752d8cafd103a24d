// FMUs, docs/fmi.md: what stands in the archive beside the binary.
//
//   modelDescription.xml         description.c, with the units of units.c
//   binaries/PLATFORM/NAME.so    linked by the command
//   sources/                     sources.c: the emitted C and the runtime, so that it builds where no binary is for
//   documentation/index.html     the equations of the model
#pragma once
#include "../api/program.h"
#include "../base/text.h"
#include "runtime/fmi/parts.h"
#include "runtime/fmi/variables.h"

// What is written about. sim: an open simulation with the model's own values. version: 2 or 3.
typedef struct Fmu {
  int version;
  bool exchange;                        // for model exchange, else for co-simulation
  bool debug;                           // with names and lines, and sources as they are
  const nsm_program *program;
  nsm_sim *sim;
  const char *name;                     // of the model, an identifier
  const char *token;                    // by which a binary knows its description
  const nsm_assignment *set; int nset;  // parameters that --set gave
  const double *input;                  // [nsm_ninput] at the start, in SI: what the model says, else 0
  const char **source; int nsource;     // the files to compile, in sources/; sorted
} Fmu;

// A file of the archive. Its bytes: of `text`, or of the file at `path`, without comments where `plain` is set.
typedef struct FmuFile { const char *name, *text; size_t n; const char *path; bool plain; } FmuFile;
typedef struct FmuFiles { FmuFile *at; size_t n, cap; } FmuFiles;

// A part of the runtime: its files, each between blanks (runtime/fmi/CMakeLists.txt).
typedef struct FmuPart { const char *name, *files; } FmuPart;
extern const FmuPart fmu_parts[FMI_PARTS];

void fmu_description(Arena *a, const Fmu *f, Text *out);
void fmu_build_description(const Fmu *f, Text *out);       // sources/buildDescription.xml, of FMI 3.0
void fmu_build_file(const Fmu *f, Text *out);              // sources/CMakeLists.txt
void fmu_documentation(const Fmu *f, Text *out);
// The files of the runtime into `files`, and which of them are to be compiled into f->source, with those of the model.
bool fmu_sources(Arena *a, Fmu *f, FmuFiles *files, const char **why);
void fmu_plain_c(const char *text, Text *out);             // C without comments and indentation, plain.c
bool fmu_read(Arena *a, FmuFile *f, const char **why);      // the bytes of the file at its path
// Writes the archive, whole or not at all.
bool fmu_archive(Arena *a, const char *path, const FmuFiles *files, const char **why);
const char *fmu_platform(int version);                     // the folder under binaries/

// xml.c
void xml_attribute(Text *out, const char *name, const char *value);
void xml_number(Text *out, double x);                      // as xs:double reads it

// The units of the variables, each once. name: of the values, in SI; "" for none. display: as the model shows them,
// where that is another one, else NULL.
typedef struct UnitOf { const char *name, *display; double scale; nsm_unit unit; } UnitOf;
UnitOf fmu_unit(Arena *a, const char *text);
void   fmu_units(Arena *a, const fmi_variable *v, int n, Text *out);
