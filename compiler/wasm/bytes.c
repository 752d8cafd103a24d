// Integers as the format writes them (LEB128), 7 bits a byte, the lowest first.
#include "unit.h"

void leb_unsigned(Text *t, uint64_t x) {
  do {
    text_addc(t, (char)((x & 0x7f) | (x > 0x7f ? 0x80 : 0)));
    x >>= 7;
  } while (x);
}

void leb_signed(Text *t, int64_t x) {
  for (;;) {
    int low = (int)(x & 0x7f);
    x >>= 7;                                               // arithmetic, as every compiler has it
    bool last = (x == 0 && !(low & 0x40)) || (x == -1 && (low & 0x40));
    text_addc(t, (char)(low | (last ? 0 : 0x80)));
    if (last) return;
  }
}
