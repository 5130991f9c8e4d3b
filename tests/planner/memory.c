/* Every allocation is made to fail in turn: the result is one failure, outputs are not changed, and
 * under a leak checker nothing is lost. */
#include <stdio.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/model/beyond.h"
#include "planner/report/describe.h"
#include "planner/report/gantt.h"
#include "planner/report/learn.h"
#include "planner/report/report.h"
#include "planner/schedulers/bounds/bound.h"
#include "planner/schedulers/optimal/optimal_lp.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/ensemble.h"
#include "planner/simulate/simulate.h"
#include "planner/studies/interval.h"
#include "planner/studies/sweep.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"
#include "tests/scarcity.h"

/* `attempt` returns whether it succeeded, and releases what it made. Allocation 0 fails, then
 * allocation `step`, and so on until it needs no more. */
static void allocations_fail(bool (*attempt)(void *self, struct failure *failure), void *self,
                             int64_t step)
{
    int64_t allowed = 0;
    for (bool reached = true; reached; allowed += step) {
        struct failure failure = FAILURE_INIT;
        scarcity_begin(allowed);
        bool good = attempt(self, &failure);
        reached = scarcity_end();
        if (reached) {
            assert_false(good);
            assert_int_equal(failure.code, FAILURE_FAILED);
            assert_non_null(strstr(failure.text, "out of memory"));
        } else {
            assert_true(good);
            assert_int_equal(failure.code, FAILURE_NONE);
        }
    }
    assert_true(allowed > step); /* something was allocated at all */
}

static void every_allocation_fails(bool (*attempt)(void *self, struct failure *failure), void *self)
{
    allocations_fail(attempt, self, 1);
}

struct texts {
    struct profile profile;
    struct plan plan;
    char *profile_text, *plan_text;
    struct platform platform;
};

static bool try_profile(void *self, struct failure *failure)
{
    const struct texts *texts = self;
    struct profile profile = {.setting_count = 77};
    if (profile_parse(&profile, texts->profile_text, strlen(texts->profile_text), "p", failure)) {
        profile_release(&profile);
        return true;
    }
    assert_int_equal(profile.setting_count, 77);
    return false;
}

static bool try_plan(void *self, struct failure *failure)
{
    const struct texts *texts = self;
    struct plan plan = {.worker_count = 77};
    if (plan_parse(&plan, texts->plan_text, strlen(texts->plan_text), "plan", failure)) {
        plan_release(&plan);
        return true;
    }
    assert_int_equal(plan.worker_count, 77);
    return false;
}

static bool try_copies(void *self, struct failure *failure)
{
    const struct texts *texts = self;
    struct profile profile;
    struct plan plan;
    const bool good = profile_copy(&profile, &texts->profile);
    const bool both = plan_copy(&plan, &texts->plan) && good;
    profile_release(&profile);
    plan_release(&plan);
    return both || failure_memory(failure, "copying");
}

static bool try_extend(void *self, struct failure *failure)
{
    const struct texts *texts = self;
    struct profile profile;
    if (!profile_parse(&profile, texts->profile_text, strlen(texts->profile_text), "p", failure))
        return false;
    const bool good = beyond_extend(&profile, beyond_measured(&profile) + 5, 1, failure);
    profile_release(&profile);
    return good;
}

static bool try_sweep(void *self, struct failure *failure)
{
    const struct texts *texts = self;
    const struct planning planning = {
        .profile = &texts->profile,
        .setting = &texts->profile.settings[0],
        .scheduler = "scow-mp",
        .tasks = 30,
        .workers = profile_workers(&texts->profile.settings[0].windows[0]) + 1};
    struct sweep sweep = {.count = 77};
    if (!sweep_make(&planning, &sweep, failure)) {
        assert_int_equal(sweep.count, 77);
        return false;
    }
    sweep_release(&sweep);
    return true;
}

static bool try_print(void *self, struct failure *failure)
{
    const struct texts *texts = self;
    char *text = profile_print(&texts->profile);
    bool good = text != NULL;
    free(text);
    text = good ? plan_print(&texts->plan) : NULL;
    good = text != NULL;
    free(text);
    return good || failure_memory(failure, "printing");
}

static bool try_interval(void *self, struct failure *failure)
{
    const struct texts *texts = self;
    const struct interval_request request = {
        .profile = &texts->profile, .setting = &texts->profile.settings[0], .plan = &texts->plan};
    struct interval interval;
    if (!interval_draw(&request, &interval, failure))
        return false;
    interval_release(&interval);
    return true;
}

static bool try_simulate(void *self, struct failure *failure)
{
    const struct texts *texts = self;
    struct trace trace = {.count = 0};
    struct simulation simulation;
    struct platform platform;
    if (!platform_init(&platform, &texts->profile.settings[0], 0, failure))
        return false;
    bool good = simulate_plan(&platform, &texts->plan, &trace, &simulation, failure);
    assert_true(good || trace.count == 0);
    trace_release(&trace);
    platform_release(&platform);
    return good;
}

static bool try_bound(void *self, struct failure *failure)
{
    const struct texts *texts = self;
    double bound_s = 77;
    const bool good = bound_makespan(&texts->platform, 1000, false, &bound_s, failure);
    assert_true(good != (bound_s == 77.0));
    return good;
}

static bool try_rule(void *self, struct failure *failure)
{
    const struct texts *texts = self;
    const struct dispatch_setup setup = {.rule = "awf-c",
                                         .tasks = 100,
                                         .workers = texts->platform.worker_count,
                                         .ahead = 2,
                                         .least = 1,
                                         .most = 300};
    const struct decision decision = {.setup = &setup};
    struct scenario scenario = SCENARIO_INIT;
    struct ensemble_summary robustness;
    scenario.lost_worker = 0;
    scenario.lost_s = 1e-3;
    return ensemble_study(
        &(const struct ensemble_setup){
            .platform = &texts->platform, .decision = &decision, .scenario = &scenario, .runs = 1},
        &robustness, failure);
}

static bool try_report(void *self, struct failure *failure)
{
    struct run_record *record = self;
    char *text = report_text(record, failure);
    char *json = text ? report_json(record, failure) : NULL;
    char *chrome = json ? report_chrome_trace(record, failure) : NULL;
    bool good = chrome != NULL && learn_costs(record, failure);
    free(text);
    free(json);
    free(chrome);
    return good;
}

static bool try_describe(void *self, struct failure *failure)
{
    const struct texts *texts = self;
    struct text text = TEXT_INIT;
    describe_profile(&texts->profile, &text);
    describe_plan(&texts->plan, 0, &text);
    struct trace trace = {.count = 0};
    struct simulation simulation;
    bool good = simulate_plan(&texts->platform, &texts->plan, &trace, &simulation, failure) &&
                gantt_draw(&texts->plan, &trace, &text, failure);
    trace_release(&trace);
    char *words = text_take(&text);
    bool complete = words != NULL;
    free(words);
    return good && (complete || failure_memory(failure, "describing"));
}

struct job {
    struct schedule_request request;
    const struct scheduler *scheduler; /* NULL: auto */
};

static bool try_schedule(void *self, struct failure *failure)
{
    const struct job *job = self;
    struct plan plan = {.worker_count = 77};
    if (job->scheduler ? scheduler_make(job->scheduler, &job->request, &plan, failure)
                       : schedule_auto(&job->request, &plan, NULL, failure)) {
        plan_release(&plan);
        return true;
    }
    assert_int_equal(plan.worker_count, 77);
    return false;
}

static int texts_make(void **state)
{
    static struct texts texts;
    struct dice dice = {5};
    struct failure failure = FAILURE_INIT;
    sample_profile(&dice, 6, 2, &texts.profile);
    sample_plan(&dice, profile_workers(&texts.profile.settings[0].windows[0]), false, &texts.plan);
    texts.plan.beyond = (struct plan_beyond){6, 3, 2, strdup("n02")};
    if (!parameter_list_merge(&texts.plan.parameters, &texts.profile.settings[0].parameters))
        return 1;
    texts.profile_text = profile_print(&texts.profile);
    texts.plan_text = plan_print(&texts.plan);
    *state = &texts;
    return !texts.profile_text || !texts.plan_text ||
           !platform_init(&texts.platform, &texts.profile.settings[0], 0, &failure);
}

static int texts_free(void **state)
{
    struct texts *texts = *state;
    platform_release(&texts->platform);
    profile_release(&texts->profile);
    plan_release(&texts->plan);
    free(texts->profile_text);
    free(texts->plan_text);
    return 0;
}

static void reading(void **state)
{
    every_allocation_fails(try_profile, *state);
    every_allocation_fails(try_plan, *state);
    every_allocation_fails(try_extend, *state);
}

static void printing(void **state)
{
    every_allocation_fails(try_print, *state);
    every_allocation_fails(try_copies, *state);
}

static void simulating(void **state)
{
    every_allocation_fails(try_simulate, *state);
    every_allocation_fails(try_bound, *state);
    every_allocation_fails(try_interval, *state);
    every_allocation_fails(try_rule, *state);
}

/* A few of its thousands of allocations. */
static void sweeping(void **state)
{
    allocations_fail(try_sweep, *state, 53);
}

static void describing(void **state)
{
    every_allocation_fails(try_describe, *state);
}

static void reporting(void **state)
{
    struct texts *texts = *state;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    struct run_record record = {
        .plan = texts->plan, .profile = texts->profile, .has_profile = true};
    assert_true(
        simulate_plan(&texts->platform, &texts->plan, &record.trace, &simulation, &failure));
    every_allocation_fails(try_report, &record);
    texts->profile = record.profile; /* which has learnt */
    trace_release(&record.trace);
}

/* Two unequal workers, a platform to which every scheduler applies. What `auto`
 * adds to them is seen in a few of its thousands of allocations; so is where one is
 * lost, for sanitizers see that, and take ten times as long. */
static void scheduling(void **state)
{
    struct platform_class classes[] = {
        {.first = 0, .count = 1, .link = {0.1, 0.1}, .compute = {0.1, 1}},
        {.first = 1, .count = 1, .link = {0.1, 0.2}, .compute = {0.2, 2}}};
    struct platform_window window = {
        .least = 1, .greatest = 100, .classes = classes, .class_count = 2};
    const struct platform platform = {
        .windows = &window, .window_count = 1, .worker_count = 2, .buffers = PLATFORM_BUFFERS};
    struct job job = {.request = {.platform = &platform, .tasks = 4}};
    size_t count;
    const struct scheduler *list = scheduler_list(&count);
    (void)state;
    for (size_t k = 0; k < count; k++) {
        job.scheduler = &list[k];
        if (strcmp(list[k].name, "optimal") != 0 || optimal_lp_available())
            allocations_fail(try_schedule, &job, cases_are_many() ? 3 : 7);
    }
    job.scheduler = NULL;
    allocations_fail(try_schedule, &job, 97);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),    cmocka_unit_test(printing),   cmocka_unit_test(simulating),
        cmocka_unit_test(sweeping),   cmocka_unit_test(describing), cmocka_unit_test(reporting),
        cmocka_unit_test(scheduling),
    };
    return cmocka_run_group_tests(tests, texts_make, texts_free);
}
