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

struct trace {
    struct trace_event *events; /* owned */
    size_t count, capacity;
};

const char *operation_name(enum operation operation);
/* The operation of that name, those of requests included. False: there is none. */
bool operation_find(const char *name, enum operation *operation);
/* False: out of memory, trace unchanged. */
bool trace_add(struct trace *trace, const struct trace_event *event);
/* Packages that workers have computed. */
int64_t trace_packages(const struct trace *trace);
/* For each event: if it is an output, the seconds of it that overlap with receiving or computing on
 * the same worker; else 0. Events may be in any order. Owned; NULL: out of memory. */
double *trace_hidden(const struct trace *trace);
void trace_release(struct trace *trace);

#endif
