// The words of foreign_words.def, and the small lists that the rules of foreign.c look things up in.
#include "foreign_words.h"

#include <ctype.h>
#include <string.h>

#include "../base/text.h"

static const struct { const char *words, *what, *help; } foreign[] = {
#define FOREIGN(words, what, help) {words, what, help},
#include "foreign_words.def"
#undef FOREIGN
};

bool foreign_word(const char *word, const char **what, const char **help) {
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
    if (!list_has(foreign[i].words, word, strlen(word))) continue;
    *what = foreign[i].what;
    *help = foreign[i].help;
    return true;
  }
  return false;
}

bool is_law_name(const char *word) {
  return list_has("newton poisson binary lzb inelastic elastic coulomb contensou scleronomous rheonomous type1 type2",
                word, strlen(word));
}

bool is_function_name(const char *word) {
  return list_has("sqrt exp log sin cos tan asin acos atan atan2 sinh cosh tanh abs sign min max floor dot norm "
                "transpose sgn normal_cone", word, strlen(word));
}

// Those that nobody takes for a name of a quantity are few; a number in front makes the others one.
bool looks_like_unit(const char *text) {
  static const char units[] =
      "m mm cm km um nm kg g mg s ms us ns min h N kN mN J kJ W kW V mV kV A mA uA Hz kHz rad mrad deg rev rpm K Pa "
      "kPa MPa GPa bar C F uF nF pF H mH uH ohm kohm Ohm mol T Wb S l L t sec Nm Kg degC";
  bool any = false;
  for (const char *at = text; *at;) {
    size_t n = 0;
    while (isalpha((unsigned char)at[n])) n++;
    bool one = n == 0 && *at == '1';
    if (!one && (n == 0 || !list_has(units, at, n))) return false;
    any |= !one;
    at += one ? 1 : n;
    if (*at == '^') {
      at++;
      at += *at == '-';
      if (!isdigit((unsigned char)*at)) return false;
      while (isdigit((unsigned char)*at)) at++;
    }
    if (*at && (strchr("*/.", *at) == NULL || !at[1])) return false;
    at += *at != 0;
  }
  return any;
}
