#include "tests/spmd/whole_run.h"

#include <stdio.h>
#include <unistd.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"

static void rounds_fill(struct plan *plan, const struct whole_run *run)
{
    const int64_t workers = plan->worker_count, each = workers * run->package;
    plan->round_count = (size_t)((run->tasks + each - 1) / each);
    plan->rounds = calloc(plan->round_count, sizeof *plan->rounds);
    assert_non_null(plan->rounds);
    int64_t left = run->tasks;
    for (size_t r = 0; r < plan->round_count; r++) {
        plan->rounds[r].repeat = 1;
        plan->rounds[r].loads = calloc((size_t)workers, sizeof(double));
        assert_non_null(plan->rounds[r].loads);
        for (int64_t w = 0; w < workers; w++) {
            const int64_t load = left < run->package ? left : run->package;
            plan->rounds[r].loads[w] = (double)load;
            left -= load;
        }
    }
}

static char *plan_text(const struct whole_run *run)
{
    struct failure failure = FAILURE_INIT;
    struct plan plan = {.kernel = strdup(run->task->name),
                        .buffers = run->buffers,
                        .operating = run->operating,
                        .scheduler = strdup("by hand"),
                        .tasks = (double)run->tasks,
                        .worker_count = run->comm->size - 1};
    plan.workers = calloc((size_t)plan.worker_count, sizeof *plan.workers);
    assert_non_null(plan.workers);
    for (int64_t w = 0; w < plan.worker_count; w++)
        plan.workers[w] = w;
    assert_true(values_describe(run->values, run->task, &plan.parameters, &failure));
    rounds_fill(&plan, run);
    char *text = plan_print(&plan);
    assert_non_null(text);
    plan_release(&plan);
    return text;
}

bool whole_run(const struct whole_run *run, struct run_outcome *outcome, struct failure *failure)
{
    char *text = plan_text(run), emitted[240];
    const struct kernel kernel = {.task = run->task};
    struct plan plan;
    struct profile profile = {0};
    struct failure parsing = FAILURE_INIT;
    const bool parsed = plan_parse(&plan, text, strlen(text), "plan.json", &parsing);
    assert_string_equal(parsing.text, "");
    assert_true(parsed);
    if (run->profile)
        assert_true(
            profile_parse(&profile, run->profile, strlen(run->profile), "profile", &parsing));
    snprintf(emitted, sizeof emitted, "%s.results", run->output);
    const struct execution execution = {
        .comm = run->comm,
        .kernel = &kernel,
        .plan = &plan,
        .plan_text = text,
        .profile_text = run->profile,
        .profile = run->profile ? &profile : NULL,
        .collects = results_return(plan_returns(&plan)),
        .keeps = plan_returns(&plan) == RESULTS_END,
        .plan_name = "plan.json",
        .output = run->output,
        .input = run->input,
        .emitted = emitted,
        .isa = "generic",
        .threads = run->threads,
        .quiet = true,
    };
    const bool good = execute_run(&execution, outcome, failure);
    plan_release(&plan);
    profile_release(&profile);
    free(text);
    return good;
}

bool whole_run_remove(const struct whole_run *run)
{
    char name[280];
    comm_barrier(run->comm);
    int there = run->comm->rank == 0 && unlink(run->output) == 0;
    comm_broadcast(run->comm, &there, sizeof there);
    snprintf(name, sizeof name, "%s.results.%d", run->output, run->comm->rank);
    unlink(name);
    return there;
}
