/* A program of your own that is a scow: it estimates pi by throwing darts, a million a core task.
 *
 *     mpicc.mpich -O2 pi.c $(pkg-config --cflags --libs scow) -o pi
 *     mpiexec -n 3 ./pi calibrate --quick -o profile.json
 *     ./pi plan -p profile.json -o plan.json
 *     mpiexec -n 3 ./pi run plan.json -o pi.h5 && ./pi report pi.h5
 */
#include <math.h>
#include <scow.h>
#include <stdio.h>

enum { DARTS = 1000000 };

static const struct scow_parameter parameters[] = {{.name = "tasks",
                                                    .kind = SCOW_WHOLE,
                                                    .help = "times a million darts",
                                                    .initial = 2000,
                                                    .least = 1,
                                                    .greatest = 1e9},
                                                   {.name = NULL}};

/* What is known of some core tasks: merging adds up, in any order. */
struct count {
    int64_t darts, hits;
};

static int describe(const struct scow_host *host, const struct scow_value *values,
                    const struct scow_input *input, int64_t *tasks)
{
    (void)host, (void)input;
    *tasks = (int64_t)values[0].number;
    return SCOW_OK;
}

static void results(const void *job, struct scow_results *results)
{
    (void)job;
    results->state_size = sizeof(struct count);
}

static void reset(const void *job, void *state)
{
    (void)job;
    *(struct count *)state = (struct count){0, 0};
}

static void merge(const void *job, void *state, const void *part)
{
    (void)job;
    ((struct count *)state)->darts += ((const struct count *)part)->darts;
    ((struct count *)state)->hits += ((const struct count *)part)->hits;
}

static int print(const void *job, const void *state, char *json, size_t size)
{
    (void)job;
    const double share = (double)((const struct count *)state)->hits / (double)((const struct count *)state)->darts;
    return snprintf(json, size, "{\"pi\": %.9f, \"standard_error\": %.2g}", 4 * share,
                    4 * sqrt(share * (1 - share) / (double)((const struct count *)state)->darts));
}

/* Weyl's sequence through a mixing function: darts depend on the core task's number alone. */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static int compute(const struct scow_host *host, const void *job, const struct scow_batch *batch)
{
    struct count *count = batch->state;
    (void)job;
    for (int64_t task = batch->first; task < batch->first + batch->count; task++) {
        uint64_t random = (uint64_t)task << 32;
        for (int i = 0; i < DARTS; i++) {
            const double x = uniform(&random), y = uniform(&random);
            count->hits += x * x + y * y <= 1;
        }
        count->darts += DARTS;
        if (host->pulse(host))
            return SCOW_STOPPED;
    }
    return SCOW_OK;
}

static const struct scow_task task = {SCOW_TASK,
                                      .name = "pi",
                                      .version = "1",
                                      .summary = "estimate pi by throwing darts",
                                      .core_task = "a million darts",
                                      .outcome = "a reduction: {\"pi\", \"standard_error\"}",
                                      .parameters = parameters,
                                      .threads = SCOW_THREADS_HOST,
                                      .describe = describe,
                                      .results = results,
                                      .reset = reset,
                                      .merge = merge,
                                      .print = print,
                                      .compute = compute};

int main(int argc, char **argv)
{
    return scow_main(argc, argv, &task);
}
