/*
 * Records in the output what workers are working on, and what they were working on when they were
 * lost, so that a resumed run knows a core task that kills every worker that begins it, even if the
 * launcher ends all ranks with the first. Every worker has a row, which it fills in before it
 * begins a package; losses are rows of a table. Their places are fixed when the file is made, and
 * they are written without HDF5 during the run. Files of older versions have neither: then nothing
 * is recorded.
 */
#ifndef SPMD_OUTPUT_LOSSES_H
#define SPMD_OUTPUT_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spmd/output/outputfile.h"

/* Core tasks here are positions in the order of the run (planner/model/order.h). What a rank works
 * on, a master that computes included. The master's row also says whether the run
 * was asked to stop. */
struct losses_in_flight {
    int64_t first, count; /* core tasks; 0: none */
    int32_t signal; /* a signal that indicates an error of the process; 0: none was recorded */
    int32_t asked;
    int64_t reserved;
};

/* That a worker was lost, or all were together, while these core tasks were worked on. */
struct losses_row {
    int64_t first, count;
    int32_t losses;   /* on them, this one among them */
    int32_t signal;   /* 0: none was noted */
    int32_t given_up; /* one core task, which counts as failed */
    int32_t reserved;
};

/* Rows that the table has room for. */
enum { LOSSES_MOST = 1024 };

/* The records of one rank. Functions that take NULL for it then record nothing. */
struct losses {
    int file; /* owned; negative: nothing is kept */
    int rank;
    struct output_places places;
    int64_t count;  /* rows of the table; the master's */
    int64_t stride; /* of several masters, each has one row of so many; 0: there is one master */
};

/* Local. Open the output; `places` as created or found; the first `count` rows of the table are in
 * use. Never fails: without the file nothing is recorded. */
void losses_open(struct losses *losses, const char *path, const struct output_places *places,
                 int rank, int64_t count);
void losses_close(struct losses *losses);

/* Local, to a worker, or a master that computes. It works on these core tasks from here on; of 0:
 * on none. */
void losses_begin(struct losses *losses, int64_t first, int64_t count);
/* Local, to the master, for a worker that has no access to the file: the same. */
void losses_begin_of(struct losses *losses, int rank, int64_t first, int64_t count);
/* Local, to the master. The run has been asked to stop: who is killed now was not killed by what it
 * was working on. */
void losses_asked(struct losses *losses);
/* Local, to the master. What that rank was working on, which then is forgotten; false: nothing is
 * known. */
bool losses_of(struct losses *losses, int rank, struct losses_in_flight *row);
/* Local, to the master. One more row of the table, where there is room. */
void losses_add(struct losses *losses, const struct losses_row *row);
/* Local, to the master. That row's core task, `task`, counts as failed. False: it could not be
 * written. */
bool losses_give_up(const struct losses *losses, const struct losses_row *row, int64_t task);
/* "segmentation fault"; without a signal, what may have been. Static. */
const char *losses_cause(int32_t signal);
/* Why the core task of a row was given up, in words for people. */
void losses_tell(const struct losses_row *row, char *why, size_t size);
/* Local. The same of core task `task` into the output, open as `file`, where that keeps reasons,
 * and the digest of such a core task. False: it could not be written. */
bool losses_given_up_write(int file, const struct output_places *places,
                           const struct losses_row *row, int64_t task);

/* Where that rank's note of a signal lies in `file`, bytes from its start. Negative: nowhere. */
int64_t losses_signal_place(const struct losses *losses, int rank);

/* ---- for who goes on with a run ------------------------------------------------------------- */

/* What is known of the losses of a run that was killed; all of it may be changed. */
struct losses_known {
    struct losses_row *rows; /* the table; room for in_flight_count more */
    int64_t count;
    const struct losses_in_flight *in_flight; /* one of each rank, the master's first */
    int64_t in_flight_count;
    uint8_t *ledger; /* by position */
    int64_t tasks;
};

/* Local. Add what was in flight when everybody was lost together: where a signal was noted, that
 * rank's alone; otherwise all of it. A single core task on which too many were lost is given up (2
 * in the ledger), if it is the only one of them that this can be said of. Rows that say what cannot
 * be are left out. */
void losses_resolve(struct losses_known *known);
/* Local. Nothing is known any more, and what was given up is to be done. */
void losses_forget(struct losses_known *known);

#endif
