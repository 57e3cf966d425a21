// The functions are in MDInterface, in Swift; this file makes a module of the header.
#include "managed-defaults.h"

// A constant of C: the library keeps it, and no fork(2) meets it half made.
const char *mdefaults_version(void) { return "0.1.0"; }
