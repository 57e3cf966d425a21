#define _GNU_SOURCE
#include "Watch.h"
#include "AboveStandard.h"

#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>

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

int32_t cplatform_timer_read(int32_t descriptor) {
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

void cplatform_eventfd_reset(int32_t descriptor) {
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
    case 0x0187:      // autofs
        return 1;
    default:
        return 0;
    }
}
