#include "ThreadSlot.h"

#include <pthread.h>

_Thread_local struct cplatform_thread_slot cplatform_thread_slots[cplatform_thread_slot_count];

/// Gives back what the slots of the current thread hold; set by the first keep.
static void (*release_owner)(const void *owner);

/// The key whose destructor runs when a thread ends.
static pthread_key_t exit_key;
static pthread_once_t exit_key_once = PTHREAD_ONCE_INIT;

/// Releases every owner that the ending thread kept.
static void release_all(void *unused) {
    (void)unused;
    void (*release)(const void *owner) = __atomic_load_n(&release_owner, __ATOMIC_ACQUIRE);
    for (int index = 0; index < cplatform_thread_slot_count; index++) {
        struct cplatform_thread_slot *slot = &cplatform_thread_slots[index];
        const void *owner = slot->owner;
        *slot = (struct cplatform_thread_slot){0, 0, 0};
        if (owner != 0 && release != 0) {
            release(owner);
        }
    }
}

/// Makes the key, once in the process.
static void make_exit_key(void) {
    (void)pthread_key_create(&exit_key, release_all);
}

void cplatform_thread_slot_keep(uint64_t generation, const void *block, const void *owner,
                                void (*release)(const void *owner)) {
    pthread_once(&exit_key_once, make_exit_key);
    // A value other than null is what makes the destructor run for this thread.
    (void)pthread_setspecific(exit_key, &cplatform_thread_slots[0]);
    __atomic_store_n(&release_owner, release, __ATOMIC_RELEASE);
    struct cplatform_thread_slot *slot =
        &cplatform_thread_slots[generation & (cplatform_thread_slot_count - 1)];
    const void *previous = slot->owner;
    *slot = (struct cplatform_thread_slot){generation, block, owner};
    if (previous != 0) {
        release(previous);
    }
}
