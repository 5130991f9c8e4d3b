/*
 * A prediction of what a run sent, whatever had been planned: its packages go to the same workers
 * in the same order, and take what its profile says. They are read from the trace block by block,
 * so that memory does not grow with them.
 */
#ifndef PLANNER_REPORT_SENT_H
#define PLANNER_REPORT_SENT_H

#include "planner/report/report.h"

/* Packages as they were sent, the second time, too, and what the master computed itself, with the
 * profile's costs of the places that they have in the job. Where numbers are left out, or packages
 * were sent that nobody has begun, the others are numbered in their order. Events are added to the
 * trace. False: the trace does not tell what was sent, or out of memory. */
bool sent_predict(const struct run_record *record, const struct profile_setting *setting,
                  struct trace *trace);

#endif
