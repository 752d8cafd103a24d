// Where things are, in the two ways of counting: bytes of a file, and lines and characters of the protocol, which
// counts UTF-16 units from 0 [Language Server Protocol 3.17, Position]. Paths and URIs [RFC 3986, RFC 8089].
#pragma once
#include "../base/source.h"
#include "../base/text.h"

typedef struct Position { long line, character; } Position;

Position position_of(const SourceFile *f, size_t offset);
size_t   offset_of(const char *text, size_t n, Position at);        // a place behind the end of its line is that end
void     put_range(Text *t, Span at);                               // {"start":{...},"end":{...}}
const char *path_of_uri(Arena *a, const char *uri);                 // of another scheme than file: the URI itself
const char *uri_of_path(Arena *a, const char *path);
