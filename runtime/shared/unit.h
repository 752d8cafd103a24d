// Units as exponents of the seven SI base units and a factor to SI, for the compiler and the runtime.
#ifndef NSM_UNIT_H
#define NSM_UNIT_H

enum { NSM_DIMENSIONS = 7 };                               // m, kg, s, A, K, mol, cd

// twice: doubled exponents, for square roots.
typedef struct nsm_unit { double scale; int twice[NSM_DIMENSIONS]; } nsm_unit;

// Reads "m/s^2", "N*m/rad", "mH", "rev/min", "m^(1/2)", "1": products and quotients of symbols with prefixes, whole or
// half exponents, parentheses; blanks or a dot multiply. 1, or 0 with the offending part in *bad (*length bytes; either
// may be NULL).
int nsm_unit_parse(const char *text, nsm_unit *out, const char **bad, int *length);

int         nsm_unit_same(const nsm_unit *a, const nsm_unit *b);   // of one dimension?
const char *nsm_unit_common(const nsm_unit *u);            // "N" for kg*m/s^2; NULL where it has no common name
const char *nsm_unit_symbol(int i);                        // the symbols without prefix, i = 0, 1, ...; NULL at the end

// x as written in a unit of this scale, in SI, rounded once: 5.8 mm is 5.8/1000, not 5.8 times a rounded 1e-3.
double nsm_to_si(double x, double scale);
double nsm_unit_scale(const char *text);                 // of a text that nsm_unit_parse reads; 1 for others
double nsm_from_si(double x, double scale);              // and back

#endif
