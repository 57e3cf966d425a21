#define _GNU_SOURCE
#include "Fork.h"
#include "Threads.h"

#include <pthread.h>
#include <unistd.h>

uint32_t cplatform_fork_count;

/// The thread that the last fork left.
static pthread_t forking_thread;

/// The descriptors that children close, each plus one; 0 is free room.
static int32_t descriptors[256];
enum { descriptor_count = sizeof descriptors / sizeof *descriptors };

/// Runs in the child after each fork, which has one thread; calls only what is safe there.
static void begin_child(void) {
    __atomic_fetch_add(&cplatform_fork_count, 1, __ATOMIC_RELAXED);
    forking_thread = pthread_self();
    // The next read asks for what this process has. The owners are never freed.
    for (int index = 0; index < cplatform_thread_slot_count; index++) {
        cplatform_thread_slots[index] = (struct cplatform_thread_slot){0, 0, 0};
    }
    for (int index = 0; index < descriptor_count; index++) {
        int32_t descriptor = __atomic_exchange_n(&descriptors[index], 0, __ATOMIC_RELAXED) - 1;
        if (descriptor >= 0) close(descriptor);
    }
}

/// Registers the handler when the library is loaded, before any lock is made.
__attribute__((constructor)) static void watch_forks(void) {
    (void)pthread_atfork(NULL, NULL, begin_child);
}

uintptr_t cplatform_forking_thread(void) {
    return (uintptr_t)forking_thread;
}

void cplatform_close_in_child(int32_t descriptor) {
    for (int index = 0; index < descriptor_count; index++) {
        int32_t room = 0;
        if (__atomic_compare_exchange_n(&descriptors[index], &room, descriptor + 1, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            return;
        }
    }
}

void cplatform_keep_in_child(int32_t descriptor) {
    for (int index = 0; index < descriptor_count; index++) {
        int32_t room = descriptor + 1;
        if (__atomic_compare_exchange_n(&descriptors[index], &room, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
    }
}
