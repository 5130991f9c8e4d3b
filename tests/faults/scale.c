/* A whole run of very many workers in one process: a plan, its run by the real master and workers
 * over simulated messages, clock and disk, and the report. Nothing goes wrong: the test looks for
 * what grows with the square of the number of workers, and for the master's memory. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/report/report.h"
#include "spmd/resume/remaining_plan.h"
#include "tests/faults/disk.h"
#include "tests/faults/models.h"
#include "tests/faults/trial.h"
#include "tests/faults/world.h"

/* How far the run's time may be from the prediction, relative, and how many bytes the master may
 * have. */
static const double time_most = 0.03, memory_most = 1e9;
enum { BUFFERS = 2 };

static struct scale {
    int workers;
    int64_t tasks;
    double last_s; /* when the last step was done */
    struct plan plan;
    struct trial_outcome outcome;
} scale = {.workers = 10000, .tasks = 10000000};

static int usage(void)
{
    printf(
        "usage: scale-simulated [--workers N] [--tasks TASKS]\n"
        "       plan, run and report of TASKS core tasks (10000000) by N workers (10000), at most "
        "%d\n",
        RANKS_MOST - 1);
    return 64;
}

static void step_say(const char *what)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double now_s = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    if (what)
        printf("%-8s %.1f s\n", what, now_s - scale.last_s);
    fflush(stdout);
    scale.last_s = now_s;
}

/* Core tasks of 2 ms, and a master that can feed so many workers with them. A worker wakes up after
 * each millisecond that it sleeps, so that longer core tasks would show nothing more and take
 * longer. */
static char *profile_text(void)
{
    struct text text = TEXT_INIT;
    text_add(&text,
             "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [{\"windows\": "
             "[{\"tasks\": [1, 100000], \"envelope\": {\"latency_s\": 5e-6, \"s_per_task\": 0}, "
             "\"send\": {\"latency_s\": 0, \"s_per_task\": 0}, \"workers\": [{\"count\": %d, "
             "\"link\": {\"latency_s\": 5e-6, \"s_per_task\": 1e-8}, "
             "\"receive\": {\"latency_s\": 1e-5, \"s_per_task\": 0}, "
             "\"compute\": {\"latency_s\": 1e-3, \"s_per_task\": 2e-3}, "
             "\"output\": {\"latency_s\": 1e-4, \"s_per_task\": 0}}]}]}]}",
             scale.workers);
    return text_take(&text);
}

/* Owned. */
static char *plan_make(struct failure *failure)
{
    const struct plan job = {.tasks = (double)scale.tasks, .kernel = "sleep"};
    const struct remaining_request request = {
        .plan = &job, .tasks = scale.tasks, .workers = scale.workers};
    char *text = remaining_plan(&request, models_profile(), failure);
    if (text && !plan_parse(&scale.plan, text, strlen(text), "plan", failure)) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Reads the trace that the run left beside the output. */
static bool trace_read(struct trace *trace, struct failure *failure)
{
    struct trace_reader reader;
    if (!trace_reader_open(&reader, DISK_PATH, &scale.outcome.part, failure))
        return failure_set(failure, FAILURE_FAILED, "there is no trace");
    trace->events = calloc((size_t)reader.count + 1, sizeof *trace->events);
    trace->capacity = (size_t)reader.count + 1;
    if (trace->events)
        trace->count = (size_t)trace_reader_next(&reader, trace->events, reader.count);
    trace_reader_close(&reader);
    return trace->events || failure_memory(failure, "reading a trace");
}

/* Owned. */
static char *report_make(const char *profile, const char *plan, struct failure *failure)
{
    struct run_record record = {.has_profile = true,
                                .tasks = scale.tasks,
                                .tasks_done = scale.tasks,
                                .complete = true,
                                .part = 1};
    char *text = NULL;
    if (profile_parse(&record.profile, profile, strlen(profile), "profile", failure) &&
        plan_parse(&record.plan, plan, strlen(plan), "plan", failure) &&
        trace_read(&record.trace, failure))
        text = report_json(&record, failure);
    run_record_release(&record);
    return text;
}

static int outcome_say(void)
{
    const struct trial_outcome *outcome = &scale.outcome;
    const double predicted_s = scale.plan.predicted.makespan_s;
    const double error = outcome->makespan_s / predicted_s - 1;
    printf("%d workers, %" PRId64 " core tasks, %" PRId64 " packages, %" PRId64 " writes\n"
           "makespan %.3f s, predicted %.3f s: %+.2f %%\n"
           "master   %.1f MB at most\n",
           scale.workers, scale.tasks, outcome->packages, outcome->writes, outcome->makespan_s,
           predicted_s, 100 * error, 1e-6 * (double)outcome->master_peak);
    return fabs(error) > time_most || (double)outcome->master_peak > memory_most;
}

static int scale_run(void)
{
    struct failure failure = FAILURE_INIT;
    char *profile = profile_text(), *report = NULL;
    step_say(NULL);
    models_give(profile);
    char *plan = plan_make(&failure);
    step_say("plan");
    const struct trial_planned planned = {.plan = plan,
                                          .tasks = scale.tasks,
                                          .largest = (int64_t)plan_largest_load(&scale.plan),
                                          .workers = scale.workers,
                                          .buffers = BUFFERS,
                                          .most = time_most};
    bool good = plan && trial_plan(&planned, &scale.outcome);
    step_say("run");
    if (good)
        report = report_make(profile, plan, &failure);
    step_say("report");
    good = good && report && outcome_say() == 0;
    if (!good)
        printf("wrong: %s%s\n", world.wrong, failure.text);
    free(report);
    free(plan);
    free(profile);
    plan_release(&scale.plan);
    models_release();
    return !good;
}

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k += 2) {
        const int64_t value = k + 1 < argc ? strtoll(argv[k + 1], NULL, 10) : 0;
        if (strcmp(argv[k], "--workers") == 0 && value > 0 && value < RANKS_MOST)
            scale.workers = (int)value;
        else if (strcmp(argv[k], "--tasks") == 0 && value > 0)
            scale.tasks = value;
        else
            return usage();
    }
    return scale_run();
}
