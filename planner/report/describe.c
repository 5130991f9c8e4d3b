#include "planner/report/describe.h"

#include <inttypes.h>
#include <math.h>

/* Runs of equal loads, and rounds, that are written out before the rest is summed up. */
enum { RUNS_MOST = 8, ROUNDS_MOST = 12, CLASSES_MOST = 12 };

static void parameters_describe(const struct parameter_list *list, struct text *text)
{
    for (size_t k = 0; k < list->count; k++) {
        const struct parameter *item = &list->items[k];
        text_add(text, "%s%s ", k > 0 ? ", " : " (", item->name);
        if (item->word)
            text_add(text, "%s", item->word);
        else
            text_add_number(text, item->number);
    }
    text_add(text, "%s", list->count > 0 ? ")\n" : "\n");
}

static void cost_describe(const struct measured_cost *cost, const char *name, struct text *text)
{
    if (cost->cost.latency_s <= 0 && cost->cost.s_per_task <= 0)
        return;
    text_add(text, "      %-9s", name);
    text_add_seconds_column(text, cost->cost.latency_s);
    text_add(text, "  + ");
    text_add_seconds_column(text, cost->cost.s_per_task);
    text_add(text, " per task");
    if (cost->fit.n > 0)
        text_add(text, "   (%d sizes, r2 %.4f)", cost->fit.n, cost->fit.r2);
    text_add(text, "\n");
}

static void class_describe(const struct profile_worker *worker, int64_t first, struct text *text)
{
    if (worker->count > 1)
        text_add(text, "    workers %" PRId64 " to %" PRId64, first, first + worker->count - 1);
    else
        text_add(text, "    worker %" PRId64, first);
    text_add(text, "%s%s\n", worker->name ? ", " : "", worker->name ? worker->name : "");
    cost_describe(&worker->link, "link", text);
    cost_describe(&worker->receive, "receive", text);
    cost_describe(&worker->compute, "compute", text);
    cost_describe(&worker->output, "output", text);
}

static void window_describe(const struct profile_window *window, struct text *text)
{
    int64_t first = 0;
    text_add(text, "  packages of %" PRId64 " to %" PRId64 " tasks\n    master\n", window->least,
             window->greatest);
    cost_describe(&window->envelope, "envelope", text);
    cost_describe(&window->send, "send", text);
    for (size_t k = 0; k < window->worker_count && k < CLASSES_MOST; k++) {
        class_describe(&window->workers[k], first, text);
        first += window->workers[k].count;
    }
    if (window->worker_count > CLASSES_MOST)
        text_add(text, "    and %zu kinds of more workers\n", window->worker_count - CLASSES_MOST);
}

static void line_describe(const char *name, const char *word, struct text *text)
{
    if (word)
        text_add(text, "%-11s %s\n", name, word);
}

/* Below this, packages are as equal as machines are. */
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

void describe_profile(const struct profile *profile, struct text *text)
{
    const struct profile_origin *origin = &profile->origin;
    text_add(text, "profile     scow-profile-1\nkernel      %s", profile->kernel);
    parameters_describe(&profile->parameters, text);
    line_describe("plug-in", profile->plugin, text);
    text_add(text, "workers     %" PRId64 "\n", profile_workers(&profile->settings[0].windows[0]));
    line_describe("host", origin->host_name, text);
    line_describe("processor", origin->processor, text);
    line_describe("isa", origin->isa, text);
    if (origin->threads > 0)
        text_add(text, "threads     %d\n", origin->threads);
    line_describe("mpi", origin->mpi, text);
    line_describe("created", origin->created, text);
    line_describe("version", origin->version, text);
    for (size_t k = 0; k < profile->setting_count; k++) {
        const struct profile_setting *setting = &profile->settings[k];
        text_add(text, "\nsetting     %zu of %zu", k + 1, profile->setting_count);
        parameters_describe(&setting->parameters, text);
        line_describe("  computed by", setting->method, text);
        spread_describe(setting, text);
        for (size_t w = 0; w < setting->window_count; w++)
            window_describe(&setting->windows[w], text);
    }
}

/* "11 x 7, 5": equal neighbours together. */
static void loads_describe(const double *loads, int64_t count, struct text *text)
{
    int runs = 0;
    for (int64_t slot = 0; slot < count; runs++) {
        int64_t end = slot + 1;
        while (end < count && loads[end] == loads[slot])
            end++;
        if (runs == RUNS_MOST) {
            text_add(text, ", ...");
            return;
        }
        text_add(text, "%s", runs > 0 ? ", " : "");
        if (end - slot > 1)
            text_add(text, "%" PRId64 " x ", end - slot);
        text_add(text, "%.10g", loads[slot]);
        slot = end;
    }
}

static double least_load(const struct plan *plan)
{
    double least = HUGE_VAL;
    for (size_t k = 0; k < plan->round_count; k++)
        for (int64_t slot = 0; slot < plan->worker_count; slot++)
            if (plan->rounds[k].loads[slot] > 0)
                least = fmin(least, plan->rounds[k].loads[slot]);
    return least;
}

static void predicted_describe(const struct plan_prediction *predicted, struct text *text)
{
    if (!predicted->known)
        return;
    text_add(text, "period      ");
    text_add_seconds(text, predicted->period_s);
    text_add(text, "\nmakespan    ");
    text_add_seconds(text, predicted->makespan_s);
    text_add(text, " predicted, ");
    text_add_seconds(text, predicted->output_s);
    text_add(text, " of it output\nutilization %.1f %% of the workers, %.1f %% of the network\n",
             100 * predicted->worker_utilization, 100 * predicted->network_utilization);
    text_add(text, "bound       no schedule takes less than ");
    text_add_seconds(text, predicted->lower_bound_s);
    text_add(text, "; gap %.1f %%\n", 100 * predicted->gap);
}

static void rounds_describe(const struct plan *plan, struct text *text)
{
    text_add(text, "\n%8s  %s\n", "repeat", "package sizes, in order of sending");
    for (size_t k = 0; k < plan->round_count && k < ROUNDS_MOST; k++) {
        text_add(text, "%8" PRId64 "  ", plan->rounds[k].repeat);
        loads_describe(plan->rounds[k].loads, plan->worker_count, text);
        text_add(text, "\n");
    }
    if (plan->round_count > ROUNDS_MOST)
        text_add(text, "%8s  and %zu rounds more\n", "", plan->round_count - ROUNDS_MOST);
}

void describe_plan(const struct plan *plan, int64_t available, struct text *text)
{
    text_add(text, "scheduler   %s\nkernel      %s", plan->scheduler, plan->kernel);
    parameters_describe(&plan->parameters, text);
    text_add(text, "core tasks  %.15g", plan->tasks);
    text_add(text, "\nworkers     %" PRId64, plan_workers_used(plan));
    if (available > 0)
        text_add(text, " of %" PRId64, available);
    text_add(text, "\nrounds      %" PRId64 "\n", plan_rounds_total(plan));
    text_add(text, "packages    %" PRId64 ", of %.10g to %.10g tasks\n", plan_packages(plan),
             least_load(plan), plan_largest_load(plan));
    predicted_describe(&plan->predicted, text);
    rounds_describe(plan, text);
}
