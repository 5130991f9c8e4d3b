/* scow show --live: how far a run is that goes on elsewhere. */
#ifndef PLANNER_COMMAND_LIVE_H
#define PLANNER_COMMAND_LIVE_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/files/status.h"

struct live_options {
    const char *output; /* of the run */
    bool json, once;
};

/* On a terminal until the run has ended, elsewhere once. */
bool live_show(const struct live_options *options, struct failure *failure);
/* One screen; now_s is since 1970. */
void live_describe(const char *output, const struct run_status *status, double now_s,
                   struct text *text);

#endif
