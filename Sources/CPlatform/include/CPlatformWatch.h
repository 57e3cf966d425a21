/// Descriptors and threads of somebody who waits for changes.
///
/// Every function returns -1 and sets errno on failure, as the system call beneath it does.
#ifndef CPLATFORM_WATCH_H
#define CPLATFORM_WATCH_H

#include <pthread.h>
#include <stdint.h>

/// inotify_init1(2): an instance that closes on exec, never blocks and is none of the three standard descriptors.
int32_t cplatform_inotify(void);
/// inotify_add_watch(2) of an open file, which `O_PATH` may have opened: no name is resolved, so no rename gets in the way.
///
/// ENOENT where /proc is not mounted.
int32_t cplatform_watch(int32_t inotify, int32_t file, uint32_t mask);
/// timerfd_create(2) on the wall clock: closes on exec, never blocks and is none of the three standard descriptors.
int32_t cplatform_timer(void);
/// timerfd_settime(2): has the timer end at a time in microseconds since 1970, or when somebody sets the clock.
///
/// Returns 0, or an error code; with ECANCELED the clock was set before, and the timer runs nevertheless.
int32_t cplatform_timer_set(int32_t descriptor, int64_t microseconds);
/// Reads a timer: 0 where it is over, ECANCELED where somebody set the clock, EAGAIN where neither is so.
int32_t cplatform_timer_take(int32_t descriptor);
/// eventfd(2): a counter that closes on exec, never blocks and is none of the three standard descriptors.
int32_t cplatform_eventfd(void);
/// Adds one to the counter, so that poll(2) finds it readable; a counter that is full is readable already.
void cplatform_eventfd_add(int32_t descriptor);
/// Takes the counter back to 0.
void cplatform_eventfd_take(int32_t descriptor);
/// Whether the file system of an open file changes behind this kernel's back, on a server or in a program: 1, 0 or -1.
int32_t cplatform_is_remote(int32_t file);
/// Starts a detached thread with a name of at most 15 bytes, which is sent no signal except for its own faults, and which has
/// enough stack to read policy with, however little the process's own threads have.
///
/// Returns 0, or the error number; errno stays as it was.
int32_t cplatform_start_thread(pthread_t *thread, const char *name, void *(*body)(void *), void *argument);

#endif
