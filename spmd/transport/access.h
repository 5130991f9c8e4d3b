/*
 * What lets a worker in: where the master of a job listens, and the keys of both sides (CURVE,
 * https://rfc.zeromq.org/spec/26). It is kept in a file that its owner alone can read. Who has it
 * can take part in that job, as a worker or in its master's place; nobody else can.
 */
#ifndef SPMD_TRANSPORT_ACCESS_H
#define SPMD_TRANSPORT_ACCESS_H

#include <signal.h>
#include <stdbool.h>

#include "planner/base/failure.h"

enum { ACCESS_ADDRESS_SIZE = 256, ACCESS_KEY_SIZE = 41, ACCESS_TEXT_MOST = 1024 };

/* Keys in Z85 (https://rfc.zeromq.org/spec/32), 40 characters each. */
struct access_keys {
    char public[ACCESS_KEY_SIZE], secret[ACCESS_KEY_SIZE];
};

struct access {
    char address[ACCESS_ADDRESS_SIZE]; /* "tcp://HOST:PORT" */
    struct access_keys master, worker;
};

/* New keys, at that address. False with *failure set: the address is none, or ZeroMQ has no CURVE.
 */
bool access_make(struct access *access, const char *address, struct failure *failure);
/* Text to struct and back; `name` is for sentences. */
bool access_parse(struct access *access, const char *text, const char *name,
                  struct failure *failure);
void access_print(const struct access *access, char text[ACCESS_TEXT_MOST]);
/* A new file, of mode 0600; never one that is there already. */
bool access_write(const struct access *access, const char *path, struct failure *failure);
/* Refuses one that others than its owner may read or change. */
bool access_read(struct access *access, const char *path, struct failure *failure);
/* The same of a file that may be written yet: waits for it for so long, or until *asked. */
bool access_await(struct access *access, const char *path, double patience_s,
                  const volatile sig_atomic_t *asked, struct failure *failure);

#endif
