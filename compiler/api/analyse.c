// `nsm analyse` for programs, of include/nsm.h.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include "../../runtime/analyse/analyse.h"
#include "../dual/kernels_dual.h"
#include "program.h"

static nsm_code ask(const nsm_program *p, const nsm_settings *set, int n, char **argv, FILE *out, nsm_error *e) {
  Arena *arena = arena_new();
  play_kernels run = { dual_kernel_run, dual_kernels(arena, &p->c->kernels) };
  nsm_code code = nsm_analyse_asked(jit_model(p->jit), &run, set, n, argv, out, e);
  arena_free(arena);
  return code;
}

char *nsm_analyse(const nsm_program *p, const nsm_settings *set, const char *const *asked, int n, nsm_error *e) {
  nsm_settings own;
  nsm_error spare = { .code = NSM_OK };
  char *text = NULL;
  size_t size = 0;
  if (!e) e = &spare;
  *e = spare;
  nsm_assignment *all = program_settings(p, set, &own, e);
  char **argv = calloc((size_t)n + 2, sizeof *argv);
  FILE *out = all && argv ? open_memstream(&text, &size) : NULL;
  nsm_code code = out ? NSM_OK : e->code != NSM_OK ? e->code : sim_no_memory(e, "an analysis");
  if (argv) argv[0] = "analyse";
  for (int i = 0; argv && i < n; i++) argv[1 + i] = (char *)asked[i];
  if (code == NSM_OK) code = ask(p, &own, n + 1, argv, out, e);
  if (out) fclose(out);
  free(argv);
  free(all);
  if (code == NSM_OK) return text;
  free(text);
  return NULL;
}

void nsm_analysis_free(char *text) { free(text); }
