#include <managed-defaults.h>
#include <stdio.h>
#include <stdlib.h>

// What the check counts: each function by itself, so none is made a part of another.
#define COUNTED __attribute__((noinline))

static mdefaults *defaults;

/// Opens the defaults of an application and reads its first value.
COUNTED int first_read(const char *root) {
    bool value;
    defaults = mdefaults_open_root(root, "alice", "org.example.Browser", NULL);
    return mdefaults_get_bool(defaults, "SafeSearch", &value) == MDEFAULTS_OK;
}

/// Reads a value ten thousand times.
COUNTED int reads(void) {
    bool value;
    int count = 0;
    while (count < 10000 && mdefaults_get_bool(defaults, "SafeSearch", &value) == MDEFAULTS_OK) count++;
    return count == 10000;
}

/// Registers a thousand default values.
COUNTED int registration(const char *values) {
    return mdefaults_register_json(defaults, values, NULL) == MDEFAULTS_STORED;
}

int main(int count, char **arguments) {
    static char values[65536];
    int length = 0;
    for (int key = 0; key < 1000; key++)
        length += snprintf(values + length, sizeof values - length, "%s\"Key%d\": %d", key ? ", " : "{", key, key);
    snprintf(values + length, sizeof values - length, "}");
    return count == 2 && first_read(arguments[1]) && reads() && registration(values) ? EXIT_SUCCESS : EXIT_FAILURE;
}
