/* A small host of one process, which runs the core task `command` over lines that a test gives, and
 * keeps everything that comes back. */
#ifndef TESTS_KERNEL_COMMAND_TRIAL_H
#define TESTS_KERNEL_COMMAND_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/command/command.h"

enum { TRIAL_VALUES = 32, TRIAL_TEXT = 512 };

/* Of one task. */
struct trial_task {
    char *emitted; /* owned */
    size_t emitted_size;
    char why[TRIAL_TEXT]; /* it was rejected; else empty */
    int rejects;
};

struct trial {
    struct scow_host host; /* first: a host's functions find the trial by it */
    struct trial *self;
    struct scow_value values[TRIAL_VALUES];
    struct scow_item *items; /* lines; owned, their bytes borrowed or owned by `text` */
    char *text;
    int64_t tasks; /* before it is described: lines */
    /* Set before it runs: */
    int64_t package, batch; /* lines of a package, and of the batches that it is cut into; 0: all */
    int threads;
    size_t stop_at;   /* bytes emitted; stopped then; 0: never */
    size_t emit_most; /* of a task, kept; everything is counted */
    /* Set by running: */
    void *shared, *job;
    size_t shared_size;
    char failed[TRIAL_TEXT];  /* the first sentence of host->fail or refuse */
    char refused[TRIAL_TEXT]; /* the parameter of the latter */
    struct trial_task *results;
    char *records;
    struct scow_results shape;
    int64_t pulses, rejects;
    size_t emitted_size;
    double started_s; /* as a long-lived command's start was told; 0: it was not */
};

/* With these lines, separated by newlines; or `count` lines that are the numbers from 1. */
void trial_init(struct trial *trial, const char *lines);
void trial_init_numbers(struct trial *trial, int64_t count);
void trial_release(struct trial *trial);

void trial_set(struct trial *trial, const char *name, const char *text);
void trial_set_number(struct trial *trial, const char *name, double number);

/* Describe, open, and with all packages pack and compute; enum scow_status of what went wrong
 * first. */
int trial_describe(struct trial *trial);
int trial_run(struct trial *trial);

/* For tests: a trial of these, with a short grace; what became of a task. */
void trial_make(struct trial *trial, const char *command, const char *per, const char *lines);
void assert_done(const struct trial *trial, int64_t task, const char *out);
void assert_rejected(const struct trial *trial, int64_t task, const char *why, int exit);

/* A record's number, or text. */
double trial_number(const struct trial *trial, int64_t task, const char *field);
const char *trial_text(const struct trial *trial, int64_t task, const char *field);
/* What task emitted to a stream in that attempt (0: the last one), joined; to be freed. */
char *trial_stream(const struct trial *trial, int64_t task, int stream, int attempt);

#endif
