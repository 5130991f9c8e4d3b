#include "spmd/protocol/emulation.h"

#include <math.h>
#include <stdlib.h>

#include "planner/files/plan_profile.h"
#include "planner/model/platform.h"
#include "spmd/transport/clock.h"

struct emulation {
    struct platform platform;
    enum operating operating;
    int64_t before;   /* so many of the profile's workers are before the first one here */
    const int *ranks; /* borrowed: of the master and its workers; NULL: consecutive */
    int rank_count;
    int64_t slow_worker; /* -1: none */
    int64_t slow_after;  /* so many core tasks are slept at full speed first */
    double slow_factor;
    int64_t *slept; /* owned: core tasks slept here so far */
};

/* The longest sleep between two pulses. */
static const double nap_most_s = 2e-3;

static bool platform_make(struct emulation *emulation, const struct profile *profile,
                          const struct plan *plan, struct failure *failure)
{
    struct plan_profile seen;
    const bool good = plan_profile_init(&seen, profile, plan, failure) &&
                      platform_init(&emulation->platform, seen.setting, 0, failure) &&
                      platform_map(&emulation->platform, seen.setting, plan->tasks, failure);
    plan_profile_release(&seen);
    return good;
}

/* Reads "WORKER,TASKS,FACTOR"; anything else is ignored. */
static void slow_read(struct emulation *emulation, const char *text)
{
    char *end;
    const long long worker = strtoll(text, &end, 10);
    if (*end != ',')
        return;
    const long long after = strtoll(end + 1, &end, 10);
    const double factor = *end == ',' ? strtod(end + 1, &end) : 0;
    if (*end != '\0' || !(factor > 0))
        return;
    emulation->slow_worker = worker - 1;
    emulation->slow_after = after;
    emulation->slow_factor = factor;
}

/* False: out of memory. */
static bool slow_make(struct emulation *emulation)
{
    const char *slow = getenv(EMULATION_SLOW);
    emulation->slow_worker = -1;
    if (slow)
        slow_read(emulation, slow);
    emulation->slept = calloc(1, sizeof *emulation->slept);
    return emulation->slept != NULL;
}

struct emulation *emulation_new(const struct profile *profile, const struct plan *plan,
                                int64_t before, struct failure *failure)
{
    if (!profile) {
        failure_set(
            failure, FAILURE_USAGE,
            "core task '%s' sleeps for as long as a profile says: name the plan's with -p PROFILE",
            plan->kernel);
        return NULL;
    }
    struct emulation *emulation = calloc(1, sizeof *emulation);
    if (!emulation)
        failure_memory(failure, "preparing to sleep");
    if (emulation) {
        emulation->operating = plan->operating;
        emulation->before = before;
    }
    if (emulation && !slow_make(emulation))
        failure_memory(failure, "preparing to sleep");
    if (emulation &&
        (failure->code != FAILURE_NONE || !platform_make(emulation, profile, plan, failure))) {
        free(emulation->slept);
        free(emulation);
        emulation = NULL;
    }
    return emulation;
}

void emulation_ranks(struct emulation *emulation, const int *ranks, int count)
{
    emulation->ranks = ranks;
    emulation->rank_count = count;
}

/* The worker's number among those of the profile. */
static int64_t worker_number(const struct emulation *emulation, int64_t worker)
{
    if (emulation->ranks && worker >= 0 && worker + 1 < emulation->rank_count)
        return emulation->ranks[worker + 1] - 1;
    return emulation->before + worker;
}

enum operating emulation_operating(const struct emulation *emulation)
{
    return emulation ? emulation->operating : OPERATING_SINGLE_PORT;
}

const struct operating_traits *emulation_traits(const struct emulation *emulation)
{
    return operating_traits(emulation_operating(emulation));
}

/* Workers beyond those of the profile are like its last one. */
static const struct platform_class *class_of(const struct emulation *emulation,
                                             const struct platform_window *window, int64_t worker)
{
    const int64_t last = emulation->platform.worker_count - 1;
    const int64_t there = worker_number(emulation, worker);
    return platform_worker(window, there < last ? there : last);
}

double emulation_fetch_s(const struct emulation *emulation, int64_t worker, int64_t tasks)
{
    const struct platform_window *window = platform_nearest(&emulation->platform, (double)tasks);
    const double fetch_s = class_of(emulation, window, worker)->fetch_s;
    if (fetch_s > 0)
        return fetch_s;
    return fmax(emulation_cost(emulation, OPERATION_REQUEST, worker, tasks) -
                    emulation_cost(emulation, OPERATION_ANSWER, worker, tasks),
                0);
}

static double cost_part(const struct platform_window *window, const struct platform_class *class,
                        enum operation operation, int64_t tasks)
{
    switch (operation) {
    case OPERATION_ENVELOPE:
        return cost_of(window->envelope, (double)tasks);
    case OPERATION_SEND:
        return cost_of(window->send, (double)tasks);
    case OPERATION_LINK:
        return cost_of(class->link, (double)tasks);
    case OPERATION_RECEIVE:
        return cost_of(class->receive, (double)tasks);
    case OPERATION_COMPUTE:
        return cost_of(class->compute, (double)tasks);
    case OPERATION_OUTPUT:
        return cost_of(class->output, (double)tasks);
    case OPERATION_RESULT:
        return cost_of(class->result, (double)tasks);
    case OPERATION_COLLECT:
        return cost_of(window->collect, (double)tasks);
    case OPERATION_REQUEST:
        return cost_of(class->request, (double)tasks);
    case OPERATION_ANSWER:
        return cost_of(window->answer, (double)tasks);
    case OPERATION_START:
        return class->start_s;
    case OPERATION_IDLE:
        break;
    }
    return 0;
}

/* Masters of groups are told of packages, and have no start. Computing one takes no longer than one
 * worker would need for it. */
static double told_part(const struct platform_window *window, const struct platform_class *class,
                        enum operation operation, int64_t tasks)
{
    const struct platform_told told = platform_told(window, class);
    const bool works = operation == OPERATION_COMPUTE || operation == OPERATION_OUTPUT;
    return operation == OPERATION_SEND   ? told.send_s
           : operation == OPERATION_LINK ? told.link_s
           : works                       ? cost_part(window, class, operation, tasks)
                                         : 0;
}

double emulation_cost(const struct emulation *emulation, enum operation operation, int64_t worker,
                      int64_t tasks)
{
    const struct platform_window *window = platform_nearest(&emulation->platform, (double)tasks);
    const struct platform_class *class = class_of(emulation, window, worker);
    if (!emulation->ranks)
        return cost_part(window, class, operation, tasks);
    return told_part(window, class, operation, tasks);
}

/* Counts the core tasks that are computed here; after slow_after of them the factor is that of the
 * slow worker. */
static double slow_factor(const struct emulation *emulation, enum operation operation,
                          int64_t worker, int64_t tasks)
{
    const bool slow = emulation->before + worker == emulation->slow_worker &&
                      *emulation->slept >= emulation->slow_after &&
                      (operation == OPERATION_RECEIVE || operation == OPERATION_COMPUTE ||
                       operation == OPERATION_OUTPUT);
    if (operation == OPERATION_COMPUTE)
        *emulation->slept += tasks;
    return slow ? emulation->slow_factor : 1;
}

double emulation_end(const struct emulation *emulation, enum operation operation, int64_t worker,
                     int64_t tasks, double start_s)
{
    return start_s + emulation_cost(emulation, operation, worker, tasks) *
                         slow_factor(emulation, operation, worker, tasks);
}

void emulation_await(const struct comm *comm, double end_s, struct engine_pulse pulse)
{
    for (;;) {
        const bool stop = pulse.call && pulse.call(pulse.self);
        const double left_s = end_s - comm_now(comm);
        if (left_s <= 0 || stop)
            return;
        if (left_s > clock_late_s)
            clock_nap(fmin(left_s - clock_late_s, nap_most_s));
    }
}

/* The weight of these core tasks for computing, as in the simulation. */
static double weight_of(const struct emulation *emulation, int64_t worker, struct task_range range)
{
    const struct platform *platform = &emulation->platform;
    const struct platform_window *window = platform_nearest(platform, (double)range.count);
    return platform_weight(platform, class_of(emulation, window, worker)->compute,
                           (double)range.first, (double)range.count);
}

void emulation_sleep(const struct emulation *emulation, const struct comm *comm,
                     enum operation operation, int64_t worker, struct task_range range,
                     double start_s, struct engine_pulse pulse)
{
    const double end_s = emulation_end(emulation, operation, worker, range.count, start_s);
    const double weight = operation == OPERATION_COMPUTE ? weight_of(emulation, worker, range) : 1;
    emulation_await(comm, start_s + weight * (end_s - start_s), pulse);
}

void emulation_free(struct emulation **emulation)
{
    if (!*emulation)
        return;
    platform_release(&(*emulation)->platform);
    free((*emulation)->slept);
    free(*emulation);
    *emulation = NULL;
}
