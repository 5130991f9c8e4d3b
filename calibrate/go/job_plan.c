#include "calibrate/go/job_plan.h"

#include <stdlib.h>
#include <string.h>

#include "spmd/input/input.h"
#include "spmd/job/job.h"

/* In place of a scheduler's name: the run's survey decides. */
#define JOB_PLAN_SCHEDULER "survey"

/* Local to the master. */
static bool tasks_count(const struct job_wanted *wanted, int64_t *tasks, struct failure *failure)
{
    const struct scow_task *task = wanted->kernel->task;
    struct description description = {0};
    struct values values = {0};
    struct input *input = input_open((enum scow_input_kind)task->input, wanted->input, failure);
    const bool good = input && values_copy(&values, wanted->values, failure) &&
                      job_settle(task, &values, input, failure) &&
                      job_describe(&description, task, &values, input, failure);
    if (good)
        *tasks = description.tasks;
    description_release(&description);
    values_release(&values);
    input_close(&input);
    return good;
}

static bool switch_add(struct plan *plan, const char *name)
{
    return parameter_list_add(&plan->parameters, name, "yes", 0);
}

static bool parameters_fill(const struct job_wanted *wanted, struct plan *plan,
                            struct failure *failure)
{
    const struct values *values = wanted->values;
    return values_describe(values, wanted->kernel->task, &plan->parameters, failure) &&
           (((!values->staged || parameter_list_find(&plan->parameters, VALUES_STAGED) ||
              switch_add(plan, VALUES_STAGED)) &&
             (!values->write_behind ||
              parameter_list_find(&plan->parameters, VALUES_WRITE_BEHIND) ||
              switch_add(plan, VALUES_WRITE_BEHIND))) ||
            failure_memory(failure, "describing the job"));
}

static bool package_fill(struct plan *plan, int64_t tasks)
{
    plan->tasks = (double)tasks;
    plan->workers = calloc(1, sizeof *plan->workers);
    plan->rounds = calloc(1, sizeof *plan->rounds);
    double *load = malloc(sizeof *load);
    if (!plan->workers || !plan->rounds || !load) {
        free(load);
        return false;
    }
    *load = (double)tasks;
    plan->rounds[0] = (struct plan_round){1, load};
    plan->worker_count = 1;
    plan->round_count = 1;
    return true;
}

static bool plan_fill(const struct job_wanted *wanted, int64_t tasks, struct plan *plan,
                      struct failure *failure)
{
    const struct kernel *kernel = wanted->kernel;
    plan->threads = wanted->threads;
    plan->kernel = strdup(kernel->task->name);
    plan->scheduler = strdup(JOB_PLAN_SCHEDULER);
    if (kernel->plugin) {
        plan->plugin = strdup(kernel->plugin);
        plan->plugin_sha256 = strdup(kernel->sha256);
    }
    const bool named = plan->kernel && plan->scheduler &&
                       (!kernel->plugin || (plan->plugin && plan->plugin_sha256));
    return (named && package_fill(plan, tasks)) || failure_memory(failure, "describing the job");
}

bool job_plan_make(const struct comm *comm, const struct job_wanted *wanted, struct plan *plan,
                   struct failure *failure)
{
    int64_t tasks = 0;
    *plan = (struct plan){.kernel = NULL};
    if (comm->rank == 0)
        tasks_count(wanted, &tasks, failure);
    if (!comm_agree(comm, failure))
        return false;
    comm_broadcast(comm, &tasks, sizeof tasks);
    if (plan_fill(wanted, tasks, plan, failure))
        parameters_fill(wanted, plan, failure);
    if (comm_agree(comm, failure))
        return true;
    plan_release(plan);
    return false;
}
