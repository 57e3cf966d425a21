#ifndef CPLATFORM_ARGUMENTS_H
#define CPLATFORM_ARGUMENTS_H

#include <stdint.h>

/// The number of arguments of the process, its name included.
int32_t cplatform_argument_count(void);

/// An argument of the process, which lives as long as the process does; a null pointer where there is none.
const char *_Nullable cplatform_argument(int32_t index);

#endif
