/*
 * What travels between master and worker, byte for byte. Ranks of one run share an architecture:
 * the structs below are sent as they lie in memory.
 */
#ifndef SPMD_TRANSPORT_WIRE_H
#define SPMD_TRANSPORT_WIRE_H

#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/process.h"
#include "planner/dispatch/dispatch.h"

enum wire_tag {
    WIRE_PACKAGE = 1, /* master to worker: struct wire_package, then the task's bytes */
    WIRE_RESULT = 2,  /* worker to master: struct wire_result, one for every package */
    WIRE_CONTROL = 3, /* calibration's own questions and answers */
    WIRE_CANCEL =
        4, /* master to worker, empty: stop computing, what is left is only acknowledged */
    WIRE_PRESENT = 5, /* master and workers, struct wire_present: that somebody is there, or that
                       * somebody is not any more. A lost one is said again, but for the last ones:
                       * who does not hear them sees it after a while */
    WIRE_KEPT = 6,    /* worker to master, when a run is gone on with: struct wire_kept, what it has
                       * read back of what is done */
    WIRE_CLOSE = 7,   /* master to worker: struct wire_close, how to end its part */
    WIRE_CLOSED = 8,  /* worker to master: struct wire_closed, that it has */
    WIRE_VERDICT = 9, /* master to worker: struct wire_verdict, and who is lost */
    WIRE_FAREWELL = 10, /* master to worker after a loss, empty: everything is said, leave */
    WIRE_OTHERS = 12, /* master to worker: struct scow_others, an answer to one that tells counts */
    WIRE_DAMAGE = 13, /* worker to master, when a run is gone on with: struct wire_damage, and so
                       * many struct task_range: what does not hold what was written */
    WIRE_RETURN =
        14, /* worker to master, where it is the master who writes: packed results, after the report
             * that says how many bytes they are. A lost one ends its worker's part */
    WIRE_HERE = 15,  /* master to worker, struct wire_here: a run is to begin; and after it, in
                      * pieces, what the worker has to know of it (spmd/protocol/beginning.h) */
    WIRE_READY = 16, /* worker to master, the answer, struct wire_ready: it can, or why it cannot */
    WIRE_BEGIN = 17, /* master to worker, when all have answered: struct wire_begin */
    WIRE_JOIN = 18,  /* worker to master, struct wire_machine: wants to take part in a run that
                      * goes on. The answer is WIRE_HERE, with the job (spmd/protocol/letter.h) */
    WIRE_TIME = 19,  /* such a worker to the master, empty, and the answer: what its clock says */
    /* Between masters side by side (spmd/master/masters.h). */
    WIRE_MASTER = 20,      /* to the first one, struct wire_master: how far another one's star is */
    WIRE_MASTER_CAME = 21, /* to the first one, once: what another one's star came to */
    WIRE_MASTER_END = 22, /* the first one to each other one, empty, once: the run shall end, or its
                           * star has ended */
    WIRE_BANDWIDTH = 23,  /* bytes whose way is timed, and their answers (bandwidth.h) */
    WIRE_MASTER_ORDER = 24, /* the first one to another one, struct wire_order: what to do with its
                             * star's core tasks */
    WIRE_MASTER_GIVEN = 25  /* the answer to MOVE_GIVE, struct wire_order: what it gives */
};

enum wire_kind {
    WIRE_WORK,  /* work on it */
    WIRE_WARM,  /* nothing to do: opens the connection before the clock starts */
    WIRE_GIVE,  /* return what is kept of packages up to this one's number */
    WIRE_COUNT, /* take packages by the counter that all share, until it has none or there is reason
                 * to stop, and say so (struct wire_result) */
    WIRE_STOP   /* no more packages: return all that is kept, and leave the loop */
};

enum wire_word {
    WIRE_LIVES, /* so does this one */
    WIRE_LAST,  /* it looks after nobody any more */
    WIRE_LEAVE, /* somebody is missing whom all need: all leave */
    WIRE_LOST,  /* master to a worker that it takes for lost: touch nothing any more */
    WIRE_GOES,  /* a worker that has joined to the master, last: it leaves as it was asked to, */
    WIRE_ENDS,  /* or because its own time ends; all that it has done has been taken */
    WIRE_WORDS
};

struct wire_present {
    int64_t word; /* enum wire_word */
    struct process process;
};

/* Where a worker is that joins. */
struct wire_machine {
    char host[64], processor[128]; /* its model; "": not known */
};

struct wire_here {
    uint64_t size;          /* bytes that follow */
    struct process process; /* the master's */
    struct failure failure; /* why none begins; then nothing follows */
};

struct wire_begin {
    int64_t member;  /* the worker's number, from 1 on */
    double origin_s; /* from when times count, on the first master's clock, where there are several
                      * masters */
    struct failure failure; /* of the first that cannot begin: then nobody does */
};

struct wire_ready {
    struct process process; /* the worker's */
    struct failure failure; /* that it has met on the way here */
};

/* Header of a package; 64 bytes, so that what is after it is aligned. */
struct wire_package {
    int64_t kind; /* enum wire_kind */
    struct package package;
    int64_t size; /* bytes after the header */
    int64_t reserved;
};

/* Between workers of strips, and between them and the master (spmd/strips). Where a worker is lost
 * all others leave what they are at and begin anew, and what is under way then reaches nobody: its
 * tag is of the beginning before. */
enum wire_strip_part {
    WIRE_STRIP_BORDER,  /* between neighbouring strips: cells of a column */
    WIRE_STRIP_COLUMNS, /* columns of a strip: between its worker and the master, or two workers */
    WIRE_STRIP_REPORT,  /* worker to master: struct wire_strip_report */
    WIRE_STRIP_WIDTHS,  /* after an order that moves or begins: int64_t for each strip, and then the
                         * rank of each, int64_t, too */
    WIRE_STRIP_PARTS
};
/* Master to worker, also where nothing is awaited: struct wire_strip_order. */
enum { WIRE_STRIP_ORDER = 32, WIRE_STRIPS = 64, WIRE_STRIP_BEGINNINGS = 8000 };

/* MPI has tags up to 32767 at least. */
static inline int wire_strip_tag(enum wire_strip_part part, int64_t beginning)
{
    return WIRE_STRIPS + WIRE_STRIP_PARTS * (int)(beginning % WIRE_STRIP_BEGINNINGS) + (int)part;
}

/* What a worker has done since its last report, seconds. */
struct wire_strip_report {
    int64_t iterations; /* in all */
    double change;      /* the greatest of a cell in the last one */
    double compute_s, wait_s, stepped_s;
    int64_t asked; /* its process has been asked to stop */
};

enum wire_strip_order_kind {
    WIRE_STRIP_GO,    /* do what the order says, and iterate */
    WIRE_STRIP_WAIT,  /* do what it says, and wait for the next one */
    WIRE_STRIP_BEGIN, /* leave everything: widths follow, and columns of a grid if it is not the
                       * one before the first iteration */
    WIRE_STRIP_END
};

struct wire_strip_order {
    int64_t kind;            /* enum wire_strip_order_kind */
    int64_t writes, moves;   /* in this order: the strip goes to the master; columns go to other
                              * strips */
    int64_t beginning, done; /* to begin: which one, and the iterations that the grid is of */
    int64_t code, broken;    /* at the end: how the run ended, and whether workers are lost */
};

_Static_assert(sizeof(struct wire_package) == 64, "bytes after the header must stay aligned");

#endif
