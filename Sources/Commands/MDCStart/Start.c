#include "MDCStart.h"
#include <stdlib.h>
#include <unistd.h>

/// Names a folder of the runtime where it could not find one itself.
///
/// The runtime looks for the program that prints crashes beside its own file. A statically linked program has no such file, and
/// where /proc is not mounted, as in a chroot while packages are installed, the runtime ends the process for that. With
/// SWIFT_ROOT it does not ask. Constructors with a number run before those of the runtime.
__attribute__((constructor(101))) static void name_runtime(void) {
    if (access("/proc/self/exe", F_OK) != 0) setenv("SWIFT_ROOT", "/nonexistent", 1);
}
