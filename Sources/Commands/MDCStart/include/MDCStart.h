/// What has to happen in a statically linked program before the runtime of Swift starts. Nothing here is called.
#ifndef MDCSTART_H
#define MDCSTART_H
#endif
