// Times libdconf as an application uses it, without its headers: everything is found with dlopen(3).
//
//   DconfBenchmark open KEY ROUNDS   opens a client and reads one key; prints the median of the rounds in microseconds
//   DconfBenchmark wait KEY          reads a key until it changes; prints "ready", then the time of the change in
//                                    nanoseconds of CLOCK_MONOTONIC
//
// Ends with 2 where libdconf is not installed. DCONF_PROFILE names the databases.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *(*client_new)(void);
static void *(*client_read)(void *client, const char *key);
static const char *(*get_string)(void *variant, size_t *length);
static void (*variant_unref)(void *variant);
static void (*object_unref)(void *object);

/// Nanoseconds of a clock that never goes back.
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

/// Orders two figures.
static int compare(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

/// Copies the text of a key; an empty one where there is none.
static void copy(void *client, const char *key, char *text, size_t size) {
    void *value = client_read(client, key);
    snprintf(text, size, "%s", value ? get_string(value, NULL) : "");
    if (value) { variant_unref(value); }
}

int main(int argc, char **argv) {
    void *dconf = dlopen("libdconf.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!dconf) { return 2; }
    client_new = dlsym(dconf, "dconf_client_new");
    client_read = dlsym(dconf, "dconf_client_read");
    // What dconf itself is linked with is found behind it.
    get_string = dlsym(dconf, "g_variant_get_string");
    variant_unref = dlsym(dconf, "g_variant_unref");
    object_unref = dlsym(dconf, "g_object_unref");
    if (!client_new || !client_read || !get_string || !variant_unref || !object_unref) { return 2; }
    char before[256], text[256];
    if (argc == 4 && !strcmp(argv[1], "open")) {
        int rounds = atoi(argv[3]);
        double *times = calloc(rounds, sizeof *times);
        for (int round = 0; round < rounds; round++) {
            double start = now();
            void *client = client_new();
            copy(client, argv[2], text, sizeof text);
            times[round] = now() - start;
            object_unref(client);
            if (!*text) { return 1; }
        }
        qsort(times, rounds, sizeof *times, compare);
        printf("%.1f\n", times[rounds / 2] / 1000);
        return 0;
    }
    if (argc == 3 && !strcmp(argv[1], "wait")) {
        void *client = client_new();
        copy(client, argv[2], before, sizeof before);
        if (!*before) { return 1; }
        printf("ready\n");
        fflush(stdout);
        struct timespec pause = {0, 50000};
        for (double end = now() + 60e9; now() < end; nanosleep(&pause, NULL)) {
            copy(client, argv[2], text, sizeof text);
            if (!strcmp(before, text)) { continue; }
            printf("%.0f\n", now());
            return 0;
        }
        return 1;
    }
    return 64;
}
