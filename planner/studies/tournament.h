/* Every scheduler on the same job: the table of `scow plan --compare`. */
#ifndef PLANNER_STUDIES_TOURNAMENT_H
#define PLANNER_STUDIES_TOURNAMENT_H

#include "planner/base/text.h"
#include "planner/simulate/robustness.h"
#include "planner/studies/planning.h"

struct tournament_entry {
    const char *scheduler; /* borrowed, static */
    bool applies;
    char reason[sizeof((struct failure *)0)->text]; /* when it does not */
    struct plan_prediction predicted;
    int64_t workers, rounds;
    struct robustness robustness; /* when it was asked for */
};

struct tournament {
    struct tournament_entry *entries; /* owned; by makespan, those that do not apply last */
    size_t count;
    bool has_robustness;
};

/* With more than 0 seeds every plan is also played with the scenario's noise. */
bool tournament_hold(const struct planning *planning, const struct scenario *scenario,
                     int64_t seeds, struct tournament *tournament, struct failure *failure);
void tournament_text(const struct tournament *tournament, struct text *text);
/* One JSON value, "scow-compare-1". */
void tournament_json(const struct tournament *tournament, struct text *text);
void tournament_release(struct tournament *tournament);

#endif
