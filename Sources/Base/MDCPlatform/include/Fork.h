/// What a child of fork(2) must know: that it is one, and what it has of its parent.
#ifndef MDCPLATFORM_FORK_H
#define MDCPLATFORM_FORK_H

#include <stdint.h>

/// The number of forks between this process and the one that loaded the library; read by cplatform_fork_generation().
extern uint32_t cplatform_fork_count;

/// How many calls of fork(2) are between this process and the one that loaded the library; no call and no system call.
///
/// A process that was made past the C library does not count.
static inline uint32_t cplatform_fork_generation(void) {
    return __atomic_load_n(&cplatform_fork_count, __ATOMIC_RELAXED);
}

/// The thread that called fork(2), which is the only one that a child has of its parent; 0 in the first process.
uintptr_t cplatform_forking_thread(void);

/// Has a descriptor closed in each child, before fork(2) returns there: a lock or a connection, which is this process's.
///
/// Without room for it, which is never needed in practice, the child has it too.
void cplatform_close_in_child(int32_t descriptor);
/// Ends that, before the descriptor is closed.
void cplatform_keep_in_child(int32_t descriptor);

#endif
