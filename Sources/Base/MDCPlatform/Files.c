#define _GNU_SOURCE
#include "Files.h"
#include "AboveStandard.h"

#include <ftw.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

const int32_t cplatform_o_path = O_PATH;
const uint64_t cplatform_resolve_in_root = RESOLVE_IN_ROOT;
const uint64_t cplatform_resolve_no_magic_links = RESOLVE_NO_MAGICLINKS;
const uint64_t cplatform_resolve_no_symlinks = RESOLVE_NO_SYMLINKS;
const uint64_t cplatform_resolve_beneath_device = RESOLVE_BENEATH | RESOLVE_NO_XDEV;

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

int32_t cplatform_sync_file_system(int32_t descriptor) {
    return syncfs(descriptor);
}

static const char access_list[] = "system.posix_acl_access";

int32_t cplatform_set_access_list(int32_t descriptor, const void *bytes, size_t count) {
    char path[40];
    /* A socket can only be opened with O_PATH, for which fsetxattr does not work. */
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return setxattr(path, access_list, bytes, count, 0);
}

ssize_t cplatform_access_list(int32_t descriptor, void *bytes, size_t capacity) {
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return getxattr(path, access_list, bytes, capacity);
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

void cplatform_unlock(int32_t descriptor) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = F_UNLCK;
    lock.l_whence = SEEK_SET;
    if (fcntl(descriptor, F_OFD_SETLK, &lock) < 0) (void)flock(descriptor, LOCK_UN);
}

/// The description of a lock on one byte.
static struct flock byte_lock(int64_t offset, short type) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = offset;
    lock.l_len = 1;
    return lock;
}

/// Sets or ends the lock of one byte.
static int32_t lock_byte(int32_t descriptor, int64_t offset, short type) {
    struct flock lock = byte_lock(offset, type);
    int result = fcntl(descriptor, F_OFD_SETLK, &lock);
    if (result < 0 && errno == EACCES) errno = EAGAIN;
    return result;
}

int32_t cplatform_try_lock_byte(int32_t descriptor, int64_t offset) {
    return lock_byte(descriptor, offset, F_WRLCK);
}

int32_t cplatform_is_byte_locked(int32_t descriptor, int64_t offset) {
    struct flock lock = byte_lock(offset, F_WRLCK);
    if (fcntl(descriptor, F_OFD_GETLK, &lock) < 0) return -1;
    return lock.l_type != F_UNLCK;
}

int32_t cplatform_unlock_byte(int32_t descriptor, int64_t offset) {
    return lock_byte(descriptor, offset, F_UNLCK);
}

int32_t cplatform_set_times(int32_t descriptor, int64_t seconds, int64_t nanoseconds) {
    struct timespec time = {.tv_sec = seconds, .tv_nsec = nanoseconds};
    struct timespec times[2] = {time, time};
    return futimens(descriptor, times);
}

const char *cplatform_error_text(int32_t code) {
    return strerrordesc_np(code);
}

/// The first error of cplatform_remove_tree in this thread; 0 if there is none.
static __thread int remove_error;

/// Removes one name of a tree, and goes on whatever happens.
static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status, (void)kind, (void)place;
    if (remove(path) != 0 && errno != ENOENT && remove_error == 0) remove_error = errno;
    return 0;
}

int32_t cplatform_remove_tree(const char *path) {
    remove_error = 0;
    if (nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) != 0) return -1;
    if (remove_error == 0) return 0;
    errno = remove_error;
    return -1;
}

void *cplatform_map_words(int32_t descriptor, size_t bytes) {
    int flags = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *words = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0);
    return words == MAP_FAILED ? NULL : words;
}

void cplatform_unmap_words(void *words, size_t bytes) {
    if (words != NULL) munmap(words, bytes);
}

int64_t cplatform_load_word(const void *words, size_t index) {
    return words == NULL ? 0 : __atomic_load_n((const int64_t *)words + index, __ATOMIC_ACQUIRE);
}

void cplatform_store_word(void *words, size_t index, int64_t value) {
    if (words != NULL) __atomic_store_n((int64_t *)words + index, value, __ATOMIC_RELEASE);
}
