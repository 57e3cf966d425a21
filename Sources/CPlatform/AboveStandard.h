#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

/// Moves a descriptor away from standard input, output and error, where others would write into it.
///
/// Whoever starts a program without them has the next file that is opened take their place, be it the audit log.
static inline int32_t above_standard(int descriptor) {
    if (descriptor < 0 || descriptor > 2) return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    int code = errno;
    close(descriptor);
    errno = code;
    return moved;
}
