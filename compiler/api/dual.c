// The kernels of a program in dual numbers: made and compiled when derivatives are first asked for.
#include <pthread.h>
#include "../emit/c_kernel.h"
#include "program.h"

struct ProgramDual { pthread_mutex_t lock; DualKernels *kernels; JitFunctions code; };

struct ProgramDual *program_dual_new(Arena *a) {
  struct ProgramDual *d = ARENA_NEW(a, struct ProgramDual);
  pthread_mutex_init(&d->lock, NULL);
  return d;
}

static JitFunctions by_tcc(Arena *a, Slopes *const *all, int n) {
  Text text = {0};
  text_add(&text, "#include \"nsm_abi.h\"\n");
  for (int i = 0; i < n; i++) c_kernel(a, all[i]->kernel, 0, &text);
  text_add(&text, "void *const *nsm_functions_get(void) {\n  static void *const all[] = {");
  for (int i = 0; i < n; i++) text_add(&text, arena_printf(a, " (void *)%s,", all[i]->kernel->name));
  text_add(&text, " (void *)0 };\n  return all;\n}\n");
  JitFunctions code = jit_functions(text_str(&text));
  text_free(&text);
  return code;
}

// By LLVM where the model is; else by libtcc. Without memory for the machine code they are interpreted.
static void compile(struct ProgramDual *d, const Jit *jit) {
  Arena *a = arena_new();
  Slopes *const *all;
  int n = dual_slopes(d->kernels, &all);
  const KKernel **kernel = ARENA_ARRAY(a, const KKernel *, n + 1);
  for (int i = 0; i < n; i++) kernel[i] = all[i]->kernel;
  if (n > 0) d->code = jit_functions_of(jit, kernel, n);
  if (n > 0 && !d->code.at) d->code = by_tcc(a, all, n);
  for (int i = 0; d->code.at && i < n; i++) {
    union { void *address; slope_fn *run; } f = { d->code.at[i] };
    all[i]->run = f.run;
  }
  arena_free(a);
}

// What the compiler has found to jump within steps: "line 3: the force on x jumps where x passes 0.3".
static const char *jumps(const nsm_program *p) {
  DiagText *all;
  int n = diag_list(p->c->bag, &all);
  for (int i = 0; i < n; i++)
    if (all[i].code == DIAG_W0822 || all[i].code == DIAG_W0845 || all[i].code == DIAG_W0847)
      return arena_printf(p->c->arena, "line %d: %s", source_line(all[i].at.file, all[i].at.lo), all[i].headline);
  return NULL;
}

DualKernels *program_dual(const nsm_program *p) {
  struct ProgramDual *d = p->dual;
  pthread_mutex_lock(&d->lock);
  if (!d->kernels) {
    d->kernels = dual_kernels(&p->c->kernels, jumps(p));
    compile(d, p->jit);
  }
  pthread_mutex_unlock(&d->lock);
  return d->kernels;
}

void program_dual_free(nsm_program *p) {
  struct ProgramDual *d = p->dual;
  dual_kernels_free(d->kernels);
  jit_functions_free(d->code);
  pthread_mutex_destroy(&d->lock);
}
