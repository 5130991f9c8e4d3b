/* scow bench rate: how many packages a second a master hands out here. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "spmd/bench/rate.h"
#include "spmd/launch/launch.h"
#include "spmd/run/interrupt.h"
#include "spmd/transport/liveness.h"

enum { BATCHES_MOST = 64, AHEAD_USUAL = 2, AHEAD_MOST = 1000 };
/* A rank that says nothing for so long is missed. */
static const double patience_s = 60;

struct arguments {
    char *what; /* to be measured */
    const char *output;
    double seconds;
    int64_t ahead;
    bool json, version;
};

/* What was measured; the master's. */
struct measured {
    const struct arguments *arguments;
    int workers;
    struct rate_batch batches[BATCHES_MOST];
    int count;
};

static bool arguments_check(const struct arguments *arguments, struct failure *failure)
{
    if (!arguments->what)
        return failure_set(failure, FAILURE_USAGE,
                           "say what is to be measured: mpiexec -n P+1 scow bench rate");
    if (strcmp(arguments->what, "rate") != 0)
        return failure_set(failure, FAILURE_USAGE,
                           "'%.60s' is nothing that is measured here: did you mean 'rate'?",
                           arguments->what);
    if (!(arguments->seconds > 0 && arguments->seconds <= 3600))
        return failure_set(failure, FAILURE_USAGE,
                           "--seconds must be above 0, and at most 3600: give another number");
    if (arguments->ahead < 1 || arguments->ahead > AHEAD_MOST)
        return failure_set(failure, FAILURE_USAGE,
                           "--ahead is from 1 to 1000: give another number");
    return true;
}

static bool arguments_parse(const struct comm *comm, int argc, char **argv,
                            struct arguments *arguments, bool *over, struct failure *failure)
{
    const struct option_row rows[] = {
        {0, "seconds", "S", OPTION_NUMBER, &arguments->seconds,
         "batches grow until one takes as long (10)"},
        {0, "ahead", "N", OPTION_COUNT, &arguments->ahead,
         "packages that a worker has at a time (2)"},
        {'o', "output", "FILE", OPTION_TEXT, &arguments->output,
         "where the runs write, made and removed each time: on the file system that runs will use "
         "(scow-bench.h5)"},
        {0, "json", NULL, OPTION_FLAG, &arguments->json, "print one JSON value (scow-rate-1)"},
        launch_row("version", &arguments->version),
    };
    const struct option_table table = {
        .usage = "scow bench rate [options]",
        .purpose =
            "Measure how many packages a second a master hands out, started as mpiexec -n P+1 scow "
            "bench rate: batches of core tasks that do nothing, one a package, grow until one "
            "takes ten seconds.",
        .rows = rows,
        .row_count = sizeof rows / sizeof *rows,
    };
    int operands = 0;
    if (!launch_options(comm, &table, argc, argv, &arguments->what, 1, &operands,
                        &arguments->version, over, failure))
        return false;
    return *over || (arguments_check(arguments, failure) && launch_ranks_check(comm, failure));
}

/* ---- what is printed ------------------------------------------------------------------------ */

static double rate_of(const struct rate_batch *batch)
{
    return (double)batch->packages / batch->seconds;
}

static void batch_take(void *self, const struct rate_batch *batch)
{
    struct measured *measured = self;
    if (measured->count < BATCHES_MOST)
        measured->batches[measured->count++] = *batch;
    else
        measured->batches[BATCHES_MOST - 1] = *batch;
    if (measured->arguments->json)
        return;
    if (measured->count == 1)
        printf("%12s  %10s  %12s  %10s  %10s\n", "packages", "seconds", "a second", "master",
               "worker");
    printf("%12" PRId64 "  %10.4f  %12.0f  %7.1f MB  %7.1f MB\n", batch->packages, batch->seconds,
           rate_of(batch), (double)batch->master_peak / 1e6, (double)batch->worker_peak / 1e6);
    fflush(stdout);
}

static void line_print(const struct measured *measured)
{
    printf("rate  %.0f packages a second, by one master to %d worker%s, %" PRId64
           " packages ahead\n",
           rate_of(&measured->batches[measured->count - 1]), measured->workers,
           measured->workers > 1 ? "s" : "", measured->arguments->ahead);
}

static bool json_print(const struct measured *measured, struct failure *failure)
{
    const struct rate_batch *last = &measured->batches[measured->count - 1];
    struct text text = TEXT_INIT;
    struct json_text json = json_open(&text, "{", ", ");
    json_word(&json, "schema", "scow-rate-1");
    json_count(&json, "workers", measured->workers);
    json_count(&json, "ahead", measured->arguments->ahead);
    json_number(&json, "packages_per_s", rate_of(last));
    struct json_text batches = json_open_in(&json, "batches", "[", ", ");
    for (int k = 0; k < measured->count; k++) {
        struct json_text row = json_open_in(&batches, NULL, "{", ", ");
        json_count(&row, "packages", measured->batches[k].packages);
        json_number(&row, "seconds", measured->batches[k].seconds);
        json_count(&row, "master_bytes", measured->batches[k].master_peak);
        json_count(&row, "worker_bytes", measured->batches[k].worker_peak);
        json_close(&row, "}");
    }
    json_close(&batches, "]");
    json_close(&json, "}\n");
    return text_print(&text, "describing what was measured", failure);
}

/* ---- whole ---------------------------------------------------------------------------------- */

static void rate_run(struct comm *comm, const struct arguments *arguments, struct failure *failure)
{
    struct measured measured = {.arguments = arguments, .workers = comm->size - 1};
    const struct rate_setup setup = {.comm = comm,
                                     .output = arguments->output,
                                     .least_s = arguments->seconds,
                                     .ahead = (int)arguments->ahead};
    const struct rate_listener listener = {batch_take, &measured};
    struct liveness liveness = {.comm = NULL};
    const struct liveness_words words = {.program = "scow bench",
                                         .path = arguments->output,
                                         .state = "nothing more is measured",
                                         .again = "run the same again"};
    const bool assembled = liveness_begin(&liveness, comm, &words, patience_s, failure);
    launch_assembled();
    comm_align_clocks(comm);
    const bool good = assembled && rate_measure(&setup, &listener, failure);
    liveness_end(&liveness);
    if (!good || comm->rank != 0)
        return;
    if (arguments->json)
        json_print(&measured, failure);
    else
        line_print(&measured);
}

int main(int argc, char **argv)
{
    struct comm comm;
    struct arguments arguments = {.output = "scow-bench.h5", .seconds = 10, .ahead = AHEAD_USUAL};
    struct failure failure = FAILURE_INIT;
    bool over = false;
    interrupt_watch();
    launch_begin(&comm, &argc, &argv);
    arguments_parse(&comm, argc, argv, &arguments, &over, &failure);
    if (comm_agree(&comm, &failure) && !over)
        rate_run(&comm, &arguments, &failure);
    return launch_end(&comm, "scow bench", &failure);
}
