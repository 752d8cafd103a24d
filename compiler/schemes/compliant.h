// Compliant contacts as potentials (compliant.c).
#pragma once
#include "../system/system.h"

const char *compliant_refused(const System *s, const SysClass *c);      // why the class has no potential; NULL: it has
SysClass *compliant_class(Arena *a, const System *s, const SysClass *c);  // the smooth class that stands for it
Ex compliant_force(const System *s, const SysClass *c);                   // lambda at the end of the step
Ex compliant_compliance(const System *s, const SysClass *c);              // c, must be positive
