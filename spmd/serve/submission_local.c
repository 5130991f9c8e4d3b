/* Workers as processes of this machine: to try scow serve, and where there is no resource
 * manager. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spmd/serve/submission.h"
#include "spmd/transport/clock.h"

static bool one_submit(const struct submission *submission, struct submitted_job *job,
                       struct failure *failure)
{
    char *command = submission_command(submission);
    if (!command)
        return failure_memory(failure, "starting a worker");
    const pid_t process = fork();
    if (process == 0) {
        setpgid(0, 0); /* a terminal's interrupt reaches only the master, which ends its workers */
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    free(command);
    if (process > 0)
        setpgid(process, process); /* set by parent and child, whichever comes first */
    if (process < 0)
        return failure_set(failure, FAILURE_FAILED,
                           "a worker cannot be started: %s: ask for fewer (-n), or allow more "
                           "processes (ulimit -u)",
                           strerror(errno));
    snprintf(job->name, sizeof job->name, "%jd", (intmax_t)process);
    return true;
}

static bool local_submit(const struct submission *submission, struct submitted_job *jobs,
                         size_t *count, struct failure *failure)
{
    for (size_t k = 0; k < *count; k++)
        if (!one_submit(submission, &jobs[k], failure)) {
            *count = k;
            return false;
        }
    return true;
}

static bool local_look(const struct submitted_job *jobs, size_t count, enum job_state *states)
{
    for (size_t k = 0; k < count; k++) {
        const pid_t process = (pid_t)strtol(jobs[k].name, NULL, 10);
        states[k] = waitpid(process, NULL, WNOHANG) == 0 ? JOB_RUNS : JOB_OVER;
    }
    return true;
}

/* A process that does not end in time, for example because it is stopped, is not waited for. */
static void local_cancel(const struct submitted_job *job)
{
    static const double patience_s = 1, nap_s = 0.01;
    const pid_t process = (pid_t)strtol(job->name, NULL, 10);
    const double until_s = clock_now() + patience_s;
    kill(-process, SIGTERM);
    while (waitpid(process, NULL, WNOHANG) == 0) {
        if (clock_now() > until_s)
            kill(-process, SIGKILL);
        clock_nap(nap_s);
    }
}

const struct resource_manager submission_local = {
    .name = "local",
    .summary = "processes of this machine",
    .submit = local_submit,
    .look = local_look,
    .cancel = local_cancel,
};
