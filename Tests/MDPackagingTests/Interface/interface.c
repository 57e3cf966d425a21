/* interface ROOT POLICY [short]: every function of the C interface on a machine in a folder, and what it is given wrongly.
 *
 * POLICY is moved into the machine's policy while it is watched. With `short` nothing is repeated often.
 * Prints a line for each expectation that does not hold, and ends with the number of them.
 */
#define _GNU_SOURCE
#include <managed-defaults.h>
#include <poll.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What programs were compiled with stays where it is: structures grow at their end, and numbers keep their meaning. */
_Static_assert(MDEFAULTS_FAILED == 5 && MDEFAULTS_CONFLICT == 8 && MDEFAULTS_DICTIONARY == 8, "numbers");
_Static_assert(offsetof(mdefaults_entry, message) == 7 * sizeof(char *), "mdefaults_entry");
_Static_assert(offsetof(mdefaults_entry, line) == 8 * sizeof(char *), "mdefaults_entry");
_Static_assert(offsetof(mdefaults_introduction, generation) == 3 * sizeof(char *), "mdefaults_introduction");
_Static_assert(offsetof(mdefaults_introduction, is_by_hand) == 3 * sizeof(char *) + 16, "mdefaults_introduction");

static int failures;
/* Whether what is repeated is repeated often. */
static int is_long = 1;

#define EXPECT(condition)                                                    \
    do {                                                                     \
        if (!(condition)) {                                                  \
            printf("line %d: %s\n", __LINE__, #condition);                   \
            __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);              \
        }                                                                    \
    } while (0)

/* Whether a text is another one; frees it. */
static int is(char *text, const char *expected) {
    int result = text && strcmp(text, expected) == 0;
    if (!result) printf("  %s\n", text ? text : "(null)");
    mdefaults_free(text);
    return result;
}

/* Whether a text begins with another one; frees it. */
static int begins(char *text, const char *expected) {
    int result = text && strncmp(text, expected, strlen(expected)) == 0;
    if (!result) printf("  %s\n", text ? text : "(null)");
    mdefaults_free(text);
    return result;
}

static void reads(mdefaults *defaults) {
    int64_t integer = 7;
    double real = 7;
    bool truth = true;
    char *text = NULL;
    uint8_t *data = NULL;
    size_t length = 7;
    EXPECT(mdefaults_get_integer(defaults, "Count", &integer) == MDEFAULTS_OK && integer == 42);
    EXPECT(mdefaults_get_real(defaults, "Count", &real) == MDEFAULTS_OK && real == 42);
    EXPECT(mdefaults_get_bool(defaults, "Off", &truth) == MDEFAULTS_OK && !truth);
    EXPECT(mdefaults_get_string(defaults, "Page", &text, &length) == MDEFAULTS_OK && length == 11);
    EXPECT(is(text, "pupil's \xc3\xb6!"));
    EXPECT(mdefaults_get_string(defaults, "Count", &text, NULL) == MDEFAULTS_OK && is(text, "42"));
    EXPECT(mdefaults_get_data(defaults, "Bytes", &data, &length) == MDEFAULTS_OK && length == 3);
    EXPECT(data && data[0] == 0 && data[1] == 1 && data[2] == 2);
    mdefaults_free(data);
    EXPECT(mdefaults_get_date(defaults, "Day", &real) == MDEFAULTS_OK && real == 1795161600);
    EXPECT(mdefaults_get_json(defaults, "List", &text) == MDEFAULTS_OK && is(text, "[1,{\"a\":true}]"));

    EXPECT(mdefaults_get_type(defaults, "Page") == MDEFAULTS_STRING);
    EXPECT(mdefaults_get_type(defaults, "Off") == MDEFAULTS_BOOLEAN);
    EXPECT(mdefaults_get_type(defaults, "Count") == MDEFAULTS_INTEGER);
    EXPECT(mdefaults_get_type(defaults, "Half") == MDEFAULTS_REAL);
    EXPECT(mdefaults_get_type(defaults, "Day") == MDEFAULTS_DATE);
    EXPECT(mdefaults_get_type(defaults, "Bytes") == MDEFAULTS_DATA);
    EXPECT(mdefaults_get_type(defaults, "List") == MDEFAULTS_ARRAY);
    EXPECT(mdefaults_get_type(defaults, "Table") == MDEFAULTS_DICTIONARY);
    EXPECT(mdefaults_get_type(defaults, "Nothing") == MDEFAULTS_NONE);
    EXPECT(mdefaults_get_type(defaults, "Gone") == MDEFAULTS_NONE);

    /* What is not there, or has another type, changes no number and gives no text. */
    integer = 7;
    text = (char *)&integer;
    EXPECT(mdefaults_get_integer(defaults, "Nothing", &integer) == MDEFAULTS_NO_VALUE && integer == 7);
    EXPECT(mdefaults_get_integer(defaults, "List", &integer) == MDEFAULTS_WRONG_TYPE && integer == 7);
    EXPECT(mdefaults_get_string(defaults, "List", &text, NULL) == MDEFAULTS_WRONG_TYPE && text == NULL);
    EXPECT(mdefaults_get_data(defaults, "Page", &data, &length) == MDEFAULTS_WRONG_TYPE && data == NULL);
    EXPECT(mdefaults_get_date(defaults, "Count", &real) == MDEFAULTS_WRONG_TYPE);
    EXPECT(mdefaults_get_integer(defaults, "Page", &integer) == MDEFAULTS_WRONG_TYPE && integer == 7);
    real = 7;
    EXPECT(mdefaults_get_real(defaults, "Page", &real) == MDEFAULTS_WRONG_TYPE && real == 7);
    truth = true;
    EXPECT(mdefaults_get_bool(defaults, "Page", &truth) == MDEFAULTS_WRONG_TYPE && truth);
}

static void manages(mdefaults *defaults) {
    EXPECT(mdefaults_is_forced(defaults, "Count") && mdefaults_is_forced(defaults, "Gone"));
    EXPECT(!mdefaults_is_forced(defaults, "Nothing") && !mdefaults_is_forced(defaults, "Volume"));
    mdefaults_entry *entry;
    EXPECT(mdefaults_forced_by(defaults, "Count", &entry) == MDEFAULTS_OK);
    if (entry) {
        EXPECT(strcmp(entry->domain, "org.example.C") == 0 && strcmp(entry->key, "Count") == 0);
        EXPECT(strcmp(entry->policy, "test.c") == 0 && strcmp(entry->title, "") == 0);
        EXPECT(strcmp(entry->summary, "Why") == 0 && strcmp(entry->contact, "room 1") == 0);
        EXPECT(strstr(entry->file, "/etc/managed-defaults/policies.d/10.json") && entry->line > 1);
        EXPECT(strstr(entry->message, "is set by policy") && strstr(entry->message, "room 1"));
        mdefaults_free(entry);
    }
    EXPECT(mdefaults_forced_by(defaults, "Nothing", &entry) == MDEFAULTS_NO_VALUE && entry == NULL);
    char *phrase;
    EXPECT(mdefaults_allowed(defaults, "Volume", &phrase) == MDEFAULTS_OK && is(phrase, "at most 70"));
    EXPECT(mdefaults_allowed(defaults, "Count", &phrase) == MDEFAULTS_NO_VALUE && phrase == NULL);
}

static void writes(mdefaults *defaults) {
    char *message;
    EXPECT(mdefaults_set_integer(defaults, "Own", -5, &message) == MDEFAULTS_STORED && message == NULL);
    int64_t integer = 0;
    EXPECT(mdefaults_get_integer(defaults, "Own", &integer) == MDEFAULTS_OK && integer == -5);
    EXPECT(mdefaults_set_integer(defaults, "Own", -5, NULL) == MDEFAULTS_UNCHANGED);
    EXPECT(mdefaults_set_integer(defaults, "Count", 1, &message) == MDEFAULTS_REFUSED);
    EXPECT(begins(message, "Count of org.example.C is set by policy"));
    EXPECT(mdefaults_set_integer(defaults, "Count", 42, &message) == MDEFAULTS_UNCHANGED && message == NULL);
    EXPECT(mdefaults_set_string(defaults, "Shadow", "mine", &message) == MDEFAULTS_SHADOWED);
    EXPECT(begins(message, "Shadow of org.example.C is set by policy"));
    EXPECT(mdefaults_set_integer(defaults, "Volume", 100, &message) == MDEFAULTS_CLAMPED);
    EXPECT(begins(message, "Volume of org.example.C must be at most 70"));
    EXPECT(mdefaults_get_integer(defaults, "Volume", &integer) == MDEFAULTS_OK && integer == 70);
    EXPECT(mdefaults_set_string(defaults, "Skin", "loud", &message) == MDEFAULTS_DISALLOWED);
    mdefaults_free(message);

    EXPECT(mdefaults_set_bool(defaults, "B", true, NULL) == MDEFAULTS_STORED);
    EXPECT(mdefaults_set_real(defaults, "R", 0.5, NULL) == MDEFAULTS_STORED);
    EXPECT(mdefaults_set_date(defaults, "D", 1795161600, NULL) == MDEFAULTS_STORED);
    EXPECT(mdefaults_set_data(defaults, "X", (const uint8_t *)"a\0b", 3, NULL) == MDEFAULTS_STORED);
    EXPECT(mdefaults_set_data(defaults, "E", NULL, 0, NULL) == MDEFAULTS_STORED);
    EXPECT(mdefaults_set_json(defaults, "J", "{\"a\":[1,2.5,\"\xc3\xb6\"]}", NULL) == MDEFAULTS_STORED);
    uint8_t *data = NULL;
    size_t length = 0;
    EXPECT(mdefaults_get_data(defaults, "X", &data, &length) == MDEFAULTS_OK && length == 3 && data[2] == 'b');
    mdefaults_free(data);
    char *text;
    EXPECT(mdefaults_get_json(defaults, "J", &text) == MDEFAULTS_OK && is(text, "{\"a\":[1,2.5,\"\xc3\xb6\"]}"));
    EXPECT(mdefaults_get_json(defaults, "D", &text) == MDEFAULTS_OK && is(text, "{\"$date\":\"2026-11-20T08:00:00Z\"}"));
    EXPECT(mdefaults_remove(defaults, "J", NULL) == MDEFAULTS_STORED);
    EXPECT(mdefaults_get_type(defaults, "J") == MDEFAULTS_NONE);
    EXPECT(mdefaults_synchronize(defaults) == MDEFAULTS_OK);
}

/* What is listed, registered, searched besides, and replaced only if it is what was seen. */
static void extends(mdefaults *defaults) {
    char *text, *message;
    const char **keys;
    size_t count = 0;
    EXPECT(mdefaults_register_json(defaults, "{\"Added\": {\"$date\": 0.5}}", &message) == MDEFAULTS_STORED && !message);
    EXPECT(mdefaults_get_json(defaults, "Added", &text) == MDEFAULTS_OK && is(text, "{\"$date\":0.5}"));
    EXPECT(mdefaults_register_json(defaults, "{\"\": 1, \"New\": 1}", &message) == MDEFAULTS_INVALID);
    EXPECT(begins(message, "Defaults are an object"));
    EXPECT(mdefaults_register_json(defaults, "[1]", NULL) == MDEFAULTS_INVALID);
    EXPECT(mdefaults_get_type(defaults, "New") == MDEFAULTS_NONE);

    EXPECT(mdefaults_keys(defaults, &keys, &count) == MDEFAULTS_OK && count > 8 && keys[count] == NULL);
    int found = 0;
    for (size_t index = 0; index < count; index++) {
        if (index > 0) EXPECT(strcmp(keys[index - 1], keys[index]) < 0);
        EXPECT(mdefaults_get_type(defaults, keys[index]) != MDEFAULTS_NONE);
        if (strcmp(keys[index], "Count") == 0 || strcmp(keys[index], "Added") == 0) found++;
        EXPECT(strcmp(keys[index], "Gone") != 0);
    }
    EXPECT(found == 2);
    mdefaults_free(keys);
    EXPECT(mdefaults_keys(defaults, &keys, NULL) == MDEFAULTS_OK && keys != NULL);
    mdefaults_free(keys);

    EXPECT(!mdefaults_is_forced(defaults, "InSuite"));
    EXPECT(mdefaults_is_forced_in_domain(defaults, "InSuite", "org.example.Suite"));
    EXPECT(mdefaults_is_forced_in_domain(defaults, "Count", "org.example.C"));
    EXPECT(!mdefaults_is_forced_in_domain(defaults, "Count", "org.example.Suite"));
    EXPECT(mdefaults_add_suite(defaults, "org.example.Suite") == MDEFAULTS_OK);
    EXPECT(mdefaults_is_forced(defaults, "InSuite"));
    EXPECT(mdefaults_get_json(defaults, "InSuite", &text) == MDEFAULTS_OK && is(text, "5"));
    EXPECT(mdefaults_remove_suite(defaults, "org.example.Suite") == MDEFAULTS_OK);
    EXPECT(mdefaults_get_type(defaults, "InSuite") == MDEFAULTS_NONE);
    EXPECT(mdefaults_add_suite(defaults, "a/b") == MDEFAULTS_BAD_ARGUMENT);

    EXPECT(mdefaults_allowed_json(defaults, "Volume", &text) == MDEFAULTS_OK);
    EXPECT(begins(text, "{\"allowed\":\"at most 70\",\"contact\":\"room 1\",\"maximum\":70,\"origin\":{\"column\":"));
    EXPECT(mdefaults_allowed_json(defaults, "Skin", &text) == MDEFAULTS_OK && strstr(text, "\"oneOf\":[\"plain\",\"dark\"]"));
    mdefaults_free(text);
    EXPECT(mdefaults_allowed_json(defaults, "Count", &text) == MDEFAULTS_NO_VALUE && !text);

    EXPECT(mdefaults_update_json(defaults, "U", NULL, "1", &text, NULL) == MDEFAULTS_STORED && !text);
    EXPECT(mdefaults_update_json(defaults, "U", NULL, "2", &text, &message) == MDEFAULTS_CONFLICT && is(text, "1"));
    EXPECT(begins(message, "U was not stored"));
    EXPECT(mdefaults_update_json(defaults, "U", "1.0", "2", NULL, NULL) == MDEFAULTS_CONFLICT);
    EXPECT(mdefaults_update_json(defaults, "U", "1", "1", NULL, NULL) == MDEFAULTS_UNCHANGED);
    EXPECT(mdefaults_update_json(defaults, "U", "1", "[1]", NULL, &message) == MDEFAULTS_STORED && !message);
    EXPECT(mdefaults_update_json(defaults, "U", "[1]", NULL, NULL, NULL) == MDEFAULTS_STORED);
    EXPECT(mdefaults_update_json(defaults, "U", "[1]", "3", &text, NULL) == MDEFAULTS_CONFLICT && !text);
    EXPECT(mdefaults_get_type(defaults, "U") == MDEFAULTS_NONE);
    EXPECT(mdefaults_update_json(defaults, "Count", NULL, "1", NULL, &message) == MDEFAULTS_REFUSED);
    EXPECT(begins(message, "Count of org.example.C is set by policy"));
    EXPECT(mdefaults_update_json(defaults, "Count", "1", "1", NULL, NULL) == MDEFAULTS_CONFLICT);
    EXPECT(mdefaults_update_json(defaults, "Volume", "70", "99", NULL, NULL) == MDEFAULTS_CLAMPED);
    EXPECT(mdefaults_update_json(defaults, "U", "{", "1", NULL, &message) == MDEFAULTS_INVALID);
    EXPECT(begins(message, "The value is no JSON"));

    mdefaults_introduction *introduction;
    EXPECT(mdefaults_introduced_by(defaults, "Count", &introduction) == MDEFAULTS_OK);
    if (introduction) {
        EXPECT(introduction->generation == 1 && introduction->is_by_hand && introduction->time > 1.7e9);
        EXPECT(strncmp(introduction->message, "Not by install: ", 16) == 0 && *introduction->reason == 0);
    }
    mdefaults_free(introduction);
    EXPECT(mdefaults_introduced_by(defaults, "Nothing", &introduction) == MDEFAULTS_NO_VALUE && !introduction);
}

static void refuses(mdefaults *defaults) {
    char *text = NULL;
    mdefaults *const wrong[] = {NULL, (mdefaults *)16, (mdefaults *)(uintptr_t)-1, (mdefaults *)&text};
    int64_t integer = 7;
    double real = 7;
    bool truth = true;
    size_t length = 7;
    const char **listed;
    mdefaults_entry *entry;
    for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index++) {
        mdefaults *handle = wrong[index];
        EXPECT(mdefaults_get_type(handle, "Count") == MDEFAULTS_NONE);
        EXPECT(mdefaults_get_bool(handle, "Count", &truth) == MDEFAULTS_BAD_ARGUMENT && truth);
        EXPECT(mdefaults_get_integer(handle, "Count", &integer) == MDEFAULTS_BAD_ARGUMENT && integer == 7);
        EXPECT(mdefaults_get_real(handle, "Count", &real) == MDEFAULTS_BAD_ARGUMENT && real == 7);
        EXPECT(mdefaults_get_string(handle, "Count", &text, &length) == MDEFAULTS_BAD_ARGUMENT && !text && length == 7);
        EXPECT(mdefaults_is_forced(handle, "Nothing"));
        EXPECT(mdefaults_forced_by(handle, "Count", &entry) == MDEFAULTS_BAD_ARGUMENT && !entry);
        EXPECT(mdefaults_is_forced_in_domain(handle, "Nothing", "a.b"));
        EXPECT(mdefaults_introduced_by(handle, "Count", NULL) == MDEFAULTS_BAD_ARGUMENT);
        EXPECT(mdefaults_allowed_json(handle, "Volume", &text) == MDEFAULTS_BAD_ARGUMENT && !text);
        EXPECT(mdefaults_keys(handle, &listed, &length) == MDEFAULTS_BAD_ARGUMENT && !listed && length == 7);
        EXPECT(mdefaults_add_suite(handle, "a.b") == MDEFAULTS_BAD_ARGUMENT);
        EXPECT(mdefaults_remove_suite(handle, "a.b") == MDEFAULTS_BAD_ARGUMENT);
        EXPECT(mdefaults_register_json(handle, "{}", NULL) == MDEFAULTS_INVALID);
        EXPECT(mdefaults_update_json(handle, "B", NULL, "1", &text, NULL) == MDEFAULTS_INVALID && !text);
        EXPECT(mdefaults_set_bool(handle, "B", true, &text) == MDEFAULTS_INVALID);
        EXPECT(begins(text, "The handle is closed"));
        EXPECT(mdefaults_remove(handle, "B", NULL) == MDEFAULTS_INVALID);
        EXPECT(mdefaults_synchronize(handle) == MDEFAULTS_BAD_ARGUMENT);
        EXPECT(mdefaults_problem(handle, &text) == MDEFAULTS_BAD_ARGUMENT && !text);
        EXPECT(mdefaults_watch_open(handle, "B") == NULL);
        EXPECT(mdefaults_watch_descriptor((mdefaults_watch *)handle) == -1);
        EXPECT(mdefaults_watch_next((mdefaults_watch *)handle, &text) == MDEFAULTS_BAD_ARGUMENT && !text);
        mdefaults_watch_close((mdefaults_watch *)handle);
        mdefaults_close(handle);
    }
    /* Text that is none, and places that are none. */
    char *endless = malloc((1 << 26) + 2);
    memset(endless, 'a', (1 << 26) + 1);
    endless[(1 << 26) + 1] = 0;
    const char *const keys[] = {NULL, "\xff\xfe", endless};
    for (size_t index = 0; index < 3; index++) {
        EXPECT(mdefaults_get_integer(defaults, keys[index], &integer) == MDEFAULTS_BAD_ARGUMENT && integer == 7);
        EXPECT(mdefaults_is_forced(defaults, keys[index]));
        EXPECT(mdefaults_set_bool(defaults, keys[index], true, NULL) == MDEFAULTS_INVALID);
        EXPECT(mdefaults_set_string(defaults, "T", keys[index], &text) == MDEFAULTS_INVALID);
        mdefaults_free(text);
        EXPECT(mdefaults_set_json(defaults, "T", keys[index], NULL) == MDEFAULTS_INVALID);
        EXPECT(mdefaults_is_forced_in_domain(defaults, "Nothing", keys[index]));
        EXPECT(mdefaults_add_suite(defaults, keys[index]) == MDEFAULTS_BAD_ARGUMENT);
        EXPECT(mdefaults_register_json(defaults, keys[index], NULL) == MDEFAULTS_INVALID);
        EXPECT(mdefaults_update_json(defaults, keys[index], NULL, "1", NULL, NULL) == MDEFAULTS_INVALID);
        EXPECT(index == 0 || mdefaults_update_json(defaults, "T", NULL, keys[index], NULL, NULL) == MDEFAULTS_INVALID);
        EXPECT(index == 0 || mdefaults_watch_open(defaults, keys[index]) == NULL);
        EXPECT(index == 0 || mdefaults_open(keys[index], NULL) == NULL);
    }
    free(endless);
    EXPECT(mdefaults_get_integer(defaults, "Count", NULL) == MDEFAULTS_BAD_ARGUMENT);
    EXPECT(mdefaults_get_string(defaults, "Count", NULL, &length) == MDEFAULTS_BAD_ARGUMENT && length == 7);
    EXPECT(mdefaults_get_data(defaults, "Bytes", NULL, &length) == MDEFAULTS_BAD_ARGUMENT);
    EXPECT(mdefaults_get_json(defaults, "Count", NULL) == MDEFAULTS_BAD_ARGUMENT);
    EXPECT(mdefaults_forced_by(defaults, "Count", NULL) == MDEFAULTS_BAD_ARGUMENT);
    EXPECT(mdefaults_allowed(defaults, "Volume", NULL) == MDEFAULTS_BAD_ARGUMENT);
    EXPECT(mdefaults_keys(defaults, NULL, &length) == MDEFAULTS_BAD_ARGUMENT && length == 7);
    EXPECT(mdefaults_set_data(defaults, "X", NULL, 3, NULL) == MDEFAULTS_INVALID);
    EXPECT(mdefaults_set_data(defaults, "X", (const uint8_t *)"", SIZE_MAX, NULL) == MDEFAULTS_INVALID);
    EXPECT(mdefaults_set_date(defaults, "X", 1.0 / 0.0, NULL) == MDEFAULTS_INVALID);
    EXPECT(mdefaults_set_bool(defaults, "", true, NULL) == MDEFAULTS_INVALID);
    EXPECT(mdefaults_set_json(defaults, "X", "{\"a\":", &text) == MDEFAULTS_INVALID);
    EXPECT(begins(text, "The value is no JSON: 1:"));
    EXPECT(mdefaults_set_json(defaults, "X", "null", NULL) == MDEFAULTS_INVALID);
    mdefaults_free(NULL);
}

static void *read_many(void *argument) {
    mdefaults *defaults = argument;
    for (int index = 0; index < (is_long ? 2000 : 10); index++) {
        int64_t integer = 0;
        EXPECT(mdefaults_get_integer(defaults, "Count", &integer) == MDEFAULTS_OK && integer == 42);
        if (index % 100 == 0) mdefaults_set_integer(defaults, "Turn", index, NULL);
    }
    return NULL;
}

/* Reads in some threads, while others open and close handles. */
static void threads(const char *root) {
    mdefaults *defaults = mdefaults_open_root(root, "pupil", "org.example.C", NULL);
    pthread_t readers[4];
    for (int index = 0; index < 4; index++) pthread_create(&readers[index], NULL, read_many, defaults);
    for (int index = 0; index < (is_long ? 20 : 2); index++) {
        mdefaults *other = mdefaults_open_root(root, "pupil", "org.example.Other", NULL);
        mdefaults_watch *watch = mdefaults_watch_open(other, NULL);
        EXPECT(mdefaults_watch_descriptor(watch) > 2);
        mdefaults_close(other);
        EXPECT(mdefaults_watch_next(watch, NULL) == MDEFAULTS_BAD_ARGUMENT);
        mdefaults_watch_close(watch);
    }
    for (int index = 0; index < 4; index++) pthread_join(readers[index], NULL);
    mdefaults_close(defaults);
    EXPECT(mdefaults_get_type(defaults, "Count") == MDEFAULTS_NONE);
}

/* Another value by this program, then another policy: the descriptor tells of both. */
static void watches(mdefaults *defaults, const char *root, const char *policy) {
    mdefaults_watch *watch = mdefaults_watch_open(defaults, "Watched");
    mdefaults_watch *all = mdefaults_watch_open(defaults, NULL);
    struct pollfd end = {.fd = mdefaults_watch_descriptor(watch), .events = POLLIN};
    char *key;
    EXPECT(poll(&end, 1, 0) == 0);
    EXPECT(mdefaults_watch_next(watch, &key) == MDEFAULTS_NO_VALUE && key == NULL);
    mdefaults_set_integer(defaults, "Watched", 1, NULL);
    mdefaults_set_integer(defaults, "Watched", 2, NULL);
    mdefaults_set_integer(defaults, "Other", 2, NULL);
    EXPECT(poll(&end, 1, 10000) == 1);
    EXPECT(mdefaults_watch_next(watch, &key) == MDEFAULTS_OK && is(key, "Watched"));
    EXPECT(mdefaults_watch_next(watch, &key) == MDEFAULTS_NO_VALUE);
    EXPECT(poll(&end, 1, 0) == 0);
    EXPECT(mdefaults_watch_next(all, &key) == MDEFAULTS_OK && is(key, "Watched"));
    EXPECT(mdefaults_watch_next(all, &key) == MDEFAULTS_OK && is(key, "Other"));

    char *target;
    if (asprintf(&target, "%s/etc/managed-defaults/policies.d/20.json", root) < 0) return;
    EXPECT(rename(policy, target) == 0);
    free(target);
    EXPECT(poll(&end, 1, 20000) == 1);
    EXPECT(mdefaults_watch_next(watch, &key) == MDEFAULTS_OK && is(key, "Watched"));
    EXPECT(mdefaults_is_forced(defaults, "Watched"));

    /* More keys than are kept. */
    if (!is_long) return;
    for (int index = 0; index < 4200; index++) {
        char name[16];
        snprintf(name, sizeof name, "K%d", index);
        mdefaults_set_integer(defaults, name, index, NULL);
    }
    int last = 0, count = 0;
    while (mdefaults_watch_next(all, &key) == MDEFAULTS_OK) {
        last = *key == 0;
        count++;
        mdefaults_free(key);
    }
    EXPECT(last && count == 1);
    mdefaults_watch_close(watch);
    EXPECT(mdefaults_watch_descriptor(watch) == -1);
}

/* Opens, uses and closes handles again and again: what the process has allocated does not grow. */
static void repeats(const char *root) {
    size_t before = 0;
    for (int index = 0; index < 300; index++) {
        mdefaults *defaults = mdefaults_open_root(root, "pupil", "org.example.C", NULL);
        mdefaults_watch *watch = mdefaults_watch_open(defaults, NULL);
        char *text;
        if (mdefaults_get_json(defaults, "List", &text) == MDEFAULTS_OK) mdefaults_free(text);
        mdefaults_entry *entry;
        if (mdefaults_forced_by(defaults, "Count", &entry) == MDEFAULTS_OK) mdefaults_free(entry);
        if (mdefaults_set_integer(defaults, "", index, &text) == MDEFAULTS_INVALID) mdefaults_free(text);
        const char **keys;
        if (mdefaults_keys(defaults, &keys, NULL) == MDEFAULTS_OK) mdefaults_free(keys);
        if (index % 2) mdefaults_watch_close(watch);
        mdefaults_close(defaults);
        if (index == 100) before = mallinfo2().uordblks;
    }
    /* 200 handles: one that was kept would be some KiB. */
    size_t after = mallinfo2().uordblks;
    EXPECT(after < before + 100000);
    if (after >= before + 100000) printf("  %zu bytes more\n", after - before);
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    is_long = count == 3;
    char *problem;
    EXPECT(mdefaults_open_root("/nonexistent", NULL, "a.b", &problem) == NULL && begins(problem, "The folder"));
    EXPECT(mdefaults_open_root(arguments[1], "nobody-here", "a.b", NULL) == NULL);
    EXPECT(mdefaults_open_root(NULL, NULL, "a.b", &problem) == NULL && begins(problem, "The folder"));
    EXPECT(mdefaults_open_root(arguments[1], NULL, "a/b", &problem) == NULL && begins(problem, "a/b cannot be"));
    EXPECT(mdefaults_open("", &problem) == NULL && problem != NULL);
    mdefaults_free(problem);
    mdefaults *defaults = mdefaults_open_root(arguments[1], "pupil", "org.example.C", &problem);
    EXPECT(defaults != NULL && problem == NULL);
    reads(defaults);
    manages(defaults);
    writes(defaults);
    extends(defaults);
    refuses(defaults);
    threads(arguments[1]);
    if (is_long) repeats(arguments[1]);
    watches(defaults, arguments[1], arguments[2]);
    while (mdefaults_problem(defaults, &problem) == MDEFAULTS_OK) {
        printf("problem: %s\n", problem);
        mdefaults_free(problem);
        failures++;
    }
    mdefaults_close(defaults);
    mdefaults_close(defaults);
    printf("%d failures\n", failures);
    return failures > 0;
}
