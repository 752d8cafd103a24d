// A loop that is compiled for processors with wider vectors too, and chosen when the program starts. Nothing is
// reassociated, so that the results are the same. Sanitizers do not know such functions, nor does the loader of musl.
#pragma once

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)
#define NSM_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define NSM_WIDE
#endif
