#include "calibrate/calibration.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate/effects.h"
#include "calibrate/exchange.h"
#include "calibrate/focus.h"
#include "calibrate/labels.h"
#include "calibrate/levels_probe.h"
#include "calibrate/order_find.h"
#include "calibrate/outcome.h"
#include "calibrate/rank_bandwidths.h"
#include "calibrate/rank_fetches.h"
#include "calibrate/rank_shares.h"
#include "calibrate/rank_watts.h"
#include "calibrate/session.h"
#include "planner/base/process.h"
#include "spmd/output/outputfile.h"

/* A package may take this much memory on its way. */
static const double PACKAGE_BYTES_MOST = 512e6;
/* Of several settings, choosing the best takes this share of the budget. */
static const double CHOOSING_SHARE = 0.4;
/* Writing behind computing is tried where output waits for the store for more of the workers' time
 * than this; one setting alone takes so much of the budget more for that. */
static const double STALLED_LEAST = 0.03, BEHIND_SHARE = 0.2;
/* A sample of a search's levels takes so much of the budget more. */
static const double LEVELS_SHARE = 0.2;

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
        .watch = {session_tell, session_say, session},
        .workers = session->comm->size - 1,
        .tasks = job->setup.tasks,
        .package_most = package_most(job),
        .master_computes = request->master_computes,
        .write_behind = job->values.write_behind,
        .setting = index,
        .first_pass = phase * 2 * CAMPAIGN_SETS_MOST,
        .seed = request->seed + (uint64_t)(phase * session_settings(session) + index) * 1000003u,
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
        .threads = session_threads(session),
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
        session_setting_put(session, index, failure);
    probe_end(&setup);
    return comm_agree(session->comm, failure);
}

/* Collective. The first setting opens the input, too. */
static bool setting_make(struct session *session, int index, struct failure *failure)
{
    const struct calibration_request *request = session->request;
    const struct scow_task *task = request->kernel->task;
    const struct values *values = &session_setting(session, index)->values;
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
    for (int k = 0; k < session_settings(session) - 1; k++)
        if (!parameter_list_find(&profile->settings[k].parameters, name) &&
            !parameter_list_add(&profile->settings[k].parameters, name, usual, 0))
            failure_memory(failure, "writing the profile");
}

/* Local. A copy of that setting behind all others, to be changed; NULL with *failure set. */
static struct setting *setting_more(struct session *session, int index, struct failure *failure)
{
    const struct setting *setting = session_setting(session, index);
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
           setting_probe(session, session_settings(session) - 1, budget_s, failure);
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
        .threads = session_threads(session),
        .budget_s = request->levels ? LEVELS_SHARE * request->effort.budget_s : 0};
    struct failure none = FAILURE_INIT;
    if (task_has_levels(request->kernel->task) && session->comm->rank == 0)
        levels_probe(&probe, &session->result->profile.settings[session->setting],
                     request->levels ? failure : &none);
    return comm_agree(session->comm, failure);
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
    const size_t count = (size_t)session->request->setting_count, most = count + SESSION_MORE;
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
            session_say(session, "the master has had no time for core tasks of its own: give a "
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
        session_profile(&session, failure);
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
