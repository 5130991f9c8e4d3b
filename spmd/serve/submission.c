#include "spmd/serve/submission.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/base/array.h"
#include "planner/base/nearest.h"
#include "planner/base/text.h"
#include "spmd/launch/launch.h"
#include "spmd/node/command_answer.h"
#include "spmd/run/until.h"

static const double look_every_s = 5;
/* A worker that ends within so many seconds did next to nothing. After so many of them in a row no
 * more are submitted. */
static const double vain_s = 10;
enum { VAIN_MOST = 5 };

static const struct resource_manager *const managers[] = {&submission_local, &submission_slurm,
                                                          &submission_pbs};

const struct resource_manager *submission_find(const char *name, struct failure *failure)
{
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = name};
    for (size_t k = 0; k < sizeof managers / sizeof(struct resource_manager *); k++) {
        if (strcmp(managers[k]->name, name) == 0)
            return managers[k];
        nearest_try(&nearest, managers[k]->name);
    }
    failure_set(failure, FAILURE_USAGE, "--submit '%.40s': %s", name,
                nearest_hint(&nearest, "", "give local, slurm or pbs", hint));
    return NULL;
}

void submission_program_add(struct text *text, const char *program)
{
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - NAME_MAX - 2);
    own[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(own, '/');
    if (slash)
        *slash = '\0';
    text_add(text, "exec");
    snprintf(own + strlen(own), NAME_MAX, "/%s", program);
    launch_word_add(text, own);
}

/* The path is made absolute where possible, because jobs may start in another directory. */
static void path_add(struct text *text, const char *path)
{
    char whole[PATH_MAX];
    launch_word_add(text, realpath(path, whole) ? whole : path);
}

char *submission_command(const struct submission *submission)
{
    struct text text = TEXT_INIT;
    if (submission->command)
        return strdup(submission->command);
    submission_program_add(&text, "scow-work");
    path_add(&text, submission->access);
    if (submission->parts) {
        text_add(&text, " --parts");
        path_add(&text, submission->parts);
    }
    return text_take(&text);
}

bool submission_ask(const char *command, char *answer, size_t size)
{
    char shell[] = "sh", option[] = "-c", *whole = strdup(command);
    char *const words[] = {shell, option, whole, NULL};
    const bool good = whole && command_answer(words, answer, size);
    free(whole);
    return good;
}

/* Submits workers until `wanted` are submitted. */
static bool all_submit(struct submission *submission, int64_t wanted, struct failure *failure)
{
    const size_t had = submission->count, all = (size_t)wanted;
    if (had >= all)
        return true;
    struct submitted_job *jobs =
        array_reserve(submission->jobs, &submission->capacity, all, sizeof *jobs);
    if (!jobs)
        return failure_memory(failure, "submitting workers");
    submission->jobs = jobs;
    for (size_t k = had; k < all; k++)
        jobs[k] = (struct submitted_job){.since_s = until_now()};
    size_t count = all - had;
    const bool good = submission->manager->submit(submission, &jobs[had], &count, failure);
    submission->count += count;
    submission->submitted += (int64_t)count;
    return good;
}

bool submission_begin(struct submission *submission, const struct resource_manager *manager,
                      const char *speaker, const char *access, const char *parts, int64_t wanted,
                      struct failure *failure)
{
    *submission = (struct submission){.manager = manager,
                                      .speaker = speaker,
                                      .access = access,
                                      .parts = parts,
                                      .wanted = wanted,
                                      .looked_s = until_now()};
    return all_submit(submission, wanted, failure);
}

static void over_drop(struct submission *submission, enum job_state *states, double now_s)
{
    size_t left = 0;
    for (size_t k = 0; k < submission->count; k++) {
        const struct submitted_job job = submission->jobs[k];
        states[left] = states[k];
        if (states[k] != JOB_OVER)
            submission->jobs[left++] = job;
        else
            submission->in_vain = now_s - job.since_s < vain_s ? submission->in_vain + 1 : 0;
    }
    submission->count = left;
}

/* Cancels workers that still wait in the queue, the last ones first. Those that run are kept,
 * because they may have packages that others wait for. */
static void waiting_take_back(struct submission *submission, const enum job_state *states,
                              int64_t wanted)
{
    for (size_t k = submission->count; k > 0 && (int64_t)submission->count > wanted; k--)
        if (states[k - 1] == JOB_WAITS) {
            submission->manager->cancel(&submission->jobs[k - 1]);
            submission->count--;
            memmove(&submission->jobs[k - 1], &submission->jobs[k],
                    (submission->count - (k - 1)) * sizeof *submission->jobs);
        }
}

static void stop(struct submission *submission, const char *why)
{
    submission->over = true;
    fprintf(stderr, "%s: no more workers are submitted: %s; workers may still join\n",
            submission->speaker, why);
}

void submission_tick(void *self, int64_t left)
{
    struct submission *submission = self;
    const double now_s = until_now();
    const int64_t wanted = left < submission->wanted ? left : submission->wanted;
    struct failure failure = FAILURE_INIT;
    if (submission->over || now_s - submission->looked_s < look_every_s)
        return;
    submission->looked_s = now_s;
    enum job_state *states = calloc(submission->count + 1, sizeof *states);
    if (states && submission->manager->look(submission->jobs, submission->count, states)) {
        over_drop(submission, states, now_s);
        waiting_take_back(submission, states, wanted);
    }
    free(states);
    if (submission->in_vain >= VAIN_MOST)
        stop(submission, "one after the other ends at once");
    else if (!all_submit(submission, wanted, &failure))
        stop(submission, failure.text);
}

void submission_end(struct submission *submission)
{
    for (size_t k = 0; k < submission->count; k++)
        submission->manager->cancel(&submission->jobs[k]);
    free(submission->jobs);
    *submission = (struct submission){.manager = NULL};
}
