// The functions are in MDInterface, in Swift; this file makes a module of the header.
#include "managed-defaults.h"
