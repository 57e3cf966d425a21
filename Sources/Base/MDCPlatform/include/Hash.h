/// The instructions that some processors have for SHA-256.
#ifndef MDCPLATFORM_HASH_H
#define MDCPLATFORM_HASH_H

#include <stddef.h>
#include <stdint.h>

/// Compresses blocks of 64 bytes into the eight words of a SHA-256 by the processor's instructions for it.
///
/// Returns 1, or 0 without having changed anything if the processor has no such instructions.
int cplatform_sha256(uint32_t *state, const void *bytes, size_t blocks);

/// The constants of the 64 rounds.
extern const uint32_t cplatform_sha256_constants[64];

/// Hashes many messages of a prefix and some bytes by the same instructions, several at once.
///
/// Each message has two places: where its bytes begin and where they end. Writes the eight words of each digest, and
/// returns 1; or returns 0 without having written anything if the processor has no such instructions.
int cplatform_sha256_many(uint8_t prefix, const void *bytes, const size_t *places, size_t count, void *digests);

#endif
