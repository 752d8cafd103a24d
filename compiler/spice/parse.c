// The scanner and the parser of netlist.l and netlist.y on a text in memory.
#include "netlist.h"

int   spice_scan_lex_init_extra(SpiceParse *p, void **scanner);
void *spice_scan__scan_bytes(const char *text, int n, void *scanner);
int   spice_scan_lex_destroy(void *scanner);
int   spice_parse_cards(SpiceParse *p, void *scanner);

bool spice_parse(Arena *a, const SourceFile *f, size_t from, Cards *out, const char **wrong, Span *at) {
  SpiceParse p = { .a = a, .file = f, .at = from, .cards = out, .first = true };
  void *scanner;
  spice_scan_lex_init_extra(&p, &scanner);
  spice_scan__scan_bytes(f->text + from, (int)(f->len - from), scanner);
  int failed = spice_parse_cards(&p, scanner);
  spice_scan_lex_destroy(scanner);
  vec_free(&p.items);
  *wrong = p.wrong;
  *at = p.wrong_at;
  return failed == 0 && !p.wrong;
}
