#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

/// Moves a descriptor away from standard input, output and error, where other code would write into it.
///
/// If a program is started without them, the next opened file gets their number, even the audit log.
static inline int32_t above_standard(int descriptor) {
    if (descriptor < 0 || descriptor > 2) return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    int code = errno;
    close(descriptor);
    errno = code;
    return moved;
}
