/*
 * Who may connect: answers ZeroMQ's questions about keys (ZAP, https://rfc.zeromq.org/spec/27) in a
 * thread of its own, so that strangers are refused also while the master is busy. What a refused
 * peer sends is never seen by anybody here.
 */
#ifndef SPMD_TRANSPORT_AUTHENTICATION_H
#define SPMD_TRANSPORT_AUTHENTICATION_H

#include <stdbool.h>
#include <stdint.h>

struct authentication;

/* For all sockets of that ZeroMQ context: who connects must have this public key. NULL: it could
 * not be begun. */
struct authentication *authentication_begin(void *context, const uint8_t key[32]);
/* Waits for its thread. Of NULL: nothing. */
void authentication_end(struct authentication *authentication);

#endif
