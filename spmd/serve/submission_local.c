/* Workers as processes of this machine: to try, and where there is no resource manager. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spmd/serve/submission.h"

static bool local_submit(const struct submission *submission, struct submitted_job *job,
                         struct failure *failure)
{
    char *command = submission_command(submission);
    if (!command)
        return failure_memory(failure, "starting a worker");
    const pid_t process = fork();
    if (process == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    free(command);
    if (process < 0)
        return failure_set(failure, FAILURE_FAILED, "a worker cannot be started: %s",
                           strerror(errno));
    snprintf(job->name, sizeof job->name, "%jd", (intmax_t)process);
    return true;
}

static bool local_look(const struct submitted_job *jobs, size_t count, enum job_state *states)
{
    for (size_t k = 0; k < count; k++) {
        const pid_t process = (pid_t)strtol(jobs[k].name, NULL, 10);
        states[k] = waitpid(process, NULL, WNOHANG) == 0 ? JOB_THERE : JOB_OVER;
    }
    return true;
}

static void local_cancel(const struct submitted_job *job)
{
    const pid_t process = (pid_t)strtol(job->name, NULL, 10);
    kill(process, SIGTERM);
    waitpid(process, NULL, 0);
}

const struct resource_manager submission_local = {
    .name = "local",
    .summary = "processes of this machine",
    .submit = local_submit,
    .look = local_look,
    .cancel = local_cancel,
};
