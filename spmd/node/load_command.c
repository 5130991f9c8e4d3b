/* scow-load: puts load on this node. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/duration.h"
#include "planner/base/limits.h"
#include "planner/base/options.h"
#include "spmd/node/load.h"
#include "spmd/node/node.h"

struct load_options {
    const char *pattern, *seconds, *cpu;
    int64_t threads, seed;
};

static bool wrong_pattern(const char *text, struct failure *failure)
{
    char names[256] = "";
    for (int number = 1; number <= LOAD_PATTERNS; number++) {
        const size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, ", %d (%s)", number, load_pattern(number)->name);
    }
    return failure_set(failure, FAILURE_USAGE, "'%.60s' is no pattern: give node%s", text, names);
}

static bool request_read(const struct load_options *options, struct load_request *request,
                         struct cpu_list *cpus, struct failure *failure)
{
    request->node = node_number();
    const int number = !options->pattern ? 0
                       : strcmp(options->pattern, "node") == 0
                           ? 1 + (int)(request->node % LOAD_PATTERNS)
                           : load_pattern_find(options->pattern);
    if (!options->pattern || !options->seconds)
        return failure_set(failure, FAILURE_USAGE,
                           "give --pattern and --seconds: see 'scow load --help'");
    if (number == 0)
        return wrong_pattern(options->pattern, failure);
    request->pattern = load_pattern(number);
    request->seconds = duration_parse(options->seconds);
    if (!(request->seconds > 0 && request->seconds <= LIMIT_COST_S))
        return failure_set(failure, FAILURE_USAGE,
                           "--seconds '%.60s' is no duration: give seconds, or 5m, 1.5h",
                           options->seconds);
    if (options->threads > CPU_LIST_MOST)
        return failure_set(failure, FAILURE_USAGE, "--threads is at most %d: give fewer",
                           (int)CPU_LIST_MOST);
    if (options->cpu && !cpu_list_parse(cpus, options->cpu))
        return failure_set(failure, FAILURE_USAGE,
                           "--cpu '%.60s' is no list of processors: give numbers such as 0,2-5",
                           options->cpu);
    request->threads = (int)options->threads;
    request->seed = (uint64_t)options->seed;
    request->cpus = options->cpu ? cpus : NULL;
    return true;
}

static bool load_run(const struct load_options *options, struct failure *failure)
{
    struct load_request request = {.pattern = load_pattern(1), .threads = 1};
    struct cpu_list cpus;
    double worked_s;
    if (!request_read(options, &request, &cpus, failure))
        return false;
    printf("pattern     %s, %g s\n", request.pattern->name, request.seconds);
    printf("threads     %d%s%s\n", request.threads, options->cpu ? " on processors " : "",
           options->cpu ? options->cpu : "");
    printf("random      node %" PRId64 ", seed %" PRIu64 "\n", request.node, request.seed);
    fflush(stdout);
    if (!load_make(&request, &worked_s, failure))
        return false;
    printf("worked      %.2f s\n", worked_s);
    return true;
}

int main(int argc, char **argv)
{
    struct load_options options = {.threads = 1, .seed = 1};
    struct failure failure = FAILURE_INIT;
    int operands = 0;
    const struct option_row rows[] = {
        {0, "pattern", "NUMBER|NAME|node", OPTION_TEXT, &options.pattern,
         "1 high-low, 2 random, 3 low-high-low, 4 high-low-high, 5 low-random-low, 6 low-high, 7 "
         "random-low-random; node: by the node's number (SLURM_NODEID or the rank), cyclically"},
        {0, "seconds", "S", OPTION_TEXT, &options.seconds,
         "how long, in parts of equal length (60, 5m, 1.5h)"},
        {0, "threads", "N", OPTION_COUNT, &options.threads, "threads that work (1)"},
        {0, "seed", "K", OPTION_COUNT, &options.seed,
         "of random parts, each second of which is high or low (1)"},
        {0, "cpu", "LIST", OPTION_TEXT, &options.cpu,
         "bind the threads to these processors, one after the other (0,2-5)"},
    };
    const struct option_table table = {
        .usage = "scow load --pattern NUMBER|NAME|node --seconds S [options]",
        .purpose = "Puts load on this node as other users would: high computes, low sleeps. For "
                   "experiments with shared machines.",
        .rows = rows,
        .row_count = sizeof rows / sizeof *rows,
    };
    if (options_read(&table, argc, argv, NULL, 0, &operands, &failure) == OPTIONS_READ)
        load_run(&options, &failure);
    return node_end(&failure);
}
