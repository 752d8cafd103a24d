// Which name means what: every declaration and every use of it in a file and in all that it imports, from the syntax
// trees alone, so that it is known while the model has mistakes. Names are seen as the elaborator sees them
// (compiler/model/scope.c, elab_ref.c); tests/lsp renames every name of every model and holds this to it.
#pragma once
#include "../base/map.h"
#include "../base/vec.h"
#include "../syntax/ast.h"

typedef enum {
  NAMED_MODEL, NAMED_FUNCTION, NAMED_PARAM, NAMED_FORMAL, NAMED_VARIABLE, NAMED_INSTANCE, NAMED_BODY, NAMED_ROW,
  NAMED_INDEX, NAMED_MATERIAL, NAMED_FILE
} NamedKind;

typedef struct Named {
  NamedKind   kind;
  const char *name;
  Span        at;                      // of the name in its declaration; NAMED_FILE: its start
  const Ast  *item, *decl;             // the item, and the DECL in it where it has several; else the same
  const Ast  *owner;                   // the MODEL or FUNCTION that it is declared in; NULL: the file
} Named;

typedef struct NameUse { Span at; const Named *of; } NameUse;

typedef struct Names {
  Vec(const Ast *) file;               // the trees: the file itself, then what it imports
  Vec(const char *) path;              // of each
  Vec(Named *) named;
  Vec(NameUse) use;                    // declarations too
  Map *model, *function, *global, *material;   // interned name -> Named
  Map *scope;                          // MODEL -> Map of its names
  Map *elements;                       // Named of x[i in 1:n] -> what is seen in its value: i
  Arena *a;
  Interner *in;
} Names;

Names *names_find(Arena *a, Interner *in, const Ast *file, const char *std_dir, const OpenTexts *open);
void   names_free(Names *n);
const NameUse *name_at(const Names *n, const SourceFile *f, size_t offset);      // NULL: there is none
const Ast *model_at(const Names *n, const SourceFile *f, size_t offset);         // the MODEL around; NULL
const Named *name_in(const Names *n, const Ast *model, const char *name);        // seen there; interned; NULL
Map *names_of_instance(const Names *n, const Named *instance);                   // what instance.name can be; NULL
bool same_name(const Named *a, const Named *b);                                  // of two compilations
