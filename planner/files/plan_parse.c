#include "planner/files/plan_json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/files/document.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Fractional loads may miss the tasks by their rounding. */
static const double SUM_TOLERANCE = 1e-9;

static bool interval_parse(double interval_s[2], json_t *value, const struct document_place *place,
                           struct failure *failure)
{
    if (!value)
        return true;
    if (!document_array(value, place, 2, failure))
        return false;
    if (json_array_size(value) != 2)
        return document_refuse(failure, place, "must be [least, greatest] seconds");
    struct document_place least = document_element(place, 0);
    struct document_place greatest = document_element(place, 1);
    return document_number(json_array_get(value, 0), &least, 0, LIMIT_TOTAL_S, &interval_s[0],
                           failure) &&
           document_number(json_array_get(value, 1), &greatest, interval_s[0], LIMIT_TOTAL_S,
                           &interval_s[1], failure);
}

static bool other_parse(struct plan_other *other, json_t *value, const struct document_place *place,
                        struct failure *failure)
{
    static const struct document_key keys[] = {
        {"block", false}, {"parameters", false}, {"threads", false}, {"makespan_s", true}};
    if (!document_keys(value, place, keys, COUNT_OF(keys), failure))
        return false;
    struct document_place block = document_at(place, "block");
    struct document_place parameters = document_at(place, "parameters");
    struct document_place threads_place = document_at(place, "threads");
    struct document_place makespan = document_at(place, "makespan_s");
    int64_t threads = 0;
    const bool good =
        document_parameters(json_object_get(value, "parameters"), &parameters, &other->parameters,
                            failure) &&
        document_block(json_object_get(value, "block"), &block, &other->parameters, failure) &&
        document_count(json_object_get(value, "threads"), &threads_place, 1, LIMIT_THREADS,
                       &threads, failure) &&
        document_number(json_object_get(value, "makespan_s"), &makespan, 0, LIMIT_TOTAL_S,
                        &other->makespan_s, failure);
    other->threads = (int)threads;
    return good;
}

static bool others_parse(struct plan *plan, json_t *value, const struct document_place *place,
                         struct failure *failure)
{
    if (!value)
        return true;
    if (!document_array(value, place, 1, failure))
        return false;
    const size_t count = json_array_size(value);
    plan->others = calloc(count, sizeof *plan->others);
    if (!plan->others)
        return failure_memory(failure, "reading a plan");
    for (size_t k = 0; k < count; k++) {
        struct document_place at = document_element(place, k);
        plan->other_count = k + 1;
        if (!other_parse(&plan->others[k], json_array_get(value, k), &at, failure))
            return false;
    }
    return true;
}

static bool predicted_parse(struct plan_prediction *predicted, json_t *value,
                            const struct document_place *place, struct failure *failure)
{
    static const struct document_key keys[] = {{"makespan_s", true},
                                               {"period_s", false},
                                               {"worker_utilization", false},
                                               {"worker_busy_share", false},
                                               {"network_utilization", false},
                                               {"lower_bound_s", false},
                                               {"gap", false},
                                               {"output_s", false},
                                               {"interval", false}};
    if (!value)
        return true;
    if (!document_keys(value, place, keys, COUNT_OF(keys), failure))
        return false;
    double *const outputs[] = {&predicted->makespan_s,
                               &predicted->period_s,
                               &predicted->worker_utilization,
                               &predicted->worker_busy_share,
                               &predicted->network_utilization,
                               &predicted->lower_bound_s,
                               &predicted->gap,
                               &predicted->output_s};
    for (size_t k = 0; k < COUNT_OF(outputs); k++) {
        struct document_place at = document_at(place, keys[k].name);
        double least = strcmp(keys[k].name, "gap") == 0 ? -1 : 0;
        if (!document_number(json_object_get(value, keys[k].name), &at, least, LIMIT_TOTAL_S,
                             outputs[k], failure))
            return false;
    }
    predicted->known = true;
    struct document_place interval = document_at(place, "interval");
    return interval_parse(predicted->interval_s, json_object_get(value, "interval"), &interval,
                          failure);
}

/* Whom the profile of the plan did not measure. */
static bool beyond_parse(struct plan_beyond *beyond, json_t *value,
                         const struct document_place *place, struct failure *failure)
{
    static const struct document_key keys[] = {
        {"measured", true}, {"workers", true}, {"rank", true}, {"class", false}};
    if (!value)
        return true;
    if (!document_keys(value, place, keys, COUNT_OF(keys), failure))
        return false;
    struct document_place measured = document_at(place, "measured");
    struct document_place workers = document_at(place, "workers");
    struct document_place rank = document_at(place, "rank");
    struct document_place class = document_at(place, "class");
    return document_count(json_object_get(value, "measured"), &measured, 1, LIMIT_WORKERS - 1,
                          &beyond->measured, failure) &&
           document_count(json_object_get(value, "workers"), &workers, 1,
                          LIMIT_WORKERS - beyond->measured, &beyond->workers, failure) &&
           document_count(json_object_get(value, "rank"), &rank, 1, beyond->measured, &beyond->rank,
                          failure) &&
           document_word(json_object_get(value, "class"), &class, &beyond->name, failure);
}

/* An element of "workers" is an index or, for large plans, a run [first, last]. */
static bool worker_run(json_t *value, const struct document_place *place, int64_t *first,
                       int64_t *last, struct failure *failure)
{
    if (!json_is_array(value)) {
        if (!document_count(value, place, 0, LIMIT_WORKERS - 1, first, failure))
            return false;
        *last = *first;
        return true;
    }
    if (json_array_size(value) != 2)
        return document_refuse(failure, place, "must be an index or [first, last]");
    return document_count(json_array_get(value, 0), place, 0, LIMIT_WORKERS - 1, first, failure) &&
           document_count(json_array_get(value, 1), place, *first, LIMIT_WORKERS - 1, last,
                          failure);
}

static int worker_compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool workers_distinct(const struct plan *plan, const struct document_place *place,
                             struct failure *failure)
{
    size_t count = (size_t)plan->worker_count;
    int64_t *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return failure_memory(failure, "reading a plan");
    memcpy(sorted, plan->workers, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, worker_compare);
    bool good = true;
    for (size_t k = 1; good && k < count; k++)
        if (sorted[k] == sorted[k - 1])
            good = document_refuse(failure, place, "lists %" PRId64 " twice: list each once",
                                   sorted[k]);
    free(sorted);
    return good;
}

/* Count the workers of all runs (plan->workers NULL), or write them out. */
static bool workers_expand(struct plan *plan, json_t *value, const struct document_place *place,
                           struct failure *failure)
{
    int64_t used = 0;
    for (size_t k = 0; k < json_array_size(value); k++) {
        struct document_place at = document_element(place, k);
        int64_t first = 0, last = 0;
        if (!worker_run(json_array_get(value, k), &at, &first, &last, failure))
            return false;
        if (used + (last - first + 1) > LIMIT_WORKERS)
            return document_refuse(failure, place, "more than %" PRId64 " workers", LIMIT_WORKERS);
        for (int64_t worker = first; plan->workers && worker <= last; worker++)
            plan->workers[used + worker - first] = worker;
        used += last - first + 1;
    }
    assert(used > 0); /* a list of at least one run, each of at least one worker */
    plan->worker_count = used;
    return true;
}

static bool workers_parse(struct plan *plan, json_t *value, const struct document_place *place,
                          struct failure *failure)
{
    if (!document_array(value, place, 1, failure) || !workers_expand(plan, value, place, failure))
        return false;
    plan->workers = malloc((size_t)plan->worker_count * sizeof *plan->workers);
    if (!plan->workers)
        return failure_memory(failure, "reading a plan");
    return workers_expand(plan, value, place, failure) && workers_distinct(plan, place, failure);
}

static bool load_parse(const struct plan *plan, json_t *value, const struct document_place *place,
                       double *load, struct failure *failure)
{
    if (plan->real_valued)
        return document_number(value, place, 0, (double)LIMIT_TASKS, load, failure);
    int64_t tasks = 0;
    if (!document_count(value, place, 0, LIMIT_TASKS, &tasks, failure))
        return false;
    *load = (double)tasks;
    return true;
}

/* An element of "loads" is a load or, for large plans, a run [load, count]. */
static bool load_run(const struct plan *plan, json_t *value, const struct document_place *place,
                     double *load, int64_t *count, struct failure *failure)
{
    *count = 1;
    if (!json_is_array(value))
        return load_parse(plan, value, place, load, failure);
    if (json_array_size(value) != 2)
        return document_refuse(failure, place, "must be a load or [load, count]");
    return load_parse(plan, json_array_get(value, 0), place, load, failure) &&
           document_count(json_array_get(value, 1), place, 1, LIMIT_WORKERS, count, failure);
}

static bool loads_refuse(const struct plan *plan, const struct document_place *place,
                         struct failure *failure)
{
    return document_refuse(failure, place, "must have one load for each of the %" PRId64 " workers",
                           plan->worker_count);
}

static bool loads_parse(const struct plan *plan, double *loads, json_t *value,
                        const struct document_place *place, struct failure *failure)
{
    int64_t slot = 0;
    if (!document_array(value, place, 1, failure))
        return false;
    for (size_t k = 0; k < json_array_size(value); k++) {
        struct document_place at = document_element(place, k);
        double load = 0;
        int64_t count = 0;
        if (!load_run(plan, json_array_get(value, k), &at, &load, &count, failure))
            return false;
        if (count > plan->worker_count - slot)
            return loads_refuse(plan, place, failure);
        while (count-- > 0)
            loads[slot++] = load;
    }
    return slot == plan->worker_count || loads_refuse(plan, place, failure);
}

static double loads_sum(const struct plan *plan, const double *loads)
{
    double sum = 0;
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        sum += loads[slot];
    return sum;
}

static bool round_parse(const struct plan *plan, struct plan_round *round, json_t *value,
                        const struct document_place *place, struct failure *failure)
{
    static const struct document_key keys[] = {{"repeat", true}, {"loads", true}};
    if (!document_keys(value, place, keys, COUNT_OF(keys), failure))
        return false;
    round->loads = calloc((size_t)plan->worker_count, sizeof *round->loads);
    if (!round->loads)
        return failure_memory(failure, "reading a plan");
    struct document_place repeat = document_at(place, "repeat");
    struct document_place loads = document_at(place, "loads");
    if (!document_count(json_object_get(value, "repeat"), &repeat, 1, LIMIT_TASKS, &round->repeat,
                        failure) ||
        !loads_parse(plan, round->loads, json_object_get(value, "loads"), &loads, failure))
        return false;
    if (loads_sum(plan, round->loads) <= 0)
        return document_refuse(failure, place, "hands out no task: remove the round");
    return true;
}

/* Sums of whole loads are exact as long as they are at most 2^53, and a larger one is refused by
 * being larger than the tasks. */
static bool loads_complete(const struct plan *plan, const struct document_place *place,
                           struct failure *failure)
{
    double sum = 0;
    for (size_t k = 0; k < plan->round_count; k++)
        sum += (double)plan->rounds[k].repeat * loads_sum(plan, plan->rounds[k].loads);
    double tolerance = plan->real_valued ? SUM_TOLERANCE * plan->tasks : 0;
    if (fabs(sum - plan->tasks) <= tolerance)
        return true;
    return document_refuse(failure, place,
                           "the loads sum to %.15g tasks, but the plan is for %.15g: make the plan "
                           "again",
                           sum, plan->tasks);
}

static bool rounds_parse(struct plan *plan, json_t *value, const struct document_place *place,
                         struct failure *failure)
{
    if (!document_array(value, place, 1, failure))
        return false;
    size_t count = json_array_size(value);
    plan->rounds = calloc(count, sizeof *plan->rounds);
    if (!plan->rounds)
        return failure_memory(failure, "reading a plan");
    for (size_t k = 0; k < count; k++) {
        struct document_place at = document_element(place, k);
        plan->round_count = k + 1;
        if (!round_parse(plan, &plan->rounds[k], json_array_get(value, k), &at, failure))
            return false;
    }
    return loads_complete(plan, place, failure);
}

/* The members that say what the plan is for. */
static bool head_parse(struct plan *plan, json_t *root, const struct document_place *place,
                       struct failure *failure)
{
    struct document_place kernel = document_at(place, "kernel");
    struct document_place parameters = document_at(place, "parameters");
    struct document_place scheduler = document_at(place, "scheduler");
    struct document_place tasks_place = document_at(place, "tasks");
    struct document_place block_place = document_at(place, "block");
    struct document_place real = document_at(place, "real_valued");
    struct document_place profile = document_at(place, "profile");
    struct document_place digest = document_at(place, "profile_sha256");
    struct document_place plugin = document_at(place, "plugin");
    struct document_place plugin_digest = document_at(place, "plugin_sha256");
    struct document_place threads_place = document_at(place, "threads");
    struct document_place buffers_place = document_at(place, "buffers");
    struct document_place tail = document_at(place, "tail");
    int64_t tasks = 0, threads = 0, buffers = 0;
    bool good =
        document_word(json_object_get(root, "kernel"), &kernel, &plan->kernel, failure) &&
        document_parameters(json_object_get(root, "parameters"), &parameters, &plan->parameters,
                            failure) &&
        document_word(json_object_get(root, "scheduler"), &scheduler, &plan->scheduler, failure) &&
        document_count(json_object_get(root, "tasks"), &tasks_place, 1, LIMIT_TASKS, &tasks,
                       failure) &&
        document_block(json_object_get(root, "block"), &block_place, &plan->parameters, failure) &&
        document_flag(json_object_get(root, "real_valued"), &real, &plan->real_valued, failure) &&
        document_count(json_object_get(root, "threads"), &threads_place, 1, LIMIT_THREADS, &threads,
                       failure) &&
        document_count(json_object_get(root, "buffers"), &buffers_place, 1, LIMIT_BUFFERS, &buffers,
                       failure) &&
        document_word(json_object_get(root, "tail"), &tail, &plan->tail, failure) &&
        document_word(json_object_get(root, "profile"), &profile, &plan->profile, failure) &&
        document_digest(json_object_get(root, "profile_sha256"), &digest, &plan->profile_sha256,
                        failure) &&
        document_word(json_object_get(root, "plugin"), &plugin, &plan->plugin, failure) &&
        document_digest(json_object_get(root, "plugin_sha256"), &plugin_digest,
                        &plan->plugin_sha256, failure);
    plan->tasks = (double)tasks;
    plan->threads = (int)threads;
    plan->buffers = (int)buffers;
    return good;
}

static bool plan_read(struct plan *plan, json_t *root, const struct document_place *place,
                      struct failure *failure)
{
    static const struct document_key keys[] = {
        {"schema", true},       {"kernel", true},   {"parameters", false},
        {"scheduler", true},    {"plugin", false},  {"plugin_sha256", false},
        {"tasks", true},        {"block", false},   {"profile_sha256", false},
        {"workers", true},      {"rounds", true},   {"predicted", false},
        {"real_valued", false}, {"profile", false}, {"threads", false},
        {"others", false},      {"buffers", false}, {"tail", false},
        {"beyond", false}};
    if (!document_schema(root, place, "scow-plan-1", failure) ||
        !document_keys(root, place, keys, COUNT_OF(keys), failure))
        return false;
    struct document_place workers = document_at(place, "workers");
    struct document_place rounds = document_at(place, "rounds");
    struct document_place predicted = document_at(place, "predicted");
    struct document_place others = document_at(place, "others");
    struct document_place beyond = document_at(place, "beyond");
    return head_parse(plan, root, place, failure) &&
           beyond_parse(&plan->beyond, json_object_get(root, "beyond"), &beyond, failure) &&
           workers_parse(plan, json_object_get(root, "workers"), &workers, failure) &&
           rounds_parse(plan, json_object_get(root, "rounds"), &rounds, failure) &&
           others_parse(plan, json_object_get(root, "others"), &others, failure) &&
           predicted_parse(&plan->predicted, json_object_get(root, "predicted"), &predicted,
                           failure);
}

bool plan_parse(struct plan *plan, const char *text, size_t length, const char *name,
                struct failure *failure)
{
    json_t *root = document_parse(text, length, name, failure);
    if (!root)
        return false;
    struct document_place place = {NULL, name, 0};
    struct plan read = {0};
    bool good = plan_read(&read, root, &place, failure);
    if (good)
        *plan = read;
    else
        plan_release(&read);
    json_decref(root);
    return good;
}
