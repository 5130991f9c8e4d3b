#include "planner/files/plan_json.h"

#include <inttypes.h>

#include "planner/base/text.h"
#include "planner/model/beyond.h"

/* Above that many workers, equal loads and consecutive indices are written as runs of two numbers,
 * [load, count] and [first, last]: a plan for 100,000 workers then is kilobytes, not megabytes. */
static const int64_t RUNS_FROM = 1000;

static void workers_print(struct text *text, const struct plan *plan)
{
    text_add(text, ",\n  \"workers\": [");
    for (int64_t slot = 0; slot < plan->worker_count;) {
        int64_t end = slot + 1;
        while (plan->worker_count > RUNS_FROM && end < plan->worker_count &&
               plan->workers[end] == plan->workers[end - 1] + 1)
            end++;
        text_add(text, "%s", slot > 0 ? ", " : "");
        if (end - slot > 1)
            text_add(text, "[%" PRId64 ", %" PRId64 "]", plan->workers[slot],
                     plan->workers[end - 1]);
        else
            text_add(text, "%" PRId64, plan->workers[slot]);
        slot = end;
    }
    text_add(text, "]");
}

static void loads_print(struct text *text, const struct plan *plan, const double *loads)
{
    for (int64_t slot = 0; slot < plan->worker_count;) {
        int64_t end = slot + 1;
        while (plan->worker_count > RUNS_FROM && end < plan->worker_count &&
               loads[end] == loads[slot])
            end++;
        text_add(text, "%s", slot > 0 ? ", " : "");
        text_add(text, "%s", end - slot > 1 ? "[" : "");
        text_add_number(text, loads[slot]);
        if (end - slot > 1)
            text_add(text, ", %" PRId64 "]", end - slot);
        slot = end;
    }
}

static void rounds_print(struct text *text, const struct plan *plan)
{
    text_add(text, ",\n  \"rounds\": [\n");
    for (size_t k = 0; k < plan->round_count; k++) {
        const struct plan_round *round = &plan->rounds[k];
        text_add(text, "    {\"repeat\": %" PRId64 ", \"loads\": [", round->repeat);
        loads_print(text, plan, round->loads);
        text_add(text, "]}%s\n", k + 1 < plan->round_count ? "," : "");
    }
    text_add(text, "  ]");
}

static void predicted_print(struct text *text, const struct plan_prediction *predicted)
{
    const struct {
        const char *key;
        double value;
    } members[] = {{"makespan_s", predicted->makespan_s},
                   {"period_s", predicted->period_s},
                   {"worker_utilization", predicted->worker_utilization},
                   {"worker_busy_share", predicted->worker_busy_share},
                   {"network_utilization", predicted->network_utilization},
                   {"lower_bound_s", predicted->lower_bound_s},
                   {"gap", predicted->gap},
                   {"output_s", predicted->output_s}};
    if (!predicted->known)
        return;
    text_add(text, ",\n  \"predicted\": {");
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
        text_add(text, "%s\"%s\": ", k > 0 ? ", " : "", members[k].key);
        text_add_number(text, members[k].value);
    }
    if (predicted->interval_s[1] > 0) {
        text_add(text, ", \"interval\": [");
        text_add_number(text, predicted->interval_s[0]);
        text_add(text, ", ");
        text_add_number(text, predicted->interval_s[1]);
        text_add(text, "]");
    }
    text_add(text, "}");
}

static void others_print(struct text *text, const struct plan *plan)
{
    for (size_t k = 0; k < plan->other_count; k++) {
        const struct plan_other *other = &plan->others[k];
        text_add(text, k > 0 ? ",\n    {" : ",\n  \"others\": [\n    {");
        text_add_block(text, &other->parameters, "", ", ");
        text_add_parameters(text, &other->parameters);
        if (other->threads > 0)
            text_add(text, ", \"threads\": %d", other->threads);
        text_add(text, ", \"makespan_s\": ");
        text_add_number(text, other->makespan_s);
        text_add(text, "}");
    }
    if (plan->other_count > 0)
        text_add(text, "\n  ]");
}

char *plan_print(const struct plan *plan)
{
    struct text text = TEXT_INIT;
    text_add(&text, "{ \"schema\": \"scow-plan-1\",\n  \"kernel\": ");
    text_add_quoted(&text, plan->kernel);
    text_add(&text, ",\n  ");
    text_add_parameters(&text, &plan->parameters);
    text_add(&text, ",\n  \"scheduler\": ");
    text_add_quoted(&text, plan->scheduler);
    text_add(&text, ",\n  \"tasks\": ");
    text_add_number(&text, plan->tasks);
    text_add_block(&text, &plan->parameters, ",\n  ", "");
    if (plan->threads > 0)
        text_add(&text, ",\n  \"threads\": %d", plan->threads);
    if (plan->buffers > 0)
        text_add(&text, ",\n  \"buffers\": %d", plan->buffers);
    if (plan->tail) {
        text_add(&text, ",\n  \"tail\": ");
        text_add_quoted(&text, plan->tail);
    }
    if (plan->plugin) {
        text_add(&text, ",\n  \"plugin\": ");
        text_add_quoted(&text, plan->plugin);
    }
    if (plan->plugin_sha256)
        text_add(&text, ",\n  \"plugin_sha256\": \"%s\"", plan->plugin_sha256);
    if (plan->real_valued)
        text_add(&text, ",\n  \"real_valued\": true");
    if (plan->profile) {
        text_add(&text, ",\n  \"profile\": ");
        text_add_quoted(&text, plan->profile);
    }
    if (plan->profile_sha256)
        text_add(&text, ",\n  \"profile_sha256\": \"%s\"", plan->profile_sha256);
    beyond_json(&plan->beyond, ",\n  ", &text);
    workers_print(&text, plan);
    rounds_print(&text, plan);
    predicted_print(&text, &plan->predicted);
    others_print(&text, plan);
    text_add(&text, " }\n");
    return text_take(&text);
}
