#include "spmd/serve/per_chunk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "planner/files/textfile.h"
#include "spmd/chunks/chunks.h"
#include "spmd/launch/launch.h"
#include "spmd/protocol/interrupt.h"
#include "spmd/run/until.h"
#include "spmd/transport/clock.h"

/* If a chunk's job ends without results, it is submitted again so many times. */
enum { TRIES_MORE = 3 };
/* Seconds between two looks at the jobs. Looking at local ones costs next to nothing, while a
 * resource manager is a service that others use, too. */
static const double look_every_s = 5, look_local_s = 0.05;

enum chunk_state { CHUNK_WAITS, CHUNK_SENT, CHUNK_DONE, CHUNK_GIVEN_UP };

struct chunk_job {
    enum chunk_state state;
    int tries;
    struct submitted_job job;
};

struct handing_out {
    const struct per_chunk *setup;
    const char *folder;
    struct chunks chunks;
    struct chunk_job *jobs; /* owned; by chunk */
    int64_t counts[CHUNK_GIVEN_UP + 1];
};

/* ---- the folder ----------------------------------------------------------------------------- */

/* Owned; NULL: out of memory. */
static char *folder_name(const char *output)
{
    const size_t size = strlen(output) + 8;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s.parts", output);
    return name;
}

/* Does the file contain exactly this text? */
static bool file_says(const char *path, const char *text)
{
    struct failure unread = FAILURE_INIT;
    size_t length;
    char *there = textfile_read(path, &length, &unread);
    const bool same = there && strcmp(there, text) == 0;
    free(there);
    return same;
}

/* Writes the file or, where the folder was there before, checks that it has this text. */
static bool file_settle(const char *folder, const char *name, const char *text, bool there,
                        struct failure *failure)
{
    char *path = chunks_path(folder, name, -1);
    bool good = path || failure_memory(failure, "preparing chunks");
    if (good && there && !file_says(path, text))
        good =
            failure_set(failure, FAILURE_MISMATCH,
                        "%s: is of another plan, rule, number of workers or input: remove it, or "
                        "give those again",
                        folder);
    else if (good && !there)
        good = textfile_write(path, text, failure);
    free(path);
    return good;
}

static bool job_fill(const struct per_chunk *setup, struct chunks_job *job, struct failure *failure)
{
    *job = (struct chunks_job){.workers = setup->workers};
    if (strlen(setup->rule) >= sizeof job->rule)
        return failure_set(failure, FAILURE_USAGE,
                           "the rule is too long: '%.60s...': give fewer options", setup->rule);
    snprintf(job->rule, sizeof job->rule, "%s", setup->rule);
    if (setup->input && !realpath(setup->input, job->input))
        return failure_set(failure, FAILURE_MISMATCH, "cannot open '%s': %s; check the name",
                           setup->input, strerror(errno));
    return true;
}

static bool folder_make(const struct per_chunk *setup, const struct chunks_job *job,
                        const char *folder, struct failure *failure)
{
    char text[sizeof *job + 128];
    const bool made = mkdir(folder, 0777) == 0;
    if (!made && errno != EEXIST)
        return failure_set(failure, FAILURE_FAILED,
                           "%s: cannot be made: %s: choose a place that you can write to", folder,
                           strerror(errno));
    if (!made && !setup->resume)
        return failure_set(failure, FAILURE_USAGE,
                           "%s: is there: add --resume to go on with it, or remove it", folder);
    chunks_job_print(job, text, sizeof text);
    return file_settle(folder, "plan.json", setup->plan_text, !made, failure) &&
           file_settle(folder, "job", text, !made, failure);
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static void state_set(struct handing_out *out, int64_t number, enum chunk_state state)
{
    out->counts[out->jobs[number].state]--;
    out->counts[state]++;
    out->jobs[number].state = state;
}

static bool is_there(const struct handing_out *out, int64_t number)
{
    char *path = chunks_path(out->folder, "chunk", number);
    const bool there = path && access(path, R_OK) == 0;
    free(path);
    return there;
}

static bool handing_out_begin(struct handing_out *out, const struct chunks_job *job,
                              struct failure *failure)
{
    if (!chunks_make(&out->chunks, job, (int64_t)out->setup->plan->tasks, failure))
        return false;
    out->jobs = calloc((size_t)out->chunks.count + 1, sizeof *out->jobs);
    if (!out->jobs)
        return failure_memory(failure, "preparing chunks");
    out->counts[CHUNK_WAITS] = out->chunks.count;
    for (int64_t k = 0; k < out->chunks.count; k++)
        if (is_there(out, k))
            state_set(out, k, CHUNK_DONE);
    return true;
}

static bool chunk_submit(struct handing_out *out, int64_t number, struct failure *failure)
{
    struct chunk_job *chunk = &out->jobs[number];
    struct text text = TEXT_INIT;
    char whole[PATH_MAX];
    submission_program_add(&text, "scow-chunk");
    launch_word_add(&text, realpath(out->folder, whole) ? whole : out->folder);
    text_add(&text, " %" PRId64 " --submitted %.3f", number, until_now());
    char *command = text_take(&text);
    const struct submission submission = {.manager = out->setup->manager, .command = command};
    chunk->job = (struct submitted_job){.since_s = until_now()};
    size_t one = 1;
    const bool good = command ? submission.manager->submit(&submission, &chunk->job, &one, failure)
                              : failure_memory(failure, "submitting a chunk");
    free(command);
    chunk->tries++;
    if (good)
        state_set(out, number, CHUNK_SENT);
    return good;
}

static bool chunks_submit(struct handing_out *out, struct failure *failure)
{
    for (int64_t k = 0; k < out->chunks.count; k++) {
        if (out->counts[CHUNK_SENT] >= out->setup->workers)
            return true;
        if (out->jobs[k].state == CHUNK_WAITS && !chunk_submit(out, k, failure))
            return false;
    }
    return true;
}

/* The chunk's job has ended: notes whether it left its results. */
static void chunk_settle(struct handing_out *out, int64_t number)
{
    const struct chunk_job *chunk = &out->jobs[number];
    const bool done = is_there(out, number), again = chunk->tries <= TRIES_MORE;
    if (!done)
        fprintf(stderr, "scow serve: the job of chunk %" PRId64 " (%s) ends without results: %s\n",
                number, chunk->job.name, again ? "it is submitted again" : "it is given up");
    state_set(out, number, done ? CHUNK_DONE : again ? CHUNK_WAITS : CHUNK_GIVEN_UP);
}

/* Looks at all jobs that are submitted, in the order of chunks. */
static bool jobs_look(struct handing_out *out, struct failure *failure)
{
    const size_t most = (size_t)out->counts[CHUNK_SENT];
    struct submitted_job *jobs = calloc(most + 1, sizeof *jobs);
    enum job_state *states = calloc(most + 1, sizeof *states);
    size_t count = 0;
    const bool memory = (jobs && states) || failure_memory(failure, "looking after chunks");
    for (int64_t k = 0; memory && k < out->chunks.count; k++)
        if (out->jobs[k].state == CHUNK_SENT)
            jobs[count++] = out->jobs[k].job;
    if (memory && out->setup->manager->look(jobs, count, states)) {
        count = 0;
        for (int64_t k = 0; k < out->chunks.count; k++)
            if (out->jobs[k].state == CHUNK_SENT && states[count++] == JOB_OVER)
                chunk_settle(out, k);
    }
    free(jobs);
    free(states);
    return memory;
}

static bool all_hand_out(struct handing_out *out, struct failure *failure)
{
    const bool local = out->setup->manager == &submission_local;
    while (out->counts[CHUNK_WAITS] + out->counts[CHUNK_SENT] > 0) {
        if (interrupt_asked())
            return failure_set(failure, FAILURE_STOPPED,
                               "stopped as asked: %" PRId64 " of %" PRId64
                               " chunks are done: run the same again with --resume to go on",
                               out->counts[CHUNK_DONE], out->chunks.count);
        if (!chunks_submit(out, failure))
            return false;
        clock_nap(local ? look_local_s : look_every_s);
        if (!jobs_look(out, failure))
            return false;
    }
    const int64_t lost = out->counts[CHUNK_GIVEN_UP];
    return lost == 0 ||
           failure_set(failure, FAILURE_FAILED,
                       "%" PRId64 " chunk%s could not be done in %d tries: look at what their jobs "
                       "printed, and run the same again with --resume to try again",
                       lost, lost == 1 ? "" : "s", TRIES_MORE + 1);
}

static void handing_out_end(struct handing_out *out)
{
    for (int64_t k = 0; out->jobs && k < out->chunks.count; k++)
        if (out->jobs[k].state == CHUNK_SENT)
            out->setup->manager->cancel(&out->jobs[k].job);
    free(out->jobs);
    chunks_release(&out->chunks);
}

static void handing_out_say(const struct handing_out *out)
{
    if (!out->setup->quiet)
        fprintf(stderr, "scow serve: %s: %" PRId64 " chunks by %s, %" PRId64 " done\n", out->folder,
                out->chunks.count, out->setup->rule, out->counts[CHUNK_DONE]);
}

/* Prints commands with which the user can submit the chunks where this program does not. */
static void by_hand_say(const struct handing_out *out)
{
    printf("sbatch --array=0-%" PRId64 " --wrap 'scow chunk %s $SLURM_ARRAY_TASK_ID'\n"
           "scow collect %s -o %s\n",
           out->chunks.count - 1, out->folder, out->folder, out->setup->output);
}

bool per_chunk_run(const struct per_chunk *setup, char **folder, struct failure *failure)
{
    struct chunks_job job;
    struct handing_out out = {.setup = setup};
    *folder = folder_name(setup->output);
    if (!*folder)
        return failure_memory(failure, "naming chunks");
    out.folder = *folder;
    bool good = chunks_rule_check(setup->rule, failure) && job_fill(setup, &job, failure) &&
                folder_make(setup, &job, *folder, failure) &&
                handing_out_begin(&out, &job, failure);
    if (good)
        handing_out_say(&out);
    if (good && setup->manager)
        good = all_hand_out(&out, failure);
    else if (good)
        by_hand_say(&out);
    handing_out_end(&out);
    return good;
}
