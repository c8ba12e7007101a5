/* The inner loops over byte grams, in plain C: Cython's own loops came out a fifth slower here.
 *
 * A gram of n bytes, 1 <= n <= 8, is hashed by one product with multiplier(n). Pointers that come in are
 * trusted; the Python side sees to it. A build with bounds checks (LOPSIDED_CHECKED) asserts every column.
 */
#ifndef LOPSIDED_BYTEGRAMS_H
#define LOPSIDED_BYTEGRAMS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "portable.h"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#endif
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
static inline int lowest_bit(uint64_t word) {
    unsigned long place;
    _BitScanForward64(&place, word);
    return (int)place;
}
#define UNLIKELY(condition) (condition)
#define UNROLLED
#else
static inline int lowest_bit(uint64_t word) { return __builtin_ctzll(word); }
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define UNROLLED _Pragma("GCC unroll 4")
#endif

/* For any x86-64 and for one with bit-manipulation instructions; wider vectors made it 3 % slower. */
#define BIT_CLONES CLONES_FOR("arch=x86-64-v3", "default")

/* 2^64 divided by the golden ratio, odd: a product with it spreads neighbouring keys (Knuth, TAOCP 6.4).
 * Shifted so far that the bytes behind the n of the gram leave no trace in the product. For n <= 4 the upper
 * 32 bits of the product are different for different grams, since the multiplier is odd. */
static inline uint64_t multiplier(int n) { return 0x9E3779B97F4A7C15ULL << (64 - 8 * n); }

/* Eight bytes as one number, the first byte lowest on every machine. */
static inline uint64_t load_bytes(const uint8_t *start) {
    uint64_t word;
    memcpy(&word, start, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* A set of columns: bit c for column c, and a byte for each word, 1 when the word may not be zero. */
typedef struct {
    uint64_t *words;
    uint8_t *summary;
    ptrdiff_t n_words; /* a multiple of 16 */
} Bitmap;

INLINE void mark(Bitmap bitmap, uint64_t column) {
    CHECK((ptrdiff_t)(column >> 6) < bitmap.n_words);
    bitmap.words[column >> 6] |= 1ULL << (column & 63);
    bitmap.summary[column >> 6] = 1;
}

/* Mark the hashed columns of `count` grams that start one byte apart; eight bytes are readable at each.
 * A column is the upper half of the product scaled to 0 .. n_features - 1: a shift for a power of two. */
BIT_CLONES static void mark_hashed(const uint8_t *start, ptrdiff_t count, int n, uint64_t n_features, Bitmap bitmap) {
    const uint64_t factor = multiplier(n);
    if (n == 4 && n_features == 1 << 20) { /* the default: 32 bits and constants do, a tenth faster */
        const uint32_t half = (uint32_t)(factor >> 32);
        UNROLLED
        for (ptrdiff_t p = 0; p < count; p++)
            mark(bitmap, ((uint32_t)load_bytes(start + p) * half) >> (32 - 20));
    } else if ((n_features & (n_features - 1)) == 0 && n_features > 1) {
        const int shift = 64 - lowest_bit(n_features);
        UNROLLED
        for (ptrdiff_t p = 0; p < count; p++)
            mark(bitmap, (load_bytes(start + p) * factor) >> shift);
    } else {
        for (ptrdiff_t p = 0; p < count; p++)
            mark(bitmap, (((load_bytes(start + p) * factor) >> 32) * n_features) >> 32);
    }
}

/* Where the bits of a byte are set, and how many are. Eight places written at once, of which the first `count`
 * stay, replace a loop over the bits whose end no processor can predict. */
static uint16_t bit_places[256][8];
static uint8_t bit_count[256];

static void fill_bit_table(void) {
    memset(bit_count, 0, sizeof bit_count);
    for (int byte = 0; byte < 256; byte++)
        for (int bit = 0; bit < 8; bit++)
            if (byte >> bit & 1)
                bit_places[byte][bit_count[byte]++] = (uint16_t)bit;
}

#define BLOCK 8192     /* words listed together, in 16 bits each */
#define WORDS_AHEAD 12 /* how far ahead words are fetched from the second-level cache */

/* Write the numbers of the words that are not zero, and clear the summary. Returns the end of the list. */
#if defined(__SSE2__) || defined(_M_X64)
BIT_CLONES static uint16_t *list_words(uint8_t *summary, ptrdiff_t n_words, uint16_t *end) {
    const __m128i eight = _mm_set1_epi16(8);
    __m128i first = _mm_setzero_si128();
    for (ptrdiff_t w = 0; w < n_words; w += 16) {
        const __m128i ones = _mm_loadu_si128((const __m128i *)(summary + w)); /* sixteen bytes of 0 or 1 */
        const int bits = _mm_movemask_epi8(_mm_slli_epi16(ones, 7));
        _mm_storeu_si128((__m128i *)(summary + w), _mm_setzero_si128());
        for (int half = 0; half < 2; half++) {
            const int byte = (bits >> 8 * half) & 255;
            const __m128i places = _mm_loadu_si128((const __m128i *)bit_places[byte]);
            _mm_storeu_si128((__m128i *)end, _mm_add_epi16(first, places));
            first = _mm_add_epi16(first, eight);
            end += bit_count[byte];
        }
    }
    return end;
}
#else
static uint16_t *list_words(uint8_t *summary, ptrdiff_t n_words, uint16_t *end) {
    for (ptrdiff_t w = 0; w < n_words; w += 8) {
        /* eight bytes of 0 or 1 become eight bits */
        const uint64_t byte = (load_bytes(summary + w) * 0x0102040810204080ULL) >> 56;
        memset(summary + w, 0, 8);
        for (int i = 0; i < 8; i++)
            end[i] = (uint16_t)(w + bit_places[byte][i]);
        end += bit_count[byte];
    }
    return end;
}
#endif

/* Write the columns of the listed words in order, and clear the words. Returns the end of the columns. */
BIT_CLONES static int32_t *list_columns(uint64_t *words, const uint16_t *w, const uint16_t *last, int32_t first_column,
                                        int32_t *end) {
    for (; w < last; w++) {
        const int32_t column = first_column + ((int32_t)*w << 6);
        uint64_t bits = words[*w];
        CHECK(bits != 0);
        words[*w] = 0;
        PREFETCH(&words[w[WORDS_AHEAD]]);
        *end++ = column + lowest_bit(bits);
        bits &= bits - 1;
        while (UNLIKELY(bits)) {
            *end++ = column + lowest_bit(bits);
            bits &= bits - 1;
        }
    }
    return end;
}

/* Write the marked columns in ascending order and clear the bitmap. Returns how many there were. */
static ptrdiff_t collect(Bitmap bitmap, int32_t *columns) {
    uint16_t nonzero[BLOCK + 8 + WORDS_AHEAD];
    int32_t *end = columns;
    for (ptrdiff_t w = 0; w < bitmap.n_words; w += BLOCK) {
        const ptrdiff_t n_words = bitmap.n_words - w < BLOCK ? bitmap.n_words - w : BLOCK;
        uint16_t *last = list_words(bitmap.summary + w, n_words, nonzero);
        memset(last, 0, WORDS_AHEAD * sizeof *last); /* fetched, not read */
        end = list_columns(bitmap.words + w, nonzero, last, (int32_t)(w << 6), end);
    }
    return end - columns;
}

/* The vocabulary: an open-addressing table. A slot is 0 (empty) or the upper half of the gram's product in its
 * low 32 bits and the gram's column + 1 in its high 32. keys[column] is the gram itself. The factor is drawn for
 * each table: with a known one, mail could be written whose grams all want the same slot. */
typedef struct {
    uint64_t *slots;
    uint64_t *keys;
    uint64_t factor; /* an odd number, shifted as in multiplier(n) */
    ptrdiff_t room; /* keys there is memory for: at most two thirds of the slots */
    int log2_slots;
    int n; /* bytes a gram */
    int32_t n_keys;
} Vocabulary;

/* The column of a gram, or -1. Sets `place` to its slot, or to the free slot where it belongs. */
static inline int32_t find_gram(const Vocabulary *vocabulary, uint64_t key, uint64_t product, uint64_t *place) {
    const uint64_t mask = (1ULL << vocabulary->log2_slots) - 1;
    const uint32_t tag = (uint32_t)(product >> 32);
    uint64_t at = product >> (64 - vocabulary->log2_slots);
    uint64_t slot;
    while ((slot = vocabulary->slots[at]) != 0) {
        if ((uint32_t)slot == tag) {
            const int32_t column = (int32_t)(slot >> 32) - 1;
            if (vocabulary->n <= 4 || vocabulary->keys[column] == key) /* up to 4 bytes the tag is the gram */
                return column;
        }
        at = (at + 1) & mask;
    }
    *place = at;
    return -1;
}

/* There must be room: the caller sees to it. */
static inline int32_t add_gram(Vocabulary *vocabulary, uint64_t key, uint64_t product, uint64_t place) {
    const int32_t column = vocabulary->n_keys++;
    CHECK(column < vocabulary->room && vocabulary->slots[place] == 0);
    vocabulary->keys[column] = key;
    vocabulary->slots[place] = ((uint64_t)(column + 1) << 32) | (product >> 32);
    return column;
}

#define GRAMS_AHEAD 32 /* how far ahead slots are fetched, so that cache misses overlap */

/* Mark the columns of `count` grams; grams not in the vocabulary are added (`learn`) or passed over. */
BIT_CLONES static void mark_known(Vocabulary *vocabulary, const uint8_t *start, ptrdiff_t count, int learn,
                                  Bitmap bitmap) {
    const uint64_t factor = vocabulary->factor;
    const uint64_t keep = ~0ULL >> (64 - 8 * vocabulary->n);
    const int shift = 64 - vocabulary->log2_slots;
    const int tag_is_gram = vocabulary->n <= 4;
    const uint64_t *slots = vocabulary->slots;
    for (ptrdiff_t p = 0; p < count; p++) {
        if (p + GRAMS_AHEAD < count)
            PREFETCH(&slots[(load_bytes(start + p + GRAMS_AHEAD) * factor) >> shift]);
        const uint64_t key = load_bytes(start + p), product = key * factor;
        const uint64_t slot = slots[product >> shift];
        int32_t column = (int32_t)(slot >> 32) - 1;
        /* 19 in 20 are found in the first slot looked at */
        if (UNLIKELY((uint32_t)slot != (uint32_t)(product >> 32) || !tag_is_gram || column < 0)) {
            uint64_t place = 0;
            column = find_gram(vocabulary, key & keep, product, &place);
            if (column < 0) {
                if (!learn)
                    continue;
                column = add_gram(vocabulary, key & keep, product, place);
            }
        }
        mark(bitmap, (uint64_t)column);
    }
}

#endif
