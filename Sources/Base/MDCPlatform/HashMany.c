#include "Hash.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

// Each step of a hash waits for the one before, so a processor that hashes one message is mostly idle. Two messages that
// take turns keep it busy; those of more would not fit its sixteen registers.
enum { lane_count = 2 };

// A message that is being hashed: a first block with the prefix, blocks that are read in place, and the padded end.
struct lane {
    const uint8_t *next;
    size_t blocks;
    const uint8_t *whole;
    size_t whole_blocks;
    size_t end_blocks;
    int stage;
    size_t number;
    uint8_t begin[64];
    uint8_t end[128];
};

static const uint32_t beginning[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

__attribute__((target("sha,sse4.1,ssse3"), always_inline))
static inline void compress_lanes(uint32_t (*state)[8], const uint8_t **bytes, size_t blocks) {
    const __m128i order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    __m128i abef[lane_count], cdgh[lane_count];
    for (int lane = 0; lane < lane_count; lane++) {
        __m128i first = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state[lane]), 0xb1);
        __m128i second = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state[lane] + 4)), 0x1b);
        abef[lane] = _mm_alignr_epi8(first, second, 8);
        cdgh[lane] = _mm_blend_epi16(second, first, 0xf0);
    }
    for (; blocks > 0; blocks--) {
        __m128i before_abef[lane_count], before_cdgh[lane_count], words[lane_count][4];
        for (int lane = 0; lane < lane_count; lane++) {
            before_abef[lane] = abef[lane];
            before_cdgh[lane] = cdgh[lane];
            for (int index = 0; index < 4; index++) {
                const __m128i part = _mm_loadu_si128((const __m128i *)(bytes[lane] + 16 * index));
                words[lane][index] = _mm_shuffle_epi8(part, order);
            }
            bytes[lane] += 64;
        }
#pragma clang loop unroll(full)
        for (int step = 0; step < 16; step++) {
            const __m128i round = _mm_loadu_si128((const __m128i *)(cplatform_sha256_constants + 4 * step));
#pragma clang loop unroll(full)
            for (int lane = 0; lane < lane_count; lane++) {
                const __m128i now = words[lane][step & 3];
                const __m128i sum = _mm_add_epi32(now, round);
                cdgh[lane] = _mm_sha256rnds2_epu32(cdgh[lane], abef[lane], sum);
                abef[lane] = _mm_sha256rnds2_epu32(abef[lane], cdgh[lane], _mm_shuffle_epi32(sum, 0x0e));
                if (step < 12) {
                    const __m128i third = words[lane][(step + 2) & 3], last = words[lane][(step + 3) & 3];
                    __m128i next = _mm_sha256msg1_epu32(now, words[lane][(step + 1) & 3]);
                    next = _mm_add_epi32(next, _mm_alignr_epi8(last, third, 4));
                    words[lane][step & 3] = _mm_sha256msg2_epu32(next, last);
                }
            }
        }
        for (int lane = 0; lane < lane_count; lane++) {
            abef[lane] = _mm_add_epi32(abef[lane], before_abef[lane]);
            cdgh[lane] = _mm_add_epi32(cdgh[lane], before_cdgh[lane]);
        }
    }
    for (int lane = 0; lane < lane_count; lane++) {
        __m128i first = _mm_shuffle_epi32(abef[lane], 0x1b), second = _mm_shuffle_epi32(cdgh[lane], 0xb1);
        _mm_storeu_si128((__m128i *)state[lane], _mm_blend_epi16(first, second, 0xf0));
        _mm_storeu_si128((__m128i *)(state[lane] + 4), _mm_alignr_epi8(second, first, 8));
    }
}

// Prepares the message of a prefix and so many bytes.
static void begin(struct lane *lane, uint32_t *state, uint8_t prefix, const uint8_t *bytes, size_t length) {
    memcpy(state, beginning, sizeof beginning);
    lane->stage = 0;
    lane->blocks = 0;
    lane->whole_blocks = 0;
    const uint8_t *rest = bytes;
    size_t left = length, filled = 0;
    if (length >= 63) {
        lane->begin[0] = prefix;
        memcpy(lane->begin + 1, bytes, 63);
        lane->next = lane->begin;
        lane->blocks = 1;
        lane->whole = bytes + 63;
        lane->whole_blocks = (length - 63) / 64;
        rest = lane->whole + 64 * lane->whole_blocks;
        left = length - 63 - 64 * lane->whole_blocks;
    } else {
        lane->end[filled++] = prefix;
    }
    memcpy(lane->end + filled, rest, left);
    filled += left;
    lane->end[filled++] = 0x80;
    lane->end_blocks = filled <= 56 ? 1 : 2;
    memset(lane->end + filled, 0, 64 * lane->end_blocks - 8 - filled);
    const uint64_t bits = __builtin_bswap64((uint64_t)(length + 1) * 8);
    memcpy(lane->end + 64 * lane->end_blocks - 8, &bits, 8);
}

// Goes on to the next part of the message; 0 if all of it was hashed.
static int go_on(struct lane *lane) {
    while (lane->blocks == 0) {
        lane->stage++;
        if (lane->stage == 1) {
            lane->next = lane->whole;
            lane->blocks = lane->whole_blocks;
        } else if (lane->stage == 2) {
            lane->next = lane->end;
            lane->blocks = lane->end_blocks;
        } else {
            return 0;
        }
    }
    return 1;
}

__attribute__((target("sha,sse4.1,ssse3")))
static void hash_many(uint8_t prefix, const uint8_t *bytes, const size_t *places, size_t count, uint32_t (*digests)[8]) {
    struct lane lanes[lane_count];
    uint32_t states[lane_count][8];
    size_t next = 0;
    int active = 0;
    for (; active < lane_count && next < count; active++, next++) {
        begin(&lanes[active], states[active], prefix, bytes + places[2 * next], places[2 * next + 1] - places[2 * next]);
        lanes[active].number = next;
        go_on(&lanes[active]);
    }
    while (active == lane_count) {
        size_t blocks = lanes[0].blocks;
        const uint8_t *parts[lane_count];
        for (int lane = 0; lane < lane_count; lane++) {
            if (lanes[lane].blocks < blocks) blocks = lanes[lane].blocks;
            parts[lane] = lanes[lane].next;
        }
        compress_lanes(states, parts, blocks);
        for (int lane = 0; lane < lane_count; lane++) {
            struct lane *own = &lanes[lane];
            own->next = parts[lane];
            own->blocks -= blocks;
            if (go_on(own)) continue;
            memcpy(digests[own->number], states[lane], sizeof states[lane]);
            if (next == count) {
                active = 0;
                own->number = count;
                continue;
            }
            begin(own, states[lane], prefix, bytes + places[2 * next], places[2 * next + 1] - places[2 * next]);
            own->number = next++;
            go_on(own);
        }
    }
    // The last messages, fewer than lanes.
    for (int lane = 0; lane < lane_count && (size_t)lane < count; lane++) {
        struct lane *own = &lanes[lane];
        if (own->number == count) continue;
        do {
            cplatform_sha256(states[lane], own->next, own->blocks);
            own->blocks = 0;
        } while (go_on(own));
        memcpy(digests[own->number], states[lane], sizeof states[lane]);
    }
}

int cplatform_sha256_many(uint8_t prefix, const void *bytes, const size_t *places, size_t count, void *digests) {
    // Asks for the instructions without hashing anything.
    uint32_t none[8] = {0};
    if (!cplatform_sha256(none, bytes, 0)) return 0;
    hash_many(prefix, bytes, places, count, digests);
    return 1;
}
#else
int cplatform_sha256_many(uint8_t prefix, const void *bytes, const size_t *places, size_t count, void *digests) {
    (void)prefix, (void)bytes, (void)places, (void)count, (void)digests;
    return 0;
}
#endif
