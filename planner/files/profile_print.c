#include "planner/files/profile_json.h"

#include <inttypes.h>

#include "planner/base/text.h"
#include "planner/files/cost_map_json.h"

static void number_print(struct text *text, const char *before, double number)
{
    text_add(text, "%s", before);
    text_add_number(text, number);
}

static void scatter_print(struct text *text, const struct fit *fit)
{
    number_print(text, ", \"deviation\": ", fit->deviation);
    if (fit->jitter_s > 0)
        number_print(text, ", \"jitter_s\": ", fit->jitter_s);
    number_print(text, ", \"drift\": ", fit->drift);
    if (fit->drift_own > 0)
        number_print(text, ", \"drift_own\": ", fit->drift_own);
}

static void timed_print(struct text *text, const struct fit *fit)
{
    text_add(text, ", \"n\": %d", fit->n);
    if (fit->outliers > 0)
        text_add(text, ", \"outliers\": %d", fit->outliers);
}

static void cost_print(struct text *text, const char *key, const struct measured_cost *cost)
{
    text_add(text, "\"%s\": {", key);
    number_print(text, "\"latency_s\": ", cost->cost.latency_s);
    number_print(text, ", \"s_per_task\": ", cost->cost.s_per_task);
    if (cost->fit.n > 0) {
        number_print(text, ", \"stderr_latency_s\": ", cost->fit.stderr_latency_s);
        number_print(text, ", \"stderr\": ", cost->fit.stderr_s_per_task);
        number_print(text, ", \"correlation\": ", cost->fit.correlation);
        scatter_print(text, &cost->fit);
        number_print(text, ", \"r2\": ", cost->fit.r2);
        timed_print(text, &cost->fit);
    }
    text_add(text, "}");
}

/* What is without a rate. */
static void latency_print(struct text *text, const char *key, const struct measured_cost *cost)
{
    text_add(text, "\"%s\": {", key);
    number_print(text, "\"latency_s\": ", cost->cost.latency_s);
    if (cost->fit.n > 0) {
        number_print(text, ", \"stderr_latency_s\": ", cost->fit.stderr_latency_s);
        scatter_print(text, &cost->fit);
        timed_print(text, &cost->fit);
    }
    text_add(text, "}");
}

static bool cost_is_given(const struct measured_cost *cost)
{
    return cost->cost.latency_s != 0 || cost->cost.s_per_task != 0 || cost->fit.n > 0;
}

static void worker_print(struct text *text, const struct profile_worker *worker)
{
    text_add(text, "            { ");
    if (worker->name) {
        text_add(text, "\"name\": ");
        text_add_quoted(text, worker->name);
        text_add(text, ", ");
    }
    text_add(text, "\"count\": %" PRId64 ",\n              ", worker->count);
    cost_print(text, "link", &worker->link);
    text_add(text, ",\n              ");
    cost_print(text, "receive", &worker->receive);
    text_add(text, ",\n              ");
    cost_print(text, "compute", &worker->compute);
    text_add(text, ",\n              ");
    cost_print(text, "output", &worker->output);
    if (cost_is_given(&worker->request)) {
        text_add(text, ",\n              ");
        cost_print(text, "request", &worker->request);
    }
    if (cost_is_given(&worker->start)) {
        text_add(text, ",\n              ");
        latency_print(text, "start", &worker->start);
    }
    text_add(text, " }");
}

static void window_print(struct text *text, const struct profile_window *window, size_t classes)
{
    text_add(text, "        { \"tasks\": [%" PRId64 ", %" PRId64 "],\n          ", window->least,
             window->greatest);
    cost_print(text, "envelope", &window->envelope);
    text_add(text, ",\n          ");
    cost_print(text, "send", &window->send);
    if (cost_is_given(&window->answer)) {
        text_add(text, ",\n          ");
        cost_print(text, "answer", &window->answer);
    }
    text_add(text, ",\n          \"workers\": [\n");
    for (size_t k = 0; k < classes; k++) {
        worker_print(text, &window->workers[k]);
        text_add(text, k + 1 < classes ? ",\n" : "\n");
    }
    text_add(text, "          ] }");
}

static void spreads_print(struct text *text, const struct profile_setting *setting)
{
    for (size_t k = 0; k < setting->spread_count; k++) {
        text_add(text, "%s{\"tasks\": %" PRId64 ", \"deviation\": ", k > 0 ? ", " : "\"spread\": [",
                 setting->spreads[k].tasks);
        text_add_number(text, setting->spreads[k].deviation);
        text_add(text, "}");
    }
    if (setting->spread_count > 0)
        text_add(text, "],\n      ");
}

static void setting_print(struct text *text, const struct profile *profile,
                          const struct profile_setting *setting)
{
    text_add(text, "    { ");
    text_add_block(text, &setting->parameters, "", ",\n      ");
    if (setting->parameters.count > (parameter_list_block(&setting->parameters) != NULL)) {
        text_add_parameters(text, &setting->parameters);
        text_add(text, ",\n      ");
    }
    if (setting->memory.bytes > 0 || setting->memory.bytes_per_task > 0) {
        number_print(text, "\"memory\": {\"bytes\": ", setting->memory.bytes);
        number_print(text, ", \"bytes_per_task\": ", setting->memory.bytes_per_task);
        if (setting->memory.message > 0)
            number_print(text, ", \"message\": ", setting->memory.message);
        if (setting->memory.message_per_task > 0)
            number_print(text, ", \"message_per_task\": ", setting->memory.message_per_task);
        text_add(text, "},\n      ");
    }
    if (setting->method) {
        text_add(text, "\"method\": ");
        text_add_quoted(text, setting->method);
        text_add(text, ",\n      ");
    }
    if (setting->threads > 0)
        text_add(text, "\"threads\": %d,\n      ", setting->threads);
    if (setting->score.held_out > 0 || setting->score.noise > 0) {
        number_print(text, "\"score\": {\"held_out\": ", setting->score.held_out);
        number_print(text, ", \"noise\": ", setting->score.noise);
        text_add(text, "},\n      ");
    }
    if (setting->extrapolation.above > 0) {
        text_add(text, "\"extrapolated\": {\"above\": %" PRId64, setting->extrapolation.above);
        if (setting->extrapolation.budget_s > 0)
            number_print(text, ", \"budget_s\": ", setting->extrapolation.budget_s);
        text_add(text, "},\n      ");
    }
    spreads_print(text, setting);
    cost_map_print(text, &setting->map, ",\n      ");
    text_add(text, "\"windows\": [\n");
    for (size_t k = 0; k < setting->window_count; k++) {
        const struct profile_window *window = &setting->windows[k];
        window_print(text, window, profile_classes(profile, window));
        text_add(text, k + 1 < setting->window_count ? ",\n" : "\n");
    }
    text_add(text, "      ] }");
}

static void member_print(struct text *text, const char *before, const char *key, const char *word)
{
    if (!word)
        return;
    text_add(text, "%s\"%s\": ", before, key);
    text_add_quoted(text, word);
}

static void topology_print(struct text *text, const struct topology *topology)
{
    text_add(text, "\"packages\": %d, \"cores\": %d, \"threads\": %d, \"numa\": %d, \"gpus\": %d}",
             topology->packages, topology->cores, topology->threads, topology->numa,
             topology->gpus);
}

static void kinds_print(struct text *text, const struct topology_kinds *kinds)
{
    for (int k = 0; k < kinds->count; k++) {
        text_add(text, "%s{\"nodes\": %d, ", k > 0 ? ",\n    " : ",\n    \"node_kinds\": [",
                 kinds->items[k].nodes);
        topology_print(text, &kinds->items[k].topology);
    }
    if (kinds->count > 0)
        text_add(text, "]");
}

static void host_print(struct text *text, const struct profile_origin *origin)
{
    const struct {
        const char *key, *word;
    } words[] = {{"name", origin->host_name},
                 {"processor", origin->processor},
                 {"isa", origin->isa},
                 {"machine", origin->machine}};
    const struct {
        const char *key;
        int count;
    } counts[] = {{"threads", origin->threads},
                  {"workers_per_node", origin->workers_per_node},
                  {"nodes", origin->nodes}};
    const char *before = ",\n  \"host\": {";
    bool any = false;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        member_print(text, before, words[k].key, words[k].word);
        any = any || words[k].word;
        before = any ? ", " : before;
    }
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        if (counts[k].count == 0)
            continue;
        text_add(text, "%s\"%s\": %d", before, counts[k].key, counts[k].count);
        any = true;
        before = ", ";
    }
    if (origin->topology.threads > 0) {
        text_add(text, "%s\"topology\": {", before);
        topology_print(text, &origin->topology);
        kinds_print(text, &origin->kinds);
        any = true;
    }
    text_add(text, "%s", any ? "}" : "");
}

static void peaks_print(struct text *text, const struct profile_peaks *peaks)
{
    if (peaks->rank <= 0)
        return;
    number_print(text, ",\n  \"memory_bytes\": {\"rank\": ", peaks->rank);
    if (peaks->command > 0)
        number_print(text, ", \"command\": ", peaks->command);
    if (peaks->master > 0)
        number_print(text, ", \"master\": ", peaks->master);
    text_add(text, "}");
}

static void history_print(struct text *text, const struct profile *profile)
{
    for (size_t k = 0; k < profile->history_count; k++)
        number_print(text, k > 0 ? ", " : ",\n  \"history\": [", profile->history[k]);
    if (profile->history_count > 0)
        text_add(text, "]");
}

static void overhead_print(struct text *text, const struct overhead *overhead)
{
    if (!(overhead->start_s > 0 || overhead->seal_s > 0))
        return;
    number_print(text, ",\n  \"overhead\": {\"start_s\": ", overhead->start_s);
    number_print(text, ", \"seal_s\": ", overhead->seal_s);
    text_add(text, "}");
}

char *profile_print(const struct profile *profile)
{
    struct text text = TEXT_INIT;
    text_add(&text, "{ \"schema\": \"scow-profile-1\",\n  \"kernel\": ");
    text_add_quoted(&text, profile->kernel);
    member_print(&text, ",\n  ", "plugin", profile->plugin);
    member_print(&text, ",\n  ", "plugin_sha256", profile->plugin_sha256);
    text_add(&text, ",\n  ");
    text_add_parameters(&text, &profile->parameters);
    host_print(&text, &profile->origin);
    member_print(&text, ",\n  ", "mpi", profile->origin.mpi);
    member_print(&text, ",\n  ", "created", profile->origin.created);
    member_print(&text, ",\n  ", "version", profile->origin.version);
    peaks_print(&text, &profile->peaks);
    history_print(&text, profile);
    overhead_print(&text, &profile->overhead);
    text_add(&text, ",\n  \"settings\": [\n");
    for (size_t k = 0; k < profile->setting_count; k++) {
        setting_print(&text, profile, &profile->settings[k]);
        text_add(&text, k + 1 < profile->setting_count ? ",\n" : "\n");
    }
    text_add(&text, "  ] }\n");
    return text_take(&text);
}
