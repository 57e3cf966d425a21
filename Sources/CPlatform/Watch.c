#define _GNU_SOURCE
#include "CPlatform.h"
#include "AboveStandard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <unistd.h>

int32_t cplatform_inotify(void) {
    return above_standard(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
}

int32_t cplatform_watch(int32_t inotify, int32_t file, uint32_t mask) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", (int)file);
    return inotify_add_watch(inotify, path, mask);
}

int32_t cplatform_timer(void) {
    return above_standard(timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK));
}

int32_t cplatform_timer_set(int32_t descriptor, int64_t microseconds) {
    int code = errno;
    // A time of zero would stop the timer; one before 1970 is over as well at the first moment after it.
    if (microseconds < 1) microseconds = 1;
    struct itimerspec time = {0};
    time.it_value.tv_sec = microseconds / 1000000;
    time.it_value.tv_nsec = microseconds % 1000000 * 1000;
    int failed = timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, NULL);
    int32_t result = failed ? errno : 0;
    errno = code;
    return result;
}

int32_t cplatform_timer_take(int32_t descriptor) {
    int code = errno;
    uint64_t count;
    ssize_t length;
    do length = read(descriptor, &count, sizeof count); while (length < 0 && errno == EINTR);
    int32_t result = length == sizeof count ? 0 : length < 0 ? errno : EINVAL;
    errno = code;
    return result;
}

int32_t cplatform_eventfd(void) {
    return above_standard(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

void cplatform_eventfd_add(int32_t descriptor) {
    int code = errno;
    while (eventfd_write(descriptor, 1) != 0 && errno == EINTR) {}
    errno = code;
}

void cplatform_eventfd_take(int32_t descriptor) {
    int code = errno;
    eventfd_t value;
    while (eventfd_read(descriptor, &value) != 0 && errno == EINTR) {}
    errno = code;
}

int32_t cplatform_is_remote(int32_t file) {
    struct statfs status;
    if (fstatfs(file, &status) != 0) return -1;
    switch ((uint32_t)status.f_type) {
    case 0x6969:      // NFS
    case 0x517b:      // SMB
    case 0xff534d42:  // CIFS
    case 0xfe534d42:  // SMB 2
    case 0x65735546:  // FUSE
    case 0x01021997:  // 9P
    case 0x5346414f:  // AFS
    case 0x6b414653:  // the kernel's own AFS
    case 0x00c36400:  // Ceph
    case 0x73757245:  // Coda
    case 0x7461636f:  // OCFS2
    case 0x01161970:  // GFS2
    case 0x0bd00bd0:  // Lustre
        return 1;
    default:
        return 0;
    }
}

// The stack that reading policy may take, in bytes, nested as deeply as files may be.
static const size_t stack_needed = 2 << 20;

/// What a new thread is to do.
struct start {
    void *(*body)(void *);
    void *argument;
    char name[16];
};

/// Names the calling thread, and does what it is to do.
///
/// Whoever started it cannot name it: it may have ended before, and then its number means nobody, or another thread.
static void *begin(void *given) {
    struct start start = *(struct start *)given;
    free(given);
    pthread_setname_np(pthread_self(), start.name);
    return start.body(start.argument);
}

int32_t cplatform_start_thread(pthread_t *thread, const char *name, void *(*body)(void *), void *argument) {
    int kept = errno;
    struct start *start = malloc(sizeof *start);
    errno = kept;
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
    // A fault of the thread itself still reaches whoever prints it; everything else is for the application's own threads.
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
