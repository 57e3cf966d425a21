/* zoom: a program with one setting, whose control is locked while an administrator forces it.
 *
 *     cc -o zoom zoom.c $(pkg-config --cflags --libs managed-defaults)
 *     zoom [--root DIR --user NAME] get | set NUMBER | watch
 *
 * `watch` prints a line for each change until its standard input ends.
 */
#include <managed-defaults.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const application = "org.example.Browser";
static const char *const key = "ZoomLevel";

/* Prints the value, and by whom it is forced. */
static void show(mdefaults *defaults) {
    double zoom = 1.0; /* what counts without another value */
    mdefaults_status status = mdefaults_get_real(defaults, key, &zoom);
    if (status == MDEFAULTS_WRONG_TYPE) fprintf(stderr, "zoom: the stored value is no number\n");
    printf("%s = %g%s\n", key, zoom, mdefaults_is_forced(defaults, key) ? " (forced)" : "");
    mdefaults_entry *entry;
    if (mdefaults_forced_by(defaults, key, &entry) == MDEFAULTS_OK) {
        printf("  by %s, %s:%" PRId64 "; ask: %s\n", entry->policy, entry->file, entry->line, entry->contact);
        mdefaults_free(entry);
    }
    fflush(stdout);
}

/* Stores another value; says why not if it is not in effect. */
static int set(mdefaults *defaults, const char *text) {
    char *end, *message;
    errno = 0;
    double zoom = strtod(text, &end);
    if (errno != 0 || end == text || *end != '\0') {
        fprintf(stderr, "zoom: %s is no number\n", text);
        return 2;
    }
    mdefaults_outcome outcome = mdefaults_set_real(defaults, key, zoom, &message);
    if (outcome <= MDEFAULTS_UNCHANGED) return 0;
    fprintf(stderr, "zoom: %s\n", message ? message : "not stored");
    mdefaults_free(message);
    return 3;
}

/* Shows the value again whenever it changes. */
static int watch(mdefaults *defaults) {
    mdefaults_watch *watch = mdefaults_watch_open(defaults, key);
    if (!watch) return 4;
    struct pollfd ends[2] = {
        {.fd = mdefaults_watch_descriptor(watch), .events = POLLIN}, {.fd = 0, .events = POLLIN}};
    show(defaults);
    while (poll(ends, 2, -1) >= 0 || errno == EINTR) {
        if (ends[0].revents & POLLIN) {
            char *changed;
            while (mdefaults_watch_next(watch, &changed) == MDEFAULTS_OK) mdefaults_free(changed);
            show(defaults);
        }
        if (ends[1].revents) break;
    }
    mdefaults_watch_close(watch);
    return 0;
}

int main(int count, char **arguments) {
    const char *root = NULL, *user = NULL;
    int next = 1;
    for (; next + 1 < count && strncmp(arguments[next], "--", 2) == 0; next += 2) {
        if (strcmp(arguments[next], "--root") == 0) root = arguments[next + 1];
        else if (strcmp(arguments[next], "--user") == 0) user = arguments[next + 1];
        else break;
    }
    char *problem;
    mdefaults *defaults =
        root ? mdefaults_open_root(root, user, application, &problem) : mdefaults_open(application, &problem);
    if (!defaults) {
        fprintf(stderr, "zoom: %s\n", problem ? problem : "no memory");
        mdefaults_free(problem);
        return 4;
    }
    int code = 2;
    if (next < count && strcmp(arguments[next], "get") == 0) {
        show(defaults);
        code = 0;
    } else if (next + 1 < count && strcmp(arguments[next], "set") == 0) {
        code = set(defaults, arguments[next + 1]);
    } else if (next < count && strcmp(arguments[next], "watch") == 0) {
        code = watch(defaults);
    } else {
        fprintf(stderr, "usage: zoom [--root DIR --user NAME] get | set NUMBER | watch\n");
    }
    while (mdefaults_problem(defaults, &problem) == MDEFAULTS_OK) {
        fprintf(stderr, "zoom: %s\n", problem);
        mdefaults_free(problem);
    }
    mdefaults_close(defaults);
    return code;
}
