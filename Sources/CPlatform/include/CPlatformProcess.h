/// Identity of a process, and children.
///
/// Every function returns -1 and sets errno on failure, as the system call beneath it does.
#ifndef CPLATFORM_PROCESS_H
#define CPLATFORM_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// How many processors this process may run on; 1 where the kernel does not say.
int32_t cplatform_processor_count(void);
/// fork(2); Swift hides it because only a process with a single thread can go on in the child.
int32_t cplatform_fork(void);
/// Takes on groups, group and user for good, in this order, of all threads.
int32_t cplatform_assume(uint32_t user, uint32_t group, const uint32_t *groups, size_t count);
/// Whether real, effective and saved ids are the given ones: 1 or 0.
int32_t cplatform_is_identity(uint32_t user, uint32_t group);
/// Whether a process that is not root's can become root's again: 1 or 0. It stays root's where it can.
int32_t cplatform_can_regain_root(void);
/// A pipe whose both ends close on exec and are none of the three standard descriptors.
int32_t cplatform_pipe(int32_t *reading, int32_t *writing);
/// A file without a name that holds some bytes and closes on exec; its number is not below `lowest`.
int32_t cplatform_memory_file(const void *bytes, size_t count, int32_t lowest);
/// Starts a program in a process group of its own, with no other environment than given, errors discarded, `output` as its standard
/// output and no other descriptor but `inputs`: the first one is its standard input, the others are 3 and what follows;
/// without any it has nothing to read. None of `inputs` may be below 2 + `count`. Returns its id.
int32_t cplatform_spawn(
    const char *path, char *const *arguments, char *const *environment, int32_t output, const int32_t *inputs,
    int32_t count);
/// Whether a wait status means a regular exit: its exit code, else -1.
int32_t cplatform_exit_code(int32_t status);

#endif
