/*
 * Finds out what remains to be done of a run that was stopped or killed, from its output.
 * Here everything is by positions in the run's order (planner/model/order.h), as packages are.
 *
 * A core task that the ledger marks as done is done, because its data were written before. Failed
 * core tasks are done again, except those of a reduction, whose states may contain a part of them,
 * and those that were given up because workers were lost on them. A worker's state is the latest
 * whole one of its two slots whose last package is in the ledger; where a package is in the state
 * and not in the ledger, the slot before counts and the package is done again. Where states and
 * ledger are not of the same core tasks, everything is done again.
 */
#ifndef SPMD_RESUME_REMAINING_H
#define SPMD_RESUME_REMAINING_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/plan.h"
#include "planner/model/task_range.h"
#include "spmd/input/digest.h"
#include "spmd/job/summary.h"
#include "spmd/layout/intact.h"
#include "spmd/output/losses.h"
#include "spmd/output/outputfile.h"

/* The job that the file must belong to; borrowed. */
struct remaining_wanted {
    const struct job *job;
    const struct plan *plan;
    const char *plan_name;
    bool any_plan;     /* however the job was planned: `plan` says only what it is */
    const char *input; /* NULL: none */
    const char *input_stamp, *input_identity;
    struct digest *digest; /* of the input, which may be under way; input NULL: none */
    /* How to wait for it, which may take long, with `waiter`; NULL: by digest_wait. */
    bool (*wait)(const void *waiter, struct digest *digest, struct failure *failure);
    const void *waiter;
    const char *plugin_sha256; /* NULL: the core task is built in */
    const char *isa;
    const char *emitted; /* as named for this run; NULL: wherever it is */
    bool retry_lost;     /* forget losses of workers on core tasks */
};

/* Core tasks that are to be done and that workers were lost on before. */
struct suspect {
    struct task_range range;
    int losses;
};

struct remaining {
    const struct job *job; /* borrowed from what was wanted */
    struct output_places places;
    bool complete;              /* the run had reached its end */
    uint64_t checksum;          /* if so */
    int32_t resumed;            /* how often the run has been resumed before */
    struct run_part last;       /* part, as it turned out; all zero: not known */
    int workers;                /* that go on with it; to be set before remaining_mend */
    int64_t done, failed, left; /* core tasks; those left are to be done now */
    struct task_range *ranges;  /* owned; those left but for suspects, ascending */
    int64_t range_count;
    struct suspect *suspects; /* owned */
    int64_t suspect_count, suspect_tasks;
    struct losses_row *lost; /* owned; as the table shall be */
    int64_t lost_count;
    int slots;               /* workers that have a place for states; 0: no reduction */
    char *state;             /* owned; what there is of a reduction; NULL: none */
    char *emitted;           /* owned; FILE of FILE.1, ...; NULL: nothing is emitted */
    char *profile;           /* owned; JSON text; NULL: none */
    bool outcome_holds;      /* of a reduction: its text is what was written */
    double minimum, maximum; /* of the grid, of a run that was complete */
    char *input_sha256; /* owned; what the input's digest must turn out to be, before anything that
                         * is done now counts; NULL: it has been compared, or cannot be */
    /* As they shall be: */
    uint8_t *ledger; /* owned; by position in the run's order, as all that remains is */
    char *partial;   /* owned; all slots; NULL: none */
    size_t partial_size;
};

/* Local, serial. Changes nothing. False with *failure set (FAILURE_MISMATCH and what differs): it
 * is not the output of a run with the same plan, input, core task and parameters. An input whose
 * digest is not known yet is taken for the same by its files' inodes, sizes and times, that of
 * status change among them; where these differ, the digest is waited for. To be released also on
 * failure. */
bool remaining_read(struct remaining *remaining, const char *path,
                    const struct remaining_wanted *wanted, struct failure *failure);
/* Local, serial, after remains_read. What is to be done, where that damage (borrowed) is to be,
 * too. A run whose result is not what was written is not complete. */
bool remaining_settle(struct remaining *remaining, const char *path,
                      const struct intact_damage *damage, struct failure *failure);
/* Local, serial. Let ledger and states say in the file what is kept, and the file that it is not
 * complete, and what the part does that begins now. */
bool remaining_mend(const struct remaining *remaining, const char *path,
                    const struct part_info *info, struct failure *failure);
void remaining_release(struct remaining *remaining);
/* Local. Had its last part no time to say how it ended? */
bool remaining_killed(const struct remaining *remaining);

/* Local. Add what is kept of the tasks [first, first + count), as it stands in the file. */
bool remaining_sum(const char *path, const struct job *job, const struct output_places *places,
                   int64_t first, int64_t count, struct summary *summary, struct failure *failure);

#endif
