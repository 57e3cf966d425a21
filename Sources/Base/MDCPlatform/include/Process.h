/// Arguments and identity of the process, and children.
///
/// Unless stated otherwise a function returns -1 and sets errno on failure, like the system call that it wraps.
#ifndef MDCPLATFORM_PROCESS_H
#define MDCPLATFORM_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// An argument of the process, valid as long as the process runs; a null pointer if there is none.
const char *cplatform_argument(int32_t index);
/// How many processors this process may run on; 1 if the kernel does not report it.
int32_t cplatform_processor_count(void);
/// fork(2); Swift hides it because only a process with a single thread can go on in the child.
int32_t cplatform_fork(void);
/// Sets groups, group and user for good, in this order, for all threads.
int32_t cplatform_assume(uint32_t user, uint32_t group, const uint32_t *groups, size_t count);
/// Whether real, effective and saved ids are the given ones: 1 or 0.
int32_t cplatform_is_identity(uint32_t user, uint32_t group);
/// Whether a process of another user can become root's again: 1 or 0. If it can, it is root's afterwards.
int32_t cplatform_can_regain_root(void);
/// setfsuid(2): sets the user that this thread uses files as; 0 if it is that user afterwards.
int32_t cplatform_use_files_as(uint32_t user);
/// Makes a pipe whose ends close on exec and are not among the three standard descriptors.
int32_t cplatform_pipe(int32_t *reading, int32_t *writing);
/// Makes a file without a name that holds some bytes and closes on exec; its number is not below `lowest`.
int32_t cplatform_memory_file(const void *bytes, size_t count, int32_t lowest);
/// Starts a program in a new process group, with only the given environment and its standard error discarded.
///
/// Its descriptors are `output` as standard output, the first of `inputs` as standard input, or /dev/null without any,
/// and
/// the others of `inputs` from 3 on. None of `inputs` may be below 2 + `count`. Returns its id.
int32_t cplatform_spawn(
    const char *path, char *const *arguments, char *const *environment, int32_t output, const int32_t *inputs,
    int32_t count);
/// Starts a program in this process's group, with only the given environment and /dev/null as its standard descriptors.
///
/// `channel` becomes its descriptors 3 and 4. It is killed when the calling thread ends. A program that cannot be started
/// exits with 127. Returns its id.
int32_t cplatform_spawn_talking(
    const char *path, char *const *arguments, char *const *environment, int32_t channel);
/// Shows this process, and nobody else, a directory in place of another one.
int32_t cplatform_show_directory(const char *directory, const char *place);
/// Makes orphans among the descendants children of this process.
int32_t cplatform_adopt_orphans(void);
/// The exit code of a wait status; -1 if the process did not exit regularly.
int32_t cplatform_exit_code(int32_t status);

/// Gives the pages of code and constants of the program and of its libraries back to the kernel, which maps those again that
/// are used from now on.
void cplatform_give_back_code(void);

#endif
