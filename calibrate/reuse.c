#include "calibrate/reuse.h"

#include <string.h>
#include <unistd.h>

#include "calibrate/place.h"
#include "planner/files/load.h"
#include "spmd/launch/making.h"

static bool says_yes(const struct parameter_list *parameters, const char *name)
{
    const struct parameter *said = parameter_list_find(parameters, name);
    return said && said->word && strcmp(said->word, "yes") == 0;
}

static bool says_returns(const struct parameter_list *parameters)
{
    const struct parameter *said = parameter_list_find(parameters, RESULTS_PARAMETER);
    enum results results = RESULTS_UNSAID;
    if (said && said->word)
        results_find(said->word, &results);
    return results_return(results);
}

/* Where nothing is said, core tasks are in their natural order. */
static struct order order_said(const struct parameter_list *parameters)
{
    const struct parameter *said = parameter_list_find(parameters, ORDER_PARAMETER);
    struct order order = {.kind = ORDER_NATURAL};
    if (said && said->word)
        order_parse(said->word, &order);
    return order;
}

static bool orders_agree(const struct parameter_list *a, const struct parameter_list *b)
{
    const struct order one = order_said(a), other = order_said(b);
    return order_same(&one, &other);
}

/* Where nothing is said, it is no. */
static bool switches_agree(const struct parameter_list *a, const struct parameter_list *b)
{
    return says_returns(a) == says_returns(b) && orders_agree(a, b) &&
           says_yes(a, VALUES_STAGED) == says_yes(b, VALUES_STAGED) &&
           says_yes(a, VALUES_WRITE_BEHIND) == says_yes(b, VALUES_WRITE_BEHIND);
}

/* Has this setting of the profile, with what holds for all of them, these parameters? */
static bool setting_has(const struct profile *profile, const struct profile_setting *setting,
                        const struct parameter_list *parameters, int threads, bool *has)
{
    struct parameter_list all = {0};
    const bool good = parameter_list_copy(&all, &profile->parameters) &&
                      parameter_list_merge(&all, &setting->parameters);
    *has = good && setting->threads == threads && parameter_list_has(&all, parameters) &&
           switches_agree(&all, parameters);
    parameter_list_release(&all);
    return good;
}

static bool setting_refuse(const char *path, const struct parameter_list *parameters, int threads,
                           struct failure *failure)
{
    struct text text = TEXT_INIT;
    text_add_block(&text, parameters, "", ", ");
    text_add_parameters(&text, parameters);
    if (threads > 0)
        text_add(&text, ", \"threads\": %d", threads);
    failure_set(failure, FAILURE_MISMATCH,
                "%s: has no setting with %.250s ('scow show' lists what it has): calibrate to "
                "another file, or remove this one",
                path, text.bytes ? text.bytes : "these parameters");
    text_release(&text);
    return false;
}

bool reuse_has(const struct profile *profile, const char *path,
               const struct parameter_list *parameters, int threads, struct failure *failure)
{
    bool has = false;
    for (size_t k = 0; !has && k < profile->setting_count; k++)
        if (!setting_has(profile, &profile->settings[k], parameters, threads, &has))
            return failure_memory(failure, "comparing settings");
    return has || setting_refuse(path, parameters, threads, failure);
}

/* Local to the master. */
static bool kernel_fits(const struct profile *profile, const struct kernel *kernel,
                        const char *path, struct failure *failure)
{
    const char *digest = profile->plugin_sha256 ? profile->plugin_sha256 : "";
    if (strcmp(profile->kernel, kernel->task->name) != 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is of core task '%s', not '%s': calibrate to another file", path,
                           profile->kernel, kernel->task->name);
    return strcmp(digest, kernel->sha256) == 0 ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: was measured with another version of the plug-in: calibrate to another "
                       "file, or remove this one",
                       path);
}

/* Local to the master. */
static bool weights_fit(const struct profile *profile, const struct task_weights *weights,
                        const char *path, struct failure *failure)
{
    const char *measured = profile->weights.sha256 ? profile->weights.sha256 : "";
    return strcmp(measured, weights ? weights->sha256 : "") == 0 ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: was measured %s%s%s: calibrate to another file, or remove this one",
                       path, *measured ? "with weights (" : "without weights",
                       *measured ? profile->weights.source : "", *measured ? ")" : "");
}

/* Local to the master. */
static bool levels_fit(const struct profile *profile, bool wanted, const char *path,
                       struct failure *failure)
{
    bool known = false;
    for (size_t k = 0; k < profile->setting_count; k++) {
        const struct profile_setting *setting = &profile->settings[k];
        known = known || setting->level_count > 1 ||
                (setting->level_count == 1 && setting->levels[0].next == 0);
    }
    return known || !wanted ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: was measured without --levels: calibrate to another file, or remove "
                       "this one",
                       path);
}

/* Local to the master: as the core task weighs its job. */
static bool task_weights_fit(const struct making *making, const struct profile *profile,
                             const char *path, struct failure *failure)
{
    struct task_weights *weights = job_weigh(&making->job, making->input, failure);
    const bool good = weights && weights_fit(profile, weights, path, failure);
    weights_free(weights);
    return good;
}

/* Collective. The job of one setting, as calibration would make it: what a machine decides, or an
 * input, is decided then. */
static bool setting_check(struct making *making, const struct calibration_request *request,
                          int index, const struct profile *profile, const char *path,
                          struct failure *failure)
{
    const struct scow_task *task = request->kernel->task;
    const struct setting *setting = &request->settings[index];
    struct parameter_list parameters = {0};
    if (index == 0 ? !making_start(making, making->comm, task, &setting->values, request->input,
                                   NULL, failure)
                   : !making_again(making, task, &setting->values, NULL, failure))
        return false;
    if (making->comm->rank == 0 &&
        values_describe(&making->job.values, task, &parameters, failure) &&
        reuse_has(profile, path, &parameters, setting->threads, failure) && request->weigh)
        task_weights_fit(making, profile, path, failure);
    parameter_list_release(&parameters);
    return comm_agree(making->comm, failure);
}

/* Collective. */
static bool settings_check(struct comm *comm, const struct calibration_request *request,
                           const struct profile *profile, const char *path, struct failure *failure)
{
    struct making making = {.comm = comm};
    bool good = true;
    for (int i = 0; good && i < request->setting_count; i++)
        good = setting_check(&making, request, i, profile, path, failure);
    making_release(&making);
    return good;
}

bool reuse_find(struct comm *comm, const struct calibration_request *request, const char *path,
                bool *there, struct failure *failure)
{
    struct profile profile = {0};
    struct place place;
    *there = comm->rank == 0 && access(path, F_OK) == 0;
    comm_broadcast(comm, there, sizeof *there);
    if (!*there)
        return true;
    bool good = place_find(&place, comm, request->threads, failure);
    if (good && comm->rank == 0 && load_profile(path, &profile, NULL, failure))
        (void)(kernel_fits(&profile, request->kernel, path, failure) &&
               (request->weigh || weights_fit(&profile, request->weights, path, failure)) &&
               levels_fit(&profile, request->levels, path, failure) &&
               place_fits(&place, &profile, path, failure));
    good =
        good && comm_agree(comm, failure) && settings_check(comm, request, &profile, path, failure);
    place_release(&place);
    profile_release(&profile);
    return good;
}
