/* A package that is overdue while some worker has nothing to do is handed out once more; the first
 * result counts, and each core task counts once. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/dispatch/dispatch.h"
#include "planner/dispatch/survey.h"
#include "planner/simulate/decision.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

enum { WORKERS_MOST = 8, TASKS_MOST = 600, OUT_MOST = 4096 };

/* Each core task takes a second. */
static struct deadline_cost second_each(const void *self, int64_t worker, int64_t tasks)
{
    (void)self;
    (void)worker;
    return (struct deadline_cost){0, (double)tasks};
}

static struct deadline_cost tenth_each(const void *self, int64_t worker, int64_t tasks)
{
    return (struct deadline_cost){0, 0.1 * second_each(self, worker, tasks).work_s};
}

static struct dispatch *copying(struct dispatch *inner, int64_t workers)
{
    const struct deadline_setup setup = {.cost = second_each, .workers = workers};
    struct dispatch *dispatch = dispatch_new_recovery(inner, workers);
    assert_true(dispatch && dispatch_recovery_copy(dispatch, &setup));
    return dispatch;
}

static const struct package two_packages[] = {{.worker = 0, .first = 0, .count = 10},
                                              {.worker = 1, .first = 10, .count = 10}};

/* Both workers have their packages, and the second one has done its own after ten seconds. */
static struct dispatch *one_of_two_silent(struct package original[2])
{
    struct dispatch *dispatch = copying(dispatch_new_list(two_packages, 2, 2, 1), 2);
    struct package none;
    for (int k = 0; k < 2; k++)
        assert_int_equal(dispatch_next(dispatch, 0, &original[k]), DISPATCH_SEND);
    assert_int_equal(dispatch_next(dispatch, 0, &none), DISPATCH_HANDED_OUT);
    assert_true(isinf(dispatch_due_s(dispatch))); /* nobody could take a copy */
    assert_true(dispatch_claim(dispatch, &original[1]));
    dispatch_done(dispatch, &original[1], 0, 10);
    assert_int_equal(dispatch_next(dispatch, 10, &none), DISPATCH_HANDED_OUT);
    return dispatch;
}

static void the_idle_one_takes_copies(void **state)
{
    struct package original[2], copy;
    struct dispatch *dispatch = one_of_two_silent(original);
    (void)state;
    assert_true(dispatch_due_s(dispatch) > 11 && dispatch_due_s(dispatch) < 11.2);
    int64_t next = 0;
    double now_s = dispatch_due_s(dispatch);
    while (dispatch_next(dispatch, now_s, &copy) == DISPATCH_SEND) {
        assert_int_equal(copy.worker, 1);
        assert_int_equal(copy.first, next);
        assert_true(copy.index > original[1].index);
        next += copy.count;
        assert_true(dispatch_claim(dispatch, &copy));
        dispatch_done(dispatch, &copy, now_s, now_s + (double)copy.count);
        now_s += (double)copy.count;
    }
    assert_int_equal(next, 10);
    assert_int_equal(dispatch_next(dispatch, now_s, &copy), DISPATCH_FINISHED);
    assert_false(dispatch_claim(dispatch, &original[0]));
    dispatch_done(dispatch, &original[0], 0, now_s);
    size_t count;
    const struct dispatch_copied *copied = dispatch_recovery_copied(dispatch, &count);
    assert_int_equal(count, 1);
    assert_int_equal(copied->first, DISPATCH_COPY_FIRST);
    assert_int_equal(copied->package.index, original[0].index);
    dispatch_free(&dispatch);
}

static void the_original_may_come_first(void **state)
{
    struct package original[2], copy, none;
    struct dispatch *dispatch = one_of_two_silent(original);
    (void)state;
    assert_int_equal(dispatch_next(dispatch, 16, &copy), DISPATCH_SEND);
    assert_true(copy.count < 10); /* the remaining part is not handed out yet, and never will be */
    assert_true(dispatch_claim(dispatch, &original[0]));
    dispatch_done(dispatch, &original[0], 0, 17);
    assert_int_equal(dispatch_next(dispatch, 17, &none), DISPATCH_FINISHED);
    assert_false(dispatch_claim(dispatch, &copy));
    dispatch_done(dispatch, &copy, 16, 18);
    assert_int_equal(dispatch_next(dispatch, 18, &none), DISPATCH_FINISHED);
    struct text told = TEXT_INIT, listed = TEXT_INIT;
    dispatch_copied_tell(dispatch, &told);
    dispatch_copied_json(dispatch, 100, 0, &listed);
    assert_string_equal(told.bytes,
                        "copies      1 handed out for 1 overdue package; 0 done first by copies, "
                        "1 by their own workers\n");
    assert_string_equal(listed.bytes,
                        "[{\"package\": 0, \"worker\": 0, \"first\": 0, \"tasks\": 10, "
                        "\"overdue_s\": 116, \"copies\": 1, \"counts\": \"original\"}]");
    text_release(&told);
    text_release(&listed);
    dispatch_free(&dispatch);
}

/* The worker that is overdue is lost: its copies are all that there is. */
static void a_loss_leaves_the_copies(void **state)
{
    struct package original[2], copy;
    struct dispatch *dispatch = one_of_two_silent(original);
    (void)state;
    assert_int_equal(dispatch_next(dispatch, 16, &copy), DISPATCH_SEND);
    assert_int_equal(dispatch_blame(dispatch, &original[0]).losses, 0);
    dispatch_lost(dispatch, 0);
    int64_t done = 0;
    do {
        assert_true(dispatch_claim(dispatch, &copy));
        done += copy.count;
        dispatch_done(dispatch, &copy, 16, 17);
    } while (dispatch_next(dispatch, 17, &copy) == DISPATCH_SEND);
    assert_int_equal(done, 10);
    assert_int_equal(dispatch_next(dispatch, 17, &copy), DISPATCH_FINISHED);
    dispatch_free(&dispatch);
}

/* The first one says nothing from the beginning on, and what it has not room for waits behind it,
 * in the plan's order. */
static void packages_do_not_wait_behind_a_silent_worker(void **state)
{
    double loads[] = {2, 2};
    int64_t workers[] = {0, 1};
    struct plan_round round = {.repeat = 10, .loads = loads};
    const struct plan plan = {
        .workers = workers, .worker_count = 2, .rounds = &round, .round_count = 1, .tasks = 40};
    struct dispatch *dispatch = copying(dispatch_new_plan(&plan), 2);
    struct package package;
    enum dispatch_answer answer;
    double now_s = 0, waited_s = 0;
    int64_t done = 0;
    (void)state;
    dispatch_recovery_ahead(dispatch, 3);
    while ((answer = dispatch_next(dispatch, now_s, &package)) != DISPATCH_FINISHED) {
        if (answer == DISPATCH_SEND && package.worker == 0)
            continue;
        if (answer == DISPATCH_SEND) {
            assert_true(dispatch_claim(dispatch, &package));
            dispatch_done(dispatch, &package, now_s, now_s + (double)package.count);
            now_s += (double)package.count;
            done += package.count;
        } else {
            assert_true(isfinite(dispatch_due_s(dispatch)));
            waited_s += dispatch_due_s(dispatch) - now_s;
            now_s = dispatch_due_s(dispatch);
        }
    }
    assert_int_equal(done, 40);
    assert_true(waited_s < 1); /* for what it has is overdue by then */
    dispatch_free(&dispatch);
}

/* ---- at random ------------------------------------------------------------------------------- */

struct sent {
    struct package package;
    double start_s, end_s;
};

/* Workers that do one package after the other, some of them stopped, or slow, from some time on. */
struct course {
    struct dispatch *dispatch; /* owned */
    int64_t workers;
    double stop_s[WORKERS_MOST], factor[WORKERS_MOST], free_s[WORKERS_MOST];
    bool lost[WORKERS_MOST];
    bool suffers; /* nobody is taken for lost */
    int done[2 * TASKS_MOST];
    int64_t by[2 * TASKS_MOST]; /* which worker has done it */
    struct sent sent[OUT_MOST];
    size_t count;
    double now_s, counted_s;
};

static void package_take(struct course *course, const struct package *package)
{
    const int64_t worker = package->worker;
    struct sent sent = {.package = *package,
                        .start_s = fmax(course->now_s, course->free_s[worker])};
    assert_false(course->lost[worker]);
    sent.end_s = sent.start_s + (double)package->count * course->factor[worker];
    if (sent.end_s > course->stop_s[worker])
        sent.end_s = HUGE_VAL;
    course->free_s[worker] = sent.end_s;
    assert_true(course->count < OUT_MOST);
    course->sent[course->count++] = sent;
}

static struct sent *first_end(struct course *course)
{
    struct sent *first = NULL;
    for (size_t k = 0; k < course->count; k++)
        if (!first || course->sent[k].end_s < first->end_s)
            first = &course->sent[k];
    return first;
}

static void worker_lose(struct course *course, int64_t worker)
{
    size_t kept = 0;
    for (size_t k = 0; k < course->count; k++)
        if (course->sent[k].package.worker != worker)
            course->sent[kept++] = course->sent[k];
    course->count = kept;
    course->lost[worker] = true;
    dispatch_lost(course->dispatch, worker);
}

/* The next report, or a time at which something is due; where there is neither, somebody who says
 * nothing is lost. */
static void something_hear(struct course *course)
{
    struct sent *first = first_end(course);
    const double due_s = dispatch_due_s(course->dispatch);
    assert_non_null(first);
    if (isfinite(due_s) && due_s <= first->end_s) {
        assert_true(due_s > course->now_s);
        course->now_s = due_s;
        return;
    }
    if (isinf(first->end_s)) {
        assert_false(course->suffers);
        worker_lose(course, first->package.worker);
        return;
    }
    const struct sent sent = *first;
    *first = course->sent[--course->count];
    course->now_s = fmax(course->now_s, sent.end_s);
    if (dispatch_claim(course->dispatch, &sent.package)) {
        course->counted_s = sent.end_s;
        for (int64_t k = 0; k < sent.package.count; k++) {
            course->done[sent.package.first + k]++;
            course->by[sent.package.first + k] = sent.package.worker;
        }
    }
    dispatch_done(course->dispatch, &sent.package, sent.start_s, sent.end_s);
}

static void course_run(struct course *course)
{
    enum dispatch_answer answer;
    struct package package;
    while ((answer = dispatch_next(course->dispatch, course->now_s, &package)) !=
           DISPATCH_FINISHED) {
        if (answer == DISPATCH_SEND)
            package_take(course, &package);
        else
            something_hear(course);
    }
}

static struct dispatch *inner_make(struct dice *dice, uint64_t seed, int64_t workers,
                                   struct plan *plan, int64_t *tasks)
{
    const struct dispatch_setup setup = {.rule =
                                             dispatch_rule_name(seed % dispatch_rule_count()).name,
                                         .tasks = *tasks,
                                         .workers = workers,
                                         .ahead = (int)dice_whole(dice, 1, 3),
                                         .least = 1,
                                         .most = *tasks};
    struct failure failure = FAILURE_INIT;
    const struct deadline_setup parts = {.cost = tenth_each, .workers = workers};
    if (seed % 3 > 0) {
        struct dispatch *rule = dispatch_new_rule(&setup, &failure);
        return seed % 2 > 0 ? rule : dispatch_new_rule_parts(rule, &setup, &parts);
    }
    do {
        plan_release(plan);
        sample_plan(dice, workers, false, plan);
    } while (plan->tasks > TASKS_MOST);
    *tasks = (int64_t)plan->tasks;
    return seed % 2 > 0 ? dispatch_new_plan(plan) : dispatch_new_parts(plan, &parts);
}

/* What is left of a job of twice as many core tasks: of every ten, about half. */
static int64_t ranges_draw(struct dice *dice, int64_t tasks, struct task_range *ranges)
{
    int64_t count = 0, at = 0;
    for (int64_t left = tasks; left > 0; left -= ranges[count++].count) {
        const int64_t most = left < 10 ? left : 10;
        ranges[count] = (struct task_range){at, dice_whole(dice, 1, most)};
        at += 2 * ranges[count].count;
    }
    return count;
}

/* At least one worker is neither stopped nor slow. */
static void course_draw(struct course *course, struct dice *dice)
{
    *course = (struct course){.workers = dice_whole(dice, 2, WORKERS_MOST)};
    for (int64_t k = 0; k < course->workers; k++) {
        const bool well = k == 0 || dice_unit(dice) < 0.6;
        course->stop_s[k] = well || dice_unit(dice) < 0.5 ? HUGE_VAL : dice_scale(dice, 1, 500);
        course->factor[k] = well ? 1 : dice_scale(dice, 1, 50);
    }
}

static void each_task_counts_once(void **state)
{
    static struct course course;
    static struct task_range ranges[TASKS_MOST];
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct dice dice = {seed};
        struct plan plan = {0};
        int64_t tasks = dice_whole(&dice, 1, TASKS_MOST);
        course_draw(&course, &dice);
        struct dispatch *inner = inner_make(&dice, seed, course.workers, &plan, &tasks);
        const int64_t count = ranges_draw(&dice, tasks, ranges);
        if (inner && seed % 4 == 1)
            inner = dispatch_new_ranges(inner, ranges, count, course.workers);
        course.dispatch = copying(inner, course.workers);
        dispatch_recovery_ahead(course.dispatch, dice_whole(&dice, 0, 4));
        course_run(&course);
        int64_t done = 0;
        for (int64_t k = 0; k < 2 * TASKS_MOST; k++) {
            if (course.done[k] > 1)
                fail_msg("seed %" PRIu64 ": task %" PRId64 " counts %d times", seed, k,
                         course.done[k]);
            done += course.done[k];
        }
        if (done != tasks)
            fail_msg("seed %" PRIu64 ": %" PRId64 " of %" PRId64 " tasks", seed, done, tasks);
        dispatch_free(&course.dispatch);
        plan_release(&plan);
    }
}

/* Which worker does which core task does not depend on whether packages are sent in parts: the rule
 * is told of whole packages, when their last parts are reported. */
static void rules_decide_as_without_parts(void **state)
{
    static struct course whole, parted;
    (void)state;
    for (size_t r = 0; r < dispatch_rule_count(); r++) {
        enum { WORKERS = 5, TASKS = 500 };
        const struct dispatch_setup setup = {.rule = dispatch_rule_name(r).name,
                                             .tasks = TASKS,
                                             .workers = WORKERS,
                                             .ahead = 1,
                                             .least = 1,
                                             .most = TASKS};
        const struct deadline_setup costs = {.cost = second_each, .workers = WORKERS};
        struct failure failure = FAILURE_INIT;
        whole = (struct course){.workers = WORKERS};
        for (int k = 0; k < WORKERS; k++) {
            whole.factor[k] = 1 + 0.0137 * k;
            whole.stop_s[k] = HUGE_VAL;
        }
        parted = whole;
        struct dispatch *rule = dispatch_new_rule(&setup, &failure);
        whole.dispatch = dispatch_new_recovery(dispatch_new_rule(&setup, &failure), WORKERS);
        parted.dispatch =
            dispatch_new_recovery(dispatch_new_rule_parts(rule, &setup, &costs), WORKERS);
        assert_true(whole.dispatch && parted.dispatch);
        course_run(&whole);
        course_run(&parted);
        for (int k = 0; k < TASKS; k++)
            if (whole.by[k] != parted.by[k] || parted.done[k] != 1)
                fail_msg("%s: core task %d by %" PRId64 " and in parts by %" PRId64, setup.rule, k,
                         whole.by[k], parted.by[k]);
        dispatch_free(&whole.dispatch);
        dispatch_free(&parted.dispatch);
    }
}

/* Pieces of its packages are held back for the second one, which says nothing; or a survey waits
 * for its probes. Nobody has to be lost for the others to do all. */
static void what_is_held_back_is_done_by_others(void **state)
{
    static struct course course;
    static struct task_range ranges[TASKS_MOST];
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct dice dice = {seed};
        struct plan plan = {0};
        const int64_t workers = dice_whole(&dice, 2, WORKERS_MOST);
        int64_t tasks = dice_whole(&dice, 20 * workers, TASKS_MOST);
        const int64_t count = ranges_draw(&dice, tasks, ranges);
        struct dispatch *inner;
        if (seed % 2 > 0) {
            do {
                plan_release(&plan);
                sample_plan(&dice, workers, false, &plan);
            } while (plan.tasks > (double)tasks);
            tasks = (int64_t)plan.tasks;
            inner = dispatch_new_ranges(dispatch_new_plan(&plan), ranges, count, workers);
        } else {
            inner = dispatch_new_survey(&(struct survey_setup){
                .tasks = tasks, .workers = workers, .most = 5, .seed = seed});
        }
        course = (struct course){.workers = workers, .suffers = true};
        for (int64_t k = 0; k < workers; k++) {
            course.stop_s[k] = k == 1 ? dice_scale(&dice, 1, 10) : HUGE_VAL;
            course.factor[k] = 1;
        }
        course.dispatch = copying(inner, workers);
        course_run(&course);
        int64_t done = 0;
        for (int64_t k = 0; k < 2 * TASKS_MOST; k++)
            done += course.done[k];
        if (done != tasks)
            fail_msg("seed %" PRIu64 ": %" PRId64 " of %" PRId64 " tasks", seed, done, tasks);
        dispatch_free(&course.dispatch);
        plan_release(&plan);
    }
}

/* ---- simulated ------------------------------------------------------------------------------- */

static double simulated_s(const struct platform *platform, const struct decision *decision,
                          double stop_s, bool copies)
{
    struct scenario scenario = SCENARIO_INIT;
    struct failure failure = FAILURE_INIT;
    struct simulation simulation;
    scenario.slow_workers = stop_s > 0;
    scenario.slow_factor = 1e9;
    scenario.slow_from_s = stop_s;
    scenario.copies = copies;
    struct dispatch *dispatch = decision_dispatch(decision, platform, &scenario, &failure);
    assert_non_null(dispatch);
    assert_true(simulate_scenario(platform, dispatch, &scenario, NULL, &simulation, &failure));
    dispatch_free(&dispatch);
    return simulation.makespan_s;
}

/* A worker is stopped at one time after the other; copies themselves cost up to `share`. */
static void stops_cost_little(const struct platform *platform, const struct decision *decision,
                              const char *name, double share)
{
    enum { STOPS = 10 };
    const double usual_s = simulated_s(platform, decision, 0, false);
    assert_true(simulated_s(platform, decision, 0, true) <= (1 + share) * usual_s);
    for (int k = 1; k < STOPS; k++) {
        const double stop_s = usual_s * k / STOPS;
        const double with_s = simulated_s(platform, decision, stop_s, true);
        if (with_s > 1.1 * usual_s)
            fail_msg("%s: stopped at %g of %g s, it takes %g s", name, stop_s, usual_s, with_s);
        assert_true(simulated_s(platform, decision, stop_s, false) > 1e6);
    }
}

/* What parts may cost where no worker stops, as a share of the makespan. */
static const double parts_most = 0.0055;

/* Rules whose last packages are small, and plans: of one package for each worker, of some large
 * rounds, and of many, which are not all under way when the worker is stopped. */
static void a_stop_costs_a_tenth_at_most(void **state)
{
    static const char *const rules[] = {"tss", "fac"};
    static const int64_t repeats[] = {1, 4, 100};
    struct platform_class class = {.count = 16, .link = {1e-3, 1e-5}, .compute = {0.01, 0.1}};
    struct platform_window window = {
        .least = 1, .greatest = 1e9, .classes = &class, .class_count = 1};
    const struct platform platform = {
        .windows = &window, .window_count = 1, .worker_count = 16, .buffers = PLATFORM_BUFFERS};
    enum { WORKERS = 16, TASKS = 16000 };
    (void)state;
    for (size_t r = 0; r < COUNT_OF(rules); r++) {
        const struct dispatch_setup setup = {.rule = rules[r],
                                             .tasks = TASKS,
                                             .workers = WORKERS,
                                             .ahead = 1,
                                             .least = 1,
                                             .most = TASKS};
        stops_cost_little(&platform, &(struct decision){.setup = &setup}, rules[r], parts_most);
    }
    for (size_t r = 0; r < COUNT_OF(repeats); r++) {
        int64_t workers[WORKERS];
        double loads[WORKERS];
        for (int k = 0; k < WORKERS; k++) {
            workers[k] = k;
            loads[k] = (double)(TASKS / WORKERS / repeats[r]);
        }
        struct plan_round round = {.repeat = repeats[r], .loads = loads};
        const struct plan plan = {.workers = workers,
                                  .worker_count = WORKERS,
                                  .rounds = &round,
                                  .round_count = 1,
                                  .tasks = TASKS};
        stops_cost_little(&platform, &(struct decision){.plan = &plan}, "a plan", parts_most);
    }
}

/* The mean cost of stops in the second half. */
static double second_half(const struct platform *platform, const struct decision *decision,
                          double *most)
{
    enum { STOPS = 10 };
    const double usual_s = simulated_s(platform, decision, 0, false);
    double sum = 0;
    *most = 0;
    assert_true(simulated_s(platform, decision, 0, true) <= (1 + parts_most) * usual_s);
    for (int k = 0; k < STOPS; k++) {
        const double stop_s = usual_s * (0.5 + 0.5 * (k + 0.5) / STOPS);
        const double over = simulated_s(platform, decision, stop_s, true) / usual_s - 1;
        sum += over / STOPS;
        *most = fmax(*most, over);
    }
    return sum;
}

/* A package costs as much as two core tasks, whatever its size; of eight workers one stops in the
 * second half. With what is lost spread over the others without any loss, a stop at half costs 7 %.
 */
static void parts_and_pieces_mind_what_packages_cost(void **state)
{
    enum { WORKERS = 8, EACH = 600 };
    static const char *const rules[] = {"fac", "gss", "tss", "af"};
    struct platform_class class = {.count = WORKERS, .compute = {0.02, 0.01}};
    struct platform_window window = {
        .least = 1, .greatest = 1e9, .envelope = {1e-3, 0}, .classes = &class, .class_count = 1};
    const struct platform platform = {.windows = &window,
                                      .window_count = 1,
                                      .worker_count = WORKERS,
                                      .buffers = PLATFORM_BUFFERS};
    int64_t workers[WORKERS];
    double loads[WORKERS];
    (void)state;
    for (int k = 0; k < WORKERS; k++) {
        workers[k] = k;
        loads[k] = EACH;
    }
    struct plan_round round = {.repeat = 1, .loads = loads};
    const struct plan plan = {.workers = workers,
                              .worker_count = WORKERS,
                              .rounds = &round,
                              .round_count = 1,
                              .tasks = WORKERS * EACH};
    for (size_t r = 0; r <= COUNT_OF(rules); r++) {
        const bool planned = r == COUNT_OF(rules);
        const struct dispatch_setup setup = {.rule = planned ? NULL : rules[r],
                                             .tasks = WORKERS * EACH,
                                             .workers = WORKERS,
                                             .ahead = 1,
                                             .least = 1,
                                             .most = EACH};
        const struct decision decision =
            planned ? (struct decision){.plan = &plan} : (struct decision){.setup = &setup};
        double most;
        const double mean = second_half(&platform, &decision, &most);
        if (mean > 0.1 || most > 0.105)
            fail_msg("%s: a stop costs %.1f %%, %.1f %% in the mean", planned ? "a plan" : rules[r],
                     100 * most, 100 * mean);
    }
}

/* As above, and the port has time for them. */
static double parts_cost_s(int64_t workers, double latency_s)
{
    enum { MOST = 64 };
    struct platform_class class = {.count = workers, .compute = {latency_s, 0.01}};
    struct platform_window window = {
        .least = 1, .greatest = 1e9, .classes = &class, .class_count = 1};
    const struct platform platform = {
        .windows = &window, .window_count = 1, .worker_count = workers};
    const struct deadline_setup costs = decision_costs(&platform);
    int64_t numbers[MOST];
    double loads[MOST], cost_s = -1;
    for (int64_t k = 0; k < workers; k++) {
        numbers[k] = k;
        loads[k] = 600;
    }
    struct plan_round round = {.repeat = 1, .loads = loads};
    const struct plan plan = {.workers = numbers,
                              .worker_count = workers,
                              .rounds = &round,
                              .round_count = 1,
                              .tasks = 600 * (double)workers};
    assert_true(dispatch_parts_cost(&plan, &costs, &cost_s));
    return cost_s;
}

/* In a run of 6 s: one cut if it costs 20 ms, or nineteen of 1 ms; none whose cost is much compared
 * with the work that each other worker would do in place of one. */
static void parts_cost_little(void **state)
{
    (void)state;
    assert_true(fabs(parts_cost_s(8, 0.02) - 0.02) < 1e-9);
    assert_true(fabs(parts_cost_s(8, 1e-3) - 0.019) < 1e-9);
    assert_true(parts_cost_s(8, 0.03) == 0);
    assert_true(parts_cost_s(64, 0.02) == 0);
    assert_true(fabs(parts_cost_s(64, 1e-3) - 0.004) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_idle_one_takes_copies),
        cmocka_unit_test(the_original_may_come_first),
        cmocka_unit_test(a_loss_leaves_the_copies),
        cmocka_unit_test(packages_do_not_wait_behind_a_silent_worker),
        cmocka_unit_test(each_task_counts_once),
        cmocka_unit_test(rules_decide_as_without_parts),
        cmocka_unit_test(what_is_held_back_is_done_by_others),
        cmocka_unit_test(a_stop_costs_a_tenth_at_most),
        cmocka_unit_test(parts_and_pieces_mind_what_packages_cost),
        cmocka_unit_test(parts_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
