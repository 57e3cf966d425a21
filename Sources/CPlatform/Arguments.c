#include "CPlatform.h"

/// What the process was started with; the C library of Linux gives it to every constructor, as to `main`.
static int argument_count;
static char **argument_texts;

/// Keeps the arguments.
__attribute__((constructor)) static void keep_arguments(int count, char **texts) {
    argument_count = count;
    argument_texts = texts;
}

int32_t cplatform_argument_count(void) {
    return argument_count;
}

const char *cplatform_argument(int32_t index) {
    return index >= 0 && index < argument_count ? argument_texts[index] : 0;
}
