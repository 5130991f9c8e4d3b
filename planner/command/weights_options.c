#include "planner/command/weights_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/command/readers.h"
#include "planner/files/weights_file.h"
#include "planner/model/order.h"

size_t weights_rows(struct weights_options *options, struct option_row *rows)
{
    const struct option_row own[WEIGHTS_ROWS] = {
        {0, "weights", "FILE", OPTION_TEXT, &options->file,
         "weights of core tasks, a number a line or a list in HDF5 (FILE.h5:DATASET); size: sizes "
         "of the files that lines name; task: estimates of the core task itself, if it makes any"},
        {0, "weights-from", "LOG", OPTION_TEXT, &options->from,
         "the times of a run's output, a --joblog of GNU parallel or 'sacct -P' as weights"},
        {0, "weights-column", "N", OPTION_COUNT, &options->column,
         "column N of the input's lines as weights"},
    };
    memcpy(rows, own, sizeof own);
    return WEIGHTS_ROWS;
}

struct option_row weights_of_row(struct weights_options *options)
{
    return (struct option_row){
        0,
        "weights-of",
        "bytes=FILE",
        OPTION_TEXT,
        &options->of,
        "weights of what is sent of core tasks, as --weights has those of computing (a file of "
        "numbers, or size); without it, as much of each"};
}

bool weights_work_asked(const struct weights_options *options)
{
    return options->file || options->from || options->column > 0;
}

bool weights_asked(const struct weights_options *options)
{
    return weights_work_asked(options) || options->of;
}

static bool from_input(const struct weights_options *options)
{
    return options->column > 0 || (options->file && strcmp(options->file, WEIGHTS_SIZES) == 0);
}

/* Is the input a file, which can be read more than once? */
static bool lines_given(const struct weights_options *options)
{
    return options->input && strcmp(options->input, "-") != 0;
}

/* The options of the weights by bytes that are sent, which are read in the same way. */
static struct weights_options bytes_options(const struct weights_options *options)
{
    return (struct weights_options){.file = options->of + strlen(WEIGHTS_BYTES),
                                    .input = options->input};
}

static bool bytes_check(const struct weights_options *options, struct failure *failure)
{
    if (!options->of)
        return true;
    if (strncmp(options->of, WEIGHTS_BYTES, strlen(WEIGHTS_BYTES)) != 0 ||
        !options->of[strlen(WEIGHTS_BYTES)])
        return failure_set(failure, FAILURE_USAGE,
                           "--weights-of %s: transfers have weights by bytes: give bytes=FILE or "
                           "bytes=size",
                           options->of);
    const struct weights_options bytes = bytes_options(options);
    if (weights_by_task(&bytes))
        return failure_set(failure, FAILURE_USAGE,
                           "--weights-of bytes=task: core tasks estimate what they take to "
                           "compute, not what is sent of them: give a file");
    return !from_input(&bytes) || lines_given(options) ||
           failure_set(failure, FAILURE_USAGE,
                       "--weights-of bytes=size takes weights from the job's lines: name their "
                       "file with -i");
}

bool weights_by_task(const struct weights_options *options)
{
    return options->file && strcmp(options->file, WEIGHTS_TASK) == 0;
}

bool weights_options_check(const struct weights_options *options, struct failure *failure)
{
    if ((options->file != NULL) + (options->from != NULL) + (options->column > 0) > 1)
        return failure_set(failure, FAILURE_USAGE,
                           "--weights, --weights-from and --weights-column all give core tasks' "
                           "weights: give one of them");
    if (from_input(options) && !lines_given(options))
        return failure_set(failure, FAILURE_USAGE,
                           "%s takes weights from the job's lines: name their file with -i",
                           options->column > 0 ? "--weights-column" : "--weights size");
    return bytes_check(options, failure);
}

/* ---- an earlier run ------------------------------------------------------------------------ */

/* Seconds that core tasks took in an earlier run; below 0 where they are not known. */
struct measuring {
    double *seconds; /* owned */
    int64_t tasks;
    struct order order; /* in which packages have the core tasks */
};

/* Divides the time that a package took to compute evenly among its core tasks. */
static bool block_take(void *self, const struct trace *block)
{
    const struct measuring *measuring = self;
    for (size_t k = 0; k < block->count; k++) {
        const struct trace_event *event = &block->events[k];
        if (event->operation != OPERATION_COMPUTE || event->tasks < 1)
            continue;
        for (int64_t at = event->first;
             at >= 0 && at < event->first + event->tasks && at < measuring->tasks; at++)
            measuring->seconds[order_task(&measuring->order, at)] =
                (event->end_s - event->start_s) / (double)event->tasks;
    }
    return true;
}

static bool record_measure(const struct run_record *record, struct measuring *measuring,
                           struct failure *failure)
{
    const struct trace_taker taker = {.self = measuring, .take = block_take};
    const struct parameter *order = parameter_list_find(&record->plan.parameters, ORDER_PARAMETER);
    measuring->tasks = record->tasks;
    if (order && order->word)
        order_parse(order->word, &measuring->order);
    measuring->order.tasks = record->tasks;
    measuring->seconds = malloc((size_t)record->tasks * sizeof *measuring->seconds);
    if (!measuring->seconds)
        return failure_memory(failure, "reading weights");
    for (int64_t k = 0; k < record->tasks; k++)
        measuring->seconds[k] = -1;
    for (int64_t k = 0; k < record->other_count; k++)
        if (!run_trace_read(&record->others[k], &taker, failure))
            return false;
    return run_trace_read(record, &taker, failure);
}

static bool measured_check(const struct measuring *measuring, const char *path,
                           struct failure *failure)
{
    for (int64_t k = 0; k < measuring->tasks; k++)
        if (measuring->seconds[k] < 0)
            return failure_set(failure, FAILURE_MISMATCH,
                               "%s: has no time of core task %" PRId64
                               ": take the output of a run that "
                               "is whole and left its trace",
                               path, k);
    return true;
}

/* Is the run's input the one that is now given? True also where that cannot be told. */
static bool input_same(const struct run_record *record, const struct weights_options *options,
                       const struct readers *readers, struct failure *failure)
{
    char digest[65];
    struct failure unread = FAILURE_INIT;
    if (!options->input || strcmp(options->input, "-") == 0 || !record->input_sha256 ||
        !readers->digest_input(&record->plan, options->input, digest, &unread))
        return true;
    return strcmp(digest, record->input_sha256) == 0 ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: its run had another input (%s) than %s, by their SHA-256: give the "
                       "output of a run of the same, or numbers with --weights",
                       options->from, record->input ? record->input : "not named", options->input);
}

static bool run_weigh(const struct weights_options *options, struct task_weights **weights,
                      struct failure *failure)
{
    const char *path = options->from;
    struct run_record record = {0};
    struct measuring measuring = {.seconds = NULL};
    const struct readers *readers =
        readers_find("give a log with --weights-from, or numbers with --weights", failure);
    bool good = readers && readers->read_run(path, 0, &record, failure) &&
                input_same(&record, options, readers, failure) &&
                record_measure(&record, &measuring, failure) &&
                measured_check(&measuring, path, failure);
    if (good)
        *weights = weights_of(path, path, measuring.seconds, measuring.tasks, failure);
    else
        free(measuring.seconds);
    run_record_release(&record);
    return good && *weights;
}

/* ---- HDF5 ---------------------------------------------------------------------------------- */

static bool file_is_hdf5(const char *path)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    char begin[sizeof signature - 1];
    FILE *file = fopen(path, "rb");
    const bool is = file && fread(begin, 1, sizeof begin, file) == sizeof begin &&
                    memcmp(begin, signature, sizeof begin) == 0;
    if (file)
        fclose(file);
    return is;
}

/* Does the name say an HDF5 file, alone or as FILE:DATASET? */
static bool names_hdf5(const char *name)
{
    const char *colon = strrchr(name, ':');
    char *path = colon ? strndup(name, (size_t)(colon - name)) : NULL;
    const bool is = file_is_hdf5(name) || (path && file_is_hdf5(path));
    free(path);
    return is;
}

static bool numbers_weigh(const char *name, struct task_weights **weights, struct failure *failure)
{
    int64_t count = 0;
    const struct readers *readers = readers_find("give weights as text, a number a line", failure);
    double *numbers = readers ? readers->read_numbers(name, &count, failure) : NULL;
    if (numbers)
        *weights = weights_of(name, name, numbers, count, failure);
    return *weights != NULL;
}

/* ---- which --------------------------------------------------------------------------------- */

/* Finds the weights of computing. */
static bool work_find(const struct weights_options *options, struct task_weights **weights,
                      struct failure *failure)
{
    *weights = NULL;
    if (options->from && file_is_hdf5(options->from))
        return run_weigh(options, weights, failure);
    if (options->file && !from_input(options) && !weights_by_task(options) &&
        names_hdf5(options->file))
        return numbers_weigh(options->file, weights, failure);
    if (options->from)
        *weights = weights_read_log(options->from, options->input, failure);
    else if (options->column > 0)
        *weights = weights_read_column(options->input, options->column, failure);
    else if (from_input(options))
        *weights = weights_read_sizes(options->input, failure);
    else if (options->file && !weights_by_task(options))
        *weights = weights_read(options->file, failure);
    return failure->code == FAILURE_NONE;
}

bool weights_find_bytes(const struct weights_options *options, struct task_weights **weights,
                        struct failure *failure)
{
    struct task_weights *found = NULL;
    if (!options->of)
        return true;
    const struct weights_options bytes = bytes_options(options);
    if (work_find(&bytes, &found, failure) && found && !*weights)
        *weights = weights_alike(found->work.tasks);
    if (found && *weights) {
        (*weights)->bytes = found;
        return true;
    }
    weights_free(found);
    weights_free(*weights);
    *weights = NULL;
    return failure->code == FAILURE_NONE ? failure_memory(failure, "reading weights") : false;
}

bool weights_find(const struct weights_options *options, struct task_weights **weights,
                  struct failure *failure)
{
    return work_find(options, weights, failure) &&
           (weights_by_task(options) || weights_find_bytes(options, weights, failure));
}

bool weights_of_job(const struct weights_options *options, const struct weights_job *job,
                    struct task_weights **weights, struct failure *failure)
{
    if (!weights_by_task(options) && !job->implied)
        return weights_find(options, weights, failure);
    *weights = NULL;
    const struct readers *readers =
        readers_find("plan core tasks that weigh themselves with the full build", failure);
    if (!readers)
        return false;
    *weights = readers->weigh_tasks(options->input, job->kernel, job->profile,
                                    &job->profile->settings[0], failure);
    return *weights && weights_find_bytes(options, weights, failure);
}
