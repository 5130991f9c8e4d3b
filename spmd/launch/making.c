#include "spmd/launch/making.h"

#include <stdlib.h>
#include <string.h>

#include "spmd/launch/method.h"
#include "spmd/transport/bundle.h"

/* Local. Opens what this rank reads itself; the master has opened it already. */
static bool own_open(struct making *making, enum scow_input_kind kind, const char *name,
                     struct failure *failure)
{
    if (comm_leads(making->comm) || failure->code != FAILURE_NONE)
        return failure->code == FAILURE_NONE;
    making->input = input_open(kind, name, failure);
    return making->input && input_load(making->input, failure);
}

/* Collective. Does every rank have the master's text? With *failure set: names the lowest rank that
 * has another one. */
static bool words_agree(const struct comm *comm, const char mine[65], const char *name,
                        struct failure *failure)
{
    char masters[65];
    memcpy(masters, mine, sizeof masters);
    comm_broadcast(comm, masters, sizeof masters);
    if (strcmp(mine, masters) != 0)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: is not the same on rank %d as on the master: copy it to a file system "
                    "that all nodes see, or leave --staged out",
                    name, comm->rank);
    return comm_agree(comm, failure);
}

/* Collective. Workers that read the input themselves must find the same bytes as the master: an
 * older copy of the same shape would give wrong results. If it is the same file, it need not be
 * read for that. */
static bool staged_open(struct making *making, bool staged, enum scow_input_kind kind,
                        const char *name, struct failure *failure)
{
    const struct comm *comm = making->comm;
    struct failure apart = FAILURE_INIT;
    char identity[65] = "";
    if (!staged)
        return true;
    if (own_open(making, kind, name, failure))
        input_identity(making->input, identity, failure);
    if (!comm_agree(comm, failure))
        return false;
    if (words_agree(comm, identity, name, &apart))
        return true;
    if (input_sha256(making->input, making->digest, failure))
        input_untouched(making->input, failure);
    return comm_agree(comm, failure) && words_agree(comm, making->digest, name, failure);
}

/* ---- one job, from one message ----------------------------------------------------------------
 */

/* Local. Numbers are settled by the task; words of choices follow from them. */
static void words_follow(const struct scow_task *task, struct values *values)
{
    for (int i = 0; i < values->count; i++)
        if (task->parameters[i].kind == SCOW_WORD)
            values->items[i].text = task->parameters[i].words[(int)values->items[i].number];
}

/* Local to the master. The description is the task's, or the level's. */
static bool job_find(struct description *description, const struct making *making,
                     const struct scow_task *task, const struct values *values,
                     const struct description *level, struct failure *failure)
{
    if (!level)
        return job_describe(description, task, values, making->input, failure);
    if (!description_copy(description, level))
        return failure_memory(failure, "making the job");
    description->input = *input_shape(making->input);
    return true;
}

/* Local to the master. Makes its own job, and the message from which other ranks make theirs. */
static bool job_lead(struct making *making, const struct scow_task *task, struct values *values,
                     const struct description *level, struct bundle *bundle,
                     struct failure *failure)
{
    struct description description = {0};
    char method[JOB_METHOD_SIZE] = "";
    const bool good = job_settle(task, values, making->input, failure) &&
                      job_find(&description, making, task, values, level, failure);
    if (good) {
        words_follow(task, values);
        job_open(&making->job, task, values, &description, making->input_name, failure);
    }
    if (failure->code == FAILURE_NONE) {
        job_method(&making->job, method, sizeof method);
        for (int i = 0; i < values->count; i++)
            bundle_put(bundle, &values->items[i].number, sizeof values->items[i].number);
        bundle_put(bundle, &description, sizeof description);
        bundle_put(bundle, description.shared, description.shared_size);
        bundle_put(bundle, method, sizeof method);
    }
    description_release(&description);
    return failure->code == FAILURE_NONE;
}

/* Local to a worker. The master's pointers are not valid here. */
static bool job_follow(struct making *making, const struct scow_task *task, struct values *values,
                       struct bundle *bundle, struct failure *failure)
{
    struct description description;
    char masters[JOB_METHOD_SIZE];
    for (int i = 0; i < values->count; i++)
        bundle_take(bundle, &values->items[i].number, sizeof values->items[i].number);
    words_follow(task, values);
    bundle_take(bundle, &description, sizeof description);
    description.input.name = NULL;
    description.shared = bundle_next(bundle, description.shared_size);
    bundle_take(bundle, masters, sizeof masters);
    return job_open(&making->job, task, values, &description, making->input_name, failure) &&
           method_check(&making->job, masters, making->comm->rank, failure);
}

bool making_again(struct making *making, const struct scow_task *task, const struct values *values,
                  const struct description *level, struct failure *failure)
{
    const struct comm *comm = making->comm;
    struct values settled = {0};
    struct bundle bundle = {0};
    job_close(&making->job);
    if (failure->code == FAILURE_NONE)
        values_copy(&settled, values, failure);
    if (comm_leads(comm) && failure->code == FAILURE_NONE)
        job_lead(making, task, &settled, level, &bundle, failure);
    bool good = bundle_share(&bundle, comm, failure);
    if (good && !comm_leads(comm) && failure->code == FAILURE_NONE)
        job_follow(making, task, &settled, &bundle, failure);
    values_release(&settled);
    bundle_release(&bundle);
    return good && comm_agree(comm, failure);
}

bool making_start(struct making *making, const struct comm *comm, const struct scow_task *task,
                  const struct values *values, const char *input, const struct description *level,
                  struct failure *failure)
{
    const enum scow_input_kind kind = (enum scow_input_kind)task->input;
    *making = (struct making){.comm = comm, .input_name = input ? strdup(input) : NULL};
    if (input && !making->input_name)
        failure_memory(failure, "making the job");
    if (comm_leads(comm) && failure->code == FAILURE_NONE)
        making->input = input_open(kind, input, failure);
    if (making->input)
        input_load(making->input, failure);
    return staged_open(making, values->staged, kind, input, failure) &&
           making_again(making, task, values, level, failure);
}

void making_release(struct making *making)
{
    job_close(&making->job);
    input_close(&making->input);
    free(making->input_name);
    making->input_name = NULL;
}
