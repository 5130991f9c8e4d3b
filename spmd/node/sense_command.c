/* scow-sense: writes down how busy this node is, again and again. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "planner/base/duration.h"
#include "planner/base/options.h"
#include "planner/base/text.h"
#include "spmd/node/node.h"
#include "spmd/node/sensor.h"

struct sense_options {
    const char *every, *output, *node;
    int64_t count; /* 0: for ever */
};

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool line_write(int file, const char *path, const struct text *line, struct failure *failure)
{
    /* One write a line, at the end: several nodes may share the file. */
    const ssize_t written = write(file, line->bytes, line->length);
    return written == (ssize_t)line->length ||
           failure_set(failure, FAILURE_FAILED, "cannot write '%s': %s", path,
                       written < 0 ? strerror(errno) : "no room is left");
}

static bool look_write(int file, const struct sense_options *options, struct failure *failure)
{
    struct text line = TEXT_INIT;
    double availability;
    if (!sensor_look(&availability, failure))
        return false;
    text_add(&line, "%.3f\t%s\tcpu\t%.4f\n", clock_s(), options->node, availability);
    const bool good = line.failed ? failure_memory(failure, "writing a line")
                                  : line_write(file, options->output, &line, failure);
    text_release(&line);
    return good;
}

static void sleep_until(double end_s)
{
    for (double left_s; (left_s = end_s - clock_s()) > 0;) {
        const struct timespec wanted = {(time_t)left_s,
                                        (long)(1e9 * (left_s - (double)(time_t)left_s))};
        nanosleep(&wanted, NULL);
    }
}

/* Lines of fields that tabs separate must stay such. */
static bool options_check(const struct sense_options *options, double every_s,
                          struct failure *failure)
{
    if (!options->output)
        return failure_set(failure, FAILURE_USAGE,
                           "no file given: add -o FILE, to which lines are added");
    if (!(every_s >= 1 && every_s <= 86400))
        return failure_set(failure, FAILURE_USAGE,
                           "--every '%.60s' is not from 1 s to 1 d: give a duration such as 10s",
                           options->every);
    if (options->node[0] == '\0' || strpbrk(options->node, "\t\r\n") || options->node[0] == '#')
        return failure_set(failure, FAILURE_USAGE, "--node is no name: give one without tabs");
    return true;
}

static bool sense_run(const struct sense_options *options, struct failure *failure)
{
    const double every_s = duration_parse(options->every);
    if (!options_check(options, every_s, failure))
        return false;
    const bool standard = strcmp(options->output, "-") == 0;
    const int file = standard
                         ? STDOUT_FILENO
                         : open(options->output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        return failure_set(failure, FAILURE_FAILED, "cannot write '%s': %s", options->output,
                           strerror(errno));
    bool good = true;
    double next_s = clock_s();
    for (int64_t k = 0; good && (options->count == 0 || k < options->count); k++) {
        sleep_until(next_s);
        good = look_write(file, options, failure);
        next_s += every_s;
    }
    if (!standard && close(file) != 0 && good)
        good = failure_set(failure, FAILURE_FAILED, "cannot write '%s': %s", options->output,
                           strerror(errno));
    return good;
}

int main(int argc, char **argv)
{
    char name[256] = "";
    struct sense_options options = {.every = "10s", .node = name};
    struct failure failure = FAILURE_INIT;
    int operands = 0;
    gethostname(name, sizeof name - 1);
    const struct option_row rows[] = {
        {'o', "output", "FILE", OPTION_TEXT, &options.output,
         "where lines are added: seconds since 1970, node, cpu, and the availability of its "
         "processors from 0 to 1; several nodes may share it"},
        {0, "every", "S", OPTION_TEXT, &options.every, "how often (10s)"},
        {0, "count", "N", OPTION_COUNT, &options.count, "end after so many (never)"},
        {0, "node", "NAME", OPTION_TEXT, &options.node, "what it is called there (its host name)"},
    };
    const struct option_table table = {
        .usage = "scow sense -o FILE [options]",
        .purpose = "Writes down how much of its processors this node has for a job, again and "
                   "again, for 'scow plan --load'. Costs 1 % of them at ten seconds.",
        .rows = rows,
        .row_count = sizeof rows / sizeof *rows,
    };
    if (options_read(&table, argc, argv, NULL, 0, &operands, &failure) == OPTIONS_READ)
        sense_run(&options, &failure);
    return node_end(&failure);
}
