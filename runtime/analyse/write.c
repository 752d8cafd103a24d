// What an analysis writes (write.h).
#include "write.h"
#include "runtime/command/options.h"
#include "runtime/command/outputs.h"
#include "runtime/record/record.h"
#include <errno.h>
#include <string.h>

void analysis_number(FILE *f, double x) {
  char text[NSM_NUMBER_ROOM + 1];
  text[nsm_number(x, text)] = 0;
  fputs(isfinite(x) ? text : "null", f);
}

void analysis_text(FILE *f, const char *text) {
  fputc('"', f);
  for (const char *c = text; *c; c++) {
    if (*c == '"' || *c == '\\') fputc('\\', f);
    fputc(*c, f);
  }
  fputc('"', f);
}

void analysis_matrix(FILE *f, int m, int n, const double *a, const int *order) {
  fputc('[', f);
  for (int i = 0; i < m; i++) {
    fputs(i ? ", [" : "[", f);
    for (int j = 0; j < n; j++) {
      if (j) fputs(", ", f);
      analysis_number(f, a[i + (size_t)(order ? order[j] : j) * (size_t)m]);
    }
    fputc(']', f);
  }
  fputc(']', f);
}

int analysis_is_csv(const analysis *a) {
  const char *to = a->o->output;
  size_t n = to ? strlen(to) : 0;
  return n > 4 && strcmp(to + n - 4, ".csv") == 0;
}

FILE *analysis_open(const analysis *a, nsm_error *e) {
  const char *to = a->o->output;
  return to && strcmp(to, "-") != 0 ? nsm_output_open(to, 0, e) : a->host->out;
}

nsm_code analysis_close(const analysis *a, FILE *f, nsm_code code, nsm_error *e) {
  if (f == a->host->out || fclose(f) == 0 || code != NSM_OK) return code;
  sim_fail(e, NSM_FILE, "writing to %s failed: %s", a->o->output, strerror(errno));
  return NSM_FILE;
}
