/*
 * Runs under faults, by the thousand: the real master, workers, store and decider in one process,
 * with simulated messages, clock and disk. Everything follows from a seed.
 */
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/faults/trial.h"
#include "tests/faults/world.h"

#ifdef FIBER_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

static int usage(void)
{
    printf(
        "usage: faults-simulated --seed N        one run, with a log of what happens\n"
        "       faults-simulated --count N [--from SEED] [--most WRONG] [--allow WRONG]\n"
        "                                        so many runs, each with the next seed; it is no\n"
        "                                        failure if so many are wrong\n"
        "       faults-simulated --models ...    nothing is wrong: how long runs take that\n"
        "                                        sleep, beside the simulation\n"
        "       faults-simulated --masters ...   all runs are of several masters, side by side\n"
        "                                        or in a tree; --models --masters: both\n"
        "       faults-simulated --levels ...    or searches in levels\n");
    return 64;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Standard output when there are many runs: the product itself prints what became of each level
 * there. */
static FILE *said;

/* The kind of runs, followed by a space; "": all kinds. */
static const char *kind = "";

/* The seed of the current run. */
static uint64_t simulated;

#ifndef FIBER_SANITIZED /* the sanitizer's own handler says more */

/* After it, the signal does what it does without a handler. */
static void crash_say(int number)
{
    char line[160];
    const int length = snprintf(
        line, sizeof line,
        "seed %" PRIu64 ": ended by signal %d (replay: faults-simulated %s--seed %" PRIu64 ")\n",
        simulated, number, kind, simulated);
    if (write(fileno(said), line, (size_t)length) != length)
        raise(number);
}

/* On a stack of its own, because a rank's stack may be used up. */
static void crashes_watch(void)
{
    static char stack[1 << 16];
    const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
    const stack_t apart = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = crash_say,
                               .sa_flags = (int)(SA_ONSTACK | SA_RESETHAND)};
    sigaltstack(&apart, NULL);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        sigaction(numbers[k], &action, NULL);
}
#endif

/* How far it is, once a minute. */
static void progress_say(int64_t done, int64_t count, int64_t wrong, double now_s, double *said_s)
{
    static const double every_s = 60;
    if (now_s - *said_s < every_s)
        return;
    fprintf(said, "%" PRId64 " of %" PRId64 " runs, %" PRId64 " wrong\n", done, count, wrong);
    fflush(said);
    *said_s = now_s;
}

static int many_run(uint64_t from, int64_t count, int64_t most, int64_t allowed)
{
    struct trial_counts counts = {0};
    const double start_s = seconds_now();
    double said_s = start_s;
    int64_t wrong = 0;
    for (int64_t k = 0; k < count && wrong < most; k++) {
        const uint64_t seed = from + (uint64_t)k;
        simulated = seed;
        progress_say(k, count, wrong, seconds_now(), &said_s);
        if (trial_run(seed, NULL, &counts))
            continue;
        fprintf(said, "seed %" PRIu64 ": %s (replay: faults-simulated %s--seed %" PRIu64 ")\n",
                seed, world.wrong, kind, seed);
        fflush(said);
        wrong++;
    }
    const double took_s = seconds_now() - start_s;
    fprintf(said,
            "%" PRId64 " runs in %" PRId64 " parts, %" PRId64 " ranks killed or stopped, %" PRId64
            " parts stopped, %" PRId64 " results too late, %" PRId64
            " writes, %.0f simulated hours, in %.1f s: %.0f runs a "
            "second; %" PRId64 " wrong\n",
            counts.trials, counts.parts, counts.losses, counts.stopped, counts.revived,
            counts.writes, counts.simulated_s / 3600, took_s, (double)counts.trials / took_s,
            wrong);
    return wrong > allowed;
}

static int one_run(uint64_t seed)
{
    struct trial_counts counts = {0};
    const bool good = trial_run(seed, stdout, &counts);
    printf("seed %" PRIu64 ": %s\n", seed, good ? "nothing is wrong" : world.wrong);
    return !good;
}

int main(int argc, char **argv)
{
    static char buffer[1 << 16];
    uint64_t seed = 0, from = 1;
    int64_t count = 0, most = 1, allowed = 0;
    bool one = false;
    const bool models = argc > 1 && strcmp(argv[1], "--models") == 0;
    const int other = models ? 2 : 1;
    const bool masters = argc > other && strcmp(argv[other], "--masters") == 0;
    const bool levels = argc > 1 && strcmp(argv[1], "--levels") == 0;
    const int options = 1 + models + masters + levels;
    /* Memory of one run is reused by the next one, without asking the operating system. */
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    if (models)
        kind = "--models ", trial_keep_calm();
    if (masters)
        kind = models ? "--models --masters " : "--masters ", trial_several();
    if (levels)
        kind = "--levels ", trial_searches();
    for (int k = options; k < argc; k += 2) {
        const char *value = k + 1 < argc ? argv[k + 1] : NULL;
        if (!value)
            return usage();
        if (strcmp(argv[k], "--seed") == 0)
            seed = strtoull(value, NULL, 10), one = true;
        else if (strcmp(argv[k], "--count") == 0)
            count = strtoll(value, NULL, 10);
        else if (strcmp(argv[k], "--from") == 0)
            from = strtoull(value, NULL, 10);
        else if (strcmp(argv[k], "--most") == 0)
            most = strtoll(value, NULL, 10);
        else if (strcmp(argv[k], "--allow") == 0)
            allowed = strtoll(value, NULL, 10);
        else
            return usage();
    }
    if (!one && count <= 0)
        return usage();
#ifdef FIBER_SANITIZED
    __sanitizer_set_report_fd((void *)(intptr_t)dup(STDERR_FILENO));
#endif
    /* The product prints a line for every loss. */
    if (!one && (!(said = fdopen(dup(STDOUT_FILENO), "w")) || !freopen("/dev/null", "w", stdout) ||
                 !freopen("/dev/null", "w", stderr)))
        return 1;
#ifndef FIBER_SANITIZED
    if (!one)
        crashes_watch();
#endif
    setvbuf(stderr, buffer, one ? _IOLBF : _IOFBF, sizeof buffer);
    most = most > allowed ? most : allowed + 1;
    return one ? one_run(seed) : many_run(from, count, most, allowed);
}
