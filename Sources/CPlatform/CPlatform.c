#define _GNU_SOURCE
#include "CPlatform.h"
#include "AboveStandard.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

const int32_t cplatform_o_path = O_PATH;
const uint64_t cplatform_resolve_in_root = RESOLVE_IN_ROOT;
const uint64_t cplatform_resolve_no_magic_links = RESOLVE_NO_MAGICLINKS;
const uint64_t cplatform_resolve_no_symlinks = RESOLVE_NO_SYMLINKS;

int32_t cplatform_openat(int32_t directory, const char *path, int32_t flags, uint32_t mode) {
    return above_standard(openat(directory, path, flags, mode));
}

int32_t cplatform_openat2(int32_t directory, const char *path, int32_t flags, uint32_t mode, uint64_t resolve) {
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = (uint32_t)flags;
    how.mode = mode;
    how.resolve = resolve;
    return above_standard((int)syscall(SYS_openat2, directory, path, &how, sizeof how));
}

/* In linux/stat.h, which cannot be included beside sys/stat.h everywhere. */
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

int32_t cplatform_is_mount(int32_t descriptor) {
    struct statx status;
    if (statx(descriptor, "", AT_EMPTY_PATH, 0, &status) != 0) return -1;
    if (!(status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT)) return -1;
    return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

int32_t cplatform_rename_new(int32_t from_directory, const char *from, int32_t to_directory, const char *to) {
    return renameat2(from_directory, from, to_directory, to, RENAME_NOREPLACE);
}

int32_t cplatform_rename_exchange(int32_t one_directory, const char *one, int32_t other_directory, const char *other) {
    return renameat2(one_directory, one, other_directory, other, RENAME_EXCHANGE);
}

ssize_t cplatform_getdents(int32_t directory, void *buffer, size_t count) {
    return syscall(SYS_getdents64, directory, buffer, count);
}

int32_t cplatform_try_lock(int32_t descriptor, int32_t exclusive) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = exclusive ? F_WRLCK : F_RDLCK;
    lock.l_whence = SEEK_SET;
    int result = fcntl(descriptor, F_OFD_SETLK, &lock);
    if (result < 0 && errno == EACCES) errno = EAGAIN;
    // A file system without such locks: flock belongs to the open file description as well.
    if (result < 0 && (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)) {
        result = flock(descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB);
    }
    return result;
}

/// Sets or ends the lock of one byte.
static int32_t lock_byte(int32_t descriptor, int64_t offset, short type) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = offset;
    lock.l_len = 1;
    int result = fcntl(descriptor, F_OFD_SETLK, &lock);
    if (result < 0 && errno == EACCES) errno = EAGAIN;
    return result;
}

int32_t cplatform_try_lock_byte(int32_t descriptor, int64_t offset) {
    return lock_byte(descriptor, offset, F_WRLCK);
}

int32_t cplatform_unlock_byte(int32_t descriptor, int64_t offset) {
    return lock_byte(descriptor, offset, F_UNLCK);
}

int32_t cplatform_set_times(int32_t descriptor, int64_t seconds, int64_t nanoseconds) {
    struct timespec times[2] = {{.tv_sec = seconds, .tv_nsec = nanoseconds}, {.tv_sec = seconds, .tv_nsec = nanoseconds}};
    return futimens(descriptor, times);
}

const char *cplatform_error_text(int32_t code) {
    return strerrordesc_np(code);
}

int32_t cplatform_processor_count(void) {
    cpu_set_t processors;
    return sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : 1;
}

int32_t cplatform_fork(void) {
    return fork();
}

int32_t cplatform_assume(uint32_t user, uint32_t group, const uint32_t *groups, size_t count) {
    _Static_assert(sizeof(gid_t) == sizeof(uint32_t), "group ids are 32 bits");
    if (setgroups(count, (const gid_t *)groups) != 0) return -1;
    if (setresgid(group, group, group) != 0) return -1;
    return setresuid(user, user, user);
}

int32_t cplatform_is_identity(uint32_t user, uint32_t group) {
    uid_t real_user, effective_user, saved_user;
    gid_t real_group, effective_group, saved_group;
    if (getresuid(&real_user, &effective_user, &saved_user) != 0) return 0;
    if (getresgid(&real_group, &effective_group, &saved_group) != 0) return 0;
    return real_user == user && effective_user == user && saved_user == user && real_group == group
        && effective_group == group && saved_group == group;
}

int32_t cplatform_can_regain_root(void) {
    return setresuid((uid_t)-1, 0, (uid_t)-1) == 0;
}

int32_t cplatform_pipe(int32_t *reading, int32_t *writing) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    for (int i = 0; i < 2; i++) {
        int moved = above_standard(ends[i]);
        if (moved < 0) {
            int code = errno;
            close(ends[1 - i]);
            errno = code;
            return -1;
        }
        ends[i] = moved;
    }
    *reading = ends[0];
    *writing = ends[1];
    return 0;
}

/// Has a program find its input on descriptor 0, files on 3 and the following, and nothing behind them.
static int spawn_inputs(posix_spawn_file_actions_t *actions, const int32_t *inputs, int32_t count) {
    int code = 0;
    for (int32_t i = 0; i < count && code == 0; i++) {
        code = posix_spawn_file_actions_adddup2(actions, inputs[i], i == 0 ? 0 : 2 + i);
    }
    if (code != 0) return code;
    return posix_spawn_file_actions_addclosefrom_np(actions, count > 1 ? 2 + count : 3);
}

int32_t cplatform_memory_file(const void *bytes, size_t count, int32_t lowest) {
    int file = memfd_create("input", MFD_CLOEXEC);
    if (file < 0) return -1;
    size_t written = 0;
    while (written < count) {
        ssize_t length = write(file, (const char *)bytes + written, count - written);
        if (length < 0 && errno == EINTR) continue;
        if (length < 0) goto failed;
        written += (size_t)length;
    }
    if (lseek(file, 0, SEEK_SET) < 0) goto failed;
    if (file >= lowest) return file;
    int moved = fcntl(file, F_DUPFD_CLOEXEC, lowest);
    if (moved < 0) goto failed;
    close(file);
    return moved;
failed:;
    int code = errno;
    close(file);
    errno = code;
    return -1;
}

int32_t cplatform_spawn(
    const char *path, char *const *arguments, char *const *environment, int32_t output, const int32_t *inputs,
    int32_t count
) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0) goto failed;
    code = posix_spawnattr_init(&attributes);
    if (code != 0) goto failed_actions;
    // The program starts with default signals, whatever the application around has changed.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    pid_t child = -1;
    if ((code = posix_spawnattr_setsigmask(&attributes, &none)) == 0
        && (code = posix_spawnattr_setsigdefault(&attributes, &all)) == 0
        && (code = posix_spawnattr_setpgroup(&attributes, 0)) == 0
        && (code = posix_spawnattr_setflags(
                &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP)) == 0
        && (code = posix_spawn_file_actions_adddup2(&actions, output, 1)) == 0
        && (code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)) == 0
        && (code = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)) == 0
        && (code = spawn_inputs(&actions, inputs, count)) == 0) {
        code = posix_spawn(&child, path, &actions, &attributes, arguments, environment);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (code == 0) return child;
    goto failed;
failed_actions:
    posix_spawn_file_actions_destroy(&actions);
failed:
    errno = code;
    return -1;
}

int32_t cplatform_exit_code(int32_t status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
