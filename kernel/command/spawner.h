/*
 * The process that starts commands for a rank. Ranks do not fork: a process that uses MPI is large,
 * and its children may keep memory that is registered for the network. So a small process is forked
 * before MPI starts; it sleeps on a socket, forks one more for every connection, and that one
 * starts commands, each in a process group of its own, and says how they ended. Standard streams
 * are pipes of the rank's, whose other ends travel over the socket, so that output is not copied.
 * When the rank ends, in any way, connections and commands end, too.
 *
 * Commands get the environment in which the spawner was started, without the variables by which an
 * MPI library would take them for ranks, with OMP_NUM_THREADS as the rank requests, and with the
 * variables that the connection and the start add. They run in the directory that the connection
 * names, or else in the rank's.
 */
#ifndef KERNEL_COMMAND_SPAWNER_H
#define KERNEL_COMMAND_SPAWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spawner_verb {
    SPAWNER_PREPARE, /* for all commands: folder to run in ("": as it is), and variables */
    SPAWNER_START,   /* of a slot whose command, if it had one, has ended; that one is forgotten */
    SPAWNER_KILL,    /* signal the slot's process group */
    SPAWNER_LOOK,    /* tell how much memory the slot's process has had so far */
    SPAWNER_END      /* kill what is left of the slot's process group, and forget it */
};

enum { SPAWNER_STREAMS = 3 };

/* Followed by `size` bytes, each text with a final zero. To prepare: the folder, then `words`
 * variables NAME=VALUE. To start: the path of the program (looked for in PATH when it has no
 * slash), then `words` words of the command, then `variables`. With a start travel the ends of two
 * or three pipes: standard output, error, input; without the third, input is empty. */
struct spawner_request {
    int32_t verb, slot;
    int32_t number; /* signal; threads to say in OMP_NUM_THREADS, or 0 */
    int32_t words;  /* of the command, without the path */
    uint64_t size;
    int32_t fds[SPAWNER_STREAMS]; /* the sender's own; the third may be -1 */
    int32_t variables;            /* of this command alone, NAME=VALUE */
};

/* Every start is followed by one of these, and every look at a command. */
struct spawner_report {
    int32_t slot;
    int32_t error;           /* errno: it could not be started; else 0 */
    int32_t exit;            /* its exit code; -N: signal N killed it */
    int32_t look;            /* asked for by a look: only the peak says anything */
    double start_s, seconds; /* on the monotonic clock */
    int64_t peak_kib;        /* of memory, of the process and those that it has waited for; 0: not
                              * known. Once ended, at least what starting it took */
};

/* The end of a connection that asks. */
struct spawner {
    int socket;         /* -1: not connected */
    size_t held, taken; /* bytes of reports */
    struct spawner_report reports[64];
};

/* False: errno says why. ENOTCONN: command_spawner_begin was not called, or could not fork. Where
 * the process that it forked has been killed, another takes its place: forked from the rank,
 * although that is late, because the rank could not go on otherwise. */
bool spawner_connect(struct spawner *spawner);
/* After a connection's process was killed: what it has started, or others of this rank have, is
 * killed, too. */
void spawner_clear(void);
/* Ends all its commands, and returns when they and the connection's process are gone. */
void spawner_disconnect(struct spawner *spawner);
/* False: the connection is lost (errno). `words` are as said at struct spawner_request. */
bool spawner_ask(const struct spawner *spawner, const struct spawner_request *request, char *words);
/* Does this error mean that the connection's process has ended, as spawner_receive will find, too?
 */
bool spawner_ended(int error);
/* 1: a report; 0: none yet; -1: the connection is lost. Does not wait. */
int spawner_receive(struct spawner *spawner, struct spawner_report *report);

/* Serve one connection until it is closed; does not return. In the connection's own process. */
_Noreturn void session_serve(int socket);

#endif
