// What people write who come from C, Python, MATLAB, Modelica or from the mechanics of a textbook: words and forms that
// mean something else here or nothing, with what to write in their place.
#pragma once
#include <stdbool.h>

// Is this a word with which another language begins an item? Then what to say of it, and a help.
bool foreign_word(const char *word, const char **what, const char **help);
// Words that are sign, name or unit in many languages. NULL, or what is written here: "abs", "K".
bool looks_like_unit(const char *text);         // kg, m/s^2, N*m: made of names of units
bool is_law_name(const char *word);             // newton, coulomb, ...
bool is_function_name(const char *word);        // sin, sqrt, ...
