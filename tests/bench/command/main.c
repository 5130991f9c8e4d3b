/* One measurement for compare.sh: the numbers from 1 to LINES as lines, all in one package, on one
 * worker. Prints the seconds that it took, from connecting to the end of the last command. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/kernel/command_trial.h"
#include "tests/usage.h"

static double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const char usage_text[] =
    "usage: bench-command LINES JOBS task|package|worker COMMAND\n"
    "Seconds that the core task `command` takes for so many lines, so many at a time.\n";

int main(int argc, char **argv)
{
    struct trial trial;
    if (usage_asked(argc, argv, usage_text))
        return 0;
    command_spawner_begin();
    if (argc != 5) {
        fputs(usage_text, stderr);
        return 2;
    }
    trial_init_numbers(&trial, strtoll(argv[1], NULL, 10));
    trial.threads = (int)strtol(argv[2], NULL, 10);
    trial.emit_most = 0;
    trial_set(&trial, "per", argv[3]);
    trial_set(&trial, "command", argv[4]);
    const double start_s = clock_now();
    const int status = trial_run(&trial);
    const double seconds = clock_now() - start_s;
    if (status != SCOW_OK || trial.rejects > 0)
        fprintf(stderr, "bench-command: %" PRId64 " lines failed; %s\n", trial.rejects,
                trial.failed);
    else
        printf("%.4f\n", seconds);
    trial_release(&trial);
    return status != SCOW_OK;
}
