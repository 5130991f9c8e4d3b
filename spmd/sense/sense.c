#include "spmd/sense/sense.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "planner/base/duration.h"

struct sense_options sense_usual(void)
{
    return (struct sense_options){.every = "10s"};
}

struct option_table sense_table(struct sense_options *options, struct option_row *rows)
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

/* Lines of fields that tabs separate must stay such. */
bool sense_check(const struct sense_options *options, double *every_s, struct failure *failure)
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

int sense_open(const struct sense_options *options, struct failure *failure)
{
    if (is_standard(options))
        return STDOUT_FILENO;
    const int file = open(options->output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        refuse(options, strerror(errno), failure);
    return file;
}

bool sense_close(int file, const struct sense_options *options, struct failure *failure)
{
    return file < 0 || is_standard(options) || close(file) == 0 ||
           refuse(options, strerror(errno), failure);
}

void sense_line(const char *node, const char *kind, double value, struct text *lines)
{
    text_add(lines, "%.3f\t%s\t%s\t%.*f\n", sense_now_s(), node, kind, value > 1 ? 0 : 4, value);
}

bool sense_write(int file, const struct sense_options *options, struct text *lines,
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

double sense_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void sense_sleep(double until_s)
{
    for (double left_s; (left_s = until_s - sense_now_s()) > 0;) {
        const struct timespec wanted = {(time_t)left_s,
                                        (long)(1e9 * (left_s - (double)(time_t)left_s))};
        nanosleep(&wanted, NULL);
    }
}
