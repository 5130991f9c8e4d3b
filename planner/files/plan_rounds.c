#include "planner/files/plan_rounds.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/files/elements.h"
#include "planner/model/plan.h"
#include "planner/model/selection.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Sums of fractional loads may differ from the number of core tasks by rounding. */
static const double SUM_TOLERANCE = 1e-9;
/* With more workers than this, equal loads and consecutive indices are written as runs of two
 * numbers, [load, count] and [first, last]: a plan for 100,000 workers then has kilobytes in place
 * of megabytes. */
static const int64_t RUNS_FROM = 1000;

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

bool plan_selected_parse(void *owner, json_t *value, const struct document_place *place,
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
            return document_refuse(failure, &at,
                                   "must be greater than the indices before it: sort them");
        if (!selection_add(selection, first, last))
            return failure_memory(failure, "reading a plan");
        before = last;
    }
    return true;
}

void plan_selected_print(struct text *text, const void *owner)
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

bool plan_selected_given(const void *value)
{
    const struct plan_selection *selection = value;
    return selection->count > 0;
}

/* Counts the workers of all runs (where plan->workers is NULL), or writes them to plan->workers. */
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
    assert(used > 0); /* a list has at least one run, a run at least one worker */
    plan->worker_count = used;
    return true;
}

bool plan_workers_parse(void *owner, json_t *value, const struct document_place *place,
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

/* Loads and what the master computes must add up to the plan's core tasks; only real-valued plans
 * have fractions for the master. Sums of whole loads are exact up to 2^53, and a larger sum is
 * refused because it is larger than the core tasks can be. */
static bool loads_complete(const struct plan *plan, const struct document_place *place,
                           struct failure *failure)
{
    double sum = plan->own.tasks;
    if (!plan->real_valued && plan->own.tasks != floor(plan->own.tasks))
        return document_refuse(failure, place->parent,
                               "has the master compute %.15g core tasks, which must be a whole "
                               "number: make the plan again",
                               plan->own.tasks);
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

static bool rounds_read(struct document_elements *elements, const struct document_place *place,
                        struct plan *plan, struct failure *failure)
{
    plan->rounds = calloc(elements->count, sizeof *plan->rounds);
    if (!plan->rounds)
        return failure_memory(failure, "reading a plan");
    while (elements->index < elements->count) {
        const struct document_place at = document_element(place, elements->index);
        struct plan_round *round = &plan->rounds[plan->round_count++];
        json_t *value = document_elements_next(elements, failure);
        if (!value || !round_parse(plan, round, value, &at, failure))
            return false;
    }
    return true;
}

bool plan_rounds_parse(void *owner, json_t *value, const struct document_place *place,
                       struct failure *failure)
{
    struct document_elements elements;
    const bool good = document_elements_begin(&elements, value, place, 1, failure) &&
                      rounds_read(&elements, place, owner, failure);
    document_elements_end(&elements);
    return good && loads_complete(owner, place, failure);
}

void plan_workers_print(struct text *text, const void *owner)
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

void plan_rounds_print(struct text *text, const void *owner)
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

bool plan_selected_own(void *to, const void *from)
{
    struct plan *plan = to;
    plan->selected = (struct plan_selection){.runs = NULL};
    return selection_copy(&plan->selected, &((const struct plan *)from)->selected);
}

bool plan_workers_own(void *to, const void *from)
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

/* Copies the rounds; the copy has as many as there was memory for. */
bool plan_rounds_own(void *to, const void *from)
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
