/// Sockets of the file system.
#ifndef CPLATFORM_SOCKET_H
#define CPLATFORM_SOCKET_H

#include <stddef.h>
#include <stdint.h>

/// Hands one message to whoever listens on a socket of the file system, without ever waiting, and keeps nothing open.
///
/// `is_stream` asks for a connection in place of a datagram. Without bytes, only whether somebody listens is asked. No
/// signal comes of a socket that is closed. Returns 0, or an error code: EAGAIN where the socket is full, EPROTOTYPE where
/// it is of the other kind, ENAMETOOLONG where the path does not fit into an address; errno stays as it was.
int32_t cplatform_send_to_socket(const char *path, int32_t is_stream, const void *bytes, size_t count);

#endif
