#include "calibrate/go/job_plan.h"

#include <stdlib.h>
#include <string.h>

#include "spmd/input/input.h"
#include "spmd/job/job.h"

/* In place of a scheduler's name: the run's survey decides. */
#define JOB_PLAN_SCHEDULER "survey"

/* What is to be done, as its input says; owned. */
struct job_found {
    int64_t tasks;
    struct task_weights *weights; /* NULL: none are wanted */
};

/* By the core task itself. Owned; NULL with *failure set. */
static struct task_weights *job_weighs(const struct job_wanted *wanted,
                                       const struct description *description,
                                       const struct values *values, struct input *input,
                                       struct failure *failure)
{
    struct job job;
    struct task_weights *weights = NULL;
    if (job_open(&job, wanted->kernel->task, values, description, wanted->input, failure)) {
        weights = job_weigh(&job, input, failure);
        job_close(&job);
    }
    return weights;
}

/* Local to the master. */
static bool job_find(const struct job_wanted *wanted, struct job_found *found,
                     struct failure *failure)
{
    const struct scow_task *task = wanted->kernel->task;
    struct description description = {0};
    struct values values = {0};
    struct input *input = input_open((enum scow_input_kind)task->input, wanted->input, failure);
    bool good = input && values_copy(&values, wanted->values, failure) &&
                job_settle(task, &values, input, failure) &&
                job_describe(&description, task, &values, input, failure);
    found->tasks = description.tasks;
    if (good && weights_by_task(wanted->weights))
        found->weights = job_weighs(wanted, &description, &values, input, failure);
    else if (good)
        weights_find(wanted->weights, &found->weights, failure);
    good = failure->code == FAILURE_NONE &&
           (!found->weights || weights_match(found->weights, found->tasks, failure));
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

/* As far as a plan keeps them. */
static bool plan_weigh(struct plan *plan, const struct task_weights *weights,
                       struct failure *failure)
{
    if (!weights)
        return true;
    plan->weights = weights_copy(weights);
    return (plan->weights && work_coarsen(&plan->weights->work, WEIGHTS_REGIONS_KEPT)) ||
           failure_memory(failure, "describing the job");
}

bool job_plan_make(const struct comm *comm, const struct job_wanted *wanted, struct plan *plan,
                   struct task_weights **weights, struct failure *failure)
{
    struct job_found found = {.tasks = 0};
    *plan = (struct plan){.kernel = NULL};
    if (comm->rank == 0)
        job_find(wanted, &found, failure);
    *weights = found.weights;
    if (!comm_agree(comm, failure))
        return false;
    comm_broadcast(comm, &found.tasks, sizeof found.tasks);
    if (plan_fill(wanted, found.tasks, plan, failure) && parameters_fill(wanted, plan, failure))
        plan_weigh(plan, found.weights, failure);
    return comm_agree(comm, failure);
}
