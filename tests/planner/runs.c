#include "tests/planner/runs.h"

#include <stdlib.h>
#include <string.h>

#include "planner/model/platform.h"
#include "planner/simulate/scenario.h"
#include "planner/simulate/simulate.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

static char *word(const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    return copy;
}

/* The run's results are written behind, and take up to ten times as long as they would. */
static void write_behind(struct dice *dice, struct run_record *record)
{
    struct profile_setting *setting = &record->profile.settings[0];
    setting->write_behind = true;
    assert_true(parameter_list_add(&record->profile.parameters, PLATFORM_WRITE_BEHIND, "yes", 0) &&
                parameter_list_add(&record->plan.parameters, PLATFORM_WRITE_BEHIND, "yes", 0));
    for (size_t w = 0; w < setting->window_count; w++)
        for (size_t k = 0; k < setting->windows[w].worker_count; k++) {
            struct cost *output = &setting->windows[w].workers[k].output.cost;
            const double factor = dice_scale(dice, 0.1, 1000);
            *output = (struct cost){output->latency_s * factor, output->s_per_task * factor};
        }
}

void run_sample(uint64_t seed, double noise, struct run_record *record)
{
    struct dice dice = {seed};
    struct platform platform;
    struct simulation simulation;
    struct scenario scenario = SCENARIO_INIT;
    struct failure failure = FAILURE_INIT;
    *record = (struct run_record){.has_profile = true};
    sample_profile(&dice, 8, 1, &record->profile);
    sample_plan(&dice, profile_workers(&record->profile.settings[0].windows[0]), false,
                &record->plan);
    assert_true(
        parameter_list_merge(&record->plan.parameters, &record->profile.settings[0].parameters));
    record->plan.threads = 0;
    record->plan.predicted.without_variation_s = 0; /* reports compare with the simulation */
    if (seed % 4 == 3)
        write_behind(&dice, record);
    if (seed % 5 == 2) {
        struct dice own = {~seed};
        sample_starts(&own, &record->profile);
    }
    record->input = word("x.png");
    record->kernel = word("sleep");
    record->tasks = record->tasks_done = (int64_t)record->plan.tasks;
    scenario.noise = noise;
    scenario.seed = seed;
    assert_true(platform_init(&platform, &record->profile.settings[0], 0, &failure));
    struct dispatch *dispatch = dispatch_new_plan(&record->plan);
    assert_non_null(dispatch);
    assert_true(
        simulate_scenario(&platform, dispatch, &scenario, &record->trace, &simulation, &failure));
    dispatch_free(&dispatch);
    platform_release(&platform);
}

json_t *run_report(const struct run_record *record)
{
    struct failure failure = FAILURE_INIT;
    char *text = report_json(record, &failure);
    if (!text)
        fail_msg("%s", failure.text);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    free(text);
    return json;
}

double run_member(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);
    if (!json_is_number(value))
        fail_msg("no number '%s'", key);
    return json_number_value(value);
}

void run_tells(const struct run_record *record, const char *words)
{
    struct failure failure = FAILURE_INIT;
    char *text = report_text(record, &failure);
    if (!text) {
        fail_msg("%s", failure.text);
        return;
    }
    assert_non_null(strstr(text, words));
    free(text);
}
