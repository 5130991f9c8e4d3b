#include "planner/files/weights_json.h"

#include <inttypes.h>
#include <stdlib.h>

#include "planner/base/limits.h"
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

/* That the sum is checked against the plan's tasks later must not let it grow beyond all numbers.
 */
static bool regions_parse(void *owner, json_t *value, const struct document_place *place,
                          struct failure *failure)
{
    struct work *work = &((struct task_weights *)owner)->work;
    if (!document_array(value, place, 1, failure))
        return false;
    work->regions = calloc(json_array_size(value), sizeof *work->regions);
    if (!work->regions)
        return failure_memory(failure, "reading a plan");
    for (size_t k = 0; k < json_array_size(value); k++) {
        const struct document_place at = document_element(place, k);
        struct work_region *region = &work->regions[work->region_count++];
        if (!region_parse(json_array_get(value, k), &at, region, failure))
            return false;
        if (region->tasks > LIMIT_TASKS - work->tasks)
            return document_refuse(failure, &at, "has more core tasks than a job may have");
        work->tasks += region->tasks;
    }
    return work_settle(work) || document_refuse(failure, place, "must weigh something together");
}

static void regions_print(struct text *text, const void *owner)
{
    const struct work *work = &((const struct task_weights *)owner)->work;
    for (size_t k = 0; k < work->region_count; k++) {
        text_add(text, "%s%s[%" PRId64 ", ", k > 0 ? ", " : "[",
                 k % REGIONS_ON_A_LINE == 0 ? "\n    " : "", work->regions[k].tasks);
        text_add_number(text, work->regions[k].cost);
        text_add(text, "]");
    }
    text_add(text, "]");
}

/* ---- weights ------------------------------------------------------------------------------- */

static bool mean_given(const void *value)
{
    return *(const double *)value != 1;
}

#define AT(member) offsetof(struct task_weights, member)
static const struct field weights_fields[] = {
    {"source", FIELD_WORD, AT(source), .flags = FIELD_REQUIRED},
    {"sha256", FIELD_DIGEST, AT(sha256), .flags = FIELD_REQUIRED},
    {"deviation", FIELD_NUMBER, AT(deviation), 0, LIMIT_TOTAL_S, .flags = FIELD_REQUIRED},
    {"mean", FIELD_NUMBER, AT(mean), 1e-12, LIMIT_TOTAL_S, .given = mean_given},
    {"regions", FIELD_OTHER, 0, .flags = FIELD_REQUIRED, .parse = regions_parse,
     .print = regions_print},
};
#undef AT
static const struct field_table weights_table = {FIELD_TABLE(weights_fields)};

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
    return (double)plan->weights->work.tasks == plan->tasks ||
           document_refuse(failure, place,
                           "has weights of %" PRId64 " core tasks, but the plan is for %.15g: make "
                           "the plan again",
                           plan->weights->work.tasks, plan->tasks);
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
