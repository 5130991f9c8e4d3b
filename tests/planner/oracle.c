#include "tests/planner/oracle.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct oracle_package {
    size_t worker;
    double envelope_and_send_s, link_s, work_s, output_s;
};

struct oracle_worker {
    int waiting, coming; /* packages that have arrived, that travel */
    double until_s;      /* works until then, HUGE_VAL when it does not */
    bool starts;         /* it does not work yet, but starts */
    double writes_s;     /* results are written until then, HUGE_VAL when none are */
    bool holds, blocked; /* results that are not handed over yet; until what is handed is written */
    size_t next;         /* looks for its next package from here on */
    size_t held;         /* whose results it holds */
};

struct oracle {
    struct oracle_package *packages;
    size_t count;
    struct oracle_worker *workers;
    size_t worker_count;
    double now_s, last_end_s;
    size_t prepared, sent, arrived; /* packages that master and port are done with */
    double master_until_s, port_until_s;
    int buffers;
    bool write_behind;
};

static double oracle_cost(const struct measured_cost *cost, double load)
{
    return cost->cost.latency_s + cost->cost.s_per_task * load;
}

static const struct profile_window *oracle_window(const struct profile_setting *setting,
                                                  double load)
{
    for (size_t k = 0; k < setting->window_count; k++)
        if (load > (double)setting->windows[k].least - 1 &&
            load < (double)setting->windows[k].greatest + 1)
            return &setting->windows[k];
    abort();
}

static const struct profile_worker *oracle_profile(const struct profile_window *window,
                                                   int64_t worker)
{
    size_t k = 0;
    while (worker >= window->workers[k].count)
        worker -= window->workers[k++].count;
    return &window->workers[k];
}

static void package_append(struct oracle *oracle, const struct profile_setting *setting,
                           size_t slot, int64_t worker, double load)
{
    const struct profile_window *window = oracle_window(setting, load);
    const struct profile_worker *costs = oracle_profile(window, worker);
    oracle->packages = realloc(oracle->packages, (oracle->count + 1) * sizeof *oracle->packages);
    if (!oracle->packages)
        abort();
    oracle->packages[oracle->count++] = (struct oracle_package){
        slot, oracle_cost(&window->envelope, load) + oracle_cost(&window->send, load),
        oracle_cost(&costs->link, load),
        oracle_cost(&costs->receive, load) + oracle_cost(&costs->compute, load),
        oracle_cost(&costs->output, load)};
}

static void packages_list(struct oracle *oracle, const struct profile_setting *setting,
                          const struct plan *plan)
{
    for (size_t k = 0; k < plan->round_count; k++)
        for (int64_t repeat = 0; repeat < plan->rounds[k].repeat; repeat++)
            for (size_t slot = 0; slot < (size_t)plan->worker_count; slot++)
                if (plan->rounds[k].loads[slot] > 0)
                    package_append(oracle, setting, slot, plan->workers[slot],
                                   plan->rounds[k].loads[slot]);
}

static bool master_step(struct oracle *oracle)
{
    bool changed = false;
    if (oracle->master_until_s <= oracle->now_s) {
        oracle->prepared++;
        oracle->master_until_s = HUGE_VAL;
        changed = true;
    }
    if (isinf(oracle->master_until_s) && oracle->prepared < oracle->count) {
        oracle->master_until_s =
            oracle->now_s + oracle->packages[oracle->prepared].envelope_and_send_s;
        changed = true;
    }
    return changed;
}

static bool port_step(struct oracle *oracle)
{
    bool changed = false;
    if (oracle->port_until_s <= oracle->now_s) {
        struct oracle_worker *worker = &oracle->workers[oracle->packages[oracle->arrived].worker];
        oracle->arrived++;
        worker->coming--;
        worker->waiting++;
        oracle->port_until_s = HUGE_VAL;
        changed = true;
    }
    if (isinf(oracle->port_until_s) && oracle->sent < oracle->prepared) {
        const struct oracle_package *package = &oracle->packages[oracle->sent];
        struct oracle_worker *worker = &oracle->workers[package->worker];
        if (worker->waiting + worker->coming < oracle->buffers) {
            worker->coming++;
            oracle->sent++;
            oracle->port_until_s = oracle->now_s + package->link_s;
            changed = true;
        }
    }
    return changed;
}

/* The one who writes, beside the worker. */
static bool writer_step(struct oracle *oracle, struct oracle_worker *worker)
{
    bool changed = false;
    if (worker->writes_s <= oracle->now_s) {
        oracle->last_end_s = fmax(oracle->last_end_s, worker->writes_s);
        worker->writes_s = HUGE_VAL;
        worker->blocked = false;
        changed = true;
    }
    if (worker->holds && isinf(worker->writes_s)) {
        worker->writes_s = oracle->now_s + oracle->packages[worker->held].output_s;
        worker->holds = false;
        worker->blocked = !oracle->write_behind;
        changed = true;
    }
    return changed;
}

static bool worker_step(struct oracle *oracle, size_t index)
{
    struct oracle_worker *worker = &oracle->workers[index];
    bool changed = false;
    if (worker->until_s <= oracle->now_s) {
        worker->until_s = HUGE_VAL;
        worker->holds = !worker->starts;
        worker->starts = false;
        changed = true;
    }
    changed = writer_step(oracle, worker) || changed;
    if (isinf(worker->until_s) && !worker->holds && !worker->blocked && worker->waiting > 0) {
        while (oracle->packages[worker->next].worker != index)
            worker->next++;
        worker->held = worker->next++;
        worker->until_s = oracle->now_s + oracle->packages[worker->held].work_s;
        worker->waiting--;
        changed = true;
    }
    return changed;
}

static bool machines_step(struct oracle *oracle)
{
    bool changed = master_step(oracle);
    changed = port_step(oracle) || changed;
    for (size_t k = 0; k < oracle->worker_count; k++)
        changed = worker_step(oracle, k) || changed;
    return changed;
}

static double next_time(const struct oracle *oracle)
{
    double next_s = fmin(oracle->master_until_s, oracle->port_until_s);
    for (size_t k = 0; k < oracle->worker_count; k++)
        next_s = fmin(next_s, fmin(oracle->workers[k].until_s, oracle->workers[k].writes_s));
    return next_s;
}

double oracle_makespan(const struct profile_setting *setting, const struct plan *plan, int buffers)
{
    struct oracle oracle = {.worker_count = (size_t)plan->worker_count,
                            .master_until_s = HUGE_VAL,
                            .port_until_s = HUGE_VAL,
                            .buffers = buffers,
                            .write_behind = setting->write_behind};
    packages_list(&oracle, setting, plan);
    oracle.workers = calloc(oracle.worker_count, sizeof *oracle.workers);
    if (!oracle.workers)
        abort();
    for (size_t k = 0; k < oracle.worker_count; k++) {
        const double start_s =
            oracle_profile(&setting->windows[0], plan->workers[k])->start.cost.latency_s;
        oracle.workers[k].until_s = oracle.workers[k].writes_s = HUGE_VAL;
        oracle.workers[k].starts = start_s > 0;
        if (start_s > 0)
            oracle.workers[k].until_s = start_s;
    }
    do {
        while (machines_step(&oracle))
            continue;
        oracle.now_s = next_time(&oracle);
    } while (isfinite(oracle.now_s));
    free(oracle.packages);
    free(oracle.workers);
    return oracle.last_end_s;
}
