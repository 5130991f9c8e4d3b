/* The options of scow plan. */
#ifndef PLANNER_COMMAND_PLAN_OPTIONS_H
#define PLANNER_COMMAND_PLAN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "planner/base/options.h"
#include "planner/command/plan_strips.h"
#include "planner/command/weights_options.h"
#include "planner/forecast/bank.h"

/* As given, borrowed from the command line; texts that are not given are NULL. */
struct plan_options {
    const char *profile, *input, *scheduler, *output, *html, *set, *kernel, *tail, *like, *resume;
    const char *within, *svg, *model, *objective, *require, *exclude, *at_most, *price, *waits,
        *load, *load_by, *masters, *tree, *levels;
    struct weights_options weights;
    struct strips_options strips;
    int64_t tasks, workers, block, seeds, buffers, gpus;
    double deadline_s, budget, noise, risk_percent, effort_s, period_s, production;
    bool real_valued, master_computes, compare, sweep, gantt, json, sbatch, pbs, quiet, verbose,
        pairs, pareto, why;
};

/* `list` ends the help. */
enum options_outcome plan_options_read(struct plan_options *options, int argc, char **argv,
                                       void (*list)(FILE *out), struct failure *failure);
/* Do they go together, for a plan? FAILURE_USAGE and which do not. */
bool plan_options_check(const struct plan_options *options, struct failure *failure);
/* --masters: a number, or MASTERS_AUTO; 0: not given, or not valid, which plan_options_check
 * refuses.
 */
int64_t plan_options_masters(const struct plan_options *options);
/* The same of --tree, or TREE_AUTO. */
int64_t plan_options_tree(const struct plan_options *options);
/* The file of groups that it names; NULL: none. */
const char *plan_options_groups(const struct plan_options *options);
/* Is it the least makespan of a whole job that is planned for, by masters that nobody has counted?
 */
bool plan_options_open(const struct plan_options *options);
/* Then, where nobody has named a scheduler or asked for what is of one master: may the plan have
 * several? */
bool plan_options_several(const struct plan_options *options);
/* Pairs and periods are of every job: what one job or its plan alone has does not go with them. */
bool plan_options_check_periods(const struct plan_options *options, struct failure *failure);
/* By which error loads are forecast. FAILURE_USAGE: no word for one, or there are no loads. */
bool plan_options_load_by(const struct plan_options *options, enum forecast_by *by,
                          struct failure *failure);
/* Strips are of a grid: what jobs of independent core tasks have does not go with them. */
bool plan_options_check_strips(const struct plan_options *options, struct failure *failure);

#endif
