#include "calibrate/calibration.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate/campaign.h"
#include "calibrate/fit/assemble.h"
#include "calibrate/focus.h"
#include "calibrate/place.h"
#include "spmd/job/engine.h"
#include "spmd/job/making.h"
#include "spmd/job/progress.h"
#include "spmd/output/store.h"

enum { NAME_BYTES = 64, PATH_BYTES = 4096 };
/* Of several settings, choosing the best takes this share of the budget. */
static const double CHOOSING_SHARE = 0.4;
/* Writing behind computing is tried where output waits for the store for more of the workers' time
 * than this; one setting alone takes so much of the budget more for that. */
static const double STALLED_LEAST = 0.03, BEHIND_SHARE = 0.5;

/* A calibration under way. */
struct session {
    struct comm *comm;
    const struct calibration_request *request;
    struct calibration *result;
    struct making making;
    char **names; /* the master's: of the workers, owned */
    struct place place;
    char scratch[PATH_BYTES];
    int setting;      /* the job at hand's; -1: none yet */
    int64_t *largest; /* owned; the master's: by setting, the largest package probed */
    int64_t *tasks;   /* owned; by setting, the job's */
    double *stalled;  /* owned; the master's: by setting, as in struct campaign_outcome */
    /* Owned, and on every rank: behind the request's settings one of them with its results written
     * behind computing, once that is to be measured. */
    struct setting behind;
    bool has_behind;
    struct progress progress;
    double begun_s, later_s; /* when; how long the settings behind this one will take */
    int64_t seen;            /* samples that the slowest worker is known from */
    int slowest;             /* from 0; -1: not known */
    double slowest_excess;   /* over the mean */
};

static int setting_count(const struct session *session)
{
    return session->request->setting_count + session->has_behind;
}

static const struct setting *setting_at(const struct session *session, int index)
{
    return index < session->request->setting_count ? &session->request->settings[index]
                                                   : &session->behind;
}

/* Of the setting at hand, on one rank. */
static int threads_of(const struct session *session)
{
    const int own = setting_at(session, session->setting)->threads;
    return own > 0 ? own : session->request->threads;
}

/* Collective. A file that no two calibrations share. */
static void scratch_name(struct session *session)
{
    snprintf(session->scratch, sizeof session->scratch, "%s/scow-probe-%ld.h5",
             session->request->scratch, (long)getpid());
    comm_broadcast(session->comm, session->scratch, sizeof session->scratch);
}

/* The master's list from everybody's names, NAME_BYTES each. Owned; NULL: out of memory. */
static char **names_split(const char *all, int workers)
{
    char **names = calloc((size_t)workers + 1, sizeof *names);
    for (int i = 0; names && i < workers; i++)
        names[i] = strdup(all + (size_t)(i + 1) * NAME_BYTES);
    return names;
}

/* Collective. "node:rank" of every worker, on the master. */
static bool names_gather(struct session *session, struct failure *failure)
{
    const struct comm *comm = session->comm;
    char node[MPI_MAX_PROCESSOR_NAME] = "", mine[NAME_BYTES] = "";
    int length = 0;
    MPI_Get_processor_name(node, &length);
    snprintf(mine, sizeof mine, "%.40s:%d", node, comm->rank);
    char *all = calloc((size_t)comm->size, NAME_BYTES);
    if (!all)
        failure_memory(failure, "naming the workers");
    bool good = comm_agree(comm, failure);
    if (good)
        comm_gather(comm, mine, sizeof mine, all);
    if (good && comm->rank == 0)
        session->names = names_split(all, comm->size - 1);
    if (good && comm->rank == 0 && !session->names)
        failure_memory(failure, "naming the workers");
    free(all);
    return comm_agree(comm, failure);
}

static bool is_own(const struct session *session, const char *name)
{
    const struct calibration_request *request = session->request;
    if (session->has_behind && strcmp(name, VALUES_WRITE_BEHIND) == 0)
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
    return good &&
           (!own || switch_deny(session, VALUES_STAGED, job->values.staged, picked, failure)) &&
           (!own ||
            switch_deny(session, VALUES_WRITE_BEHIND, job->values.write_behind, picked, failure));
}

/* Packages on their way and being computed, and their results: affine, from two sizes. */
static struct memory memory_of(const struct job *job, int64_t largest, int threads)
{
    double bytes[2];
    const int64_t sizes[2] = {1, largest > 1 ? largest : 2};
    for (int i = 0; i < 2; i++)
        bytes[i] = (double)(PLATFORM_BUFFERS + 1) * (double)job_message_most(job, sizes[i]) +
                   (job->values.staged ? (double)job_package_most(job, sizes[i]) : 0) +
                   (job->values.write_behind ? store_memory(job, sizes[i]) : 0) +
                   engine_memory(job, sizes[i], threads);
    const double rate = (bytes[1] - bytes[0]) / (double)(sizes[1] - sizes[0]);
    return (struct memory){.bytes = fmax(0, bytes[0] - rate), .bytes_per_task = fmax(0, rate)};
}

/* What a setting has beside its costs. */
static bool setting_label(const struct session *session, int index, struct profile_setting *setting,
                          struct failure *failure)
{
    char method[JOB_METHOD_SIZE];
    const int threads = threads_of(session);
    job_method(&session->making.job, method, sizeof method);
    setting->memory = memory_of(&session->making.job, session->largest[index], threads);
    setting->threads = setting_at(session, session->setting)->threads;
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
    if (!assemble_setting(&session->result->samples, index, session->largest[index],
                          session->comm->size - 1, session->names, &made, failure))
        return false;
    if (!setting_label(session, index, &made, failure)) {
        profile_setting_release(&made);
        return false;
    }
    profile_setting_release(&profile->settings[index]);
    profile->settings[index] = made;
    return true;
}

/* ---- probing ------------------------------------------------------------------------------- */

static void once_tell(const struct calibration_request *request)
{
    if (!request->quiet && (request->kernel->task->flags & SCOW_ONCE))
        fprintf(stderr,
                "scow calibrate: core tasks of this kernel have effects: probes do some for "
                "real, and more than once\n");
}

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
    char passed[PROGRESS_TIME_SIZE], left[PROGRESS_TIME_SIZE];
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
    progress_time(elapsed_s, passed);
    progress_time(all_left_s, left);
    snprintf(text, sizeof text, "probing, %s%s (%.0f %%), %" PRId64 " timings, %s, %s left%s",
             setting, at, share, session->result->samples.count, passed, left, slowest);
    snprintf(middle, sizeof middle, "probing, %s (%.0f %%), %s, %s left", at, share, passed, left);
    snprintf(brief, sizeof brief, "probing (%.0f %%), %s left", share, left);
    const char *const texts[] = {text, middle, brief};
    progress_line(&session->progress, texts, sizeof texts / sizeof *texts, elapsed_s);
}

/* Collective, of a job that is made. */
static bool job_probe(struct session *session, double budget_s, int phase, struct failure *failure)
{
    const struct calibration_request *request = session->request;
    const int index = session->setting;
    const struct probe_setup setup = {
        .comm = session->comm,
        .job = &session->making.job,
        .input = session->making.input,
        .threads = threads_of(session),
        .scratch = session->scratch,
        .weighs_output = request->write_behind_auto,
    };
    if (session->comm->rank != 0) {
        probe_serve(&setup, failure);
        return comm_agree(session->comm, failure);
    }
    struct campaign campaign = {
        .setup = &setup,
        .effort = request->effort,
        .watch = {watch_tell, session},
        .setting = index,
        .first_pass = phase * 2 * CAMPAIGN_SETS_MOST,
        .seed = request->seed + (uint64_t)(phase * setting_count(session) + index) * 1000003u,
    };
    struct campaign_outcome outcome = {.largest = 1};
    campaign.effort.budget_s = budget_s;
    if (campaign_run(&campaign, &session->result->samples, &outcome, failure)) {
        if (outcome.largest > session->largest[index])
            session->largest[index] = outcome.largest;
        session->stalled[index] = outcome.stalled_share;
        setting_put(session, index, failure);
    }
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
    return first ? making_start(&session->making, session->comm, task, values, request->input,
                                failure)
                 : making_again(&session->making, task, values, failure);
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
    return job_probe(session, budget_s, 0, failure);
}

/* Collective. Does that setting's output make its workers wait, and nobody has said what to do? */
static bool behind_wanted(const struct session *session, int index)
{
    bool wanted = session->request->write_behind_auto && session->stalled[index] > STALLED_LEAST;
    comm_broadcast(session->comm, &wanted, sizeof wanted);
    return wanted;
}

/* Local to the master. Where one says yes, the others say no. */
static void others_deny(struct session *session, struct failure *failure)
{
    struct profile *profile = &session->result->profile;
    for (int k = 0; k < session->request->setting_count; k++)
        if (!parameter_list_add(&profile->settings[k].parameters, VALUES_WRITE_BEHIND, "no", 0))
            failure_memory(failure, "writing the profile");
}

/* Collective. That setting, with its results written behind computing. */
static bool behind_probe(struct session *session, int index, double budget_s,
                         struct failure *failure)
{
    const struct setting *setting = setting_at(session, index);
    session->has_behind = true;
    session->behind.threads = setting->threads;
    if (values_copy(&session->behind.values, &setting->values, failure))
        session->behind.values.write_behind = true;
    if (!comm_agree(session->comm, failure))
        return false;
    session->result->profile.setting_count++;
    if (session->comm->rank == 0)
        others_deny(session, failure);
    return comm_agree(session->comm, failure) &&
           setting_probe(session, setting_count(session) - 1, budget_s, failure);
}

/* Collective. One setting gets all the time. Of several each is measured as well as it must be to
 * choose, and the one that the planner would take gets the rest: it is the prediction that counts.
 */
static bool settings_probe(struct session *session, struct failure *failure)
{
    const struct calibration_request *request = session->request;
    const int count = request->setting_count;
    const double budget_s = request->effort.budget_s;
    const double first_s = count > 1 ? CHOOSING_SHARE * budget_s / count : budget_s;
    double rest_s = count > 1 ? (1 - CHOOSING_SHARE) * budget_s : 0;
    for (int i = 0; i < count; i++) {
        session->later_s = first_s * (count - 1 - i) + rest_s;
        if (!setting_probe(session, i, first_s, failure))
            return false;
    }
    int best = count > 1 ? best_agree(session) : 0;
    if (behind_wanted(session, best)) {
        const double behind_s = count > 1 ? first_s : BEHIND_SHARE * budget_s;
        rest_s = fmax(0, rest_s - behind_s);
        session->later_s = rest_s;
        if (!behind_probe(session, best, behind_s, failure))
            return false;
        best = best_agree(session);
    }
    session->result->best = best;
    session->later_s = 0;
    return count == 1 ||
           (setting_make(session, best, failure) && job_probe(session, rest_s, 1, failure));
}

/* Local to the master. */
static bool profile_head(struct session *session, struct failure *failure)
{
    struct profile *profile = &session->result->profile;
    place_sign(&session->place, &profile->origin);
    const struct kernel *kernel = session->request->kernel;
    profile->kernel = strdup(kernel->task->name);
    if (kernel->plugin) {
        profile->plugin = strdup(kernel->plugin);
        profile->plugin_sha256 = strdup(kernel->sha256);
    }
    if (!profile->kernel || (kernel->plugin && (!profile->plugin || !profile->plugin_sha256)))
        return failure_memory(failure, "writing the profile");
    return parameters_pick(session, false, &profile->parameters, failure);
}

static void session_release(struct session *session)
{
    making_release(&session->making);
    for (int i = 0; session->names && i < session->comm->size - 1; i++)
        free(session->names[i]);
    free(session->names);
    place_release(&session->place);
    free(session->largest);
    free(session->tasks);
    free(session->stalled);
    values_release(&session->behind.values);
}

/* Local. Room for what is known of each setting. */
static bool settings_prepare(struct session *session, struct failure *failure)
{
    const size_t count = (size_t)session->request->setting_count, most = count + 1;
    struct profile *profile = &session->result->profile;
    session->largest = calloc(most, sizeof *session->largest);
    session->tasks = calloc(most, sizeof *session->tasks);
    session->stalled = calloc(most, sizeof *session->stalled);
    profile->settings = calloc(most, sizeof *profile->settings);
    if (!session->largest || !session->tasks || !session->stalled || !profile->settings)
        return failure_memory(failure, "preparing the calibration");
    profile->setting_count = count;
    return true;
}

bool calibration_make(struct calibration *calibration, struct comm *comm,
                      const struct calibration_request *request, struct failure *failure)
{
    struct session session = {
        .comm = comm, .request = request, .result = calibration, .setting = -1, .slowest = -1};
    session.making.comm = comm;
    settings_prepare(&session, failure);
    bool good = comm_agree(comm, failure) && names_gather(&session, failure);
    if (good) {
        calibration->crowding = crowding_find(comm);
        scratch_name(&session);
        comm_align_clocks(comm);
        session.begun_s = comm_now(comm);
        progress_init(&session.progress, request->quiet || comm->rank != 0 ? NULL : stderr, 0, 0);
        if (comm->rank == 0)
            once_tell(request);
        good = settings_probe(&session, failure);
        progress_end(&session.progress);
    }
    good = good && place_find(&session.place, comm, request->threads, failure);
    if (good && comm->rank == 0)
        profile_head(&session, failure);
    session_release(&session);
    return comm_agree(comm, failure);
}

void calibration_release(struct calibration *calibration)
{
    samples_release(&calibration->samples);
    profile_release(&calibration->profile);
}
