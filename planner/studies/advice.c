#include "planner/studies/advice.h"

#include <inttypes.h>
#include <math.h>

#include "planner/model/platform.h"
#include "planner/studies/feeding.h"
#include "planner/studies/planning.h"

/* The margin on the makespan, relative, for a profile that does not say how far predictions may be
 * off. */
static const double MARGIN = 0.2;
/* Relative: a smaller effect of core tasks that were not measured is not worth a line. */
static const double UNSEEN_TOLD = 0.005;

/* Seconds for results to reach the disk and for the file to be closed. */
static const double FLUSH_S = 30;
/* Slurm checks its time limits only once in so many seconds, so that a warning may come that much
 * earlier than asked for (sbatch, option --signal). */
static const double EARLY_S = 60;

/* Start and sealing were measured with few ranks; where many start at once they may take so many
 * times as long. */
static const double OVERHEAD_TIMES = 2;

static struct overhead overhead_of(const struct advice *advice)
{
    return advice->profile ? advice->profile->overhead : (struct overhead){0, 0};
}

double advice_startup(const struct advice *advice)
{
    return fmax(ADVICE_STARTUP_S, ceil(OVERHEAD_TIMES * overhead_of(advice).start_s));
}

/* The rounds of the plan or, in a tree, of the group that has the fewest. */
static int64_t fewest_rounds(const struct plan *plan)
{
    int64_t fewest = plan->child_count == 0 ? plan_rounds_total(plan) : INT64_MAX;
    for (size_t k = 0; k < plan->child_count; k++) {
        const int64_t rounds = fewest_rounds(&plan->children[k]);
        fewest = rounds < fewest ? rounds : fewest;
    }
    return fewest;
}

/* The time in which workers end the packages that they have. A tree has no common period: then the
 * mean round of the group with the fewest rounds. */
static double round_s(const struct plan *plan)
{
    if (plan->child_count == 0)
        return plan->predicted.period_s;
    return plan_prediction_steady(&plan->predicted).makespan_s / (double)fewest_rounds(plan);
}

double advice_warning(const struct advice *advice, double most_s)
{
    const struct plan_prediction *predicted = &advice->plan->predicted;
    const double steady_s = plan_prediction_steady(predicted).makespan_s;
    const double longer = steady_s > 0 ? most_s / steady_s : 1;
    const double seal_s = OVERHEAD_TIMES * overhead_of(advice).seal_s;
    return ceil(round_s(advice->plan) * longer + fmax(FLUSH_S, seal_s));
}

double advice_walltime(const struct advice *advice, double *most_s)
{
    *most_s = advice->interval ? ensemble_quantile(&advice->interval->ensemble, 1 - advice->risk) +
                                     advice->interval->parts_s
                               : (1 + MARGIN) * advice->plan->predicted.makespan_s;
    if (advice->robustness)
        *most_s = fmax(*most_s, advice->robustness->p95_s);
    *most_s *= fmax(advice->pace, 1);
    const double warned_s = advice_warning(advice, *most_s) + EARLY_S;
    return 60 * ceil((advice_startup(advice) + *most_s + warned_s) / 60);
}

double advice_memory(const struct plan *plan, const struct memory *memory)
{
    const double bytes = memory->bytes + memory->bytes_per_task * plan_largest_load(plan);
    const double more = (plan_buffers(plan) + 1) / (PLATFORM_BUFFERS + 1.0);
    return bytes * fmax(1, more);
}

double advice_master(const struct plan *plan, const struct memory *memory)
{
    const struct plan *parts = plan->star_count > 0 ? plan->stars : plan->children;
    const size_t count = plan->star_count > 0 ? plan->star_count : plan->child_count;
    double most = 0;
    if (count == 0)
        return memory_messages(memory, plan_largest_load(plan),
                               plan_workers_needed(plan) - plan->master, plan_buffers(plan));
    for (size_t k = 0; k < count; k++)
        most = fmax(most, advice_master(&parts[k], memory));
    return most;
}

struct profile_peaks advice_peaks(const struct plan *plan, const struct profile_setting *setting,
                                  struct profile_peaks measured)
{
    if (measured.rank > 0)
        measured.rank = fmax(measured.rank, measured.rank + memory_greatest(setting) -
                                                advice_memory(plan, &setting->memory));
    if (measured.master > 0)
        measured.master = fmax(0, measured.master - advice_master(plan, &setting->memory));
    return measured;
}

static void peaks_text(const struct profile_peaks *peaks, struct text *text)
{
    if (peaks->rank <= 0)
        return;
    text_add(text, "measured    %.1f MB in a %s at most", peaks->rank / 1e6,
             peaks->master > 0 ? "worker" : "rank");
    if (peaks->master > 0)
        text_add(text, ", %.1f MB in the master", peaks->master / 1e6);
    if (peaks->command > 0)
        text_add(text, ", %.1f MB in a command", peaks->command / 1e6);
    text_add(text, "\n");
}

void advice_text(const struct advice *advice, struct text *text)
{
    const double memory = advice_memory(advice->plan, &advice->setting->memory);
    double most_s;
    const int64_t minutes = (int64_t)(advice_walltime(advice, &most_s) / 60);
    const double warned_s = advice_warning(advice, most_s) + EARLY_S;
    text_add(text, "walltime    %02" PRId64 ":%02" PRId64 ":00, ", minutes / 60, minutes % 60);
    if (advice->interval) {
        text_add(text, "exceeded by %.3g %% of runs: ", 100 * advice->risk);
        text_add_seconds(text, most_s);
        text_add(text, ", %.0f s of start-up and %.0f s to be warned in\n", advice_startup(advice),
                 warned_s);
    } else {
        text_add(text,
                 "the prediction, a margin of %.0f %%, %.0f s of start-up and %.0f s to be warned "
                 "in: the profile does not say how sure it is\n",
                 100 * (most_s / advice->plan->predicted.makespan_s - 1), advice_startup(advice),
                 warned_s);
    }
    if (advice->pace > 1)
        text_add(
            text,
            "pace        %.3g times as long as predicted so far, which the walltime allows for\n",
            advice->pace);
    if (memory > 0)
        text_add(text, "memory      %.1f MB per worker, for packages and results\n", memory / 1e6);
    peaks_text(&advice->profile->peaks, text);
}

bool advice_unequal(const struct advice *advice, struct text *text, struct failure *failure)
{
    const struct plan *plan = advice->plan;
    const struct profile_setting *setting = advice->setting;
    const double size = plan->tasks / (double)plan_packages(plan);
    const double deviation = profile_setting_deviation(setting, size);
    const struct interval_request request = {.profile = advice->profile,
                                             .setting = setting,
                                             .plan = plan,
                                             .packages_only = true,
                                             .workers = advice->workers};
    struct interval interval;
    if (deviation <= PLANNING_UNEQUAL)
        return true;
    if (!interval_draw(&request, &interval, failure))
        return false;
    const bool several = plan->star_count > 0 || plan->child_count > 0;
    text_add(text, "unequal     ");
    if (setting->spreads[0].tasks == 1)
        text_add(text, "tasks differ by %.0f %%, ", 100 * setting->spreads[0].deviation);
    text_add(text, "packages of %.4g by %.0f %%: a %s will be about %.2g %% off%s\n", size,
             100 * deviation,
             plan->tail && !interval.without_tail ? "plan with this tail" : "fixed plan",
             100 * ensemble_typical(&interval.ensemble, plan->predicted.makespan_s),
             several ? "" : "; see --noise");
    interval_release(&interval);
    return true;
}

/* Says that transfers of core tasks to workers are predicted by their bytes. */
static void bytes_describe(const struct task_weights *bytes, struct text *text)
{
    text_add(text,
             "transfers   %s: what is sent of core tasks differs by %.0f %%, the most of one is "
             "%.3g mean ones; prediction, simulation and report go by it, the scheduler by the "
             "number of core tasks\n",
             bytes->source, 100 * bytes->deviation, work_greatest(&bytes->work));
}

static void weights_describe(const struct task_weights *weights, const struct weighing *weighing,
                             struct text *text)
{
    if (!work_differs(&weights->work))
        return;
    text_add(text,
             "weights     %s: core tasks differ by %.0f %%, the heaviest tenth is %.0f %% of the "
             "work, the heaviest one %.3g mean ones\n",
             weights->source, 100 * weights->deviation, 100 * work_heaviest(&weights->work, 0.1),
             work_greatest(&weights->work));
    if (weighing->packages > 0)
        text_add(
            text,
            "            by calibration they explain %.0f %% of what packages of a size differ "
            "by, and %.0f %% of a mean core task is the same for all\n",
            100 * weighing->explained, 100 * weighing->constant);
    text_add(text, "            the plan uses them; its bound is the whole work, perfectly "
                   "balanced, or the heaviest core task\n");
}

void advice_places(const struct advice *advice, struct text *text)
{
    if (advice->setting->weights && !advice->remaining) {
        weights_describe(advice->setting->weights, &advice->setting->weighing, text);
        if (advice->setting->weights->bytes)
            bytes_describe(advice->setting->weights->bytes, text);
        return;
    }
    const struct cost_map *map = &advice->setting->map;
    const double tasks = advice->plan->tasks;
    if (map->work.region_count > 0)
        text_add(text,
                 "regions     %zu of the job: the heaviest tenth of the core tasks is %.0f %% of "
                 "the work; the total is known to %.2g %%\n",
                 map->work.region_count, 100 * work_heaviest(&map->work, 0.1), 100 * map->error);
    if (map->work.region_count > 0 && !advice->remaining)
        text_add(text, "            the plan was simulated with them; its bound is the whole work, "
                       "perfectly balanced\n");
    if (map->work.region_count > 0 && tasks != (double)map->work.tasks)
        text_add(text,
                 "            they were measured in a job of %" PRId64
                 " core tasks, and are assumed at the same relative positions in these %.0f\n",
                 map->work.tasks, tasks);
    if (map->work.tasks == 0 ||
        (map->sampled >= map->work.tasks && tasks == (double)map->work.tasks))
        return;
    text_add(text,
             "sampled     %" PRId64 " of %" PRId64
             " core tasks were timed: a single task may be longer than anything seen",
             map->sampled, map->work.tasks);
    if (map->unseen > UNSEEN_TOLD)
        text_add(text, ", and what was not seen may add %.2g %%", 100 * map->unseen);
    text_add(text, "\n");
}

bool advice_feeding(const struct advice *advice, int64_t worker_most, bool input, struct text *text,
                    struct failure *failure)
{
    const struct parameter *staged = parameter_list_find(&advice->plan->parameters, "staged");
    int64_t fed = 0, there = 0;
    if (!feeding_find(advice->setting, worker_most, plan_largest_load(advice->plan), &fed, &there,
                      failure))
        return false;
    if (fed >= there)
        return true;
    text_add(text,
             "feeding     one master keeps %" PRId64 " of %" PRId64
             " workers busy with packages of %.0f",
             fed, there, plan_largest_load(advice->plan));
    if (input && !staged)
        text_add(text, ": where all see the input, calibrate --staged-too may do better");
    text_add(text, "\n");
    return true;
}
