/* open ROOT COUNT: opens, uses and closes the defaults of a program COUNT times; nothing is left of any of them. */
#include <managed-defaults.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The number of the next descriptor: more of them would be left open. */
static int descriptor(void) {
    int next = dup(0);
    close(next);
    return next;
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    int before = 0, wrong = 0;
    size_t memory = 0;
    for (int index = 0; index < atoi(arguments[2]); index++) {
        mdefaults *defaults = mdefaults_open_root(arguments[1], "pupil", "org.example.Browser", NULL);
        mdefaults_watch *watch = mdefaults_watch_open(defaults, NULL);
        char *text;
        const char **keys;
        mdefaults_entry *entry;
        mdefaults_introduction *introduction;
        wrong += mdefaults_get_string(defaults, "HomePage", &text, NULL) != MDEFAULTS_OK;
        mdefaults_free(text);
        wrong += mdefaults_allowed_json(defaults, "ZoomLevel", &text) != MDEFAULTS_OK;
        mdefaults_free(text);
        wrong += mdefaults_keys(defaults, &keys, NULL) != MDEFAULTS_OK;
        mdefaults_free(keys);
        wrong += mdefaults_forced_by(defaults, "HomePage", &entry) != MDEFAULTS_OK;
        mdefaults_free(entry);
        wrong += mdefaults_introduced_by(defaults, "HomePage", &introduction) != MDEFAULTS_OK;
        mdefaults_free(introduction);
        wrong += mdefaults_register_json(defaults, "{\"Theme\": \"plain\"}", NULL) != MDEFAULTS_STORED;
        wrong += mdefaults_update_json(defaults, "Theme", "\"no\"", "\"dark\"", &text, NULL) != MDEFAULTS_CONFLICT;
        mdefaults_free(text);
        /* One in two watches ends with its handle. */
        if (index % 2) mdefaults_watch_close(watch);
        mdefaults_close(defaults);
        if (index == 300) memory = mallinfo2().uordblks;
        if (index == 10) before = descriptor();
    }
    /* The library's threads end by themselves, a little later. */
    for (int tries = 0; descriptor() > before && tries < 1000; tries++) usleep(10000);
    int descriptors = descriptor() - before;
    ssize_t grown = memory == 0 ? 0 : (ssize_t)(mallinfo2().uordblks - memory);
    printf("%s opened and closed, %d wrong, %d descriptors and %zd bytes more\n", arguments[2], wrong, descriptors, grown);
    /* 700 handles: one that was kept would be some KiB. */
    return wrong > 0 || descriptors > 0 || grown > 100000;
}
