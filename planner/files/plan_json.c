#include "planner/files/plan_json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/files/fields.h"
#include "planner/files/plan_rounds.h"
#include "planner/files/shared_json.h"
#include "planner/files/weights_json.h"
#include "planner/model/profile.h"

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
    {"without_variation_s", FIELD_NUMBER, AT(without_variation_s), 0, LIMIT_TOTAL_S,
     .flags = FIELD_NONZERO},
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

static const struct field_list shared_list = {sizeof(struct plan_shared),
                                              offsetof(struct plan, shared_count), 4, NULL, NULL};

/* ---- a search's levels ---------------------------------------------------------------------- */

#define AT(member) offsetof(struct plan_level, member)
static const struct field level_fields[] = {
    {"tasks", FIELD_WHOLE, AT(tasks), 1, LIMIT_TASKS, .flags = FIELD_REQUIRED},
    {"makespan_s", FIELD_NUMBER, AT(makespan_s), 0, LIMIT_TOTAL_S, .flags = FIELD_NONZERO},
};
#undef AT
static const struct field_table level_table = {FIELD_TABLE(level_fields)};

/* The plan's own core tasks are those of the first level. */
static bool level_follows(const void *owner, const struct document_place *place,
                          struct failure *failure)
{
    const struct plan *plan = owner;
    const size_t count = plan->level_count;
    if (count > LEVELS_MOST)
        return document_refuse(failure, place, "is one too many: at most %d levels are known",
                               (int)LEVELS_MOST);
    return count > 1 || plan->levels[0].tasks == plan->tasks ||
           document_refuse(failure, place,
                           "is the first level, with %.15g core tasks, but the plan is for %.15g: "
                           "make the plan again",
                           plan->levels[0].tasks, plan->tasks);
}

static const struct field_list levels_list = {
    sizeof(struct plan_level), offsetof(struct plan, level_count), 4, level_follows, NULL};

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

/* ---- what the master computes ---------------------------------------------------------------- */

#define AT(member) offsetof(struct plan_master, member)
static const struct field master_fields[] = {
    {"tasks", FIELD_NUMBER, AT(tasks), 0, LIMIT_TASKS, .flags = FIELD_REQUIRED},
    {"task_s", FIELD_NUMBER, AT(task_s), 0, LIMIT_COST_S, .flags = FIELD_NONZERO},
};
#undef AT
static const struct field_table master_table = {FIELD_TABLE(master_fields)};

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

/* ---- masters side by side, and groups below ------------------------------------------------ */

static bool children_parse(void *owner, json_t *value, const struct document_place *place,
                           struct failure *failure);
static void children_print(struct text *text, const void *owner);
static bool children_own(void *to, const void *from);

static bool count_given(const void *value)
{
    return *(const size_t *)value > 0;
}

#define AT(member) offsetof(struct plan, member)
#define STAR_FIELDS                                                                                \
    {"scheduler", FIELD_WORD, AT(scheduler), .flags = FIELD_REQUIRED},                             \
        {"tasks", FIELD_WHOLE, AT(tasks), 1, LIMIT_TASKS, .flags = FIELD_REQUIRED},                \
        {"workers",                                                                                \
         FIELD_OTHER,                                                                              \
         0,                                                                                        \
         .flags = FIELD_REQUIRED,                                                                  \
         .parse = plan_workers_parse,                                                              \
         .print = plan_workers_print,                                                              \
         .own = plan_workers_own},                                                                 \
    {                                                                                              \
        "rounds", FIELD_OTHER, 0, .flags = FIELD_REQUIRED, .parse = plan_rounds_parse,             \
                                  .print = plan_rounds_print, .own = plan_rounds_own               \
    }
static const struct field star_fields[] = {
    {"master", FIELD_COUNT, AT(master), 1, LIMIT_WORKERS, .flags = FIELD_NONZERO},
    STAR_FIELDS,
    {"predicted", FIELD_OBJECT, AT(predicted), .table = &predicted_table, .given = predicted_given},
};
static const struct field child_fields[] = {
    STAR_FIELDS,
    {"children", FIELD_OTHER, AT(child_count), .given = count_given, .parse = children_parse,
     .print = children_print, .own = children_own},
};
#undef AT
static const struct field_table star_table = {FIELD_TABLE(star_fields), .indent = 6};
static const struct field_table child_table = {FIELD_TABLE(child_fields), .indent = 6};

/* `count` is the number of *parts, both members of the plan. */
static bool parts_parse(const struct plan *plan, json_t *value, const struct document_place *place,
                        const struct field_table *table, struct plan **parts, size_t *count,
                        struct failure *failure)
{
    const size_t there = json_array_size(value);
    *parts = calloc(there, sizeof **parts);
    if (!*parts)
        return failure_memory(failure, "reading a plan");
    for (size_t k = 0; k < there; k++) {
        const struct document_place at = document_element(place, k);
        struct plan *part = &(*parts)[(*count)++];
        part->real_valued = plan->real_valued;
        if (!field_table_parse(part, json_array_get(value, k), &at, table, failure))
            return false;
    }
    return true;
}

static void parts_print(struct text *text, const struct plan *parts, size_t count,
                        const struct field_table *table)
{
    text_add(text, "[\n    ");
    for (size_t k = 0; k < count; k++) {
        text_add(text, k > 0 ? ",\n    " : "");
        field_table_print(text, &parts[k], table);
    }
    text_add(text, "\n  ]");
}

/* Copies the parts; *count becomes how many there was memory for. */
static bool parts_own(const struct plan *from, size_t there, const struct field_table *table,
                      struct plan **parts, size_t *count)
{
    *parts = there > 0 ? calloc(there, sizeof **parts) : NULL;
    *count = 0;
    bool good = *parts || there == 0;
    while (good && *count < there) {
        const size_t k = (*count)++;
        good = field_table_copy(&(*parts)[k], &from[k], sizeof *from, table);
    }
    return good;
}

static int rank_compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The number of ranks of masters and workers, including those of groups below. */
static int64_t ranks_count(const struct plan *plan)
{
    int64_t count = 1 + plan->worker_count;
    for (size_t k = 0; k < plan->child_count; k++)
        count += ranks_count(&plan->children[k]) - 1;
    return count;
}

static int64_t *ranks_add(const struct plan *plan, int64_t *next)
{
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        *next++ = plan->workers[slot] + 1;
    for (size_t k = 0; k < plan->child_count; k++)
        next = ranks_add(&plan->children[k], next);
    return next;
}

/* Each rank may occur only once in these plans. */
static bool ranks_distinct(const struct plan *plans, size_t plan_count,
                           const struct document_place *place, struct failure *failure)
{
    int64_t count = 0;
    for (size_t k = 0; k < plan_count; k++)
        count += ranks_count(&plans[k]);
    assert(count > 0); /* every plan has at least one rank */
    int64_t *ranks = malloc((size_t)count * sizeof *ranks), *next = ranks;
    if (!ranks)
        return failure_memory(failure, "reading a plan");
    for (size_t k = 0; k < plan_count; k++) {
        *next++ = plans[k].master;
        next = ranks_add(&plans[k], next);
    }
    qsort(ranks, (size_t)count, sizeof *ranks, rank_compare);
    bool good = true;
    for (int64_t k = 1; good && k < count; k++)
        if (ranks[k] == ranks[k - 1])
            good = document_refuse(failure, place,
                                   "rank %" PRId64
                                   " is listed twice, as a master or a worker: list it once",
                                   ranks[k]);
    free(ranks);
    return good;
}

/* Checks what must hold for all stars together. */
static bool stars_check(const struct plan *plan, const struct document_place *place,
                        struct failure *failure)
{
    double tasks = 0;
    for (size_t k = 0; k < plan->star_count; k++)
        tasks += plan->stars[k].tasks;
    if (tasks != plan->tasks)
        return document_refuse(failure, place,
                               "have %.15g core tasks together, but the plan is for %.15g: make "
                               "the plan again",
                               tasks, plan->tasks);
    if (plan->stars[0].master != 0)
        return document_refuse(failure, place,
                               "the first one's master must be rank 0: leave its key out");
    return ranks_distinct(plan->stars, plan->star_count, place, failure);
}

static bool stars_parse(void *owner, json_t *value, const struct document_place *place,
                        struct failure *failure)
{
    struct plan *plan = owner;
    if (!value)
        return true;
    if (!document_array(value, place, 2, failure) ||
        !parts_parse(plan, value, place, &star_table, &plan->stars, &plan->star_count, failure))
        return false;
    plan_inherit(plan);
    return stars_check(plan, place, failure);
}

static void stars_print(struct text *text, const void *owner)
{
    const struct plan *plan = owner;
    parts_print(text, plan->stars, plan->star_count, &star_table);
}

static bool stars_own(void *to, const void *from)
{
    const struct plan *source = from;
    struct plan *plan = to;
    return parts_own(source->stars, source->star_count, &star_table, &plan->stars,
                     &plan->star_count);
}

/* The core tasks that the plan sends to the worker of this slot. */
static double slot_tasks(const struct plan *plan, size_t slot)
{
    double tasks = 0;
    for (size_t k = 0; k < plan->round_count; k++)
        tasks += (double)plan->rounds[k].repeat * plan->rounds[k].loads[slot];
    return tasks;
}

static bool children_check(const struct plan *plan, const struct document_place *place,
                           struct failure *failure)
{
    static const double TOLERANCE = 1e-9;
    if (plan->child_count != (size_t)plan->worker_count)
        return document_refuse(failure, place, "must be one for each of the %" PRId64 " workers",
                               plan->worker_count);
    for (size_t k = 0; k < plan->child_count; k++) {
        const struct document_place at = document_element(place, k);
        const double sent = slot_tasks(plan, k), tasks = plan->children[k].tasks;
        if (fabs(sent - tasks) > (plan->real_valued ? TOLERANCE * tasks : 0))
            return document_refuse(failure, &at,
                                   "is for %.15g core tasks, but gets %.15g: make the plan again",
                                   tasks, sent);
    }
    return true;
}

static bool children_parse(void *owner, json_t *value, const struct document_place *place,
                           struct failure *failure)
{
    struct plan *plan = owner;
    return !value || (document_array(value, place, 1, failure) &&
                      parts_parse(plan, value, place, &child_table, &plan->children,
                                  &plan->child_count, failure) &&
                      children_check(plan, place, failure));
}

static void children_print(struct text *text, const void *owner)
{
    const struct plan *plan = owner;
    parts_print(text, plan->children, plan->child_count, &child_table);
}

static bool children_own(void *to, const void *from)
{
    const struct plan *source = from;
    struct plan *plan = to;
    return parts_own(source->children, source->child_count, &child_table, &plan->children,
                     &plan->child_count);
}

/* Checks the ranks of the whole tree. */
static bool tree_parse(void *owner, json_t *value, const struct document_place *place,
                       struct failure *failure)
{
    struct plan *plan = owner;
    if (!value)
        return true;
    if (plan->star_count > 0)
        return document_refuse(failure, place,
                               "cannot be where there are stars: remove one of them");
    if (!children_parse(owner, value, place, failure))
        return false;
    plan_inherit(plan);
    return ranks_distinct(plan, 1, place, failure);
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* A plan has either workers and rounds of its own, or stars that have them. */
static bool own_check(const struct plan *plan, const json_t *value,
                      const struct document_place *place, struct failure *failure)
{
    if ((plan->star_count > 0) != (value != NULL))
        return true;
    return value ? document_refuse(failure, place, "belong to the stars: remove them here")
                 : document_refuse(failure, place->parent, "the key '%s' is missing: add it",
                                   place->name);
}

static bool own_workers_parse(void *owner, json_t *value, const struct document_place *place,
                              struct failure *failure)
{
    return own_check(owner, value, place, failure) &&
           (!value || plan_workers_parse(owner, value, place, failure));
}

static bool own_rounds_parse(void *owner, json_t *value, const struct document_place *place,
                             struct failure *failure)
{
    return own_check(owner, value, place, failure) &&
           (!value || plan_rounds_parse(owner, value, place, failure));
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
    return !((const struct plan *)from)->workers || plan_workers_own(to, from);
}

static bool own_rounds_own(void *to, const void *from)
{
    return !((const struct plan *)from)->rounds || plan_rounds_own(to, from);
}

#define AT(member) offsetof(struct plan, member)
static const struct field plan_fields[] = {
    {"kernel", FIELD_WORD, AT(kernel), .flags = FIELD_REQUIRED},
    {"parameters", FIELD_PARAMETERS, AT(parameters), .flags = 0},
    {"scheduler", FIELD_WORD, AT(scheduler), .flags = FIELD_REQUIRED},
    {"production", FIELD_NUMBER, AT(production), 0, 1, .flags = FIELD_NONZERO},
    {"objective", FIELD_WORD, AT(objective), .flags = 0},
    {"deadline_s", FIELD_NUMBER, AT(deadline_s), 0, LIMIT_TOTAL_S, .flags = FIELD_NONZERO},
    {"budget", FIELD_NUMBER, AT(budget), 0, LIMIT_CHARGE, .flags = FIELD_NONZERO},
    {"tasks", FIELD_WHOLE, AT(tasks), 1, LIMIT_TASKS, .flags = FIELD_REQUIRED},
    {"block", FIELD_BLOCK, AT(parameters), .flags = 0},
    {"threads", FIELD_INT, AT(threads), 1, LIMIT_THREADS, .flags = FIELD_NONZERO},
    {"buffers", FIELD_INT, AT(buffers), 1, LIMIT_BUFFERS, .flags = FIELD_NONZERO},
    {"tail", FIELD_WORD, AT(tail), .flags = 0},
    {"model", FIELD_MODEL, AT(operating), .flags = 0},
    {"master", FIELD_OBJECT, AT(own), .table = &master_table, .flags = FIELD_SPARSE},
    {"plugin", FIELD_WORD, AT(plugin), .flags = 0},
    {"plugin_sha256", FIELD_DIGEST, AT(plugin_sha256), .flags = 0},
    {"real_valued", FIELD_FLAG, AT(real_valued), .flags = 0},
    {"profile", FIELD_WORD, AT(profile), .flags = 0},
    {"profile_sha256", FIELD_DIGEST, AT(profile_sha256), .flags = 0},
    {"beyond", FIELD_OBJECT, AT(beyond), .table = &beyond_table, .flags = FIELD_SPARSE},
    {"selected", FIELD_OTHER, AT(selected), .given = plan_selected_given,
     .parse = plan_selected_parse, .print = plan_selected_print, .own = plan_selected_own},
    {"stars", FIELD_OTHER, AT(star_count), .given = count_given, .parse = stars_parse,
     .print = stars_print, .own = stars_own},
    {"workers", FIELD_OTHER, AT(workers), .given = workers_given, .parse = own_workers_parse,
     .print = plan_workers_print, .own = own_workers_own},
    {"rounds", FIELD_OTHER, AT(rounds), .given = rounds_given, .parse = own_rounds_parse,
     .print = plan_rounds_print, .own = own_rounds_own},
    {"children", FIELD_OTHER, AT(child_count), .given = count_given, .parse = tree_parse,
     .print = children_print, .own = children_own},
    {"weights", FIELD_OTHER, AT(weights), .flags = 0, .given = weights_json_given,
     .parse = weights_json_parse, .print = weights_json_print, .own = weights_json_own},
    {"shared", FIELD_LIST, AT(shared), .table = &shared_json_table, .list = &shared_list,
     .flags = FIELD_SPARSE},
    {"predicted", FIELD_OBJECT, AT(predicted), .table = &predicted_table, .given = predicted_given},
    {"choice", FIELD_OBJECT, AT(choice), .table = &choice_table, .flags = FIELD_SPARSE},
    {"others", FIELD_LIST, AT(others), .table = &other_table, .list = &others_list,
     .flags = FIELD_SPARSE},
    {"levels", FIELD_LIST, AT(levels), .table = &level_table, .list = &levels_list,
     .flags = FIELD_SPARSE},
    {"more_levels", FIELD_FLAG, AT(more_levels), .flags = 0},
};
#undef AT
static const char *const long_keys[] = {"rounds", "regions", NULL};
static const struct field_table plan_table = {FIELD_TABLE(plan_fields), 2, "scow-plan-1", NULL,
                                              long_keys};

static bool masters_refuse(const struct plan *plan, const struct document_place *place,
                           struct failure *failure)
{
    if (plan->child_count > 0)
        return document_refuse(failure, place,
                               "is a tree of %zu groups with masters of their own, which is for "
                               "'scow run', 'scow show' and 'scow simulate' only: plan with "
                               "--masters 1",
                               plan->child_count);
    return document_refuse(failure, place,
                           "has %zu masters side by side, which is for 'scow run', 'scow show' and "
                           "'scow simulate' only: plan with --masters 1",
                           plan->star_count);
}

static bool read_plan(struct plan *plan, const char *text, size_t length, const char *name,
                      bool several, struct failure *failure)
{
    const struct document_place place = {NULL, name, 0, NULL};
    struct plan read = {0};
    const bool good = field_table_read(&read, text, length, name, &plan_table, failure) &&
                      (several || (read.star_count == 0 && read.child_count == 0) ||
                       masters_refuse(&read, &place, failure));
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
