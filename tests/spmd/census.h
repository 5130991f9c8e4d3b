/*
 * A core task that leaves behind everything that one can, each part a plain function of the place
 * that it belongs to: tests know what must be there without computing it the same way. What is said
 * here about results is what tests check them against.
 */
#ifndef TESTS_SPMD_CENSUS_H
#define TESTS_SPMD_CENSUS_H

#include "spmd/job/engine.h"
#include "spmd/job/job.h"
#include "tests/checks.h"

/* What there is; the parameter "parts". */
enum census_part {
    CENSUS_GRID = 1,
    CENSUS_PICTURE = 2, /* of the grid */
    CENSUS_RECORDS = 4,
    CENSUS_REDUCTION = 8,
    CENSUS_EMITS = 16,
    CENSUS_REJECTS = 32,
    CENSUS_ALL = 63
};

/* The grid and its tiles, one a task in row-major order; without a grid, so many tasks. */
struct census {
    int parts, type; /* enum scow_type, of the grid */
    int64_t extent[3], tile[3];
};

struct census_record {
    int64_t number;   /* task */
    float squares[3]; /* of number, number + 1, number + 2 */
    char name[12];    /* "task NUMBER" */
    int32_t rank;     /* measured */
};

struct census_state {
    int64_t tasks, least, greatest;
    uint64_t squares; /* sum of number * number */
};

/* The same task; the host's threads, or its own. */
extern const struct scow_task census_host, census_own;
/* The same on lines of a text: task k has line k in its package, and as the name in its record. */
extern const struct scow_task census_lines;
/* With the host's threads and SCOW_SLEEP. */
extern const struct scow_task census_sleeps;

/* Task `number` emits number % 3 pieces: "NUMBER, piece 0\n", ... */
enum { CENSUS_PIECE_MOST = 64 };
int census_pieces(int64_t number);
size_t census_piece(int64_t number, int piece, char text[CENSUS_PIECE_MOST]);
bool census_rejected(int64_t number);
void census_rejection(int64_t number, char *why, size_t size);
/* The grid's value there. */
double census_value(int type, int64_t z, int64_t y, int64_t x);

/* Workspaces that were started and not stopped. */
int census_started(void);
/* Every start from number `nth` on (from 1) fails; 0: none does. */
void census_start_refuse(int nth);

int64_t census_tasks(const struct census *census);
void census_values(struct values *values, const struct scow_task *task,
                   const struct census *census);
/* A job of it, to be closed. Fails the running test when it cannot be made. */
void census_open(struct job *job, const struct scow_task *task, const struct census *census);
/* The package of these tasks; owned, aligned to 64. */
void *census_package(const struct job *job, int64_t first, int64_t count, size_t *size);

/* Is everything in the results of tasks as it is said above? */
void assert_census(const struct job *job, const struct package_results *results);

#endif
