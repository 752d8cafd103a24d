// File -> memory -> kind -> reader.
#include "scan.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// ---- ownership ------------------------------------------------------------------------------------------------------
void prob_clear(nsm_problem *p) {
  for (int i = 0; p->label && i < p->p.m; i++) free(p->label[i]);
  void *const own[] = { p->label,  p->guess,  p->stored_lambda, p->stored_u, p->own_M,   p->own_q,
                        p->own_lo, p->own_hi, p->own_terms, p->own_row_start, p->own_col,  p->own_cone };
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) free(own[i]);
  memset(p, 0, sizeof *p);
}

void nsm_problem_free(nsm_problem *p) {
  if (!p) return;
  prob_clear(p);
  free(p);
}

// ---- the kind -------------------------------------------------------------------------------------------------------
static int contains(const char *name, const char *word) {
  const char *slash = strrchr(name, '/');
  for (const char *c = slash ? slash + 1 : name; *c; c++)
    if (strncasecmp(c, word, strlen(word)) == 0) return 1;
  return 0;
}

static nsm_problem_kind kind_in_name(const char *name) {
  static const struct { const char *word; nsm_problem_kind kind;
  } words[] = { { "mlcp", NSM_PROBLEM_MLCP },      { "lcp", NSM_PROBLEM_LCP },       { "relay", NSM_PROBLEM_RELAY },
                { "step", NSM_PROBLEM_RELAY },     { "fc2d", NSM_PROBLEM_FC2D },     { "fc3d", NSM_PROBLEM_FC3D },
                { "contact2d", NSM_PROBLEM_FC2D }, { "contact3d", NSM_PROBLEM_FC3D } };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (contains(name, words[i].word)) return words[i].kind;
  return NSM_PROBLEM_GUESS;
}

// LCP and relay begin alike: a relay has two more vectors behind q, ordered as bounds are.
static nsm_problem_kind lcp_or_relay(const scan *s) {
  nsm_problem p = { 0 };
  nsm_problem_error e = { 0 };
  scan trial = *s;
  trial.e = &e;
  int relay = prob_read_dat(&trial, &p, NSM_PROBLEM_RELAY) && p.p.m > 0;
  prob_clear(&p);
  return relay ? NSM_PROBLEM_RELAY : NSM_PROBLEM_LCP;
}

// The first five counts tell the kinds apart, except LCP from relay and the older MLCP from anything.
nsm_problem_kind prob_guess_dat(const scan *s, const char *name) {
  nsm_problem_error e = { 0 };
  scan look = *s;
  look.e = &e;
  long t[5] = { -1, -1, -1, -1, -1 };
  for (int i = 0; i < 5 && scan_count(&look, LONG_MAX / 4, &t[i], ""); i++) {}
  nsm_problem_kind named = kind_in_name(name);
  if ((t[0] == 2 || t[0] == 3) && t[2] >= 0 && t[2] <= 2 && t[3] == t[0] * t[1] && t[4] == t[3])
    return t[0] == 2 ? NSM_PROBLEM_FC2D : NSM_PROBLEM_FC3D;
  if (t[0] == 1 && (t[1] == 0 || t[1] == 1) && t[2] >= 0 && t[3] >= 0 && t[4] == 0) return NSM_PROBLEM_MLCP;
  if (t[0] >= 0 && t[1] >= 0 && t[1] <= 2 && t[2] == t[0] && t[3] == t[0] && named != NSM_PROBLEM_MLCP)
    return named == NSM_PROBLEM_LCP || named == NSM_PROBLEM_RELAY ? named : lcp_or_relay(s);
  if (t[0] == 0 && t[1] == 1 && t[2] >= 0 && t[3] >= 0) return NSM_PROBLEM_MLCP;
  return named;
}

// ---- parsing --------------------------------------------------------------------------------------------------------
nsm_problem *nsm_problem_parse(const char *text, size_t size, const char *name, nsm_problem_kind kind,
                               nsm_problem_error *e) {
  *e = (nsm_problem_error){ 0 };
  scan s = { text, text, text + size, e, 0 };
  const char *zero = memchr(text, 0, size);
  if (zero) {
    scan_fail(&s, zero, "problem files are text: JSON, or numbers between blanks", "this is not a text file");
    return NULL;
  }
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) s.at += 3;
  scan_blanks(&s);
  if (s.at == s.end) { scan_fail(&s, NULL, NULL, "the file is empty"); return NULL; }
  nsm_problem *p = scan_new(&s, 1, sizeof *p);
  if (!p) return NULL;
  int guessed = kind == NSM_PROBLEM_GUESS;
  if (guessed) kind = *s.at == '{' || *s.at == '[' ? NSM_PROBLEM_JSON : prob_guess_dat(&s, name);
  int good;
  if (kind == NSM_PROBLEM_GUESS)
    good = scan_fail(&s, s.at, "say it with --kind lcp, mlcp, relay, fc2d or fc3d",
                     "neither the beginning nor the name of the file tells what kind of problem this is");
  else if (kind == NSM_PROBLEM_JSON) good = prob_read_json(&s, p);
  else good = prob_read_dat(&s, p, kind);
  if (!good || !prob_check(&s, p)) { nsm_problem_free(p); return NULL; }
  p->kind = kind;
  p->guessed = guessed;
  return p;
}

// ---- files ----------------------------------------------------------------------------------------------------------
static int unreadable(nsm_problem_error *e, const char *why) {
  *e = (nsm_problem_error){ .code = NSM_PROBLEM_UNREADABLE };
  snprintf(e->text, sizeof e->text, "%s", why);
  return 0;
}

// The whole stream, with a 0 behind it. A zero byte inside ends the reading: endless devices are refused at once.
static int slurp(FILE *f, char **text, size_t *size, nsm_problem_error *e) {
  size_t room = 1 << 16, n = 0;
  char *t = malloc(room);
  while (t) {
    size_t got = fread(t + n, 1, room - n - 1, f);
    n += got;
    if (n > NSM_PROBLEM_MAX_BYTES) { free(t); return unreadable(e, "the file is larger than 512 MiB"); }
    if (got == 0 || memchr(t + n - got, 0, got)) break;
    if (n + 1 < room) continue;
    char *more = realloc(t, room *= 2);
    if (!more) free(t);
    t = more;
  }
  if (!t) return unreadable(e, "there is not enough memory for the file");
  if (ferror(f)) { free(t); return unreadable(e, errno ? strerror(errno) : "it cannot be read"); }
  t[n] = 0;
  *text = t;
  *size = n;
  return 1;
}

nsm_problem *nsm_problem_read(const char *path, nsm_problem_kind kind, nsm_problem_error *e) {
  struct stat st;
  int own = strcmp(path, "-") != 0;
  char *text = NULL;
  size_t size = 0;
  *e = (nsm_problem_error){ 0 };
  if (own && stat(path, &st) != 0) { unreadable(e, strerror(errno)); return NULL; }
  if (own && S_ISDIR(st.st_mode)) { unreadable(e, "this is a folder, not a file"); return NULL; }
  if (own && S_ISREG(st.st_mode) && st.st_size > NSM_PROBLEM_MAX_BYTES) {
    unreadable(e, "the file is larger than 512 MiB");
    return NULL;
  }
  FILE *f = own ? fopen(path, "rb") : stdin;
  if (!f) { unreadable(e, strerror(errno)); return NULL; }
  errno = 0;
  int good = slurp(f, &text, &size, e);
  if (own) fclose(f);
  if (!good) return NULL;
  nsm_problem *p = nsm_problem_parse(text, size, own ? path : "", kind, e);
  free(text);
  return p;
}
