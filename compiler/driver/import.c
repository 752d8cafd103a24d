// import: a model from a file of another program. The ending of its name says what it is: a netlist of SPICE, a robot
// in URDF or MJCF.
#include <string.h>
#include <strings.h>
#include "../../runtime/command/outputs.h"
#include "../base/diag.h"
#include "../robots/robots.h"
#include "commands.h"
#include "import.h"

// Upper and lower case are the same: CIRCUIT.CIR
static bool ends(const char *path, const char *with) {
  size_t n = strlen(path), m = strlen(with);
  return n > m && !strcasecmp(path + n - m, with);
}

static int robot(const Options *o, Arena *a, const SourceFile *f, Text *out) {
  bool fixed = given(o, NSM_FLAG_BASE) && !strcmp(o->flags.text[NSM_FLAG_BASE], "fixed");
  Text notes = { 0 };
  RobotWrong wrong;
  const char *packages = o->flags.text[NSM_FLAG_PACKAGES];
  bool urdf = ends(o->file[0], ".urdf") || ends(o->file[0], ".xacro");
  bool good = urdf ? urdf_import(a, f, fixed, packages, out, &notes, &wrong)
                   : mjcf_import(a, f, o->flags.text[NSM_FLAG_KEY], out, &notes, &wrong);
  if (!good) diag_print_plain(wrong.what, wrong.at, stderr, wants_colour(stderr));
  else if (notes.n && !given(o, NSM_FLAG_QUIET)) fputs(text_str(&notes), stderr);
  text_free(&notes);
  return good ? EXIT_OK : wrong.at.file ? EXIT_MODEL : EXIT_FILE;
}

int command_import(const Options *o) {
  static const char *const endings[] = { ".cir", ".ckt", ".net", ".sp", ".spi", ".spice" };
  const char *path = o->file[0];
  Arena *a = arena_new();
  const SourceFile *f;
  SourceStatus status = SOURCE_OK;
  Text out = { 0 };
  bool known = false;
  int code = EXIT_USAGE;
  const nsm_output to = { "--output", o->output ? o->output : "-" };
  nsm_error e = { .code = NSM_OK };
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) known |= ends(path, endings[i]);
  if (!known && !ends(path, ".urdf") && !ends(path, ".xacro") && !ends(path, ".xml") && !ends(path, ".mjcf"))
    fprintf(stderr, "error: %s: netlists of SPICE are imported (.cir, .ckt, .net, .sp, .spi, .spice), and robots in "
            "URDF (.urdf) and MJCF (.xml, .mjcf)\n", path);
  else if ((status = source_read(a, path, &f)) != SOURCE_OK) {
    fprintf(stderr, "error: %s: %s\n", path, source_status_text(status, 0));
    code = EXIT_FILE;
  } else if (nsm_outputs_check(&path, 1, &to, 1, &e) != NSM_OK) code = output_refused(&e);
  else code = (known ? import_netlist : robot)(o, a, f, &out);
  if (code == EXIT_OK) code = write_file(&out, o->output ? o->output : "-");
  text_free(&out);
  arena_free(a);
  return code;
}
