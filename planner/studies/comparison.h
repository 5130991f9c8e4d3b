/* Every scheduler on the same job, and several masters beside one: the table of `scow plan
 * --compare`. */
#ifndef PLANNER_STUDIES_COMPARISON_H
#define PLANNER_STUDIES_COMPARISON_H

#include "planner/base/text.h"
#include "planner/simulate/ensemble.h"
#include "planner/studies/planning.h"

struct comparison_entry {
    const char *scheduler; /* borrowed, static */
    bool applies;
    bool chosen; /* what "auto" would take: within 0.1 % of the least makespan the thriftiest */
    char reason[sizeof((struct failure *)0)->text]; /* when it does not */
    struct plan_prediction predicted;
    int64_t workers, rounds;
    struct ensemble_summary robustness; /* when it was asked for */
};

/* Several masters side by side, or a tree of them. */
struct comparison_several {
    const char *kind; /* "masters" or "tree" */
    bool applies, chosen;
    int64_t count; /* of masters, or of groups */
    char scheduler[24];
    char reason[sizeof((struct failure *)0)->text]; /* when it does not apply */
    struct plan_prediction predicted;
    int64_t workers, rounds;
    struct ensemble_summary robustness; /* when it was asked for */
};

/* Which plans of several masters stand beside those of one. */
enum comparison_masters {
    COMPARISON_ONE,    /* none */
    COMPARISON_BEST,   /* as many as are best, side by side and in a tree */
    COMPARISON_PLANNED /* the one that has been planned */
};

struct comparison {
    struct comparison_entry *entries; /* owned; by makespan, those that do not apply last */
    size_t count;
    struct comparison_several several[2];
    size_t several_count;
    bool has_robustness;
    size_t regions; /* of the cost map with which plans were simulated; 0: core tasks are equal */
};

/* With more than 0 seeds every plan is also simulated with the scenario's noise. */
bool comparison_make(const struct planning *planning, const struct scenario *scenario,
                     int64_t seeds, struct comparison *comparison, struct failure *failure);
/* The same, with several masters; `planned` is read with COMPARISON_PLANNED. */
bool comparison_make_with(const struct planning *planning, const struct scenario *scenario,
                          int64_t seeds, enum comparison_masters masters,
                          const struct plan *planned, struct comparison *comparison,
                          struct failure *failure);
void comparison_text(const struct comparison *comparison, struct text *text);
/* One JSON value, "scow-compare-1". */
void comparison_json(const struct comparison *comparison, struct text *text);
void comparison_release(struct comparison *comparison);

#endif
