#include "planner/files/profile_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/files/cost_map_json.h"
#include "planner/files/document.h"
#include "planner/model/platform.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static bool member_number(json_t *object, const char *key, const struct document_place *place,
                          double least, double greatest, double *number, struct failure *failure)
{
    struct document_place at = document_at(place, key);
    return document_number(json_object_get(object, key), &at, least, greatest, number, failure);
}

static bool fit_parse(struct fit *fit, json_t *value, const struct document_place *place,
                      struct failure *failure)
{
    struct document_place n = document_at(place, "n"), cut = document_at(place, "outliers");
    int64_t packages = 0, outliers = 0;
    bool good =
        member_number(value, "stderr_latency_s", place, 0, LIMIT_COST_S, &fit->stderr_latency_s,
                      failure) &&
        member_number(value, "stderr", place, 0, LIMIT_COST_S, &fit->stderr_s_per_task, failure) &&
        member_number(value, "correlation", place, -1, 1, &fit->correlation, failure) &&
        member_number(value, "deviation", place, 0, LIMIT_DEVIATION, &fit->deviation, failure) &&
        member_number(value, "jitter_s", place, 0, LIMIT_COST_S, &fit->jitter_s, failure) &&
        member_number(value, "drift", place, 0, LIMIT_DEVIATION, &fit->drift, failure) &&
        member_number(value, "drift_own", place, 0, LIMIT_DEVIATION, &fit->drift_own, failure) &&
        member_number(value, "r2", place, -LIMIT_COST_S, 1, &fit->r2, failure) &&
        document_count(json_object_get(value, "n"), &n, 0, LIMIT_TIMED, &packages, failure) &&
        document_count(json_object_get(value, "outliers"), &cut, 0, LIMIT_TIMED, &outliers,
                       failure);
    fit->n = (int)packages;
    fit->outliers = (int)outliers;
    return good;
}

static bool cost_parse(struct measured_cost *cost, json_t *value,
                       const struct document_place *place, struct failure *failure)
{
    static const struct document_key keys[] = {{"latency_s", true},    {"s_per_task", true},
                                               {"stderr", false},      {"stderr_latency_s", false},
                                               {"correlation", false}, {"deviation", false},
                                               {"jitter_s", false},    {"drift", false},
                                               {"drift_own", false},   {"r2", false},
                                               {"n", false},           {"outliers", false}};
    if (!value)
        return true;
    return document_keys(value, place, keys, COUNT_OF(keys), failure) &&
           member_number(value, "latency_s", place, -LIMIT_COST_S, LIMIT_COST_S,
                         &cost->cost.latency_s, failure) &&
           member_number(value, "s_per_task", place, 0, LIMIT_COST_S, &cost->cost.s_per_task,
                         failure) &&
           fit_parse(&cost->fit, value, place, failure);
}

/* The cost under `key` of an object. */
static bool member_cost(struct measured_cost *cost, json_t *object, const char *key,
                        const struct document_place *place, struct failure *failure)
{
    struct document_place at = document_at(place, key);
    return cost_parse(cost, json_object_get(object, key), &at, failure);
}

/* A time that is the same whatever a package's size: keys of a cost, but for those of its rate. */
static bool member_latency(struct measured_cost *cost, json_t *object, const char *key,
                           const struct document_place *place, struct failure *failure)
{
    static const struct document_key keys[] = {{"latency_s", true},  {"stderr_latency_s", false},
                                               {"deviation", false}, {"jitter_s", false},
                                               {"drift", false},     {"drift_own", false},
                                               {"n", false},         {"outliers", false}};
    json_t *value = json_object_get(object, key);
    struct document_place at = document_at(place, key);
    if (!value)
        return true;
    return document_keys(value, &at, keys, COUNT_OF(keys), failure) &&
           member_number(value, "latency_s", &at, 0, LIMIT_COST_S, &cost->cost.latency_s,
                         failure) &&
           fit_parse(&cost->fit, value, &at, failure);
}

static bool worker_parse(struct profile_worker *worker, json_t *value,
                         const struct document_place *place, struct failure *failure)
{
    static const struct document_key keys[] = {
        {"name", false},   {"count", false},  {"link", false},    {"receive", true},
        {"compute", true}, {"output", false}, {"request", false}, {"start", false}};
    if (!document_keys(value, place, keys, COUNT_OF(keys), failure))
        return false;
    struct document_place name = document_at(place, "name");
    struct document_place count = document_at(place, "count");
    worker->count = 1;
    if (!document_word(json_object_get(value, "name"), &name, &worker->name, failure) ||
        !document_count(json_object_get(value, "count"), &count, 1, LIMIT_WORKERS, &worker->count,
                        failure) ||
        !member_cost(&worker->link, value, "link", place, failure) ||
        !member_cost(&worker->receive, value, "receive", place, failure) ||
        !member_cost(&worker->compute, value, "compute", place, failure) ||
        !member_cost(&worker->output, value, "output", place, failure) ||
        !member_cost(&worker->request, value, "request", place, failure) ||
        !member_latency(&worker->start, value, "start", place, failure))
        return false;
    if (worker->receive.cost.s_per_task + worker->compute.cost.s_per_task <= 0)
        return document_refuse(failure, place,
                               "receive and compute take no time per task: give one of them a "
                               "positive s_per_task");
    return true;
}

static bool workers_parse(struct profile_window *window, json_t *value,
                          const struct document_place *place, struct failure *failure)
{
    if (!document_array(value, place, 1, failure))
        return false;
    size_t count = json_array_size(value);
    window->workers = calloc(count, sizeof *window->workers);
    if (!window->workers)
        return failure_memory(failure, "reading a profile");
    for (size_t k = 0; k < count; k++) {
        struct document_place at = document_element(place, k);
        window->worker_count = k + 1;
        if (!worker_parse(&window->workers[k], json_array_get(value, k), &at, failure))
            return false;
        if (profile_workers(window) > LIMIT_WORKERS)
            return document_refuse(
                failure, place, "more than %" PRId64 " workers: lower their counts", LIMIT_WORKERS);
    }
    return true;
}

static bool interval_parse(struct profile_window *window, json_t *value,
                           const struct document_place *place, struct failure *failure)
{
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

/* Does every package of the window take some time? Rates are not negative, so what holds at its
 * least end holds up to its greatest. */
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

static bool costs_positive(const struct profile_window *window, const struct document_place *place,
                           struct failure *failure)
{
    struct document_place workers = document_at(place, "workers");
    bool good = cost_positive(window, &window->envelope, place, "envelope", failure) &&
                cost_positive(window, &window->send, place, "send", failure) &&
                cost_positive(window, &window->answer, place, "answer", failure);
    for (size_t k = 0; good && k < window->worker_count; k++) {
        const struct profile_worker *worker = &window->workers[k];
        struct document_place at = document_element(&workers, k);
        good = cost_positive(window, &worker->link, &at, "link", failure) &&
               cost_positive(window, &worker->receive, &at, "receive", failure) &&
               cost_positive(window, &worker->compute, &at, "compute", failure) &&
               cost_positive(window, &worker->output, &at, "output", failure) &&
               cost_positive(window, &worker->request, &at, "request", failure);
    }
    return good;
}

static bool window_parse(struct profile_window *window, json_t *value,
                         const struct document_place *place, struct failure *failure)
{
    static const struct document_key keys[] = {
        {"tasks", true}, {"envelope", true}, {"send", true}, {"answer", false}, {"workers", true}};
    if (!document_keys(value, place, keys, COUNT_OF(keys), failure))
        return false;
    struct document_place tasks = document_at(place, "tasks");
    struct document_place workers = document_at(place, "workers");
    return interval_parse(window, json_object_get(value, "tasks"), &tasks, failure) &&
           member_cost(&window->envelope, value, "envelope", place, failure) &&
           member_cost(&window->send, value, "send", place, failure) &&
           member_cost(&window->answer, value, "answer", place, failure) &&
           workers_parse(window, json_object_get(value, "workers"), &workers, failure) &&
           costs_positive(window, place, failure);
}

/* A worker starts once, whatever the window of its packages. */
static bool starts_equal(const struct profile_window *window, const struct profile_window *before,
                         const struct document_place *place, struct failure *failure)
{
    struct document_place workers = document_at(place, "workers");
    int64_t first = 0, first_before = 0;
    for (size_t k = 0, b = 0; k < window->worker_count && b < before->worker_count;) {
        const struct profile_worker *worker = &window->workers[k], *same = &before->workers[b];
        const struct document_place at = document_element(&workers, k);
        const double start_s = worker->start.cost.latency_s;
        if (start_s != same->start.cost.latency_s)
            return document_refuse(failure, &at,
                                   "starts for %.9g s, but for %.9g s in the window before it: a "
                                   "worker starts once, so give it the same start in all of them",
                                   start_s, same->start.cost.latency_s);
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

/* Does the last window go with the ones before it? */
static bool window_follows(const struct profile_setting *setting,
                           const struct document_place *place, struct failure *failure)
{
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
    return starts_equal(window, before, place, failure);
}

/* Room for an array of at least one element, all 0; owned. NULL with *failure set. */
static void *list_room(const json_t *value, const struct document_place *place, size_t size,
                       struct failure *failure)
{
    if (!document_array(value, place, 1, failure))
        return NULL;
    void *room = calloc(json_array_size(value), size);
    if (!room)
        failure_memory(failure, "reading a profile");
    return room;
}

/* Every element in turn, added to what `owner` has. */
static bool list_parse(void *owner, json_t *value, const struct document_place *place,
                       bool (*add)(void *owner, json_t *value, const struct document_place *place,
                                   struct failure *failure),
                       struct failure *failure)
{
    for (size_t k = 0; k < json_array_size(value); k++) {
        const struct document_place at = document_element(place, k);
        if (!add(owner, json_array_get(value, k), &at, failure))
            return false;
    }
    return true;
}

static bool window_add(void *owner, json_t *value, const struct document_place *place,
                       struct failure *failure)
{
    struct profile_setting *setting = owner;
    return window_parse(&setting->windows[setting->window_count++], value, place, failure) &&
           window_follows(setting, place, failure);
}

static bool windows_parse(struct profile_setting *setting, json_t *value,
                          const struct document_place *place, struct failure *failure)
{
    setting->windows = list_room(value, place, sizeof *setting->windows, failure);
    return setting->windows && list_parse(setting, value, place, window_add, failure);
}

static bool memory_parse(struct memory *memory, json_t *value, const struct document_place *place,
                         struct failure *failure)
{
    static const struct document_key keys[] = {
        {"bytes", true}, {"bytes_per_task", true}, {"message", false}, {"message_per_task", false}};
    if (!value)
        return true;
    if (!document_keys(value, place, keys, COUNT_OF(keys), failure))
        return false;
    return member_number(value, "bytes", place, 0, LIMIT_BYTES, &memory->bytes, failure) &&
           member_number(value, "bytes_per_task", place, 0, LIMIT_BYTES, &memory->bytes_per_task,
                         failure) &&
           (!json_object_get(value, "message") ||
            member_number(value, "message", place, 0, LIMIT_BYTES, &memory->message, failure)) &&
           (!json_object_get(value, "message_per_task") ||
            member_number(value, "message_per_task", place, 0, LIMIT_BYTES,
                          &memory->message_per_task, failure));
}

static bool score_parse(struct score *score, json_t *value, const struct document_place *place,
                        struct failure *failure)
{
    static const struct document_key keys[] = {{"held_out", true}, {"noise", true}};
    if (!value)
        return true;
    return document_keys(value, place, keys, COUNT_OF(keys), failure) &&
           member_number(value, "held_out", place, 0, LIMIT_DEVIATION, &score->held_out, failure) &&
           member_number(value, "noise", place, 0, LIMIT_DEVIATION, &score->noise, failure);
}

static bool extrapolation_parse(struct extrapolation *extrapolation, json_t *value,
                                const struct document_place *place, struct failure *failure)
{
    static const struct document_key keys[] = {{"above", true}, {"budget_s", false}};
    if (!value)
        return true;
    if (!document_keys(value, place, keys, COUNT_OF(keys), failure))
        return false;
    struct document_place above = document_at(place, "above");
    return document_count(json_object_get(value, "above"), &above, 1, LIMIT_TASKS,
                          &extrapolation->above, failure) &&
           member_number(value, "budget_s", place, 0, LIMIT_COST_S, &extrapolation->budget_s,
                         failure);
}

static bool spread_parse(struct profile_setting *setting, json_t *value,
                         const struct document_place *place, struct failure *failure)
{
    static const struct document_key keys[] = {{"tasks", true}, {"deviation", true}};
    struct spread *spread = &setting->spreads[setting->spread_count];
    if (!document_keys(value, place, keys, COUNT_OF(keys), failure))
        return false;
    const int64_t least = setting->spread_count > 0 ? spread[-1].tasks + 1 : 1;
    struct document_place tasks = document_at(place, "tasks");
    struct document_place deviation = document_at(place, "deviation");
    if (!document_count(json_object_get(value, "tasks"), &tasks, least, LIMIT_TASKS, &spread->tasks,
                        failure) ||
        !document_number(json_object_get(value, "deviation"), &deviation, 0, LIMIT_COST_S,
                         &spread->deviation, failure))
        return false;
    setting->spread_count++;
    return true;
}

static bool spreads_parse(struct profile_setting *setting, json_t *value,
                          const struct document_place *place, struct failure *failure)
{
    if (!value)
        return true;
    if (!document_array(value, place, 1, failure))
        return false;
    const size_t count = json_array_size(value);
    setting->spreads = calloc(count, sizeof *setting->spreads);
    if (!setting->spreads)
        return failure_memory(failure, "reading a profile");
    for (size_t k = 0; k < count; k++) {
        struct document_place at = document_element(place, k);
        if (!spread_parse(setting, json_array_get(value, k), &at, failure))
            return false;
    }
    return true;
}

static bool setting_parse(struct profile_setting *setting, json_t *value,
                          const struct document_place *place, struct failure *failure)
{
    static const struct document_key keys[] = {
        {"block", false},  {"parameters", false},  {"method", false}, {"memory", false},
        {"spread", false}, {"threads", false},     {"score", false},  {"map", false},
        {"windows", true}, {"extrapolated", false}};
    if (!document_keys(value, place, keys, COUNT_OF(keys), failure))
        return false;
    struct document_place block_place = document_at(place, "block");
    struct document_place parameters = document_at(place, "parameters");
    struct document_place method = document_at(place, "method");
    struct document_place memory = document_at(place, "memory");
    struct document_place spread = document_at(place, "spread");
    struct document_place threads_place = document_at(place, "threads");
    struct document_place score = document_at(place, "score");
    struct document_place extrapolated = document_at(place, "extrapolated");
    struct document_place map = document_at(place, "map");
    struct document_place windows = document_at(place, "windows");
    int64_t threads = 0;
    if (!document_parameters(json_object_get(value, "parameters"), &parameters,
                             &setting->parameters, failure) ||
        !document_block(json_object_get(value, "block"), &block_place, &setting->parameters,
                        failure) ||
        !document_count(json_object_get(value, "threads"), &threads_place, 1, LIMIT_THREADS,
                        &threads, failure) ||
        !spreads_parse(setting, json_object_get(value, "spread"), &spread, failure) ||
        !cost_map_parse(&setting->map, json_object_get(value, "map"), &map, failure) ||
        !score_parse(&setting->score, json_object_get(value, "score"), &score, failure) ||
        !extrapolation_parse(&setting->extrapolation, json_object_get(value, "extrapolated"),
                             &extrapolated, failure) ||
        !memory_parse(&setting->memory, json_object_get(value, "memory"), &memory, failure) ||
        !document_word(json_object_get(value, "method"), &method, &setting->method, failure))
        return false;
    setting->threads = (int)threads;
    return windows_parse(setting, json_object_get(value, "windows"), &windows, failure);
}

static bool setting_twin(const struct profile *profile, const struct profile_setting *setting)
{
    for (const struct profile_setting *other = profile->settings; other < setting; other++)
        if (parameter_list_equal(&other->parameters, &setting->parameters) &&
            other->threads == setting->threads)
            return true;
    return false;
}

/* Does the last setting go with the ones before it? */
static bool setting_follows(const struct profile *profile, const struct document_place *place,
                            struct failure *failure)
{
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

static bool setting_add(void *owner, json_t *value, const struct document_place *place,
                        struct failure *failure)
{
    struct profile *profile = owner;
    return setting_parse(&profile->settings[profile->setting_count++], value, place, failure) &&
           setting_follows(profile, place, failure);
}

static bool settings_parse(struct profile *profile, json_t *value,
                           const struct document_place *place, struct failure *failure)
{
    profile->settings = list_room(value, place, sizeof *profile->settings, failure);
    return profile->settings && list_parse(profile, value, place, setting_add, failure);
}

/* The number of a kind's nodes, and what each has; `nodes` NULL: it is one node, with no number. */
static bool node_parse(struct topology *topology, int *nodes, json_t *value,
                       const struct document_place *place, struct failure *failure)
{
    const struct document_key keys[] = {{"packages", true}, {"cores", true}, {"threads", true},
                                        {"numa", true},     {"gpus", true},  {"nodes", true}};
    int *const counts[] = {&topology->packages, &topology->cores, &topology->threads,
                           &topology->numa,     &topology->gpus,  nodes};
    const size_t count = nodes ? COUNT_OF(keys) : COUNT_OF(keys) - 1;
    if (!document_keys(value, place, keys, count, failure))
        return false;
    for (size_t k = 0; k < count; k++) {
        struct document_place at = document_at(place, keys[k].name);
        const int64_t least = counts[k] != &topology->gpus;
        int64_t number = 0;
        if (!document_count(json_object_get(value, keys[k].name), &at, least, LIMIT_WORKERS,
                            &number, failure))
            return false;
        *counts[k] = (int)number;
    }
    return true;
}

static bool kinds_parse(struct topology_kinds *kinds, json_t *value,
                        const struct document_place *place, struct failure *failure)
{
    if (!value)
        return true;
    if (!document_array(value, place, 1, failure))
        return false;
    if (json_array_size(value) > TOPOLOGY_KINDS_MOST)
        return document_refuse(failure, place, "must have at most %d kinds of nodes",
                               TOPOLOGY_KINDS_MOST);
    for (size_t k = 0; k < json_array_size(value); k++) {
        const struct document_place at = document_element(place, k);
        struct topology_kind *kind = &kinds->items[kinds->count++];
        if (!node_parse(&kind->topology, &kind->nodes, json_array_get(value, k), &at, failure))
            return false;
    }
    return true;
}

static bool host_parse(struct profile_origin *origin, json_t *value,
                       const struct document_place *place, struct failure *failure)
{
    static const struct document_key keys[] = {
        {"name", false},    {"processor", false},        {"isa", false},
        {"threads", false}, {"workers_per_node", false}, {"machine", false},
        {"nodes", false},   {"topology", false},         {"node_kinds", false}};
    if (!value)
        return true;
    if (!document_keys(value, place, keys, COUNT_OF(keys), failure))
        return false;
    struct document_place name = document_at(place, "name");
    struct document_place processor = document_at(place, "processor");
    struct document_place isa = document_at(place, "isa");
    struct document_place threads = document_at(place, "threads");
    struct document_place workers_place = document_at(place, "workers_per_node");
    struct document_place machine = document_at(place, "machine");
    struct document_place nodes_place = document_at(place, "nodes");
    struct document_place topology = document_at(place, "topology");
    struct document_place kinds = document_at(place, "node_kinds");
    json_t *const node = json_object_get(value, "topology");
    int64_t count = 0, workers = 0, nodes = 0;
    bool good =
        document_word(json_object_get(value, "name"), &name, &origin->host_name, failure) &&
        document_word(json_object_get(value, "processor"), &processor, &origin->processor,
                      failure) &&
        document_word(json_object_get(value, "isa"), &isa, &origin->isa, failure) &&
        document_count(json_object_get(value, "threads"), &threads, 1, LIMIT_THREADS, &count,
                       failure) &&
        document_count(json_object_get(value, "workers_per_node"), &workers_place, 1, LIMIT_WORKERS,
                       &workers, failure) &&
        document_word(json_object_get(value, "machine"), &machine, &origin->machine, failure) &&
        document_count(json_object_get(value, "nodes"), &nodes_place, 1, LIMIT_WORKERS, &nodes,
                       failure);
    origin->threads = (int)count;
    origin->workers_per_node = (int)workers;
    origin->nodes = (int)nodes;
    return good && (!node || node_parse(&origin->topology, NULL, node, &topology, failure)) &&
           kinds_parse(&origin->kinds, json_object_get(value, "node_kinds"), &kinds, failure);
}

static bool origin_parse(struct profile_origin *origin, json_t *root,
                         const struct document_place *place, struct failure *failure)
{
    struct document_place host = document_at(place, "host");
    struct document_place mpi = document_at(place, "mpi");
    struct document_place created = document_at(place, "created");
    struct document_place version = document_at(place, "version");
    return host_parse(origin, json_object_get(root, "host"), &host, failure) &&
           document_word(json_object_get(root, "mpi"), &mpi, &origin->mpi, failure) &&
           document_word(json_object_get(root, "created"), &created, &origin->created, failure) &&
           document_word(json_object_get(root, "version"), &version, &origin->version, failure);
}

static bool peaks_parse(struct profile_peaks *peaks, json_t *value,
                        const struct document_place *place, struct failure *failure)
{
    static const struct document_key keys[] = {
        {"rank", true}, {"command", false}, {"master", false}};
    if (!value)
        return true;
    return document_keys(value, place, keys, COUNT_OF(keys), failure) &&
           member_number(value, "rank", place, 0, LIMIT_BYTES, &peaks->rank, failure) &&
           (!json_object_get(value, "command") ||
            member_number(value, "command", place, 0, LIMIT_BYTES, &peaks->command, failure)) &&
           (!json_object_get(value, "master") ||
            member_number(value, "master", place, 0, LIMIT_BYTES, &peaks->master, failure));
}

static bool history_parse(struct profile *profile, json_t *value,
                          const struct document_place *place, struct failure *failure)
{
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
        return failure_memory(failure, "reading a profile");
    for (size_t k = 0; k < count; k++) {
        struct document_place at = document_element(place, k);
        if (!document_number(json_array_get(value, k), &at, -1, LIMIT_DEVIATION,
                             &profile->history[k], failure))
            return false;
        profile->history_count++;
    }
    return true;
}

static bool overhead_parse(struct overhead *overhead, json_t *value,
                           const struct document_place *place, struct failure *failure)
{
    static const struct document_key keys[] = {{"start_s", false}, {"seal_s", false}};
    if (!value)
        return true;
    return document_keys(value, place, keys, COUNT_OF(keys), failure) &&
           member_number(value, "start_s", place, 0, LIMIT_COST_S, &overhead->start_s, failure) &&
           member_number(value, "seal_s", place, 0, LIMIT_COST_S, &overhead->seal_s, failure);
}

static bool profile_read(struct profile *profile, json_t *root, const struct document_place *place,
                         struct failure *failure)
{
    static const struct document_key keys[] = {
        {"schema", true},         {"kernel", true},        {"plugin", false},
        {"plugin_sha256", false}, {"parameters", false},   {"host", false},
        {"mpi", false},           {"created", false},      {"version", false},
        {"history", false},       {"memory_bytes", false}, {"overhead", false},
        {"settings", true}};
    if (!document_schema(root, place, "scow-profile-1", failure) ||
        !document_keys(root, place, keys, COUNT_OF(keys), failure))
        return false;
    struct document_place kernel = document_at(place, "kernel");
    struct document_place plugin = document_at(place, "plugin");
    struct document_place digest = document_at(place, "plugin_sha256");
    struct document_place parameters = document_at(place, "parameters");
    struct document_place history = document_at(place, "history");
    struct document_place peaks = document_at(place, "memory_bytes");
    struct document_place overhead = document_at(place, "overhead");
    struct document_place settings = document_at(place, "settings");
    return document_word(json_object_get(root, "kernel"), &kernel, &profile->kernel, failure) &&
           document_word(json_object_get(root, "plugin"), &plugin, &profile->plugin, failure) &&
           document_digest(json_object_get(root, "plugin_sha256"), &digest, &profile->plugin_sha256,
                           failure) &&
           document_parameters(json_object_get(root, "parameters"), &parameters,
                               &profile->parameters, failure) &&
           origin_parse(&profile->origin, root, place, failure) &&
           history_parse(profile, json_object_get(root, "history"), &history, failure) &&
           peaks_parse(&profile->peaks, json_object_get(root, "memory_bytes"), &peaks, failure) &&
           overhead_parse(&profile->overhead, json_object_get(root, "overhead"), &overhead,
                          failure) &&
           settings_parse(profile, json_object_get(root, "settings"), &settings, failure);
}

static void settings_inherit(struct profile *profile)
{
    const struct parameter *behind =
        parameter_list_find(&profile->parameters, PLATFORM_WRITE_BEHIND);
    for (size_t k = 0; k < profile->setting_count; k++)
        profile->settings[k].write_behind = behind && parameter_is_yes(behind);
}

bool profile_parse(struct profile *profile, const char *text, size_t length, const char *name,
                   struct failure *failure)
{
    json_t *root = document_parse(text, length, name, failure);
    if (!root)
        return false;
    struct document_place place = {NULL, name, 0};
    struct profile read = {0};
    bool good = profile_read(&read, root, &place, failure);
    settings_inherit(&read);
    if (good)
        *profile = read;
    else
        profile_release(&read);
    json_decref(root);
    return good;
}
