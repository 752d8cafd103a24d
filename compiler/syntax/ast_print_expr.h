// Expressions as text; shared by the files of the printer.
#pragma once
#include "ast.h"
#include "../base/text.h"
#include "comments.h"

// Writes tokens and, between them, the comments that stand there in the source: in the line where they stood in one, on
// a line of their own where they had one. Without a source there are none. A list in brackets that does not fit into
// `widest` columns goes on in lines below its first element, each as full as it can be; 0: all on one line.
typedef struct Pen {
  Text *out;
  const SourceFile *src;
  Comments comments;
  size_t   next;        // the first comment not yet printed
  size_t   indent;      // columns of a line that goes on behind a comment
  bool     blank, line; // what the next token needs in front
  size_t   widest, tail; // tail: columns of what has to follow the present expression on its line
} Pen;

// Comments that stand before `at` in the source. A token follows, by pen_text.
void pen_at(Pen *w, size_t at);
void pen_text(Pen *w, const char *token);
size_t pen_behind(const Pen *w, size_t at);   // the place behind blanks and comments
// Does the comment end its line, or has it one of its own?
bool comment_breaks(const SourceFile *src, Comment c);

void print_expr(const Ast *n, Pen *w);
void print_list(AstList list, Pen *w);          // a, b, c
void print_tight_list(AstList list, Pen *w);    // as in an index
void print_args(AstList list, Pen *w);          // (a, b, c)
void print_string(const char *s, Text *out);
