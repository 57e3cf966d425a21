#define _GNU_SOURCE
#include "Process.h"
#include "AboveStandard.h"

#include <grp.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/// The arguments of the process; the C library of Linux passes them to every constructor, as to `main`.
static int argument_count;
static char **argument_texts;

/// Stores the arguments.
__attribute__((constructor)) static void store_arguments(int count, char **texts) {
    argument_count = count;
    argument_texts = texts;
}

const char *cplatform_argument(int32_t index) {
    return index >= 0 && index < argument_count ? argument_texts[index] : 0;
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

int32_t cplatform_use_files_as(uint32_t user) {
    setfsuid(user);
    // It returns the user before; an id that cannot be taken changes nothing.
    return setfsuid((uid_t)-1) == (int)user ? 0 : -1;
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

/// Sets descriptor 0 of a program and its files from 3 on, and closes all above.
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
    // The program starts with default signals, whatever the application has changed.
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

/// The child of cplatform_spawn_talking: calls only what is safe between fork and exec.
static void become_talking(
    const char *path, char *const *arguments, char *const *environment, int32_t channel, pid_t parent
) {
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    // The parent may have ended before the request took effect.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(127);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0) _exit(127);
    for (int standard = 0; standard < 3; standard++) {
        if (dup2(nothing, standard) < 0) _exit(127);
    }
    // Neither 3 nor 4, else the first copy would close what the second one copies.
    int source = fcntl(channel, F_DUPFD, 5);
    if (source < 0 || dup2(source, 3) < 0 || dup2(source, 4) < 0) _exit(127);
    if (close_range(5, ~0U, 0) != 0) _exit(127);
    execve(path, arguments, environment);
    _exit(127);
}

int32_t cplatform_spawn_talking(
    const char *path, char *const *arguments, char *const *environment, int32_t channel
) {
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) become_talking(path, arguments, environment, channel, parent);
    return child;
}

int32_t cplatform_show_directory(const char *directory, const char *place) {
    if (unshare(CLONE_NEWNS) != 0) return -1;
    // Otherwise the mount would appear in the namespace of other processes too.
    if (mount(0, "/", 0, MS_REC | MS_PRIVATE, 0) != 0) return -1;
    return mount(directory, place, 0, MS_BIND, 0);
}

int32_t cplatform_adopt_orphans(void) {
    return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int32_t cplatform_exit_code(int32_t status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Gives back the pages of one program file that are mapped from it and cannot have been changed.
static int give_back(struct dl_phdr_info *file, size_t size, void *page) {
    (void)size;
    uintptr_t mask = *(const uintptr_t *)page - 1;
    for (int i = 0; i < file->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &file->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_W) != 0) continue;
        uintptr_t start = (file->dlpi_addr + part->p_vaddr + mask) & ~mask;
        uintptr_t end = (file->dlpi_addr + part->p_vaddr + part->p_filesz) & ~mask;
        // A page that was written after all, as for a relocation, would lose that.
        if (end > start && (part->p_flags & PF_X) != 0) madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void cplatform_give_back_code(void) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(give_back, &page);
}
