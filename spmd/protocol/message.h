/*
 * What master and worker tell each other beside packages, byte for byte: of every package, and at
 * the end. Ranks of one run share an architecture: the structs below are sent as they lie in
 * memory.
 */
#ifndef SPMD_PROTOCOL_MESSAGE_H
#define SPMD_PROTOCOL_MESSAGE_H

#include "planner/base/failure.h"
#include "planner/base/process.h"
#include "planner/dispatch/dispatch.h"
#include "spmd/job/counts.h"
#include "spmd/job/summary.h"

/* When a worker did what with one package; seconds on the master's clock. */
struct wire_times {
    double free_s; /* the worker had nothing left to do */
    double
        prepared_s;   /* what it had begun for its job was ready; 0: at once, or it does not know */
    double transit_s; /* at the earliest when the package began to arrive */
    double arrived_s; /* the package was complete */
    double start_s;   /* work on it began */
    double receive_s; /* length of time inside MPI while working on it */
    double computed_s;
    double handed_s; /* the results went to the store; it may have had to wait for those before */
    double written_s;
    double stalled_s; /* of the output: waiting for the store, not for a processor; 0: not asked */
    /* Seconds of the worker's threads while they computed: with a processor, and ready for one that
     * others had; both 0: not known. */
    double worked_s, queued_s;
};

/* After it travels the state of a reduction over the package's tasks, and after that, only where
 * something went wrong, what: most results are short. */
struct wire_result {
    uint64_t digest; /* XXH3-64 of all that follows */
    struct package package;
    struct wire_times times;
    struct summary summary;
    int32_t asked;    /* the worker has been asked to stop */
    int32_t skipped;  /* so it has not begun this package */
    int32_t own;      /* the failure is this rank's own trouble: others may do better */
    int32_t troubled; /* struct wire_trouble follows */
    int32_t interim;  /* nothing but counts, while a package is under way: it is to be answered by
                       * WIRE_OTHERS. Nothing follows */
    int32_t counted;  /* nothing but that this worker takes no more packages by the counter; what it
                       * took is reported before, or is not done. Nothing follows */
    struct counts counts;     /* what is new of core tasks */
    int64_t returned;         /* bytes of packed results that follow as WIRE_RETURN; 0: none do */
    uint64_t returned_digest; /* XXH3-64 of them */
};

struct wire_trouble {
    struct rejection rejection; /* when summary.failed > 0 */
    struct failure failure;     /* code FAILURE_NONE: done */
};

/* Bytes of a result with all that follows it. */
size_t wire_result_size(size_t state_size, bool troubled);
/* Say what went wrong, in room for that. */
void wire_result_trouble(struct wire_result *result, size_t state_size,
                         const struct wire_trouble *trouble);
/* What went wrong: nothing, where nothing is said. Borrowed. */
const struct wire_trouble *wire_result_told(const struct wire_result *result, size_t state_size);
/* So many bytes of packed results will follow. */
void wire_result_return(struct wire_result *result, const void *packed, size_t size);
/* Are these bytes what its worker has said will follow? */
bool wire_return_check(const struct wire_result *result, const void *packed, size_t size);
/* When all of it is there. */
void wire_result_seal(struct wire_result *result, size_t state_size);
/* Is it what its worker sealed, `size` bytes of it, about that package, with numbers that can
 * be? */
bool wire_result_check(const struct wire_result *result, size_t state_size, size_t size,
                       const struct package *package);

/* The same of one that is interim. */
void wire_interim_seal(struct wire_result *interim);
bool wire_interim_check(const struct wire_result *interim, size_t size);

/* The same of one that says that its worker has counted. */
void wire_counted_seal(struct wire_result *counted);
bool wire_counted_check(const struct wire_result *counted, size_t size);

/* What a worker has found in the output of a run that is gone on with. */
struct wire_damage {
    struct failure failure; /* then nothing follows */
    int64_t count; /* struct task_range follow, in a message of their own, unless it is 0 */
};

struct wire_kept {
    struct failure failure;
    struct summary summary; /* of its share */
};

/* How a worker's part of a run is to end. */
enum wire_ending {
    WIRE_ENDING_WHOLE,  /* everything is done: normalise a share */
    WIRE_ENDING_KEPT,   /* stopped as asked: what is there shall outlive the node */
    WIRE_ENDING_FAILED, /* as it is */
    WIRE_ENDING_VOID    /* nothing counts: the master clears the ledger */
};

struct wire_close {
    int64_t ending;         /* enum wire_ending */
    int64_t first, count;   /* core tasks to normalise; count -1: those that the worker did */
    struct summary summary; /* of the whole */
};

struct wire_closed {
    struct failure failure; /* of what it has written or read in the run */
    struct failure share;   /* of normalising: somebody else can do that */
    int32_t changed;        /* the failure is that the input has changed */
    int32_t reserved;
    double processor_s; /* that it used: struct run_usage */
    double energy_j;    /* of its node, from the first rank there; NaN: not known */
};

struct wire_verdict {
    struct failure failure; /* of the run */
    int64_t lost;           /* so many struct wire_lost follow, in a message of their own */
};

struct wire_lost {
    struct process process;
    int64_t peer; /* of the master */
};

#endif
