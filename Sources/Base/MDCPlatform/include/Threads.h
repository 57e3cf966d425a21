/// Starting threads, and values of the current thread.
#ifndef MDCPLATFORM_THREADS_H
#define MDCPLATFORM_THREADS_H

#include <pthread.h>
#include <stdint.h>

/// Starts a detached thread with a name of at most 15 bytes.
///
/// It blocks all signals except those of its own faults, and has a stack large enough for reading policy, whatever the
/// default size in the process is. Returns 0, or the error number; errno does not change.
int32_t cplatform_start_thread(pthread_t *thread, const char *name, void *(*body)(void *), void *argument);

/// What a thread last read: a revision, the block of bytes that belongs to it, and the object that owns the block.
///
/// Swift has no thread-local variable; a `pthread_getspecific` costs a call for each read.
struct cplatform_thread_slot {
    /// The revision that the block belongs to; 0 for none. Unique in the process, so no other store has it.
    uint64_t revision;
    /// The bytes that a reader borrows while the slot holds the owner.
    const void *block;
    /// The owner, with one reference that the slot holds.
    const void *owner;
};

/// The number of slots of each thread; a power of two. A revision uses the slot of its low bits.
enum { cplatform_thread_slot_count = 4 };

extern _Thread_local struct cplatform_thread_slot cplatform_thread_slots[cplatform_thread_slot_count];

/// The block that this thread retains for a revision, or a null pointer. Uses no lock and no shared memory.
static inline const void *cplatform_thread_slot_block(uint64_t revision) {
    const struct cplatform_thread_slot *slot =
        &cplatform_thread_slots[revision & (cplatform_thread_slot_count - 1)];
    return slot->revision == revision ? slot->block : (const void *)0;
}

/// Stores an owner and its block for a revision, in place of the content of the slot.
///
/// The caller transfers one reference to the owner. `release` drops a reference; it is called for the owner that is
/// replaced and, when the thread ends, for every owner that is still stored.
void cplatform_thread_slot_store(uint64_t revision, const void *block, const void *owner,
                                void (*release)(const void *owner));

#endif
