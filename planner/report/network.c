#include "planner/report/network.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/model/shared.h"
#include "planner/report/replay.h"

static const double message_least = 65536;

/* ---- finding ------------------------------------------------------------------------------- */

static const struct profile_worker *class_of(const struct profile_setting *setting, int64_t worker)
{
    const struct profile_window *window = &setting->windows[0];
    return worker < profile_workers(window) ? &window->workers[profile_class(window, worker)]
                                            : NULL;
}

static bool setting_speaks(const struct profile_setting *setting)
{
    const struct profile_window *first = &setting->windows[0];
    const int64_t greatest = setting->windows[setting->window_count - 1].greatest;
    bool known = false;
    for (size_t k = 0; k < first->worker_count; k++)
        known = known || first->workers[k].bandwidth > 0;
    return known && memory_message(&setting->memory, (double)greatest) > message_least;
}

bool network_finding_init(struct network_finding *finding, const struct run_record *record,
                          int64_t workers, struct failure *failure)
{
    const struct profile_setting *setting =
        record->has_profile
            ? profile_find(&record->profile, &record->plan.parameters, record->plan.threads)
            : NULL;
    *finding = (struct network_finding){.record = record, .workers = workers};
    if (!setting || !setting_speaks(setting))
        return true;
    if (!platform_init(&finding->platform, setting, 0, failure))
        return false;
    finding->setting = setting;
    if (record->plan.tasks == (double)record->tasks &&
        !platform_map(&finding->platform, setting, record->plan.tasks, failure))
        return false;
    finding->times = calloc((size_t)workers + 1, sizeof *finding->times);
    return finding->times || failure_memory(failure, "reading a run");
}

void network_finding_take(void *self, const struct replay_package *package)
{
    struct network_finding *finding = self;
    const int64_t worker = package->worker;
    const double tasks = (double)package->tasks;
    if (!finding->setting || worker < 0 || worker >= finding->workers ||
        worker >= finding->platform.worker_count || !(package->cost.link_s > 0) ||
        memory_message(&finding->setting->memory, tasks) <= message_least)
        return;
    const struct platform_window *window = platform_nearest(&finding->platform, tasks);
    const struct cost link = platform_worker(window, worker)->link;
    finding->times[worker].expected_s +=
        cost_of(link, tasks) *
        platform_bulk(&finding->platform, link, (double)package->first, tasks);
    finding->times[worker].taken_s += package->cost.link_s;
}

/* The links that were expected are those with the bandwidth that the plan was made for. */
static struct network_worker worker_find(const struct network_finding *finding, int64_t worker)
{
    const struct profile_worker *class = class_of(finding->setting, worker);
    const struct network_times *times = &finding->times[worker];
    if (!class || !(class->bandwidth > 0) || !(times->expected_s > 0 && times->taken_s > 0))
        return (struct network_worker){0, 0};
    const bool shared = finding->record->profile.shared;
    const double planned =
        class->bandwidth * (shared ? shared_of(&finding->record->plan, worker).bandwidth : 1);
    const double found = planned * times->expected_s / times->taken_s;
    return (struct network_worker){fmax(1, nearbyint(found)), planned};
}

bool network_finding_end(const struct network_finding *finding, struct network *network,
                         struct failure *failure)
{
    *network = (struct network){.workers = NULL};
    if (!finding->setting)
        return true;
    network->workers = calloc((size_t)finding->workers + 1, sizeof *network->workers);
    if (!network->workers)
        return failure_memory(failure, "reading a run");
    network->count = finding->workers;
    for (int64_t k = 0; k < network->count; k++)
        network->workers[k] = worker_find(finding, k);
    return true;
}

void network_finding_release(struct network_finding *finding)
{
    if (finding->setting)
        platform_release(&finding->platform);
    free(finding->times);
    *finding = (struct network_finding){.record = NULL};
}

void network_release(struct network *network)
{
    free(network->workers);
    *network = (struct network){.workers = NULL};
}

/* ---- what is said -------------------------------------------------------------------------- */

struct network_sum {
    double found, planned; /* means over workers for which they are known */
    int64_t known, least;  /* the worker that found least */
};

static struct network_sum network_sum(const struct network *network)
{
    struct network_sum sum = {.least = -1};
    for (int64_t k = 0; k < network->count; k++) {
        const struct network_worker *worker = &network->workers[k];
        if (!(worker->found_bytes_s > 0))
            continue;
        sum.found += worker->found_bytes_s;
        sum.planned += worker->planned_bytes_s;
        sum.known++;
        if (sum.least < 0 || worker->found_bytes_s < network->workers[sum.least].found_bytes_s)
            sum.least = k;
    }
    sum.found /= sum.known > 0 ? (double)sum.known : 1;
    sum.planned /= sum.known > 0 ? (double)sum.known : 1;
    return sum;
}

void network_text(const struct network *network, struct text *text)
{
    const struct network_sum sum = network_sum(network);
    if (sum.known == 0)
        return;
    text_add(text, "network     packages found %.3g GB/s", sum.found / 1e9);
    if (sum.known > 1)
        text_add(text, ", worker %" PRId64 " the least: %.3g GB/s", sum.least + 1,
                 network->workers[sum.least].found_bytes_s / 1e9);
    text_add(text, "; planned with %.3g GB/s\n", sum.planned / 1e9);
}

void network_json(const struct network *network, int64_t worker, struct json_text *json)
{
    struct network_worker own = {0, 0};
    if (network_sum(network).known == 0)
        return;
    if (worker < network->count)
        own = network->workers[worker];
    json_number(json, "bandwidth", own.found_bytes_s > 0 ? own.found_bytes_s : (double)NAN);
    json_number(json, "bandwidth_planned",
                own.planned_bytes_s > 0 ? own.planned_bytes_s : (double)NAN);
}
