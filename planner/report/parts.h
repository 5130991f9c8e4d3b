/* A run that went on after it had been stopped or killed: its parts, each beside its own plan, and
 * in all. */
#ifndef PLANNER_REPORT_PARTS_H
#define PLANNER_REPORT_PARTS_H

#include "planner/base/json_text.h"
#include "planner/report/report.h"

/* Sums over the parts that are known. */
struct parts_total {
    double measured_s; /* of those killed, from their beginning to their last sign of life */
    double between_s; /* from the end of one to the beginning of the next, while nothing was done */
    int64_t tasks;    /* each once, whoever did it again */
    int64_t again;    /* that a later part did again: they had failed, or were not kept */
    int64_t packages; /* of those parts that say */
    double predicted_s, compared_s; /* of the parts that have a prediction, that and what they took;
                                     * both 0: none has */
};

/* How long a part took; of one that did not measure it, as long as it is known to have lived. */
double parts_seconds(const struct run_part *part);
/* `predicted_s`: of each part, NaN where it is not known; NULL: of none. */
struct parts_total parts_sum(const struct run_part *parts, int64_t count,
                             const double *predicted_s);
/* Core tasks of the part that the record's trace is of. */
double parts_tasks(const struct run_record *record);
/* Lines for people; nothing of a run that was not resumed, or does not know its parts. `shown_s`:
 * what was predicted of the record's own part; NaN: nothing. */
void parts_text(const struct run_record *record, double shown_s, struct text *text);
/* Members "parts" and "in_all"; nothing as above. */
void parts_json(const struct run_record *record, double shown_s, struct json_text *json);

#endif
