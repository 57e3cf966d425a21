#define _GNU_SOURCE
#include "Service.h"
#include "AboveStandard.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

/* In newer headers of the kernel. */
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/// Closes a descriptor and keeps errno; returns -1.
static int32_t give_up(int descriptor) {
    int code = errno;
    close(descriptor);
    errno = code;
    return -1;
}

int32_t cplatform_listen(const char *path, int32_t backlog) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, length);
    int descriptor = above_standard(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (descriptor < 0) return -1;
    if (bind(descriptor, (const struct sockaddr *)&address, sizeof address) != 0) return give_up(descriptor);
    if (listen(descriptor, backlog) != 0) return give_up(descriptor);
    return descriptor;
}

int32_t cplatform_adopt_listener(int32_t descriptor) {
    struct option {
        int name, value;
    } wanted[] = {{SO_DOMAIN, AF_UNIX}, {SO_TYPE, SOCK_SEQPACKET}, {SO_ACCEPTCONN, 1}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        int value = -1;
        socklen_t length = sizeof value;
        if (getsockopt(descriptor, SOL_SOCKET, wanted[i].name, &value, &length) != 0) return 0;
        if (value != wanted[i].value) return 0;
    }
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0) return 0;
    return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0;
}

int32_t cplatform_accept(int32_t listener) {
    return above_standard(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

int32_t cplatform_end_receiving(int32_t socket) {
    return shutdown(socket, SHUT_RD);
}

int32_t cplatform_peer(int32_t socket, struct cplatform_peer *peer) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
    peer->pid = credentials.pid;
    peer->uid = credentials.uid;
    peer->gid = credentials.gid;
    return 0;
}

int32_t cplatform_peer_groups(int32_t socket, uint32_t *groups, int32_t capacity) {
    _Static_assert(sizeof(gid_t) == sizeof(uint32_t), "group ids are 32 bits");
    socklen_t length = (socklen_t)capacity * sizeof(gid_t);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &length) != 0) return -1;
    return (int32_t)(length / sizeof(gid_t));
}

int32_t cplatform_peer_process(int32_t socket) {
    int descriptor = -1;
    socklen_t length = sizeof descriptor;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &length) != 0) return -1;
    // The kernel closes it on exec.
    return above_standard(descriptor);
}

int32_t cplatform_poller(void) {
    return above_standard(epoll_create1(EPOLL_CLOEXEC));
}

int32_t cplatform_poller_change(int32_t poller, int32_t operation, int32_t descriptor, int32_t reads, int32_t writes) {
    struct epoll_event event = {.events = (reads ? EPOLLIN : 0) | (writes ? EPOLLOUT : 0), .data.fd = descriptor};
    int kind = operation == 0 ? EPOLL_CTL_ADD : operation == 1 ? EPOLL_CTL_MOD : EPOLL_CTL_DEL;
    return epoll_ctl(poller, kind, descriptor, &event);
}

int32_t cplatform_poller_wait(int32_t poller, struct cplatform_ready *ready, int32_t capacity, int32_t milliseconds) {
    struct epoll_event events[64];
    int count = epoll_wait(poller, events, capacity < 64 ? capacity : 64, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -1;
    for (int i = 0; i < count; i++) {
        uint32_t flags = events[i].events;
        ready[i].descriptor = events[i].data.fd;
        ready[i].flags = (flags & EPOLLIN ? 1 : 0) | (flags & EPOLLOUT ? 2 : 0) | (flags & (EPOLLHUP | EPOLLERR) ? 4 : 0);
    }
    return count;
}

int32_t cplatform_end_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    if (sigprocmask(SIG_BLOCK, &signals, NULL) != 0) return -1;
    return above_standard(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

int32_t cplatform_send_datagram(const char *path, const void *bytes, size_t count) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length < 2 || length >= sizeof address.sun_path) return ENAMETOOLONG;
    memcpy(address.sun_path, path, length);
    // An abstract address begins with NUL, and its length says where it ends.
    socklen_t size = offsetof(struct sockaddr_un, sun_path) + length + (path[0] == '@' ? 0 : 1);
    if (path[0] == '@') address.sun_path[0] = 0;
    int descriptor = above_standard(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (descriptor < 0) return errno;
    ssize_t sent = sendto(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address, size);
    int code = sent < 0 ? errno : 0;
    close(descriptor);
    return code;
}

int32_t cplatform_reserve(int32_t file, int64_t size) {
    return fallocate(file, 0, 0, size);
}

int32_t cplatform_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
    return limit.rlim_cur > 1 << 20 ? 1 << 20 : (int32_t)limit.rlim_cur;
}
