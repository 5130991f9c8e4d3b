#include "planner/command/sibling.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool sibling_exists(const char *command)
{
    static const char *const programs[] = {"bench", "calibrate", "chunk", "collect", "go",
                                           "load",  "run",       "sense", "serve",   "work"};
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++)
        if (strcmp(command, programs[k]) == 0)
            return true;
    return false;
}

/* Threads that spin while they wait for each other gain next to nothing, and where a node has more
 * threads than cores they take time from those that compute. OpenMP's libraries read this variable
 * when they are loaded, which is before main. */
static void waiting_settle(void)
{
    static const char *const settings[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"};
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
        if (getenv(settings[k]))
            return;
    setenv("OMP_WAIT_POLICY", "passive", 0);
}

/* Ranks that end early leave messages that nobody has received. UCX (the library under MPICH) would
 * warn of each of them, in the middle of what the command prints. It reads its variable when it is
 * loaded, too. */
static void warnings_leave_out(void)
{
    setenv("UCX_LOG_LEVEL", "error", 0);
}

bool sibling_beside(const char *file, char *path, size_t size)
{
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(own, '/');
    if (!slash)
        return false;
    slash[1] = '\0';
    const int needed = snprintf(path, size, "%s%s", own, file);
    return needed > 0 && (size_t)needed < size;
}

bool sibling_execute(const char *name, char **argv, struct failure *failure)
{
    char program[NAME_MAX], beside[PATH_MAX + NAME_MAX];
    snprintf(program, sizeof program, "scow-%s", name);
    argv[0] = program;
    if (sibling_exists(name)) {
        waiting_settle();
        warnings_leave_out();
    }
    if (sibling_beside(program, beside, sizeof beside))
        execv(beside, argv);
    execvp(program, argv);
    return failure_set(failure, FAILURE_FAILED,
                       "cannot start '%s': %s; put it beside scow or on the PATH", program,
                       strerror(errno));
}
