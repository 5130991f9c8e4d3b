/* Where the workers' time goes: all of it is explained, by the rules of the simulation. */
#include "planner/report/causes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/dispatch/dispatch.h"
#include "planner/report/trace_summary.h"
#include "planner/simulate/scenario.h"
#include "planner/simulate/star.h"
#include "tests/checks.h"
#include "tests/planner/runs.h"
#include "tests/planner/samples.h"

static struct causes causes_of(const struct trace *trace)
{
    struct failure failure = FAILURE_INIT;
    struct causes causes;
    assert_true(causes_make(trace, NULL, false, &causes, &failure));
    return causes;
}

/* Gaps and operations of every worker: one after the other, and together the makespan. */
static void assert_whole(const struct trace *trace, const struct causes *causes, uint64_t seed)
{
    struct failure failure = FAILURE_INIT;
    struct trace_summary summary;
    assert_true(trace_summary_make(trace, NULL, &summary, &failure));
    for (int64_t k = 0; k < causes->worker_count; k++) {
        const struct worker_causes worker = causes_worker(causes, k);
        double sum_s = worker.busy_s;
        for (int cause = 0; cause < CAUSE_COUNT; cause++) {
            assert_true(worker.seconds[cause] >= 0);
            sum_s += worker.seconds[cause];
        }
        const double whole_s = summary.workers[k].packages > 0 ? summary.makespan_s : 0;
        if (fabs(sum_s - whole_s) > 1e-12 * summary.makespan_s)
            fail_msg("seed %" PRIu64 ": worker %" PRId64 " has %.17g s of %.17g s", seed, k, sum_s,
                     whole_s);
    }
    for (size_t k = 0; k < causes->count; k++) {
        const struct trace_event *gap = &causes->spans[k].gap;
        assert_true(gap->end_s > gap->start_s);
        if (k > 0 && causes->spans[k - 1].gap.rank == gap->rank)
            assert_true(causes->spans[k - 1].gap.end_s <= gap->start_s);
    }
    trace_summary_release(&summary);
}

static void assert_explained(const struct causes *causes, double makespan_s, uint64_t seed)
{
    if (causes->seconds[CAUSE_NOISE] > 1e-12 * makespan_s)
        fail_msg("seed %" PRIu64 ": %.3g s of %.3g s are not explained", seed,
                 causes->seconds[CAUSE_NOISE], makespan_s);
}

static double makespan_of(const struct trace *trace)
{
    double makespan_s = 0;
    for (size_t k = 0; k < trace->count; k++)
        makespan_s = fmax(makespan_s, trace->events[k].end_s);
    return makespan_s;
}

/* ---- against an oracle --------------------------------------------------------------------- */

enum { PACKAGES_MOST = 80, WORKERS_MOST = 6 };

/* A star that was simulated package by package, with all that the simulation knows. */
struct course {
    struct star_times times[PACKAGES_MOST];
    int64_t workers[PACKAGES_MOST];
    int count;
    struct trace trace;
};

static double cost_draw(struct dice *dice, double most)
{
    return dice_unit(dice) < 0.2 ? 0 : dice_scale(dice, 1e-3 * most, most);
}

static void course_simulate(struct course *course, struct dice *dice)
{
    const int64_t workers = dice_whole(dice, 1, WORKERS_MOST);
    const double master = dice_scale(dice, 1e-2, 1), link = dice_scale(dice, 1e-2, 1);
    const bool straight = dice_unit(dice) < 0.5; /* or in any order */
    struct star star;
    *course = (struct course){.count = (int)dice_whole(dice, 1, PACKAGES_MOST)};
    const struct platform like = {.buffers = (int)dice_whole(dice, 1, 4),
                                  .write_behind = dice_unit(dice) < 0.5};
    assert_true(star_init(&star, &like, workers));
    for (int k = 0; k < course->count; k++) {
        const struct star_cost cost = {(k == 0 ? 1e-6 : 0) + cost_draw(dice, master),
                                       cost_draw(dice, master),
                                       cost_draw(dice, link),
                                       cost_draw(dice, 0.1),
                                       1e-3 + cost_draw(dice, 1),
                                       cost_draw(dice, like.write_behind ? 2 : 0.1),
                                       0,
                                       0};
        const struct trace_event event = {.package = k, .first = k, .tasks = 1};
        course->workers[k] = straight ? k % workers : dice_whole(dice, 0, workers - 1);
        star_send(&star, course->workers[k], &cost, &course->times[k]);
        assert_true(star_trace(&course->times[k], course->workers[k], event, &course->trace));
    }
    star_release(&star);
}

/* The cause of a wait at a moment before the transfer of package `to`, found by looking at all
 * packages. */
static enum cause oracle_cause(const struct course *course, int to, double at_s)
{
    const struct star_times *own = &course->times[to];
    if (at_s >= own->link_s)
        return CAUSE_TRANSFER;
    if (at_s < own->sent_s)
        return CAUSE_MASTER;
    for (int k = 0; k < course->count; k++)
        if (course->times[k].link_s <= at_s && at_s < course->times[k].arrived_s)
            return CAUSE_PORT;
    return CAUSE_BUFFER;
}

static int double_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The gap before a package, cut wherever anything begins or ends. While results are written, which
 * is until written_s, there is none. */
static void oracle_gap(const struct course *course, int to, double written_s, double *seconds)
{
    double cuts[3 * PACKAGES_MOST + 2];
    int count = 0;
    const double start_s = fmax(course->times[to].idle_s, written_s);
    const double end_s = course->times[to].start_s;
    if (!(end_s > start_s))
        return;
    cuts[count++] = start_s;
    cuts[count++] = end_s;
    for (int k = 0; k < course->count; k++) {
        const struct star_times *times = &course->times[k];
        const double moments[] = {times->sent_s, times->link_s, times->arrived_s};
        for (int i = 0; i < 3; i++)
            if (moments[i] > start_s && moments[i] < end_s)
                cuts[count++] = moments[i];
    }
    qsort(cuts, (size_t)count, sizeof *cuts, double_compare);
    for (int k = 1; k < count; k++)
        seconds[oracle_cause(course, to, (cuts[k - 1] + cuts[k]) / 2)] += cuts[k] - cuts[k - 1];
}

static void oracle_sum(const struct course *course, double *seconds)
{
    const double makespan_s = makespan_of(&course->trace);
    for (int64_t worker = 0; worker < WORKERS_MOST; worker++) {
        double end_s = -1;
        for (int k = 0; k < course->count; k++) {
            if (course->workers[k] != worker)
                continue;
            if (end_s < 0)
                seconds[CAUSE_START] += course->times[k].start_s;
            else
                oracle_gap(course, k, end_s, seconds);
            end_s = course->times[k].end_s;
        }
        if (end_s >= 0)
            seconds[CAUSE_END] += makespan_s - end_s;
    }
}

static void gaps_have_the_simulations_causes(void **state)
{
    double all[CAUSE_COUNT] = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct dice dice = {seed};
        struct course course;
        double wanted[CAUSE_COUNT] = {0};
        course_simulate(&course, &dice);
        oracle_sum(&course, wanted);
        struct causes causes = causes_of(&course.trace);
        assert_whole(&course.trace, &causes, seed);
        for (int cause = 0; cause < CAUSE_COUNT; cause++) {
            all[cause] += wanted[cause];
            if (fabs(wanted[cause] - causes.seconds[cause]) > 1e-9)
                fail_msg("seed %" PRIu64 ": %s took %.9g s, not %.9g s", seed,
                         cause_name((enum cause)cause), wanted[cause], causes.seconds[cause]);
        }
        causes_release(&causes);
        trace_release(&course.trace);
    }
    for (int cause = 0; cause < CAUSE_COUNT; cause++) /* each of them was there */
        assert_true(cause == CAUSE_NOISE ? all[cause] == 0 : all[cause] > 1);
}

/* ---- other runs ---------------------------------------------------------------------------- */

static void simulated_runs_are_explained(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct run_record record;
        run_sample(seed, seed % 2 == 0 ? 0.5 : 0, &record);
        struct causes causes = causes_of(&record.trace);
        assert_whole(&record.trace, &causes, seed);
        assert_explained(&causes, makespan_of(&record.trace), seed);
        causes_release(&causes);
        run_record_release(&record);
    }
}

static struct trace rule_simulate(const char *rule, uint64_t seed)
{
    struct dice dice = {seed};
    struct profile profile;
    struct platform platform;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    struct scenario scenario = SCENARIO_INIT;
    struct trace trace = {.count = 0};
    sample_profile(&dice, 8, 1, &profile);
    assert_true(platform_init(&platform, &profile.settings[0], 0, &failure));
    struct dispatch_setup setup = {.rule = rule,
                                   .tasks = dice_whole(&dice, 1, 3000),
                                   .workers = platform.worker_count,
                                   .ahead = (int)dice_whole(&dice, 1, 3)};
    double *weights = dispatch_setup_platform(&setup, &platform);
    struct dispatch *dispatch = dispatch_new_rule(&setup, &failure);
    assert_non_null(dispatch);
    scenario.noise = 0.3;
    scenario.seed = seed;
    assert_true(simulate_scenario(&platform, dispatch, &scenario, &trace, &simulation, &failure));
    dispatch_free(&dispatch);
    free(weights);
    platform_release(&platform);
    profile_release(&profile);
    return trace;
}

static void rules_are_explained(void **state)
{
    static const char *const rules[] = {"ss", "gss", "fac", "awf-c", "monitor"};
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct trace trace = rule_simulate(rules[seed % COUNT_OF(rules)], seed);
        struct causes causes = causes_of(&trace);
        assert_whole(&trace, &causes, seed);
        assert_explained(&causes, makespan_of(&trace), seed);
        causes_release(&causes);
        trace_release(&trace);
    }
}

/* Workers that hesitate: that much is noise, and what follows from it is not. */
static void hesitation_is_noise(void **state)
{
    struct trace trace = {.count = 0};
    const struct trace_event events[] = {
        {0, OPERATION_ENVELOPE, 0, 0, 0, 1, 0, 1},   {0, OPERATION_SEND, 0, 0, 0, 1, 1, 2},
        {1, OPERATION_LINK, 0, 0, 0, 1, 2, 3},       {1, OPERATION_COMPUTE, 0, 0, 0, 1, 3, 4},
        {0, OPERATION_ENVELOPE, 1, 1, 1, 1, 4.5, 5}, {1, OPERATION_LINK, 1, 1, 1, 1, 5.5, 6},
        {1, OPERATION_RECEIVE, 1, 1, 1, 1, 8, 9},    {1, OPERATION_COMPUTE, 1, 1, 1, 1, 10, 11}};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(events); k++)
        assert_true(trace_add(&trace, &events[k]));
    struct causes causes = causes_of(&trace);
    assert_whole(&trace, &causes, 0);
    assert_true(causes.seconds[CAUSE_START] == 3);
    assert_true(causes.seconds[CAUSE_MASTER] == 1); /* had not begun, and packed */
    assert_true(causes.seconds[CAUSE_BUFFER] == 0.5);
    assert_true(causes.seconds[CAUSE_TRANSFER] == 0.5);
    assert_true(causes.seconds[CAUSE_NOISE] == 3); /* before receiving, and before computing */
    assert_true(causes.seconds[CAUSE_END] == 0);
    causes_release(&causes);
    trace_release(&trace);
}

/* ---- in blocks ----------------------------------------------------------------------------- */

/* Idle times of a trace that is divided in blocks, as passed on so far. */
struct heard {
    struct cause_span last;
    bool listening; /* `last` is of the same block */
    int64_t spans;
    double seconds[CAUSE_COUNT];
    bool ended; /* somebody's end came */
};

static bool heard_take(void *self, const struct cause_span *span)
{
    struct heard *heard = self;
    const struct trace_event *gap = &span->gap, *last = &heard->last.gap;
    assert_true(gap->end_s > gap->start_s && gap->operation == OPERATION_IDLE);
    if (heard->listening)
        assert_true(last->rank < gap->rank ||
                    (last->rank == gap->rank && last->end_s <= gap->start_s));
    heard->ended = heard->ended || span->cause == CAUSE_END;
    heard->seconds[span->cause] += gap->end_s - gap->start_s;
    heard->spans++;
    heard->listening = true;
    heard->last = *span;
    return true;
}

/* Events of the packages [first, end), in their order. */
static struct trace block_of(const struct trace *trace, int64_t first, int64_t end)
{
    struct trace block = {.count = 0};
    for (size_t k = 0; k < trace->count; k++)
        if (trace->events[k].package >= first && trace->events[k].package < end)
            assert_true(trace_add(&block, &trace->events[k]));
    return block;
}

/* None is kept: those of a block are out before the next one is read, and ends come with the last.
 */
static void blocks_hand_their_causes_on(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct failure failure = FAILURE_INIT;
        struct dice dice = {seed};
        struct trace trace = rule_simulate("ss", seed);
        struct causes whole = causes_of(&trace), sums;
        struct heard heard = {.spans = 0};
        const struct cause_taker taker = {heard_take, &heard};
        struct cause_division *division = cause_division_new(NULL, &taker, &failure);
        const int64_t packages = trace.events[trace.count - 1].package + 1;
        const int64_t length = dice_whole(&dice, 1, packages);
        for (int64_t first = 0; first < packages; first += length) {
            struct trace block = block_of(&trace, first, first + length);
            assert_true(cause_division_take(division, &block, &failure));
            /* It is not needed any more, and the division has not borrowed from it. */
            for (size_t k = 0; k < block.count; k++)
                block.events[k] = (struct trace_event){.rank = -1};
            trace_release(&block);
            assert_true(!heard.ended && (heard.spans > 0) == (first > 0));
            heard.listening = false;
        }
        assert_true(cause_division_end(division, &sums, &failure));
        for (int cause = 0; cause < CAUSE_COUNT; cause++)
            assert_true(fabs(heard.seconds[cause] - sums.seconds[cause]) <=
                        1e-9 * makespan_of(&trace));
        assert_whole(&trace, &sums, seed);
        assert_true(length < packages || heard.spans == (int64_t)whole.count);
        causes_release(&sums);
        causes_release(&whole);
        cause_division_free(&division);
        trace_release(&trace);
    }
}

/* A taker that cannot go on ends the division, and has said why. */
static bool never_take(void *self, const struct cause_span *span)
{
    (void)span;
    return failure_set(self, FAILURE_FAILED, "no room");
}

static void who_reads_causes_may_end_it(void **state)
{
    struct failure failure = FAILURE_INIT;
    const struct cause_taker taker = {never_take, &failure};
    struct trace trace = rule_simulate("ss", 3);
    struct cause_division *division = cause_division_new(NULL, &taker, &failure);
    struct causes causes;
    (void)state;
    assert_true(cause_division_take(division, &trace, &failure));
    assert_false(cause_division_end(division, &causes, &failure));
    assert_string_equal(failure.text, "no room");
    cause_division_free(&division);
    trace_release(&trace);
}

/* Whatever stands in a damaged file: every moment is counted once. */
static void damaged_traces_are_divided_as_well(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct dice dice = {seed};
        struct run_record record;
        run_sample(seed, 0.3, &record);
        struct trace *trace = &record.trace;
        const double makespan_s = makespan_of(trace);
        for (int k = 0; k < 5; k++) {
            struct trace_event *event =
                &trace->events[dice_whole(&dice, 0, (int64_t)trace->count - 1)];
            if (dice_unit(&dice) < 0.3)
                event->package = dice_unit(&dice) < 0.5 ? INT64_MAX : -1;
            event->start_s += (dice_unit(&dice) - 0.5) * makespan_s;
            event->end_s += (dice_unit(&dice) - 0.5) * makespan_s;
        }
        struct causes causes = causes_of(trace);
        double start_s = HUGE_VAL, end_s = -HUGE_VAL;
        for (size_t k = 0; k < trace->count; k++) {
            const struct trace_event *event = &trace->events[k];
            if (event->operation == OPERATION_ENVELOPE || event->operation == OPERATION_SEND ||
                event->operation == OPERATION_LINK)
                start_s = fmin(start_s, event->start_s);
            if (event->rank > 0 && event->operation != OPERATION_LINK &&
                event->operation != OPERATION_IDLE && event->operation != OPERATION_START &&
                event->end_s >= event->start_s)
                end_s = fmax(end_s, event->end_s);
        }
        start_s = isfinite(start_s) ? start_s : 0;
        for (int64_t k = 0; k < causes.worker_count; k++) {
            const struct worker_causes worker = causes_worker(&causes, k);
            double sum_s = worker.busy_s;
            for (int cause = 0; cause < CAUSE_COUNT; cause++)
                sum_s += worker.seconds[cause];
            if (sum_s > 0 && end_s > start_s && fabs(sum_s - (end_s - start_s)) > 1e-9 * sum_s)
                fail_msg("seed %" PRIu64 ": %.17g s of %.17g s", seed, sum_s, end_s - start_s);
        }
        causes_release(&causes);
        run_record_release(&record);
    }
}

/* The report's figures are these, and those of idle times are their sums. */
static void reports_add_up(void **state)
{
    static const char *const kinds[] = {"predicted_s", "measured_s"};
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct run_record record;
        size_t index;
        json_t *worker, *value;
        const char *key;
        run_sample(seed, 0.3, &record);
        json_t *json = run_report(&record);
        for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
            double all_s = 0;
            json_array_foreach(json_object_get(json, "workers"), index, worker)
            {
                double sum_s = 0;
                const json_t *operations = json_object_get(worker, "operations");
                json_object_foreach(json_object_get(worker, "causes"), key, value) sum_s +=
                    run_member(value, kinds[kind]);
                all_s += sum_s;
                const double idle_s = run_member(json_object_get(operations, "idle"), kinds[kind]);
                assert_true(fabs(sum_s - idle_s) <= 1e-9 * run_member(json, kinds[kind]));
            }
            json_object_foreach(json_object_get(json, "causes"), key, value) all_s -=
                run_member(value, kinds[kind]);
            assert_true(fabs(all_s) < 1e-8 * run_member(json, kinds[kind]));
        }
        json_decref(json);
        run_record_release(&record);
    }
}

/* Where workers take packages by a counter, they wait for these, from time 0 on, even though the
 * master sends what a lost worker has left. */
static void counted_packages_are_waited_for(void **state)
{
    struct trace_event events[] = {{.rank = 1,
                                    .operation = OPERATION_COMPUTE,
                                    .package = 0,
                                    .tasks = 1,
                                    .start_s = 1,
                                    .end_s = 3},
                                   {.rank = 1,
                                    .operation = OPERATION_COMPUTE,
                                    .package = 1,
                                    .tasks = 1,
                                    .start_s = 4,
                                    .end_s = 6},
                                   {.rank = 0,
                                    .operation = OPERATION_ENVELOPE,
                                    .package = 2,
                                    .tasks = 1,
                                    .start_s = 6,
                                    .end_s = 7},
                                   {.rank = 1,
                                    .operation = OPERATION_COMPUTE,
                                    .package = 2,
                                    .tasks = 1,
                                    .start_s = 7,
                                    .end_s = 8}};
    const struct trace trace = {.events = events, .count = COUNT_OF(events)};
    struct failure failure = FAILURE_INIT;
    struct causes causes;
    (void)state;
    assert_true(causes_make(&trace, NULL, true, &causes, &failure));
    assert_true(fabs(causes.seconds[CAUSE_START] + causes.seconds[CAUSE_TRANSFER] - 3) < 1e-12);
    assert_true(fabs(causes.seconds[CAUSE_TRANSFER] - 2) < 1e-12);
    assert_true(fabs(causes.workers[0].busy_s - 5) < 1e-12);
    causes_release(&causes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_have_the_simulations_causes),
        cmocka_unit_test(simulated_runs_are_explained),
        cmocka_unit_test(rules_are_explained),
        cmocka_unit_test(hesitation_is_noise),
        cmocka_unit_test(blocks_hand_their_causes_on),
        cmocka_unit_test(who_reads_causes_may_end_it),
        cmocka_unit_test(damaged_traces_are_divided_as_well),
        cmocka_unit_test(reports_add_up),
        cmocka_unit_test(counted_packages_are_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
