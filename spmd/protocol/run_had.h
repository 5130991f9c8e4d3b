/*
 * What workers had of their processors while they computed (spmd/node/processor_time.h), summed up
 * over the packages of a run: their availability.
 */
#ifndef SPMD_PROTOCOL_RUN_HAD_H
#define SPMD_PROTOCOL_RUN_HAD_H

#include <stdbool.h>
#include <stdint.h>

/* Seconds: with a processor, ready for one that others had, and from computing's begin to its end.
 */
struct run_had {
    double worked_s, queued_s, computed_s;
};

/* All zero: nobody has told. */
struct run_had_list {
    struct run_had *items; /* owned, by worker */
    int64_t count;
};

/* Of one package of one of so many workers; nothing where `had` says nothing. False: out of memory.
 */
bool run_had_add(struct run_had_list *list, int64_t workers, int64_t worker, struct run_had had);
/* Add what the other one has, of the same workers. False: out of memory. */
bool run_had_merge(struct run_had_list *list, const struct run_had_list *other);
/* The share that somebody had, above 0, at most 1; 0: not known, as where it computed nothing, or
 * was hardly ever ready itself, for others did its work. */
double run_had_share_of(struct run_had had);
double run_had_share(const struct run_had_list *list, int64_t worker);
/* The same of all as a JSON array, null where it is not known; owned. NULL: nobody has told, or out
 * of memory. */
char *run_had_json(const struct run_had_list *list);
void run_had_release(struct run_had_list *list);

#endif
