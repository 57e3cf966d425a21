#define _GNU_SOURCE
#include "CPlatformSocket.h"
#include "AboveStandard.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/// Connects to a socket and sends a message; returns 0 or an error code.
static int send_message(int socket, const struct sockaddr_un *address, const void *bytes, size_t count) {
    if (connect(socket, (const struct sockaddr *)address, sizeof *address) != 0) return errno;
    if (count == 0) return 0;
    ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return errno;
    return (size_t)sent == count ? 0 : EAGAIN;
}

int32_t cplatform_send_to_socket(const char *path, int32_t is_stream, const void *bytes, size_t count) {
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address.sun_path) return ENAMETOOLONG;
    memcpy(address.sun_path, path, length);
    int kept = errno;
    int type = (is_stream ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC | SOCK_NONBLOCK;
    int descriptor = above_standard(socket(AF_UNIX, type, 0));
    int code = descriptor < 0 ? errno : send_message(descriptor, &address, bytes, count);
    if (descriptor >= 0) close(descriptor);
    errno = kept;
    return code;
}
