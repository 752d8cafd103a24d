// Source positions, and the exact look of diagnostics.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "tests/unit/diagnosed.h"

typedef struct { Arena *arena; const SourceFile *file; DiagBag *bag; } Bench;

static Bench bench(const char *text) {
  Arena *a = arena_new();
  return (Bench){a, source_from_text(a, "t.nsm", text, strlen(text)), diag_bag_new(a)};
}

static Span at(const Bench *b, const char *part) {
  const char *found = strstr(b->file->text, part);
  assert_non_null(found);
  size_t lo = (size_t)(found - b->file->text);
  return (Span){b->file, lo, lo + strlen(part)};
}

static void shows(Bench *b, const char *expected) {
  char *shown = NULL;
  size_t n;
  FILE *f = open_memstream(&shown, &n);
  diag_print(b->bag, f, false);
  fclose(f);
  assert_string_equal(shown, expected);
  free(shown);
  arena_free(b->arena);
}

static void positions(void **state) {
  (void)state;
  Bench b = bench("ab\nµ²x\n\nlast");
  assert_int_equal(b.file->n_lines, 4);
  assert_int_equal(source_line(b.file, 0), 1);
  assert_int_equal(source_line(b.file, 2), 1);
  assert_int_equal(source_line(b.file, 3), 2);
  assert_int_equal(source_column(b.file, 7), 3);
  assert_int_equal(source_line(b.file, b.file->len), 4);
  assert_int_equal(source_column(b.file, b.file->len), 5);
  Span none = {0}, joined = span_join(at(&b, "x"), at(&b, "ab"));
  assert_int_equal(joined.lo, 0);
  assert_int_equal(joined.hi, 8);
  assert_ptr_equal(span_join(none, joined).file, b.file);
  arena_free(b.arena);
}

static void files(void **state) {
  (void)state;
  Arena *a = arena_new();
  const SourceFile *f;
  assert_int_equal(source_read(a, "/no/such/file", &f), SOURCE_MISSING);
  assert_int_equal(source_read(a, "/", &f), SOURCE_IS_DIR);
  assert_null(f);
  assert_int_equal(source_read(a, "/dev/null", &f), SOURCE_OK);
  assert_int_equal(f->len, 0);
  arena_free(a);
}

static void the_example_of_the_manual(void **state) {
  (void)state;
  Bench b = bench("\n\n\n\n\n\n\n\n\n  relation r: 0 <= z - R perp f >= 0;\n");
  Diag *d = diag(b.bag, DIAG_E0101, at(&b, "z - R"), "degree %d", 2);
  diag_also(d, at(&b, "f"), "acts on z''");
  diag_note(d, "y = z - R");
  diag_note(d, "two\nlines");
  diag_help(d, "contact r: z - R >= 0 with newton(e);");
  shows(&b, "error[E0101]: degree 2\n"
            "  --> t.nsm:10:20\n"
            "   |\n"
            "10 |   relation r: 0 <= z - R perp f >= 0;\n"
            "   |                    ^^^^^      - acts on z''\n"
            "   = note: y = z - R\n"
            "   = note: two\n"
            "           lines\n"
            "   = help: contact r: z - R >= 0 with newton(e);\n");
}

static void sorted_by_place_with_hanging_labels(void **state) {
  (void)state;
  Bench b = bench("first = 1;\nsecond = 2;\n\n\tthird = first;");
  Diag *d = diag(b.bag, DIAG_E0102, at(&b, "third"), "later");
  diag_label(d, "this");
  diag_also(d, at(&b, "second"), "made here");
  diag_also(d, (Span){b.file, 34, 35}, "and this");
  diag(b.bag, DIAG_E0101, at(&b, "first"), "earlier");
  diag(b.bag, DIAG_E0101, at(&b, "first"), "earlier");   // the same again: kept once
  diag(b.bag, DIAG_E0103, (Span){0}, "nowhere");
  assert_int_equal(diag_errors(b.bag), 3);
  assert_true(diagnosed(b.bag, DIAG_E0102));
  assert_false(diagnosed(b.bag, DIAG_E0104));
  shows(&b, "error[E0103]: nowhere\n"
            "error[E0101]: earlier\n"
            " --> t.nsm:1:1\n"
            "  |\n"
            "1 | first = 1;\n"
            "  | ^^^^^\n"
            "error[E0102]: later\n"
            " --> t.nsm:4:2\n"
            "  |\n"
            "2 | second = 2;\n"
            "  | ------ made here\n"
            "...\n"
            "4 |     third = first;\n"
            "  |     ^^^^^    - and this\n"
            "  |     this\n");
}

static void carets_count_code_points_and_what_cannot_be_shown_is_replaced(void **state) {
  (void)state;
  Bench b = bench("µµ x\x01\xff y\r\nz");
  diag(b.bag, DIAG_E0101, at(&b, "y"), "a \x1b[31m red");
  shows(&b, "error[E0101]: a \xEF\xBF\xBD[31m red\n"
            " --> t.nsm:1:8\n"
            "  |\n"
            "1 | µµ x\xEF\xBF\xBD\xEF\xBF\xBD y\n"
            "  |        ^\n");
}

// One column of a terminal for each mark: East Asian characters and pictures take two, combining ones none, a tab goes
// to the next multiple of four.
static void marks_stand_under_wide_and_combining_characters(void **state) {
  (void)state;
  static const struct { const char *before; int columns; } lines[] = {
    { "", 0 }, { "ab", 2 }, { "\t", 4 }, { "abc\t", 4 }, { "abcd\t", 8 }, { "\u00b5", 1 }, { "\u4e2d\u6587", 4 },
    { "e\u0301", 1 }, { "\uff1b", 2 }, { "\uac00", 2 }, { "\U0001F600", 2 }, { "a\u200b", 1 }, { "\u4e2d\t", 4 },
    { "\u03b1\u0302\u4e2d", 3 },
  };
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
    char text[64], want[200];
    snprintf(text, sizeof text, "%sX\u4e2d;", lines[k].before);
    Bench b = bench(text);
    Span from_x = at(&b, "X");
    diag(b.bag, DIAG_E0101, (Span){ b.file, from_x.lo, b.file->len - 1 }, "here");
    char *shown = NULL;
    size_t n;
    FILE *f = open_memstream(&shown, &n);
    diag_print(b.bag, f, false);
    fclose(f);
    snprintf(want, sizeof want, "\n  | %*s^^^\n", lines[k].columns, "");   // X takes one, the wide one two
    if (!strstr(shown, want)) fail_msg("line %zu:\n%s", k, shown);
    free(shown);
    arena_free(b.arena);
  }
}

static void the_end_of_a_file_can_be_marked(void **state) {
  (void)state;
  Bench b = bench("ab\n");
  diag(b.bag, DIAG_E0101, (Span){b.file, 3, 3}, "end");
  diag(b.bag, DIAG_E0102, (Span){b.file, 2, 2}, "line end");
  shows(&b, "error[E0102]: line end\n --> t.nsm:1:3\n  |\n1 | ab\n  |   ^\n"
            "error[E0101]: end\n --> t.nsm:2:1\n  |\n2 |\n  | ^\n");
}

static void long_lines_are_clipped(void **state) {
  (void)state;
  static char text[300001];
  memset(text, 'a', 300000);
  for (size_t place = 0; place < 300000; place = place * 3 + 1) {
    memset(text, 'a', 300000);
    text[place] = '!';
    Bench b = bench(text);
    diag(b.bag, DIAG_E0101, (Span){b.file, place, place + 1}, "here");
    char *shown = NULL;
    size_t n;
    FILE *f = open_memstream(&shown, &n);
    diag_print(b.bag, f, false);
    fclose(f);
    assert_true(n < 600);
    char *mark = strchr(shown, '!'), *line = strstr(shown, "\n1 | ") + 1;
    size_t column = 0;   // in code points
    for (char *c = line; c < mark; c++) column += ((unsigned char)*c & 0xC0) != 0x80;
    char *carets = strchr(line, '\n') + 1;
    assert_int_equal(strcspn(carets, "^"), column);
    free(shown);
    arena_free(b.arena);
  }
}

static void no_more_than_twenty(void **state) {
  (void)state;
  Bench b = bench("x");
  for (int k = 0; k < 100; k++) diag_note(diag(b.bag, DIAG_E0101, (Span){0}, "number %d", k), "note");
  assert_int_equal(diag_errors(b.bag), DIAG_LIMIT);
  char *shown = NULL;
  size_t n;
  FILE *f = open_memstream(&shown, &n);
  diag_print(b.bag, f, true);
  fclose(f);
  assert_non_null(strstr(shown, "number 19"));
  assert_null(strstr(shown, "number 20"));
  assert_non_null(strstr(shown, "\xE2\x80\xA6 and more: only the first 20 errors are shown\n"));
  assert_non_null(strstr(shown, "\033[1;31merror"));
  free(shown);
  arena_free(b.arena);
}

static void codes_are_found(void **state) {
  (void)state;
  DiagCode c;
  assert_true(diag_code_find("E0104", &c) && c == DIAG_E0104);
  assert_true(diag_code_find("e0104", &c) && c == DIAG_E0104);
  assert_true(diag_code_find("104", &c) && c == DIAG_E0104);
  assert_false(diag_code_find("E9999", &c) || diag_code_find("", &c) || diag_code_find("E", &c));
  for (int k = 0; k < DIAG_COUNT; k++) {
    assert_true(diag_code_find(diag_code_name((DiagCode)k), &c) && c == (DiagCode)k);
    assert_true(strlen(diag_code_title((DiagCode)k)) > 0);
    size_t n;
    diag_code_story((DiagCode)k, &n);
    assert_true(n > 40);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(positions), cmocka_unit_test(files), cmocka_unit_test(the_example_of_the_manual),
    cmocka_unit_test(sorted_by_place_with_hanging_labels),
    cmocka_unit_test(carets_count_code_points_and_what_cannot_be_shown_is_replaced),
    cmocka_unit_test(marks_stand_under_wide_and_combining_characters),
    cmocka_unit_test(the_end_of_a_file_can_be_marked), cmocka_unit_test(long_lines_are_clipped),
    cmocka_unit_test(no_more_than_twenty), cmocka_unit_test(codes_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
