/* A job of motif in this process, without files or ranks: sequences in memory, packages of any size
 * in any order, and compute called by several threads at once, as hosts may. For tests and
 * benchmarks; what goes wrong where nothing should ends the process. */
#ifndef TESTS_KERNEL_MOTIF_TRIAL_H
#define TESTS_KERNEL_MOTIF_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/motif/motif.h"
#include "kernel/motif/shape.h"
#include "tests/kernel/memory_host.h"

struct motif_sequences {
    int count;
    const char *letters[SEQUENCES_MOST + 1];
    const char *names[SEQUENCES_MOST + 1]; /* or NULL */
};

/* As parameters have them; 0 is the default, but for the length. */
struct motif_wanted {
    int sequences, length, positions;
    enum motif_search_word search;
    int64_t grain;
    enum motif_ship_word ship;
};

/* Not to be moved. */
struct motif_trial {
    struct memory_host memory; /* of describe, open and pack; pulses_until_stop holds for compute */
    struct scow_item items[SEQUENCES_MOST + 1];
    struct scow_value values[MOTIF_PARAMETERS];
    struct scow_setup setup;
    void *job;
};

/* Described and opened; false with memory.failure set. To be closed in either case. */
bool motif_trial_open(struct motif_trial *trial, const struct motif_sequences *sequences,
                      const struct motif_wanted *wanted);
void motif_trial_close(struct motif_trial *trial);

/* The outcome of all core tasks, in packages of `package`, each cut for so many threads; a seed
 * other than 0 takes the packages in another order. SCOW_STOPPED leaves an outcome of what came
 * before. The outcome is to be freed. */
int motif_trial_run(struct motif_trial *trial, int64_t package, int threads, uint64_t seed,
                    char **json);

/* Score and positions of an outcome. */
int motif_score(const char *json);
void motif_positions(const char *json, int count, int *positions);

#endif
