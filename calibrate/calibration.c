#include "calibrate/calibration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calibrate/assemble.h"
#include "spmd/input/image.h"
#include "spmd/job/instructions.h"
#include "spmd/job/job.h"
#include "spmd/job/method.h"

enum { NAME_BYTES = 64, PATH_BYTES = 4096, ATTEMPTS = 3 };

/* A calibration under way. */
struct bench {
    struct comm *comm;
    const struct calibration_request *request;
    struct calibration *result;
    struct kernel_setup setup;
    struct image *image; /* the master's */
    char **names;        /* the master's: of the workers, owned */
    char *isa;           /* which rank computes with which instruction set; owned */
    char scratch[PATH_BYTES];
};

/* Collective. */
static bool input_open(struct bench *bench, struct failure *failure)
{
    struct extent *extent = &bench->setup.extent;
    if (bench->comm->rank == 0) {
        bench->image = image_open(bench->request->input, failure);
        if (bench->image)
            *extent = *image_shape(bench->image);
    }
    if (!comm_agree(bench->comm, failure))
        return false;
    comm_broadcast(bench->comm, extent, sizeof *extent);
    return true;
}

/* Collective. A file that no two calibrations share. */
static void scratch_name(struct bench *bench)
{
    snprintf(bench->scratch, sizeof bench->scratch, "%s/scow-probe-%ld.h5", bench->request->scratch,
             (long)getpid());
    comm_broadcast(bench->comm, bench->scratch, sizeof bench->scratch);
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
static bool names_gather(struct bench *bench, struct failure *failure)
{
    const struct comm *comm = bench->comm;
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
        bench->names = names_split(all, comm->size - 1);
    if (good && comm->rank == 0 && !bench->names)
        failure_memory(failure, "naming the workers");
    free(all);
    return comm_agree(comm, failure);
}

/* Local to the master. How tasks of that job are computed; owned; NULL: out of memory. */
static char *method_of(const struct job *job)
{
    char method[KERNEL_METHOD_BYTES];
    job->kernel->describe(job->made, method, sizeof method);
    return strdup(method);
}

/* Local to the master. Nothing is added on failure. */
static bool setting_add(struct bench *bench, const struct job *job, int64_t largest,
                        struct failure *failure)
{
    struct profile *profile = &bench->result->profile;
    size_t count = profile->setting_count;
    struct profile_setting *more = realloc(profile->settings, (count + 1) * sizeof *more);
    if (!more)
        return failure_memory(failure, "writing the profile");
    profile->settings = more;
    char *method = method_of(job);
    if (!method)
        return failure_memory(failure, "writing the profile");
    if (!assemble_setting(&bench->result->samples, job->setup.block, largest, bench->comm->size - 1,
                          bench->names, &more[count], failure)) {
        free(method);
        return false;
    }
    more[count].method = method;
    profile->setting_count++;
    return true;
}

/* Local to the master. On a machine that others use, timings may make no sense at first. */
static bool setting_probe(struct bench *bench, const struct probe_setup *setup,
                          struct failure *failure)
{
    struct samples *samples = &bench->result->samples;
    struct failure senseless = FAILURE_INIT;
    int64_t before = samples->count, largest = 1;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        samples->count = before;
        senseless = (struct failure)FAILURE_INIT;
        if (!probe_lead(setup, bench->image, samples, &largest, failure))
            return false;
        if (setting_add(bench, setup->job, largest, &senseless))
            return true;
    }
    return failure_set(failure, senseless.code, "%s", senseless.text);
}

/* Collective, of a job that fits. */
static bool job_probe(struct bench *bench, const struct job *job, struct failure *failure)
{
    const struct calibration_request *request = bench->request;
    struct probe_setup setup = {
        .comm = bench->comm,
        .job = job,
        .effort = request->effort,
        .threads = request->threads,
        .scratch = bench->scratch,
    };
    if (bench->comm->rank != 0) {
        probe_serve(&setup, failure);
        return comm_agree(bench->comm, failure);
    }
    if (!request->quiet)
        fprintf(stderr, "scow calibrate: probing blocks of %d pixels\n", job->setup.block);
    setting_probe(bench, &setup, failure);
    probe_end(&setup);
    return comm_agree(bench->comm, failure);
}

/* Collective. */
static bool block_probe(struct bench *bench, int block, struct failure *failure)
{
    struct job job = {0};
    bench->setup.block = block;
    job_init(&job, bench->request->kernel, &bench->setup, bench->request->input, failure);
    bool good = comm_agree(bench->comm, failure) && method_agree(bench->comm, &job, failure) &&
                job_probe(bench, &job, failure);
    job_release(&job);
    return good;
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
static bool profile_head(struct bench *bench, struct failure *failure)
{
    struct profile *profile = &bench->result->profile;
    origin_fill(&profile->origin, bench->isa, bench->request->threads);
    profile->kernel = strdup(bench->request->kernel->name);
    if (!profile->kernel)
        return failure_memory(failure, "writing the profile");
    return job_describe(bench->request->kernel, &bench->setup, &profile->parameters, failure);
}

static void bench_release(struct bench *bench)
{
    image_close(&bench->image);
    for (int i = 0; bench->names && i < bench->comm->size - 1; i++)
        free(bench->names[i]);
    free(bench->names);
    free(bench->isa);
}

bool calibration_make(struct calibration *calibration, struct comm *comm,
                      const struct calibration_request *request, struct failure *failure)
{
    struct bench bench = {.comm = comm, .request = request, .result = calibration};
    memcpy(bench.setup.values, request->values,
           (size_t)request->kernel->parameter_count * sizeof(double));
    request->kernel->settle(&bench.setup); /* for the master's processor, on every rank */
    comm_broadcast(comm, bench.setup.values, sizeof bench.setup.values);
    bool good = input_open(&bench, failure) && names_gather(&bench, failure);
    if (good) {
        bench.isa = instructions_gather(comm);
        scratch_name(&bench);
        comm_align_clocks(comm);
    }
    for (int i = 0; good && i < request->block_count; i++)
        good = block_probe(&bench, request->blocks[i], failure);
    if (good && comm->rank == 0)
        profile_head(&bench, failure);
    bench_release(&bench);
    return comm_agree(comm, failure);
}

void calibration_release(struct calibration *calibration)
{
    samples_release(&calibration->samples);
    profile_release(&calibration->profile);
}
