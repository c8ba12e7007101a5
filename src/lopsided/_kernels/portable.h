/* What the compilers differ in, for all kernels that use it. */
#ifndef LOPSIDED_PORTABLE_H
#define LOPSIDED_PORTABLE_H

#include <stdint.h>

#if defined(_MSC_VER) && !defined(__clang__)
#define PREFETCH(address) ((void)(address))
#define INLINE static __forceinline
#define RESTRICT __restrict
#else
#define PREFETCH(address) __builtin_prefetch(address)
#define INLINE static inline __attribute__((always_inline))
#define RESTRICT restrict
#endif

/* Compiled once for each of these processors where the loader can choose among them. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__gnu_linux__)
#define CLONES_FOR(...) __attribute__((target_clones(__VA_ARGS__)))
/* Largest and smallest element are found many lanes at a time only if NaN and signed zeros may be forgotten. */
#define NO_NAN __attribute__((optimize("O3", "finite-math-only", "no-signed-zeros")))
#else
#define CLONES_FOR(...)
#define NO_NAN
#endif
#define CLONES CLONES_FOR("arch=x86-64-v4", "arch=x86-64-v3", "default")

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

/* The next of a sequence of random numbers (SplitMix64; Steele, Lea & Flood 2014). Its state is one number. */
INLINE uint64_t next_random(uint64_t* state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Between 0 and 1, 1 excluded. */
INLINE double next_uniform(uint64_t* state) { return (double)(next_random(state) >> 11) * 0x1p-53; }

#endif
