#include "spmd/run/plan_weights.h"

#include <stdlib.h>
#include <string.h>

#include "planner/command/readers.h"
#include "planner/files/plan_json.h"
#include "planner/model/order.h"
#include "spmd/transport/bundle.h"

static struct task_weights *task_weigh(const struct documents *documents,
                                       const struct plan_weights *given, struct failure *failure)
{
    const struct profile *profile = documents_profile(documents);
    const struct profile_setting *setting =
        profile ? profile_find(profile, &documents->plan.parameters, documents->plan.threads)
                : NULL;
    if (!setting) {
        failure_set(failure, FAILURE_USAGE,
                    "--weights task needs the profile that %s was made from: name it with -p "
                    "PROFILE",
                    given->plan_name);
        return NULL;
    }
    const struct readers *readers = readers_find(NULL, failure);
    return readers ? readers->weigh_tasks(given->options->input, given->kernel, profile, setting,
                                          failure)
                   : NULL;
}

/* Local to the master. Owned; NULL with *failure set. */
static struct task_weights *weights_read_given(const struct documents *documents,
                                               const struct plan_weights *given,
                                               struct failure *failure)
{
    struct task_weights *weights = NULL;
    if (!weights_by_task(given->options))
        weights_find(given->options, &weights, failure);
    else if ((weights = task_weigh(documents, given, failure)) != NULL)
        weights_find_bytes(given->options, &weights, failure);
    return weights;
}

/* Refuses weights that are not the plan's, and says which of the two kinds they are. */
static bool others_refuse(const struct plan *plan, const struct task_weights *weights,
                          const struct plan_weights *given, struct failure *failure)
{
    const struct task_weights *bytes = plan->weights->bytes;
    const bool sent = weights->bytes && !(bytes && weights_same(weights->bytes, bytes));
    if (sent && !bytes)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: was made without weights of transfers: leave --weights-of out, or "
                           "plan with it",
                           given->plan_name);
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: are other weights than those that %s was made with (%s): give "
                       "these, or plan again",
                       sent ? weights->bytes->source : weights->source, given->plan_name,
                       sent ? bytes->source : plan->weights->source);
}

/* Were the packages made by such weights, or can these still be used? */
static bool weights_fit(const struct plan *plan, const struct task_weights *weights,
                        const struct plan_weights *given, struct failure *failure)
{
    if (plan->weights)
        return weights_same(weights, plan->weights) || others_refuse(plan, weights, given, failure);
    if (!given->by_rule)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: was made without weights: plan with --weights, or let packages be "
                           "assigned by weight with -s RULE",
                           given->plan_name);
    const struct parameter *order = parameter_list_find(&plan->parameters, ORDER_PARAMETER);
    if (order && order->word && strcmp(order->word, "natural") != 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: takes core tasks in an order of its own (%s), which makes packages "
                           "alike: leave weights out",
                           given->plan_name, order->word);
    return weights_match(weights, (int64_t)plan->tasks, failure);
}

/* Local to the master. The plan with the weights, which it owns from now on, as text, owned; NULL
 * with *failure set. */
static char *plan_with(struct plan *plan, struct task_weights *weights, struct failure *failure)
{
    const bool good = weights_coarsen(weights, WEIGHTS_REGIONS_KEPT);
    plan->weights = weights;
    char *text = good ? plan_print(plan) : NULL;
    if (!text)
        failure_memory(failure, "weighing a plan");
    return text;
}

/* Local to the master. The plan's new text, owned; NULL: the plan has these weights already, or
 * *failure is set. */
static char *plan_weigh(struct documents *documents, const struct plan_weights *given,
                        struct failure *failure)
{
    struct task_weights *weights = weights_read_given(documents, given, failure);
    if (weights && weights_fit(&documents->plan, weights, given, failure) &&
        !documents->plan.weights)
        return plan_with(&documents->plan, weights, failure);
    weights_free(weights);
    return NULL;
}

bool plan_weights_take(struct documents *documents, const struct comm *comm,
                       const struct plan_weights *given, struct failure *failure)
{
    if (!weights_asked(given->options))
        return true;
    char *text = comm_leads(comm) ? plan_weigh(documents, given, failure) : NULL;
    size_t length = text ? strlen(text) : 0;
    text = bundle_share_text(text, &length, comm, failure);
    if (text)
        documents_replace_plan(documents, text, length, given->plan_name, failure);
    return comm_agree(comm, failure);
}
