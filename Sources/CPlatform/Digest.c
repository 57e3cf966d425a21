#include "CPlatform.h"

#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<sys/platform/x86.h>)
#define HAS_SHA_INSTRUCTIONS 1
#endif
#endif

#ifdef HAS_SHA_INSTRUCTIONS

#include <immintrin.h>
#include <sys/platform/x86.h>

/// The constants of the 64 rounds (FIPS 180-4, 4.2.2).
static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

int32_t cplatform_has_sha256(void) {
    // The C library asked the processor when the process began; in a virtual machine asking takes a microsecond.
    return __x86_get_cpuid_feature_leaf(7) != NULL && CPU_FEATURE_ACTIVE(SHA) && CPU_FEATURE_ACTIVE(SSE4_1)
        && CPU_FEATURE_ACTIVE(SSSE3);
}

__attribute__((target("sha,sse4.1,ssse3")))
void cplatform_sha256(uint32_t *state, const void *blocks, size_t count) {
    // The instructions want the words a, b, e, f in one register and c, d, g, h in the other, the first in the highest place.
    __m128i abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
    __m128i cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);
    // Words are big-endian in a message.
    const __m128i reversed = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i *next = blocks;
    for (; count > 0; count--, next += 4) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        // The last sixteen words of the message schedule.
        __m128i words[4];
#pragma clang loop unroll(full)
        for (int four = 0; four < 16; four++) {
            const int place = four & 3;
            if (four < 4) {
                words[place] = _mm_shuffle_epi8(_mm_loadu_si128(next + four), reversed);
            } else {
                const __m128i last = words[(four + 3) & 3];
                const __m128i sum = _mm_add_epi32(
                    _mm_sha256msg1_epu32(words[place], words[(four + 1) & 3]),
                    _mm_alignr_epi8(last, words[(four + 2) & 3], 4));
                words[place] = _mm_sha256msg2_epu32(sum, last);
            }
            const __m128i constants = _mm_loadu_si128((const __m128i *)(round_constants + 4 * four));
            const __m128i sums = _mm_add_epi32(words[place], constants);
            // Two rounds with the lower two words, and two with the upper ones.
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sums);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sums, 0x0e));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    state[0] = (uint32_t)_mm_extract_epi32(abef, 3);
    state[1] = (uint32_t)_mm_extract_epi32(abef, 2);
    state[4] = (uint32_t)_mm_extract_epi32(abef, 1);
    state[5] = (uint32_t)_mm_extract_epi32(abef, 0);
    state[2] = (uint32_t)_mm_extract_epi32(cdgh, 3);
    state[3] = (uint32_t)_mm_extract_epi32(cdgh, 2);
    state[6] = (uint32_t)_mm_extract_epi32(cdgh, 1);
    state[7] = (uint32_t)_mm_extract_epi32(cdgh, 0);
}

#else

int32_t cplatform_has_sha256(void) { return 0; }

void cplatform_sha256(uint32_t *state, const void *blocks, size_t count) {
    (void)state;
    (void)blocks;
    (void)count;
}

#endif
