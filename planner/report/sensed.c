#include "planner/report/sensed.h"

#include <math.h>

#include "planner/report/residuals.h"
#include "planner/studies/shares.h"

/* A smaller share is not reported by workers (spmd/run/run_had.h). */
static const double share_least = 1e-4;

/* A mean over known values, which are above 0. */
struct mean {
    double sum;
    int64_t count;
};

static void mean_add(struct mean *mean, double value)
{
    if (!(value > 0))
        return;
    mean->sum += value;
    mean->count++;
}

static void class_add(const struct profile_worker *class, double time_s, const char *kind,
                      const struct mean *mean, struct text *lines)
{
    struct node_name nodes[2];
    const int count = class->name && mean->count > 0 ? shares_nodes(class->name, nodes) : 0;
    for (int k = 0; k < count; k++) {
        text_add(lines, "%.3f\t%.*s\t%s\t", time_s, (int)nodes[k].length, nodes[k].at, kind);
        text_add_number(lines, mean->sum / (double)mean->count);
        text_add(lines, "\n");
    }
}

static void lines_make(const struct run_record *record, const struct network *network,
                       double time_s, struct text *lines)
{
    const struct profile_window *window = &record->profile.settings[0].windows[0];
    const size_t classes = profile_classes(&record->profile, window);
    int64_t worker = 0;
    for (size_t k = 0; k < classes; k++) {
        const struct profile_worker *class = &window->workers[k];
        const int64_t end = worker + class->count;
        struct mean cpu = {0, 0}, bandwidth = {0, 0};
        for (; worker < end; worker++) {
            const double had = run_record_had(record, worker);
            mean_add(&cpu, had > 0 ? fmax(had, share_least) : 0);
            mean_add(&bandwidth,
                     worker < network->count ? network->workers[worker].found_bytes_s : 0);
        }
        class_add(class, time_s, "cpu", &cpu, lines);
        class_add(class, time_s, "bandwidth", &bandwidth, lines);
    }
}

bool sensed_lines(const struct run_record *record, double time_s, struct text *lines,
                  struct failure *failure)
{
    struct residuals residuals;
    const size_t before = lines->length;
    if (!record->has_profile)
        return failure_set(failure, FAILURE_MISMATCH,
                           "the run has no profile that says which nodes its workers were on: run "
                           "with a plan that names its profile, or with -p PROFILE");
    if (!residuals_make(record, &residuals, failure))
        return false;
    lines_make(record, &residuals.network, time_s, lines);
    residuals_release(&residuals);
    if (lines->failed)
        return failure_memory(failure, "writing what a run has found");
    return lines->length > before ||
           failure_set(failure, FAILURE_MISMATCH,
                       "the run did not record what its workers had of their processors, or on "
                       "which nodes they were: use 'scow sense' there");
}
