/* What processes cost without anybody who looks after them: start a program LINES times, JOBS at a
 * time, and wait. Prints the seconds. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/usage.h"

extern char **environ;

static double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const char usage_text[] =
    "usage: bench-spawn LINES JOBS PROGRAM [ARGUMENT...]\n"
    "A bare loop of posix_spawn and wait: what processes cost by themselves.\n";

int main(int argc, char **argv)
{
    if (usage_asked(argc, argv, usage_text))
        return 0;
    if (argc < 4) {
        fprintf(stderr, "use: bench-spawn LINES JOBS PROGRAM [WORD...]\n");
        return 2;
    }
    const long lines = strtol(argv[1], NULL, 10), jobs = strtol(argv[2], NULL, 10);
    const double start_s = clock_now();
    for (long i = 0; i < lines + jobs; i++) {
        pid_t pid;
        if (i >= jobs)
            wait(NULL);
        if (i < lines && posix_spawn(&pid, argv[3], NULL, NULL, argv + 3, environ) != 0)
            return 1;
    }
    printf("%.4f\n", clock_now() - start_s);
    return 0;
}
