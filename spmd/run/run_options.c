#include "spmd/run/run_options.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "spmd/launch/launch.h"

struct option_row run_options_row(struct run_options *options, const char *name)
{
    static const struct {
        const char *name;
        size_t at;
    } places[] = {
        {"profile", offsetof(struct run_options, profile)},
        {"results", offsetof(struct run_options, results)},
        {"collect", offsetof(struct run_options, collect)},
        {"trust", offsetof(struct run_options, trust)},
        {"retry-lost", offsetof(struct run_options, retry_lost)},
        {"until", offsetof(struct run_options, ends)},
        {"patience", offsetof(struct run_options, patience_s)},
        {"no-copies", offsetof(struct run_options, once)},
        {"gpus-per-worker", offsetof(struct run_options, gpus)},
        {"isa", offsetof(struct run_options, isa)},
        {"quiet", offsetof(struct run_options, quiet)},
        {"version", offsetof(struct run_options, version)},
    };
    size_t k = 0;
    while (k + 1 < sizeof places / sizeof *places && strcmp(places[k].name, name) != 0)
        k++;
    assert(strcmp(places[k].name, name) == 0);
    return launch_row(name, (char *)options + places[k].at);
}

bool run_options_check(const struct run_options *options, struct failure *failure)
{
    if ((options->trust || options->retry_lost) && !options->resume)
        return failure_set(failure, FAILURE_USAGE,
                           "%s is for going on with an output: add --resume",
                           options->retry_lost ? "--retry-lost" : "--trust");
    return launch_patience_check(options->patience_s, failure);
}

bool run_options_end(struct run_options *options, const struct comm *comm, struct failure *failure)
{
    if (options->ends)
        return until_parse(&options->until, options->ends, until_now(), failure);
    if (comm_leads(comm))
        until_ask(&options->until, until_now());
    return true;
}

void run_options_apply(const struct run_options *options, struct execution *execution)
{
    execution->output = options->output;
    execution->command_line = options->line;
    execution->emitted_given = options->results != NULL;
    execution->resume = options->resume;
    execution->trust = options->trust;
    execution->retry_lost = options->retry_lost;
    execution->quiet = options->quiet;
    execution->patience_s = options->patience_s;
    execution->once = options->once;
    execution->until = &options->until;
}
