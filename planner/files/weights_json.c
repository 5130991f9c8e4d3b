#include "planner/files/weights_json.h"

#include <inttypes.h>
#include <stdlib.h>

#include "planner/base/limits.h"
#include "planner/files/elements.h"
#include "planner/files/fields.h"
#include "planner/model/plan.h"

/* ---- regions ------------------------------------------------------------------------------- */

enum { REGIONS_ON_A_LINE = 8 };

static bool region_parse(json_t *value, const struct document_place *place,
                         struct work_region *region, struct failure *failure)
{
    if (!document_array(value, place, 2, failure))
        return false;
    if (json_array_size(value) != 2)
        return document_refuse(failure, place, "must be [core tasks, weight of each]");
    struct document_place tasks = document_element(place, 0), cost = document_element(place, 1);
    return document_count(json_array_get(value, 0), &tasks, 1, LIMIT_TASKS, &region->tasks,
                          failure) &&
           document_number(json_array_get(value, 1), &cost, 0, LIMIT_TOTAL_S, &region->cost,
                           failure);
}

/* The sum is compared with the plan's core tasks only later, so each number is limited here to keep
 * the sum finite. */
static bool regions_read(struct document_elements *elements, const struct document_place *place,
                         struct work *work, struct failure *failure)
{
    work->regions = calloc(elements->count, sizeof *work->regions);
    if (!work->regions)
        return failure_memory(failure, "reading a plan");
    while (elements->index < elements->count) {
        const struct document_place at = document_element(place, elements->index);
        struct work_region *region = &work->regions[work->region_count++];
        json_t *value = document_elements_next(elements, failure);
        if (!value || !region_parse(value, &at, region, failure))
            return false;
        if (region->tasks > LIMIT_TASKS - work->tasks)
            return document_refuse(failure, &at, "has more core tasks than a job may have");
        work->tasks += region->tasks;
    }
    return true;
}

static bool regions_parse(void *owner, json_t *value, const struct document_place *place,
                          struct failure *failure)
{
    struct work *work = &((struct task_weights *)owner)->work;
    struct document_elements elements;
    if (!value)
        return true;
    const bool good = document_elements_begin(&elements, value, place, 1, failure) &&
                      regions_read(&elements, place, work, failure);
    document_elements_end(&elements);
    if (!good)
        return false;
    if (!work_settle(work))
        return document_refuse(failure, place, "must not all have the weight 0");
    work_share(work);
    return true;
}

static void regions_print(struct text *text, const void *owner)
{
    const struct work *work = &((const struct task_weights *)owner)->work;
    for (size_t k = 0; k < work->region_count; k++) {
        text_add(text, "%s%s[%" PRId64 ", ", k > 0 ? ", " : "[",
                 k % REGIONS_ON_A_LINE == 0 ? "\n    " : "", work_region_tasks(work, k));
        text_add_number(text, work_region_cost(work, k));
        text_add(text, "]");
    }
    text_add(text, "]");
}

/* ---- weights ------------------------------------------------------------------------------- */

/* Core tasks that are alike have no regions; the plan says how many there are. */
static bool regions_given(const void *value)
{
    return work_differs(value);
}

static bool mean_given(const void *value)
{
    return *(const double *)value != 1;
}

#define AT(member) offsetof(struct task_weights, member)
#define COMMON_FIELDS                                                                              \
    {"source", FIELD_WORD, AT(source), .flags = FIELD_REQUIRED},                                   \
        {"sha256", FIELD_DIGEST, AT(sha256), .flags = FIELD_REQUIRED},                             \
        {"deviation", FIELD_NUMBER, AT(deviation), 0, LIMIT_TOTAL_S, .flags = FIELD_REQUIRED},     \
    {                                                                                              \
        "mean", FIELD_NUMBER, AT(mean), 1e-12, LIMIT_TOTAL_S, .given = mean_given                  \
    }

static const struct field bytes_fields[] = {
    COMMON_FIELDS,
    {"regions", FIELD_OTHER, 0, .flags = FIELD_REQUIRED, .parse = regions_parse,
     .print = regions_print},
};
static const struct field_table bytes_table = {FIELD_TABLE(bytes_fields)};

static bool bytes_parse(void *owner, json_t *value, const struct document_place *place,
                        struct failure *failure)
{
    struct task_weights *weights = owner;
    if (!value)
        return true;
    weights->bytes = calloc(1, sizeof *weights->bytes);
    if (!weights->bytes)
        return failure_memory(failure, "reading a plan");
    weights->bytes->mean = 1;
    return field_table_parse(weights->bytes, value, place, &bytes_table, failure);
}

static void bytes_print(struct text *text, const void *owner)
{
    field_table_print(text, ((const struct task_weights *)owner)->bytes, &bytes_table);
}

static const struct field weights_fields[] = {
    COMMON_FIELDS,
    {"regions", FIELD_OTHER, AT(work), .given = regions_given, .parse = regions_parse,
     .print = regions_print},
    {"bytes", FIELD_OTHER, AT(bytes), .given = weights_json_given, .parse = bytes_parse,
     .print = bytes_print},
};
#undef COMMON_FIELDS
#undef AT
static const struct field_table weights_table = {FIELD_TABLE(weights_fields)};

static bool tasks_check(const struct task_weights *weights, double tasks,
                        const struct document_place *place, struct failure *failure)
{
    return (double)weights->work.tasks == tasks ||
           document_refuse(failure, place,
                           "has weights of %" PRId64 " core tasks, but the plan is for %.15g: make "
                           "the plan again",
                           weights->work.tasks, tasks);
}

bool weights_json_parse(void *owner, json_t *value, const struct document_place *place,
                        struct failure *failure)
{
    struct plan *plan = owner;
    if (!value)
        return true;
    plan->weights = calloc(1, sizeof *plan->weights);
    if (!plan->weights)
        return failure_memory(failure, "reading a plan");
    plan->weights->mean = 1;
    if (!field_table_parse(plan->weights, value, place, &weights_table, failure))
        return false;
    if (!work_differs(&plan->weights->work))
        plan->weights->work.tasks = (int64_t)plan->tasks;
    return tasks_check(plan->weights, plan->tasks, place, failure) &&
           (!plan->weights->bytes ||
            tasks_check(plan->weights->bytes, plan->tasks, place, failure));
}

void weights_json_print(struct text *text, const void *owner)
{
    field_table_print(text, ((const struct plan *)owner)->weights, &weights_table);
}

bool weights_json_given(const void *value)
{
    return *(struct task_weights *const *)value != NULL;
}

bool weights_json_own(void *to, const void *from)
{
    const struct plan *source = from;
    struct plan *plan = to;
    plan->weights = source->weights ? weights_copy(source->weights) : NULL;
    return plan->weights || !source->weights;
}
