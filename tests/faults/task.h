/* A core task whose results say all that a check needs: its number and a hash of it. */
#ifndef TESTS_FAULTS_TASK_H
#define TESTS_FAULTS_TASK_H

#include "spmd/job/job.h"

/* What it does in the trial at hand. */
struct habits {
    int64_t tasks;   /* of the job, where it is made as a run makes it */
    double mean_s;   /* of one task */
    size_t bytes;    /* of its package, at least 8 */
    int64_t failing; /* every task whose number is a multiple fails; 0: none does */
    int64_t deadly;  /* that one kills its rank; negative: none does */
    bool noisy;      /* durations differ widely */
    int depth;       /* levels of a search; 0: it is none */
    int level;       /* that the output is of, from 1; 0: it is no search */
};

struct record {
    int64_t number;
    uint64_t hash;
};

struct census_sum {
    int64_t tasks;
    uint64_t numbers, hashes;
};

extern struct habits habits;

/* Jobs of so many tasks: records alone, or a reduction beside. Made once; borrowed. */
struct job *task_job(int64_t tasks, bool reduces, bool behind);
/* The same, of core tasks for which the executor sleeps what a profile says. */
struct job *task_job_sleeping(int64_t tasks, bool reduces);
/* Of a search in levels, whose core tasks emit what the next level follows from. */
struct job *task_job_search(int64_t tasks, bool behind);
/* What that core task of a level leaves. */
uint64_t task_hash(int level, int64_t number);
/* How many core tasks follow from so many of that level; 0: it is the last one. */
int64_t task_next(int level, int64_t tasks);
bool task_fails(int64_t number);
void task_record(int64_t number, struct record *record);
/* As its outcome is printed. */
void task_sum_add(struct census_sum *sum, int64_t number);
void task_sum_merge(struct census_sum *sum, const struct census_sum *more);
int task_sum_print(const struct census_sum *sum, char *text, size_t size);

#endif
