/// What processors can do of SHA-256 by themselves.
#ifndef CPLATFORM_DIGEST_H
#define CPLATFORM_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/// Whether the processor has instructions for SHA-256: 1 or 0.
int32_t cplatform_has_sha256(void);
/// Takes blocks of 64 bytes into the eight words of a chaining value (FIPS 180-4, 6.2.2).
///
/// Only where `cplatform_has_sha256` says 1.
void cplatform_sha256(uint32_t *_Nonnull state, const void *_Nonnull blocks, size_t count);

#endif
