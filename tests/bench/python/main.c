/* What the plug-in for Python costs beyond the script's own work, without MPI:
 *
 *     bench-python PYTHON.so tests/bench/python/trivial.py [WORK...]
 *     /usr/bin/python3 tests/bench/python/trivial.py [WORK...]         (plain numpy, without scow)
 *
 * The plug-in is built by jobs/plugins/python/CMakeLists.txt. For each kind of work of the
 * script's, packages of several sizes are computed as a worker computes them; a row shows the least
 * microseconds of a package of each size, and what a core task adds between the two largest. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "spmd/job/engine.h"
#include "spmd/job/kernel.h"
#include "tests/usage.h"

static const int64_t sizes[] = {1, 10, 100, 1000, 10000};
enum { SIZES = sizeof sizes / sizeof *sizes };

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Repeats for half a second, at least three times. */
static bool package_time(struct engine *engine, int64_t count, double *least_s,
                         struct failure *failure)
{
    const double until = clock_s() + 0.5;
    *least_s = HUGE_VAL;
    for (int i = 0; i < 3 || clock_s() < until; i++) {
        const double start_s = clock_s();
        if (!engine_compute(engine, 0, count, NULL, 0, (struct engine_pulse){NULL, NULL}, failure))
            return false;
        *least_s = fmin(*least_s, clock_s() - start_s);
    }
    return true;
}

static bool job_time(const struct job *job, const char *work, struct failure *failure)
{
    double least_s[SIZES];
    struct engine *engine = engine_new(job, sizes[SIZES - 1], 1, 1, failure);
    bool good = engine != NULL;
    for (int i = 0; good && i < SIZES; i++)
        good = package_time(engine, sizes[i], &least_s[i], failure);
    engine_free(&engine);
    if (!good)
        return false;
    printf("%-8s", work);
    for (int i = 0; i < SIZES; i++)
        printf(" %11.2f", least_s[i] * 1e6);
    printf(" %11.3f\n", (least_s[SIZES - 1] - least_s[SIZES - 2]) * 1e6 /
                            (double)(sizes[SIZES - 1] - sizes[SIZES - 2]));
    return true;
}

static bool work_time(const struct scow_task *task, const char *script, const char *work,
                      struct failure *failure)
{
    struct parameter_list list = {0};
    struct values values = {0};
    struct description description = {0};
    struct job job = {0};
    struct input *input = input_open(SCOW_INPUT_NONE, NULL, failure);
    bool good = (input && parameter_list_add(&list, "script", script, 0) &&
                 parameter_list_add(&list, "arguments", work, 0)) ||
                failure_memory(failure, "measuring");
    good = good && values_read(&values, task, &list, "bench-python", true, failure) &&
           job_describe(&description, task, &values, input, failure) &&
           job_open(&job, task, &values, &description, NULL, failure);
    if (good) {
        good = job_time(&job, work, failure);
        job_close(&job);
    }
    input_close(&input);
    description_release(&description);
    values_release(&values);
    parameter_list_release(&list);
    return good;
}

static const char usage_text[] =
    "usage: bench-python PYTHON.so SCRIPT [WORK...]\n"
    "Microseconds that the plug-in for Python takes for packages of several sizes, for each WORK\n"
    "(records, loop, tiles, reduce) of SCRIPT (tests/bench/python/trivial.py).\n";

int main(int argc, char **argv)
{
    if (usage_asked(argc, argv, usage_text))
        return 0;
    static char *const all[] = {"records", "loop", "tiles", "reduce"};
    struct failure failure = FAILURE_INIT;
    struct kernel kernel = {0};
    if (argc < 3) {
        fputs(usage_text, stderr);
        return 2;
    }
    char *const *works = argc > 3 ? argv + 3 : all;
    const int count = argc > 3 ? argc - 3 : 4;
    if (kernel_open(&kernel, kernel_name_of(argv[1]), NULL, "bench-python", &failure)) {
        printf("%-8s", "us");
        for (int i = 0; i < SIZES; i++)
            printf(" %11d", (int)sizes[i]);
        printf(" %11s\n", "core task");
        for (int i = 0; i < count && failure.code == FAILURE_NONE; i++)
            work_time(kernel.task, argv[2], works[i], &failure);
        kernel_close(&kernel);
    }
    if (failure.code != FAILURE_NONE)
        fprintf(stderr, "bench-python: %s\n", failure.text);
    return (int)failure.code;
}
