/* `scow plan --strips`: Jacobi's iteration on a grid, in strips of columns. */
#ifndef PLANNER_COMMAND_PLAN_STRIPS_H
#define PLANNER_COMMAND_PLAN_STRIPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/options.h"
#include "planner/forecast/bank.h"

/* As given; 0: not given, NaN: no tolerance. */
struct strips_options {
    bool strips, keep;
    int64_t rows, columns, iterations, every;
    double tolerance;
};

enum { STRIPS_ROWS_OF_OPTIONS = 7 };

/* Fills in the options' rows; returns how many. */
size_t strips_rows(struct strips_options *options, struct option_row *rows);
/* Is one of those given that need --strips? FAILURE_USAGE then. */
bool strips_options_alone(const struct strips_options *options, struct failure *failure);

/* All borrowed. */
struct strips_asked {
    const struct strips_options *options;
    /* NULL: not given, but for the profile */
    const char *profile, *set, *like, *load, *output, *html;
    enum forecast_by load_by;
    int64_t workers; /* 0: all */
    bool json, quiet;
};

/* Plan, write and print. */
bool strips_answer(const struct strips_asked *asked, struct failure *failure);

#endif
