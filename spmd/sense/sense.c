/* scow-sense: records again and again how busy nodes are, as lines of a load file
 * (planner/files/observations_tsv.h): of one node or, started on ranks, of all their nodes and of
 * the network between them. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "planner/base/duration.h"
#include "planner/base/failure.h"
#include "planner/base/options.h"
#include "planner/base/text.h"
#include "spmd/launch/launch.h"
#include "spmd/node/node.h"
#include "spmd/node/sensor.h"
#include "spmd/transport/bandwidth.h"

struct sense_options {
    const char *every, *output, *node; /* node NULL: its host name */
    int64_t count;                     /* 0: forever */
};

enum { SENSE_ROWS = 4 };

/* ---- options ------------------------------------------------------------------------------- */

static struct sense_options sense_usual(void)
{
    return (struct sense_options){.every = "10s"};
}

/* The table of options, whose values are stored in `options`; `rows` has room for SENSE_ROWS. */
static struct option_table sense_table(struct sense_options *options, struct option_row *rows)
{
    const struct option_row all[SENSE_ROWS] = {
        {'o', "output", "FILE", OPTION_TEXT, &options->output,
         "where lines are added: seconds since 1970, node, cpu, and the availability of its "
         "processors from 0 to 1, or bandwidth and bytes a second; several nodes may share it"},
        {0, "every", "S", OPTION_TEXT, &options->every, "how often (10s)"},
        {0, "count", "N", OPTION_COUNT, &options->count, "end after so many (never)"},
        {0, "node", "NAME", OPTION_TEXT, &options->node, "what it is called there (its host name)"},
    };
    memcpy(rows, all, sizeof all);
    return (struct option_table){
        .usage = "scow sense -o FILE [options], or mpiexec -n N scow sense ...",
        .purpose =
            "Writes down how much of its processors this node has for a job, again and "
            "again, for 'scow plan --load'. Costs 1 % of them at ten seconds. Under mpiexec, "
            "one rank a node, all of their nodes at once, and the bandwidth from the first "
            "rank's node to each other one, by messages of 1 MiB.",
        .rows = rows,
        .row_count = SENSE_ROWS,
    };
}

/* *every_s: the seconds between two looks. A node's name must not contain tabs, which separate the
 * fields of a line. */
static bool sense_check(const struct sense_options *options, double *every_s,
                        struct failure *failure)
{
    const char *node = options->node;
    *every_s = duration_parse(options->every);
    if (!options->output)
        return failure_set(failure, FAILURE_USAGE,
                           "no file given: add -o FILE, to which lines are added");
    if (!(*every_s >= 1 && *every_s <= 86400))
        return failure_set(failure, FAILURE_USAGE,
                           "--every '%.60s' is not from 1 s to 1 d: give a duration such as 10s",
                           options->every);
    if (node && (node[0] == '\0' || strpbrk(node, "\t\r\n") || node[0] == '#'))
        return failure_set(failure, FAILURE_USAGE, "--node is no name: give one without tabs");
    return true;
}

/* ---- the file ------------------------------------------------------------------------------ */

static bool is_standard(const struct sense_options *options)
{
    return strcmp(options->output, "-") == 0;
}

static bool refuse(const struct sense_options *options, const char *why, struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED,
                       "cannot write '%s': %s; choose a place that exists, is yours and has room",
                       options->output, why);
}

/* Opens a file to append lines to, "-" being standard output; negative with *failure set. */
static int sense_open(const struct sense_options *options, struct failure *failure)
{
    if (is_standard(options))
        return STDOUT_FILENO;
    const int file = open(options->output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        refuse(options, strerror(errno), failure);
    return file;
}

static bool sense_close(int file, const struct sense_options *options, struct failure *failure)
{
    return file < 0 || is_standard(options) || close(file) == 0 ||
           refuse(options, strerror(errno), failure);
}

/* Seconds since 1970. */
static double sense_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void sense_sleep(double until_s)
{
    for (double left_s; (left_s = until_s - sense_now_s()) > 0;) {
        const struct timespec wanted = {(time_t)left_s,
                                        (long)(1e9 * (left_s - (double)(time_t)left_s))};
        nanosleep(&wanted, NULL);
    }
}

/* Adds a line: the present "cpu" or "bandwidth" of a node. */
static void sense_line(const char *node, const char *kind, double value, struct text *lines)
{
    text_add(lines, "%.3f\t%s\t%s\t%.*f\n", sense_now_s(), node, kind, value > 1 ? 0 : 4, value);
}

/* Writes all lines at once, because several processes may write to the file; empties them. */
static bool sense_write(int file, const struct sense_options *options, struct text *lines,
                        struct failure *failure)
{
    const ssize_t length = (ssize_t)lines->length;
    const ssize_t written = lines->failed ? 0 : write(file, lines->bytes, lines->length);
    const bool good =
        lines->failed
            ? failure_memory(failure, "writing a line")
            : written == length ||
                  refuse(options, written < 0 ? strerror(errno) : "no room is left", failure);
    text_release(lines);
    return good;
}

/* ---- many ranks ---------------------------------------------------------------------------- */

/* One rank of each node looks at it, and rank 0 writes what all have found. */

/* What one rank has found. */
struct seen {
    char node[LINK_NAME_SIZE];
    double availability; /* 0: another rank looks at the node */
};

struct sensing {
    const struct comm *comm;
    const struct sense_options *options;
    int file;                /* at the master */
    struct seen *seen;       /* owned; by rank, at the master */
    struct bandwidth *found; /* owned; likewise */
};

static void lines_make(const struct sensing *sensing, struct text *lines)
{
    if (!sensing->seen || !sensing->found) /* the master has both */
        return;
    for (int rank = 0; rank < sensing->comm->size; rank++)
        if (sensing->seen[rank].availability > 0)
            sense_line(sensing->seen[rank].node, "cpu", sensing->seen[rank].availability, lines);
    for (int rank = 1; rank < sensing->comm->size; rank++)
        if (sensing->found[rank].first && sensing->found[rank].bytes_s > 0)
            sense_line(sensing->seen[rank].node, "bandwidth", sensing->found[rank].bytes_s, lines);
}

/* Collective. The other ranks wait, and hardly need a processor for that. */
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

/* Collective. The network is measured for at most half of the time. */
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

/* Runs the command where a launcher has started several processes; returns its exit code. */
static int sense_ranks(int argc, char **argv)
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

/* ---- one node ------------------------------------------------------------------------------ */

static bool look_write(int file, const struct sense_options *options, const char *node,
                       struct failure *failure)
{
    struct text line = TEXT_INIT;
    double availability;
    if (!sensor_look(&availability, failure))
        return false;
    sense_line(node, "cpu", availability, &line);
    return sense_write(file, options, &line, failure);
}

static bool sense_alone(const struct sense_options *options, struct failure *failure)
{
    char name[256] = "";
    double every_s;
    gethostname(name, sizeof name - 1);
    if (!sense_check(options, &every_s, failure))
        return false;
    const int file = sense_open(options, failure);
    bool good = file >= 0;
    double next_s = sense_now_s();
    for (int64_t k = 0; good && (options->count == 0 || k < options->count); k++) {
        sense_sleep(next_s);
        good = look_write(file, options, options->node ? options->node : name, failure);
        next_s += every_s;
    }
    return sense_close(file, options, failure) && good;
}

int main(int argc, char **argv)
{
    struct sense_options options = sense_usual();
    struct option_row rows[SENSE_ROWS];
    const struct option_table table = sense_table(&options, rows);
    struct failure failure = FAILURE_INIT;
    int operands = 0;
    if (launch_above())
        return sense_ranks(argc, argv);
    if (options_read(&table, argc, argv, NULL, 0, &operands, &failure) == OPTIONS_READ)
        sense_alone(&options, &failure);
    return node_end(&failure);
}
