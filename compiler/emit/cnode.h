// A small C expression tree: built from the DAG, printed with as few parentheses as C needs.
#pragma once
#include "../base/arena.h"
#include "../base/text.h"

typedef enum { CN_NUMBER, CN_NAME, CN_CALL, CN_BINARY, CN_NEGATE, CN_NOT, CN_CHOOSE } CNodeKind;

typedef struct CNode CNode;
struct CNode {
  CNodeKind   kind;
  double      number;       // NUMBER
  const char *name;         // NAME, CALL: the function; BINARY: the operator
  int         precedence;   // BINARY: C's, higher binds tighter (|| 1, && 2, == 3, < 4, + 5, * 6)
  int         n;
  CNode     **arg;
  int         depth;        // height of the tree
};

CNode *cnode_number(Arena *a, double x);
CNode *cnode_name(Arena *a, const char *name);            // copied
CNode *cnode_call(Arena *a, const char *f, CNode **arg, int n);
CNode *cnode_binary(Arena *a, const char *op, CNode *l, CNode *r);
CNode *cnode_negate(Arena *a, CNode *x);
CNode *cnode_not(Arena *a, CNode *x);
CNode *cnode_choose(Arena *a, CNode *c, CNode *yes, CNode *no);
void   cnode_print(const CNode *n, Text *out);
void   c_number(double x, Text *out);  // a double constant that reads back bit by bit; inf and nan as divisions
void   c_comment(const char *text, Text *out);  // printable ASCII without comment marks, backslashes and trigraphs
