/* Jobs that sleep what a profile says (spmd/protocol/emulation.h), by any operating model, and what
 * the simulation of their plan expects. */
#ifndef TESTS_FAULTS_MODELS_H
#define TESTS_FAULTS_MODELS_H

#include "planner/dispatch/dispatch.h"
#include "spmd/protocol/emulation.h"

/* Draw a model, and costs of packages of `largest` core tasks about that long; of results that are
 * returned, or of output. */
void models_draw(int64_t largest, double package_s, bool returns);
/* The same of a single port, and of workers that only compute, on processors that others load by
 * the patterns of planner/model/load_pattern.h for so many seconds. */
void models_draw_loaded(int64_t largest, double package_s, double seconds);
bool models_loaded(void);
/* What computing so many core tasks takes the rank that runs, from now on: alone, and as it is. */
struct models_computing {
    double alone_s, lasts_s;
} models_computing(int64_t tasks);
/* The model is a single port, and costs are those of that profile (JSON). */
void models_give(const char *profile);
const struct profile *models_profile(void);
const char *models_name(void);
/* NULL with *failure set. */
struct emulation *models_emulation(struct failure *failure);

struct models_run {
    const struct plan *plan;
    const struct dispatch_setup *rule; /* decides in its place, where processors are loaded */
    int workers, buffers;
    enum results results;
    bool write_behind;
};

/* The makespan that the simulation expects, seconds. */
double models_expect(const struct models_run *run);
void models_release(void);

#endif
