/// Files of this package that are part of the command: the example machine, and the schema of policy files.
#ifndef MDCEMBEDDED_H
#define MDCEMBEDDED_H

#include <stddef.h>

/// A file of `Examples/lab`, or a symbolic link there.
struct mdc_embedded_file {
    /// Path beneath the folder.
    const char *path;
    /// Target of the link; NULL for a file.
    const char *target;
    /// Content of a file.
    const unsigned char *bytes;
    size_t size;
};

/// Files of `Examples/lab` in byte order of their paths.
extern const struct mdc_embedded_file *const mdc_lab;
extern const size_t mdc_lab_count;

/// `Policies/policy.schema.json`.
extern const unsigned char *const mdc_schema;
extern const size_t mdc_schema_size;

#endif
