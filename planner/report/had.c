#include "planner/report/had.h"

#include <inttypes.h>
#include <math.h>

#include "planner/model/shared.h"

/* The share of its processors that the plan expected, by profile and forecast; 0: not known. */
static double planned_of(const struct run_record *record, int64_t worker)
{
    const struct profile_setting *setting =
        record->has_profile
            ? profile_find(&record->profile, &record->plan.parameters, record->plan.threads)
            : NULL;
    if (!setting || worker >= profile_workers(&setting->windows[0]))
        return 0;
    const struct profile_window *window = &setting->windows[0];
    const double before = window->workers[profile_class(window, worker)].availability;
    if (!record->profile.shared)
        return before;
    return fmin(1, shared_of(&record->plan, worker).share * (before > 0 ? before : 1));
}

struct had_sum {
    double mean, least;    /* of the known shares */
    double planned;        /* the mean expected share of the same workers; 0: not known for all */
    int64_t known, worker; /* known shares; the worker with the least one */
};

static struct had_sum had_sum(const struct run_record *record)
{
    struct had_sum sum = {0, HUGE_VAL, 0, 0, -1};
    bool planned = true;
    for (int64_t k = 0; k < record->had_count; k++) {
        const double had = record->had[k], here = planned_of(record, k);
        if (!(had > 0))
            continue;
        sum.mean += had;
        sum.planned += here;
        planned = planned && here > 0;
        sum.known++;
        if (had < sum.least) {
            sum.least = had;
            sum.worker = k;
        }
    }
    sum.mean /= sum.known > 0 ? (double)sum.known : 1;
    sum.planned = planned && sum.known > 0 ? sum.planned / (double)sum.known : 0;
    return sum;
}

void had_text(const struct run_record *record, struct text *text)
{
    const struct had_sum sum = had_sum(record);
    if (sum.known == 0)
        return;
    text_add(text, "processors  workers had %.1f %% of theirs while they computed", 100 * sum.mean);
    if (sum.known > 1)
        text_add(text, ", worker %" PRId64 " the least: %.1f %%", sum.worker + 1, 100 * sum.least);
    if (sum.planned > 0)
        text_add(text, "; planned with %.1f %%", 100 * sum.planned);
    text_add(text, "\n");
}

void had_head(const struct run_record *record, struct text *text)
{
    if (had_sum(record).known > 0)
        text_add(text, "%12s", "processors");
}

void had_column(const struct run_record *record, int64_t worker, struct text *text)
{
    const double had = run_record_had(record, worker);
    if (had > 0)
        text_add(text, "%10.1f %%", 100 * had);
    else if (had_sum(record).known > 0)
        text_add(text, "%12s", "-");
}

void had_json(const struct run_record *record, int64_t worker, struct json_text *json)
{
    const double had = run_record_had(record, worker);
    if (record->had_count > 0)
        json_number(json, "availability", had > 0 ? had : (double)NAN);
    const double planned = planned_of(record, worker);
    if (record->had_count > 0 && planned > 0)
        json_number(json, "availability_planned", planned);
}
