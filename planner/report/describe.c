#include "planner/report/describe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "planner/model/beyond.h"
#include "planner/model/conditions.h"
#include "planner/model/selection.h"
#include "planner/model/shared.h"

/* How many runs of equal loads, rounds, settings and stars are printed before the rest is summed
 * up. */
enum { RUNS_MOST = 8, ROUNDS_MOST = 12, OTHERS_MOST = 12, STARS_MOST = 40 };

void describe_parameters(const struct parameter_list *list, struct text *text)
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

void describe_conditions(const struct run_record *record, struct text *text)
{
    const struct conditions here = {.processor = record->processor,
                                    .isa = record->isa,
                                    .method = record->method,
                                    .threads = record->threads,
                                    .workers_per_node = record->workers_per_node};
    if (record->has_profile)
        conditions_compare(
            &here, &record->profile,
            profile_find(&record->profile, &record->plan.parameters, record->plan.threads),
            "unlike      ", text);
}

/* For example "11 x 7, 5": neighbours with equal loads together. */
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
    for (size_t k = 0; plan->child_count == 0 && k < plan->round_count; k++)
        for (int64_t slot = 0; slot < plan->worker_count; slot++)
            if (plan->rounds[k].loads[slot] > 0)
                least = fmin(least, plan->rounds[k].loads[slot]);
    for (size_t k = 0; k < plan->star_count; k++)
        least = fmin(least, least_load(&plan->stars[k]));
    for (size_t k = 0; k < plan->child_count; k++)
        least = fmin(least, least_load(&plan->children[k]));
    return least;
}

/* Says where the makespan above differs from that by mean costs. */
static void variation_describe(const struct plan_prediction *predicted, struct text *text)
{
    if (!(predicted->without_variation_s > 0))
        return;
    text_add(text, "            ");
    text_add_seconds(text, predicted->without_variation_s);
    text_add(text, " without variation: by mean costs alone\n");
}

static void predicted_describe(const struct plan_prediction *predicted, struct text *text)
{
    if (!predicted->known)
        return;
    if (predicted->period_s > 0) { /* a tree has no common period */
        text_add(text, "period      ");
        text_add_seconds(text, predicted->period_s);
        text_add(text, "\n");
    }
    text_add(text, "makespan    ");
    text_add_seconds(text, predicted->makespan_s);
    text_add(text, " predicted, ");
    if (predicted->interval_s[1] > 0) {
        text_add(text, "90 %% between ");
        text_add_seconds(text, predicted->interval_s[0]);
        text_add(text, " and ");
        text_add_seconds(text, predicted->interval_s[1]);
        text_add(text, ", ");
    }
    text_add_seconds(text, predicted->output_s);
    text_add(text, " of it output\n");
    variation_describe(predicted, text);
    text_add(text, "utilization ");
    if (predicted->period_s > 0)
        text_add(text, "%.1f %% of the workers in a period and %.1f %% in all, ",
                 100 * predicted->worker_utilization, 100 * predicted->worker_busy_share);
    else
        text_add(text, "%.1f %% of the workers, ", 100 * predicted->worker_busy_share);
    text_add(text, "%.1f %% of the network\n", 100 * predicted->network_utilization);
    if (!(predicted->lower_bound_s > 0)) /* for a tree no bound is known */
        return;
    text_add(text, "bound       no schedule takes less than ");
    text_add_seconds(text, predicted->lower_bound_s);
    text_add(text, "; gap %.1f %%%s\n", 100 * predicted->gap,
             predicted->without_variation_s > 0 ? " without variation" : "");
}

/* Is the deadline kept only if nothing varies? */
static bool deadline_is_doubtful(const struct plan *plan)
{
    const struct plan_prediction *predicted = &plan->predicted;
    const double end_s =
        predicted->turnaround_s > 0 ? predicted->turnaround_s : predicted->makespan_s;
    return predicted->without_variation_s > 0 && end_s > plan->deadline_s;
}

static void costs_describe(const struct plan *plan, struct text *text)
{
    const struct plan_prediction *predicted = &plan->predicted;
    if (plan->production > 0)
        text_add(text, "production  at least %.6g %% of the maximal one in a period\n",
                 100 * plan->production);
    if (plan->objective)
        text_add(text, "objective   %s\n", plan->objective);
    if (plan->deadline_s > 0) {
        text_add(text, "deadline    ");
        text_add_seconds(text, plan->deadline_s);
        text_add(text, "%s%s\n", predicted->turnaround_s > 0 ? " from submission on" : "",
                 deadline_is_doubtful(plan) ? ", which is met by mean costs alone: most runs take "
                                              "longer"
                                            : "");
    }
    if (plan->budget > 0)
        text_add(text, "budget      %.6g\n", plan->budget);
    if (predicted->charge > 0)
        text_add(text, "charge      %.6g\n", predicted->charge);
    if (predicted->energy_j > 0)
        text_add(text, "energy      %.6g J\n", predicted->energy_j);
    if (predicted->cpu_s > 0) {
        text_add(text, "busy        ");
        text_add_seconds(text, predicted->cpu_s);
        text_add(text, " of all workers%s together\n",
                 plan->own.tasks > 0 ? " and the master" : "");
    }
    if (predicted->turnaround_s > 0) {
        text_add(text, "turnaround  ");
        text_add_seconds(text, predicted->turnaround_s);
        text_add(text, " from submission on\n");
    }
}

static void master_describe(const struct plan_master *master, struct text *text)
{
    if (!(master->tasks > 0))
        return;
    text_add(text, "master      computes %.10g core task%s itself, between packages", master->tasks,
             master->tasks == 1 ? "" : "s");
    if (master->task_s > 0) {
        text_add(text, ": each may begin up to ");
        text_add_seconds(text, master->task_s);
        text_add(text, " later for that");
    }
    text_add(text, "\n");
}

/* Other plans are compared by mean costs: says so where the makespan above is not. */
static const char *compared_by(const struct plan *plan)
{
    return plan->predicted.without_variation_s > 0 ? " without variation" : "";
}

/* Says that one master can use more workers than there are. */
static void fewer_describe(const struct plan_choice *choice, const char *by, struct text *text)
{
    text_add(text,
             "choice      the cluster has fewer workers (%" PRId64
             ") than one master could use (%" PRId64 "): perfect utilization is the aim; %" PRId64
             " workers would take ",
             choice->workers, choice->mp_workers, choice->mp_workers);
    text_add_seconds(text, choice->mp_makespan_s);
    text_add(text, "%s\n", by);
    if (choice->pwu_workers == 0)
        return;
    text_add(text, "            perfect utilization takes ");
    text_add_seconds(text, choice->pwu_makespan_s);
    text_add(text, " with %" PRId64 " worker%s%s\n", choice->pwu_workers,
             choice->pwu_workers == 1 ? "" : "s", by);
}

/* Says that there are as many workers as one master can use, or more. */
static void enough_describe(const struct plan_choice *choice, const char *by, struct text *text)
{
    text_add(text,
             "choice      one master uses %" PRId64 " of %" PRId64 " workers: production takes ",
             choice->mp_workers, choice->workers);
    text_add_seconds(text, choice->mp_makespan_s);
    text_add(text, "%s, workers %.1f %% busy in a period\n", by,
             100 * choice->mp_worker_utilization);
    if (choice->pwu_workers == 0)
        return;
    text_add(text, "            or perfect utilization: ");
    text_add_seconds(text, choice->pwu_makespan_s);
    text_add(text, "%s with %" PRId64 " worker%s, %.1f %% busy\n", by, choice->pwu_workers,
             choice->pwu_workers == 1 ? "" : "s", 100 * choice->pwu_worker_utilization);
}

static void choice_describe(const struct plan *plan, struct text *text)
{
    const struct plan_choice *choice = &plan->choice;
    if (choice->send_s_per_task > 0) {
        text_add(text, "choice      sending a core task takes ");
        text_add_seconds(text, choice->send_s_per_task);
        text_add(text, " and computing it ");
        text_add_seconds(text, choice->compute_s_per_task);
        text_add(text, ": more than one worker brings no more core tasks per second; give core "
                       "tasks more to compute, or have workers read the input (calibrate "
                       "--staged-too)\n");
    } else if (choice->mp_workers > choice->workers) {
        fewer_describe(choice, compared_by(plan), text);
    } else if (choice->mp_workers > 0) {
        enough_describe(choice, compared_by(plan), text);
    }
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

/* For example "2 to 8": the ranks of a star's workers. */
static void ranks_describe(const struct plan *star, char *words, size_t size)
{
    int64_t first = star->workers[0], last = first;
    for (int64_t slot = 1; slot < star->worker_count; slot++) {
        first = star->workers[slot] < first ? star->workers[slot] : first;
        last = star->workers[slot] > last ? star->workers[slot] : last;
    }
    snprintf(words, size, "%" PRId64 " to %" PRId64, first + 1, last + 1);
}

/* Prints a row for each master. */
static void stars_describe(const struct plan *stars, size_t count, struct text *text)
{
    text_add(text, "\n%8s  %-18s %14s %10s %12s  %s\n", "master", "ranks of workers", "core tasks",
             "packages", stars[0].predicted.known ? "makespan" : "", "scheduler");
    for (size_t k = 0; k < count && k < STARS_MOST; k++) {
        const struct plan *star = &stars[k];
        char ranks[48];
        ranks_describe(star, ranks, sizeof ranks);
        text_add(text, "%8" PRId64 "  %-18s %14.15g %10" PRId64, star->master, ranks, star->tasks,
                 plan_packages(star));
        if (star->predicted.known)
            text_add_seconds_column(text, star->predicted.makespan_s);
        else
            text_add(text, "%12s", "");
        text_add(text, "  %s\n", star->scheduler);
    }
    if (count > STARS_MOST)
        text_add(text, "%8s  and %zu masters more\n", "", count - STARS_MOST);
}

static void other_describe(const struct plan_other *other, struct text *text)
{
    const struct parameter_list *list = &other->parameters;
    for (size_t k = 0; k < list->count; k++) {
        text_add(text, "%s ", list->items[k].name);
        if (list->items[k].word)
            text_add(text, "%s ", list->items[k].word);
        else
            text_add(text, "%.10g ", list->items[k].number);
    }
    if (other->threads > 0)
        text_add(text, "threads %d ", other->threads);
    text_add_seconds(text, other->makespan_s);
}

void describe_others(const struct plan *plan, struct text *text)
{
    for (size_t k = 0; k < plan->other_count && k < OTHERS_MOST; k++) {
        text_add(text, k > 0 ? ", " : "others      ");
        other_describe(&plan->others[k], text);
    }
    if (plan->other_count > OTHERS_MOST)
        text_add(text, " and %zu more", plan->other_count - OTHERS_MOST);
    if (plan->other_count > 0)
        text_add(text, "%s\n", compared_by(plan));
}

void describe_plan(const struct plan *plan, int64_t available, struct text *text)
{
    text_add(text, "scheduler   %s%s%s\ncore task   %s", plan->scheduler,
             plan->tail ? ", its end on request by " : "", plan->tail ? plan->tail : "",
             plan->kernel);
    describe_parameters(&plan->parameters, text);
    text_add(text, "core tasks  %.15g", plan->tasks);
    if (plan->star_count > 0)
        text_add(text, "\nmasters     %zu side by side", plan->star_count);
    if (plan->child_count > 0)
        text_add(text, "\ngroups      %zu, each with a master", plan->child_count);
    text_add(text, "\nworkers     %" PRId64, plan_workers_used(plan));
    if (available > 0)
        text_add(text, " of %" PRId64, available);
    if (plan->threads > 0)
        text_add(text, ", %d thread%s each", plan->threads, plan->threads == 1 ? "" : "s");
    if (plan->buffers > 0)
        text_add(text, ", %d package%s received ahead", plan->buffers,
                 plan->buffers == 1 ? "" : "s");
    text_add(text, "\n");
    selection_describe(&plan->selected, text);
    beyond_describe(&plan->beyond, text);
    shared_describe(plan->shared, plan->shared_count, text);
    text_add(text, "rounds      %" PRId64 "\n", plan_rounds_total(plan));
    text_add(text, "packages    %" PRId64 ", of %.10g to %.10g tasks\n", plan_packages(plan),
             least_load(plan), plan_largest_load(plan));
    master_describe(&plan->own, text);
    predicted_describe(&plan->predicted, text);
    costs_describe(plan, text);
    describe_others(plan, text);
    choice_describe(plan, text);
    if (plan->star_count > 0)
        stars_describe(plan->stars, plan->star_count, text);
    else
        rounds_describe(plan, text);
    if (plan->child_count > 0)
        stars_describe(plan->children, plan->child_count, text);
}
