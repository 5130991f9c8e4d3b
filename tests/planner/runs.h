/* Runs as a report is given them, made by simulation. */
#ifndef TESTS_PLANNER_RUNS_H
#define TESTS_PLANNER_RUNS_H

#include <jansson.h>
#include <stdint.h>

#include "planner/report/report.h"

/* A random plan simulated with that much noise, as if it had been run, of some seeds with its
 * results written behind; to be released. */
void run_sample(uint64_t seed, double noise, struct run_record *record);
/* report_json, parsed; to be released. */
json_t *run_report(const struct run_record *record);
double run_member(const json_t *json, const char *key);
/* Assert that report_text has these words. */
void run_tells(const struct run_record *record, const char *words);

#endif
