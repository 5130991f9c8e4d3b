/* A run that went on after it had been stopped or killed: its parts, one by one and in all. */
#ifndef PLANNER_REPORT_PARTS_H
#define PLANNER_REPORT_PARTS_H

#include "planner/base/text.h"
#include "planner/report/report.h"

/* Sums over the parts that are known. */
struct parts_total {
    double measured_s; /* of those killed, from their beginning to their last sign of life */
    double between_s; /* from the end of one to the beginning of the next, while nothing was done */
    int64_t tasks, packages; /* packages: of those that say */
};

struct parts_total parts_sum(const struct run_part *parts, int64_t count);
/* Lines for people; nothing of a run that was not resumed, or does not know its parts. */
void parts_text(const struct run_record *record, struct text *text);
/* ,"parts": [...], "in_all": {...}; nothing as above. */
void parts_json(const struct run_record *record, struct text *text);

#endif
