#include "planner/files/strips_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/files/fields.h"
#include "planner/files/shared_json.h"

/* ---- the plan ------------------------------------------------------------------------------ */

#define AT(member) offsetof(struct strip, member)
static const struct field strip_fields[] = {
    {"rank", FIELD_COUNT, AT(rank), 1, LIMIT_WORKERS, .flags = FIELD_REQUIRED},
    {"columns", FIELD_COUNT, AT(columns), 1, (double)STRIPS_COLUMNS_MOST, .flags = FIELD_REQUIRED},
    {"compute_s", FIELD_NUMBER, AT(compute_s), 0, LIMIT_TOTAL_S, .flags = 0},
    {"exchange_s", FIELD_NUMBER, AT(exchange_s), 0, LIMIT_TOTAL_S, .flags = 0},
};
#undef AT
static const struct field_table strip_table = {FIELD_TABLE(strip_fields)};
static const struct field_list strips_list = {
    sizeof(struct strip), offsetof(struct strips_plan, strip_count), 4, NULL, NULL};

#define AT(member) offsetof(struct strips_prediction, member)
static const struct field predicted_fields[] = {
    {"step_s", FIELD_NUMBER, AT(step_s), 0, LIMIT_TOTAL_S, .flags = FIELD_REQUIRED},
    {"test_s", FIELD_NUMBER, AT(test_s), 0, LIMIT_TOTAL_S, .flags = FIELD_REQUIRED},
    {"gather_s", FIELD_NUMBER, AT(gather_s), 0, LIMIT_TOTAL_S, .flags = FIELD_REQUIRED},
    {"total_s", FIELD_NUMBER, AT(total_s), 0, LIMIT_TOTAL_S, .flags = FIELD_REQUIRED},
};
#undef AT
static const struct field_table predicted_table = {FIELD_TABLE(predicted_fields)};

/* Strips must be listed in the order of the grid, and a rank may have only one. */
static bool plan_check(void *object, const struct document_place *place, struct failure *failure)
{
    const struct strips_plan *plan = object;
    int64_t columns = 0, greatest = 0;
    for (size_t k = 0; k < plan->strip_count; k++) {
        columns += plan->strips[k].columns;
        greatest = plan->strips[k].rank > greatest ? plan->strips[k].rank : greatest;
    }
    if (plan->strip_count > STRIPS_WORKERS_MOST)
        return document_refuse(failure, place, "has %zu strips, and can have %d at most",
                               plan->strip_count, STRIPS_WORKERS_MOST);
    if (columns != plan->job.columns)
        return document_refuse(failure, place,
                               "its strips have %" PRId64 " columns together, and the grid has "
                               "%" PRId64 ": plan again",
                               columns, plan->job.columns);
    bool *seen = calloc((size_t)greatest + 1, sizeof *seen);
    if (!seen)
        return failure_memory(failure, "reading JSON");
    for (size_t k = 0; k < plan->strip_count && failure->code == FAILURE_NONE; k++) {
        bool *before = &seen[plan->strips[k].rank];
        if (*before)
            document_refuse(failure, place, "gives rank %" PRId64 " two strips: plan again",
                            plan->strips[k].rank);
        *before = true;
    }
    free(seen);
    return failure->code == FAILURE_NONE;
}

static const struct field_list shared_list = {
    sizeof(struct plan_shared), offsetof(struct strips_plan, shared_count), 4, NULL, NULL};

#define AT(member) offsetof(struct strips_plan, member)
static const struct field plan_fields[] = {
    {"kernel", FIELD_WORD, AT(kernel), .flags = FIELD_REQUIRED},
    {"parameters", FIELD_PARAMETERS, AT(parameters), .flags = 0},
    {"rows", FIELD_COUNT, AT(job.rows), 1, STRIPS_ROWS_MOST, .flags = FIELD_REQUIRED},
    {"columns", FIELD_COUNT, AT(job.columns), 1, (double)STRIPS_COLUMNS_MOST,
     .flags = FIELD_REQUIRED},
    {"iterations", FIELD_COUNT, AT(job.iterations), 1, (double)STRIPS_ITERATIONS_MOST,
     .flags = FIELD_REQUIRED},
    {"every", FIELD_COUNT, AT(job.every), 1, (double)STRIPS_ITERATIONS_MOST,
     .flags = FIELD_REQUIRED},
    {"tolerance", FIELD_NUMBER, AT(job.tolerance), 0, 1e300, .flags = FIELD_NONZERO},
    {"keep", FIELD_FLAG, AT(job.keep), .flags = 0},
    {"threads", FIELD_COUNT, AT(threads), 1, LIMIT_THREADS, .flags = FIELD_NONZERO},
    {"profile", FIELD_WORD, AT(profile), .flags = 0},
    {"profile_sha256", FIELD_DIGEST, AT(profile_sha256), .flags = 0},
    {"shared", FIELD_LIST, AT(shared), .table = &shared_json_table, .list = &shared_list,
     .flags = FIELD_SPARSE},
    {"strips", FIELD_LIST, AT(strips), .table = &strip_table, .list = &strips_list,
     .flags = FIELD_REQUIRED},
    {"predicted", FIELD_OBJECT, AT(predicted), .table = &predicted_table, .flags = FIELD_SPARSE},
};
#undef AT
static const struct field_table plan_table = {FIELD_TABLE(plan_fields), 2, STRIPS_SCHEMA,
                                              plan_check};

/* Plans may be long: only those in whose text this occurs are parsed to see whether they are of
 * strips. */
static bool schema_occurs(const char *text, size_t length)
{
    static const char word[] = "\"" STRIPS_SCHEMA "\"";
    const size_t size = sizeof word - 1;
    const char *at = text, *end = text + length;
    while (at && (size_t)(end - at) >= size && memcmp(at, word, size) != 0)
        at = memchr(at + 1, word[0], (size_t)(end - at) - 1);
    return at && (size_t)(end - at) >= size;
}

bool strips_is(const char *text, size_t length)
{
    struct failure ignored = FAILURE_INIT;
    if (!schema_occurs(text, length))
        return false;
    json_t *root = document_parse(text, length, "", &ignored);
    const char *schema = json_string_value(json_object_get(root, "schema"));
    const bool is = schema && strcmp(schema, STRIPS_SCHEMA) == 0;
    json_decref(root);
    return is;
}

bool strips_parse(struct strips_plan *plan, const char *text, size_t length, const char *name,
                  struct failure *failure)
{
    struct strips_plan read = {.kernel = NULL};
    const bool good = field_table_read(&read, text, length, name, &plan_table, failure);
    if (good)
        *plan = read;
    else
        strips_plan_release(&read);
    return good;
}

char *strips_print(const struct strips_plan *plan)
{
    struct text text = TEXT_INIT;
    field_table_print(&text, plan, &plan_table);
    text_add(&text, "\n");
    return text_take(&text);
}

/* ---- what was measured --------------------------------------------------------------------- */

#define AT(member) offsetof(struct strip_measured, member)
static const struct field strip_measured_fields[] = {
    {"rank", FIELD_COUNT, AT(rank), 1, LIMIT_WORKERS, .flags = FIELD_REQUIRED},
    {"columns", FIELD_COUNT, AT(columns), 0, (double)STRIPS_COLUMNS_MOST, .flags = FIELD_REQUIRED},
    {"compute_s", FIELD_NUMBER, AT(compute_s), 0, LIMIT_TOTAL_S, .flags = FIELD_REQUIRED},
    {"wait_s", FIELD_NUMBER, AT(wait_s), 0, LIMIT_TOTAL_S, .flags = FIELD_REQUIRED},
};
#undef AT
static const struct field_table strip_measured_table = {FIELD_TABLE(strip_measured_fields)};
static const struct field_list measured_list = {
    sizeof(struct strip_measured), offsetof(struct strips_outcome, strip_count), 4, NULL, NULL};

#define AT(member) offsetof(struct strips_loss, member)
static const struct field loss_fields[] = {
    {"rank", FIELD_COUNT, AT(rank), 1, LIMIT_WORKERS, .flags = FIELD_REQUIRED},
    {"iterations", FIELD_COUNT, AT(iterations), 0, (double)STRIPS_ITERATIONS_MOST,
     .flags = FIELD_REQUIRED},
    {"from", FIELD_COUNT, AT(from), 0, (double)STRIPS_ITERATIONS_MOST, .flags = FIELD_REQUIRED},
    {"spare", FIELD_COUNT, AT(spare), 0, LIMIT_WORKERS, .flags = FIELD_NONZERO},
    {"at_s", FIELD_NUMBER, AT(at_s), 0, LIMIT_TOTAL_S, .flags = FIELD_REQUIRED},
    {"why", FIELD_WORD, AT(why), .flags = FIELD_REQUIRED},
};
#undef AT
static const struct field_table loss_table = {FIELD_TABLE(loss_fields)};
static const struct field_list loss_list = {
    sizeof(struct strips_loss), offsetof(struct strips_outcome, loss_count), 4, NULL, NULL};

#define AT(member) offsetof(struct strips_outcome, member)
static const struct field outcome_fields[] = {
    {"begun", FIELD_COUNT, AT(begun), 0, (double)STRIPS_ITERATIONS_MOST, .flags = FIELD_NONZERO},
    {"iterations", FIELD_COUNT, AT(iterations), 1, (double)STRIPS_ITERATIONS_MOST,
     .flags = FIELD_REQUIRED},
    {"change", FIELD_NUMBER, AT(change), 0, 1e308, .flags = FIELD_REQUIRED},
    {"complete", FIELD_FLAG, AT(complete), .flags = 0},
    {"rebalanced", FIELD_COUNT, AT(rebalanced), 0, (double)STRIPS_ITERATIONS_MOST,
     .flags = FIELD_NONZERO},
    {"tests", FIELD_COUNT, AT(tests), 0, (double)STRIPS_ITERATIONS_MOST, .flags = FIELD_REQUIRED},
    {"step_s", FIELD_NUMBER, AT(step_s), 0, LIMIT_TOTAL_S, .flags = FIELD_REQUIRED},
    {"test_s", FIELD_NUMBER, AT(test_s), 0, LIMIT_TOTAL_S, .flags = FIELD_REQUIRED},
    {"gather_s", FIELD_NUMBER, AT(gather_s), 0, LIMIT_TOTAL_S, .flags = FIELD_REQUIRED},
    {"lost_s", FIELD_NUMBER, AT(lost_s), 0, LIMIT_TOTAL_S, .flags = FIELD_NONZERO},
    {"total_s", FIELD_NUMBER, AT(total_s), 0, LIMIT_TOTAL_S, .flags = FIELD_REQUIRED},
    {"strips", FIELD_LIST, AT(strips), .table = &strip_measured_table, .list = &measured_list,
     .flags = FIELD_REQUIRED},
    {"losses", FIELD_LIST, AT(losses), .table = &loss_table, .list = &loss_list,
     .flags = FIELD_SPARSE},
};
#undef AT
static const struct field_table outcome_table = {FIELD_TABLE(outcome_fields), 2,
                                                 "scow-strips-measured-1", NULL};

bool strips_outcome_parse(struct strips_outcome *outcome, const char *text, size_t length,
                          const char *name, struct failure *failure)
{
    struct strips_outcome read = {.strips = NULL};
    const bool good = field_table_read(&read, text, length, name, &outcome_table, failure);
    if (good)
        *outcome = read;
    else
        strips_outcome_release(&read);
    return good;
}

char *strips_outcome_print(const struct strips_outcome *outcome)
{
    struct text text = TEXT_INIT;
    field_table_print(&text, outcome, &outcome_table);
    text_add(&text, "\n");
    return text_take(&text);
}
