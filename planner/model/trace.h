/*
 * The events of a run, real or simulated, in one format, so that predicted and measured times can
 * be compared.
 */
#ifndef PLANNER_MODEL_TRACE_H
#define PLANNER_MODEL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum operation {
    OPERATION_ENVELOPE, /* master: read and pack */
    OPERATION_SEND,     /* master: hand the package to the network */
    OPERATION_LINK,     /* on the wire to the worker */
    OPERATION_RECEIVE,  /* worker: take the package in */
    OPERATION_COMPUTE,  /* worker */
    OPERATION_OUTPUT,   /* worker: write results, perhaps asynchronously */
    OPERATION_RESULT,   /* on the wire back to the master: the results of one or more packages */
    OPERATION_COLLECT,  /* master: take them in and write them */
    OPERATION_IDLE,     /* worker: waiting for a package */
    OPERATION_START,    /* worker: its own preparation, before its first package */
    OPERATION_COUNT,
    /* For packages assigned on request; computed from a trace, never stored in it (requests.h). */
    OPERATION_REQUEST = OPERATION_COUNT, /* from a package's end until the master has answered */
    OPERATION_ANSWER                     /* master: receive a report and decide */
};

struct trace_event {
    int32_t rank;      /* 0: master; worker i of the profile is rank i + 1 */
    int32_t operation; /* enum operation */
    int64_t round, package;
    int64_t first, tasks;  /* core tasks */
    double start_s, end_s; /* on the master's clock, 0 = the first envelope's start */
};

/* Of a core task that the master computed itself: it is of no package and of no round, and both are
 * -1. */
static inline bool trace_event_own(const struct trace_event *event)
{
    return event->rank == 0 && event->operation == OPERATION_COMPUTE;
}

struct trace;

/* Who reads a trace in blocks: whole packages, in the order of their numbers. False: it cannot go
 * on. */
struct trace_taker {
    bool (*take)(void *self, const struct trace *block);
    void *self;
};

/* Events of a block at most, but for those of its last package. A trace of one block is in memory
 * as a whole. */
enum { TRACE_BLOCK_EVENTS = 7 << 14 };

struct trace {
    struct trace_event *events; /* owned */
    size_t count, capacity;
    /* Not NULL: events are handed on in blocks while they come, and are not kept. */
    const struct trace_taker *on; /* borrowed */
};

/* Outputs that what comes in a later block may hide: of each worker, the latest one. */
struct trace_outputs {
    struct trace_output {
        double end_s, shown_s; /* shown_s: not hidden yet */
        double late_s;         /* hidden by the block that was read last, of an output before it */
    } * workers;               /* owned */
    int64_t count;
};

const char *operation_name(enum operation operation);
/* The operation of that name, those of requests included. False: there is none. */
bool operation_find(const char *name, enum operation *operation);
/* False: out of memory, trace unchanged; or who reads it cannot go on. */
bool trace_add(struct trace *trace, const struct trace_event *event);
/* Hand on what is left of a trace that is handed on in blocks. */
bool trace_finish(struct trace *trace);
/* For each event: if it is an output, the seconds of it that overlap with receiving or computing on
 * the same worker; else 0. Events may be in any order. Owned; NULL: out of memory. */
double *trace_hidden(const struct trace *trace);
/* The same of one block after the other. `outputs` is empty before the first; to be released. */
double *trace_hidden_next(const struct trace *block, struct trace_outputs *outputs);
void trace_outputs_release(struct trace_outputs *outputs);
void trace_release(struct trace *trace);

#endif
