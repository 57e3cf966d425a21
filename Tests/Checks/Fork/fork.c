/* fork COUNT ROOT HELPER: a program with threads that write, whose forked children use the same defaults.
 *
 * A child that does not end within 10 s is a hung one: HELPER gets its process id, and the child is killed. Prints a line
 * with the numbers, and exits 1 if a child hung or found something else than it is to find.
 */
#define _GNU_SOURCE
#include <managed-defaults.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static mdefaults *defaults;
static const char *root;

/* Writes, reads, opens and closes, until the process ends. */
static void *work(void *argument) {
    char key[16];
    snprintf(key, sizeof key, "Key%d", *(int *)argument);
    for (int64_t round = 0;; round++) {
        int64_t integer;
        mdefaults_set_integer(defaults, key, round, NULL);
        mdefaults_set_string(defaults, "Page", "mine", NULL);
        mdefaults_get_integer(defaults, key, &integer);
        if (round % 50 == 0) mdefaults_close(mdefaults_open_root(root, "pupil", "org.example.Fork", NULL));
    }
    return NULL;
}

/* What a child does; 0 if it finds what it is to find. */
static int child(int number) {
    char *text = NULL;
    int64_t integer = 0;
    if (!mdefaults_is_forced(defaults, "Page")) return 2;
    if (mdefaults_get_string(defaults, "Page", &text, NULL) != MDEFAULTS_OK || strcmp(text, "value") != 0) return 3;
    if (mdefaults_set_string(defaults, "Page", "mine", NULL) != MDEFAULTS_REFUSED) return 4;
    if (mdefaults_set_integer(defaults, "Child", number, NULL) > MDEFAULTS_UNCHANGED) return 5;
    if (mdefaults_get_integer(defaults, "Child", &integer) != MDEFAULTS_OK || integer != number) return 6;
    return mdefaults_synchronize(defaults) == MDEFAULTS_OK ? 0 : 7;
}

int main(int count, char **arguments) {
    if (count != 4) return 98;
    root = arguments[2];
    defaults = mdefaults_open_root(root, "pupil", "org.example.Fork", NULL);
    if (!mdefaults_is_forced(defaults, "Page")) return 97;
    int numbers[3];
    for (int index = 0; index < 3; index++) {
        pthread_t thread;
        numbers[index] = index;
        pthread_create(&thread, NULL, work, &numbers[index]);
    }
    int forks = atoi(arguments[1]), hung = 0, wrong = 0;
    for (int number = 0; number < forks; number++) {
        pid_t process = fork();
        if (process == 0) _exit(child(number));
        int status = 0;
        struct timespec pause = {0, 200000};
        int tries = 0;
        while (waitpid(process, &status, WNOHANG) == 0 && tries++ < 40000) nanosleep(&pause, NULL);
        if (tries < 40000) {
            if (status != 0) wrong++;
            continue;
        }
        char command[512];
        snprintf(command, sizeof command, "%s %d", arguments[3], process);
        hung++;
        if (system(command) != 0) fprintf(stderr, "no backtrace\n");
        kill(process, SIGKILL);
        waitpid(process, &status, 0);
    }
    printf("c: %d forks, %d hung, %d wrong\n", forks, hung, wrong);
    fflush(stdout);
    _exit(hung || wrong);
}
