/* A calibration's timings, for what draws them. */
#ifndef PLANNER_REPORT_PROBE_COLUMNS_H
#define PLANNER_REPORT_PROBE_COLUMNS_H

#include <stdint.h>

#include "planner/base/text.h"
#include "planner/model/sample.h"

/* One JSON object: "operations" (their names), "timings" (how many there are), "drawn" (of them: at
 * most `most`, evenly chosen), and equally long columns: "setting", "operation", "rank", "cold",
 * "waited", "tasks", "length_ns". */
void probe_columns_add(struct text *text, const struct samples *samples, int64_t most);

#endif
