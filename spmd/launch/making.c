#include "spmd/launch/making.h"

#include <stdlib.h>
#include <string.h>

#include "spmd/launch/method.h"

/* Local. Open what this rank reads by itself. */
static bool own_open(struct making *making, enum scow_input_kind kind, const char *name,
                     struct failure *failure)
{
    if (making->comm->rank != 0)
        making->input = input_open(kind, name, failure);
    return making->input && input_load(making->input, failure);
}

/* Collective. Has every rank the master's word? With *failure set: the lowest that has another. */
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

/* Collective. Where workers read by themselves, they must find what the master found, byte for
 * byte: an older copy of the same shape would give wrong results. What is one and the same file
 * need not be read for that. */
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

/* Collective. */
static bool input_make(struct making *making, const struct scow_task *task, bool staged,
                       const char *name, struct failure *failure)
{
    const enum scow_input_kind kind = (enum scow_input_kind)task->input;
    if (making->comm->rank == 0) {
        making->input = input_open(kind, name, failure);
        if (making->input)
            input_load(making->input, failure);
    }
    return comm_agree(making->comm, failure) && staged_open(making, staged, kind, name, failure);
}

/* Collective. Only numbers are settled; words follow from them. */
static bool values_settle(struct making *making, const struct scow_task *task,
                          struct values *values, struct failure *failure)
{
    const struct comm *comm = making->comm;
    if (comm->rank == 0)
        job_settle(task, values, making->input, failure);
    if (!comm_agree(comm, failure))
        return false;
    for (int i = 0; i < values->count; i++) {
        comm_broadcast(comm, &values->items[i].number, sizeof values->items[i].number);
        if (task->parameters[i].kind == SCOW_WORD)
            values->items[i].text = task->parameters[i].words[(int)values->items[i].number];
    }
    return true;
}

/* Collective. */
static bool description_share(struct description *description, const struct comm *comm,
                              struct failure *failure)
{
    struct description masters = *description;
    comm_broadcast(comm, &masters, sizeof masters);
    if (comm->rank != 0) {
        *description = masters;
        description->input.name = NULL;
        description->shared = malloc(masters.shared_size + 1);
        if (!description->shared)
            failure_memory(failure, "taking in what the kernel needs on every rank");
    }
    if (!comm_agree(comm, failure))
        return false;
    if (masters.shared_size > 0)
        comm_broadcast(comm, description->shared, masters.shared_size);
    return true;
}

/* Collective, of settled values. */
static bool job_make(struct making *making, const struct scow_task *task,
                     const struct values *values, const char *name, struct failure *failure)
{
    const struct comm *comm = making->comm;
    struct description description = {0};
    if (comm->rank == 0)
        job_describe(&description, task, values, making->input, failure);
    bool good = comm_agree(comm, failure) && description_share(&description, comm, failure);
    if (good)
        job_open(&making->job, task, values, &description, name, failure);
    description_release(&description);
    return comm_agree(comm, failure) && good && method_agree(comm, &making->job, failure);
}

bool making_again(struct making *making, const struct scow_task *task, const struct values *values,
                  struct failure *failure)
{
    struct values settled = {0};
    char *name = making->job.input_name ? strdup(making->job.input_name) : NULL;
    values_copy(&settled, values, failure);
    if (making->job.input_name && !name)
        failure_memory(failure, "making the job");
    job_close(&making->job);
    const bool good = comm_agree(making->comm, failure) &&
                      values_settle(making, task, &settled, failure) &&
                      job_make(making, task, &settled, name, failure);
    values_release(&settled);
    free(name);
    return good;
}

bool making_start(struct making *making, const struct comm *comm, const struct scow_task *task,
                  const struct values *values, const char *input, struct failure *failure)
{
    *making = (struct making){.comm = comm};
    making->job.input_name = input ? strdup(input) : NULL; /* for making_again */
    if (input && !making->job.input_name)
        failure_memory(failure, "making the job");
    return comm_agree(comm, failure) && input_make(making, task, values->staged, input, failure) &&
           making_again(making, task, values, failure);
}

void making_release(struct making *making)
{
    job_close(&making->job);
    input_close(&making->input);
}
