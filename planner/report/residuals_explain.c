#include <inttypes.h>
#include <math.h>

#include "planner/report/residuals.h"

/* A relative difference up to this counts as predicted. */
static const double NEGLIGIBLE = 0.02;

/* The operation whose time on a worker differs most in the direction of the whole difference. A
 * worker's operations and its idle time add up to the makespan. */
static enum operation operation_guilty(const struct worker_summary *predicted,
                                       const struct worker_summary *measured, double sign)
{
    static const enum operation candidates[] = {OPERATION_COMPUTE, OPERATION_RECEIVE,
                                                OPERATION_OUTPUT, OPERATION_IDLE, OPERATION_START};
    enum operation guilty = OPERATION_COMPUTE;
    double most_s = -HUGE_VAL;
    for (size_t k = 0; k < sizeof candidates / sizeof *candidates; k++) {
        enum operation operation = candidates[k];
        double more_s = sign * (measured->seconds[operation] - predicted->seconds[operation]);
        if (more_s > most_s) {
            most_s = more_s;
            guilty = operation;
        }
    }
    return guilty;
}

static const char *operation_in_words(enum operation operation)
{
    static const char *const words[OPERATION_COUNT] = {
        "preparing packages",   "sending", "the links",         "receiving",
        "computing core tasks", "output",  "returning results", "collecting results",
        "waiting for packages", "starting"};
    return words[operation];
}

/* The master of the worker's group in a tree; 0: there are no groups. */
static int64_t group_master(const struct plan *plan, int64_t worker)
{
    int64_t master = 0;
    for (size_t k = 0; plan->child_count > 0 && k < plan_leaves(plan); k++)
        for (int64_t slot = 0; slot < plan_leaf(plan, k)->worker_count; slot++)
            if (plan_leaf(plan, k)->workers[slot] == worker)
                master = plan_leaf(plan, k)->master;
    return master;
}

/* Says for which master a worker waited, where there are several and most of its waiting was for
 * that. */
static void waiting_tell(const struct residuals *residuals, int64_t worker, struct text *text)
{
    const struct worker_causes causes = causes_worker(&residuals->causes.measured, worker);
    const double master_s = causes.seconds[CAUSE_START] + causes.seconds[CAUSE_MASTER];
    const int64_t master = group_master(&residuals->record->plan, worker);
    double all_s = 0;
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        all_s += causes.seconds[cause];
    if (master > 0 && master_s > 0.5 * all_s)
        text_add(text, ", of rank %" PRId64 ", its group's master", master);
}

static void difference_explain(const struct residuals *residuals, struct text *text)
{
    const double error =
        residuals_error(residuals_predicted(residuals), residuals->measured.makespan_s);
    /* By mean costs, because it is not known beforehand which worker's time varies. */
    const double more_s = residuals->measured.makespan_s - residuals->predicted.makespan_s;
    double sign = more_s < 0 ? -1 : 1;
    int64_t last = residuals->measured.last_worker;
    struct worker_summary predicted = trace_summary_worker(&residuals->predicted, last);
    struct worker_summary measured = trace_summary_worker(&residuals->measured, last);
    enum operation guilty = operation_guilty(&predicted, &measured, sign);
    double there_s = measured.seconds[guilty] - predicted.seconds[guilty];
    text_add(text,
             "The run took %.1f %% %s than predicted: worker %" PRId64 ", which ended last, spent ",
             fabs(100 * error), error < 0 ? "less" : "longer", last + 1);
    text_add_seconds(text, fabs(there_s));
    text_add(text, " %s on %s%s", there_s < 0 ? "less" : "more", operation_in_words(guilty),
             residuals->median_s > 0 ? " than by mean costs" : "");
    if (guilty == OPERATION_IDLE)
        waiting_tell(residuals, last, text);
    text_add(text, ".");
}

/* What made the replayed plan end later, or earlier, than predicted: an operation of the worker
 * that ended last or, where that one waited, what it waited for. */
static enum operation operation_drifted(const struct residuals *residuals, double sign)
{
    static const enum operation before[] = {OPERATION_LINK, OPERATION_ENVELOPE, OPERATION_SEND};
    const struct trace_summary *predicted = &residuals->predicted, *replayed = &residuals->replayed;
    const struct worker_summary one = trace_summary_worker(predicted, replayed->last_worker);
    const struct worker_summary other = trace_summary_worker(replayed, replayed->last_worker);
    enum operation most = operation_guilty(&one, &other, sign);
    if (most != OPERATION_IDLE)
        return most;
    most = before[0];
    for (size_t k = 1; k < sizeof before / sizeof *before; k++)
        if (sign * (replayed->seconds[before[k]] - predicted->seconds[before[k]]) >
            sign * (replayed->seconds[most] - predicted->seconds[most]))
            most = before[k];
    return most;
}

static bool operation_of_worker(enum operation operation)
{
    return operation == OPERATION_RECEIVE || operation == OPERATION_COMPUTE ||
           operation == OPERATION_OUTPUT;
}

/* For example "both workers", "worker 3", "5 of 8 workers": those on which the operation's
 * difference is at least half of that on the worker that ended last. */
static void workers_tell(const struct residuals *residuals, enum operation operation, double drift,
                         struct text *text)
{
    int64_t drifted = 0, used = 0, one = 0;
    for (int64_t k = 0; k < residuals->replayed.worker_count; k++) {
        const struct worker_summary replayed = trace_summary_worker(&residuals->replayed, k);
        const struct worker_summary predicted = trace_summary_worker(&residuals->predicted, k);
        const double here =
            residuals_error(predicted.seconds[operation], replayed.seconds[operation]);
        if (replayed.packages == 0)
            continue;
        used++;
        if (here / drift >= 0.5) {
            drifted++;
            one = k + 1;
        }
    }
    if (drifted == used)
        text_add(text, used == 1 ? "" : used == 2 ? ", on both workers" : ", on all workers");
    else if (drifted == 1)
        text_add(text, ", on worker %" PRId64, one);
    else
        text_add(text, ", on %" PRId64 " of %" PRId64 " workers", drifted, used);
}

/* Adds the size of a share in percent, with three digits, large ones as whole numbers. */
static void percent_add(struct text *text, double share)
{
    const double percent = fabs(100 * share);
    text_add(text, percent < 999.5 ? "%.3g %%" : "%.0f %%", percent);
}

/* The star of the worker that ended last; with one master the whole run. */
static const struct residuals *star_of_last(const struct residuals *residuals)
{
    const int64_t last = residuals->replayed.last_worker;
    for (size_t k = 0; k < residuals->star_count; k++)
        if (trace_summary_worker(&residuals->stars[k].replayed, last).packages > 0)
            return &residuals->stars[k];
    return residuals;
}

static int64_t master_of(const struct residuals *residuals, const struct residuals *star)
{
    return residuals->record->plan.stars[star - residuals->stars].master;
}

/* Names the master whose star drifted, where there are several. */
static void master_tell(const struct residuals *residuals, const struct residuals *star,
                        struct text *text)
{
    if (star != residuals)
        text_add(text, ", at master %" PRId64, master_of(residuals, star));
}

/* How long after the first one that star began; 0 where that makes no difference. */
static double star_late(const struct residuals *residuals, const struct residuals *star)
{
    double first_s = star->begun_s;
    for (size_t k = 0; k < residuals->star_count; k++)
        first_s = fmin(first_s, residuals->stars[k].begun_s);
    const double late_s = star->begun_s - first_s;
    return late_s > NEGLIGIBLE * residuals->predicted.makespan_s ? late_s : 0;
}

static void late_tell(const struct residuals *residuals, const struct residuals *star,
                      double late_s, struct text *text)
{
    text_add(text, " (master %" PRId64 " began ", master_of(residuals, star));
    text_add_seconds(text, late_s);
    text_add(text, " after the first one)");
}

/* Says which costs differed from the calibrated ones, and how much is left as the model's error. */
static void drift_explain(const struct residuals *residuals, struct text *text)
{
    const double drift = residuals_drift(residuals), model = residuals_model_error(residuals);
    if (isnan(drift) || isnan(model) || residuals->replayed.last_worker < 0)
        return;
    const struct residuals *star = star_of_last(residuals);
    const enum operation most = operation_drifted(star, drift < 0 ? -1 : 1);
    const int64_t last = residuals->replayed.last_worker;
    const double late_s = star_late(residuals, star);
    const double cost =
        operation_of_worker(most)
            ? residuals_error(trace_summary_worker(&residuals->predicted, last).seconds[most],
                              trace_summary_worker(&residuals->replayed, last).seconds[most])
            : residuals_error(star->predicted.seconds[most], star->replayed.seconds[most]);
    text_add(text, " With this run's own costs%s the plan takes ",
             late_s > 0 ? " and beginnings" : "");
    percent_add(text, drift);
    text_add(text, drift < 0 ? " less" : " more");
    if (late_s > 0)
        late_tell(residuals, star, late_s, text);
    else if (isfinite(cost) && cost * drift > 0) {
        text_add(text, " (%s cost%s ", operation_in_words(most), most == OPERATION_LINK ? "" : "s");
        percent_add(text, cost);
        text_add(text, " %s than at calibration", cost < 0 ? "less" : "more");
        if (operation_of_worker(most))
            workers_tell(residuals, most, cost, text);
        else
            master_tell(residuals, star, text);
        text_add(text, ")");
    }
    text_add(text,
             fabs(model) < 0.995 ? "; the model itself is %.2g %% off."
                                 : "; the model itself is %.0f %% off.",
             fabs(100 * model));
}

/* Says that others did what lost workers had. */
static void lost_explain(const struct run_record *record, struct text *text)
{
    int64_t lost = 0;
    for (int64_t k = 0; k < record->loss_count; k++)
        lost += !record->losses[k].left;
    if (lost == 1)
        text_add(text, " A worker was lost during the run, and others did its core tasks.");
    else if (lost > 1)
        text_add(text,
                 " %" PRId64 " workers were lost during the run, and others did their core tasks.",
                 lost);
}

/* Says how much core tasks differ by what calibration found: no fixed plan can be exact with
 * these. */
static void unequal_explain(const struct residuals *residuals, struct text *text)
{
    static const double TOLD = 0.05;
    const struct run_record *record = residuals->record;
    const int64_t packages = plan_packages(&record->plan);
    const struct profile_setting *setting =
        record->has_profile
            ? profile_find(&record->profile, &record->plan.parameters, record->plan.threads)
            : NULL;
    if (!setting || packages == 0)
        return;
    const double size = record->plan.tasks / (double)packages;
    const double deviation = profile_setting_deviation(setting, size);
    if (deviation > TOLD)
        text_add(text,
                 " Packages of %.4g core tasks differed by %.0f %% when calibrated, which a fixed "
                 "plan cannot know.",
                 size, 100 * deviation);
}

/* Says which part of the prediction is variation and not cost. */
static void variation_explain(const struct residuals *residuals, struct text *text)
{
    const double more_s = residuals->median_s - residuals->predicted.makespan_s;
    if (!(residuals->median_s > 0))
        return;
    text_add(text, " The prediction is ");
    text_add_seconds(text, fabs(more_s));
    text_add(text, " %s than by mean costs alone, because packages and workers vary.",
             more_s < 0 ? "shorter" : "longer");
}

/* Says how a run differs from the prediction because it did not follow the first plan. */
static void anew_explain(const struct residuals *residuals, struct text *text)
{
    const struct run_changes *changes = &residuals->record->changes;
    const double off = residuals_error(changes->end_s, residuals->measured.makespan_s);
    text_add(text,
             "What remained was planned anew%s from round %" PRId64
             " on, and ended %.1f %% %s than the last plan predicted.",
             changes->count > 1 ? ", more than once," : "", changes->round + 1, fabs(100 * off),
             off < 0 ? "earlier" : "later");
}

/* The same for workers that joined, of whom there may be more than were planned for. */
static void members_explain(const struct residuals *residuals, struct text *text)
{
    const int64_t workers = residuals->record->plan.worker_count;
    const double more_s = residuals->predicted.makespan_s - residuals->undisturbed_s;
    text_add(text, "That workers came and went %s ", more_s < 0 ? "saves" : "costs");
    text_add_seconds(text, fabs(more_s));
    text_add(text, " by the model, which had predicted ");
    text_add_seconds(text, residuals->undisturbed_s);
    text_add(text, " with %" PRId64 " worker%s from the beginning to the end. ", workers,
             workers == 1 ? "" : "s");
}

/* Says what the losses cost by the model, all else being as predicted. */
static void losses_explain(const struct residuals *residuals, struct text *text)
{
    const struct run_record *record = residuals->record;
    if (!residuals->has_predicted || isnan(residuals->undisturbed_s))
        return;
    if (record->member_count > 0) {
        members_explain(residuals, text);
        return;
    }
    text_add(text, "The loss of %" PRId64 " worker%s costs ", record->loss_count,
             record->loss_count == 1 ? "" : "s");
    text_add_seconds(text, residuals->predicted.makespan_s - residuals->undisturbed_s);
    text_add(text, " by the model, which had predicted ");
    text_add_seconds(text, residuals->undisturbed_s);
    text_add(text, " without it. ");
}

void residuals_explain(const struct residuals *residuals, struct text *text)
{
    const struct run_record *record = residuals->record;
    const double error =
        residuals_error(residuals_predicted(residuals), residuals->measured.makespan_s);
    if (record->tasks_done + record->tasks_failed < record->tasks) {
        text_add(text,
                 "The run is incomplete: %" PRId64 " of %" PRId64
                 " core tasks are done; go on with it by %s.",
                 record->tasks_done, record->tasks, run_record_again(record));
        return;
    }
    if (residuals_untraced(record)) {
        text_add(text,
                 "%s: when its core tasks were done is not known, so there is nothing to compare.",
                 record->resumed > 0 ? "The run was killed when all its core tasks were done, and "
                                       "went on only to be completed"
                                     : "The run's trace could not be written");
        return;
    }
    losses_explain(residuals, text);
    if (record->changes.count > 0)
        anew_explain(residuals, text);
    else if (!residuals->has_predicted)
        text_add(text, "The run has no profile, so there is no prediction to compare with.");
    else if (fabs(error) <= NEGLIGIBLE || residuals->measured.last_worker < 0)
        text_add(text, "The run went as predicted, to %.1f %%.", fabs(100 * error));
    else {
        difference_explain(residuals, text);
        variation_explain(residuals, text);
        drift_explain(residuals, text);
        unequal_explain(residuals, text);
    }
    lost_explain(record, text);
}
