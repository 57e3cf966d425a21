#include "Hash.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

// The constants of the 64 rounds (FIPS 180-4, 4.2.2).
const uint32_t cplatform_sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

// Whether the processor has the instructions: 0 before it was asked, 1 without them, 2 with them.
static _Atomic int support;

static int has_instructions(void) {
    int known = support;
    if (known == 0) {
        unsigned a, b, c, d;
        int has_shuffles = __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 9)) && (c & (1u << 19));
        int has_hash = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 29));
        known = has_shuffles && has_hash ? 2 : 1;
        support = known;
    }
    return known == 2;
}

__attribute__((target("sha,sse4.1,ssse3")))
static void compress(uint32_t *state, const uint8_t *bytes, size_t blocks) {
    const __m128i order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    // The instructions want the eight words as ABEF and CDGH, the first one in the highest place.
    __m128i first = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
    __m128i second = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(first, second, 8);
    __m128i cdgh = _mm_blend_epi16(second, first, 0xf0);
    for (; blocks > 0; blocks--, bytes += 64) {
        const __m128i before_abef = abef, before_cdgh = cdgh;
        __m128i words[4];
        for (int index = 0; index < 4; index++) {
            const __m128i part = _mm_loadu_si128((const __m128i *)(bytes + 16 * index));
            words[index] = _mm_shuffle_epi8(part, order);
        }
#pragma clang loop unroll(full)
        for (int step = 0; step < 16; step++) {
            const __m128i now = words[step & 3];
            const __m128i round = _mm_loadu_si128((const __m128i *)(cplatform_sha256_constants + 4 * step));
            const __m128i sum = _mm_add_epi32(now, round);
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
            if (step < 12) {
                const __m128i third = words[(step + 2) & 3], last = words[(step + 3) & 3];
                __m128i next = _mm_sha256msg1_epu32(now, words[(step + 1) & 3]);
                next = _mm_add_epi32(next, _mm_alignr_epi8(last, third, 4));
                words[step & 3] = _mm_sha256msg2_epu32(next, last);
            }
        }
        abef = _mm_add_epi32(abef, before_abef);
        cdgh = _mm_add_epi32(cdgh, before_cdgh);
    }
    first = _mm_shuffle_epi32(abef, 0x1b);
    second = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(first, second, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(second, first, 8));
}

int cplatform_sha256(uint32_t *state, const void *bytes, size_t blocks) {
    if (!has_instructions()) return 0;
    compress(state, bytes, blocks);
    return 1;
}
#else
int cplatform_sha256(uint32_t *state, const void *bytes, size_t blocks) {
    (void)state, (void)bytes, (void)blocks;
    return 0;
}
#endif
