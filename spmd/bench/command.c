/* scow bench rate: how many packages per second a master can hand out here, to MPI ranks. */
#include <stdio.h>
#include <string.h>

#include "planner/command/sibling.h"
#include "spmd/bench/rate_command.h"
#include "spmd/launch/launch.h"
#include "spmd/protocol/interrupt.h"

struct ranks {
    struct rate_setup setup;
    struct rate_measured measured;
};

/* All ranks get the time of the batch, so that they go on in the same way. */
static bool batch_run(void *self, struct rate_batch *batch, struct failure *failure)
{
    const struct rate_setup *setup = &((struct ranks *)self)->setup;
    if (!rate_batch_run(setup, batch, failure))
        return false;
    comm_broadcast(setup->comm, batch, sizeof *batch);
    return true;
}

static void told(void *self, const struct rate_batch *batch)
{
    struct ranks *ranks = self;
    if (comm_leads(ranks->setup.comm))
        rate_told(&ranks->measured, batch);
}

static void rate_run(struct comm *comm, const struct rate_arguments *arguments,
                     struct failure *failure)
{
    struct ranks ranks = {
        .setup = {.comm = comm, .output = arguments->output, .ahead = (int)arguments->ahead},
        .measured = {.arguments = arguments, .workers = comm->size - 1}};
    const struct rate_series series = {batch_run, told, &ranks, arguments->seconds};
    const struct liveness_words words = rate_words(arguments);
    struct liveness liveness = {.comm = NULL};
    const bool assembled = liveness_begin(&liveness, comm, &words, rate_patience_s, failure);
    launch_assembled();
    comm_align_clocks(comm);
    const bool good = assembled && rate_measure(&series, failure);
    liveness_end(&liveness);
    if (good && comm_leads(comm))
        rate_print(&ranks.measured, failure);
}

/* Whether ranks or joining workers are measured must be known before MPI begins. */
static bool is_for_joining(int argc, char **argv)
{
    static const char option[] = "--join";
    for (int k = 1; k < argc; k++)
        if (strncmp(argv[k], option, strlen(option)) == 0)
            return true;
    return false;
}

static int joining_become(char **argv)
{
    struct failure failure = FAILURE_INIT;
    sibling_execute("bench-join", argv, &failure);
    fprintf(stderr, "scow bench: %s\n", failure.text);
    return (int)failure.code;
}

int main(int argc, char **argv)
{
    struct comm comm;
    struct rate_arguments arguments = rate_arguments_usual();
    struct failure failure = FAILURE_INIT;
    bool over = false;
    if (is_for_joining(argc, argv))
        return joining_become(argv);
    interrupt_watch();
    launch_begin(&comm, &argc, &argv);
    if (rate_arguments_parse(&comm, argc, argv, &arguments, &over, &failure) && !over)
        launch_ranks_check(&comm, &failure);
    if (comm_agree(&comm, &failure) && !over)
        rate_run(&comm, &arguments, &failure);
    return launch_end(&comm, "scow bench", &failure);
}
