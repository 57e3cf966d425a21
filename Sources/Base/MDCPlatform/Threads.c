#define _GNU_SOURCE
#include "Threads.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

// The stack that reading policy needs at most, in bytes, for files of the deepest allowed nesting.
static const size_t stack_needed = 2 << 20;

/// The work of a new thread.
struct start {
    void *(*body)(void *);
    void *argument;
    char name[16];
};

/// Names the calling thread, and does its work.
///
/// The starting thread cannot name it: it may have ended by then, and its number may belong to another thread.
static void *begin(void *given) {
    struct start *start = given;
    pthread_setname_np(pthread_self(), start->name);
    void *result = start->body(start->argument);
    // The first use of the heap maps memory for the thread, which one that only waits in a short process is spared.
    free(given);
    return result;
}

int32_t cplatform_start_thread(pthread_t *thread, const char *name, void *(*body)(void *), void *argument) {
    int before = errno;
    struct start *start = malloc(sizeof *start);
    errno = before;
    if (start == NULL) return ENOMEM;
    *start = (struct start){.body = body, .argument = argument};
    strncpy(start->name, name, sizeof start->name - 1);
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code != 0) {
        free(start);
        return code;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    size_t size = 0;
    pthread_attr_getstacksize(&attributes, &size);
    if (size < stack_needed) pthread_attr_setstacksize(&attributes, stack_needed);
    // The thread still receives its own faults, so that crash reporters see them; other signals go to the application's
    // threads.
    sigset_t blocked;
    sigfillset(&blocked);
    const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) sigdelset(&blocked, faults[i]);
    code = pthread_attr_setsigmask_np(&attributes, &blocked);
    if (code == 0) code = pthread_create(thread, &attributes, begin, start);
    pthread_attr_destroy(&attributes);
    if (code != 0) free(start);
    return code;
}

_Thread_local struct cplatform_thread_slot cplatform_thread_slots[cplatform_thread_slot_count];

/// Releases the owners in the slots of a thread; set by the first store.
static void (*release_owner)(const void *owner);

/// The key whose destructor runs when a thread ends.
static pthread_key_t exit_key;
static pthread_once_t exit_key_once = PTHREAD_ONCE_INIT;

/// Releases every owner of the ending thread.
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

void cplatform_thread_slot_store(uint64_t revision, const void *block, const void *owner,
                                void (*release)(const void *owner)) {
    pthread_once(&exit_key_once, make_exit_key);
    // The destructor only runs for threads with a value other than null.
    (void)pthread_setspecific(exit_key, &cplatform_thread_slots[0]);
    __atomic_store_n(&release_owner, release, __ATOMIC_RELEASE);
    struct cplatform_thread_slot *slot =
        &cplatform_thread_slots[revision & (cplatform_thread_slot_count - 1)];
    const void *previous = slot->owner;
    *slot = (struct cplatform_thread_slot){revision, block, owner};
    if (previous != 0) {
        release(previous);
    }
}
