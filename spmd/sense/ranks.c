/* scow-sense on many ranks: their nodes at once, and the network between them. One of a node's
 * ranks looks at it, and rank 0 writes what all have seen. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/launch/launch.h"
#include "spmd/node/sensor.h"
#include "spmd/sense/sense.h"
#include "spmd/transport/bandwidth.h"

/* Of one rank. */
struct seen {
    char node[LINK_NAME_SIZE];
    double availability; /* 0: another one looks at the node */
};

struct sensing {
    const struct comm *comm;
    const struct sense_options *options;
    int file;                /* the master's */
    struct seen *seen;       /* owned; by rank, the master's */
    struct bandwidth *found; /* owned; likewise */
};

static void lines_make(const struct sensing *sensing, struct text *lines)
{
    assert(sensing->seen && sensing->found);
    for (int rank = 0; rank < sensing->comm->size; rank++)
        if (sensing->seen[rank].availability > 0)
            sense_line(sensing->seen[rank].node, "cpu", sensing->seen[rank].availability, lines);
    for (int rank = 1; rank < sensing->comm->size; rank++)
        if (sensing->found[rank].first && sensing->found[rank].bytes_s > 0)
            sense_line(sensing->seen[rank].node, "bandwidth", sensing->found[rank].bytes_s, lines);
}

/* Collective. Others wait for who looks, and hardly need a processor for that. */
static bool look(const struct sensing *sensing, double most_s, struct failure *failure)
{
    const struct comm *comm = sensing->comm;
    struct seen own = {.availability = 0};
    struct text lines = TEXT_INIT;
    if (sensing->options->node)
        snprintf(own.node, sizeof own.node, "%s", sensing->options->node);
    else
        link_machine(own.node);
    if (comm_first_on_node(comm))
        sensor_look(&own.availability, failure);
    if (!comm_agree(comm, failure) || !bandwidth_probe(comm, most_s, sensing->found, failure))
        return false;
    comm_gather(comm, &own, sizeof own, sensing->seen);
    if (comm_leads(comm)) {
        lines_make(sensing, &lines);
        sense_write(sensing->file, sensing->options, &lines, failure);
    }
    return comm_agree(comm, failure);
}

static bool sensing_begin(struct sensing *sensing, struct failure *failure)
{
    const size_t ranks = (size_t)sensing->comm->size;
    if (comm_leads(sensing->comm)) {
        sensing->file = sense_open(sensing->options, failure);
        sensing->seen = calloc(ranks, sizeof *sensing->seen);
        sensing->found = calloc(ranks, sizeof *sensing->found);
        if (!sensing->seen || !sensing->found)
            failure_memory(failure, "looking at the nodes");
    }
    return comm_agree(sensing->comm, failure);
}

/* Collective. Nobody looks at the network for more than half of the time. */
static void sense_together(const struct comm *comm, const struct sense_options *options,
                           double every_s, struct failure *failure)
{
    struct sensing sensing = {.comm = comm, .options = options, .file = -1};
    bool good = sensing_begin(&sensing, failure);
    double next_s = sense_now_s();
    for (int64_t k = 0; good && (options->count == 0 || k < options->count); k++) {
        sense_sleep(next_s);
        good = look(&sensing, every_s / 2, failure);
        next_s += every_s;
    }
    sense_close(sensing.file, options, failure);
    free(sensing.seen);
    free(sensing.found);
}

static bool ranks_check(const struct comm *comm, const struct sense_options *options,
                        double *every_s, struct failure *failure)
{
    if (options->node && comm->size > 1)
        return failure_set(failure, FAILURE_USAGE,
                           "--node names one node, and ranks look at all of theirs: leave it out");
    return sense_check(options, every_s, failure);
}

int sense_ranks(int argc, char **argv)
{
    struct comm comm;
    struct sense_options options = sense_usual();
    struct option_row rows[SENSE_ROWS];
    const struct option_table table = sense_table(&options, rows);
    struct failure failure = FAILURE_INIT;
    const bool version = false;
    bool over = false;
    int operands = 0;
    double every_s = 0;
    launch_begin(&comm, &argc, &argv);
    if (launch_options(&comm, &table, argc, argv, NULL, 0, &operands, &version, &over, &failure) &&
        !over)
        ranks_check(&comm, &options, &every_s, &failure);
    if (comm_agree(&comm, &failure) && !over) {
        launch_assembled();
        sense_together(&comm, &options, every_s, &failure);
    }
    return launch_end(&comm, "scow", &failure);
}
