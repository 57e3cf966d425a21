/// The instructions that some processors have for SHA-256.
#ifndef MDCPLATFORM_HASH_H
#define MDCPLATFORM_HASH_H

#include <stddef.h>
#include <stdint.h>

/// Compresses blocks of 64 bytes into the eight words of a SHA-256 by the processor's instructions for it.
///
/// Returns 1, or 0 without having changed anything if the processor has no such instructions.
int cplatform_sha256(uint32_t *state, const void *bytes, size_t blocks);

#endif
