// Runs a program and kills it at one of its system calls, before the kernel does what it asks.
//
//   kill-at list FILE PROGRAM ARGUMENT…    runs it to its end, and writes a line for each system call into FILE: its
//                                          number, counted from 1, and `w` where it can change a file, else `r`
//   kill-at N - PROGRAM ARGUMENT…          kills it with SIGKILL at its system call N; ends with 137 where it was killed,
//                                          else as the program did
//   kill-at wN - PROGRAM ARGUMENT…         the same at the Nth of those that can change a file: between two of these the
//                                          disk stays the same, so that these are all states that a kill can leave
//
// Only the first thread is followed; what the program starts runs on by itself.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// Whether a call can change a file, a name or a directory; what only waits for the disk, or locks, does not.
static int changes(pid_t child, const struct __ptrace_syscall_info *call) {
    switch (call->entry.nr) {
    case SYS_write: case SYS_pwrite64: case SYS_writev: case SYS_pwritev: case SYS_pwritev2:
    case SYS_ftruncate: case SYS_truncate: case SYS_fallocate: case SYS_copy_file_range: case SYS_sendfile:
    case SYS_renameat: case SYS_renameat2: case SYS_unlinkat: case SYS_mkdirat: case SYS_symlinkat: case SYS_linkat:
    case SYS_fchmod: case SYS_fchmodat: case SYS_fchown: case SYS_fchownat: case SYS_utimensat:
#ifdef SYS_rename
    case SYS_rename: case SYS_unlink: case SYS_mkdir: case SYS_rmdir: case SYS_symlink: case SYS_link: case SYS_chmod:
    case SYS_creat:
#endif
        return 1;
    case SYS_openat: return (call->entry.args[2] & (O_CREAT | O_TRUNC)) != 0;
#ifdef SYS_open
    case SYS_open: return (call->entry.args[1] & (O_CREAT | O_TRUNC)) != 0;
#endif
#ifdef SYS_openat2
    case SYS_openat2: {
        // The first member of struct open_how are the flags.
        errno = 0;
        long flags = ptrace(PTRACE_PEEKDATA, child, call->entry.args[2], 0);
        return errno != 0 || (flags & (O_CREAT | O_TRUNC)) != 0;
    }
#endif
    default: return 0;
    }
}

/// Ends with a message about the last call that failed.
static void fail(const char *what) {
    perror(what);
    exit(99);
}

int main(int count, char **words) {
    if (count < 4) {
        fprintf(stderr, "usage: kill-at list FILE PROGRAM ARGUMENT…\n       kill-at N - PROGRAM ARGUMENT…\n");
        return 98;
    }
    int only_changes = words[1][0] == 'w';
    long target = strcmp(words[1], "list") == 0 ? 0 : atol(words[1] + only_changes);
    FILE *list = target == 0 ? fopen(words[2], "we") : NULL;
    if (target == 0 && list == NULL) fail(words[2]);
    pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) fail("ptrace");
        execv(words[3], words + 3);
        fail(words[3]);
    }
    int status;
    if (waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status)) fail("wait");
    if (ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) != 0) fail("ptrace options");
    long number = 0;
    int signal = 0;
    for (;;) {
        // A process that was just killed cannot continue, and ends by itself.
        if (ptrace(PTRACE_SYSCALL, child, 0, signal) != 0 && errno != ESRCH) fail("ptrace go");
        signal = 0;
        if (waitpid(child, &status, 0) < 0) fail("wait");
        if (WIFEXITED(status)) {
            if (list != NULL) fclose(list);
            return WEXITSTATUS(status);
        }
        if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
        if (!WIFSTOPPED(status)) continue;
        if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
            if (WSTOPSIG(status) != SIGTRAP) signal = WSTOPSIG(status);
            continue;
        }
        struct __ptrace_syscall_info call;
        if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof call, &call) < 0) fail("ptrace info");
        if (call.op != PTRACE_SYSCALL_INFO_ENTRY) continue;
        if (only_changes && !changes(child, &call)) continue;
        number++;
        if (list != NULL) fprintf(list, "%ld %c\n", number, changes(child, &call) ? 'w' : 'r');
        if (number == target) kill(child, SIGKILL);
    }
}
