#include "calibrate/calibration.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate/campaign.h"
#include "calibrate/effects.h"
#include "calibrate/exchange.h"
#include "calibrate/fit/assemble.h"
#include "calibrate/fit/few_places.h"
#include "calibrate/focus.h"
#include "calibrate/labels.h"
#include "calibrate/levels_probe.h"
#include "calibrate/order_find.h"
#include "calibrate/outcome.h"
#include "calibrate/place.h"
#include "calibrate/rank_bandwidths.h"
#include "calibrate/rank_fetches.h"
#include "calibrate/rank_shares.h"
#include "calibrate/rank_watts.h"
#include "planner/base/duration.h"
#include "planner/base/limits.h"
#include "planner/base/process.h"
#include "planner/model/extrapolation.h"
#include "spmd/launch/making.h"
#include "spmd/launch/progress.h"
#include "spmd/output/outputfile.h"
#include "spmd/run/energy.h"

enum { PATH_BYTES = 4096, SETTINGS_MORE = 2 };
/* A package may take this much memory on its way. */
static const double PACKAGE_BYTES_MOST = 512e6;
/* Of several settings, choosing the best takes this share of the budget. */
static const double CHOOSING_SHARE = 0.4;
/* Writing behind computing is tried where output waits for the store for more of the workers' time
 * than this; one setting alone takes so much of the budget more for that. */
static const double STALLED_LEAST = 0.03, BEHIND_SHARE = 0.2;
/* A sample of a search's levels takes so much of the budget more. */
static const double LEVELS_SHARE = 0.2;

/* A calibration under way. */
struct session {
    struct comm *comm;
    const struct calibration_request *request;
    struct calibration *result;
    struct making making;
    char **names; /* the master's: of the workers, owned */
    struct place place;
    char scratch[PATH_BYTES];
    int64_t leader;                    /* the master's process, in whose name that file is made */
    int setting;                       /* the job at hand's; -1: none yet */
    int64_t *tasks;                    /* owned; by setting, the job's */
    struct campaign_outcome *outcomes; /* owned; the master's: by setting, of its last campaign */
    /* Owned, and on every rank: behind the request's settings those that turned out to be worth
     * measuring: one of them in another order, and one with its results written behind computing.
     */
    struct setting more[SETTINGS_MORE];
    int more_count;
    bool has_behind, has_order;
    struct task_weights *weights; /* owned; the master's: the core task's own, if they are wanted */
    struct progress progress;
    struct run_had_list had;     /* owned; the master's: of workers' processors */
    struct energy_watch *energy; /* since then; NULL: another rank watches the node */
    double begun_s, later_s;     /* when; how long the settings behind this one will take */
    int64_t seen;                /* samples that the slowest worker is known from */
    int slowest;                 /* from 0; -1: not known */
    double slowest_excess;       /* over the mean */
};

static int setting_count(const struct session *session)
{
    return session->request->setting_count + session->more_count;
}

static const struct setting *setting_at(const struct session *session, int index)
{
    const int own = session->request->setting_count;
    return index < own ? &session->request->settings[index] : &session->more[index - own];
}

/* Of the setting at hand, on one rank. */
static int threads_of(const struct session *session)
{
    const int own = setting_at(session, session->setting)->threads;
    return own > 0 ? own : session->request->threads;
}

static void scratch_discard(void *self)
{
    const struct session *session = self;
    outputfile_discard(session->scratch, session->leader);
}

/* Collective. A file that no two calibrations share, and that nobody leaves behind. */
static void scratch_name(struct session *session)
{
    struct liveness *liveness = session->request->liveness;
    session->leader = getpid();
    comm_broadcast(session->comm, &session->leader, sizeof session->leader);
    snprintf(session->scratch, sizeof session->scratch, "%s/scow-probe-%" PRId64 ".h5",
             session->request->scratch, session->leader);
    if (liveness)
        liveness->leaving = (struct liveness_leaving){scratch_discard, session};
}

static bool is_own(const struct session *session, const char *name)
{
    const struct calibration_request *request = session->request;
    if ((session->has_behind && strcmp(name, VALUES_WRITE_BEHIND) == 0) ||
        (session->has_order && strcmp(name, ORDER_PARAMETER) == 0))
        return true;
    for (int i = 0; i < request->own_count; i++)
        if (strcmp(request->own[i], name) == 0)
            return true;
    return false;
}

/* Where others have it, that this one has not must be said. */
static bool switch_deny(const struct session *session, const char *name, bool on,
                        struct parameter_list *picked, struct failure *failure)
{
    return on || !is_own(session, name) || parameter_list_add(picked, name, "no", 0) ||
           failure_memory(failure, "writing the profile");
}

/* The same of the order. */
static bool order_name(const struct session *session, struct parameter_list *picked,
                       struct failure *failure)
{
    char word[ORDER_WORD];
    const struct order natural = {.kind = ORDER_NATURAL};
    order_print(&natural, word);
    return order_differs(&session->making.job.values.order) || !is_own(session, ORDER_PARAMETER) ||
           parameter_list_add(picked, ORDER_PARAMETER, word, 0) ||
           failure_memory(failure, "writing the profile");
}

/* The parameters of the job at hand that are each setting's own, or those that are not. */
static bool parameters_pick(const struct session *session, bool own, struct parameter_list *picked,
                            struct failure *failure)
{
    const struct job *job = &session->making.job;
    struct parameter_list all = {0};
    bool good = values_describe(&job->values, job->task, &all, failure);
    for (size_t i = 0; good && i < all.count; i++) {
        const struct parameter *item = &all.items[i];
        if (is_own(session, item->name) == own &&
            !parameter_list_add(picked, item->name, item->word, item->number))
            good = failure_memory(failure, "writing the profile");
    }
    parameter_list_release(&all);
    return good && (!own || order_name(session, picked, failure)) &&
           (!own || switch_deny(session, VALUES_STAGED, job->values.staged, picked, failure)) &&
           (!own ||
            switch_deny(session, VALUES_WRITE_BEHIND, job->values.write_behind, picked, failure));
}

/* The mean of core tasks all over the job, with its standard error. */
static struct measured_cost master_cost(const struct own_timings *own)
{
    struct measured_cost cost = {.cost = {0, 0}};
    if (own->count == 0)
        return cost;
    const double count = (double)own->count, mean_s = own->sum_s / count;
    const double variance_s2 = fmax(0, own->squares_s2 / count - mean_s * mean_s);
    cost.cost.s_per_task = mean_s;
    cost.fit = (struct fit){.stderr_s_per_task = sqrt(variance_s2 / count),
                            .deviation = mean_s > 0 ? sqrt(variance_s2) / mean_s : 0,
                            .n = (int)fmin(count, LIMIT_TIMED)};
    return cost;
}

/* What a setting has beside its costs. */
static bool setting_label(const struct session *session, int index, struct profile_setting *setting,
                          struct failure *failure)
{
    char method[JOB_METHOD_SIZE];
    const int threads = threads_of(session);
    job_method(&session->making.job, method, sizeof method);
    setting->memory =
        labels_memory(&session->making.job, session->outcomes[index].largest, threads);
    setting->threads = setting_at(session, session->setting)->threads;
    setting->master = master_cost(&session->outcomes[index].own);
    if (method[0])
        setting->method = strdup(method);
    if (method[0] && !setting->method)
        return failure_memory(failure, "writing the profile");
    return parameters_pick(session, true, &setting->parameters, failure);
}

/* Local to the master. Of the job at hand; in place of what was there before. Unchanged on failure.
 */
static bool setting_put(struct session *session, int index, struct failure *failure)
{
    struct profile *profile = &session->result->profile;
    struct profile_setting made;
    if (!assemble_setting(&session->result->samples, index, session->outcomes[index].largest,
                          session->comm->size - 1, session->names, &made, failure))
        return false;
    const struct campaign_outcome *outcome = &session->outcomes[index];
    if (!setting_label(session, index, &made, failure) ||
        !few_places_apply(&session->result->samples, index, session->making.job.setup.tasks, &made,
                          failure) ||
        !extrapolation_add(&made, outcome->wanted > 0 ? outcome->most : 0, outcome->wanted_s,
                           failure)) {
        profile_setting_release(&made);
        return false;
    }
    profile_setting_release(&profile->settings[index]);
    profile->settings[index] = made;
    return true;
}

/* ---- probing ------------------------------------------------------------------------------- */

/* What a rank has computed so far, and in how long. */
struct pace {
    double seconds, tasks;
};

/* The worker that computes the slowest, by all timings of the setting so far. */
static void slowest_find(struct session *session)
{
    const int workers = session->comm->size - 1;
    const struct samples *samples = &session->result->samples;
    struct pace *paces = calloc((size_t)workers + 1, sizeof *paces); /* by rank */
    struct pace all = {0, 0};
    session->seen = samples->count;
    session->slowest = -1;
    for (int64_t i = 0; paces && i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        if (sample->setting != session->setting || sample->operation != OPERATION_COMPUTE)
            continue;
        paces[sample->rank].seconds += sample->seconds;
        paces[sample->rank].tasks += (double)sample->tasks;
        all.seconds += sample->seconds;
        all.tasks += (double)sample->tasks;
    }
    for (int rank = 1; paces && workers > 1 && all.seconds > 0 && rank <= workers; rank++) {
        const struct pace *own = &paces[rank];
        const double excess =
            own->tasks > 0 ? own->seconds / own->tasks * all.tasks / all.seconds - 1 : -1;
        if (session->slowest < 0 || excess > session->slowest_excess) {
            session->slowest = rank - 1;
            session->slowest_excess = excess;
        }
    }
    free(paces);
}

static void watch_tell(void *self, int pass, int passes, double left_s)
{
    struct session *session = self;
    const double elapsed_s = comm_now(session->comm) - session->begun_s;
    char text[360], middle[160], brief[80], setting[64] = "", at[64] = "finding package sizes",
                                            slowest[64] = "";
    char passed[DURATION_SIZE], left[DURATION_SIZE];
    if (!progress_due(&session->progress, elapsed_s))
        return;
    if (session->result->samples.count != session->seen)
        slowest_find(session);
    const double all_left_s = left_s + session->later_s;
    if (setting_count(session) > 1)
        snprintf(setting, sizeof setting, "setting %d of %d, ", session->setting + 1,
                 setting_count(session));
    if (pass >= 0)
        snprintf(at, sizeof at, "pass %d of %d", pass + 1, passes);
    if (session->slowest >= 0)
        snprintf(slowest, sizeof slowest, "; slowest %.40s at %+.0f %%",
                 session->names[session->slowest], 100 * session->slowest_excess);
    const double share = 100 * elapsed_s / fmax(elapsed_s + all_left_s, 1e-9);
    duration_print(elapsed_s, passed);
    duration_print(all_left_s, left);
    snprintf(text, sizeof text, "probing, %s%s (%.0f %%), %" PRId64 " timings, %s, %s left%s",
             setting, at, share, session->result->samples.count, passed, left, slowest);
    snprintf(middle, sizeof middle, "probing, %s (%.0f %%), %s, %s left", at, share, passed, left);
    snprintf(brief, sizeof brief, "probing (%.0f %%), %s left", share, left);
    const char *const texts[] = {text, middle, brief};
    progress_line(&session->progress, texts, sizeof texts / sizeof *texts, elapsed_s);
}

static void watch_say(void *self, const char *sentence)
{
    const struct session *session = self;
    if (!session->request->quiet)
        fprintf(stderr, "scow calibrate: %s\n", sentence);
}

/* Core tasks in a package of that memory. */
static int64_t package_most(const struct job *job)
{
    const double one =
        fmax((double)job_package_most(job, 1), (double)(job->tile_size + job->record_size) + 1);
    return (int64_t)fmax(1, floor(PACKAGE_BYTES_MOST / one));
}

static struct campaign campaign_of(struct session *session, struct probe_setup *setup,
                                   double budget_s, int phase)
{
    const struct calibration_request *request = session->request;
    const struct job *job = &session->making.job;
    const int index = session->setting;
    struct campaign campaign = {
        .prober = probe_prober(setup),
        .effort = request->effort,
        .watch = {watch_tell, watch_say, session},
        .workers = session->comm->size - 1,
        .tasks = job->setup.tasks,
        .package_most = package_most(job),
        .master_computes = request->master_computes,
        .write_behind = job->values.write_behind,
        .setting = index,
        .first_pass = phase * 2 * CAMPAIGN_SETS_MOST,
        .seed = request->seed + (uint64_t)(phase * setting_count(session) + index) * 1000003u,
        .known = session->outcomes[index].scouting,
    };
    campaign.effort.budget_s = budget_s;
    return campaign;
}

/* Local to the master: what the setting's campaigns have come to together. */
static void outcome_keep(struct session *session, double budget_s,
                         const struct campaign_outcome *outcome)
{
    struct campaign_outcome *kept = &session->outcomes[session->setting];
    const struct campaign_outcome before = *kept;
    *kept = *outcome;
    kept->wanted_s *= session->request->effort.budget_s / budget_s;
    kept->tasks += before.tasks;
    kept->failed += before.failed;
    kept->own.count += before.own.count;
    kept->own.sum_s += before.own.sum_s;
    kept->own.squares_s2 += before.own.squares_s2;
    kept->peaks.command = fmax(kept->peaks.command, before.peaks.command);
    if (before.peaks.master > 0)
        kept->peaks.master = before.peaks.master;
    for (int i = 0; i < before.rank_peaks.count; i++)
        rank_peaks_add(&kept->rank_peaks, before.rank_peaks.tasks[i], before.rank_peaks.bytes[i]);
    kept->seal_s = fmax(kept->seal_s, before.seal_s);
    for (int i = 0; i < before.rejection_count && kept->rejection_count < RUN_REJECTIONS; i++)
        kept->rejections[kept->rejection_count++] = before.rejections[i];
    if (before.largest > kept->largest)
        kept->largest = before.largest;
    if (kept->largest >= kept->wanted)
        kept->wanted = 0;
}

/* Local to the master: of core tasks that failed, at the end, or where that is the end. */
static void failures_tell(struct session *session, const struct failure *failure)
{
    const struct campaign_outcome *outcome = &session->outcomes[session->setting];
    struct text text = TEXT_INIT;
    effects_failed(outcome, &session->making, &text);
    char *lines = text_take(&text);
    if (failure->code != FAILURE_NONE && lines)
        outcome_lines(lines);
    free(session->result->failures);
    session->result->failures = lines;
}

/* Local to the master: of the job at hand. */
static bool weights_take(struct session *session, struct failure *failure)
{
    const struct job *job = &session->making.job;
    struct samples *samples = &session->result->samples;
    if (session->comm->rank != 0)
        return true;
    if (session->request->weigh && !session->weights) {
        session->weights = job_weigh(job, session->making.input, failure);
        samples->weights = session->weights;
    }
    return failure->code == FAILURE_NONE &&
           (!samples->weights || weights_match(samples->weights, job->setup.tasks, failure));
}

/* Collective, of a job that is made. */
static bool job_probe(struct session *session, double budget_s, int phase, struct failure *failure)
{
    const struct calibration_request *request = session->request;
    const int index = session->setting;
    struct patience patience = {.liveness = request->liveness, .least_s = request->patience_s};
    struct probe_setup setup = {
        .had = &session->had,
        .comm = session->comm,
        .job = &session->making.job,
        .input = session->making.input,
        .threads = threads_of(session),
        .scratch = session->scratch,
        .master_computes = request->master_computes,
        .weighs_output = request->write_behind_auto,
        .patience = &patience,
    };
    if (session->comm->rank != 0) {
        probe_serve(&setup, failure);
        return comm_agree(session->comm, failure);
    }
    const struct campaign campaign = campaign_of(session, &setup, budget_s, phase);
    struct campaign_outcome outcome;
    if (!request->quiet && session->result->samples.count == 0)
        effects_announce(request, campaign.tasks, campaign.workers);
    const bool good = campaign_run(&campaign, &session->result->samples, &outcome, failure);
    outcome_keep(session, budget_s, &outcome);
    failures_tell(session, failure);
    if (good)
        setting_put(session, index, failure);
    probe_end(&setup);
    return comm_agree(session->comm, failure);
}

/* Collective. The first setting opens the input, too. */
static bool setting_make(struct session *session, int index, struct failure *failure)
{
    const struct calibration_request *request = session->request;
    const struct scow_task *task = request->kernel->task;
    const struct values *values = &setting_at(session, index)->values;
    const bool first = session->setting < 0;
    session->setting = index;
    return first ? making_start(&session->making, session->comm, task, values, request->input, NULL,
                                failure)
                 : making_again(&session->making, task, values, NULL, failure);
}

/* Local to the master: the setting with the least predicted makespan for this input's job, as far
 * as is known; 0 where no plan can be made. */
static int setting_best(const struct session *session)
{
    const struct profile *profile = &session->result->profile;
    double least = HUGE_VAL;
    int best = 0;
    for (size_t k = 0; k < profile->setting_count; k++) {
        const double makespan_s =
            focus_makespan(&profile->settings[k], session->tasks[k], session->comm->size - 1);
        if (makespan_s < least) {
            least = makespan_s;
            best = (int)k;
        }
    }
    return best;
}

/* Collective. */
static int best_agree(const struct session *session)
{
    int best = session->comm->rank == 0 ? setting_best(session) : 0;
    comm_broadcast(session->comm, &best, sizeof best);
    return best;
}

/* Collective. */
static bool setting_probe(struct session *session, int index, double budget_s,
                          struct failure *failure)
{
    if (!setting_make(session, index, failure))
        return false;
    session->tasks[index] = session->making.job.setup.tasks;
    weights_take(session, failure);
    return comm_agree(session->comm, failure) && job_probe(session, budget_s, 0, failure);
}

/* Collective. Does that setting's output make its workers wait, and nobody has said what to do? */
static bool behind_wanted(const struct session *session, int index)
{
    bool wanted = session->request->write_behind_auto &&
                  session->outcomes[index].stalled_share > STALLED_LEAST;
    comm_broadcast(session->comm, &wanted, sizeof wanted);
    return wanted;
}

/* Local to the master. Where one setting says otherwise, those before it say what is usual. */
static void others_say(struct session *session, const char *name, const char *usual,
                       struct failure *failure)
{
    struct profile *profile = &session->result->profile;
    for (int k = 0; k < setting_count(session) - 1; k++)
        if (!parameter_list_find(&profile->settings[k].parameters, name) &&
            !parameter_list_add(&profile->settings[k].parameters, name, usual, 0))
            failure_memory(failure, "writing the profile");
}

/* Local. A copy of that setting behind all others, to be changed; NULL with *failure set. */
static struct setting *setting_more(struct session *session, int index, struct failure *failure)
{
    const struct setting *setting = setting_at(session, index);
    struct setting *more = &session->more[session->more_count++];
    more->threads = setting->threads;
    session->result->profile.setting_count++;
    return values_copy(&more->values, &setting->values, failure) ? more : NULL;
}

/* Collective. The setting that was added last. */
static bool more_probe(struct session *session, const char *name, const char *usual,
                       double budget_s, struct failure *failure)
{
    if (!comm_agree(session->comm, failure))
        return false;
    if (session->comm->rank == 0)
        others_say(session, name, usual, failure);
    return comm_agree(session->comm, failure) &&
           setting_probe(session, setting_count(session) - 1, budget_s, failure);
}

/* Collective. That setting, with its results written behind computing. */
static bool behind_probe(struct session *session, int index, double budget_s,
                         struct failure *failure)
{
    struct setting *more = setting_more(session, index, failure);
    session->has_behind = true;
    if (more)
        more->values.write_behind = true;
    return more_probe(session, VALUES_WRITE_BEHIND, "no", budget_s, failure);
}

/* Collective. In which order would packages of that setting be alike? */
static bool order_wanted(const struct session *session, int index, struct order *order,
                         struct failure *failure)
{
    const struct order_job job = {.samples = &session->result->samples,
                                  .sampled = index,
                                  .setting = &session->result->profile.settings[index],
                                  .tasks = session->tasks[index],
                                  .workers = session->comm->size - 1};
    *order = (struct order){.kind = ORDER_NATURAL};
    if (!session->request->order_auto)
        return true;
    if (session->comm->rank == 0)
        order_find(&job, order, failure);
    if (!comm_agree(session->comm, failure))
        return false;
    comm_broadcast(session->comm, order, sizeof *order);
    return true;
}

/* Collective. That setting, in that order. */
static bool order_probe(struct session *session, int index, const struct order *order,
                        double budget_s, struct failure *failure)
{
    struct setting *more = setting_more(session, index, failure);
    session->has_order = true;
    if (more)
        more->values.order = *order;
    return more_probe(session, ORDER_PARAMETER, "natural", budget_s, failure);
}

/* What is planned can take so much of its time, for others may have taken more or less than theirs:
 * of the master's clock, as budgets are the master's. */
static double share_left(const struct session *session, double planned_s)
{
    static const double SHARE_LEAST = 0.25;
    const double spent_s = comm_now(session->comm) - session->begun_s;
    const double left_s = session->request->effort.budget_s - spent_s;
    return planned_s > 0 ? fmin(1, fmax(SHARE_LEAST, left_s / planned_s)) : 1;
}

/* Collective. Where the best setting so far is worth measuring in another way, it is, for first_s
 * of the rest; *best becomes the best then. */
static bool order_try(struct session *session, double first_s, double *rest_s, int *best,
                      struct failure *failure)
{
    struct order order;
    if (!order_wanted(session, *best, &order, failure))
        return false;
    if (!order_differs(&order))
        return true;
    session->later_s = *rest_s;
    if (!order_probe(session, *best, &order, first_s, failure))
        return false;
    *best = best_agree(session);
    return true;
}

static bool behind_try(struct session *session, double behind_s, double *rest_s, int *best,
                       struct failure *failure)
{
    if (!behind_wanted(session, *best))
        return true;
    *rest_s = fmax(0, *rest_s - behind_s);
    session->later_s = *rest_s;
    if (!behind_probe(session, *best, behind_s, failure))
        return false;
    *best = best_agree(session);
    return true;
}

/* Collective. One setting gets all the time. Of several each is measured as well as it must be to
 * choose, and the one that the planner would take gets the rest: it is the prediction that counts.
 * An order that is to be found out counts as one more. */
static bool settings_probe(struct session *session, struct failure *failure)
{
    const struct calibration_request *request = session->request;
    const int own = request->setting_count, count = own + request->order_auto;
    const double budget_s = request->effort.budget_s;
    const double first_s = count > 1 ? CHOOSING_SHARE * budget_s / count : budget_s;
    double rest_s = count > 1 ? (1 - CHOOSING_SHARE) * budget_s : 0;
    for (int i = 0; i < own; i++) {
        const double share = share_left(session, first_s * (count - i) + rest_s);
        session->later_s = share * (first_s * (count - 1 - i) + rest_s);
        if (!setting_probe(session, i, share * first_s, failure))
            return false;
    }
    int best = own > 1 ? best_agree(session) : 0;
    if (!order_try(session, first_s, &rest_s, &best, failure) ||
        !behind_try(session, count > 1 ? first_s : BEHIND_SHARE * budget_s, &rest_s, &best,
                    failure))
        return false;
    session->result->best = best;
    session->later_s = 0;
    return count == 1 || (setting_make(session, best, failure) &&
                          job_probe(session, share_left(session, rest_s) * rest_s, 1, failure));
}

/* Collective. With the setting at hand, which is the best one; of the first level only, where
 * nobody has asked for others: then plans say that they are of that alone, if the master can
 * compute any of it. */
static bool levels_find(struct session *session, struct failure *failure)
{
    const struct calibration_request *request = session->request;
    const struct levels_probe probe = {
        .comm = session->comm,
        .job = &session->making.job,
        .input = session->making.input,
        .threads = threads_of(session),
        .budget_s = request->levels ? LEVELS_SHARE * request->effort.budget_s : 0};
    struct failure none = FAILURE_INIT;
    if (task_has_levels(request->kernel->task) && session->comm->rank == 0)
        levels_probe(&probe, &session->result->profile.settings[session->setting],
                     request->levels ? failure : &none);
    return comm_agree(session->comm, failure);
}

/* Of workers with the greatest packages that the setting has costs of: larger ones were tried, but
 * plans have none of them. What these had more than the smallest grows with packages, and with what
 * core tasks allocate for themselves, of which the setting does not know. */
static struct profile_peaks peaks_take(struct profile_setting *setting,
                                       const struct campaign_outcome *outcome)
{
    struct profile_peaks peaks = outcome->peaks;
    const struct rank_peaks *measured = &outcome->rank_peaks;
    if (setting->window_count == 0 || measured->count == 0)
        return peaks;
    const int64_t greatest = setting->windows[setting->window_count - 1].greatest;
    const double most = rank_peaks_most(measured, greatest),
                 more = most - rank_peaks_most(measured, 1);
    peaks.rank = most + memory_greatest(setting);
    if (greatest > 1)
        setting->memory.bytes_per_task += more / (double)(greatest - 1);
    return peaks;
}

/* Local to the master. */
static bool profile_head(struct session *session, struct failure *failure)
{
    struct profile *profile = &session->result->profile;
    for (int i = 0; i < setting_count(session); i++)
        profile->peaks =
            peaks_most(profile->peaks, peaks_take(&profile->settings[i], &session->outcomes[i]));
    profile->peaks.master = session->outcomes[0].peaks.master; /* before it kept what it measured */
    for (int i = 0; i < setting_count(session); i++)
        profile->overhead.seal_s = fmax(profile->overhead.seal_s, session->outcomes[i].seal_s);
    place_sign(&session->place, &profile->origin);
    if (!weights_name_init(&profile->weights, session->result->samples.weights))
        return failure_memory(failure, "writing the profile");
    return labels_kernel(profile, session->request->kernel, failure) &&
           parameters_pick(session, false, &profile->parameters, failure);
}

static void session_release(struct session *session)
{
    if (session->request->liveness)
        session->request->liveness->leaving = (struct liveness_leaving){.call = NULL};
    energy_watch_end(session->energy);
    making_release(&session->making);
    labels_workers_free(&session->names, session->comm->size - 1);
    place_release(&session->place);
    session->result->samples.weights = NULL;
    weights_free(session->weights);
    free(session->tasks);
    free(session->outcomes);
    run_had_release(&session->had);
    for (int k = 0; k < session->more_count; k++)
        values_release(&session->more[k].values);
}

/* Local. Room for what is known of each setting. */
static bool settings_prepare(struct session *session, struct failure *failure)
{
    const size_t count = (size_t)session->request->setting_count, most = count + SETTINGS_MORE;
    struct profile *profile = &session->result->profile;
    session->tasks = calloc(most, sizeof *session->tasks);
    session->outcomes = calloc(most, sizeof *session->outcomes);
    profile->settings = calloc(most, sizeof *profile->settings);
    if (!session->tasks || !session->outcomes || !profile->settings)
        return failure_memory(failure, "preparing the calibration");
    profile->setting_count = count;
    return true;
}

/* Local to the master: before time is spent on measuring it. Of the setting with the fewest
 * threads: where its workers share cores, all do. */
static void oversubscription_warn(struct session *session)
{
    const struct calibration_request *request = session->request;
    struct text text = TEXT_INIT;
    int threads = INT_MAX;
    for (int k = 0; k < request->setting_count; k++) {
        const int own = request->settings[k].threads;
        const int of = own > 0 ? own : request->threads;
        threads = of < threads ? of : threads;
    }
    if (session->comm->rank != 0 || request->quiet)
        return;
    oversubscription_describe(&session->result->oversubscription, threads, &text);
    char *line = text_take(&text);
    if (line && *line) {
        outcome_lines(line);
        session->result->warned_threads = threads;
    }
    free(line);
}

/* Where the master had no time for core tasks of its own. */
static void master_tell(struct session *session)
{
    const struct profile *profile = &session->result->profile;
    for (size_t k = 0; session->request->master_computes && k < profile->setting_count; k++)
        if (!(profile_setting_master_s(&profile->settings[k]) > 0)) {
            watch_say(session, "the master has had no time for core tasks of its own: give a "
                               "longer --budget");
            return;
        }
}

bool calibration_make(struct calibration *calibration, struct comm *comm,
                      const struct calibration_request *request, struct failure *failure)
{
    struct session session = {
        .comm = comm, .request = request, .result = calibration, .setting = -1, .slowest = -1};
    session.making.comm = comm;
    calibration->samples.weights = request->weights;
    settings_prepare(&session, failure);
    bool good = comm_agree(comm, failure) && labels_workers(comm, &session.names, failure);
    if (good) {
        calibration->oversubscription =
            oversubscription_find(comm, request->master_computes || !comm_leads(comm));
        oversubscription_warn(&session);
        scratch_name(&session);
        comm_align_clocks(comm);
        session.begun_s = comm_now(comm);
        calibration->profile.overhead.start_s = process_age_s();
        progress_init(&session.progress, request->quiet || comm->rank != 0 ? NULL : stderr, 0, 0);
        session.energy = energy_watch_begin(comm_first_on_node(comm));
        good = settings_probe(&session, failure) && levels_find(&session, failure);
        if (good && comm->rank == 0)
            master_tell(&session);
        progress_end(&session.progress);
    }
    good =
        good && exchange_find(comm, &session.making.job, &calibration->profile.exchange, failure);
    good = good && rank_bandwidths_find(comm, &calibration->profile, failure) &&
           (!request->counter || rank_fetches_find(comm, &calibration->profile, failure)) &&
           place_find(&session.place, comm, request->threads, failure);
    if (good && comm->rank == 0) {
        profile_head(&session, failure);
        rank_shares_put(&session.had, &calibration->samples, &calibration->profile);
    }
    if (good && comm_agree(comm, failure))
        rank_watts_gather(comm, energy_watch_read(session.energy), comm_now(comm) - session.begun_s,
                          &calibration->profile, failure);
    session_release(&session);
    return comm_agree(comm, failure);
}

void calibration_release(struct calibration *calibration)
{
    samples_release(&calibration->samples);
    profile_release(&calibration->profile);
    free(calibration->failures);
}
