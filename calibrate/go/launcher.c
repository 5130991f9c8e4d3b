#define _GNU_SOURCE /* sched_getaffinity */
#include "calibrate/go/launcher.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spmd/launch/launch.h"

/* Words of SCOW_LAUNCH, which may carry options. */
enum { WORDS_MOST = 32, COUNT_SIZE = 24, WORKERS_MOST = 100000 };

static int cores_usable(void)
{
    cpu_set_t set;
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? count : 1;
}

/* The launcher's words, cut in place. Returns how many. */
static int words_cut(char *line, char **words)
{
    int count = 0;
    char *left = NULL;
    for (char *word = strtok_r(line, " \t", &left); word && count < WORDS_MOST;
         word = strtok_r(NULL, " \t", &left))
        words[count++] = word;
    return count;
}

/* Words of argv, from `at` on, that say how many workers: 0, 1, or 2 with the number apart. *value
 * is the number as typed; NULL: it is missing. */
static int workers_words(int argc, char **argv, int at, const char **value)
{
    static const char full[] = "--workers=";
    const char *word = argv[at];
    if (strcmp(word, "-j") == 0 || strcmp(word, "--workers") == 0) {
        *value = at + 1 < argc ? argv[at + 1] : NULL;
        return *value ? 2 : 1;
    }
    if (strncmp(word, "-j", 2) == 0)
        *value = word + 2;
    else if (strncmp(word, full, sizeof full - 1) == 0)
        *value = word + sizeof full - 1;
    else
        return 0;
    return 1;
}

static bool is_help(const char *word)
{
    static const char help[] = "--help"; /* and --help-table, for who makes manuals */
    return strncmp(word, help, sizeof help - 1) == 0 || strcmp(word, "-h") == 0 ||
           strcmp(word, "--version") == 0;
}

/* Workers as typed, or 0. */
static bool count_read(const char *typed, long *count, struct failure *failure)
{
    char *end = NULL;
    *count = typed ? strtol(typed, &end, 10) : 0;
    return (typed && *typed && !*end && *count > 0 && *count <= WORKERS_MOST) ||
           failure_set(failure, FAILURE_USAGE, "-j needs a number of workers, 1 to %d",
                       WORKERS_MOST);
}

/* The arguments without the number of workers, which the launcher is told. */
static bool arguments_copy(int argc, char **argv, char **words, long *count,
                           struct failure *failure)
{
    int copied = 0;
    *count = cores_usable();
    for (int i = 1; i < argc; i++) {
        const char *typed = NULL;
        const int taken = workers_words(argc, argv, i, &typed);
        if (taken > 0 && !count_read(typed, count, failure))
            return false;
        if (taken == 0)
            words[copied++] = argv[i];
        else
            i += taken - 1;
    }
    return true;
}

/* Returns only where that fails. */
static void launcher_start(char **words, struct failure *failure)
{
    execvp(words[0], words);
    failure_set(failure, FAILURE_FAILED,
                "cannot start '%.200s': %s; start the ranks yourself (mpiexec -n P+1 scow go ...), "
                "or name what does in SCOW_LAUNCH",
                words[0], strerror(errno));
}

bool launcher_become(int argc, char **argv, struct failure *failure)
{
    static char option[] = "-n";
    const char *wanted = getenv("SCOW_LAUNCH");
    char line[PATH_MAX], own[PATH_MAX], number[COUNT_SIZE];
    long count = 0;
    if (launch_above())
        return true;
    for (int i = 1; i < argc; i++)
        if (is_help(argv[i]))
            return true;
    char **words = calloc((size_t)argc + WORDS_MOST + 4, sizeof *words);
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (!words)
        return failure_memory(failure, "starting the ranks");
    snprintf(line, sizeof line, "%s", wanted && *wanted ? wanted : SCOW_MPIEXEC);
    const int at = words_cut(line, words);
    if (arguments_copy(argc, argv, words + at + 3, &count, failure)) {
        snprintf(number, sizeof number, "%ld", 1 + count);
        own[length > 0 ? length : 0] = '\0';
        words[at] = option;
        words[at + 1] = number;
        words[at + 2] = length > 0 ? own : argv[0];
        launcher_start(words, failure);
    }
    free(words);
    return false;
}
