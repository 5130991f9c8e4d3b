/* Workers as jobs of Slurm (sbatch, squeue, scancel) or PBS (qsub, qstat, qdel), as arrays where
 * these have such, with the options that the environment's SCOW_SUBMIT has for the command that
 * hands them in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/text.h"
#include "spmd/serve/submission.h"

enum { ANSWER_SIZE = 1 << 16, COMMAND_SIZE = 256 };
/* Slurm's arrays have up to 1001 jobs (MaxArraySize) unless somebody has set that, PBS's more. */
enum { ARRAY_MOST = 1000 };

/* How one of them takes jobs. */
struct batch {
    const char *submit; /* a shell's command that hands in what is in a file, its last word */
    const char *range;  /* its option for an array, to be followed by the last number; NULL: none */
    /* Of an array by that name, job `number`. False: nobody can tell its jobs. */
    bool (*part_name)(const char *array, size_t number, char name[JOB_NAME_SIZE]);
    const char *cancel;
};

static const char *options(void)
{
    const char *given = getenv("SCOW_SUBMIT");
    return given ? given : "";
}

/* Runs the command with the worker's own as its script, and takes the job's name from what it
 * prints: its first word, up to a ';'. */
static bool script_submit(const struct submission *submission, const char *command,
                          char name[JOB_NAME_SIZE], struct failure *failure)
{
    struct text text = TEXT_INIT;
    char *worker = submission_command(submission);
    text_add(&text,
             "script=$(mktemp) && trap 'rm -f \"$script\"' EXIT && cat >\"$script\" <<'SCOW_END' "
             "&& { %s %s \"$script\"; }\n#!/bin/sh\n%s\nSCOW_END\n",
             command, options(), worker ? worker : "exit 1");
    free(worker);
    char *whole = text_take(&text);
    const bool good = whole && submission_ask(whole, name, JOB_NAME_SIZE);
    free(whole);
    name[good ? strcspn(name, "; \t\n") : 0] = '\0';
    return name[0] != '\0' ||
           failure_set(failure, FAILURE_FAILED,
                       "%s does not take a worker's job%s%s: try it by hand with 'scow work'",
                       submission->manager->name, options()[0] ? " with " : "", options());
}

/* It may be over by now. */
static void batch_cancel(const char *command, const char *name)
{
    char whole[COMMAND_SIZE], answer[COMMAND_SIZE];
    snprintf(whole, sizeof whole, "%s '%s'", command, name);
    submission_ask(whole, answer, sizeof answer);
}

/* By one call. False: there is none. */
static bool array_submit(const struct batch *batch, const struct submission *submission,
                         struct submitted_job *jobs, size_t count)
{
    struct failure refused = FAILURE_INIT;
    char command[2 * COMMAND_SIZE], array[JOB_NAME_SIZE] = "";
    bool known = true;
    snprintf(command, sizeof command, "%s %s0-%zu", batch->submit, batch->range, count - 1);
    if (!script_submit(submission, command, array, &refused))
        return false;
    for (size_t k = 0; k < count && known; k++)
        known = batch->part_name(array, k, jobs[k].name);
    if (!known)
        batch_cancel(batch->cancel, array);
    return known;
}

/* One by one where an array is refused. */
static bool batch_submit(const struct batch *batch, const struct submission *submission,
                         struct submitted_job *jobs, size_t *count, struct failure *failure)
{
    bool arrays = batch->range != NULL;
    size_t at = 0, some;
    while (at < *count) {
        some = *count - at < ARRAY_MOST ? *count - at : ARRAY_MOST;
        arrays = arrays && some > 1 && array_submit(batch, submission, &jobs[at], some);
        if (!arrays && !script_submit(submission, batch->submit, jobs[at].name, failure))
            break;
        at += arrays ? some : 1;
    }
    const bool all = at == *count;
    *count = at;
    return all;
}

/* Of a job whose line says so; it is over where there is none. PBS may cut what stands behind its
 * number, the server's name. */
static enum job_state state_of(const char *lines, const char *name)
{
    static const char waiting[] = "PQHW"; /* PD of Slurm; queued, held, not before a time of PBS */
    const size_t length = strcspn(name, ".");
    for (const char *at = lines; at && *at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
        if (strncmp(at, name, length) == 0 && at[length] == ' ')
            return at[length + 1] && strchr(waiting, at[length + 1]) ? JOB_WAITS : JOB_RUNS;
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

/* ---- Slurm ---------------------------------------------------------------------------------- */

static bool fits(int length)
{
    return length > 0 && length < JOB_NAME_SIZE;
}

static bool slurm_part_name(const char *array, size_t number, char name[JOB_NAME_SIZE])
{
    return fits(snprintf(name, JOB_NAME_SIZE, "%s_%zu", array, number));
}

static bool slurm_submit(const struct submission *submission, struct submitted_job *jobs,
                         size_t *count, struct failure *failure)
{
    /* Of a job that hands in another one, Slurm's variables would speak of the wrong job. */
    static const struct batch slurm = {
        .submit = "for name in $(env | sed -n 's/^\\(SLURM_[A-Z0-9_]*\\)=.*/\\1/p'); do "
                  "[ $name = SLURM_CONF ] || unset $name; done; "
                  "sbatch --parsable --job-name=scow-work",
        .range = "--array=",
        .part_name = slurm_part_name,
        .cancel = "scancel"};
    return batch_submit(&slurm, submission, jobs, count, failure);
}

static bool slurm_look(const struct submitted_job *jobs, size_t count, enum job_state *states)
{
    return batch_look("squeue --noheader --me --array --format='%i %t'", jobs, count, states);
}

static void slurm_cancel(const struct submitted_job *job)
{
    batch_cancel("scancel", job->name);
}

const struct resource_manager submission_slurm = {
    .name = "slurm",
    .summary = "jobs of Slurm (options for sbatch: SCOW_SUBMIT)",
    .submit = slurm_submit,
    .look = slurm_look,
    .cancel = slurm_cancel,
};

/* ---- PBS ------------------------------------------------------------------------------------ */

/* Of "12[].server": "12[3].server". */
static bool pbs_part_name(const char *array, size_t number, char name[JOB_NAME_SIZE])
{
    const char *behind = strstr(array, "[]");
    return behind && fits(snprintf(name, JOB_NAME_SIZE, "%.*s[%zu]%s", (int)(behind - array), array,
                                   number, behind + 2));
}

/* PBS and Torque have arrays by different options, and each says its version in its own way. What
 * else has a qsub, such as Torque's commands for Slurm, has other names for the jobs of one. */
static const char *pbs_range(void)
{
    char version[COMMAND_SIZE];
    if (!submission_ask("qsub --version 2>&1 </dev/null", version, sizeof version))
        return NULL;
    return strstr(version, "pbs_version") ? "-J " : strstr(version, "ersion:") ? "-t " : NULL;
}

static bool pbs_submit(const struct submission *submission, struct submitted_job *jobs,
                       size_t *count, struct failure *failure)
{
    const struct batch pbs = {.submit = "qsub -N scow-work",
                              .range = *count > 1 ? pbs_range() : NULL,
                              .part_name = pbs_part_name,
                              .cancel = "qdel"};
    return batch_submit(&pbs, submission, jobs, count, failure);
}

/* Of this user, whose name may be cut, all that have not ended. Without any, some end with the code
 * of an unknown job. */
static bool pbs_look(const struct submitted_job *jobs, size_t count, enum job_state *states)
{
    return batch_look(
        "{ list=$(qstat -t) || list=$(qstat) || [ $? = 153 ]; } && "
        "printf '%s\\n' \"$list\" | awk -v me=\"$(id -un | cut -c 1-8)\" "
        "'index($3, me) == 1 && $5 !~ /[CFX]/ {sub(/[.].*/, \"\", $1); print $1, $5}'",
        jobs, count, states);
}

static void pbs_cancel(const struct submitted_job *job)
{
    batch_cancel("qdel", job->name);
}

const struct resource_manager submission_pbs = {
    .name = "pbs",
    .summary = "jobs of PBS (options for qsub: SCOW_SUBMIT)",
    .submit = pbs_submit,
    .look = pbs_look,
    .cancel = pbs_cancel,
};
