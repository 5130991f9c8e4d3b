#include "planner/files/plan_json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/files/fields.h"
#include "planner/files/weights_json.h"
#include "planner/model/selection.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Fractional loads may miss the tasks by their rounding. */
static const double SUM_TOLERANCE = 1e-9;
/* Above that many workers, equal loads and consecutive indices are written as runs of two numbers,
 * [load, count] and [first, last]: a plan for 100,000 workers then is kilobytes, not megabytes. */
static const int64_t RUNS_FROM = 1000;

/* ---- what is predicted --------------------------------------------------------------------- */

static bool interval_parse(void *owner, json_t *value, const struct document_place *place,
                           struct failure *failure)
{
    double *interval_s = ((struct plan_prediction *)owner)->interval_s;
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

static void interval_print(struct text *text, const void *owner)
{
    const struct plan_prediction *predicted = owner;
    text_add(text, "[");
    text_add_number(text, predicted->interval_s[0]);
    text_add(text, ", ");
    text_add_number(text, predicted->interval_s[1]);
    text_add(text, "]");
}

static bool interval_given(const void *value)
{
    const struct plan_prediction *predicted = value;
    return predicted->interval_s[1] > 0;
}

#define AT(member) offsetof(struct plan_prediction, member)
static const struct field predicted_fields[] = {
    {"makespan_s", FIELD_NUMBER, AT(makespan_s), 0, LIMIT_TOTAL_S, .flags = FIELD_REQUIRED},
    {"period_s", FIELD_NUMBER, AT(period_s), 0, LIMIT_TOTAL_S, .flags = 0},
    {"worker_utilization", FIELD_NUMBER, AT(worker_utilization), 0, LIMIT_TOTAL_S, .flags = 0},
    {"master_utilization", FIELD_NUMBER, AT(master_utilization), 0, LIMIT_TOTAL_S, .flags = 0},
    {"utilization", FIELD_NUMBER, AT(utilization), 0, LIMIT_TOTAL_S, .flags = 0},
    {"worker_busy_share", FIELD_NUMBER, AT(worker_busy_share), 0, LIMIT_TOTAL_S, .flags = 0},
    {"network_utilization", FIELD_NUMBER, AT(network_utilization), 0, LIMIT_TOTAL_S, .flags = 0},
    {"lower_bound_s", FIELD_NUMBER, AT(lower_bound_s), 0, LIMIT_TOTAL_S, .flags = 0},
    {"gap", FIELD_NUMBER, AT(gap), -1, LIMIT_TOTAL_S, .flags = 0},
    {"output_s", FIELD_NUMBER, AT(output_s), 0, LIMIT_TOTAL_S, .flags = 0},
    {"cpu_s", FIELD_NUMBER, AT(cpu_s), 0, LIMIT_CHARGE, .flags = FIELD_NONZERO},
    {"charge", FIELD_NUMBER, AT(charge), 0, LIMIT_CHARGE, .flags = FIELD_NONZERO},
    {"energy_j", FIELD_NUMBER, AT(energy_j), 0, LIMIT_CHARGE, .flags = FIELD_NONZERO},
    {"turnaround_s", FIELD_NUMBER, AT(turnaround_s), 0, LIMIT_TOTAL_S, .flags = FIELD_NONZERO},
    {"interval", FIELD_OTHER, 0, .given = interval_given, .parse = interval_parse,
     .print = interval_print},
};
#undef AT

static bool predicted_known(void *object, const struct document_place *place,
                            struct failure *failure)
{
    struct plan_prediction *predicted = object;
    (void)place;
    (void)failure;
    predicted->known = true;
    return true;
}

static const struct field_table predicted_table = {FIELD_TABLE(predicted_fields),
                                                   .check = predicted_known};

static bool predicted_given(const void *value)
{
    const struct plan_prediction *predicted = value;
    return predicted->known;
}

#define AT(member) offsetof(struct plan_other, member)
static const struct field other_fields[] = {
    {"block", FIELD_BLOCK, AT(parameters), .flags = 0},
    {"parameters", FIELD_PARAMETERS, AT(parameters), .flags = 0},
    {"threads", FIELD_INT, AT(threads), 1, LIMIT_THREADS, .flags = FIELD_NONZERO},
    {"makespan_s", FIELD_NUMBER, AT(makespan_s), 0, LIMIT_TOTAL_S, .flags = FIELD_REQUIRED},
};
#undef AT
static const struct field_table other_table = {FIELD_TABLE(other_fields)};
static const struct field_list others_list = {sizeof(struct plan_other),
                                              offsetof(struct plan, other_count), 4, NULL, NULL};

#define AT(member) offsetof(struct plan_shared, member)
static const struct field shared_fields[] = {
    {"first_rank", FIELD_COUNT, AT(first_rank), 1, LIMIT_WORKERS, .flags = FIELD_REQUIRED},
    {"last_rank", FIELD_COUNT, AT(last_rank), 1, LIMIT_WORKERS, .flags = FIELD_REQUIRED},
    {"share", FIELD_NUMBER, AT(share), 1e-6, 1e6, .flags = FIELD_REQUIRED},
    {"deviation", FIELD_NUMBER, AT(deviation), 0, LIMIT_DEVIATION, .flags = FIELD_REQUIRED},
};
#undef AT
static const struct field_table shared_table = {FIELD_TABLE(shared_fields)};
static const struct field_list shared_list = {sizeof(struct plan_shared),
                                              offsetof(struct plan, shared_count), 4, NULL, NULL};

/* ---- whom the profile did not measure ------------------------------------------------------ */

static int64_t beyond_most(const void *owner)
{
    const struct plan_beyond *beyond = owner;
    return LIMIT_WORKERS - beyond->measured;
}

static int64_t rank_most(const void *owner)
{
    const struct plan_beyond *beyond = owner;
    return beyond->measured;
}

#define AT(member) offsetof(struct plan_beyond, member)
static const struct field beyond_fields[] = {
    {"measured", FIELD_COUNT, AT(measured), 1, LIMIT_WORKERS - 1, .flags = FIELD_REQUIRED},
    {"workers", FIELD_COUNT, AT(workers), 1, 0, FIELD_REQUIRED, .most = beyond_most},
    {"rank", FIELD_COUNT, AT(rank), 1, 0, FIELD_REQUIRED, .most = rank_most},
    {"class", FIELD_WORD, AT(name), .flags = 0},
};
#undef AT
static const struct field_table beyond_table = {FIELD_TABLE(beyond_fields)};

/* ---- how many workers it is worth ---------------------------------------------------------- */

#define AT(member) offsetof(struct plan_choice, member)
static const struct field choice_fields[] = {
    {"workers", FIELD_COUNT, AT(workers), 1, LIMIT_WORKERS, .flags = FIELD_NONZERO},
    {"mp_workers", FIELD_COUNT, AT(mp_workers), 1, LIMIT_WORKERS, .flags = FIELD_NONZERO},
    {"mp_makespan_s", FIELD_NUMBER, AT(mp_makespan_s), 0, LIMIT_TOTAL_S, .flags = FIELD_NONZERO},
    {"mp_worker_utilization", FIELD_NUMBER, AT(mp_worker_utilization), 0, LIMIT_TOTAL_S,
     .flags = FIELD_NONZERO},
    {"pwu_workers", FIELD_COUNT, AT(pwu_workers), 1, LIMIT_WORKERS, .flags = FIELD_NONZERO},
    {"pwu_makespan_s", FIELD_NUMBER, AT(pwu_makespan_s), 0, LIMIT_TOTAL_S, .flags = FIELD_NONZERO},
    {"pwu_worker_utilization", FIELD_NUMBER, AT(pwu_worker_utilization), 0, LIMIT_TOTAL_S,
     .flags = FIELD_NONZERO},
    {"send_s_per_task", FIELD_NUMBER, AT(send_s_per_task), 0, LIMIT_TOTAL_S,
     .flags = FIELD_NONZERO},
    {"compute_s_per_task", FIELD_NUMBER, AT(compute_s_per_task), 0, LIMIT_TOTAL_S,
     .flags = FIELD_NONZERO},
};
#undef AT
static const struct field_table choice_table = {FIELD_TABLE(choice_fields)};

/* ---- workers and rounds -------------------------------------------------------------------- */

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

static bool selected_parse(void *owner, json_t *value, const struct document_place *place,
                           struct failure *failure)
{
    struct plan_selection *selection = &((struct plan *)owner)->selected;
    if (!value)
        return true;
    if (!document_array(value, place, 1, failure))
        return false;
    int64_t before = -1;
    for (size_t k = 0; k < json_array_size(value); k++) {
        const struct document_place at = document_element(place, k);
        int64_t first = 0, last = 0;
        if (!worker_run(json_array_get(value, k), &at, &first, &last, failure))
            return false;
        if (first <= before)
            return document_refuse(failure, &at, "must come behind the workers before it");
        if (!selection_add(selection, first, last))
            return failure_memory(failure, "reading a plan");
        before = last;
    }
    return true;
}

static void selected_print(struct text *text, const void *owner)
{
    const struct plan_selection *selection = &((const struct plan *)owner)->selected;
    for (size_t k = 0; k < selection->count; k++) {
        const struct plan_run *run = &selection->runs[k];
        text_add(text, "%s", k > 0 ? ", " : "[");
        if (run->last > run->first)
            text_add(text, "[%" PRId64 ", %" PRId64 "]", run->first, run->last);
        else
            text_add(text, "%" PRId64, run->first);
    }
    text_add(text, "]");
}

static bool selected_given(const void *value)
{
    const struct plan_selection *selection = value;
    return selection->count > 0;
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

static bool workers_parse(void *owner, json_t *value, const struct document_place *place,
                          struct failure *failure)
{
    struct plan *plan = owner;
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

static bool rounds_parse(void *owner, json_t *value, const struct document_place *place,
                         struct failure *failure)
{
    struct plan *plan = owner;
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

static void workers_print(struct text *text, const void *owner)
{
    const struct plan *plan = owner;
    text_add(text, "[");
    for (int64_t slot = 0; slot < plan->worker_count;) {
        int64_t end = slot + 1;
        while (plan->worker_count > RUNS_FROM && end < plan->worker_count &&
               plan->workers[end] == plan->workers[end - 1] + 1)
            end++;
        text_add(text, "%s", slot > 0 ? ", " : "");
        if (end - slot > 1)
            text_add(text, "[%" PRId64 ", %" PRId64 "]", plan->workers[slot],
                     plan->workers[end - 1]);
        else
            text_add(text, "%" PRId64, plan->workers[slot]);
        slot = end;
    }
    text_add(text, "]");
}

static void loads_print(struct text *text, const struct plan *plan, const double *loads)
{
    for (int64_t slot = 0; slot < plan->worker_count;) {
        int64_t end = slot + 1;
        while (plan->worker_count > RUNS_FROM && end < plan->worker_count &&
               loads[end] == loads[slot])
            end++;
        text_add(text, "%s", slot > 0 ? ", " : "");
        text_add(text, "%s", end - slot > 1 ? "[" : "");
        text_add_number(text, loads[slot]);
        if (end - slot > 1)
            text_add(text, ", %" PRId64 "]", end - slot);
        slot = end;
    }
}

static void rounds_print(struct text *text, const void *owner)
{
    const struct plan *plan = owner;
    text_add(text, "[\n");
    for (size_t k = 0; k < plan->round_count; k++) {
        const struct plan_round *round = &plan->rounds[k];
        text_add(text, "    {\"repeat\": %" PRId64 ", \"loads\": [", round->repeat);
        loads_print(text, plan, round->loads);
        text_add(text, "]}%s\n", k + 1 < plan->round_count ? "," : "");
    }
    text_add(text, "  ]");
}

static bool selected_own(void *to, const void *from)
{
    struct plan *plan = to;
    plan->selected = (struct plan_selection){.runs = NULL};
    return selection_copy(&plan->selected, &((const struct plan *)from)->selected);
}

static bool workers_own(void *to, const void *from)
{
    const struct plan *source = from;
    const size_t bytes = (size_t)source->worker_count * sizeof *source->workers;
    struct plan *plan = to;
    plan->workers = malloc(bytes);
    if (plan->workers)
        memcpy(plan->workers, source->workers, bytes);
    else
        plan->worker_count = 0;
    return plan->workers != NULL;
}

/* A plan with the rounds that there was memory for. */
static bool rounds_own(void *to, const void *from)
{
    const struct plan *source = from;
    const size_t bytes = (size_t)source->worker_count * sizeof *source->rounds[0].loads;
    struct plan *plan = to;
    plan->rounds = calloc(source->round_count, sizeof *plan->rounds);
    plan->round_count = 0;
    while (plan->rounds && plan->round_count < source->round_count) {
        const struct plan_round *round = &source->rounds[plan->round_count];
        double *loads = malloc(bytes);
        if (!loads)
            return false;
        memcpy(loads, round->loads, bytes);
        plan->rounds[plan->round_count++] = (struct plan_round){round->repeat, loads};
    }
    return plan->rounds != NULL;
}

/* ---- masters side by side ------------------------------------------------------------------ */

#define AT(member) offsetof(struct plan, member)
static const struct field star_fields[] = {
    {"master", FIELD_COUNT, AT(master), 1, LIMIT_WORKERS, .flags = FIELD_NONZERO},
    {"scheduler", FIELD_WORD, AT(scheduler), .flags = FIELD_REQUIRED},
    {"tasks", FIELD_WHOLE, AT(tasks), 1, LIMIT_TASKS, .flags = FIELD_REQUIRED},
    {"workers", FIELD_OTHER, 0, .flags = FIELD_REQUIRED, .parse = workers_parse,
     .print = workers_print, .own = workers_own},
    {"rounds", FIELD_OTHER, 0, .flags = FIELD_REQUIRED, .parse = rounds_parse,
     .print = rounds_print, .own = rounds_own},
    {"predicted", FIELD_OBJECT, AT(predicted), .table = &predicted_table, .given = predicted_given},
};
#undef AT
static const struct field_table star_table = {FIELD_TABLE(star_fields), .indent = 6};

/* Ranks of a plan's masters and workers, each of which may stand there once. */
static bool ranks_distinct(const struct plan *plan, const struct document_place *place,
                           struct failure *failure)
{
    int64_t count = 0;
    for (size_t k = 0; k < plan->star_count; k++)
        count += 1 + plan->stars[k].worker_count;
    assert(count > 0); /* of two stars at least */
    int64_t *ranks = malloc((size_t)count * sizeof *ranks), *next = ranks;
    if (!ranks)
        return failure_memory(failure, "reading a plan");
    for (size_t k = 0; k < plan->star_count; k++) {
        const struct plan *star = &plan->stars[k];
        *next++ = star->master;
        for (int64_t slot = 0; slot < star->worker_count; slot++)
            *next++ = star->workers[slot] + 1;
    }
    qsort(ranks, (size_t)count, sizeof *ranks, worker_compare);
    bool good = true;
    for (int64_t k = 1; good && k < count; k++)
        if (ranks[k] == ranks[k - 1])
            good = document_refuse(failure, place,
                                   "rank %" PRId64 " stands there twice, as a master or a worker: "
                                   "have it do one thing",
                                   ranks[k]);
    free(ranks);
    return good;
}

/* What all of them together must be. */
static bool stars_check(const struct plan *plan, const struct document_place *place,
                        struct failure *failure)
{
    double tasks = 0;
    for (size_t k = 0; k < plan->star_count; k++)
        tasks += plan->stars[k].tasks;
    if (tasks != plan->tasks)
        return document_refuse(
            failure, place,
            "have %.15g core tasks together, but the plan is for %.15g: make the "
            "plan again",
            tasks, plan->tasks);
    if (plan->stars[0].master != 0)
        return document_refuse(failure, place,
                               "the first one's master must be rank 0: leave its key out");
    return ranks_distinct(plan, place, failure);
}

static bool stars_parse(void *owner, json_t *value, const struct document_place *place,
                        struct failure *failure)
{
    struct plan *plan = owner;
    if (!value)
        return true;
    if (!document_array(value, place, 2, failure))
        return false;
    const size_t count = json_array_size(value);
    plan->stars = calloc(count, sizeof *plan->stars);
    if (!plan->stars)
        return failure_memory(failure, "reading a plan");
    for (size_t k = 0; k < count; k++) {
        const struct document_place at = document_element(place, k);
        struct plan *star = &plan->stars[plan->star_count++];
        star->real_valued = plan->real_valued;
        if (!field_table_parse(star, json_array_get(value, k), &at, &star_table, failure))
            return false;
    }
    plan_inherit(plan);
    return stars_check(plan, place, failure);
}

static void stars_print(struct text *text, const void *owner)
{
    const struct plan *plan = owner;
    text_add(text, "[\n    ");
    for (size_t k = 0; k < plan->star_count; k++) {
        text_add(text, k > 0 ? ",\n    " : "");
        field_table_print(text, &plan->stars[k], &star_table);
    }
    text_add(text, "\n  ]");
}

static bool stars_given(const void *value)
{
    return *(const size_t *)value > 0;
}

/* Those that there was memory for. */
static bool stars_own(void *to, const void *from)
{
    const struct plan *source = from;
    struct plan *plan = to;
    plan->stars = source->star_count > 0 ? calloc(source->star_count, sizeof *plan->stars) : NULL;
    plan->star_count = 0;
    bool good = plan->stars || source->star_count == 0;
    while (good && plan->star_count < source->star_count) {
        const size_t k = plan->star_count++;
        good =
            field_table_copy(&plan->stars[k], &source->stars[k], sizeof *plan->stars, &star_table);
    }
    return good;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* A plan has workers and rounds, or stars that have them. */
static bool own_check(const struct plan *plan, const json_t *value,
                      const struct document_place *place, struct failure *failure)
{
    if ((plan->star_count > 0) != (value != NULL))
        return true;
    return value ? document_refuse(failure, place, "stand in the stars: remove these")
                 : document_refuse(failure, place->parent, "the key '%s' is missing: add it",
                                   place->name);
}

static bool own_workers_parse(void *owner, json_t *value, const struct document_place *place,
                              struct failure *failure)
{
    return own_check(owner, value, place, failure) &&
           (!value || workers_parse(owner, value, place, failure));
}

static bool own_rounds_parse(void *owner, json_t *value, const struct document_place *place,
                             struct failure *failure)
{
    return own_check(owner, value, place, failure) &&
           (!value || rounds_parse(owner, value, place, failure));
}

static bool workers_given(const void *value)
{
    return *(int64_t *const *)value != NULL;
}

static bool rounds_given(const void *value)
{
    return *(struct plan_round *const *)value != NULL;
}

static bool own_workers_own(void *to, const void *from)
{
    return !((const struct plan *)from)->workers || workers_own(to, from);
}

static bool own_rounds_own(void *to, const void *from)
{
    return !((const struct plan *)from)->rounds || rounds_own(to, from);
}

#define AT(member) offsetof(struct plan, member)
static const struct field plan_fields[] = {
    {"kernel", FIELD_WORD, AT(kernel), .flags = FIELD_REQUIRED},
    {"parameters", FIELD_PARAMETERS, AT(parameters), .flags = 0},
    {"scheduler", FIELD_WORD, AT(scheduler), .flags = FIELD_REQUIRED},
    {"objective", FIELD_WORD, AT(objective), .flags = 0},
    {"deadline_s", FIELD_NUMBER, AT(deadline_s), 0, LIMIT_TOTAL_S, .flags = FIELD_NONZERO},
    {"budget", FIELD_NUMBER, AT(budget), 0, LIMIT_CHARGE, .flags = FIELD_NONZERO},
    {"tasks", FIELD_WHOLE, AT(tasks), 1, LIMIT_TASKS, .flags = FIELD_REQUIRED},
    {"block", FIELD_BLOCK, AT(parameters), .flags = 0},
    {"threads", FIELD_INT, AT(threads), 1, LIMIT_THREADS, .flags = FIELD_NONZERO},
    {"buffers", FIELD_INT, AT(buffers), 1, LIMIT_BUFFERS, .flags = FIELD_NONZERO},
    {"tail", FIELD_WORD, AT(tail), .flags = 0},
    {"model", FIELD_MODEL, AT(operating), .flags = 0},
    {"plugin", FIELD_WORD, AT(plugin), .flags = 0},
    {"plugin_sha256", FIELD_DIGEST, AT(plugin_sha256), .flags = 0},
    {"real_valued", FIELD_FLAG, AT(real_valued), .flags = 0},
    {"profile", FIELD_WORD, AT(profile), .flags = 0},
    {"profile_sha256", FIELD_DIGEST, AT(profile_sha256), .flags = 0},
    {"beyond", FIELD_OBJECT, AT(beyond), .table = &beyond_table, .flags = FIELD_SPARSE},
    {"selected", FIELD_OTHER, AT(selected), .given = selected_given, .parse = selected_parse,
     .print = selected_print, .own = selected_own},
    {"stars", FIELD_OTHER, AT(star_count), .given = stars_given, .parse = stars_parse,
     .print = stars_print, .own = stars_own},
    {"workers", FIELD_OTHER, AT(workers), .given = workers_given, .parse = own_workers_parse,
     .print = workers_print, .own = own_workers_own},
    {"rounds", FIELD_OTHER, AT(rounds), .given = rounds_given, .parse = own_rounds_parse,
     .print = rounds_print, .own = own_rounds_own},
    {"weights", FIELD_OTHER, AT(weights), .flags = 0, .given = weights_json_given,
     .parse = weights_json_parse, .print = weights_json_print, .own = weights_json_own},
    {"shared", FIELD_LIST, AT(shared), .table = &shared_table, .list = &shared_list,
     .flags = FIELD_SPARSE},
    {"predicted", FIELD_OBJECT, AT(predicted), .table = &predicted_table, .given = predicted_given},
    {"choice", FIELD_OBJECT, AT(choice), .table = &choice_table, .flags = FIELD_SPARSE},
    {"others", FIELD_LIST, AT(others), .table = &other_table, .list = &others_list,
     .flags = FIELD_SPARSE},
};
#undef AT
static const struct field_table plan_table = {FIELD_TABLE(plan_fields), 2, "scow-plan-1", NULL};

static bool masters_refuse(const struct plan *plan, const struct document_place *place,
                           struct failure *failure)
{
    return document_refuse(failure, place,
                           "has %zu masters side by side, which can be shown and simulated only: "
                           "plan without --masters",
                           plan->star_count);
}

static bool read_plan(struct plan *plan, const char *text, size_t length, const char *name,
                      bool any, struct failure *failure)
{
    const struct document_place place = {NULL, name, 0};
    struct plan read = {0};
    const bool good = field_table_read(&read, text, length, name, &plan_table, failure) &&
                      (any || read.star_count == 0 || masters_refuse(&read, &place, failure));
    if (good)
        *plan = read;
    else
        plan_release(&read);
    return good;
}

bool plan_parse(struct plan *plan, const char *text, size_t length, const char *name,
                struct failure *failure)
{
    return read_plan(plan, text, length, name, false, failure);
}

bool plan_parse_any(struct plan *plan, const char *text, size_t length, const char *name,
                    struct failure *failure)
{
    return read_plan(plan, text, length, name, true, failure);
}

bool plan_copy(struct plan *to, const struct plan *from)
{
    return field_table_copy(to, from, sizeof *to, &plan_table);
}

bool plan_equal(const struct plan *a, const struct plan *b)
{
    return field_table_equal(a, b, &plan_table);
}

char *plan_print(const struct plan *plan)
{
    struct text text = TEXT_INIT;
    field_table_print(&text, plan, &plan_table);
    text_add(&text, "\n");
    return text_take(&text);
}
