/// What Glibc's Swift module hides, because it needs _GNU_SOURCE or is variadic.
#ifndef CPLATFORM_H
#define CPLATFORM_H

#include "CPlatformArguments.h"
#include "CPlatformFiles.h"
#include "CPlatformProcess.h"
#include "CPlatformSocket.h"
#include "CPlatformWatch.h"
#include "ThreadSlot.h"

#endif
