#include "planner/replan/watching.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "planner/dispatch/weighted.h"
#include "planner/simulate/dependable.h"

/* Core tasks that differ by less than this, relative, count as equal. */
static const double spread_equal = 0.02;
/* At most so many changes of the plan are reported one by one. */
enum { TOLD_MOST = 5 };
/* If so many standard deviations of a worker's speed are subtracted, nothing is dependable. */
enum { ERRORS_MOST = 100 };

/* Reads "10%" or "0.1". */
static bool share_read(const char *text, double *share)
{
    char *end;
    *share = strtod(text, &end);
    if (end != text && *end == '%') {
        *share /= 100;
        end++;
    }
    return end != text && *end == '\0' && *share >= 0;
}

static bool tolerance_read(const char *text, double *tolerance, struct failure *failure)
{
    if (share_read(text, tolerance) && *tolerance > 0 && *tolerance < 1000)
        return true;
    return failure_set(failure, FAILURE_USAGE,
                       "--replan '%.40s': give a tolerance above 0, such as 10%% or 0.1", text);
}

/* Reads "dependable", or "dependable=K" with K above 0. */
static bool errors_read(const char *text, double *errors)
{
    static const char word[] = "dependable";
    const size_t length = sizeof word - 1;
    char *end;
    if (strncmp(text, word, length) != 0 || (text[length] != '\0' && text[length] != '='))
        return false;
    *errors = DEPENDABLE_ERRORS;
    if (text[length] == '\0')
        return true;
    *errors = strtod(text + length + 1, &end);
    return end != text + length + 1 && *end == '\0' && *errors > 0 && *errors <= ERRORS_MOST;
}

/* Reads what follows the colon. */
static bool part_read(const char *text, struct plan_tail_request *wanted)
{
    return errors_read(text, &wanted->errors) ||
           (share_read(text, &wanted->share) && wanted->share <= 1);
}

static bool tail_read(const char *text, char *rule, size_t size, struct plan_tail_request *wanted,
                      struct failure *failure)
{
    const size_t length = strcspn(text, ":");
    wanted->share = -1;
    if (length >= size || (text[length] == ':' && !part_read(text + length + 1, wanted)))
        return failure_set(failure, FAILURE_USAGE,
                           "--tail '%.40s': give a rule and, if you like, a share or dependable=K "
                           "after a colon, such as fac, fac:20%% or fac:dependable",
                           text);
    memcpy(rule, text, length);
    rule[length] = '\0';
    return true;
}

static bool tail_make(struct watching *watching, const struct watching_request *request,
                      double usual, struct failure *failure)
{
    const struct plan *plan = request->plan;
    struct plan_tail_request wanted = {
        .plan = plan,
        .platform = &watching->platform,
        .rule = watching->rule,
        .workers = watching->platform.worker_count,
        .ahead = request->ahead,
        .deviation = hypot(profile_timing_deviation(request->setting, usual), request->noise),
        .setting = request->setting,
        .speed = profile_speed_deviation(request->setting, usual),
        .equal =
            !(request->noise > 0) && profile_setting_unequal(request->setting, 1) < spread_equal};
    if (!tail_read(request->tail, watching->rule, sizeof watching->rule, &wanted, failure) ||
        !plan_tail_init(&watching->tail, &wanted, failure))
        return false;
    watching->decision.plan = &watching->tail.head;
    watching->decision.tail = &watching->tail;
    if (watching->tail.setup.tasks > 0 && watching->tail.setup.most > watching->largest)
        watching->largest = watching->tail.setup.most;
    return true;
}

/* Watches by weight where weights are known, else by core tasks. */
static void watch_make(struct watching *watching, double deviation, struct effort *effort)
{
    const struct watch_units *units = &watching->units;
    const bool weighs = watch_units_used(units);
    const struct plan *plan = weighs ? &units->plan : watching->decision.plan;
    const struct platform *platform = weighs ? &units->platform : &watching->platform;
    watching->remaining = (struct replan_setup){platform, (int64_t)plan_largest_load(plan), effort};
    watching->watch = (struct watch_setup){.plan = plan,
                                           .platform = platform,
                                           .workers = platform->worker_count,
                                           .each = weighs ? units->each : 1,
                                           .part_least = weighs ? units->part_least : 0,
                                           .deviation = hypot(deviation, units->deviation),
                                           .planner = {replan_remaining, &watching->remaining}};
    watching->decision.watch = &watching->watch;
    if (!weighs)
        return;
    watching->decision.watched_work = &units->work;
    watching->decision.watched_units = units->units;
    watching->decision.watched_largest = units->largest;
    watching->largest = units->largest > watching->largest ? units->largest : watching->largest;
}

static bool watching_fill(struct watching *watching, const struct watching_request *request,
                          struct failure *failure)
{
    const struct plan *plan = request->plan;
    const double usual = plan->tasks / (double)plan_packages(plan);
    const double deviation =
        hypot(profile_package_deviation(request->setting, usual), request->noise);
    watching->decision.plan = plan;
    watching->largest = (int64_t)plan_largest_load(plan);
    if (request->tail && !tail_make(watching, request, usual, failure))
        return false;
    if (!request->tolerance)
        return true;
    if (!watch_units_make(&watching->units, &watching->platform, watching->decision.plan))
        return failure_memory(failure, "watching a plan");
    watch_make(watching, deviation, request->effort);
    return tolerance_read(request->tolerance, &watching->watch.tolerance, failure);
}

bool watching_init(struct watching *watching, const struct watching_request *request,
                   struct failure *failure)
{
    *watching = (struct watching){.largest = 0};
    if (request->plan->real_valued)
        return failure_set(failure, FAILURE_MISMATCH,
                           "the plan has fractional loads and cannot be run: plan again without "
                           "--real-valued");
    if (!platform_init(&watching->platform, request->setting, request->workers, failure))
        return false;
    watching->platform.buffers = plan_buffers(request->plan);
    platform_map(&watching->platform, request->setting, request->plan->tasks, failure);
    if (failure->code == FAILURE_NONE &&
        plan_workers_needed(request->plan) > watching->platform.worker_count)
        failure_set(failure, FAILURE_MISMATCH,
                    "the plan needs %" PRId64 " workers, and there are %" PRId64
                    ": plan again with fewer",
                    plan_workers_needed(request->plan), watching->platform.worker_count);
    if (failure->code == FAILURE_NONE && watching_fill(watching, request, failure)) {
        watching->platform.work_first =
            request->plan->first; /* the simulated plan began at core task 0 */
        return true;
    }
    watching_release(watching);
    return false;
}

void watching_release(struct watching *watching)
{
    platform_release(&watching->platform);
    plan_tail_release(&watching->tail);
    watch_units_release(&watching->units);
    *watching = (struct watching){.largest = 0};
}

bool watching_expect(const struct watching *watching, struct trace *trace,
                     struct simulation *simulation, struct failure *failure)
{
    struct scenario usual = SCENARIO_INIT;
    usual.simulated = WATCHING_SIMULATED;
    struct dispatch *dispatch =
        decision_dispatch(&watching->decision, &watching->platform, &usual, failure);
    const bool good = dispatch && simulate_scenario(&watching->platform, dispatch, &usual, trace,
                                                    simulation, failure);
    dispatch_free(&dispatch);
    return good;
}

bool watching_simulate(const struct watching_request *request, struct trace *trace,
                       struct simulation *simulation, struct failure *failure)
{
    struct watching watching;
    if (!watching_init(&watching, request, failure))
        return false;
    const bool good = watching_expect(&watching, trace, simulation, failure);
    watching_release(&watching);
    return good;
}

const struct dispatch *watching_watch(const struct watching *watching,
                                      const struct dispatch *dispatch)
{
    if (!watching->decision.watch)
        return NULL;
    const bool tailed = watching->decision.tail && watching->tail.setup.tasks > 0;
    return dispatch_weighted_inner(tailed ? dispatch_tail_head(dispatch) : dispatch);
}

static void change_add(const struct watch_change *change, double begun_s, int64_t before,
                       struct text *text)
{
    text_add(text, "planned anew at ");
    text_add_seconds(text, begun_s + change->now_s);
    text_add(text, ", before round %" PRId64 ": worker %" PRId64, change->round + 1,
             before + change->worker + 1);
    if (change->joined)
        text_add(text, " has joined");
    else
        text_add(text, " took %.3g times as long as predicted, and %.3g times was assumed",
                 change->measured, change->expected);
    text_add(text, "; %" PRId64 " core tasks remaining, end expected at ", change->tasks);
    text_add_seconds(text, begun_s + change->end_s);
    text_add(text, " in place of ");
    text_add_seconds(text, begun_s + change->kept_end_s);
    text_add(text, "\n");
}

void watching_tell(const struct dispatch *watch, double begun_s, int64_t before, struct text *text)
{
    int64_t count, adopted = 0;
    const struct watch_change *changes = dispatch_watch_changes(watch, &count), *last = NULL;
    for (int64_t k = 0; k < count; k++) {
        if (!changes[k].adopted)
            continue;
        last = &changes[k];
        if (adopted++ < TOLD_MOST)
            change_add(last, begun_s, before, text);
    }
    if (adopted <= TOLD_MOST)
        return;
    text_add(text, "planned anew %" PRId64 " times more, the last time at ", adopted - TOLD_MOST);
    text_add_seconds(text, begun_s + last->now_s);
    text_add(text, "\n");
}

void watching_json(const struct dispatch *watch, double begun_s, int64_t before, struct text *text)
{
    int64_t count;
    const struct watch_change *changes = dispatch_watch_changes(watch, &count);
    struct json_text json = json_open(text, "[", ", ");
    for (int64_t k = 0; k < count; k++) {
        const struct watch_change *change = &changes[k];
        struct json_text row = json_open_in(&json, NULL, "{", ", ");
        json_count(&row, "round", change->round);
        json_number(&row, "time_s", begun_s + change->now_s);
        json_count(&row, "worker", before + change->worker);
        if (change->joined)
            json_flag(&row, "joined", true);
        json_number(&row, "measured", change->measured);
        json_number(&row, "expected", change->expected);
        json_count(&row, "tasks_left", change->tasks);
        json_number(&row, "planned_end_s", begun_s + change->kept_end_s);
        json_number(&row, "replanned_end_s", begun_s + change->end_s);
        json_flag(&row, "adopted", change->adopted);
        json_close(&row, "}");
    }
    json_close(&json, "]");
}
