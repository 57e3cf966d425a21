/// Functions that Glibc's Swift module hides, because they need _GNU_SOURCE or are variadic.
#ifndef MDCPLATFORM_H
#define MDCPLATFORM_H

#include "Files.h"
#include "Fork.h"
#include "Hash.h"
#include "Process.h"
#include "Service.h"
#include "Sockets.h"
#include "Threads.h"
#include "Watch.h"

#endif
