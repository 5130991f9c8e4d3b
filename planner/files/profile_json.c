#include "planner/files/profile_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/files/fields.h"
#include "planner/model/platform.h"

/* ---- costs --------------------------------------------------------------------------------- */

#define AT(member) offsetof(struct measured_cost, member)
/* Fields of every cost that was timed, with a rate or without. */
#define SCATTER                                                                                    \
    {"deviation", FIELD_NUMBER, AT(fit.deviation), 0, LIMIT_DEVIATION, .flags = 0},                \
        {"jitter_s", FIELD_NUMBER, AT(fit.jitter_s), 0, LIMIT_COST_S, .flags = FIELD_NONZERO},     \
        {"drift", FIELD_NUMBER, AT(fit.drift), 0, LIMIT_DEVIATION, .flags = 0},                    \
    {                                                                                              \
        "drift_own", FIELD_NUMBER, AT(fit.drift_own), 0, LIMIT_DEVIATION, .flags = FIELD_NONZERO   \
    }
#define TIMED                                                                                      \
    {"n", FIELD_INT, AT(fit.n), 0, LIMIT_TIMED, .flags = 0},                                       \
    {                                                                                              \
        "outliers", FIELD_INT, AT(fit.outliers), 0, LIMIT_TIMED, .flags = FIELD_NONZERO            \
    }

static bool fit_given(const void *value)
{
    const struct measured_cost *cost = value;
    return cost->fit.n > 0;
}

static const struct field fit_fields[] = {
    {"stderr_latency_s", FIELD_NUMBER, AT(fit.stderr_latency_s), 0, LIMIT_COST_S, .flags = 0},
    {"stderr", FIELD_NUMBER, AT(fit.stderr_s_per_task), 0, LIMIT_COST_S, .flags = 0},
    {"correlation", FIELD_NUMBER, AT(fit.correlation), -1, 1, .flags = 0},
    SCATTER,
    {"r2", FIELD_NUMBER, AT(fit.r2), -LIMIT_COST_S, 1, .flags = 0},
    TIMED,
};
static const struct field_table fit_table = {FIELD_TABLE(fit_fields)};

static const struct field cost_fields[] = {
    {"latency_s", FIELD_NUMBER, AT(cost.latency_s), -LIMIT_COST_S, LIMIT_COST_S,
     .flags = FIELD_REQUIRED},
    {"s_per_task", FIELD_NUMBER, AT(cost.s_per_task), 0, LIMIT_COST_S, .flags = FIELD_REQUIRED},
    {.type = FIELD_GROUP, .table = &fit_table, .given = fit_given},
};
static const struct field_table cost_table = {FIELD_TABLE(cost_fields)};

/* Fields of a time that does not depend on a package's size, and has no rate. */
static const struct field latency_fit_fields[] = {
    {"stderr_latency_s", FIELD_NUMBER, AT(fit.stderr_latency_s), 0, LIMIT_COST_S, .flags = 0},
    SCATTER,
    TIMED,
};
static const struct field_table latency_fit_table = {FIELD_TABLE(latency_fit_fields)};

static const struct field latency_fields[] = {
    {"latency_s", FIELD_NUMBER, AT(cost.latency_s), 0, LIMIT_COST_S, .flags = FIELD_REQUIRED},
    {.type = FIELD_GROUP, .table = &latency_fit_table, .given = fit_given},
};
static const struct field_table latency_table = {FIELD_TABLE(latency_fields)};
#undef AT

/* ---- prices -------------------------------------------------------------------------------- */

#define AT(member) offsetof(struct price, member)
static const struct field price_fields[] = {
    {"price_s", FIELD_NUMBER, AT(price_s), 0, LIMIT_PRICE, .flags = FIELD_NONZERO},
    {"fee", FIELD_NUMBER, AT(fee), 0, LIMIT_PRICE, .flags = FIELD_NONZERO},
    {"watts", FIELD_NUMBER, AT(watts), 0, LIMIT_PRICE, .flags = FIELD_NONZERO},
};
#undef AT
static const struct field_table price_table = {FIELD_TABLE(price_fields)};

static bool price_given(const void *value)
{
    const struct price *price = value;
    return price->price_s > 0 || price->fee > 0 || price->watts > 0;
}

/* ---- workers ------------------------------------------------------------------------------- */

static bool worker_check(void *object, const struct document_place *place, struct failure *failure)
{
    struct profile_worker *worker = object;
    if (worker->count == 0)
        worker->count = 1;
    return worker->receive.cost.s_per_task + worker->compute.cost.s_per_task > 0 ||
           document_refuse(failure, place,
                           "receive and compute take no time per task: give one of them a "
                           "positive s_per_task");
}

#define AT(member) offsetof(struct profile_worker, member)
static const struct field worker_fields[] = {
    {"name", FIELD_WORD, AT(name), .flags = 0},
    {"count", FIELD_COUNT, AT(count), 1, LIMIT_WORKERS, 0, .before = ", "},
    {"link", FIELD_OBJECT, AT(link), .table = &cost_table},
    {"receive", FIELD_OBJECT, AT(receive), .flags = FIELD_REQUIRED, .table = &cost_table},
    {"compute", FIELD_OBJECT, AT(compute), .flags = FIELD_REQUIRED, .table = &cost_table},
    {"output", FIELD_OBJECT, AT(output), .table = &cost_table},
    {"result", FIELD_OBJECT, AT(result), .table = &cost_table, .flags = FIELD_SPARSE},
    {"request", FIELD_OBJECT, AT(request), .table = &cost_table, .flags = FIELD_SPARSE},
    {"start", FIELD_OBJECT, AT(start), .table = &latency_table, .flags = FIELD_SPARSE},
    {"availability", FIELD_NUMBER, AT(availability), 0, 1, .flags = FIELD_NONZERO},
    {"bandwidth", FIELD_NUMBER, AT(bandwidth), 0, LIMIT_BANDWIDTH, .flags = FIELD_NONZERO},
    {"fetch_s", FIELD_NUMBER, AT(fetch_s), 0, LIMIT_COST_S, .flags = FIELD_NONZERO},
    {.type = FIELD_GROUP, .offset = AT(price), .table = &price_table, .given = price_given},
};
#undef AT
static const struct field_table worker_table = {FIELD_TABLE(worker_fields), 14,
                                                .check = worker_check};

static bool workers_bounded(const void *owner, const struct document_place *place,
                            struct failure *failure)
{
    return profile_workers(owner) <= LIMIT_WORKERS ||
           document_refuse(failure, place->parent,
                           "more than %" PRId64 " workers: lower their counts", LIMIT_WORKERS);
}

/* Only workers that were measured are written. */
static size_t workers_shown(const void *root, const void *owner)
{
    return profile_classes(root, owner);
}

static const struct field_list workers_list = {sizeof(struct profile_worker),
                                               offsetof(struct profile_window, worker_count), 12,
                                               workers_bounded, workers_shown};

/* ---- windows ------------------------------------------------------------------------------- */

static bool interval_parse(void *owner, json_t *value, const struct document_place *place,
                           struct failure *failure)
{
    struct profile_window *window = owner;
    if (!document_array(value, place, 2, failure))
        return false;
    if (json_array_size(value) != 2)
        return document_refuse(failure, place, "must be [least, greatest]");
    struct document_place least = document_element(place, 0);
    struct document_place greatest = document_element(place, 1);
    return document_count(json_array_get(value, 0), &least, 1, LIMIT_TASKS, &window->least,
                          failure) &&
           document_count(json_array_get(value, 1), &greatest, window->least, LIMIT_TASKS,
                          &window->greatest, failure);
}

static void interval_print(struct text *text, const void *owner)
{
    const struct profile_window *window = owner;
    text_add(text, "[%" PRId64 ", %" PRId64 "]", window->least, window->greatest);
}

/* Does every package of the window take some time? Rates are not negative, so that it holds up to
 * the window's greatest package if it holds for its least. */
static bool cost_positive(const struct profile_window *window, const struct measured_cost *cost,
                          const struct document_place *place, const char *key,
                          struct failure *failure)
{
    struct document_place at = document_at(place, key);
    const double least_s = cost->cost.latency_s + cost->cost.s_per_task * (double)window->least;
    if (cost->cost.latency_s >= 0 || least_s > 0)
        return true;
    return document_exclude(failure, &at,
                            "takes %.4g s for a package of %" PRId64
                            ", the least of the window [%" PRId64 ", %" PRId64
                            "], and no package takes 0 s or less: raise latency_s, or let the "
                            "window begin later",
                            least_s, window->least, window->least, window->greatest);
}

static bool costs_positive(void *object, const struct document_place *place,
                           struct failure *failure)
{
    const struct profile_window *window = object;
    struct document_place workers = document_at(place, "workers");
    bool good = cost_positive(window, &window->envelope, place, "envelope", failure) &&
                cost_positive(window, &window->send, place, "send", failure) &&
                cost_positive(window, &window->answer, place, "answer", failure) &&
                cost_positive(window, &window->collect, place, "collect", failure);
    for (size_t k = 0; good && k < window->worker_count; k++) {
        const struct profile_worker *worker = &window->workers[k];
        struct document_place at = document_element(&workers, k);
        good = cost_positive(window, &worker->link, &at, "link", failure) &&
               cost_positive(window, &worker->receive, &at, "receive", failure) &&
               cost_positive(window, &worker->compute, &at, "compute", failure) &&
               cost_positive(window, &worker->output, &at, "output", failure) &&
               cost_positive(window, &worker->result, &at, "result", failure) &&
               cost_positive(window, &worker->request, &at, "request", failure);
    }
    return good;
}

#define AT(member) offsetof(struct profile_window, member)
static const struct field window_fields[] = {
    {"tasks", FIELD_OTHER, 0, .flags = FIELD_REQUIRED, .parse = interval_parse,
     .print = interval_print},
    {"envelope", FIELD_OBJECT, AT(envelope), .flags = FIELD_REQUIRED, .table = &cost_table},
    {"send", FIELD_OBJECT, AT(send), .flags = FIELD_REQUIRED, .table = &cost_table},
    {"answer", FIELD_OBJECT, AT(answer), .table = &cost_table, .flags = FIELD_SPARSE},
    {"collect", FIELD_OBJECT, AT(collect), .table = &cost_table, .flags = FIELD_SPARSE},
    {"workers", FIELD_LIST, AT(workers), .flags = FIELD_REQUIRED, .table = &worker_table,
     .list = &workers_list},
};
#undef AT
static const struct field_table window_table = {FIELD_TABLE(window_fields), 10,
                                                .check = costs_positive};

/* A worker starts once and has one price: both must be the same in all windows. */
static bool worker_agrees(const struct profile_worker *worker, const struct profile_worker *before,
                          const struct document_place *place, struct failure *failure)
{
    const double start_s = worker->start.cost.latency_s;
    if (start_s != before->start.cost.latency_s)
        return document_refuse(failure, place,
                               "starts for %.9g s, but for %.9g s in the window before it: a "
                               "worker starts once, so give it the same start in all of them",
                               start_s, before->start.cost.latency_s);
    const struct price *price = &worker->price, *known = &before->price;
    if (price->price_s == known->price_s && price->fee == known->fee &&
        price->watts == known->watts)
        return true;
    return document_refuse(failure, place,
                           "costs %.9g a second, %.9g to start and %.9g watts, but %.9g, %.9g and "
                           "%.9g in the window before it: give it the same price_s, fee and watts "
                           "in all of them",
                           price->price_s, price->fee, price->watts, known->price_s, known->fee,
                           known->watts);
}

static bool workers_agree(const struct profile_window *window, const struct profile_window *before,
                          const struct document_place *place, struct failure *failure)
{
    struct document_place workers = document_at(place, "workers");
    int64_t first = 0, first_before = 0;
    for (size_t k = 0, b = 0; k < window->worker_count && b < before->worker_count;) {
        const struct profile_worker *worker = &window->workers[k], *same = &before->workers[b];
        const struct document_place at = document_element(&workers, k);
        if (!worker_agrees(worker, same, &at, failure))
            return false;
        const int64_t end = first + worker->count, end_before = first_before + same->count;
        if (end <= end_before) {
            first = end;
            k++;
        }
        if (end_before <= end) {
            first_before = end_before;
            b++;
        }
    }
    return true;
}

/* Does the last window go with those before it? */
static bool window_follows(const void *owner, const struct document_place *place,
                           struct failure *failure)
{
    const struct profile_setting *setting = owner;
    if (setting->window_count < 2)
        return true;
    const struct profile_window *window = &setting->windows[setting->window_count - 1];
    const struct profile_window *before = window - 1;
    if (window->least <= before->greatest)
        return document_refuse(failure, place,
                               "begins at %" PRId64
                               " tasks, but the window before it ends at %" PRId64 ": "
                               "windows must ascend and not overlap",
                               window->least, before->greatest);
    if (profile_workers(window) != profile_workers(before))
        return document_refuse(failure, place,
                               "has %" PRId64 " workers, but the window before it has %" PRId64
                               ": all must "
                               "list the same workers",
                               profile_workers(window), profile_workers(before));
    return workers_agree(window, before, place, failure);
}

static const struct field_list windows_list = {sizeof(struct profile_window),
                                               offsetof(struct profile_setting, window_count), 8,
                                               window_follows, NULL};

/* ---- cost maps ----------------------------------------------------------------------------- */

/* Limits of errors and costs, relative to the mean. */
#define SHARE_MOST 1e9
#define COST_LEAST 1e-12
enum { REGIONS_ON_A_LINE = 6 };

static int64_t sampled_most(const void *owner)
{
    const struct cost_map *map = owner;
    return map->work.tasks;
}

static const struct field region_fields[] = {
    {"tasks", FIELD_COUNT, offsetof(struct work_region, tasks), 1, LIMIT_TASKS,
     .flags = FIELD_REQUIRED},
    {"cost", FIELD_NUMBER, offsetof(struct work_region, cost), COST_LEAST, SHARE_MOST,
     .flags = FIELD_REQUIRED},
};
static const struct field_table region_table = {FIELD_TABLE(region_fields)};

/* The sum over regions must be that of the job; a limit on each keeps the sum finite. */
static bool region_follows(const void *owner, const struct document_place *place,
                           struct failure *failure)
{
    const struct work *work = &((const struct cost_map *)owner)->work;
    struct work_region *region = &work->regions[work->region_count - 1];
    const int64_t first = work->region_count > 1 ? region[-1].end : 0;
    if (region->tasks > work->tasks - first)
        return document_refuse(failure, place, "ends beyond the map's %" PRId64 " core tasks",
                               work->tasks);
    region->end = first + region->tasks;
    return true;
}

static const struct field_list regions_list = {sizeof(struct work_region),
                                               offsetof(struct cost_map, work.region_count), 0,
                                               region_follows, NULL};

static void regions_print(struct text *text, const void *owner)
{
    const struct work *work = &((const struct cost_map *)owner)->work;
    for (size_t k = 0; k < work->region_count; k++) {
        text_add(text, "%s%s", k > 0 ? ", " : "[", k % REGIONS_ON_A_LINE == 0 ? "\n        " : "");
        field_table_print(text, &work->regions[k], &region_table);
    }
    text_add(text, "]");
}

static bool map_check(void *object, const struct document_place *place, struct failure *failure)
{
    struct work *work = &((struct cost_map *)object)->work;
    const struct document_place regions = document_at(place, "regions");
    return !work_differs(work) || work_settle(work) ||
           document_refuse(failure, &regions, "must have the map's %" PRId64 " core tasks together",
                           work->tasks);
}

#define AT(member) offsetof(struct cost_map, member)
static const struct field map_fields[] = {
    {"tasks", FIELD_COUNT, AT(work.tasks), 1, LIMIT_TASKS, .flags = FIELD_REQUIRED},
    {"sampled", FIELD_COUNT, AT(sampled), 1, 0, FIELD_REQUIRED, .most = sampled_most},
    {"error", FIELD_NUMBER, AT(error), 0, SHARE_MOST, .flags = 0},
    {"unseen", FIELD_NUMBER, AT(unseen), 0, SHARE_MOST, .flags = 0},
    {"regions", FIELD_LIST, AT(work.regions), .table = &region_table, .list = &regions_list,
     .flags = FIELD_SPARSE, .print = regions_print},
};
#undef AT
static const struct field_table map_table = {FIELD_TABLE(map_fields), .check = map_check};

/* ---- settings ------------------------------------------------------------------------------ */

#define AT(member) offsetof(struct memory, member)
static const struct field memory_fields[] = {
    {"bytes", FIELD_NUMBER, AT(bytes), 0, LIMIT_BYTES, .flags = FIELD_REQUIRED},
    {"bytes_per_task", FIELD_NUMBER, AT(bytes_per_task), 0, LIMIT_BYTES, .flags = FIELD_REQUIRED},
    {"message", FIELD_NUMBER, AT(message), 0, LIMIT_BYTES, .flags = FIELD_NONZERO},
    {"message_per_task", FIELD_NUMBER, AT(message_per_task), 0, LIMIT_BYTES,
     .flags = FIELD_NONZERO},
};
#undef AT
static const struct field_table memory_table = {FIELD_TABLE(memory_fields)};

static const struct field score_fields[] = {
    {"held_out", FIELD_NUMBER, offsetof(struct score, held_out), 0, LIMIT_DEVIATION,
     .flags = FIELD_REQUIRED},
    {"noise", FIELD_NUMBER, offsetof(struct score, noise), 0, LIMIT_DEVIATION,
     .flags = FIELD_REQUIRED},
};
static const struct field_table score_table = {FIELD_TABLE(score_fields)};

static const struct field extrapolation_fields[] = {
    {"above", FIELD_COUNT, offsetof(struct extrapolation, above), 1, LIMIT_TASKS,
     .flags = FIELD_REQUIRED},
    {"budget_s", FIELD_NUMBER, offsetof(struct extrapolation, budget_s), 0, LIMIT_COST_S,
     .flags = FIELD_NONZERO},
};
static const struct field_table extrapolation_table = {FIELD_TABLE(extrapolation_fields)};

static const struct field spread_fields[] = {
    {"tasks", FIELD_COUNT, offsetof(struct spread, tasks), 1, LIMIT_TASKS, .flags = FIELD_REQUIRED},
    {"deviation", FIELD_NUMBER, offsetof(struct spread, deviation), 0, LIMIT_COST_S,
     .flags = FIELD_REQUIRED},
};
static const struct field_table spread_table = {FIELD_TABLE(spread_fields)};

static bool spread_follows(const void *owner, const struct document_place *place,
                           struct failure *failure)
{
    const struct profile_setting *setting = owner;
    const struct spread *spread = &setting->spreads[setting->spread_count - 1];
    const struct document_place tasks = document_at(place, "tasks");
    return setting->spread_count < 2 || spread->tasks > spread[-1].tasks ||
           document_refuse(failure, &tasks,
                           "must be a whole number from %" PRId64 " to %" PRId64 ", not %" PRId64,
                           spread[-1].tasks + 1, LIMIT_TASKS, spread->tasks);
}

static const struct field_list spreads_list = {
    sizeof(struct spread), offsetof(struct profile_setting, spread_count), 0, spread_follows, NULL};

#define AT(member) offsetof(struct weighing, member)
static const struct field weighing_fields[] = {
    {"packages", FIELD_COUNT, AT(packages), 1, LIMIT_TASKS, .flags = FIELD_REQUIRED},
    {"constant", FIELD_NUMBER, AT(constant), 0, 1, .flags = FIELD_REQUIRED},
    {"explained", FIELD_NUMBER, AT(explained), 0, 1, .flags = FIELD_REQUIRED},
};
#undef AT
static const struct field_table weighing_table = {FIELD_TABLE(weighing_fields)};

#define AT(member) offsetof(struct level_sample, member)
static const struct field level_fields[] = {
    {"tasks", FIELD_COUNT, AT(tasks), 1, LIMIT_TASKS, .flags = FIELD_REQUIRED},
    {"compute", FIELD_NUMBER, AT(compute), 0, LIMIT_COST_S, .flags = FIELD_REQUIRED},
    {"next", FIELD_NUMBER, AT(next), 0, LIMIT_COST_S, .flags = FIELD_REQUIRED},
};
#undef AT
static const struct field_table level_table = {FIELD_TABLE(level_fields)};

/* Nothing follows the last level. */
static bool level_follows(const void *owner, const struct document_place *place,
                          struct failure *failure)
{
    const struct profile_setting *setting = owner;
    const size_t count = setting->level_count;
    if (count > LEVELS_MOST)
        return document_refuse(failure, place, "is one too many: at most %d levels are known",
                               (int)LEVELS_MOST);
    return count < 2 || setting->levels[count - 2].next > 0 ||
           document_refuse(failure, place,
                           "comes after the last level, whose next is 0: remove it");
}

static const struct field_list levels_list = {sizeof(struct level_sample),
                                              offsetof(struct profile_setting, level_count), 0,
                                              level_follows, NULL};

static const struct field master_fields[] = {
    {"compute", FIELD_OBJECT, 0, .flags = FIELD_REQUIRED, .table = &cost_table},
};
static const struct field_table master_table = {FIELD_TABLE(master_fields)};

/* The master computes core tasks one at a time, so that one of them must take some time. */
static bool setting_check(void *object, const struct document_place *place, struct failure *failure)
{
    const struct profile_setting *setting = object;
    const struct cost cost = setting->master.cost;
    const struct document_place master = document_at(place, "master");
    const double task_s = cost.latency_s + cost.s_per_task;
    return task_s > 0 || (cost.latency_s == 0 && cost.s_per_task == 0) ||
           document_exclude(failure, &master,
                            "takes %.4g s for a core task, and none takes 0 s or less: raise the "
                            "latency_s of compute",
                            task_s);
}

/* Are there parameters beside those of the block? */
static bool parameters_given(const void *value)
{
    const struct parameter_list *list = value;
    return list->count > (parameter_list_block(list) != NULL);
}

#define AT(member) offsetof(struct profile_setting, member)
static const struct field setting_fields[] = {
    {"block", FIELD_BLOCK, AT(parameters), .flags = 0},
    {"parameters", FIELD_PARAMETERS, AT(parameters), .given = parameters_given},
    {"memory", FIELD_OBJECT, AT(memory), .table = &memory_table, .flags = FIELD_SPARSE},
    {"method", FIELD_WORD, AT(method), .flags = 0},
    {"model", FIELD_MODEL, AT(operating), .flags = 0},
    {"threads", FIELD_INT, AT(threads), 1, LIMIT_THREADS, .flags = FIELD_NONZERO},
    {"master", FIELD_OBJECT, AT(master), .table = &master_table, .flags = FIELD_SPARSE},
    {"score", FIELD_OBJECT, AT(score), .table = &score_table, .flags = FIELD_SPARSE},
    {"extrapolated", FIELD_OBJECT, AT(extrapolation), .table = &extrapolation_table,
     .flags = FIELD_SPARSE},
    {"spread", FIELD_LIST, AT(spreads), .table = &spread_table, .list = &spreads_list,
     .flags = FIELD_SPARSE},
    {"map", FIELD_OBJECT, AT(map), .table = &map_table, .flags = FIELD_SPARSE},
    {"weighing", FIELD_OBJECT, AT(weighing), .table = &weighing_table, .flags = FIELD_SPARSE},
    {"levels", FIELD_LIST, AT(levels), .table = &level_table, .list = &levels_list,
     .flags = FIELD_SPARSE},
    {"windows", FIELD_LIST, AT(windows), .flags = FIELD_REQUIRED, .table = &window_table,
     .list = &windows_list},
};
#undef AT
static const struct field_table setting_table = {FIELD_TABLE(setting_fields), 6,
                                                 .check = setting_check};

static bool setting_twin(const struct profile *profile, const struct profile_setting *setting)
{
    for (const struct profile_setting *other = profile->settings; other < setting; other++)
        if (parameter_list_equal(&other->parameters, &setting->parameters) &&
            other->threads == setting->threads)
            return true;
    return false;
}

/* Does the last setting go with those before it? */
static bool setting_follows(const void *owner, const struct document_place *place,
                            struct failure *failure)
{
    const struct profile *profile = owner;
    const struct profile_setting *setting = &profile->settings[profile->setting_count - 1];
    const struct profile_setting *first = &profile->settings[0];
    if (setting_twin(profile, setting))
        return document_refuse(failure, place,
                               "has the same parameters as an earlier setting: give each its own");
    if (profile_workers(&setting->windows[0]) != profile_workers(&first->windows[0]))
        return document_refuse(
            failure, place,
            "has %" PRId64 " workers, but the first setting has %" PRId64 ": all must list "
            "the same workers",
            profile_workers(&setting->windows[0]), profile_workers(&first->windows[0]));
    return true;
}

static const struct field_list settings_list = {sizeof(struct profile_setting),
                                                offsetof(struct profile, setting_count), 4,
                                                setting_follows, NULL};

/* ---- where and when ------------------------------------------------------------------------ */

#define AT(member) offsetof(struct topology, member)
static const struct field topology_fields[] = {
    {"packages", FIELD_INT, AT(packages), 1, LIMIT_WORKERS, .flags = FIELD_REQUIRED},
    {"cores", FIELD_INT, AT(cores), 1, LIMIT_WORKERS, .flags = FIELD_REQUIRED},
    {"threads", FIELD_INT, AT(threads), 1, LIMIT_WORKERS, .flags = FIELD_REQUIRED},
    {"numa", FIELD_INT, AT(numa), 1, LIMIT_WORKERS, .flags = FIELD_REQUIRED},
    {"gpus", FIELD_INT, AT(gpus), 0, LIMIT_WORKERS, .flags = FIELD_REQUIRED},
};
#undef AT
static const struct field_table topology_table = {FIELD_TABLE(topology_fields)};

static const struct field kind_fields[] = {
    {"nodes", FIELD_INT, offsetof(struct topology_kind, nodes), 1, LIMIT_WORKERS,
     .flags = FIELD_REQUIRED},
    {.type = FIELD_GROUP,
     .offset = offsetof(struct topology_kind, topology),
     .table = &topology_table},
};
static const struct field_table kind_table = {FIELD_TABLE(kind_fields)};

static bool kinds_parse(void *owner, json_t *value, const struct document_place *place,
                        struct failure *failure)
{
    struct topology_kinds *kinds = &((struct profile_origin *)owner)->kinds;
    if (!value)
        return true;
    if (!document_array(value, place, 1, failure))
        return false;
    if (json_array_size(value) > TOPOLOGY_KINDS_MOST)
        return document_refuse(failure, place, "must have at most %d kinds of nodes",
                               TOPOLOGY_KINDS_MOST);
    for (size_t k = 0; k < json_array_size(value); k++) {
        const struct document_place at = document_element(place, k);
        if (!field_table_parse(&kinds->items[kinds->count++], json_array_get(value, k), &at,
                               &kind_table, failure))
            return false;
    }
    return true;
}

static bool kinds_given(const void *value)
{
    const struct profile_origin *origin = value;
    return origin->topology.threads > 0 && origin->kinds.count > 0;
}

static void kinds_print(struct text *text, const void *owner)
{
    const struct topology_kinds *kinds = &((const struct profile_origin *)owner)->kinds;
    for (int k = 0; k < kinds->count; k++) {
        text_add(text, k > 0 ? ",\n    " : "[");
        field_table_print(text, &kinds->items[k], &kind_table);
    }
    text_add(text, "]");
}

#define AT(member) offsetof(struct profile_origin, member)
static const struct field host_fields[] = {
    {"name", FIELD_WORD, AT(host_name), .flags = 0},
    {"processor", FIELD_WORD, AT(processor), .flags = 0},
    {"isa", FIELD_WORD, AT(isa), .flags = 0},
    {"machine", FIELD_WORD, AT(machine), .flags = 0},
    {"threads", FIELD_INT, AT(threads), 1, LIMIT_THREADS, .flags = FIELD_NONZERO},
    {"workers_per_node", FIELD_INT, AT(workers_per_node), 1, LIMIT_WORKERS, .flags = FIELD_NONZERO},
    {"nodes", FIELD_INT, AT(nodes), 1, LIMIT_WORKERS, .flags = FIELD_NONZERO},
    {"topology", FIELD_OBJECT, AT(topology), .table = &topology_table, .flags = FIELD_SPARSE},
    {"node_kinds", FIELD_OTHER, 0, .before = ",\n    ", .given = kinds_given, .parse = kinds_parse,
     .print = kinds_print},
};
#undef AT
static const struct field_table host_table = {FIELD_TABLE(host_fields)};

/* ---- the whole ----------------------------------------------------------------------------- */

#define AT(member) offsetof(struct profile_peaks, member)
static const struct field peaks_fields[] = {
    {"rank", FIELD_NUMBER, AT(rank), 0, LIMIT_BYTES, .flags = FIELD_REQUIRED},
    {"command", FIELD_NUMBER, AT(command), 0, LIMIT_BYTES, .flags = FIELD_NONZERO},
    {"master", FIELD_NUMBER, AT(master), 0, LIMIT_BYTES, .flags = FIELD_NONZERO},
};
#undef AT
static const struct field_table peaks_table = {FIELD_TABLE(peaks_fields)};

static bool history_parse(void *owner, json_t *value, const struct document_place *place,
                          struct failure *failure)
{
    struct profile *profile = owner;
    if (!value)
        return true;
    if (!document_array(value, place, 1, failure))
        return false;
    const size_t count = json_array_size(value);
    if (count > HISTORY_MOST)
        return document_refuse(failure, place,
                               "has %zu runs, but at most the latest %d are kept: remove the first",
                               count, HISTORY_MOST);
    profile->history = calloc(count, sizeof *profile->history);
    if (!profile->history)
        return failure_memory(failure, "reading JSON");
    for (size_t k = 0; k < count; k++) {
        struct document_place at = document_element(place, k);
        if (!document_number(json_array_get(value, k), &at, -1, LIMIT_DEVIATION,
                             &profile->history[k], failure))
            return false;
        profile->history_count++;
    }
    return true;
}

static void history_print(struct text *text, const void *owner)
{
    const struct profile *profile = owner;
    for (size_t k = 0; k < profile->history_count; k++) {
        text_add(text, k > 0 ? ", " : "[");
        text_add_number(text, profile->history[k]);
    }
    text_add(text, "]");
}

static bool history_given(const void *value)
{
    const struct profile *profile = value;
    return profile->history_count > 0;
}

static bool history_own(void *to, const void *from)
{
    const struct profile *source = from;
    struct profile *profile = to;
    const size_t bytes = source->history_count * sizeof *source->history;
    profile->history = bytes > 0 ? malloc(bytes) : NULL;
    if (profile->history)
        memcpy(profile->history, source->history, bytes);
    else
        profile->history_count = 0;
    return profile->history_count == source->history_count;
}

#define AT(member) offsetof(struct weights_name, member)
static const struct field weights_fields[] = {
    {"source", FIELD_WORD, AT(source), .flags = FIELD_REQUIRED},
    {"sha256", FIELD_DIGEST, AT(sha256), .flags = FIELD_REQUIRED},
    {"tasks", FIELD_COUNT, AT(tasks), 1, LIMIT_TASKS, .flags = FIELD_REQUIRED},
};
#undef AT
static const struct field_table weights_table = {FIELD_TABLE(weights_fields)};

static const struct field overhead_fields[] = {
    {"start_s", FIELD_NUMBER, offsetof(struct overhead, start_s), 0, LIMIT_COST_S, .flags = 0},
    {"seal_s", FIELD_NUMBER, offsetof(struct overhead, seal_s), 0, LIMIT_COST_S, .flags = 0},
};
static const struct field_table overhead_table = {FIELD_TABLE(overhead_fields)};

#define AT(member) offsetof(struct exchange, member)
static const struct field exchange_fields[] = {
    {"latency_s", FIELD_NUMBER, AT(latency_s), 0, LIMIT_COST_S, .flags = FIELD_REQUIRED},
    {"s_per_byte", FIELD_NUMBER, AT(s_per_byte), 0, LIMIT_COST_S, .flags = FIELD_REQUIRED},
    {"stderr_latency_s", FIELD_NUMBER, AT(stderr_latency_s), 0, LIMIT_COST_S,
     .flags = FIELD_NONZERO},
    {"stderr_s_per_byte", FIELD_NUMBER, AT(stderr_s_per_byte), 0, LIMIT_COST_S,
     .flags = FIELD_NONZERO},
};
#undef AT
static const struct field_table exchange_table = {FIELD_TABLE(exchange_fields)};

static bool output_given(const struct profile_setting *setting)
{
    for (size_t w = 0; w < setting->window_count; w++)
        for (size_t k = 0; k < setting->windows[w].worker_count; k++) {
            const struct cost output = setting->windows[w].workers[k].output.cost;
            if (output.latency_s != 0 || output.s_per_task != 0)
                return true;
        }
    return false;
}

static bool results_check(const struct profile_setting *setting, const struct document_place *place,
                          struct failure *failure)
{
    if (!results_return(platform_returns(setting)))
        return true;
    const char *written = output_given(setting)             ? "workers have a cost \"output\""
                          : platform_writes_behind(setting) ? "\"write-behind\" is \"yes\""
                                                            : NULL;
    return !written ||
           document_refuse(failure, place,
                           "results are either written or returned, but %s: remove it, or give "
                           "\"results\": \"none\"",
                           written);
}

static bool profile_check(void *object, const struct document_place *place, struct failure *failure)
{
    struct profile *profile = object;
    const struct document_place settings = document_at(place, "settings");
    bool good = true;
    profile_inherit(profile);
    for (size_t k = 0; good && k < profile->setting_count; k++) {
        const struct document_place at = document_element(&settings, k);
        good = results_check(&profile->settings[k], &at, failure);
    }
    return good;
}

#define AT(member) offsetof(struct profile, member)
static const struct field profile_fields[] = {
    {"kernel", FIELD_WORD, AT(kernel), .flags = FIELD_REQUIRED},
    {"plugin", FIELD_WORD, AT(plugin), .flags = 0},
    {"plugin_sha256", FIELD_DIGEST, AT(plugin_sha256), .flags = 0},
    {"parameters", FIELD_PARAMETERS, AT(parameters), .flags = 0},
    {"host", FIELD_OBJECT, AT(origin), .table = &host_table, .flags = FIELD_SPARSE},
    {"mpi", FIELD_WORD, AT(origin.mpi), .flags = 0},
    {"created", FIELD_WORD, AT(origin.created), .flags = 0},
    {"version", FIELD_WORD, AT(origin.version), .flags = 0},
    {"memory_bytes", FIELD_OBJECT, AT(peaks), .table = &peaks_table, .flags = FIELD_SPARSE},
    {"history", FIELD_OTHER, 0, .given = history_given, .parse = history_parse,
     .print = history_print, .own = history_own},
    {"overhead", FIELD_OBJECT, AT(overhead), .table = &overhead_table, .flags = FIELD_SPARSE},
    {"master", FIELD_OBJECT, AT(master), .table = &price_table, .flags = FIELD_SPARSE},
    {"weights", FIELD_OBJECT, AT(weights), .table = &weights_table, .flags = FIELD_SPARSE},
    {"exchange", FIELD_OBJECT, AT(exchange), .table = &exchange_table, .flags = FIELD_SPARSE},
    {"settings", FIELD_LIST, AT(settings), .flags = FIELD_REQUIRED, .table = &setting_table,
     .list = &settings_list},
};
#undef AT
static const struct field_table profile_table = {FIELD_TABLE(profile_fields), 2, "scow-profile-1",
                                                 profile_check};

bool profile_parse(struct profile *profile, const char *text, size_t length, const char *name,
                   struct failure *failure)
{
    struct profile read = {0};
    const bool good = field_table_read(&read, text, length, name, &profile_table, failure);
    if (good)
        *profile = read;
    else
        profile_release(&read);
    return good;
}

bool profile_copy(struct profile *to, const struct profile *from)
{
    return field_table_copy(to, from, sizeof *to, &profile_table);
}

char *profile_print(const struct profile *profile)
{
    struct text text = TEXT_INIT;
    field_table_print(&text, profile, &profile_table);
    text_add(&text, "\n");
    return text_take(&text);
}
