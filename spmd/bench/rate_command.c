#include "spmd/bench/rate_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "spmd/launch/launch.h"

enum { AHEAD_USUAL = 2, AHEAD_MOST = 1000, JOIN_MOST = 1000 };
const double rate_patience_s = 60;

struct rate_arguments rate_arguments_usual(void)
{
    return (struct rate_arguments){.output = "scow-bench.h5", .seconds = 10, .ahead = AHEAD_USUAL};
}

struct liveness_words rate_words(const struct rate_arguments *arguments)
{
    return (struct liveness_words){.program = "scow bench",
                                   .path = arguments->output,
                                   .state = "nothing more is measured",
                                   .again = "run the same again"};
}

static bool arguments_check(const struct rate_arguments *arguments, struct failure *failure)
{
    if (!arguments->what)
        return failure_set(failure, FAILURE_USAGE,
                           "say what is to be measured: mpiexec -n P+1 scow bench rate");
    if (strcmp(arguments->what, "rate") != 0)
        return failure_set(failure, FAILURE_USAGE,
                           "'%.60s' is no measurement of scow bench: did you mean 'rate'?",
                           arguments->what);
    if (!(arguments->seconds > 0 && arguments->seconds <= 3600))
        return failure_set(failure, FAILURE_USAGE,
                           "--seconds must be above 0, and at most 3600: give another number");
    if (arguments->ahead < 1 || arguments->ahead > AHEAD_MOST)
        return failure_set(failure, FAILURE_USAGE,
                           "--ahead is from 1 to 1000: give another number");
    if (arguments->join != 0 && (arguments->join < 1 || arguments->join > JOIN_MOST))
        return failure_set(failure, FAILURE_USAGE, "--join is from 1 to 1000: give another number");
    return true;
}

bool rate_arguments_parse(const struct comm *comm, int argc, char **argv,
                          struct rate_arguments *arguments, bool *over, struct failure *failure)
{
    const struct option_row rows[] = {
        {0, "seconds", "S", OPTION_NUMBER, &arguments->seconds,
         "batches grow until one takes as long (10)"},
        {0, "ahead", "N", OPTION_COUNT, &arguments->ahead,
         "packages that a worker has at a time (2)"},
        {0, "join", "N", OPTION_COUNT, &arguments->join,
         "to N workers that join over ZeroMQ, as with scow serve: processes of this machine, "
         "without mpiexec"},
        {'o', "output", "FILE", OPTION_TEXT, &arguments->output,
         "where the runs write, made and removed each time: on the file system that runs will use "
         "(scow-bench.h5)"},
        {0, "json", NULL, OPTION_FLAG, &arguments->json, "print one JSON value (scow-rate-1)"},
        launch_row("version", &arguments->version),
    };
    const struct option_table table = {
        .usage = "scow bench rate [options]",
        .purpose =
            "Measure how many packages a second a master hands out, to ranks (mpiexec -n P+1 scow "
            "bench rate) or to workers that join (--join N): batches of core tasks that do "
            "nothing, one a package, grow until one takes ten seconds.",
        .rows = rows,
        .row_count = sizeof rows / sizeof *rows,
    };
    int operands = 0;
    if (!launch_options(comm, &table, argc, argv, &arguments->what, 1, &operands,
                        &arguments->version, over, failure))
        return false;
    return *over || arguments_check(arguments, failure);
}

/* ---- what is printed ------------------------------------------------------------------------ */

static double rate_of(const struct rate_batch *batch)
{
    return (double)batch->packages / batch->seconds;
}

void rate_told(void *self, const struct rate_batch *batch)
{
    struct rate_measured *measured = self;
    if (measured->count < RATE_BATCHES_MOST)
        measured->batches[measured->count++] = *batch;
    else
        measured->batches[RATE_BATCHES_MOST - 1] = *batch;
    if (measured->arguments->json)
        return;
    if (measured->count == 1)
        printf("%12s  %10s  %12s  %10s  %10s\n", "packages", "seconds", "a second", "master",
               "worker");
    printf("%12" PRId64 "  %10.4f  %12.0f  %7.1f MB  %7.1f MB\n", batch->packages, batch->seconds,
           rate_of(batch), (double)batch->master_peak / 1e6, (double)batch->worker_peak / 1e6);
    fflush(stdout);
}

static void line_print(const struct rate_measured *measured)
{
    printf("rate  %.0f packages a second, by one master to %d worker%s, %" PRId64
           " packages ahead\n",
           rate_of(&measured->batches[measured->count - 1]), measured->workers,
           measured->workers > 1 ? "s" : "", measured->arguments->ahead);
}

static bool json_print(const struct rate_measured *measured, struct failure *failure)
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

bool rate_print(const struct rate_measured *measured, struct failure *failure)
{
    if (measured->arguments->json)
        return json_print(measured, failure);
    line_print(measured);
    return true;
}
