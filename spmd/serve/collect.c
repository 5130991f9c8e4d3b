#include "spmd/serve/collect.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "spmd/chunks/chunks.h"
#include "spmd/chunks/part.h"
#include "spmd/launch/documents.h"
#include "spmd/launch/launch.h"
#include "spmd/serve/serve.h"

struct collect_options {
    char *folder;
    const char *output;
    bool quiet, json, version;
};

/* What the chunks of one machine took. */
struct resource {
    char host[64];
    int64_t chunks;
    double cpu_s, transfer_s, queue_s; /* sums over its chunks */
};

struct resources {
    struct resource *items; /* owned */
    int64_t count;
    double begun_s, ended_s; /* of all chunks */
};

static bool arguments_read(int argc, char **argv, struct collect_options *options, bool *over,
                           struct failure *failure)
{
    const struct comm alone = {.rank = 0, .size = 1};
    const struct option_row rows[] = {
        {'o', "output", "FILE", OPTION_TEXT, &options->output, "HDF5 file to create"},
        {0, "json", NULL, OPTION_FLAG, &options->json,
         "tell what chunks took as JSON, and nothing else"},
        launch_row("quiet", &options->quiet),
        launch_row("version", &options->version),
    };
    const struct option_table table = {
        .usage = "scow collect DIR -o FILE [options]",
        .purpose = "Write the results of a job in chunks (scow serve --per-chunk) from the files "
                   "in its folder to one output. Tells for each machine what a chunk took on "
                   "average (processor, reading and writing, waiting in the queue), and for which "
                   "share of the whole time its processors worked.",
        .rows = rows,
        .row_count = sizeof rows / sizeof *rows,
        .epilogue =
            "Exit: 0 done, 1 failed, 2 usage, 4 files do not match, 75 chunks are missing.\n",
    };
    int count = 0;
    if (!launch_options(&alone, &table, argc, argv, &options->folder, 1, &count, &options->version,
                        over, failure) ||
        *over)
        return *over;
    if (count == 0)
        return failure_set(failure, FAILURE_USAGE,
                           "the folder of chunks is missing: see scow collect --help");
    return chunks_folder_check(options->folder, failure) &&
           (options->output ||
            failure_set(failure, FAILURE_USAGE,
                        "the output (-o FILE) is missing: see scow collect --help"));
}

/* ---- what chunks took ------------------------------------------------------------------------ */

static struct resource *resource_of(struct resources *resources, const char *host)
{
    int64_t k = 0;
    while (k < resources->count && strcmp(resources->items[k].host, host) != 0)
        k++;
    struct resource *resource = &resources->items[k];
    if (k == resources->count) {
        resources->count++;
        snprintf(resource->host, sizeof resource->host, "%s", host);
    }
    return resource;
}

static void times_add(struct resources *resources, const struct part_head *head)
{
    const struct part_times *times = &head->times;
    struct resource *resource = resource_of(resources, head->host);
    resource->chunks++;
    resource->cpu_s += times->cpu_s;
    resource->transfer_s += times->transfer_s;
    resource->queue_s += fmax(0, times->begun_s - times->submitted_s);
    resources->begun_s = fmin(resources->begun_s, times->submitted_s);
    resources->ended_s = fmax(resources->ended_s, times->ended_s);
}

/* Prints means over the chunks of each resource, and U, its processor time divided by T_wall, as
 * table 3 of Herrera et al. does. */
static void resources_print(const struct resources *resources)
{
    const double wall_s = resources->ended_s - resources->begun_s;
    printf("%-16s %7s %11s %11s %11s %7s\n", "resource", "chunks", "T_cpu", "T_xfr", "T_queue",
           "U");
    for (int64_t k = 0; k < resources->count; k++) {
        const struct resource *resource = &resources->items[k];
        const double chunks = (double)resource->chunks;
        printf("%-16s %7" PRId64 " %9.3f s %9.3f s %9.3f s %5.0f %%\n", resource->host,
               resource->chunks, resource->cpu_s / chunks, resource->transfer_s / chunks,
               resource->queue_s / chunks, wall_s > 0 ? 100 * resource->cpu_s / wall_s : 0);
    }
    printf("T_wall %.3f s\n", wall_s);
}

/* Writes the same as JSON, with U as a fraction. */
static bool resources_json(const struct resources *resources, struct failure *failure)
{
    const double wall_s = resources->ended_s - resources->begun_s;
    struct text text = TEXT_INIT;
    struct json_text all = json_open(&text, "{", ", ");
    json_number(&all, "wall_s", wall_s);
    struct json_text list = json_open_in(&all, "resources", "[", ", ");
    for (int64_t k = 0; k < resources->count; k++) {
        const struct resource *resource = &resources->items[k];
        const double chunks = (double)resource->chunks;
        struct json_text one = json_open_in(&list, NULL, "{", ", ");
        json_word(&one, "resource", resource->host);
        json_count(&one, "chunks", resource->chunks);
        json_number(&one, "mean_cpu_s", resource->cpu_s / chunks);
        json_number(&one, "mean_transfer_s", resource->transfer_s / chunks);
        json_number(&one, "mean_queue_s", resource->queue_s / chunks);
        json_number(&one, "utilization", wall_s > 0 ? resource->cpu_s / wall_s : 0);
        json_close(&one, "}");
    }
    json_close(&list, "]");
    json_close(&all, "}\n");
    return text_print(&text, "telling what chunks took", failure);
}

/* Reads what every chunk took; fails where some are missing, naming the first of them. */
static bool parts_look(const char *folder, const struct chunks *chunks, struct resources *resources,
                       struct failure *failure)
{
    int64_t missing = 0, first = -1;
    resources->items = calloc((size_t)chunks->count + 1, sizeof *resources->items);
    if (!resources->items)
        return failure_memory(failure, "reading chunks");
    resources->begun_s = HUGE_VAL;
    for (int64_t k = 0; k < chunks->count; k++) {
        struct part_head head;
        char *path = chunks_path(folder, "chunk", k);
        const struct package *chunk = &chunks->items[k];
        if (path && part_head_read(&head, path) && head.package.first == chunk->first &&
            head.package.count == chunk->count)
            times_add(resources, &head);
        else if (missing++ == 0)
            first = k;
        free(path);
    }
    return missing == 0 ||
           failure_set(failure, FAILURE_STOPPED,
                       "%s: %" PRId64 " of %" PRId64 " chunks %s missing, or of another build, the "
                       "first of them %" PRId64 ": do them with 'scow chunk', or serve again with "
                       "--resume",
                       folder, missing, chunks->count, missing == 1 ? "is" : "are", first);
}

static bool folder_look(const char *folder, const char *plan, struct chunks_job *job,
                        struct resources *resources, struct failure *failure)
{
    const struct comm alone = {.rank = 0, .size = 1};
    struct documents documents = {0};
    struct chunks chunks = {.items = NULL};
    const bool good = chunks_job_read(job, folder, failure) &&
                      documents_read(&documents, &alone, plan, NULL, failure) &&
                      chunks_make(&chunks, job, (int64_t)documents.plan.tasks, failure) &&
                      parts_look(folder, &chunks, resources, failure);
    chunks_release(&chunks);
    documents_release(&documents);
    return good;
}

/* Runs a master with one worker, which returns the results that are in the files. */
static int parts_serve(const struct collect_options *options, struct chunks_job *job, char *plan)
{
    char workers[32], *output = strdup(options->output);
    char serve[] = "scow-serve", i[] = "-i", o[] = "-o", s[] = "-s", members[] = "--members",
         submit[] = "--submit", local[] = "local", n[] = "-n", one[] = "1", parts[] = "--parts",
         quiet[] = "-q";
    char *words[] = {serve,   plan,   o,          output, s,   job->rule, members,
                     workers, submit, local,      n,      one, parts,     options->folder,
                     quiet,   i,      job->input, NULL};
    const int count = (int)(sizeof words / sizeof *words) - 1 - (job->input[0] ? 0 : 2);
    snprintf(workers, sizeof workers, "%" PRId64, job->workers);
    words[count] = NULL;
    const int code =
        output ? serve_as("scow collect", !options->json, count, words) : (int)FAILURE_FAILED;
    free(output);
    return code;
}

int collect_main(int argc, char **argv)
{
    struct collect_options options = {.folder = NULL};
    struct failure failure = FAILURE_INIT;
    struct resources resources = {.items = NULL};
    struct chunks_job job;
    char *plan = NULL;
    bool over = false;
    int code = 0;
    if (arguments_read(argc, argv, &options, &over, &failure) && !over) {
        plan = chunks_path(options.folder, "plan.json", -1);
        if (!plan)
            failure_memory(&failure, "reading chunks");
        else if (folder_look(options.folder, plan, &job, &resources, &failure)) {
            if (!options.json && !options.quiet)
                resources_print(&resources);
            if (!options.json || resources_json(&resources, &failure))
                code = parts_serve(&options, &job, plan);
        }
    }
    free(resources.items);
    free(plan);
    if (failure.code == FAILURE_NONE)
        return code;
    fprintf(stderr, "scow collect: %s\n", failure.text);
    return (int)failure.code;
}
