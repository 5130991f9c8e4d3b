/*
 * The output file before and after the run: made and sealed by the master alone, so that every
 * failure is one rank's to report. (HDF5's collective creation leaves the other ranks waiting for
 * ever when one rank's disk refuses.)
 *
 * Laid out so that killed processes do not spoil it: everything has its place in the file, and all
 * metadata is on disk, before the first package; sealing changes values only.
 */
#ifndef SPMD_OUTPUT_OUTPUTFILE_H
#define SPMD_OUTPUT_OUTPUTFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/conditions.h"
#include "planner/model/part.h"
#include "planner/model/usage.h"
#include "spmd/job/job.h"
#include "spmd/job/summary.h"
#include "spmd/layout/places.h"

/* What is known before the run; strings borrowed. */
struct output_info {
    const char *plan;                   /* JSON text */
    const char *profile;                /* JSON text; NULL: none */
    const char *input;                  /* NULL: none, and nothing of it */
    const char *input_sha256;           /* "": not known yet */
    const char *input_stamp;            /* input_stamp's; NULL: not said */
    const char *input_identity;         /* input_identity's; NULL: not said */
    const char *plugin, *plugin_sha256; /* NULL: the core task is built in */
    const char *emitted;                /* FILE of FILE.1, FILE.2, ...: where emitted bytes go */
    struct conditions conditions;       /* with its isa */
    const char *command_line;           /* NULL: not known */
    const char *level_before;           /* level_file_put's; NULL: there is none */
    const char *rule;                   /* that assigns packages; NULL: the plan does */
    const char *tail;                   /* that assigns the plan's end; NULL: none */
    bool surveyed;                      /* measured while it works, and planned then */
    const char *replan;                 /* tolerance of a watched plan; NULL: it is not watched */
    int ahead;                          /* with a rule or a tail */
    bool counted;                       /* workers take the rule's packages by a counter */
    struct run_request requested;       /* of the batch system */
    int64_t events;                     /* rows of /run/trace, as far as is known */
    int workers;                        /* that states have room for */
    int members;                        /* workers that may take part at most */
    struct run_part part;               /* the run's first, as it begins: when, and its workers */
};

/* What a part does that goes on with a run; strings borrowed. */
struct part_info {
    const char *plan;             /* JSON text, of what was left */
    const char *profile;          /* JSON text; NULL: the file's */
    struct conditions conditions; /* without its isa and method, which are the run's */
    const char *command_line, *rule, *tail, *replan; /* as in struct output_info */
    bool surveyed, counted;
    int ahead;
    struct run_request requested;
    int64_t events; /* rows of its trace, as far as is known */
    double began_s; /* as in struct run_part */
    int workers;    /* that are to take part; fewer may be able to */
};

/* What is known after it. */
struct output_outcome {
    bool trace_cut; /* the file with its trace, beside the output, lacks the end */
    const struct summary *summary;
    const char *input_sha256;     /* NULL: as it was made */
    const char *outcome;          /* of a reduction, JSON; NULL: none */
    const char *plan, *profile;   /* JSON texts, in place of those that it was made with; NULL: they
                                   * stay */
    const char *tail, *replan;    /* the same, of a run that was planned while it worked */
    const char *told, *replanned; /* of a watched plan: lines, JSON; NULL: it was not */
    const char *moved;  /* core tasks that went from one of several masters to another, JSON; NULL:
                         * none did */
    const char *copied; /* packages that were handed out once more, JSON; NULL: none was */
    const char *lost_told, *lost; /* of workers that were lost: lines, JSON; NULL: none was */
    const char *joined;           /* of workers that joined: JSON; NULL: none did */
    const char *had;              /* JSON: what workers had of their processors; NULL: not known */
    const char *ended;            /* what ended it before all was done; NULL: nothing did */
    double finish_s;              /* from the last package to here */
    double startup_s;             /* from the start of the process to the first package */
    const struct run_usage *used; /* NULL: not said */
    const struct run_part *part;  /* that reached the end: makespan, tasks and packages; NULL: not
                                   * said */
};

/* Local, serial. Create `path`, which must not exist, whole and closed; nothing is left behind on
 * failure. */
bool outputfile_create(const char *path, const struct job *job, const struct output_info *info,
                       struct output_places *places, struct failure *failure);
/* Local, serial. Of a temporary file that the process of that number was creating, or had just
 * created, when it was lost: nothing is left. */
void outputfile_discard(const char *path, int64_t process);
/* Local, serial; nobody else may have the file open. Trace, summary and checksum: the run is
 * complete. */
bool outputfile_seal(const char *path, const struct output_outcome *outcome,
                     struct failure *failure);
/* Local, serial; nobody else may have the file open. The run did stop when it was asked to: the
 * file says so, and what it holds is on the disk. Of the outcome, what is of this part alone, and
 * the input's digest, "" where it is not known. */
bool outputfile_stop(const char *path, const struct output_outcome *outcome,
                     struct failure *failure);
/* Local, serial; nobody else may have the file open. The run failed, as `why` says; its part keeps
 * nothing else. Where that cannot be written, it is as if it had been killed. */
void outputfile_halt(const char *path, const char *why);
/* Local, serial; nobody else may have the file open. Its input's sizes and times have misled: who
 * goes on with it next compares bytes first. */
void outputfile_distrust(const char *path);
/* Local, serial; nobody else may have the file open. A run goes on with it, for the `times`th time,
 * after the part `last`, as it turned out; `next` is as it begins, and does what `info` says. What
 * a run may have otherwise than the one before is as this job has it. */
bool outputfile_reopen(const char *path, const struct job *job, int32_t times,
                       const struct run_part *last, const struct run_part *next,
                       const struct part_info *info);

#endif
