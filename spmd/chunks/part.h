/*
 * The results of one chunk in a file: what a worker would tell the master of the package, and what
 * it would return (spmd/protocol/message.h), after a head. It is there as a whole or not at all.
 */
#ifndef SPMD_CHUNKS_PART_H
#define SPMD_CHUNKS_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/dispatch/dispatch.h"
#include "spmd/job/job.h"
#include "spmd/protocol/message.h"

/* By the system's clock, and lengths of time. */
struct part_times {
    double submitted_s, begun_s, ended_s;
    double cpu_s;      /* processor time of computing */
    double transfer_s; /* reading the input and writing results */
};

struct part_head {
    char kind[16], version[112]; /* letter_version */
    char host[64];
    char method[JOB_METHOD_SIZE]; /* job_method */
    struct part_times times;
    struct package package;
    uint64_t report_size, packed_size;
    uint64_t reserved;
};

struct part {
    struct part_head head;
    const struct wire_result *report; /* both borrowed from the bytes */
    char *packed;
    void *bytes; /* owned by part_read's caller through part_release; aligned */
};

/* Fills in kind, version and host. */
void part_head_init(struct part_head *head);
/* `size` bytes, aligned to 64, of which the part borrows. False: they are none of this build. */
bool part_open(struct part *part, void *bytes, size_t size, size_t state_size);
/* Written beside it, then renamed; the head's times get what that takes. False with *failure set.
 */
bool part_write(const char *path, struct part_head *head, const struct wire_result *report,
                const void *packed, struct failure *failure);
/* To be released. False with *failure set; *there: there is such a file. */
bool part_read(struct part *part, const char *path, size_t state_size, bool *there,
               struct failure *failure);
/* The head alone. False: there is none. */
bool part_head_read(struct part_head *head, const char *path);
void part_release(struct part *part);

#endif
