/* Workers as jobs of Slurm (sbatch, squeue, scancel) or PBS (qsub, qstat, qdel), as job arrays
 * where possible. The environment's SCOW_SUBMIT holds further options for the command that submits
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/text.h"
#include "spmd/serve/submission.h"

enum { ANSWER_SIZE = 1 << 16, COMMAND_SIZE = 256 };
/* Slurm's arrays have up to 1001 jobs unless its administrator has set MaxArraySize; PBS allows
 * more. */
enum { ARRAY_MOST = 1000 };

/* How one of these resource managers takes jobs. */
struct batch {
    const char *submit; /* a shell command that submits the script whose name is its last word */
    const char *range;  /* its option for an array, followed by the last number; NULL: none */
    /* The name of job `number` of the array. False: its jobs have no names that can be told
     * apart. */
    bool (*part_name)(const char *array, size_t number, char name[JOB_NAME_SIZE]);
    const char *cancel;
};

static const char *options(void)
{
    const char *given = getenv("SCOW_SUBMIT");
    return given ? given : "";
}

/* Submits a script that runs the worker's command. The job's name is the first word that the
 * command prints, up to a ';'. */
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

/* The job may be over by now: failures are ignored. */
static void batch_cancel(const char *command, const char *name)
{
    char whole[COMMAND_SIZE], answer[COMMAND_SIZE];
    snprintf(whole, sizeof whole, "%s '%s'", command, name);
    submission_ask(whole, answer, sizeof answer);
}

/* Submits all of them as one array. False: that was refused, or is not possible. */
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

/* Submits one by one where an array is refused. */
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

/* The state of the job in the command's output; a job without a line is over. PBS may cut the job's
 * name behind its number. */
static enum job_state state_of(const char *lines, const char *name)
{
    static const char waiting[] = "PQHW"; /* Slurm: PD; PBS: queued, held, waiting for a time */
    const size_t length = strcspn(name, ".");
    for (const char *at = lines; at && *at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
        if (strncmp(at, name, length) == 0 && at[length] == ' ')
            return at[length + 1] && strchr(waiting, at[length + 1]) ? JOB_WAITS : JOB_RUNS;
    return JOB_OVER;
}

/* Runs a command that prints a line for each job that is there: its name, a space, and its
 * state. */
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
    /* Slurm's variables of a job that submits another one would describe the wrong job: they are
     * removed. */
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

/* "12[3].server", of "12[].server". */
static bool pbs_part_name(const char *array, size_t number, char name[JOB_NAME_SIZE])
{
    const char *behind = strstr(array, "[]");
    return behind && fits(snprintf(name, JOB_NAME_SIZE, "%.*s[%zu]%s", (int)(behind - array), array,
                                   number, behind + 2));
}

/* PBS and Torque have different options for arrays, and each prints its version in its own way.
 * Other programs called qsub, such as Torque's commands for Slurm, name an array's jobs
 * differently: no array is used with them. */
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

/* All jobs of this user that have not ended; the user's name may be cut. Without any, some versions
 * end with the exit code of an unknown job. */
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
