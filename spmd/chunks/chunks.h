/*
 * A job in chunks that are known beforehand, each a job of its own whose results are a file: J.
 * Herrera, E. Huedo, R. S. Montero, I. M. Llorente, Loosely-coupled loop scheduling in
 * computational grids (2006). Their folder OUTPUT.parts has the plan (plan.json), the job (job),
 * and the results of chunk K (chunk-K, part.h).
 */
#ifndef SPMD_CHUNKS_CHUNKS_H
#define SPMD_CHUNKS_CHUNKS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/dispatch/dispatch.h"

/* What the file "job" says, a line each. */
struct chunks_job {
    char rule[128];       /* with its options */
    int64_t workers;      /* that it assigns to */
    char input[PATH_MAX]; /* "": none */
};

/* Text to struct and back. */
bool chunks_job_parse(struct chunks_job *job, const char *text, const char *name,
                      struct failure *failure);
void chunks_job_print(const struct chunks_job *job, char *text, size_t size);

struct chunks {
    struct package *items; /* owned; index, first and count of each, from 0 on */
    int64_t count;
};

/* Can the rule's chunks be known beforehand? Those of fsc (css), gss, tss and fiss are. */
bool chunks_rule_check(const char *rule, struct failure *failure);
/* As the rule assigns so many core tasks on request, whoever requests. False with *failure set. */
bool chunks_make(struct chunks *chunks, const struct chunks_job *job, int64_t tasks,
                 struct failure *failure);
/* The chunk of exactly these core tasks; -1: there is none. */
int64_t chunks_find(const struct chunks *chunks, int64_t first, int64_t count);
void chunks_release(struct chunks *chunks);

/* "FOLDER/NAME" or, with a number >= 0, "FOLDER/NAME-NUMBER"; owned, NULL: out of memory. */
char *chunks_path(const char *folder, const char *name, int64_t number);
/* Is that such a folder? Else *failure says what it is. */
bool chunks_folder_check(const char *folder, struct failure *failure);
/* The folder's job and how it is assigned. False with *failure set: it is none. */
bool chunks_job_read(struct chunks_job *job, const char *folder, struct failure *failure);

#endif
