// `nsm analyse` and `nsm fit` for programs, of include/nsm.h.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include "../../runtime/analyse/analyse.h"
#include "../../runtime/answers/fit.h"
#include "../../runtime/answers/least.h"
#include "../dual/kernels_dual.h"
#include "program.h"

// The command with these words and those of the model's block, written to out.
static nsm_code ask(const nsm_program *p, const nsm_settings *set, MAskBlock block, int n, char **argv, FILE *out,
                    nsm_error *e) {
  Arena *arena = arena_new();
  play_kernels run = { dual_kernel_run, program_dual(p) };
  char **words = asked_words(arena, p->c->asked, block, n, argv, &n);
  nsm_code code = block == ASK_FIT ? nsm_fit_asked(jit_model(p->jit), &run, set, n, words, out, e)
                                   : nsm_analyse_asked(jit_model(p->jit), &run, set, n, words, out, e);
  arena_free(arena);
  return code;
}

static char *answer(const nsm_program *p, const nsm_settings *set, MAskBlock block, const char *const *asked, int n,
                    nsm_error *e) {
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
  if (argv) argv[0] = block == ASK_FIT ? "fit" : "analyse";
  for (int i = 0; argv && i < n; i++) argv[1 + i] = (char *)asked[i];
  if (code == NSM_OK) code = ask(p, &own, block, n + 1, argv, out, e);
  if (out) fclose(out);
  free(argv);
  free(all);
  if (code == NSM_OK) return text;
  free(text);
  return NULL;
}

char *nsm_analyse(const nsm_program *p, const nsm_settings *set, const char *const *asked, int n, nsm_error *e) {
  return answer(p, set, ASK_ANALYSE, asked, n, e);
}

char *nsm_fit(const nsm_program *p, const nsm_settings *set, const char *const *asked, int n, nsm_error *e) {
  return answer(p, set, ASK_FIT, asked, n, e);
}

int nsm_asked(const nsm_program *p, int i, const char **block, const char **flag, const char **text) {
  if (i < 0 || i >= p->c->asked.n) return 0;
  const MAsk *of = &p->c->asked.at[i];
  *block = of->block == ASK_FIT ? "fit" : "analyse";
  *flag = of->flag;
  *text = of->text;
  return 1;
}

int nsm_question(int i, const char **block, const char **flag, int *valued, int *asks) {
  for (int k = 0; k <= i; k++) if (i < 0 || !asked_entries[k].word) return 0;
  const AskedEntry *of = &asked_entries[i];
  *block = of->block == ASK_FIT ? "fit" : "analyse";
  *flag = of->word;
  *valued = strcmp(of->form, "WORD") != 0;
  *asks = of->asks;
  return 1;
}

double nsm_student_quantile(double level, int freedom) { return student_quantile(level, freedom); }

void nsm_analysis_free(char *text) { free(text); }
