// Diagnostics: collected, sorted by place, printed with the user's line, a caret, notes and one hint.
// Codes and their long stories live in diag_codes.def. Collection never fails; at most DIAG_LIMIT errors are kept.
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include "source.h"

typedef enum {
#define DIAG(code, severity, title) DIAG_##code,
#include "diag_codes.def"
#undef DIAG
  DIAG_COUNT
} DiagCode;

typedef enum { SEV_ERROR, SEV_WARNING, SEV_NOTE } Severity;

enum { DIAG_LIMIT = 20 };

typedef struct DiagBag DiagBag;
typedef struct Diag Diag;

DiagBag *diag_bag_new(Arena *a);
// One problem. `fmt` is the headline after "error[E0420]: ". Returned handle takes labels, notes and the hint.
Diag *diag(DiagBag *b, DiagCode code, Span at, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void  diag_label(Diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));  // text behind the carets
// a second place, with its own line
void  diag_also(Diag *d, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void  diag_note(Diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void  diag_help(Diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// What mends it: the text at `at` becomes this one. Editors offer it; several are choices. The help says it in words.
void  diag_edit(Diag *d, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void  diag_mean(Diag *d, const char *name);           // did you mean `name`? for the word that its place begins with
void  diag_replace(Diag *d, const char *text);        // replace it by text, of its place
// While on, one diagnostic of each code at each place is kept, whatever its headline: the instances of a statement name
// their variables.
void  diag_one_each(DiagBag *b, bool on);
// From now on diagnostics at places of other files name this one too, where the user's file asks for a part of a
// library. Without a file: none. Returns what stood before.
Span  diag_within(DiagBag *b, Span part);
int   diag_errors(const DiagBag *b);                 // how many errors (warnings do not count)
int   diag_warnings(const DiagBag *b);
bool  diag_has(const DiagBag *b, DiagCode code);
int   diag_notes(const DiagBag *b);                  // that stand by themselves
void  diag_without_notes(DiagBag *b);                // forgets them
void  diag_print(const DiagBag *b, FILE *f, bool colour);
// Those kept, as data, in the order in which they are printed; label and help are "" where there is none.
typedef struct DiagPlace { Span at; const char *text; } DiagPlace;
typedef struct DiagEdit { Span at; const char *text; } DiagEdit;
typedef struct DiagText {
  DiagCode code; Severity severity; const char *headline; Span at; const char *label, *help;
  const DiagPlace *also; int nalso;                  // further places
  const DiagEdit *edit; int nedit;
} DiagText;
int   diag_list(const DiagBag *b, DiagText **out);     // how many; in the arena of the bag
// An error that has no code, with the user's line where `at` has a file.
void  diag_print_plain(const char *headline, Span at, FILE *f, bool colour);
const char *diag_code_name(DiagCode c);              // "E0420"
bool  diag_code_find(const char *name, DiagCode *out);
Severity    diag_code_severity(DiagCode c);
const char *diag_code_title(DiagCode c);
const char *diag_code_story(DiagCode c, size_t *n);  // n bytes: the text of `nsm explain`, docs/errors.md
