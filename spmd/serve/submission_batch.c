/* Workers as jobs of Slurm (an array by sbatch; squeue, scancel) or PBS (qsub, qstat, qdel), with
 * the options that the environment's SCOW_SUBMIT has for the command that hands them in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/text.h"
#include "spmd/serve/submission.h"

enum { ANSWER_SIZE = 1 << 16 };

static const char *options(void)
{
    const char *given = getenv("SCOW_SUBMIT");
    return given ? given : "";
}

/* Runs the command with the worker's own as its script, and takes the job's name from what it
 * prints: its first word, up to a ';'. */
static bool batch_submit(const struct submission *submission, const char *command,
                         struct submitted_job *job, struct failure *failure)
{
    struct text text = TEXT_INIT;
    char answer[JOB_NAME_SIZE] = "";
    char *worker = submission_command(submission);
    text_add(&text, "%s %s <<'SCOW_END'\n#!/bin/sh\n%s\nSCOW_END\n", command, options(),
             worker ? worker : "exit 1");
    free(worker);
    char *whole = text_take(&text);
    const bool good = whole && submission_ask(whole, answer, sizeof answer);
    free(whole);
    answer[strcspn(answer, "; \t\n")] = '\0';
    snprintf(job->name, sizeof job->name, "%s", answer);
    return (good && answer[0] != '\0') ||
           failure_set(failure, FAILURE_FAILED,
                       "%s does not take a worker's job%s%s: try it by hand with 'scow work'",
                       submission->manager->name, options()[0] ? " with " : "", options());
}

/* Of a job whose line says so; it is over where there is none. */
static enum job_state state_of(const char *lines, const char *name)
{
    static const char waiting[] = "PQHW"; /* PD of Slurm; queued, held, not before a time of PBS */
    const size_t length = strlen(name);
    for (const char *at = lines; (at = strstr(at, name)); at += length) {
        const bool begins = at == lines || at[-1] == '\n';
        if (begins && at[length] == ' ')
            return at[length + 1] && strchr(waiting, at[length + 1]) ? JOB_WAITS : JOB_RUNS;
    }
    return JOB_OVER;
}

/* The command prints a line for each that is there: its name, a space, and its state. */
static bool batch_look(const char *command, const struct submitted_job *jobs, size_t count,
                       enum job_state *states)
{
    static char answer[ANSWER_SIZE];
    if (!submission_ask(command, answer, sizeof answer))
        return false;
    for (size_t k = 0; k < count; k++)
        states[k] = state_of(answer, jobs[k].name);
    return true;
}

static void batch_cancel(const char *command, const struct submitted_job *job)
{
    char whole[200], answer[200];
    snprintf(whole, sizeof whole, "%s '%s' 2>/dev/null", command, job->name);
    submission_ask(whole, answer, sizeof answer); /* it may be over by now */
}

/* Of an array, JOB_0 and so on: one call of sbatch, and one line of the queue. */
static bool array_submit(const struct submission *submission, struct submitted_job *jobs,
                         size_t count, struct failure *failure)
{
    /* Of a job that hands in another one, Slurm's variables would speak of the wrong job. */
    static const char command[] =
        "for name in $(env | sed -n 's/^\\(SLURM_[A-Z0-9_]*\\)=.*/\\1/p'); do [ $name = SLURM_CONF "
        "] "
        "|| unset $name; done; sbatch --parsable --job-name=scow-work";
    enum { NUMBER_SIZE = 24 }; /* which stands behind the array's */
    char whole[sizeof command + 64], name[JOB_NAME_SIZE - NUMBER_SIZE];
    if (count > 1)
        snprintf(whole, sizeof whole, "%s --array=0-%zu", command, count - 1);
    else
        snprintf(whole, sizeof whole, "%s", command);
    if (!batch_submit(submission, whole, &jobs[0], failure))
        return false;
    memcpy(name, jobs[0].name, sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (size_t k = 0; k < count && count > 1; k++)
        snprintf(jobs[k].name, sizeof jobs[k].name, "%s_%zu", name, k);
    return true;
}

/* An array has no more than MaxArraySize, 1001 unless somebody has set it. */
static bool slurm_submit(const struct submission *submission, struct submitted_job *jobs,
                         size_t *count, struct failure *failure)
{
    enum { ARRAY_MOST = 1000 };
    for (size_t k = 0, some; k < *count; k += some) {
        some = *count - k < ARRAY_MOST ? *count - k : ARRAY_MOST;
        if (!array_submit(submission, &jobs[k], some, failure)) {
            *count = k;
            return false;
        }
    }
    return true;
}

static bool slurm_look(const struct submitted_job *jobs, size_t count, enum job_state *states)
{
    return batch_look("squeue --noheader --me --array --format='%i %t'", jobs, count, states);
}

static void slurm_cancel(const struct submitted_job *job)
{
    batch_cancel("scancel", job);
}

const struct resource_manager submission_slurm = {
    .name = "slurm",
    .summary = "jobs of Slurm (options for sbatch: SCOW_SUBMIT)",
    .submit = slurm_submit,
    .look = slurm_look,
    .cancel = slurm_cancel,
};

static bool pbs_submit(const struct submission *submission, struct submitted_job *jobs,
                       size_t *count, struct failure *failure)
{
    for (size_t k = 0; k < *count; k++)
        if (!batch_submit(submission, "qsub -N scow-work", &jobs[k], failure)) {
            *count = k;
            return false;
        }
    return true;
}

static bool pbs_look(const struct submitted_job *jobs, size_t count, enum job_state *states)
{
    return batch_look("qstat | awk '$5 != \"C\" && $5 != \"F\" {print $1, $5}'", jobs, count,
                      states);
}

static void pbs_cancel(const struct submitted_job *job)
{
    batch_cancel("qdel", job);
}

const struct resource_manager submission_pbs = {
    .name = "pbs",
    .summary = "jobs of PBS (options for qsub: SCOW_SUBMIT)",
    .submit = pbs_submit,
    .look = pbs_look,
    .cancel = pbs_cancel,
};
