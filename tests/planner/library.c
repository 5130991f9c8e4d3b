/* libscow-plan from a caller's side: handles, requests, errors, threads. */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/library/scow-plan.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"
#include "tests/scarcity.h"

/* Two workers that compute a core task in 1 s, one that takes 2 s; a package costs the master 1 s.
 */
static const char small[] =
    "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [{\"windows\": ["
    "{\"tasks\": [1, 100], \"envelope\": {\"latency_s\": 0.5, \"s_per_task\": 0},"
    " \"send\": {\"latency_s\": 0.5, \"s_per_task\": 0}, \"workers\": ["
    "{\"name\": \"fast\", \"count\": 2, \"receive\": {\"latency_s\": 0, \"s_per_task\": 0},"
    " \"compute\": {\"latency_s\": 0, \"s_per_task\": 1}},"
    "{\"name\": \"slow\", \"receive\": {\"latency_s\": 0, \"s_per_task\": 0},"
    " \"compute\": {\"latency_s\": 0, \"s_per_task\": 2}}]}]}]}";

static struct scow_profile *profile_of(const char *text)
{
    struct scow_profile *profile = NULL;
    struct scow_plan_error error;
    assert_int_equal(scow_profile_parse(&profile, text, strlen(text), NULL, &error),
                     SCOW_PLAN_DONE);
    assert_int_equal(error.code, SCOW_PLAN_DONE);
    assert_string_equal(error.text, "");
    return profile;
}

static struct scow_plan *plan_of(const struct scow_profile *profile, int64_t tasks,
                                 const char *scheduler)
{
    struct scow_plan_request request = SCOW_PLAN_REQUEST_INIT;
    struct scow_plan *plan = NULL;
    request.tasks = tasks;
    request.scheduler = scheduler;
    assert_int_equal(scow_plan_make(&plan, profile, &request, NULL), SCOW_PLAN_DONE);
    return plan;
}

/* One package each, in proportion to speed: 10, 10 and 5, begun 1 s after the one before. */
static void a_plan_says_what_it_is(void **state)
{
    struct scow_profile *profile = profile_of(small);
    struct scow_plan *plan = plan_of(profile, 25, "static");
    struct scow_plan_package packages[4];
    double least_s = 0, most_s = 0;
    (void)state;
    assert_int_equal(scow_plan_abi(), SCOW_PLAN_ABI);
    assert_string_equal(scow_profile_kernel(profile), "sleep");
    assert_int_equal(scow_profile_workers(profile), 3);
    assert_int_equal(scow_profile_settings(profile), 1);
    assert_int_equal(strlen(scow_profile_sha256(profile)), 64);
    scow_profile_free(profile); /* the plan needs it no more */
    assert_string_equal(scow_plan_scheduler(plan), "static");
    assert_null(scow_plan_tail(plan));
    assert_true(scow_plan_tasks(plan) == 25);
    assert_true(scow_plan_makespan_s(plan) == 13);
    assert_true(scow_plan_without_variation_s(plan) == 13);
    assert_true(scow_plan_gap(plan) >= 0 && scow_plan_busy_share(plan) <= 1);
    assert_true(scow_plan_lower_bound_s(plan) > 10);
    assert_int_equal(scow_plan_workers(plan), 3);
    assert_int_equal(scow_plan_workers_needed(plan), 3);
    assert_int_equal(scow_plan_rounds(plan), 1);
    assert_int_equal(scow_plan_packages(plan), 3);
    assert_int_equal(scow_plan_package_list(plan, 0, 4, packages), 3);
    assert_int_equal(packages[2].rank, 3);
    assert_true(packages[2].first == 20 && packages[2].tasks == 5 && packages[2].round == 0);
    assert_false(scow_plan_interval_s(plan, &least_s, &most_s));
    assert_true(isnan(least_s) && isnan(most_s));
    scow_plan_free(plan);
    scow_plan_free(NULL);
    scow_profile_free(NULL);
    scow_plan_text_free(NULL);
}

/* A plan that is written and read again is the same; nobody knows what to ask a queue for. */
static void plans_go_round(void **state)
{
    struct scow_profile *profile = profile_of(small);
    struct scow_plan *plan = plan_of(profile, 1000, NULL), *again = NULL;
    struct scow_plan_error error;
    char *text = NULL, *same = NULL;
    double walltime_s = -1;
    (void)state;
    assert_int_equal(scow_plan_text(&text, plan, NULL), SCOW_PLAN_DONE);
    assert_int_equal(scow_plan_parse(&again, text, strlen(text), NULL, &error), SCOW_PLAN_DONE);
    assert_int_equal(scow_plan_text(&same, again, NULL), SCOW_PLAN_DONE);
    assert_string_equal(text, same);
    assert_true(scow_plan_makespan_s(again) == scow_plan_makespan_s(plan));
    assert_int_equal(scow_plan_walltime_s(&walltime_s, plan, 0.01, &error), SCOW_PLAN_DONE);
    assert_true(walltime_s > scow_plan_makespan_s(plan));
    assert_int_equal(scow_plan_walltime_s(&walltime_s, again, 0.01, &error), SCOW_PLAN_USAGE);
    assert_string_equal(error.text, "the plan was only read, and a request needs its "
                                    "profile: make the plan with scow_plan_make");
    assert_int_equal(scow_plan_walltime_s(&walltime_s, plan, 2, &error), SCOW_PLAN_USAGE);
    scow_plan_text_free(text);
    scow_plan_text_free(same);
    scow_plan_free(plan);
    scow_plan_free(again);
    scow_profile_free(profile);
}

static bool near(double value, double wanted)
{
    return fabs(value - wanted) <= 1e-6 * fabs(wanted);
}

/* Are these all core tasks of the plan, in their order? */
static bool packages_whole(const struct scow_plan *plan, const struct scow_plan_package *packages,
                           size_t count)
{
    double next = 0;
    bool good = count == (size_t)scow_plan_packages(plan);
    for (size_t k = 0; good && k < count; k++) {
        good = near(packages[k].first, next);
        next += packages[k].tasks;
    }
    return good && near(next, scow_plan_tasks(plan));
}

static bool packages_same(const struct scow_plan_package *part,
                          const struct scow_plan_package *whole, size_t count)
{
    bool good = true;
    for (size_t k = 0; good && k < count; k++)
        good = part[k].round == whole[k].round && part[k].rank == whole[k].rank &&
               near(part[k].tasks, whole[k].tasks) && near(part[k].first, whole[k].first);
    return good;
}

/* Lists that begin anywhere are parts of the whole list, which is all core tasks in order. */
static void packages_from_anywhere(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(100); seed++) {
        struct dice dice = {seed};
        struct scow_plan_package all[2048], part[8];
        struct scow_plan *plan = NULL;
        struct plan sample;
        sample_plan(&dice, 12, seed % 3 == 0, &sample);
        char *text = plan_print(&sample);
        assert_int_equal(scow_plan_parse(&plan, text, strlen(text), "sample", NULL), 0);
        const size_t count = scow_plan_package_list(plan, 0, COUNT_OF(all), all);
        const size_t from = (size_t)dice_whole(&dice, 0, (int64_t)count + 2);
        const size_t some = scow_plan_package_list(plan, (int64_t)from, COUNT_OF(part), part);
        const size_t left = from < count ? count - from : 0;
        if (!packages_whole(plan, all, count) || some != (left < 8 ? left : 8) ||
            !packages_same(part, &all[from], some))
            fail_msg("seed %" PRIu64 ": packages from %zu on", seed, from);
        assert_int_equal(scow_plan_package_list(plan, -1, 8, part), 0);
        free(text);
        scow_plan_free(plan);
        plan_release(&sample);
    }
}

static void requests_refused(void **state)
{
    static const double nothing = 0;
    const double nan = nothing / nothing;
    const struct scow_plan_request usual = SCOW_PLAN_REQUEST_INIT;
    struct scow_plan_request wrong[9];
    const char *const sentences[] = {
        "tasks must be from 1 to 9007199254740992, not 0: how many core tasks the job has",
        "workers, block and buffers must not be negative: 0 means as usual",
        "unknown scheduler 'optimall': did you mean 'optimal'?",
        "--effort must be above 0 and at most 1000000: about how many seconds planning with auto "
        "may take",
        "--deadline must not be negative",
        "no plan meets the deadline of 1 s: the least predicted makespan is 4 s, with up to 3 "
        "workers",
        "'profile' knows no parameter 'block': 'scow show' lists those that it has",
        "--tail needs whole loads: leave --real-valued out",
        "--within '50': say by how much longer than the least makespan a plan may take, from 0.1% "
        "to 1000%, such as 5%",
    };
    const int codes[] = {SCOW_PLAN_USAGE,    SCOW_PLAN_USAGE, SCOW_PLAN_USAGE,
                         SCOW_PLAN_USAGE,    SCOW_PLAN_USAGE, SCOW_PLAN_INFEASIBLE,
                         SCOW_PLAN_MISMATCH, SCOW_PLAN_USAGE, SCOW_PLAN_USAGE};
    struct scow_profile *profile = profile_of(small);
    (void)state;
    for (size_t k = 0; k < COUNT_OF(wrong); k++) {
        wrong[k] = usual;
        wrong[k].tasks = 4;
    }
    wrong[0].tasks = 0;
    wrong[1].workers = -1;
    wrong[2].scheduler = "optimall";
    wrong[3].effort_s = nan;
    wrong[4].deadline_s = -1;
    wrong[5].deadline_s = 1;
    wrong[6].block = 64;
    wrong[7].tail = "fac", wrong[7].real_valued = 1;
    wrong[8].within = "50";
    for (size_t k = 0; k < COUNT_OF(wrong); k++) {
        struct scow_plan_error error;
        struct scow_plan *plan = (struct scow_plan *)&error; /* no plan, to be overwritten */
        char *text = error.text;
        assert_int_equal(scow_plan_make(&plan, profile, &wrong[k], &error), codes[k]);
        assert_string_equal(error.text, sentences[k]);
        assert_int_equal(error.code, codes[k]);
        assert_null(plan);
        assert_int_equal(scow_plan_sweep_text(&text, profile, &wrong[k], NULL), codes[k]);
        assert_null(text);
    }
    scow_profile_free(profile);
}

/* A fast worker with price 3 and two slow ones with 0.5. */
static const char priced[] =
    "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [{\"windows\": "
    "[{\"tasks\": "
    "[1, 100], \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0}, \"send\": {\"latency_s\": 0, "
    "\"s_per_task\": 0}, \"workers\": [{\"name\": \"fast\", \"receive\": {\"latency_s\": 0, "
    "\"s_per_task\": 0}, \"compute\": {\"latency_s\": 0, \"s_per_task\": 1}, \"price_s\": 3}, "
    "{\"name\": "
    "\"slow\", \"count\": 2, \"receive\": {\"latency_s\": 0, \"s_per_task\": 0}, \"compute\": "
    "{\"latency_s\": 0, \"s_per_task\": 2}, \"price_s\": 0.5}]}]}]}";

static void plans_are_chosen_by_what_they_cost(void **state)
{
    struct scow_plan_request request = SCOW_PLAN_REQUEST_INIT;
    struct scow_profile *profile = profile_of(priced);
    struct scow_plan_error error;
    struct scow_plan *plan;
    char *text;
    (void)state;
    request.tasks = 100;
    request.objective = "cost";
    assert_int_equal(scow_plan_make(&plan, profile, &request, &error), SCOW_PLAN_DONE);
    assert_string_equal(scow_plan_objective(plan), "cost");
    assert_true(fabs(scow_plan_charge(plan) - 100) < 1e-6);
    assert_true(fabs(scow_plan_cpu_s(plan) - 200) < 1e-6);
    assert_true(isnan(scow_plan_energy_j(plan)) && isnan(scow_plan_turnaround_s(plan)));
    scow_plan_free(plan);
    request.deadline_s = 60;
    assert_int_equal(scow_plan_make(&plan, profile, &request, &error), SCOW_PLAN_DONE);
    assert_true(fabs(scow_plan_charge(plan) - 200) < 1e-6);
    scow_plan_free(plan);
    assert_int_equal(scow_plan_pareto_text(&text, profile, &request, &error), SCOW_PLAN_DONE);
    assert_non_null(strstr(text, "\"charge\": 100,"));
    assert_non_null(strstr(text, "\"charge\": 200,"));
    scow_plan_text_free(text);
    assert_int_equal(scow_plan_sweep_text(&text, profile, &request, &error), SCOW_PLAN_USAGE);
    request.exclude = "fast,slow";
    assert_int_equal(scow_plan_make(&plan, profile, &request, &error), SCOW_PLAN_INFEASIBLE);
    request.exclude = NULL;
    request.waits = "/nowhere/waits.tsv";
    assert_int_equal(scow_plan_make(&plan, profile, &request, &error), SCOW_PLAN_MISMATCH);
    assert_null(plan);
    assert_string_equal(scow_objective_name(0), "makespan");
    assert_null(scow_objective_name(100));
    scow_profile_free(profile);
}

static void texts_refused(void **state)
{
    struct scow_plan_error error;
    struct scow_profile *profile;
    struct scow_plan *plan;
    (void)state;
    assert_int_equal(scow_profile_parse(&profile, "{", 1, "mine", &error), SCOW_PLAN_MISMATCH);
    assert_non_null(strstr(error.text, "mine: "));
    assert_null(profile);
    assert_int_equal(scow_profile_parse(&profile, NULL, 0, NULL, NULL), SCOW_PLAN_USAGE);
    assert_int_equal(scow_profile_read(&profile, "/nowhere/profile.json", &error),
                     SCOW_PLAN_MISMATCH);
    assert_non_null(strstr(error.text, "/nowhere/profile.json"));
    assert_int_equal(scow_profile_read(&profile, NULL, NULL), SCOW_PLAN_USAGE);
    assert_int_equal(scow_plan_parse(&plan, small, sizeof small - 1, NULL, &error),
                     SCOW_PLAN_MISMATCH);
    assert_string_equal(error.text,
                        "plan: has schema \"scow-profile-1\", but \"scow-plan-1\" is needed: check "
                        "that it is the right file, of this version");
    assert_null(plan);
    assert_int_equal(scow_plan_read(&plan, "/nowhere/plan.json", NULL), SCOW_PLAN_MISMATCH);
    assert_int_equal(scow_plan_read(&plan, NULL, NULL), SCOW_PLAN_USAGE);
}

/* Callers that know less than the library, or more. */
static void structures_of_other_sizes(void **state)
{
    struct {
        struct scow_plan_request known;
        int64_t unknown;
    } newer = {SCOW_PLAN_REQUEST_INIT, 0};
    struct scow_plan_request older = SCOW_PLAN_REQUEST_INIT;
    struct scow_simulation_request rule = SCOW_SIMULATION_REQUEST_INIT;
    struct scow_simulation outcome = SCOW_SIMULATION_INIT;
    struct scow_plan_error error;
    struct scow_profile *profile = profile_of(small);
    struct scow_plan *plan;
    (void)state;
    older.size = offsetof(struct scow_plan_request, scheduler);
    older.tasks = 25;
    older.scheduler = "what the caller does not know of is not looked at";
    assert_int_equal(scow_plan_make(&plan, profile, &older, NULL), SCOW_PLAN_DONE);
    scow_plan_free(plan);
    older.size = 0;
    assert_int_equal(scow_plan_make(&plan, profile, &older, NULL), SCOW_PLAN_USAGE);
    newer.known.size = sizeof newer;
    newer.known.tasks = 25;
    assert_int_equal(scow_plan_make(&plan, profile, &newer.known, NULL), SCOW_PLAN_DONE);
    scow_plan_free(plan);
    newer.unknown = 1;
    assert_int_equal(scow_plan_make(&plan, profile, &newer.known, &error), SCOW_PLAN_USAGE);
    assert_non_null(strstr(error.text, "does not know yet: use a newer one"));
    rule.rule = "gss";
    rule.tasks = 25;
    outcome.size = offsetof(struct scow_simulation, busy_share);
    outcome.busy_share = -1;
    assert_int_equal(scow_simulate(&outcome, profile, NULL, &rule, NULL), SCOW_PLAN_DONE);
    assert_true(outcome.makespan_s > 10 && outcome.busy_share == -1);
    scow_profile_free(profile);
}

static void simulations(void **state)
{
    struct scow_simulation_request request = SCOW_SIMULATION_REQUEST_INIT;
    struct scow_simulation plain = SCOW_SIMULATION_INIT, noisy = plain;
    struct scow_plan_error error;
    struct scow_profile *profile = profile_of(small);
    struct scow_plan *plan = plan_of(profile, 25, "static");
    char *text = NULL;
    (void)state;
    assert_int_equal(scow_simulate(&plain, profile, plan, NULL, NULL), SCOW_PLAN_DONE);
    assert_true(plain.makespan_s == 13 && plain.median_s == 13 && plain.greatest_s == 13);
    assert_int_equal(plain.packages, 3);
    request.noise = 0.2;
    request.seeds = 50;
    assert_int_equal(scow_simulate(&noisy, profile, plan, &request, NULL), SCOW_PLAN_DONE);
    assert_true(noisy.least_s < noisy.median_s && noisy.median_s < noisy.p95_s);
    assert_int_equal(scow_simulate_text(&text, profile, plan, &request, NULL), SCOW_PLAN_DONE);
    assert_non_null(strstr(text, "\"schema\": \"scow-simulation-1\""));
    scow_plan_text_free(text);
    request.lose = 4;
    assert_int_equal(scow_simulate(&noisy, profile, plan, &request, &error), SCOW_PLAN_USAGE);
    assert_string_equal(error.text, "--slow and --lose name more workers than the 3 there are: "
                                    "name fewer, or simulate more with -n");
    request.lose = -1;
    assert_int_equal(scow_simulate(&noisy, profile, plan, &request, &error), SCOW_PLAN_USAGE);
    assert_int_equal(scow_simulate(&noisy, profile, NULL, NULL, &error), SCOW_PLAN_USAGE);
    scow_plan_free(plan);
    scow_profile_free(profile);
}

static void names_are_listed(void **state)
{
    size_t schedulers = 0, rules = 0;
    (void)state;
    while (scow_scheduler_name(schedulers))
        assert_non_null(scow_scheduler_summary(schedulers++));
    while (scow_rule_name(rules))
        assert_non_null(scow_rule_summary(rules++));
    assert_null(scow_scheduler_summary(schedulers));
    assert_null(scow_rule_summary(rules));
    assert_true(schedulers >= 10 && rules >= 12);
}

/* ---- threads, locales, memory -------------------------------------------------------------- */

enum { PLANS_OF_A_THREAD = 12 };

struct share {
    const struct scow_profile *profile; /* of all threads */
    char *texts[PLANS_OF_A_THREAD];
};

static void *plans_make(void *shared)
{
    struct share *share = shared;
    struct scow_profile *own = profile_of(small);
    for (int k = 0; k < PLANS_OF_A_THREAD; k++) {
        struct scow_plan *plan =
            plan_of(k % 2 == 0 ? share->profile : own, 100 + 17 * (k / 2), NULL);
        scow_plan_text(&share->texts[k], plan, NULL);
        scow_plan_free(plan);
    }
    scow_profile_free(own);
    return NULL;
}

/* The same requests in two threads, of one handle and of handles of their own. */
static void threads_do_not_meet(void **state)
{
    struct scow_profile *profile = profile_of(small);
    struct share shares[2] = {{.profile = profile}, {.profile = profile}};
    pthread_t threads[2];
    (void)state;
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, plans_make, &shares[k]), 0);
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], NULL);
    for (int k = 0; k < PLANS_OF_A_THREAD; k++) {
        assert_string_equal(shares[0].texts[k], shares[1].texts[k]);
        assert_string_equal(shares[0].texts[k], shares[0].texts[k - k % 2]);
        scow_plan_text_free(shares[1].texts[k]);
    }
    for (int k = 0; k < PLANS_OF_A_THREAD; k++)
        scow_plan_text_free(shares[0].texts[k]);
    scow_profile_free(profile);
}

/* A comma in the caller's numbers is none in ours, and the caller keeps it. */
static void locales_do_not_matter(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    bool there = false;
    (void)state;
    for (size_t k = 0; k < COUNT_OF(names) && !there; k++)
        there = setlocale(LC_ALL, names[k]) != NULL;
    if (!there)
        skip();
    struct scow_profile *profile = profile_of(small);
    struct scow_plan *plan = plan_of(profile, 60, NULL), *again = NULL;
    char *text = NULL, number[16];
    assert_int_equal(scow_plan_text(&text, plan, NULL), SCOW_PLAN_DONE);
    assert_int_equal(scow_plan_parse(&again, text, strlen(text), NULL, NULL), SCOW_PLAN_DONE);
    assert_true(scow_plan_gap(again) == scow_plan_gap(plan));
    assert_null(strstr(text, "gap\": 0,"));
    assert_non_null(strstr(text, "gap\": 0."));
    snprintf(number, sizeof number, "%.1f", 0.5);
    assert_string_equal(number, "0,5");
    setlocale(LC_ALL, "C");
    scow_plan_text_free(text);
    scow_plan_free(plan);
    scow_plan_free(again);
    scow_profile_free(profile);
}

/* Uses a profile and a plan while so many allocations succeed: if one fails, a sentence says so,
 * and nothing is leaked. Has one failed? */
static bool memory_ends_after(int64_t allowed)
{
    struct scow_plan_request request = SCOW_PLAN_REQUEST_INIT;
    struct scow_plan_error error = {0};
    struct scow_profile *profile = NULL;
    struct scow_plan *plan = NULL;
    request.tasks = 25;
    request.scheduler = "static";
    scarcity_begin(allowed);
    const bool good = scow_profile_parse(&profile, small, sizeof small - 1, NULL, &error) == 0 &&
                      scow_plan_make(&plan, profile, &request, &error) == 0;
    const bool reached = scarcity_end();
    assert_true(good == !reached);
    assert_int_equal(error.code, reached ? SCOW_PLAN_FAILED : SCOW_PLAN_DONE);
    assert_true(!reached || strstr(error.text, "out of memory"));
    scow_plan_free(plan);
    scow_profile_free(profile);
    return reached;
}

/* The library's own allocations are the first and the last ones, and each of them fails; of the
 * thousands between, which are the search's (planner-memory has each of those), some. */
static void memory_ends(void **state)
{
    enum { OWN = 200, STEP = 101 };
    int64_t enough = 0;
    (void)state;
    while (memory_ends_after(enough))
        enough += enough < OWN ? 1 : STEP;
    assert_true(enough > OWN + STEP);
    for (int64_t k = 1; k < STEP + OWN; k++)
        memory_ends_after(enough - k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_says_what_it_is),
        cmocka_unit_test(plans_go_round),
        cmocka_unit_test(packages_from_anywhere),
        cmocka_unit_test(requests_refused),
        cmocka_unit_test(plans_are_chosen_by_what_they_cost),
        cmocka_unit_test(texts_refused),
        cmocka_unit_test(structures_of_other_sizes),
        cmocka_unit_test(simulations),
        cmocka_unit_test(names_are_listed),
        cmocka_unit_test(threads_do_not_meet),
        cmocka_unit_test(locales_do_not_matter),
        cmocka_unit_test(memory_ends),
    };
    tests_choose();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
