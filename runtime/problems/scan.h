// The text of a problem file and how far it is read. The first fault is kept; after it every function returns 0. Shared
// by this folder only.
#pragma once
#include "reader.h"

typedef struct scan {
  const char *text, *at, *end;         // *end is 0
  nsm_problem_error *e;
  int failed;
} scan;

// Growing arrays: what is appended has been read, so memory stays within a small multiple of the file.
typedef struct numbers { double *at; size_t n, room; } numbers;
typedef struct indices { int *at; size_t n, room; } indices;
int numbers_add(scan *s, numbers *v, double x);
int indices_add(scan *s, indices *v, int x);

// Entries M[row[k], col[k]] += value[k].
typedef struct triplets { indices row, col; numbers value; } triplets;
void triplets_free(triplets *t);

// Keeps the fault at `where` (NULL: no place) and returns 0. `help` is a hint or NULL.
int scan_fail(scan *s, const char *where, const char *help, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int scan_no_memory(scan *s);
// calloc with the fault kept; never more than the file can fill: `per` is the least number of bytes of text that one
// element takes.
void *scan_new(scan *s, size_t n, size_t size);

// Words between blanks (.dat). `what` stands in messages: "expected WHAT, found ...".
void scan_blanks(scan *s);
int  scan_real(scan *s, double *x, int infinite, const char *what);         // infinite: inf and -inf are allowed
int  scan_count(scan *s, long most, long *n, const char *what);             // 0 ... most
int  scan_reals(scan *s, double *x, size_t n, int infinite, const char *what);
int  scan_room(scan *s, size_t n, const char *what);  // may n more words follow? Fails if the text is too short
// Reads a number as JSON and .dat spell it, at s->at; returns its length or 0. Never reads "nan", "inf" or hexadecimal.
size_t scan_spelling(const char *at, double *x);
// the word at `at` for a message, safe to print
void   scan_quote(const char *at, const char *end, char *out, size_t room);

// ---- matrix.c
int prob_dense(scan *s, nsm_problem *p, int m);                             // zero matrix own_M
int prob_compress(scan *s, nsm_problem *p, int m, triplets *t);             // compressed rows; equal places are added
void prob_finish_matrix(nsm_problem *p);                                    // p.M ..., entries, bandwidth
int prob_vectors(scan *s, nsm_problem *p, int m);                           // q = 0, lo = 0, hi = inf

// ---- readers
int prob_read_json(scan *s, nsm_problem *p);
int prob_read_dat(scan *s, nsm_problem *p, nsm_problem_kind kind);
int prob_read_mlcp(scan *s, nsm_problem *p);
int prob_dat_matrix(scan *s, nsm_problem *p, int n);                        // n x n, dense or blocks
nsm_problem_kind prob_guess_dat(const scan *s, const char *name);           // NSM_PROBLEM_GUESS: cannot tell
void prob_stored(scan *s, nsm_problem *p, int n);  // what follows the data; n: free rows of an MLCP
void prob_clear(nsm_problem *p);                                            // releases its arrays
int prob_check(scan *s, nsm_problem *p);
