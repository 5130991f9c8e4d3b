#include "spmd/chunks/compute.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/command/command.h"
#include "kernel/vector/isa.h"
#include "spmd/chunks/chunks.h"
#include "spmd/chunks/part.h"
#include "spmd/job/complaint.h"
#include "spmd/job/kernel.h"
#include "spmd/job/packed_results.h"
#include "spmd/launch/documents.h"
#include "spmd/launch/launch.h"
#include "spmd/launch/making.h"
#include "spmd/run/until.h"
#include "spmd/run/usage.h"

enum { ALIGNMENT = 64 };

struct chunk_options {
    const char *folder;
    int64_t number;
    double submitted_s;
    bool version;
};

/* All that is needed to compute a chunk. */
struct chunk {
    const char *folder;
    struct chunks_job job;
    struct chunks chunks;
    struct package package;
    struct documents documents;
    struct kernel kernel;
    struct making making;
    struct engine *engine;
    char *bytes; /* owned; of the package */
    size_t size;
    struct wire_result *report; /* owned */
    char *packed;               /* owned */
    struct part_head head;
};

static bool arguments_read(int argc, char **argv, struct chunk_options *options, bool *over,
                           struct failure *failure)
{
    const struct comm alone = {.rank = 0, .size = 1};
    const struct option_row rows[] = {
        {0, "submitted", "SECONDS", OPTION_NUMBER, &options->submitted_s,
         "when this job was submitted, seconds of the system's clock (now)"},
        launch_row("version", &options->version),
    };
    const struct option_table table = {
        .usage = "scow chunk DIR NUMBER [options]",
        .purpose = "Do one chunk, from 0 on, of a job that 'scow serve --per-chunk' has prepared: "
                   "its results become a file in the folder OUTPUT.parts. An array job of a "
                   "resource manager does all chunks: its task k does chunk k.",
        .rows = rows,
        .row_count = sizeof rows / sizeof *rows,
        .epilogue = "Exit: 0 done, or done before; 1 failed, 2 usage, 4 files do not match.\n",
    };
    char *operands[2] = {NULL, NULL}, *end;
    int count = 0;
    if (!launch_options(&alone, &table, argc, argv, operands, 2, &count, &options->version, over,
                        failure) ||
        *over)
        return *over;
    options->folder = operands[0];
    options->number = count == 2 ? strtoll(operands[1], &end, 10) : -1;
    return (count == 2 && *end == '\0' && options->number >= 0) ||
           failure_set(failure, FAILURE_USAGE,
                       "say which: scow chunk DIR NUMBER, the number from 0 on");
}

/* ---- the job -------------------------------------------------------------------------------- */

static bool chunk_find(struct chunk *chunk, int64_t number, struct failure *failure)
{
    const struct comm alone = {.rank = 0, .size = 1};
    char *plan = chunks_path(chunk->folder, "plan.json", -1);
    const bool good =
        plan && chunks_job_read(&chunk->job, chunk->folder, failure) &&
        documents_read(&chunk->documents, &alone, plan, NULL, failure) &&
        chunks_make(&chunk->chunks, &chunk->job, (int64_t)chunk->documents.plan.tasks, failure);
    free(plan);
    if (good && number >= chunk->chunks.count)
        return failure_set(failure, FAILURE_USAGE,
                           "%s: has %" PRId64 " chunks, and no %" PRId64
                           ": give a number from 0 on",
                           chunk->folder, chunk->chunks.count, number);
    if (good)
        chunk->package = chunk->chunks.items[number];
    return good;
}

static bool job_make(struct chunk *chunk, const struct comm *alone, struct failure *failure)
{
    const struct plan *plan = &chunk->documents.plan;
    const struct kernel_name wanted = {plan->kernel, plan->plugin, plan->plugin_sha256};
    const char *input = chunk->job.input[0] ? chunk->job.input : NULL;
    struct values values = {0};
    bool good =
        kernel_open(&chunk->kernel, wanted, NULL, chunk->folder, failure) &&
        values_read(&values, chunk->kernel.task, &plan->parameters, chunk->folder, true, failure) &&
        making_start(&chunk->making, alone, chunk->kernel.task, &values, input, NULL, failure);
    values_release(&values);
    if (good && chunk->making.job.setup.tasks != (int64_t)plan->tasks)
        good = failure_set(failure, FAILURE_MISMATCH,
                           "%s: the plan has %.0f core tasks, its input %" PRId64
                           ": it has changed since, begin again with 'scow serve --per-chunk'",
                           chunk->folder, plan->tasks, chunk->making.job.setup.tasks);
    return good;
}

static bool package_pack(struct chunk *chunk, struct failure *failure)
{
    const struct job *job = &chunk->making.job;
    const size_t room = job_package_most(job, chunk->package.count) + JOB_GUARD;
    chunk->bytes = aligned_alloc(ALIGNMENT, (room / ALIGNMENT + 1) * ALIGNMENT);
    if (!chunk->bytes)
        return failure_memory(failure, "making room for a chunk");
    return job_pack(job, chunk->making.input, chunk->package.first, chunk->package.count,
                    chunk->bytes, &chunk->size, failure);
}

/* ---- computing ------------------------------------------------------------------------------ */

static double processor_now(void)
{
    struct run_usage usage = {0};
    usage_measure(&usage);
    return usage.processor_s;
}

static bool package_compute(struct chunk *chunk, const struct comm *alone, struct failure *failure)
{
    const int planned = chunk->documents.plan.threads;
    const int threads = planned > 0 ? planned : launch_threads(alone);
    const double before_s = processor_now();
    chunk->engine = engine_new(&chunk->making.job, chunk->package.count, threads, 1, failure);
    const bool good =
        chunk->engine &&
        engine_compute(chunk->engine, chunk->package.first, chunk->package.count, chunk->bytes,
                       chunk->size, (struct engine_pulse){NULL, NULL}, failure);
    chunk->head.times.cpu_s = processor_now() - before_s;
    return good;
}

/* Reports as a worker does (spmd/worker/worker.c). */
static bool report_fill(struct chunk *chunk, struct failure *failure)
{
    const struct job *job = &chunk->making.job;
    const struct package_results *results = engine_results(chunk->engine);
    struct wire_result *report = chunk->report;
    report->package = chunk->package;
    summary_init(&report->summary);
    engine_counts_tell(chunk->engine, &report->counts);
    if (results->state)
        memcpy(report + 1, results->state, job->state_size);
    if (!summary_add(&report->summary, job, results, failure))
        return false;
    if (report->summary.failed > 0) {
        struct wire_trouble trouble = {results->rejection, FAILURE_INIT};
        complaint_find(job, results, trouble.rejection.task, trouble.rejection.output,
                       sizeof trouble.rejection.output);
        wire_result_trouble(report, job->state_size, &trouble);
    }
    return true;
}

static bool results_pack(struct chunk *chunk, struct failure *failure)
{
    const struct job *job = &chunk->making.job;
    const struct package_results *results = engine_results(chunk->engine);
    const size_t size = packed_results_size(job, results);
    if (size > LINK_MOST)
        return failure_set(failure, FAILURE_FAILED,
                           "chunk %" PRId64 " has %.1f GB of results, and at most %.1f GB are "
                           "collected at once: give the rule smaller chunks",
                           chunk->package.index, (double)size / 1e9, (double)LINK_MOST / 1e9);
    chunk->report = calloc(1, wire_result_size(job->state_size, true));
    chunk->packed = aligned_alloc(ALIGNMENT, (size / ALIGNMENT + 1) * ALIGNMENT);
    if (!chunk->report || !chunk->packed)
        return failure_memory(failure, "packing a chunk's results");
    if (!report_fill(chunk, failure))
        return false;
    packed_results_fill(job, results, chunk->packed);
    wire_result_return(chunk->report, chunk->packed, size);
    wire_result_seal(chunk->report, job->state_size);
    chunk->head.packed_size = size;
    chunk->head.report_size = wire_result_size(job->state_size, chunk->report->troubled);
    return true;
}

static bool chunk_run(struct chunk *chunk, const struct chunk_options *options,
                      struct failure *failure)
{
    const struct comm alone = {
        .rank = 0, .size = 1, .workers_on_node = 1, .nodes = 1, .first_on_node = true};
    struct part_head *head = &chunk->head;
    part_head_init(head);
    head->times.begun_s = until_now();
    head->times.submitted_s = options->submitted_s > 0 ? options->submitted_s : head->times.begun_s;
    if (!chunk_find(chunk, options->number, failure) || !job_make(chunk, &alone, failure))
        return false;
    head->package = chunk->package;
    job_method(&chunk->making.job, head->method, sizeof head->method);
    const double read_s = clock_now();
    if (!package_pack(chunk, failure))
        return false;
    head->times.transfer_s = clock_now() - read_s;
    if (!package_compute(chunk, &alone, failure) || !results_pack(chunk, failure))
        return false;
    char *path = chunks_path(chunk->folder, "chunk", options->number);
    const bool good = path ? part_write(path, head, chunk->report, chunk->packed, failure)
                           : failure_memory(failure, "writing a chunk's results");
    free(path);
    return good;
}

static void chunk_release(struct chunk *chunk)
{
    engine_free(&chunk->engine);
    making_release(&chunk->making);
    kernel_close(&chunk->kernel);
    documents_release(&chunk->documents);
    chunks_release(&chunk->chunks);
    free(chunk->bytes);
    free(chunk->report);
    free(chunk->packed);
}

int chunk_main(int argc, char **argv)
{
    struct chunk_options options = {.number = -1};
    struct failure failure = FAILURE_INIT;
    bool over = false;
    signal(SIGXFSZ, SIG_IGN);
    command_spawner_begin(); /* forks, so it must come before there are threads */
    if (arguments_read(argc, argv, &options, &over, &failure) && !over) {
        struct chunk chunk = {.folder = options.folder};
        chunk_run(&chunk, &options, &failure);
        chunk_release(&chunk);
    }
    if (failure.code != FAILURE_NONE)
        fprintf(stderr, "scow chunk: %s\n", failure.text);
    return (int)failure.code;
}
