/// Listening, waiting for many descriptors, and what the kernel says of the other side of a connection.
///
/// Unless stated otherwise a function returns -1 and sets errno on failure, like the system call that it wraps.
#ifndef MDCPLATFORM_SERVICE_H
#define MDCPLATFORM_SERVICE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Listens for connections that carry messages at a new socket of the file system; the socket closes on exec, never
/// blocks and is not one of the three standard descriptors. EADDRINUSE if the name exists.
int32_t cplatform_listen(const char *path, int32_t backlog);
/// Whether a descriptor is a socket that listens for connections that carry messages: 1 or 0. It then closes on exec and
/// never blocks.
int32_t cplatform_adopt_listener(int32_t descriptor);
/// accept4(2): the connection closes on exec, never blocks and is not one of the three standard descriptors.
int32_t cplatform_accept(int32_t listener);
/// Refuses further messages of the other side, whose calls then fail with EPIPE; what has arrived can still be received.
int32_t cplatform_end_receiving(int32_t socket);

/// The process at the other end of a connection, at the moment when it connected.
struct cplatform_peer {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};

/// Reads the credentials of the process that connected (SO_PEERCRED).
int32_t cplatform_peer(int32_t socket, struct cplatform_peer *peer);
/// Reads the supplementary groups of the process that connected (SO_PEERGROUPS). Returns their number; ERANGE if they
/// are more than `capacity`.
int32_t cplatform_peer_groups(int32_t socket, uint32_t *groups, int32_t capacity);
/// Opens a descriptor for the process that connected (SO_PEERPIDFD, Linux 6.5).
int32_t cplatform_peer_process(int32_t socket);

/// epoll_create1(2).
int32_t cplatform_poller(void);
/// Adds a descriptor (`operation` 0), changes what it is watched for (1) or removes it (2).
int32_t cplatform_poller_change(int32_t poller, int32_t operation, int32_t descriptor, int32_t reads, int32_t writes);

/// A descriptor that is ready.
struct cplatform_ready {
    int32_t descriptor;
    /// 1: can be read, 2: can be written, 4: has ended or failed.
    int32_t flags;
};

/// Waits until descriptors are ready; a negative time is without end. Returns their number, 0 if a signal came.
int32_t cplatform_poller_wait(int32_t poller, struct cplatform_ready *ready, int32_t capacity, int32_t milliseconds);

/// Blocks SIGTERM and SIGINT in this thread and the threads that it starts, and opens a descriptor that is readable when
/// one has come.
int32_t cplatform_end_signals(void);
/// Sends a datagram to a socket of the file system, or, if the first character is `@`, to an abstract one. Returns 0 or
/// an error code.
int32_t cplatform_send_datagram(const char *path, const void *bytes, size_t count);
/// Makes sure that a file has room for this many bytes.
int32_t cplatform_reserve(int32_t file, int64_t size);
/// The most descriptors that this process may have open.
int32_t cplatform_descriptor_limit(void);

#endif
