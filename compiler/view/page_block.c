// Blocks of numbers as a page has them: bytes as letters, or packed.
#include "pack.h"
#include "page_parts.h"
#include <stdlib.h>
#include "../base/fatal.h"

// ---- bytes as text --------------------------------------------------------------------------------------------------
void page_base64(Text *out, const void *bytes, size_t n) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  enum { PART = 3 * 256 };
  const unsigned char *b = bytes;
  for (size_t at = 0; at < n; at += PART) {
    char line[4 * PART / 3];
    size_t used = 0, end = n - at < PART ? n : at + PART;
    for (size_t i = at; i < end; i += 3) {
      unsigned x = (unsigned)b[i] << 16 | (i + 1 < n ? (unsigned)b[i + 1] << 8 : 0) | (i + 2 < n ? b[i + 2] : 0);
      line[used++] = digit[x >> 18];
      line[used++] = digit[x >> 12 & 63];
      line[used++] = i + 1 < n ? digit[x >> 6 & 63] : '=';
      line[used++] = i + 2 < n ? digit[x & 63] : '=';
    }
    text_addn(out, line, used);
  }
}

// Thirteen bits as two of 91 letters, those from ' ' to '|' but for '&' and '<': 23 % longer than the bytes, where
// base64 is 33 % longer. page/data.js reads it.
static void two_letters(Text *out, unsigned x) {
  enum { LETTERS = 91 };
  unsigned at[2] = { x % LETTERS, x/LETTERS };
  for (int i = 0; i < 2; i++) {
    char c = (char)(' ' + at[i]);
    c = (char)(c + (c >= '&'));
    text_addc(out, (char)(c + (c >= '<')));
  }
}

void page_base91(Text *out, const void *bytes, size_t n) {
  enum { BITS = 13 };
  const unsigned char *b = bytes;
  unsigned held = 0, bits = 0;
  for (size_t i = 0; i < n; i++) {
    held |= (unsigned)b[i] << bits;
    bits += 8;
    if (bits < BITS) continue;
    two_letters(out, held & ((1u << BITS) - 1));
    held >>= BITS;
    bits -= BITS;
  }
  if (bits) two_letters(out, held);
}

// ---- blocks ---------------------------------------------------------------------------------------------------------
static void packed(const PageBlock *b, Text *out) {
  size_t n = b->n/(b->single ? sizeof(float) : sizeof(double)), series = (size_t)b->series, each = n/series;
  double *copy = b->single ? memory_for((n + 1)*sizeof *copy) : NULL;
  const float *x = b->bytes;
  for (size_t i = 0; copy && i < n; i++) copy[i] = (double)x[i];
  const double *values = copy ? copy : b->bytes;
  PackBits bits = { 0 };
  Text bytes = {0};
  for (size_t s = 0; s < series; s++) pack_series(&bytes, &bits, values + s, each, series, b->near);
  pack_finish(&bytes, &bits);
  text_printf(out, " data-packed=\"%zu %zu %zu\">", series, each, bytes.n);
  page_base91(out, bytes.at, bytes.n);
  text_free(&bytes);
  free(copy);
}

void page_block_write(const Trace *t, const PageBlock *b, Text *out) {
  text_printf(out, "<script type=\"application/octet-stream\" id=\"%s\"", b->name);
  if (t->packed && b->series) packed(b, out);
  else {
    text_addc(out, '>');
    page_base64(out, b->bytes, b->n);
  }
  text_add(out, "</script>\n");
}
