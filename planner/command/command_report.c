#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "planner/base/options.h"
#include "planner/command/command.h"
#include "planner/command/pages.h"
#include "planner/command/readers.h"
#include "planner/files/probes.h"
#include "planner/files/profile_json.h"
#include "planner/files/strips_json.h"
#include "planner/files/textfile.h"
#include "planner/report/describe.h"
#include "planner/report/events.h"
#include "planner/report/learn.h"
#include "planner/report/resumed.h"
#include "planner/report/runs.h"
#include "planner/report/sensed.h"

enum { RUNS_MOST = 256 };

struct report_options {
    const char *chrome_trace, *csv, *html, *probes, *profile, *sensed;
    char *paths[RUNS_MOST];
    int count;
    int64_t part;
    double energy_j;
    bool json, quiet, verbose, compare;
};

static bool chrome_trace_write(const char *path, const struct run_record *record,
                               struct failure *failure)
{
    char *text = report_chrome_trace(record, failure);
    bool good = text && textfile_write(path, text, failure);
    free(text);
    return good;
}

/* What is needed to write a run's trace as CSV to a file. */
struct csv {
    const struct run_record *record;
    struct failure *failure;
};

static bool csv_lines(void *self, FILE *stream)
{
    const struct csv *csv = self;
    return events_csv(csv->record, stream, csv->failure);
}

static bool csv_write(const char *path, const struct run_record *record, struct failure *failure)
{
    struct csv csv = {record, failure};
    const struct replace_writer writer = {csv_lines, &csv};
    return textfile_stream(path, &writer, failure);
}

/* Writes the run's profile, with what was learned from the run. */
static bool profile_write(const char *path, struct run_record *record, struct failure *failure)
{
    if (!learn_costs(record, failure))
        return false;
    char *text = profile_print(&record->profile);
    bool good =
        text ? textfile_write(path, text, failure) : failure_memory(failure, "writing the profile");
    free(text);
    return good;
}

/* Prints what --verbose puts before the report: the plan that was followed. */
static bool plan_describe(const struct run_record *record, struct failure *failure)
{
    struct text text = TEXT_INIT;
    describe_plan(&record->plan, 0, &text);
    run_record_spread_tell(record, &text);
    text_add(&text, "\n");
    return text_print(&text, "describing a plan", failure);
}

static bool probes_read(const char *path, struct samples *probes, struct failure *failure)
{
    size_t length = 0;
    char *text = textfile_read(path, &length, failure);
    const bool good = text && probes_parse(probes, text, path, failure);
    free(text);
    return good;
}

static bool page_write(const struct report_options *options, const struct run_record *record,
                       const struct readers *readers, struct failure *failure)
{
    struct samples probes = {0};
    const bool good = (!options->probes || probes_read(options->probes, &probes, failure)) &&
                      page_of_run(options->html, options->paths[0], record,
                                  options->probes ? &probes : NULL, readers, failure);
    samples_release(&probes);
    return good;
}

/* Adds what the run saw of its nodes and network to a file of observations. Their time is that of
 * the run's end, which is when its output was last written. */
static bool sensed_write(const struct report_options *options, const struct run_record *record,
                         struct failure *failure)
{
    struct text lines = TEXT_INIT;
    struct stat seen = {0};
    const double time_s = stat(options->paths[0], &seen) == 0
                              ? (double)seen.st_mtim.tv_sec + 1e-9 * (double)seen.st_mtim.tv_nsec
                              : 0;
    const bool good = sensed_lines(record, time_s, &lines, failure) &&
                      textfile_append(options->sensed, lines.bytes, failure);
    text_release(&lines);
    return good;
}

/* Writes the files that were asked for beside the report. */
static bool files_write(const struct report_options *options, const struct run_record *record,
                        const struct readers *readers, struct failure *failure)
{
    if (options->chrome_trace && !chrome_trace_write(options->chrome_trace, record, failure))
        return false;
    if (options->csv && !csv_write(options->csv, record, failure))
        return false;
    if (options->sensed && !sensed_write(options, record, failure))
        return false;
    return !options->html || page_write(options, record, readers, failure);
}

/* ---- strips -------------------------------------------------------------------------------- */

/* The report of a run of strips is a table and a page: it has no other files. */
static bool strips_check(const struct report_options *options, struct failure *failure)
{
    const struct {
        bool given;
        const char *name;
    } others[] = {{options->chrome_trace, "--chrome-trace"},
                  {options->csv, "--csv"},
                  {options->sensed, "--sensed"},
                  {options->profile, "--profile"},
                  {options->part > 0, "--part"}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k].given)
            return failure_set(failure, FAILURE_USAGE,
                               "%s: is of strips, which have no packages to show: leave %s out",
                               options->paths[0], others[k].name);
    return true;
}

static bool strips_json(const struct strips_plan *plan, const struct strips_outcome *outcome,
                        struct text *text)
{
    char *planned = strips_print(plan), *measured = strips_outcome_print(outcome);
    const bool good = planned && measured;
    if (good)
        text_add(text,
                 "{ \"schema\": \"scow-strips-report-1\",\n\"plan\": %s,\n\"measured\": %s}\n",
                 planned, measured);
    free(planned);
    free(measured);
    return good;
}

static bool strips_print_report(const struct report_options *options,
                                const struct strips_plan *plan,
                                const struct strips_outcome *outcome, struct failure *failure)
{
    struct text text = TEXT_INIT;
    if (!strips_check(options, failure) ||
        (options->html &&
         !page_of_strips(options->html, options->paths[0], plan, outcome, failure)))
        return false;
    if (options->verbose && !options->json) {
        strips_describe(plan, &text);
        text_add(&text, "\n");
    }
    if (!options->json)
        strips_outcome_describe(plan, outcome, &text);
    else if (!strips_json(plan, outcome, &text))
        text.failed = true;
    if (!options->quiet)
        return text_print(&text, "describing a run", failure);
    text_release(&text);
    return true;
}

/* *done becomes true where it is a run of strips, whose report is then printed. */
static bool strips_report(const struct report_options *options, const struct readers *readers,
                          bool *done, struct failure *failure)
{
    struct strips_plan plan;
    struct strips_outcome outcome;
    if (!readers->read_strips(options->paths[0], &plan, &outcome, failure))
        return false;
    *done = plan.strip_count > 0;
    const bool good = !*done || strips_print_report(options, &plan, &outcome, failure);
    strips_plan_release(&plan);
    strips_outcome_release(&outcome);
    return good;
}

/* ---- one run ------------------------------------------------------------------------------- */

static bool report_print(const struct report_options *options, const struct readers *readers,
                         struct failure *failure)
{
    struct run_record record = {0};
    bool done = false;
    if (!strips_report(options, readers, &done, failure) || done)
        return failure->code == FAILURE_NONE;
    if (!readers->read_run(options->paths[0], options->part, &record, failure))
        return false;
    if (!(record.used.energy_j > 0))
        record.used.energy_j = options->energy_j;
    bool good = files_write(options, &record, readers, failure);
    char *text = NULL;
    if (good && options->verbose && !options->json && plan_rounds_total(&record.plan) > 0)
        good = plan_describe(&record, failure);
    if (good && !options->quiet)
        text = options->json ? report_json(&record, failure) : report_text(&record, failure);
    if (text)
        fputs(text, stdout);
    good = good && (options->quiet || text != NULL);
    free(text);
    /* This is last because it changes the record. */
    if (good && options->profile)
        good = profile_write(options->profile, &record, failure);
    run_record_release(&record);
    return good;
}

/* The records are kept until the table is printed, because it borrows their texts. */
static bool runs_compare(const struct report_options *options, const struct readers *readers,
                         struct failure *failure)
{
    const size_t count = (size_t)options->count;
    struct run_record *records = calloc(count, sizeof *records);
    struct run_figures *runs = calloc(count, sizeof *runs);
    struct text text = TEXT_INIT;
    size_t read = 0;
    bool good = (records && runs) || failure_memory(failure, "comparing runs");
    for (; good && read < count; read++)
        good = readers->read_run(options->paths[read], 0, &records[read], failure) &&
               run_summarise(options->paths[read], &records[read], &runs[read], failure);
    good = good &&
           (!options->html || page_of_runs(options->html, options->paths, records, count, failure));
    if (good && options->json)
        runs_print(runs, count, &text);
    else if (good)
        runs_describe(runs, count, &text);
    if (good && !options->quiet)
        good = text_print(&text, "comparing runs", failure);
    text_release(&text);
    for (size_t k = 0; k < read; k++)
        run_record_release(&records[k]);
    free(records);
    free(runs);
    return good;
}

static bool options_check(const struct report_options *options, struct failure *failure)
{
    if (options->count == 0)
        return failure_set(failure, FAILURE_USAGE,
                           "no run given: name the file that 'scow run' wrote");
    if (options->count > 1 && !options->compare)
        return failure_set(failure, FAILURE_USAGE,
                           "%d runs given: add --compare to see them side by side", options->count);
    if (options->compare &&
        (options->chrome_trace || options->csv || options->profile || options->sensed))
        return failure_set(failure, FAILURE_USAGE,
                           "--compare is about several runs, --chrome-trace, --csv, --profile and "
                           "--sensed about one: leave one of them out");
    if (!(options->energy_j >= 0) || (options->compare && options->energy_j > 0))
        return failure_set(failure, FAILURE_USAGE,
                           "--energy is the energy of one run, in joules: give a number that is "
                           "not negative, without --compare");
    if (options->compare && options->part > 0)
        return failure_set(failure, FAILURE_USAGE,
                           "--part is for the report of one run: leave out --compare");
    if (options->probes && (options->compare || !options->html))
        return failure_set(failure, FAILURE_USAGE,
                           "--probes is for the page of one run: add --html FILE, without "
                           "--compare");
    return true;
}

bool command_report(int argc, char **argv, struct failure *failure)
{
    struct report_options options = {.json = false};
    const struct option_row rows[] = {
        {0, "json", NULL, OPTION_FLAG, &options.json, "print one JSON value (scow-report-1)"},
        {0, "compare", NULL, OPTION_FLAG, &options.compare,
         "a table of several runs, the fastest first (with --json scow-runs-1)"},
        {0, "part", "N", OPTION_COUNT, &options.part,
         "of a run that was resumed: its N-th part (default: the last one)"},
        {0, "energy", "JOULES", OPTION_NUMBER, &options.energy_j,
         "of the run, as the batch system accounts for it, where it was not measured"},
        {0, "html", "FILE", OPTION_TEXT, &options.html,
         "write one self-contained HTML page with charts"},
        {0, "probes", "FILE", OPTION_TEXT, &options.probes,
         "with --html: also draw the timings that 'scow calibrate --probes' wrote"},
        {0, "chrome-trace", "FILE", OPTION_TEXT, &options.chrome_trace,
         "write events for chrome://tracing or Perfetto: all, or the first 16384 packages"},
        {0, "csv", "FILE", OPTION_TEXT, &options.csv,
         "write all events, measured and predicted, as comma-separated values"},
        {0, "profile", "FILE", OPTION_TEXT, &options.profile,
         "write the run's profile, improved by the costs that the run measured"},
        {0, "sensed", "FILE", OPTION_TEXT, &options.sensed,
         "add what workers had of their processors, and found of the network, to FILE, as 'scow "
         "sense' does, for 'scow plan --load'"},
        {'q', "quiet", NULL, OPTION_FLAG, &options.quiet,
         "print nothing, for use with options that write a FILE"},
        {'v', "verbose", NULL, OPTION_FLAG, &options.verbose, "also print the plan"},
    };
    const struct option_table table = {
        .usage = "scow report OUT.h5 [options], or scow report --compare A.h5 B.h5 ...",
        .purpose = "Compare a finished run with its plan: makespan, operations, workers, rounds.",
        .rows = rows,
        .row_count = sizeof rows / sizeof *rows,
    };
    const enum options_outcome outcome =
        options_read(&table, argc, argv, options.paths, RUNS_MOST, &options.count, failure);
    if (outcome != OPTIONS_READ)
        return outcome == OPTIONS_HELPED;
    if (!options_check(&options, failure))
        return false;
    const struct readers *readers = readers_find(NULL, failure);
    if (!readers)
        return false;
    return options.compare ? runs_compare(&options, readers, failure)
                           : report_print(&options, readers, failure);
}
