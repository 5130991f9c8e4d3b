#include "planner/command/pages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "planner/files/plan_brief.h"
#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/files/strips_json.h"
#include "planner/files/textfile.h"
#include "planner/report/describe.h"
#include "planner/report/events.h"
#include "planner/report/html/page.h"
#include "planner/report/levels.h"
#include "planner/report/probe_columns.h"
#include "planner/studies/comparison.h"
#include "planner/studies/pairs_table.h"
#include "planner/studies/sweep.h"

/* Limits that keep pages quick to open: events in the chart, each of the run and of its plan;
 * probes among the fits; loads and weights of a plan; workers up to which all schedulers are
 * compared (with more of them that takes more than a second). */
enum {
    EVENTS_MOST = 300000,
    PROBES_MOST = 50000,
    LISTED_MOST = 50000,
    COMPARED_MOST = 64,
    PARTS_MOST = 16,
    FAILED_MOST = 10
};

/* A page while its parts are added; it owns the added texts. */
struct draft {
    struct page_part parts[PARTS_MOST];
    char *texts[PARTS_MOST];
    size_t count;
};

/* Takes over `json` (NULL: the value null). */
static void draft_add(struct draft *draft, const char *key, char *json)
{
    draft->texts[draft->count] = json;
    draft->parts[draft->count] = (struct page_part){key, json};
    draft->count++;
}

/* Adds a text and empties it; false: memory ended while the text was written. */
static bool draft_take(struct draft *draft, const char *key, struct text *text,
                       struct failure *failure)
{
    char *json = text_take(text);
    if (!json)
        return failure_memory(failure, "writing a page");
    draft_add(draft, key, json);
    return true;
}

/* Adds a text that a printer has made, and owns it; false: the printer was out of memory (NULL). */
static bool draft_keep(struct draft *draft, const char *key, char *json, struct failure *failure)
{
    if (!json)
        return failure_memory(failure, "writing a page");
    draft_add(draft, key, json);
    return true;
}

static void draft_release(struct draft *draft)
{
    for (size_t k = 0; k < draft->count; k++)
        free(draft->texts[k]);
}

static bool page_stream(void *self, FILE *stream)
{
    return page_write(self, stream);
}

static bool draft_write(const struct draft *draft, const char *html, const char *title,
                        const char *plain, struct failure *failure)
{
    struct page page = {title, plain, draft->parts, draft->count};
    const struct replace_writer writer = {page_stream, &page};
    return textfile_stream(html, &writer, failure);
}

/* Adds the plan with its rounds and weights or, where these are too many to be looked at, their
 * numbers only. */
static bool plan_add(struct draft *draft, const struct plan *plan, struct failure *failure)
{
    const struct plan_lists lists = plan_lists(plan);
    struct text text = TEXT_INIT;
    if (lists.loads <= LISTED_MOST && lists.weights <= LISTED_MOST)
        return draft_keep(draft, "plan", plan_print(plan), failure);
    struct json_text json = json_open(&text, "{", ", ");
    json_count(&json, "rounds", lists.rounds);
    json_count(&json, "weights", lists.weights);
    json_close(&json, "}");
    return draft_keep(draft, "plan", plan_print_brief(plan), failure) &&
           draft_take(draft, "left_out", &text, failure);
}

static bool profile_add(struct draft *draft, const struct profile *profile,
                        const struct profile_setting *setting, struct failure *failure)
{
    struct text text = TEXT_INIT;
    text_add(&text, "%d", setting ? (int)(setting - profile->settings) : -1);
    return draft_keep(draft, "profile", profile_print(profile), failure) &&
           draft_take(draft, "setting", &text, failure);
}

static bool probes_add(struct draft *draft, const struct samples *probes, struct failure *failure)
{
    struct text text = TEXT_INIT;
    if (!probes)
        return true;
    probe_columns_add(&text, probes, PROBES_MOST);
    return draft_take(draft, "probes", &text, failure);
}

/* Adds the studies of workers and schedulers. Each is left out where it cannot be planned. */
static bool studies_add(struct draft *draft, const struct planning *planning,
                        struct failure *failure)
{
    struct failure none = FAILURE_INIT;
    const struct scenario scenario = SCENARIO_INIT;
    struct planning all = *planning;
    struct sweep sweep;
    struct comparison comparison;
    struct text text = TEXT_INIT;
    all.workers = 0;
    if (sweep_make(&all, &sweep, &none)) {
        sweep_json(&sweep, &text);
        sweep_release(&sweep);
        if (!draft_take(draft, "sweep", &text, failure))
            return false;
    }
    if (profile_workers(&planning->setting->windows[0]) > COMPARED_MOST ||
        !comparison_make(planning, &scenario, 0, &comparison, &none))
        return true;
    comparison_json(&comparison, &text);
    comparison_release(&comparison);
    return draft_take(draft, "schedulers", &text, failure);
}

static bool pareto_add(struct draft *draft, const struct pareto *pareto, struct failure *failure)
{
    struct text text = TEXT_INIT;
    if (!pareto)
        return true;
    pareto_json(pareto, &text);
    return draft_take(draft, "pareto", &text, failure);
}

/* Adds what one master can feed, for a plan with one master. */
static bool pairs_add(struct draft *draft, const struct planning *planning, struct failure *failure)
{
    struct platform platform;
    struct pairs_table table;
    struct text text = TEXT_INIT;
    if (!planning_platform(planning, &platform, failure))
        return false;
    bool good = pairs_table_make(&platform, &table, failure);
    if (good) {
        pairs_table_json(&table, &text);
        pairs_table_release(&table);
        good = draft_take(draft, "pairs", &text, failure);
    }
    platform_release(&platform);
    return good;
}

static bool walltime_add(struct draft *draft, const struct advice *advice, struct failure *failure)
{
    struct text text = TEXT_INIT;
    double most_s = 0;
    const double walltime_s = advice_walltime(advice, &most_s);
    struct json_text json = json_open(&text, "{", ", ");
    json_number(&json, "walltime_s", walltime_s);
    json_number(&json, "most_s", most_s);
    json_number(&json, "risk", advice->risk);
    json_close(&json, "}");
    return draft_take(draft, "walltime", &text, failure);
}

/* Is it a plan of several masters? Studies of other numbers of workers and other schedulers are for
 * one master only. */
static bool has_masters(const struct plan *plan)
{
    return plan->star_count > 0 || plan->child_count > 0;
}

/* Adds what the profile that is kept in the run says. */
static bool outlook_add(struct draft *draft, const struct run_record *record,
                        struct failure *failure)
{
    const struct plan *plan = &record->plan;
    const struct profile_setting *setting =
        record->has_profile ? profile_find(&record->profile, &plan->parameters, plan->threads)
                            : NULL;
    if (record->has_profile && !profile_add(draft, &record->profile, setting, failure))
        return false;
    if (!setting || (plan->real_valued && !record->spread) || has_masters(plan))
        return true;
    const struct planning planning = {.profile = &record->profile,
                                      .setting = setting,
                                      .scheduler = "auto",
                                      .tasks = plan->tasks,
                                      .buffers = plan->buffers};
    return studies_add(draft, &planning, failure);
}

static bool run_add(struct draft *draft, const char *path, const struct run_record *record,
                    struct failure *failure)
{
    struct text text = TEXT_INIT;
    char *json = report_json(record, failure);
    if (!json)
        return false;
    draft_add(draft, "report", json);
    text_add_quoted(&text, path);
    if (!draft_take(draft, "path", &text, failure))
        return false;
    if (!run_record_traced(
            record)) /* Without a trace a page is still made of what else is known. */
        return true;
    if (events_print(record, EVENTS_MOST, &text, failure))
        return draft_take(draft, "events", &text, failure);
    text_release(&text);
    return false;
}

static bool fields_add(struct draft *draft, const char *path, const struct readers *readers,
                       struct failure *failure)
{
    struct text text = TEXT_INIT;
    if (readers->print_fields(path, &text, failure))
        return draft_take(draft, "fields", &text, failure);
    text_release(&text);
    return false;
}

/* Adds core tasks that failed (the first ones) and those that took longest. */
static bool tasks_add(struct draft *draft, const char *path, const struct readers *readers,
                      struct failure *failure)
{
    struct text failed = TEXT_INIT, slowest = TEXT_INIT;
    const bool good = readers->print_failed(path, FAILED_MOST, &failed, failure) &&
                      readers->print_slowest(path, &slowest, failure) &&
                      draft_take(draft, "failed", &failed, failure) &&
                      draft_take(draft, "slowest", &slowest, failure);
    text_release(&failed);
    text_release(&slowest);
    return good;
}

static bool slices_add(struct draft *draft, const char *path, const struct run_record *record,
                       const struct readers *readers, struct failure *failure)
{
    struct text text = TEXT_INIT;
    if (readers->print_slices(path, record, &text, failure))
        return draft_take(draft, "pictures", &text, failure);
    text_release(&text);
    return false;
}

/* Do the timings belong to this profile, as far as can be told? */
static bool probes_check(const struct run_record *record, const struct samples *probes,
                         struct failure *failure)
{
    for (int64_t i = 0; probes && i < probes->count; i++)
        if (!record->has_profile ||
            (size_t)probes->items[i].setting >= record->profile.setting_count)
            return failure_set(
                failure, FAILURE_MISMATCH,
                "the probes have a setting %d, which the run's profile has not: give "
                "those that were written with it",
                probes->items[i].setting + 1);
    return true;
}

bool page_of_run(const char *html, const char *path, const struct run_record *record,
                 const struct samples *probes, const struct readers *readers,
                 struct failure *failure)
{
    if (!probes_check(record, probes, failure))
        return false;
    struct draft draft = {.count = 0};
    char *plain = report_text(record, failure);
    const bool good =
        plain && run_add(&draft, path, record, failure) &&
        plan_add(&draft, &record->plan, failure) && outlook_add(&draft, record, failure) &&
        probes_add(&draft, probes, failure) && slices_add(&draft, path, record, readers, failure) &&
        fields_add(&draft, path, readers, failure) && tasks_add(&draft, path, readers, failure) &&
        draft_write(&draft, html, record->input ? record->input : path, plain, failure);
    draft_release(&draft);
    free(plain);
    return good;
}

static bool runs_add(struct text *text, char *const *paths, const struct run_record *records,
                     size_t count, struct failure *failure)
{
    struct json_text json = json_open(text, "[", ",\n");
    for (size_t k = 0; k < count; k++) {
        char *report = report_json(&records[k], failure);
        if (!report)
            return false;
        struct json_text run = json_open_in(&json, NULL, "{", ", ");
        json_word(&run, "path", paths[k]);
        json_raw(&run, "report", report);
        json_close(&run, "}");
        free(report);
    }
    json_close(&json, "]");
    return true;
}

bool page_of_runs(const char *html, char *const *paths, const struct run_record *records,
                  size_t count, struct failure *failure)
{
    struct draft draft = {.count = 0};
    struct text text = TEXT_INIT, title = TEXT_INIT;
    text_add(&title, "%zu runs", count);
    bool good = !title.failed || failure_memory(failure, "writing a page");
    good = good && runs_add(&text, paths, records, count, failure) &&
           draft_take(&draft, "runs", &text, failure) &&
           draft_write(&draft, html, title.bytes, NULL, failure);
    draft_release(&draft);
    text_release(&title);
    text_release(&text);
    return good;
}

/* Adds the events of the plan's simulation, where they can be drawn, that is for one master. */
static bool plan_events_add(struct draft *draft, const struct planning *planning,
                            const struct plan *plan, struct failure *failure)
{
    struct simulation simulation;
    struct events_head head;
    struct text text = TEXT_INIT;
    if (plan->real_valued || has_masters(plan) || plan_packages(plan) > EVENTS_MOST)
        return true;
    events_head_init(&head, events_packages(EVENTS_MOST));
    const bool good = planning_simulate(planning, plan, &head.made, &simulation, failure) &&
                      trace_finish(&head.made) &&
                      events_print_plan(&head, EVENTS_MOST, &text, failure) &&
                      draft_take(draft, "events", &text, failure);
    text_release(&text);
    events_head_release(&head);
    return good;
}

bool page_of_plan(const char *html, const struct planning *planning, const struct advice *advice,
                  const struct pareto *pareto, struct failure *failure)
{
    struct draft draft = {.count = 0};
    struct text plain = TEXT_INIT;
    describe_plan(advice->plan, 0, &plain);
    advice_places(advice, &plain);
    levels_plan_text(advice->plan, &plain);
    bool good = !plain.failed || failure_memory(failure, "writing a page");
    good = good && plan_add(&draft, advice->plan, failure) &&
           walltime_add(&draft, advice, failure) &&
           plan_events_add(&draft, planning, advice->plan, failure) &&
           profile_add(&draft, planning->profile, planning->setting, failure) &&
           pareto_add(&draft, pareto, failure) &&
           (has_masters(advice->plan) ||
            (pairs_add(&draft, planning, failure) && studies_add(&draft, planning, failure))) &&
           draft_write(&draft, html, planning->profile->kernel, plain.bytes, failure);
    draft_release(&draft);
    text_release(&plain);
    return good;
}

bool page_of_strips(const char *html, const char *path, const struct strips_plan *plan,
                    const struct strips_outcome *outcome, struct failure *failure)
{
    struct draft draft = {.count = 0};
    struct text plain = TEXT_INIT, name = TEXT_INIT;
    strips_describe(plan, &plain);
    if (outcome) {
        text_add(&plain, "\n");
        strips_outcome_describe(plan, outcome, &plain);
        text_add_quoted(&name, path);
    }
    bool good = !plain.failed || failure_memory(failure, "writing a page");
    good = good && draft_keep(&draft, "strips", strips_print(plan), failure) &&
           (!outcome || (draft_keep(&draft, "measured", strips_outcome_print(outcome), failure) &&
                         draft_take(&draft, "path", &name, failure))) &&
           draft_write(&draft, html, outcome ? path : plan->kernel, plain.bytes, failure);
    draft_release(&draft);
    text_release(&name);
    text_release(&plain);
    return good;
}

bool page_of_calibration(const char *html, const struct profile *profile, int best,
                         const struct samples *probes, const char *told, struct failure *failure)
{
    struct draft draft = {.count = 0};
    struct text plain = TEXT_INIT, words = TEXT_INIT;
    describe_profile(profile, &plain);
    text_add_quoted(&words, told);
    bool good = !plain.failed || failure_memory(failure, "writing a page");
    good = good && draft_take(&draft, "told", &words, failure) &&
           profile_add(&draft, profile, &profile->settings[best], failure) &&
           probes_add(&draft, probes, failure) &&
           draft_write(&draft, html, profile->kernel, plain.bytes, failure);
    draft_release(&draft);
    text_release(&words);
    text_release(&plain);
    return good;
}
