/*
 * The bandwidth that a run's packages found: what the profile was measured with, times what their
 * links would take by the profile then over what they took. So packages of any size speak of the
 * bandwidth that `scow sense` does, whose messages have one of their own. Those of more than 64 KiB
 * count, by what the profile says of messages: of smaller ones latency is most.
 */
#ifndef PLANNER_REPORT_NETWORK_H
#define PLANNER_REPORT_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/json_text.h"
#include "planner/model/platform.h"
#include "planner/report/report.h"

struct replay_package;

/* Of each of a run's workers; empty where nothing is known. */
struct network {
    struct network_worker {
        double found_bytes_s, planned_bytes_s; /* 0: not known */
    } * workers;                               /* owned */
    int64_t count;
};

/* While a run's packages are read. */
struct network_finding {
    const struct run_record *record;       /* borrowed */
    const struct profile_setting *setting; /* borrowed; NULL: nothing can be found */
    struct platform platform;              /* of the profile as the plan sees it */
    struct network_times {
        double expected_s, taken_s;
    } * times; /* owned; by worker */
    int64_t workers;
};

/* To be released. False: out of memory. */
bool network_finding_init(struct network_finding *finding, const struct run_record *record,
                          int64_t workers, struct failure *failure);
/* `self` is the finding: the next package (replay.h). */
void network_finding_take(void *self, const struct replay_package *package);
/* To be released, too. False: out of memory. */
bool network_finding_end(const struct network_finding *finding, struct network *network,
                         struct failure *failure);
void network_finding_release(struct network_finding *finding);
void network_release(struct network *network);

/* A line of the mean and the least, and what was planned with; nothing where nothing is known. */
void network_text(const struct network *network, struct text *text);
/* "bandwidth" and "bandwidth_planned" of one worker, null where they are not known; nothing where
 * they are not of anybody. */
void network_json(const struct network *network, int64_t worker, struct json_text *json);

#endif
