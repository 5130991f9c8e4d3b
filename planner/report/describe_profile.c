#include "planner/model/platform.h"
#include "planner/report/describe.h"

#include <inttypes.h>
#include <math.h>

#include "planner/model/beyond.h"
#include "planner/model/extrapolation.h"
#include "planner/model/trace.h"

/* How many kinds of workers are printed before the rest is summed up. */
enum { CLASSES_MOST = 12 };

/* How certain the cost is, in parentheses. */
static void fit_describe(const struct fit *fit, struct text *text)
{
    text_add(text, "   (");
    if (fit->stderr_latency_s > 0 || fit->stderr_s_per_task > 0) {
        text_add(text, "+- ");
        text_add_seconds(text, fit->stderr_latency_s);
        text_add(text, " and ");
        text_add_seconds(text, fit->stderr_s_per_task);
        text_add(text, ", ");
    }
    if (fit->deviation > 0 || fit->jitter_s > 0)
        text_add(text, "one package +- %.2g %%", 100 * fit->deviation);
    if (fit->jitter_s > 0) {
        text_add(text, " and ");
        text_add_seconds(text, fit->jitter_s);
    }
    if (fit->deviation > 0 || fit->jitter_s > 0)
        text_add(text, ", ");
    if (fit->drift > 0)
        text_add(text, "drift %.2g %%, ", 100 * fit->drift);
    if (fit->drift_own > 0)
        text_add(text, "of a worker by itself %.2g %%, ", 100 * fit->drift_own);
    if (fit->outliers > 0)
        text_add(text, "%d timings cut, ", fit->outliers);
    text_add(text, "%d packages, r2 %.4f)", fit->n, fit->r2);
}

static void cost_describe(const struct measured_cost *cost, const char *name, struct text *text)
{
    if (cost->cost.latency_s == 0 && cost->cost.s_per_task == 0)
        return;
    text_add(text, "      %-9s", name);
    text_add_seconds_column(text, cost->cost.latency_s);
    text_add(text, "  + ");
    text_add_seconds_column(text, cost->cost.s_per_task);
    text_add(text, " per task");
    if (cost->fit.n > 0)
        fit_describe(&cost->fit, text);
    text_add(text, "\n");
}

/* Prints a cost that has no rate. */
static void latency_describe(const struct measured_cost *cost, const char *name, struct text *text)
{
    const struct fit *fit = &cost->fit;
    if (cost->cost.latency_s == 0)
        return;
    text_add(text, "      %-9s", name);
    text_add_seconds_column(text, cost->cost.latency_s);
    if (fit->n > 0) {
        text_add(text, "   (+- ");
        text_add_seconds(text, fit->stderr_latency_s);
        text_add(text, ", timed %d time%s)", fit->n, fit->n == 1 ? "" : "s");
    }
    text_add(text, "\n");
}

static void class_describe(const struct profile_worker *worker, int64_t first, struct text *text)
{
    if (worker->count > 1)
        text_add(text, "    workers %" PRId64 " to %" PRId64, first, first + worker->count - 1);
    else
        text_add(text, "    worker %" PRId64, first);
    text_add(text, "%s%s", worker->name ? ", " : "", worker->name ? worker->name : "");
    if (worker->availability > 0)
        text_add(text, ", with %.3g %% of the processors", 100 * worker->availability);
    if (worker->bandwidth > 0)
        text_add(text, ", at %.3g GB/s", worker->bandwidth / 1e9);
    text_add(text, "\n");
    latency_describe(&worker->start, "start", text);
    cost_describe(&worker->link, "link", text);
    cost_describe(&worker->receive, "receive", text);
    cost_describe(&worker->compute, "compute", text);
    cost_describe(&worker->output, "output", text);
    cost_describe(&worker->result, "result", text);
    cost_describe(&worker->request, "request", text);
    latency_describe(&(struct measured_cost){.cost.latency_s = worker->fetch_s}, "fetch", text);
}

static void window_describe(const struct profile_window *window, size_t classes, struct text *text)
{
    int64_t first = 1; /* workers' ranks count from 1 */
    text_add(text, "  packages of %" PRId64 " to %" PRId64 " tasks\n    master\n", window->least,
             window->greatest);
    cost_describe(&window->envelope, "envelope", text);
    cost_describe(&window->send, "send", text);
    cost_describe(&window->answer, "answer", text);
    cost_describe(&window->collect, "collect", text);
    for (size_t k = 0; k < classes && k < CLASSES_MOST; k++) {
        class_describe(&window->workers[k], first, text);
        first += window->workers[k].count;
    }
    if (classes > CLASSES_MOST)
        text_add(text, "    and %zu kinds of other workers\n", classes - CLASSES_MOST);
}

/* The times of a package of `tasks` core tasks, by the costs of a window and its first worker. */
static void package_costs(const struct profile_window *window, double tasks,
                          double seconds[OPERATION_COUNT])
{
    const struct profile_worker *worker = &window->workers[0];
    seconds[OPERATION_ENVELOPE] = cost_of(window->envelope.cost, tasks);
    seconds[OPERATION_SEND] = cost_of(window->send.cost, tasks);
    seconds[OPERATION_LINK] = cost_of(worker->link.cost, tasks);
    seconds[OPERATION_RECEIVE] = cost_of(worker->receive.cost, tasks);
    seconds[OPERATION_COMPUTE] = cost_of(worker->compute.cost, tasks);
    seconds[OPERATION_OUTPUT] = cost_of(worker->output.cost, tasks);
    seconds[OPERATION_RESULT] = cost_of(worker->result.cost, tasks);
    seconds[OPERATION_COLLECT] = cost_of(window->collect.cost, tasks);
    seconds[OPERATION_IDLE] = seconds[OPERATION_START] = 0;
}

/* Says what the break before a window means for the sizes of packages. */
static void break_describe(const struct profile_window *window, struct text *text)
{
    const struct profile_window *before = window - 1;
    double here_s[OPERATION_COUNT], there_s[OPERATION_COUNT], all_here_s = 0, all_there_s = 0;
    int most = 0;
    if (window->least > before->greatest + 1)
        text_add(text,
                 "  packages of %" PRId64 " to %" PRId64 " tasks are in no window: no plan "
                 "has them\n",
                 before->greatest + 1, window->least - 1);
    package_costs(window, (double)window->least, here_s);
    package_costs(before, (double)window->least, there_s);
    for (int k = 0; k < OPERATION_COUNT; k++) {
        all_here_s += here_s[k];
        all_there_s += there_s[k];
        if (fabs(here_s[k] - there_s[k]) > fabs(here_s[most] - there_s[most]))
            most = k;
    }
    const double change = all_there_s > 0 ? all_here_s / all_there_s - 1 : 0;
    if (change == 0)
        return;
    text_add(text, "  break: packages of %" PRId64 " tasks take %.2g %% %s than by the costs above",
             window->least, fabs(100 * change), change < 0 ? "less" : "more");
    text_add(text, " (%s takes ", operation_name((enum operation)most));
    text_add_seconds(text, here_s[most]);
    text_add(text, ", not ");
    text_add_seconds(text, there_s[most]);
    text_add(text, ")\n");
}

static void line_describe(const char *name, const char *word, struct text *text)
{
    if (word)
        text_add(text, "%-11s %s\n", name, word);
}

/* Smaller deviations of packages are those of the machine. */
static const double DEVIATION_TOLD = 0.05;

static void spread_describe(const struct profile_setting *setting, struct text *text)
{
    bool told = false;
    for (size_t k = 0; k < setting->spread_count; k++)
        told = told || setting->spreads[k].deviation > DEVIATION_TOLD;
    for (size_t k = 0; told && k < setting->spread_count; k++)
        text_add(text, "%s%.0f %% (%" PRId64 ")",
                 k > 0 ? ", " : "  core tasks differ: packages of so many deviate by ",
                 100 * setting->spreads[k].deviation, setting->spreads[k].tasks);
    text_add(text, told ? "\n" : "");
}

static void map_describe(const struct cost_map *map, struct text *text)
{
    if (map->work.tasks == 0)
        return;
    if (map->work.region_count > 0)
        text_add(text,
                 "  regions     %zu of the job: the heaviest tenth of the core tasks is %.0f %% of "
                 "the work; the total is known to %.2g %%\n",
                 map->work.region_count, 100 * work_heaviest(&map->work, 0.1), 100 * map->error);
    text_add(text,
             "  sampled     %" PRId64 " of %" PRId64
             " core tasks were timed for the total; what was not seen may add %.2g %%\n",
             map->sampled, map->work.tasks, 100 * map->unseen);
}

static void weighing_describe(const struct weighing *weighing, struct text *text)
{
    if (weighing->packages == 0)
        return;
    text_add(text, "  weights     explain %.0f %% of what packages of a size differ by",
             100 * weighing->explained);
    if (weighing->constant > 0)
        text_add(text, "; %.0f %% of a mean core task is the same for all",
                 100 * weighing->constant);
    text_add(text, " (%" PRId64 " packages)\n", weighing->packages);
}

static void score_describe(const struct score *score, struct text *text)
{
    if (score->held_out > 0 || score->noise > 0)
        text_add(text,
                 "  score       packages unknown to the fit are predicted within %.2g %%; two "
                 "timings of one differ by %.2g %%\n",
                 100 * score->held_out, 100 * score->noise);
}

static void results_describe(const struct profile_setting *setting, struct text *text)
{
    struct text line = TEXT_INIT;
    platform_describe_results(setting, &line);
    if (line.bytes)
        text_add(text, "  %s", line.bytes);
    text_release(&line);
}

static void setting_describe(const struct profile *profile, const struct profile_setting *setting,
                             struct text *text)
{
    describe_parameters(&setting->parameters, text);
    line_describe("  computed by", setting->method, text);
    if (setting->threads > 0)
        text_add(text, "  threads     %d\n", setting->threads);
    score_describe(&setting->score, text);
    spread_describe(setting, text);
    weighing_describe(&setting->weighing, text);
    map_describe(&setting->map, text);
    if (setting->extrapolation.above > 0)
        text_add(text, "  ");
    extrapolation_describe(&setting->extrapolation, text);
    results_describe(setting, text);
    for (size_t w = 0; w < setting->window_count; w++) {
        const struct profile_window *window = &setting->windows[w];
        if (w > 0)
            break_describe(window, text);
        window_describe(window, profile_classes(profile, window), text);
    }
}

/* The latest runs are enough to show a trend. */
static void history_describe(const struct profile *profile, struct text *text)
{
    enum { RUNS_TOLD = 8 };
    const size_t count = profile->history_count;
    if (count == 0)
        return;
    text_add(text, "history     runs drifted by ");
    for (size_t k = count > RUNS_TOLD ? count - RUNS_TOLD : 0; k < count; k++)
        text_add(text, "%+.1f %%, ", 100 * profile->history[k]);
    text_add(text, "the latest last; %.2g %% root mean square of %zu\n",
             100 * profile_drift(profile), count);
}

static void exchange_describe(const struct exchange *exchange, struct text *text)
{
    static const double megabyte = 1e6;
    if (!(exchange->latency_s > 0) && !(exchange->s_per_byte > 0))
        return;
    text_add(text, "exchange    ");
    text_add_seconds(text, exchange->latency_s);
    text_add(text, " and ");
    text_add_seconds(text, megabyte * exchange->s_per_byte);
    text_add(text, " per MB between neighbouring workers");
    if (exchange->stderr_latency_s > 0 || exchange->stderr_s_per_byte > 0) {
        text_add(text, " (+- ");
        text_add_seconds(text, exchange->stderr_latency_s);
        text_add(text, " and ");
        text_add_seconds(text, megabyte * exchange->stderr_s_per_byte);
        text_add(text, ")");
    }
    text_add(text, "\n");
}

void describe_profile(const struct profile *profile, struct text *text)
{
    const struct profile_origin *origin = &profile->origin;
    text_add(text, "profile     scow-profile-1\ncore task   %s", profile->kernel);
    describe_parameters(&profile->parameters, text);
    line_describe("plug-in", profile->plugin, text);
    text_add(text, "workers     %" PRId64 "\n", beyond_measured(profile));
    line_describe("host", origin->host_name, text);
    line_describe("processor", origin->processor, text);
    line_describe("isa", origin->isa, text);
    if (origin->threads > 0)
        text_add(text, "threads     %d\n", origin->threads);
    if (origin->workers_per_node > 0)
        text_add(text, "on a node   %d workers\n", origin->workers_per_node);
    if (origin->nodes > 0)
        text_add(text, "nodes       %d\n", origin->nodes);
    line_describe("machine", origin->machine, text);
    if (origin->topology.threads > 0) {
        text_add(text, "topology    ");
        if (origin->kinds.count > 0)
            topology_kinds_describe(&origin->kinds, text);
        else
            topology_describe(&origin->topology, text);
        text_add(text, "\n");
    }
    line_describe("mpi", origin->mpi, text);
    line_describe("created", origin->created, text);
    line_describe("version", origin->version, text);
    line_describe("weights", profile->weights.source, text);
    exchange_describe(&profile->exchange, text);
    history_describe(profile, text);
    for (size_t k = 0; k < profile->setting_count; k++) {
        text_add(text, "\nsetting     %zu of %zu", k + 1, profile->setting_count);
        setting_describe(profile, &profile->settings[k], text);
    }
}
