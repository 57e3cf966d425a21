/// Connections that carry messages: AF_UNIX with SOCK_SEQPACKET.
///
/// Unless stated otherwise a function returns -1 and sets errno on failure, like the system call that it wraps.
#ifndef MDCPLATFORM_SOCKETS_H
#define MDCPLATFORM_SOCKETS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Connects to a socket of the file system of a kind (SOCK_…); the connection closes on exec, never blocks and is not
/// one of the three standard descriptors.
///
/// If too many connections wait there, it waits for its turn for some milliseconds; EAGAIN after them, ENAMETOOLONG if the path does not fit into an address, EPROTOTYPE if the
/// socket is of another kind.
int32_t cplatform_connect(const char *path, int32_t kind, int32_t milliseconds);
/// Sends one message without waiting and without a signal. Returns 0, or an error code: EAGAIN if the other side reads
/// too slowly, EPIPE if it has closed; errno does not change.
int32_t cplatform_send_message(int32_t socket, const void *bytes, size_t count);
/// Receives one message without waiting; `is_cut` becomes 1 if it did not fit. Descriptors that come with a message are
/// closed by the kernel. Returns 0 if the other side has closed, or has sent an empty message; EAGAIN if there is none.
ssize_t cplatform_receive_message(int32_t socket, void *buffer, size_t capacity, int32_t *is_cut);
/// Makes two connected sockets that carry bytes; both close on exec and are not among the three standard descriptors.
int32_t cplatform_stream_pair(int32_t *one, int32_t *other);
/// Connects to a port of this machine (127.0.0.1); the connection closes on exec and is not one of the three standard
/// descriptors.
int32_t cplatform_connect_loopback(uint16_t port);
/// Sends some bytes without waiting and without a signal. Returns how many; EAGAIN if the other side reads too slowly.
ssize_t cplatform_send_some(int32_t socket, const void *bytes, size_t count);
/// Sends one message that carries a descriptor; otherwise like `cplatform_send_message`.
int32_t cplatform_send_descriptor(int32_t socket, const void *bytes, size_t count, int32_t descriptor);
/// Receives one message and the descriptor that came with it, which closes on exec and is not one of the three standard
/// ones; `descriptor` becomes -1 if none came, or more than one, which are closed then.
ssize_t cplatform_receive_descriptor(
    int32_t socket, void *buffer, size_t capacity, int32_t *is_cut, int32_t *descriptor);

#endif
