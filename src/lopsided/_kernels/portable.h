/* What the compilers differ in, for all kernels that use it. */
#ifndef LOPSIDED_PORTABLE_H
#define LOPSIDED_PORTABLE_H

#if defined(_MSC_VER) && !defined(__clang__)
#define PREFETCH(address) ((void)(address))
#define INLINE static __forceinline
#define RESTRICT __restrict
#else
#define PREFETCH(address) __builtin_prefetch(address)
#define INLINE static inline __attribute__((always_inline))
#define RESTRICT restrict
#endif

/* Compiled once for each generation of x86-64 where the loader can choose among them. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__gnu_linux__)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
/* Largest and smallest element are found many lanes at a time only if NaN and signed zeros may be forgotten. */
#define NO_NAN __attribute__((optimize("O3", "finite-math-only", "no-signed-zeros")))
#else
#define CLONES
#define NO_NAN
#endif

#ifdef LOPSIDED_CHECKED
#include <stdio.h>
#include <stdlib.h>
#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            abort();                                                                      \
        }                                                                                 \
    } while (0)
#else
#define CHECK(condition)
#endif

#endif
