/* What a calibration has found, as a profile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/fit/assemble.h"
#include "calibrate/fit/few_places.h"
#include "calibrate/labels.h"
#include "calibrate/session.h"
#include "planner/base/limits.h"
#include "planner/model/extrapolation.h"

int session_settings(const struct session *session)
{
    return session->request->setting_count + session->more_count;
}

const struct setting *session_setting(const struct session *session, int index)
{
    const int own = session->request->setting_count;
    return index < own ? &session->request->settings[index] : &session->more[index - own];
}

int session_threads(const struct session *session)
{
    const int own = session_setting(session, session->setting)->threads;
    return own > 0 ? own : session->request->threads;
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

/* Where other settings have this switch on, a setting that has it off must say so. */
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
    const int threads = session_threads(session);
    job_method(&session->making.job, method, sizeof method);
    setting->memory =
        labels_memory(&session->making.job, session->outcomes[index].largest, threads);
    setting->threads = session_setting(session, session->setting)->threads;
    setting->master = master_cost(&session->outcomes[index].own);
    if (method[0])
        setting->method = strdup(method);
    if (method[0] && !setting->method)
        return failure_memory(failure, "writing the profile");
    return parameters_pick(session, true, &setting->parameters, failure);
}

bool session_setting_put(struct session *session, int index, struct failure *failure)
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

bool session_profile(struct session *session, struct failure *failure)
{
    struct profile *profile = &session->result->profile;
    for (int i = 0; i < session_settings(session); i++)
        profile->peaks =
            peaks_most(profile->peaks, peaks_take(&profile->settings[i], &session->outcomes[i]));
    profile->peaks.master = session->outcomes[0].peaks.master; /* before it kept what it measured */
    for (int i = 0; i < session_settings(session); i++)
        profile->overhead.seal_s = fmax(profile->overhead.seal_s, session->outcomes[i].seal_s);
    place_sign(&session->place, &profile->origin);
    if (!weights_name_init(&profile->weights, session->result->samples.weights))
        return failure_memory(failure, "writing the profile");
    return labels_kernel(profile, session->request->kernel, failure) &&
           parameters_pick(session, false, &profile->parameters, failure);
}
