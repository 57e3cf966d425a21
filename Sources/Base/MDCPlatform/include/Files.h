/// Opening, renaming, listing and locking files, and sending to sockets.
///
/// Unless stated otherwise a function returns -1 and sets errno on failure, like the system call that it wraps.
#ifndef MDCPLATFORM_FILES_H
#define MDCPLATFORM_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// O_PATH of open(2): a descriptor that only names a file.
extern const int32_t cplatform_o_path;
/// RESOLVE_IN_ROOT of openat2(2): the directory counts as the root.
extern const uint64_t cplatform_resolve_in_root;
/// RESOLVE_NO_MAGICLINKS of openat2(2): links of /proc that jump elsewhere are refused.
extern const uint64_t cplatform_resolve_no_magic_links;
/// RESOLVE_NO_SYMLINKS of openat2(2): a link anywhere in the path is refused.
extern const uint64_t cplatform_resolve_no_symlinks;
/// RESOLVE_BENEATH and RESOLVE_NO_XDEV of openat2(2): what leads out of the directory, or across a mount, is refused.
extern const uint64_t cplatform_resolve_beneath_device;

/// openat(2) without its variable arguments.
int32_t cplatform_openat(int32_t directory, const char *path, int32_t flags, uint32_t mode);
/// openat2(2); ENOSYS if the kernel or a sandbox lacks it.
int32_t cplatform_openat2(int32_t directory, const char *path, int32_t flags, uint32_t mode, uint64_t resolve);
/// Whether an open file or directory is a mount point: 1 or 0, and -1 if the kernel does not report it (statx with
/// STATX_ATTR_MOUNT_ROOT, Linux 5.8).
int32_t cplatform_is_mount(int32_t descriptor);
/// renameat2(2) with RENAME_NOREPLACE: EEXIST if the new name exists.
int32_t cplatform_rename_new(int32_t from_directory, const char *from, int32_t to_directory, const char *to);
/// renameat2(2) with RENAME_EXCHANGE: each name then has what the other had. EINVAL, ENOSYS or EOPNOTSUPP if the file
/// system cannot do that.
int32_t cplatform_rename_exchange(int32_t one_directory, const char *one, int32_t other_directory, const char *other);
/// syncfs(2): waits until the file system of an open file is on disk.
int32_t cplatform_sync_file_system(int32_t descriptor);
/// Sets the access control list of an open file, or of a socket opened with O_PATH; EOPNOTSUPP if the file system has none.
int32_t cplatform_set_access_list(int32_t descriptor, const void *bytes, size_t count);
/// Reads the access control list of an open file, or of a socket opened with O_PATH; ENODATA if it has none.
ssize_t cplatform_access_list(int32_t descriptor, void *bytes, size_t capacity);
/// getdents64(2): the next entries of an open directory; 0 at its end.
ssize_t cplatform_getdents(int32_t directory, void *buffer, size_t count);
/// Tries to lock the whole file for this open file description; EAGAIN if another one holds a lock.
int32_t cplatform_try_lock(int32_t descriptor, int32_t exclusive);
/// Releases every lock of this open file description, also for those who inherited it.
void cplatform_unlock(int32_t descriptor);
/// Tries to lock one byte of a file for this open file description; EAGAIN if another one holds it.
///
/// EINVAL, ENOSYS or EOPNOTSUPP if the file system has no such locks.
int32_t cplatform_try_lock_byte(int32_t descriptor, int64_t offset);
/// Whether another open file description holds a lock on one byte: 0 or 1, or -1 for an error.
int32_t cplatform_is_byte_locked(int32_t descriptor, int64_t offset);
/// Releases the lock of one byte.
int32_t cplatform_unlock_byte(int32_t descriptor, int64_t offset);
/// Sets the times of access and change of content of an open file.
int32_t cplatform_set_times(int32_t descriptor, int64_t seconds, int64_t nanoseconds);
/// The text for an error number in English, or NULL; never freed and safe in every thread.
const char *cplatform_error_text(int32_t code);

/// Maps the first bytes of a file, shared with all other processes that map it; memory of this process alone for a
/// negative descriptor. NULL on failure.
void *cplatform_map_words(int32_t descriptor, size_t bytes);
/// Ends a mapping; nothing for NULL.
void cplatform_unmap_words(void *words, size_t bytes);
/// Reads a word of a mapping by one instruction; 0 for NULL.
int64_t cplatform_load_word(const void *words, size_t index);
/// Stores a word of a mapping by one instruction, after all that was stored before; nothing for NULL.
void cplatform_store_word(void *words, size_t index, int64_t value);
/// Removes a folder and everything in it, as far as the caller may, without following links or leaving its file system.
///
/// For folders that only the caller can write. Returns -1 with the first error, after removing what can be removed.
int32_t cplatform_remove_tree(const char *path);

#endif
