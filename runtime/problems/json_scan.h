// JSON (RFC 8259) as far as problem files need it: the caller knows what must come, so there is no tree and no
// recursion. Only json*.c include this.
#pragma once
#include "scan.h"

int  js_next(scan *s);                                    // skips blanks; the next character, 0 at the end
int  js_take(scan *s, char c, const char *what);          // exactly this character
int  js_string(scan *s, char **out, const char *what);    // UTF-8, escapes resolved; the caller frees
int  js_key(scan *s, char *name, size_t room);            // a string of at most room - 1 bytes, and the ':'
// infinite: "inf" and "-inf" (with quotes) are allowed
int  js_number(scan *s, double *x, int infinite, const char *what);
int  js_index(scan *s, long most, int *i, const char *what);
// In a list or an object: 1 while another element follows, having taken the ',' before it; 0 after the closing bracket
// or a fault.
typedef struct js_list { char close; int started; } js_list;
int  js_more(scan *s, js_list *l, const char *what);
int  js_open(scan *s, js_list *l, char open, const char *what);
int  js_numbers(scan *s, numbers *v, int infinite, const char *what);
int  js_indices(scan *s, indices *v, const char *what);

// M in any of its forms.
typedef struct json_matrix {
  int     form;                                           // 0 absent, 'd' dense, 'r' compressed rows, 't' triplets
  numbers dense;                                          // row by row
  size_t  dense_rows;
  indices start;
  triplets t;                                             // col and value also of compressed rows
  const char *at;
} json_matrix;
int  json_read_matrix(scan *s, json_matrix *M);           // json_matrix.c
int  json_put_matrix(scan *s, nsm_problem *p, json_matrix *M, int m);
void json_free_matrix(json_matrix *M);
