// Long series of random cases look at numbers. Under the sanitizers, which look at memory and cost several times as
// much, they take one of THIN cases: each loop still passes through all its kinds of cases, as THIN has no factor in
// common with their numbers.
#pragma once
#ifdef __SANITIZE_ADDRESS__
enum { THIN = 11 };
#else
enum { THIN = 1 };
#endif
