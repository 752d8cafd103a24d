// JSON [RFC 8259] as a tree, for messages of editors and other programs. Everything lives in the arena of the message.
#pragma once
#include <stdbool.h>
#include "arena.h"
#include "text.h"

typedef enum { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } JsonKind;

typedef struct Json {
  JsonKind kind;
  const char *key;                     // in an object; NULL
  const char *text; size_t n;          // STRING: UTF-8, may hold zeros; NUL-terminated
  double number;
  const char *raw; size_t nraw;        // as it was written
  const struct Json *first, *next;     // elements; the next of the same list
} Json;

const Json *json_read(Arena *a, const char *s, size_t n);           // NULL: this is no JSON
const Json *json_at(const Json *o, const char *path);               // "params.position.line"; NULL: there is none
const char *json_text(const Json *o, const char *path);             // NULL: there is no text
long json_whole(const Json *o, const char *path, long otherwise);
