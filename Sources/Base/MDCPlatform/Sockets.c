#define _GNU_SOURCE
#include "Sockets.h"
#include "AboveStandard.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>

/// Fills in the address of a path; returns 0, or -1 with errno if it does not fit.
static int make_address(struct sockaddr_un *address, const char *path) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address->sun_path, path, length);
    return 0;
}

/// Closes a descriptor and keeps errno; returns -1.
static int32_t give_up(int descriptor) {
    int code = errno;
    close(descriptor);
    errno = code;
    return -1;
}

/// The milliseconds of a clock that never goes back; errno does not change.
static int64_t now(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/// Makes the next call wait for room for some milliseconds, or, with 0, no call wait; returns 0, or -1 with errno.
static int set_patience(int descriptor, int32_t milliseconds) {
    struct timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
    if (setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time) != 0) return -1;
    return fcntl(descriptor, F_SETFL, milliseconds > 0 ? 0 : O_NONBLOCK);
}

int32_t cplatform_connect(const char *path, int32_t kind, int32_t milliseconds) {
    struct sockaddr_un address;
    if (make_address(&address, path) != 0) return -1;
    int descriptor = above_standard(socket(AF_UNIX, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (descriptor < 0) return -1;
    int result = connect(descriptor, (const struct sockaddr *)&address, sizeof address);
    if (result == 0) return descriptor;
    // The kernel wakes those that wait in their order. A signal ends a wait, and the next one is for the rest of the time.
    for (int64_t end = now() + milliseconds, rest = milliseconds; errno == EAGAIN && rest > 0; rest = end - now()) {
        if (set_patience(descriptor, (int32_t)rest) != 0) break;
        result = connect(descriptor, (const struct sockaddr *)&address, sizeof address);
        if (result == 0 && set_patience(descriptor, 0) == 0) return descriptor;
        if (errno == EINTR) errno = EAGAIN;
    }
    return give_up(descriptor);
}

int32_t cplatform_send_message(int32_t socket, const void *bytes, size_t count) {
    int before = errno;
    ssize_t sent;
    do sent = send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT); while (sent < 0 && errno == EINTR);
    int32_t code = sent < 0 ? errno : 0;
    errno = before;
    return code;
}

ssize_t cplatform_receive_message(int32_t socket, void *buffer, size_t capacity, int32_t *is_cut) {
    ssize_t length;
    int resets = 0;
    // A client that closes before it has read all answers leaves ECONNRESET, once; what it sent before comes after that.
    // The kernel closes descriptors that come with the message, and says how long a message is that was cut.
    do length = recv(socket, buffer, capacity, MSG_DONTWAIT | MSG_TRUNC);
    while (length < 0 && (errno == EINTR || (errno == ECONNRESET && resets++ == 0)));
    *is_cut = length > (ssize_t)capacity;
    return *is_cut ? (ssize_t)capacity : length;
}

int32_t cplatform_stream_pair(int32_t *one, int32_t *other) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return -1;
    *one = above_standard(pair[0]);
    *other = above_standard(pair[1]);
    if (*one >= 0 && *other >= 0) return 0;
    int code = errno;
    if (*one >= 0) close(*one);
    if (*other >= 0) close(*other);
    errno = code;
    return -1;
}

int32_t cplatform_connect_loopback(uint16_t port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    int descriptor = above_standard(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (descriptor < 0) return -1;
    if (connect(descriptor, (const struct sockaddr *)&address, sizeof address) != 0) return give_up(descriptor);
    return descriptor;
}

ssize_t cplatform_send_some(int32_t socket, const void *bytes, size_t count) {
    return send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/// Room for one descriptor, aligned as the kernel wants it.
union one_descriptor {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

int32_t cplatform_send_descriptor(int32_t socket, const void *bytes, size_t count, int32_t descriptor) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    union one_descriptor control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = CMSG_LEN(sizeof(int))};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    int value = descriptor;
    memcpy(CMSG_DATA(header), &value, sizeof value);
    int before = errno;
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT); while (sent < 0 && errno == EINTR);
    int32_t code = sent < 0 ? errno : 0;
    errno = before;
    return code;
}

ssize_t cplatform_receive_descriptor(
    int32_t socket, void *buffer, size_t capacity, int32_t *is_cut, int32_t *descriptor) {
    struct iovec part = {.iov_base = buffer, .iov_len = capacity};
    union one_descriptor control;
    ssize_t length;
    struct msghdr message;
    *descriptor = -1;
    do {
        // Without the padding behind it there is no room for a second one: the kernel closes the rest and says so.
        message = (struct msghdr){
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = CMSG_LEN(sizeof(int))};
        length = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (length < 0 && errno == EINTR);
    *is_cut = length >= 0 && (message.msg_flags & MSG_TRUNC) != 0;
    if (length < 0) return length;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS
        && header->cmsg_len == CMSG_LEN(sizeof(int))) {
        int value;
        memcpy(&value, CMSG_DATA(header), sizeof value);
        if (message.msg_flags & MSG_CTRUNC) {
            close(value);
        } else {
            *descriptor = above_standard(value);
        }
    }
    return length;
}
