/// Descriptors that report changes.
///
/// Unless stated otherwise a function returns -1 and sets errno on failure, like the system call that it wraps.
#ifndef MDCPLATFORM_WATCH_H
#define MDCPLATFORM_WATCH_H

#include <stdint.h>

/// inotify_init1(2): an instance that closes on exec, never blocks and is not one of the three standard descriptors.
int32_t cplatform_inotify(void);
/// inotify_add_watch(2) of an open file, which `O_PATH` may have opened: no name is resolved, so that no rename
/// interferes.
///
/// ENOENT if /proc is not mounted.
int32_t cplatform_watch(int32_t inotify, int32_t file, uint32_t mask);
/// timerfd_create(2) on the wall clock: closes on exec, never blocks and is not one of the three standard descriptors.
int32_t cplatform_timer(void);
/// timerfd_settime(2): sets the timer to a time in microseconds since 1970; it also ends when the clock is set.
///
/// Returns 0, or an error code; with ECANCELED the clock was set before, and the timer runs nevertheless.
int32_t cplatform_timer_set(int32_t descriptor, int64_t microseconds);
/// Reads a timer: 0 if it is over, ECANCELED if the clock was set, else EAGAIN.
int32_t cplatform_timer_read(int32_t descriptor);
/// eventfd(2): a counter that closes on exec, never blocks and is not one of the three standard descriptors.
int32_t cplatform_eventfd(void);
/// Adds one to the counter, so that poll(2) finds it readable; a counter that is full is readable already.
void cplatform_eventfd_add(int32_t descriptor);
/// Resets the counter to 0.
void cplatform_eventfd_reset(int32_t descriptor);
/// Whether the file system of an open file changes behind this kernel's back, on a server or in a program: 1, 0 or -1.
int32_t cplatform_is_remote(int32_t file);

#endif
