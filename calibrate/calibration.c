#include "calibrate/calibration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calibrate/assemble.h"
#include "spmd/job/engine.h"
#include "spmd/job/instructions.h"
#include "spmd/job/making.h"
#include "spmd/transport/inbox.h"

enum { NAME_BYTES = 64, PATH_BYTES = 4096, ATTEMPTS = 3 };

/* A calibration under way. */
struct session {
    struct comm *comm;
    const struct calibration_request *request;
    struct calibration *result;
    struct making making;
    char **names; /* the master's: of the workers, owned */
    char *isa;    /* which rank computes with which instruction set; owned */
    char scratch[PATH_BYTES];
};

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

static bool is_own(const struct calibration_request *request, const char *name)
{
    for (int i = 0; i < request->own_count; i++)
        if (strcmp(request->own[i], name) == 0)
            return true;
    return false;
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
        if (is_own(session->request, item->name) == own &&
            !parameter_list_add(picked, item->name, item->word, item->number))
            good = failure_memory(failure, "writing the profile");
    }
    parameter_list_release(&all);
    return good;
}

/* Packages on their way and being computed, and their results: affine, from two sizes. */
static struct memory memory_of(const struct job *job, int64_t largest, int threads)
{
    double bytes[2];
    const int64_t sizes[2] = {1, largest > 1 ? largest : 2};
    for (int i = 0; i < 2; i++)
        bytes[i] = (double)(INBOX_AHEAD + 1) * (double)job_message_most(job, sizes[i]) +
                   (job->values.staged ? (double)job_package_most(job, sizes[i]) : 0) +
                   engine_memory(job, sizes[i], threads);
    const double rate = (bytes[1] - bytes[0]) / (double)(sizes[1] - sizes[0]);
    return (struct memory){.bytes = fmax(0, bytes[0] - rate), .bytes_per_task = fmax(0, rate)};
}

/* How unequal core tasks are. */
static bool spreads_fill(const struct session *session, int index, struct profile_setting *setting,
                         struct failure *failure)
{
    int64_t tasks[SPREADS_MOST];
    double deviations[SPREADS_MOST];
    const int count =
        samples_spread(&session->result->samples, index, tasks, deviations, SPREADS_MOST);
    if (count == 0)
        return true;
    setting->spreads = count > 0 ? calloc((size_t)count, sizeof *setting->spreads) : NULL;
    if (!setting->spreads)
        return failure_memory(failure, "writing the profile");
    for (int i = 0; i < count; i++)
        setting->spreads[i] = (struct spread){tasks[i], deviations[i]};
    setting->spread_count = (size_t)count;
    return true;
}

/* What a setting has beside its costs. */
static bool setting_label(const struct session *session, int64_t largest,
                          struct profile_setting *setting, struct failure *failure)
{
    char method[JOB_METHOD_SIZE];
    job_method(&session->making.job, method, sizeof method);
    setting->memory = memory_of(&session->making.job, largest, session->request->threads);
    if (method[0])
        setting->method = strdup(method);
    if (method[0] && !setting->method)
        return failure_memory(failure, "writing the profile");
    return parameters_pick(session, true, &setting->parameters, failure);
}

/* Local to the master. Nothing is added on failure. */
static bool setting_add(struct session *session, int index, int64_t largest,
                        struct failure *failure)
{
    struct profile *profile = &session->result->profile;
    size_t count = profile->setting_count;
    struct profile_setting *more = realloc(profile->settings, (count + 1) * sizeof *more);
    if (!more)
        return failure_memory(failure, "writing the profile");
    profile->settings = more;
    if (!assemble_setting(&session->result->samples, index, largest, session->comm->size - 1,
                          session->names, &more[count], failure))
        return false;
    if (!spreads_fill(session, index, &more[count], failure) ||
        !setting_label(session, largest, &more[count], failure)) {
        profile_setting_release(&more[count]);
        return false;
    }
    profile->setting_count++;
    return true;
}

/* Local to the master. On a machine that others use, timings may make no sense at first. */
static bool setting_probe(struct session *session, const struct probe_setup *setup,
                          struct failure *failure)
{
    struct samples *samples = &session->result->samples;
    struct failure senseless = FAILURE_INIT;
    int64_t before = samples->count, largest = 1;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        samples->count = before;
        senseless = (struct failure)FAILURE_INIT;
        if (!probe_lead(setup, samples, &largest, failure))
            return false;
        if (setting_add(session, setup->setting, largest, &senseless))
            return true;
    }
    return failure_set(failure, senseless.code, "%s", senseless.text);
}

static void intent_tell(const struct session *session, int index)
{
    const struct calibration_request *request = session->request;
    if (request->quiet)
        return;
    fprintf(stderr, "scow calibrate: probing kernel %s, setting %d of %d\n",
            request->kernel->task->name, index + 1, request->setting_count);
    if (index == 0 && (request->kernel->task->flags & SCOW_ONCE))
        fprintf(stderr,
                "scow calibrate: core tasks of this kernel have effects: probes do some for "
                "real, and more than once\n");
}

/* Collective, of a job that is made. */
static bool job_probe(struct session *session, int index, struct failure *failure)
{
    const struct calibration_request *request = session->request;
    struct probe_setup setup = {
        .comm = session->comm,
        .job = &session->making.job,
        .input = session->making.input,
        .setting = index,
        .effort = request->effort,
        .threads = request->threads,
        .scratch = session->scratch,
    };
    if (session->comm->rank != 0) {
        probe_serve(&setup, failure);
        return comm_agree(session->comm, failure);
    }
    intent_tell(session, index);
    setting_probe(session, &setup, failure);
    probe_end(&setup);
    return comm_agree(session->comm, failure);
}

/* Collective. The first setting opens the input, too. */
static bool setting_make(struct session *session, int index, struct failure *failure)
{
    const struct calibration_request *request = session->request;
    const struct scow_task *task = request->kernel->task;
    const struct values *values = &request->settings[index];
    const bool made = index == 0 ? making_start(&session->making, session->comm, task, values,
                                                request->input, failure)
                                 : making_again(&session->making, task, values, failure);
    return made && job_probe(session, index, failure);
}

static void tabs_to_spaces(char *text)
{
    for (char *tab = text; (tab = strchr(tab, '\t'));)
        *tab = ' ';
}

/* Strings that cannot be had are left out: they are notes for people. */
static void origin_fill(struct profile_origin *origin, const char *isa, int threads)
{
    char node[MPI_MAX_PROCESSOR_NAME] = "", library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    char when[32] = "";
    int length = 0;
    time_t now = time(NULL);
    struct tm utc;
    MPI_Get_processor_name(node, &length);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    tabs_to_spaces(library);
    if (gmtime_r(&now, &utc))
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    *origin = (struct profile_origin){
        .host_name = strdup(node),
        .isa = strdup(isa),
        .threads = threads,
        .mpi = strdup(library),
        .created = strdup(when),
        .version = strdup(SCOW_VERSION),
    };
}

/* Local to the master. */
static bool profile_head(struct session *session, struct failure *failure)
{
    struct profile *profile = &session->result->profile;
    origin_fill(&profile->origin, session->isa, session->request->threads);
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
    free(session->isa);
}

bool calibration_make(struct calibration *calibration, struct comm *comm,
                      const struct calibration_request *request, struct failure *failure)
{
    struct session session = {.comm = comm, .request = request, .result = calibration};
    session.making.comm = comm;
    bool good = names_gather(&session, failure);
    if (good) {
        session.isa = instructions_gather(comm);
        scratch_name(&session);
        comm_align_clocks(comm);
    }
    for (int i = 0; good && i < request->setting_count; i++)
        good = setting_make(&session, i, failure);
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
