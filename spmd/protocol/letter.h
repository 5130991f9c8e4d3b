/*
 * What a worker that joins a run is told of its job: a few texts and blocks of bytes in one
 * message. Both sides are of one version and one architecture; the first part says which.
 */
#ifndef SPMD_PROTOCOL_LETTER_H
#define SPMD_PROTOCOL_LETTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "spmd/job/job.h"

enum letter_part {
    LETTER_VERSION, /* letter_version */
    LETTER_PLAN,    /* its text */
    LETTER_PROFILE, /* likewise; empty: none */
    LETTER_PLAN_NAME,
    LETTER_INPUT,  /* its name; empty: none */
    LETTER_OUTPUT, /* its name, for sentences */
    LETTER_ISA,    /* the instruction set that all compute with */
    LETTER_METHOD, /* how the job is computed, as job_method says */
    LETTER_VALUES, /* the numbers of the values, as the master settled them */
    LETTER_JOB,    /* struct letter_job */
    LETTER_SHARED, /* what the master's core task shares */
    /* Of an input that workers read by themselves, as input_identity and input_sha256 give them;
     * empty: they get it from the master. */
    LETTER_IDENTITY,
    LETTER_DIGEST,
    LETTER_PARTS
};

struct letter_job {
    int64_t tasks;           /* of the job */
    struct scow_input input; /* its name is not used */
    int64_t largest_package;
    int64_t buffers;
    double patience_s;
};

/* Borrowed. */
struct letter {
    const char *parts[LETTER_PARTS];
    size_t sizes[LETTER_PARTS];
};

/* Of this build. */
const char *letter_version(void);
/* Owned; NULL: out of memory. */
char *letter_write(const struct letter *letter, size_t *size);
/* Points into `bytes`; a text has a zero after it. False: it is no letter of this version. */
bool letter_read(struct letter *letter, const char *bytes, size_t size);

/* The numbers of settled values, owned; NULL: out of memory. Back: false where they are others, or
 * of no word. */
double *letter_numbers(const struct values *values, size_t *size);
bool letter_settle(struct values *values, const struct scow_task *task,
                   const struct letter *letter);

#endif
