/* By plans, rules and tails, nothing is begun that would not end in time; what fits is. */
#include <inttypes.h>
#include <math.h>

#include "planner/dispatch/dispatch.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

enum { WORKERS_MOST = 8, TASKS_MOST = 5000, OUT_MOST = 4096, QUEUE = 3 };

struct machine {
    int64_t workers;
    double way_s, latency_s, task_s[WORKERS_MOST], factor[WORKERS_MOST]; /* it takes that longer */
};

struct sent {
    struct package package;
    double start_s, end_s;
};

struct course {
    struct machine machine;
    struct dispatch *dispatch; /* owned */
    double end_s, now_s;       /* the deadline */
    double free_s[WORKERS_MOST];
    int out[WORKERS_MOST], reports[WORKERS_MOST];
    int done[TASKS_MOST];
    struct sent sent[OUT_MOST];
    size_t count;
    double latest_s; /* end of a package of a worker that had reported one before */
};

static struct deadline_cost package_cost(const void *self, int64_t worker, int64_t tasks)
{
    const struct machine *machine = self;
    return (struct deadline_cost){machine->way_s,
                                  machine->latency_s + (double)tasks * machine->task_s[worker]};
}

/* The next report. False: nobody works. */
static bool report_hear(struct course *course)
{
    size_t first = 0;
    if (course->count == 0)
        return false;
    for (size_t k = 1; k < course->count; k++)
        if (course->sent[k].end_s < course->sent[first].end_s)
            first = k;
    const struct sent sent = course->sent[first];
    course->sent[first] = course->sent[--course->count];
    course->now_s = fmax(course->now_s, sent.end_s);
    course->out[sent.package.worker]--;
    course->reports[sent.package.worker]++;
    for (int64_t k = 0; k < sent.package.count; k++)
        course->done[sent.package.first + k]++;
    dispatch_done(course->dispatch, &sent.package, sent.start_s, sent.end_s);
    return true;
}

/* A worker has room for some packages: who sends it more waits for its reports. */
static void package_send(struct course *course, const struct package *package)
{
    const struct machine *machine = &course->machine;
    const int64_t worker = package->worker;
    const struct deadline_cost cost = package_cost(machine, worker, package->count);
    struct sent sent = {.package = *package};
    sent.start_s = fmax(course->now_s + cost.way_s, course->free_s[worker]);
    sent.end_s = sent.start_s + cost.work_s * machine->factor[worker];
    course->free_s[worker] = sent.end_s;
    if (course->reports[worker] > 0)
        course->latest_s = fmax(course->latest_s, sent.end_s);
    assert_true(course->count < OUT_MOST);
    course->sent[course->count++] = sent;
    for (course->out[worker]++; course->out[worker] >= QUEUE;)
        assert_true(report_hear(course));
}

static void course_run(struct course *course)
{
    enum dispatch_answer answer;
    struct package package;
    while ((answer = dispatch_next(course->dispatch, course->now_s, &package)) !=
           DISPATCH_FINISHED) {
        if (answer == DISPATCH_SEND)
            package_send(course, &package);
        else if (!report_hear(course))
            fail_msg("waits for nobody");
    }
}

static struct dispatch *rule_new(const char *rule, int64_t tasks, int64_t workers,
                                 struct dispatch *head)
{
    const struct dispatch_setup setup = {
        .rule = rule, .tasks = tasks, .workers = workers, .ahead = 2, .least = 1, .most = tasks};
    struct failure failure = FAILURE_INIT;
    struct dispatch *dispatch =
        head ? dispatch_new_tail(head, &setup, &failure) : dispatch_new_rule(&setup, &failure);
    assert_non_null(dispatch);
    return dispatch;
}

/* A plan, a rule, or a plan with a tail. */
static struct dispatch *inner_make(struct dice *dice, uint64_t seed, int64_t workers,
                                   struct plan *plan, int64_t *tasks)
{
    const char *rule = dispatch_rule_name(seed % dispatch_rule_count()).name;
    do {
        sample_plan(dice, workers, false, plan);
        *tasks = (int64_t)plan->tasks;
        if (*tasks > TASKS_MOST / 2)
            plan_release(plan);
    } while (*tasks > TASKS_MOST / 2);
    switch (seed % 3) {
    case 0:
        return dispatch_new_plan(plan);
    case 1:
        return rule_new(rule, *tasks, workers, NULL);
    default:
        *tasks += 200;
        return rule_new(rule, 200, workers, dispatch_new_plan(plan));
    }
}

static void machine_make(struct dice *dice, struct machine *machine, bool slow)
{
    machine->workers = dice_whole(dice, 1, WORKERS_MOST);
    machine->way_s = dice_scale(dice, 1e-4, 1e-1);
    machine->latency_s = dice_scale(dice, 1e-3, 1e-1);
    for (int64_t k = 0; k < machine->workers; k++) {
        machine->task_s[k] = dice_scale(dice, 1e-2, 1);
        machine->factor[k] = slow ? dice_scale(dice, 0.5, 4) : 1 + 0.1 * dice_unit(dice);
    }
}

/* Ends in between, and what would be needed for all with time to spare. */
static double end_choose(struct dice *dice, const struct machine *machine, int64_t tasks)
{
    double rate = 0;
    for (int64_t k = 0; k < machine->workers; k++)
        rate += 1 / machine->task_s[k];
    return dice_scale(dice, 0.05, 20) * (double)tasks / rate;
}

/* No worker that is idle at the end could have done another core task in time. */
static void nothing_more_fits(const struct course *course, int64_t left, uint64_t seed)
{
    for (int64_t k = 0; left > 0 && k < course->machine.workers; k++) {
        const struct deadline_cost one = package_cost(&course->machine, k, 1);
        const double from_s = course->now_s + one.way_s;
        const double factor = fmax(course->machine.factor[k], 1);
        if (from_s + one.work_s * factor * 1.1 < course->end_s * (1 - 1e-9))
            fail_msg("seed %" PRIu64 ": worker %" PRId64 " is idle from %g, until %g", seed, k,
                     course->now_s, course->end_s);
    }
}

static void trial(uint64_t seed, bool slow)
{
    static struct course course;
    struct dice dice = {seed};
    struct plan plan;
    int64_t tasks = 0, left = 0;
    course = (struct course){.now_s = 0};
    machine_make(&dice, &course.machine, slow);
    struct dispatch *inner = inner_make(&dice, seed, course.machine.workers, &plan, &tasks);
    course.end_s = end_choose(&dice, &course.machine, tasks);
    course.dispatch = dispatch_new_recovery(inner, course.machine.workers);
    const struct deadline_setup setup = {.end_s = course.end_s,
                                         .margin = 0.1,
                                         .cost = package_cost,
                                         .self = &course.machine,
                                         .workers = course.machine.workers};
    assert_true(course.dispatch && dispatch_recovery_deadline(course.dispatch, &setup));
    course_run(&course);
    for (int64_t k = 0; k < tasks; k++) {
        assert_in_range(course.done[k], 0, 1);
        left += course.done[k] == 0;
    }
    assert_int_equal(left > 0, dispatch_recovery_over(course.dispatch));
    if ((slow ? course.latest_s : course.now_s) > course.end_s * (1 + 1e-9))
        fail_msg("seed %" PRIu64 ": ends at %g, not by %g", seed,
                 slow ? course.latest_s : course.now_s, course.end_s);
    if (!slow)
        nothing_more_fits(&course, left, seed);
    dispatch_free(&course.dispatch);
    plan_release(&plan);
}

static void what_is_begun_ends_in_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++)
        trial(seed, false);
}

/* Once a worker has reported, it is known how long it takes. */
static void slow_workers_are_learnt(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++)
        trial(seed, true);
}

/* Without a profile the first package is begun, whatever it takes, and the next one as it took. */
static void without_costs_it_is_measured(void **state)
{
    const struct package packages[] = {{.worker = 0, .first = 0, .count = 10},
                                       {.worker = 0, .first = 10, .count = 10}};
    const struct deadline_setup setup = {.end_s = 18, .margin = 0, .workers = 1};
    struct dispatch *dispatch = dispatch_new_recovery(dispatch_new_list(packages, 2, 1, 1), 1);
    struct package package;
    (void)state;
    assert_true(dispatch_recovery_deadline(dispatch, &setup));
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
    assert_int_equal(package.count, 10);
    dispatch_done(dispatch, &package, 0, 10);
    assert_int_equal(dispatch_next(dispatch, 10, &package), DISPATCH_SEND);
    assert_int_equal(package.first, 10);
    assert_int_equal(package.count, 8);
    assert_int_equal(dispatch_next(dispatch, 10, &package), DISPATCH_WAIT);
    dispatch_done(dispatch, &package, 10, 18);
    assert_int_equal(dispatch_next(dispatch, 18, &package), DISPATCH_FINISHED);
    assert_true(dispatch_recovery_over(dispatch));
    dispatch_free(&dispatch);
}

static void a_single_task_that_does_not_fit_is_not_begun(void **state)
{
    struct machine machine = {.workers = 1, .latency_s = 0.5, .task_s = {0.6}};
    const struct package packages[] = {{.worker = 0, .first = 0, .count = 10}};
    const struct deadline_setup setup = {
        .end_s = 1, .cost = package_cost, .self = &machine, .workers = 1};
    struct dispatch *dispatch = dispatch_new_recovery(dispatch_new_list(packages, 1, 1, 1), 1);
    struct package package;
    (void)state;
    assert_true(dispatch_recovery_deadline(dispatch, &setup));
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_FINISHED);
    assert_true(dispatch_recovery_over(dispatch));
    dispatch_free(&dispatch);
}

/* A worker that starts for 5 s has 5 left of 10; what its first package took says nothing. */
static double five(const void *self, int64_t worker)
{
    (void)self;
    (void)worker;
    return 5;
}

static void starts_are_reckoned_with(void **state)
{
    struct machine machine = {.workers = 1, .task_s = {1}};
    const struct package packages[] = {{.worker = 0, .first = 0, .count = 2},
                                       {.worker = 0, .first = 2, .count = 10}};
    const struct deadline_setup setup = {
        .end_s = 10, .cost = package_cost, .start_s = five, .self = &machine, .workers = 1};
    struct dispatch *dispatch = dispatch_new_recovery(dispatch_new_list(packages, 2, 1, 1), 1);
    struct package package;
    (void)state;
    assert_true(dispatch_recovery_deadline(dispatch, &setup));
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
    assert_int_equal(package.count, 2);
    dispatch_done(dispatch, &package, 0, 7);
    assert_int_equal(dispatch_next(dispatch, 7, &package), DISPATCH_SEND);
    assert_int_equal(package.count, 3);
    dispatch_free(&dispatch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_begun_ends_in_time),
        cmocka_unit_test(slow_workers_are_learnt),
        cmocka_unit_test(without_costs_it_is_measured),
        cmocka_unit_test(a_single_task_that_does_not_fit_is_not_begun),
        cmocka_unit_test(starts_are_reckoned_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
