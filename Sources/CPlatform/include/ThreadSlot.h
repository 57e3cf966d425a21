#ifndef CPLATFORM_THREAD_SLOT_H
#define CPLATFORM_THREAD_SLOT_H

#include <stdint.h>

/// What a thread last read: a generation number, the block of bytes that belongs to it, and the object that owns the block.
///
/// Swift has no thread-local variable; a `pthread_getspecific` costs a call for each read.
struct cplatform_thread_slot {
    /// The generation that the block belongs to; 0 for none. Unique in the process, so no other store has it.
    uint64_t generation;
    /// The bytes that a reader borrows while the slot holds the owner.
    const void *block;
    /// The owner, with one reference that the slot holds.
    const void *owner;
};

/// The number of slots of each thread; a power of two. A generation uses the slot of its low bits.
enum { cplatform_thread_slot_count = 4 };

extern _Thread_local struct cplatform_thread_slot cplatform_thread_slots[cplatform_thread_slot_count];

/// The block that this thread keeps for a generation, or a null pointer. Takes no lock and touches nothing shared.
static inline const void *cplatform_thread_slot_block(uint64_t generation) {
    const struct cplatform_thread_slot *slot =
        &cplatform_thread_slots[generation & (cplatform_thread_slot_count - 1)];
    return slot->generation == generation ? slot->block : (const void *)0;
}

/// Keeps an owner and its block for a generation, in place of what the slot held.
///
/// The caller hands over one reference to the owner. `release` gives a reference back; it is called for the owner that
/// is replaced and, when the thread ends, for every owner that is still kept.
void cplatform_thread_slot_keep(uint64_t generation, const void *block, const void *owner,
                                void (*release)(const void *owner));

#endif
