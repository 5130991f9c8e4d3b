#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "planner/base/failure.h"
#include "planner/base/options.h"
#include "planner/command/command.h"
#include "planner/command/live.h"
#include "planner/command/readers.h"
#include "planner/files/load.h"
#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/files/strips_json.h"
#include "planner/files/textfile.h"
#include "planner/report/describe.h"
#include "planner/report/levels.h"
#include "planner/report/resumed.h"
#include "planner/report/search.h"

/* ---- extract ------------------------------------------------------------------------------- */

/* scow show: takes pictures, tables of records, outputs of commands or failed core tasks out of a
 * run's output, in place of a description. */

/* The options as typed. */
struct show_options {
    const char *image, *png, *xdmf, *to;
    const char *file; /* to write what its ending says */
    char *path;
    int64_t task;  /* number of a core task, from 1; 0: none */
    int64_t slice; /* from 1; 0: the first */
    bool joblog, check, trust, live, once, failed, json, levels, output, errors, csv, tsv, jsonl,
        quiet, verbose;
};

bool extract_emits(const struct show_options *options);

enum content { CONTENT_UNKNOWN, CONTENT_PNG, CONTENT_TIFF, CONTENT_RECORDS };

/* What a file given by -o contains, by the ending of its name. */
static const struct ending {
    const char *ending;
    enum content content;
    enum records_format format; /* of records */
} endings[] = {
    {".png", CONTENT_PNG, 0},
    {".tif", CONTENT_TIFF, 0},
    {".tiff", CONTENT_TIFF, 0},
    {".csv", CONTENT_RECORDS, RECORDS_CSV},
    {".tsv", CONTENT_RECORDS, RECORDS_TSV},
    {".jsonl", CONTENT_RECORDS, RECORDS_JSONL},
    {".npy", CONTENT_RECORDS, RECORDS_NPY},
};

static const struct ending *ending_find(const char *path)
{
    static const struct ending unknown = {"", CONTENT_UNKNOWN, 0};
    const char *ending = strrchr(path, '.');
    for (size_t k = 0; ending && k < sizeof endings / sizeof *endings; k++)
        if (strcasecmp(ending, endings[k].ending) == 0)
            return &endings[k];
    return &unknown;
}

/* A TIFF has only the numbers of the result, and all of them. */
static bool is_tiff(const char *path)
{
    return ending_find(path)->content == CONTENT_TIFF;
}

/* ---- what is wanted ------------------------------------------------------------------------ */

static int formats(const struct show_options *options)
{
    return options->csv + options->tsv + options->jsonl;
}

static bool tabulates(const struct show_options *options)
{
    return formats(options) > 0 || options->file;
}

static bool draws(const struct show_options *options)
{
    return options->png || options->xdmf;
}

/* Is what core tasks wrote to be copied out unchanged, with nothing added? */
bool extract_emits(const struct show_options *options)
{
    return options->output || options->errors || options->to;
}

/* How many kinds of things are to be taken out. */
static int extract_kinds(const struct show_options *options)
{
    return draws(options) + tabulates(options) + extract_emits(options) + options->failed;
}

static bool extract_wanted(const struct show_options *options)
{
    return extract_kinds(options) > 0;
}

static bool file_check(struct show_options *options, struct failure *failure)
{
    const enum content content = options->file ? ending_find(options->file)->content : 0;
    if (!options->file || formats(options) > 0 || content == CONTENT_RECORDS)
        return true;
    if (content == CONTENT_UNKNOWN)
        return failure_set(failure, FAILURE_USAGE,
                           "-o %.200s: unknown ending: .png is a picture, .tiff the "
                           "result's numbers, .csv, .tsv, .jsonl and .npy are records",
                           options->file);
    if (options->png)
        return failure_set(failure, FAILURE_USAGE, "-o and --png are both pictures: choose one");
    options->png = options->file;
    options->file = NULL;
    return true;
}

static bool picture_check(const struct show_options *options, struct failure *failure)
{
    if (options->image && !options->png)
        return failure_set(failure, FAILURE_USAGE, "--image is for the picture: add --png FILE");
    if (options->slice > 0 && !options->png)
        return failure_set(failure, FAILURE_USAGE, "--slice is for the picture: add --png FILE");
    if (options->image && is_tiff(options->png))
        return failure_set(failure, FAILURE_USAGE,
                           "--image is for pictures, and a TIFF has the result's own numbers: name "
                           "a PNG, or leave it out");
    return true;
}

/* Checks that the options go together. Where the ending of -o says that it is a picture, it becomes
 * --png. */
static bool extract_check(struct show_options *options, struct failure *failure)
{
    if (!file_check(options, failure))
        return false;
    if (formats(options) > 1)
        return failure_set(failure, FAILURE_USAGE,
                           "--csv, --tsv and --jsonl exclude each other: choose one");
    if (options->json && !options->failed && !options->live && !options->levels)
        return failure_set(failure, FAILURE_USAGE,
                           "--json is for --failed, --levels and --live: add one");
    if (options->to && options->errors)
        return failure_set(failure, FAILURE_USAGE,
                           "--to writes standard output and standard error: leave --stderr out");
    return picture_check(options, failure);
}

/* ---- taking it out ------------------------------------------------------------------------- */

static bool files_write(const struct show_options *options, const struct readers *readers,
                        struct failure *failure)
{
    const int64_t slice = options->slice > 0 ? options->slice - 1 : 0;
    if (options->xdmf && !readers->write_xdmf(options->path, options->xdmf, failure))
        return false;
    if (!options->png)
        return true;
    return is_tiff(options->png) ? readers->write_tiff(options->path, slice, options->png, failure)
                                 : readers->write_preview(options->path, options->image, slice,
                                                          options->png, failure);
}

static void missing_tell(const char *path, int64_t missing, const struct readers *readers)
{
    struct run_record record = {0};
    struct failure unread = FAILURE_INIT;
    if (!readers->read_run(path, 1, &record, &unread))
        record = (struct run_record){.surveyed = false};
    fprintf(stderr,
            "scow show: %s: %" PRId64 " core task%s not done yet and left nothing: go on by %s\n",
            path, missing, missing == 1 ? " is" : "s are", run_record_again(&record));
    run_record_release(&record);
}

static bool outputs_write(const struct show_options *options, const struct readers *readers,
                          struct failure *failure)
{
    const struct outputs_request request = {.path = options->path,
                                            .directory = options->to,
                                            .task = options->task - 1,
                                            .errors = options->errors};
    int64_t missing = 0;
    if (!readers->write_outputs(&request, &missing, failure))
        return false;
    if (missing > 0 && !options->quiet)
        missing_tell(options->path, missing, readers);
    return true;
}

static bool records_write(const struct show_options *options, const struct readers *readers,
                          struct failure *failure)
{
    const char *named = formats(options) > 0 || !options->file ? "" : options->file;
    const struct records_request request = {
        .path = options->path,
        .file = options->file && strcmp(options->file, "-") != 0 ? options->file : NULL,
        .format = options->csv     ? RECORDS_CSV
                  : options->tsv   ? RECORDS_TSV
                  : options->jsonl ? RECORDS_JSONL
                                   : ending_find(named)->format};
    struct text note = TEXT_INIT;
    const bool good = readers->write_records(&request, &note, failure);
    if (good && note.bytes && !options->quiet)
        fprintf(stderr, "scow show: %s", note.bytes);
    text_release(&note);
    return good;
}

static bool extract_run(const struct show_options *options, struct failure *failure)
{
    const struct readers *readers = readers_find(NULL, failure);
    if (!readers)
        return false;
    if (options->failed)
        return readers->show_failed(options->path, options->json, failure);
    if (extract_emits(options))
        return outputs_write(options, readers, failure);
    return tabulates(options) ? records_write(options, readers, failure)
                              : files_write(options, readers, failure);
}

/* ---- command show -------------------------------------------------------------------------- */

/* The first bytes of every HDF5 file (HDF5 file format specification, superblock). */
static const char HDF5_SIGNATURE[] = "\211HDF\r\n\032\n";

/* Fails as the run itself did, or would have done, where it did not end well. */
static bool run_check(const char *path, const struct run_record *record, struct failure *failure)
{
    if (!record->complete || record->tasks_done + record->tasks_failed < record->tasks)
        return failure_set(failure, FAILURE_STOPPED,
                           "%s: %" PRId64 " of %" PRId64
                           " core tasks are done: go on with it by %s",
                           path, record->tasks_done, record->tasks, run_record_again(record));
    return record->tasks_failed == 0 ||
           failure_set(failure, FAILURE_FAILED,
                       "%s: %" PRId64 " of %" PRId64 " core tasks failed%s", path,
                       record->tasks_failed, record->tasks,
                       record->tasks_failed < record->tasks ? ", all others are there" : "");
}

/* *done becomes true where it is a run of strips, which is then described. */
static bool strips_show(const struct show_options *options, const struct readers *readers,
                        struct text *text, bool *done, struct failure *failure)
{
    struct strips_plan plan;
    struct strips_outcome outcome;
    if (!readers->read_strips(options->path, &plan, &outcome, failure))
        return false;
    *done = plan.strip_count > 0;
    bool good = true;
    if (*done && options->check)
        good = readers->check_strips(options->path, options->trust, text, failure);
    if (*done && good)
        strips_outcome_describe(&plan, &outcome, text);
    strips_plan_release(&plan);
    strips_outcome_release(&outcome);
    return good;
}

static bool run_show(const struct show_options *options, struct text *text, struct failure *failure)
{
    const char *path = options->path;
    struct run_record record = {0};
    struct text compared = TEXT_INIT;
    bool strips = false;
    const struct readers *readers = readers_find(NULL, failure);
    if (!readers)
        return false;
    if (!strips_show(options, readers, text, &strips, failure) || strips)
        return failure->code == FAILURE_NONE;
    if (!readers->read_run(path, RUN_PLAN_ONLY, &record, failure))
        return false;
    if (options->check && (!readers->check_run(path, options->trust, &compared, failure) ||
                           !run_check(path, &record, failure))) {
        text_release(&compared);
        run_record_release(&record);
        return false;
    }
    text_add(text, "run         %s, by %s\n", path, record.version ? record.version : "unknown");
    text_add(text, "input       %s\n", record.input ? record.input : "none");
    text_add(text, "done        %" PRId64 " of %" PRId64 " core tasks", record.tasks_done,
             record.tasks);
    if (record.tasks_failed > 0)
        text_add(text, ", %" PRId64 " failed", record.tasks_failed);
    if (record.checksum != 0)
        text_add(text, "\nchecksum    %016" PRIx64 "\n", record.checksum);
    else
        text_add(text, "\nchecksum    not before all is done\n");
    if (compared.bytes)
        text_add(text, "%s", compared.bytes);
    text_release(&compared);
    if (record.outcome)
        text_add(text, "result      %s\n", record.outcome);
    if (!record.complete && record.ended)
        text_add(text, "ended       %s\n", record.ended);
    text_add(text, "\n");
    /* Parameters that were changed during the run are shown with the values that held at last. */
    bool good = parameter_list_merge(&record.plan.parameters, &record.changed) ||
                failure_memory(failure, "describing a run");
    describe_plan(&record.plan, 0, text);
    run_record_spread_tell(&record, text);
    if (options->verbose && record.has_profile) {
        text_add(text, "\n");
        describe_profile(&record.profile, text);
    }
    run_record_release(&record);
    return good;
}

/* Checks the results of one level. Damage in a level before the last one has a sentence of its own:
 * scow run --resume goes on from the last level and would not find it. */
static bool level_check(const struct show_options *options, const struct readers *readers,
                        const struct run_record *record, int64_t k, struct failure *failure)
{
    const struct run_level *level = &record->levels[k];
    struct failure damaged = FAILURE_INIT;
    struct text note = TEXT_INIT;
    const bool good = readers->check_run(level->path, options->trust, &note, &damaged);
    text_release(&note);
    if (good)
        return true;
    if (damaged.code != FAILURE_STOPPED || k + 1 == record->level_count)
        return failure_set(failure, damaged.code, "%s", damaged.text);
    return failure_set(failure, FAILURE_STOPPED,
                       "%s: does not hold what was written there: if it is needed, remove %s and "
                       "the levels after this one, and scow run --resume does it again",
                       level->path, options->path);
}

static bool search_check(const struct show_options *options, const struct readers *readers,
                         const struct run_record *record, struct failure *failure)
{
    bool good = true;
    for (int64_t k = 0; good && k < record->level_count; k++)
        good = level_check(options, readers, record, k, failure);
    return good && search_ended(record, options->path, failure);
}

/* Describes all levels of a search. */
static bool search_show(const struct show_options *options, struct text *text,
                        struct failure *failure)
{
    struct run_record record = {0};
    const struct readers *readers = readers_find(NULL, failure);
    if (!readers || !readers->read_search(options->path, &record, failure))
        return false;
    const bool good = !options->check || search_check(options, readers, &record, failure);
    if (good && options->json)
        search_json(&record, options->path, options->check, text);
    else if (good)
        search_text(&record, options->path, text);
    if (good && options->check && !options->json && !options->trust)
        text_add(text, "digests agree with what is done, in all levels\n");
    run_record_release(&record);
    return good;
}

/* Adds to the description of a plan what --verbose asks for. */
static void plan_origin(const struct plan *plan, struct text *text)
{
    if (plan->profile)
        text_add(text, "\nmade from   %s\n", plan->profile);
    if (plan->profile_sha256)
        text_add(text, "sha256      %s\n", plan->profile_sha256);
}

static bool text_show(const struct show_options *options, struct text *text,
                      struct failure *failure)
{
    const char *path = options->path;
    struct failure as_plan = FAILURE_INIT;
    struct profile profile;
    struct plan plan;
    struct strips_plan strips;
    size_t length = 0;
    char *contents = textfile_read(path, &length, failure);
    if (!contents)
        return false;
    bool good = true;
    if (strstr(contents, "\"scow-profile-1\"")) {
        good = profile_parse(&profile, contents, length, path, failure);
        if (good) {
            describe_profile(&profile, text);
            profile_release(&profile);
        }
    } else if (strips_is(contents, length)) {
        good = strips_parse(&strips, contents, length, path, failure);
        if (good) {
            strips_describe(&strips, text);
            strips_plan_release(&strips);
        }
    } else if (plan_parse_any(&plan, contents, length, path, &as_plan)) {
        describe_plan(&plan, 0, text);
        levels_plan_text(&plan, text);
        if (options->verbose)
            plan_origin(&plan, text);
        plan_release(&plan);
    } else {
        good = failure_set(failure, as_plan.code, "%s", as_plan.text);
    }
    free(contents);
    return good;
}

/* Does the file begin as HDF5 files do? False also for a file that cannot be read: the reader of
 * texts then says why. */
static bool file_is_run(const char *path)
{
    char start[sizeof HDF5_SIGNATURE - 1];
    FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");
    if (!file)
        return false;
    bool same = fread(start, sizeof start, 1, file) == 1 &&
                memcmp(start, HDF5_SIGNATURE, sizeof start) == 0;
    fclose(file);
    return same;
}

/* Describes one core task's results, or all core tasks as a log. */
static bool tasks_show(const struct show_options *options, struct text *text,
                       struct failure *failure)
{
    const struct readers *readers = readers_find(NULL, failure);
    if (!readers)
        return false;
    return options->joblog ? readers->show_joblog(options->path, text, failure)
                           : readers->show_task(options->path, options->task - 1, text, failure);
}

static bool show_print(const struct show_options *options, struct failure *failure)
{
    struct text text = TEXT_INIT;
    bool good = options->joblog || options->task > 0 ? tasks_show(options, &text, failure)
                : options->levels                    ? search_show(options, &text, failure)
                : file_is_run(options->path)         ? run_show(options, &text, failure)
                                                     : text_show(options, &text, failure);
    if (good && !options->quiet)
        return text_print(&text, "describing a file", failure);
    text_release(&text);
    return good;
}

static bool options_check(struct show_options *options, struct failure *failure)
{
    if (!options->path)
        return failure_set(failure, FAILURE_USAGE, "no file given: see 'scow show --help'");
    if (!extract_check(options, failure))
        return false;
    const bool others = options->task > 0 && !extract_emits(options);
    const bool whole = options->check || options->levels;
    if (others + options->joblog + whole + options->live + extract_kinds(options) > 1)
        return failure_set(failure, FAILURE_USAGE,
                           "--task, --joblog, --check or --levels, --live, --failed, --output, "
                           "tables (--csv, --tsv, "
                           "--jsonl) and pictures (--png, --xdmf) exclude each other: choose one");
    if (options->trust && !options->check)
        return failure_set(failure, FAILURE_USAGE, "--trust is for --check: add it");
    if (options->once && !options->live)
        return failure_set(failure, FAILURE_USAGE, "--once is for --live: add it");
    if (options->check && !options->levels && !file_is_run(options->path))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is no output of scow run, which --check needs: check the name",
                           options->path);
    return true;
}

bool command_show(int argc, char **argv, struct failure *failure)
{
    struct show_options options = {.quiet = false};
    int operands = 0;
    const struct option_row rows[] = {
        {'i', "image", "IMAGE", OPTION_TEXT, &options.image,
         "with --png: draw this input to the left of the result"},
        {'o', "write", "FILE", OPTION_TEXT, &options.file,
         "write what FILE's ending says: .png a picture of a run's result, .tiff its numbers, "
         ".csv, "
         ".tsv, .jsonl or .npy the records of its core tasks"},
        {0, "png", "FILE", OPTION_TEXT, &options.png,
         "write a picture of a run's result; FILE.tiff: its numbers, beyond 16 bits as float32"},
        {0, "slice", "N", OPTION_COUNT, &options.slice,
         "with --png: draw slice N of a stack (from 1, the first)"},
        {0, "xdmf", "FILE", OPTION_TEXT, &options.xdmf,
         "write what ParaView opens to see a run's result"},
        {0, "task", "N", OPTION_COUNT, &options.task,
         "print the results of core task N of a run (from 1)"},
        {0, "failed", NULL, OPTION_FLAG, &options.failed,
         "list the core tasks of a run that failed: number, why, attempts, line, and the first "
         "lines of its error output"},
        {0, "json", NULL, OPTION_FLAG, &options.json, "with --failed, --levels or --live: as JSON"},
        {0, "csv", NULL, OPTION_FLAG, &options.csv,
         "print the records of a run's core tasks with their lines, as comma-separated values"},
        {0, "tsv", NULL, OPTION_FLAG, &options.tsv, "the same, separated by tabs"},
        {0, "jsonl", NULL, OPTION_FLAG, &options.jsonl, "the same, a JSON object a line"},
        {0, "output", NULL, OPTION_FLAG, &options.output,
         "print what the core tasks of a run wrote, in the order of its lines; with --task N, of "
         "that one"},
        {0, "stderr", NULL, OPTION_FLAG, &options.errors, "the same, of commands' standard error"},
        {0, "to", "DIR", OPTION_TEXT, &options.to,
         "the same into files: DIR/N/stdout and DIR/N/stderr, N the line's number"},
        {0, "joblog", NULL, OPTION_FLAG, &options.joblog,
         "print the commands of a run, one a line, in the columns of GNU parallel; without its "
         "input, or when that has changed, the template of all"},
        {0, "levels", NULL, OPTION_FLAG, &options.levels,
         "of a search in levels, whose last output FILE is: all levels with their outputs, what is "
         "done and what it took, and what to do to go on; with --check, of all of them"},
        {0, "live", NULL, OPTION_FLAG, &options.live,
         "show the progress of a run that is going on, which its master writes beside FILE every "
         "few seconds; on a terminal until the run ends"},
        {0, "once", NULL, OPTION_FLAG, &options.once, "with --live: now, and not again"},
        {0, "check", NULL, OPTION_FLAG, &options.check,
         "of a run: compare its results with their digests; exit code 0 done, 1 core tasks failed, "
         "75 go on with scow run --resume"},
        {0, "trust", NULL, OPTION_FLAG, &options.trust,
         "with --check: do not read results back, which takes long where they are huge"},
        {'q', "quiet", NULL, OPTION_FLAG, &options.quiet,
         "print nothing; the exit status tells if it can be read"},
        {'v', "verbose", NULL, OPTION_FLAG, &options.verbose,
         "also print a run's profile, or what a plan was made from"},
    };
    const struct option_table table = {
        .usage = "scow show FILE [options]",
        .purpose = "Describe a profile, a plan or the output of a run; --png draws the output.",
        .rows = rows,
        .row_count = sizeof rows / sizeof *rows,
    };
    const enum options_outcome outcome =
        options_read(&table, argc, argv, &options.path, 1, &operands, failure);
    if (outcome != OPTIONS_READ)
        return outcome == OPTIONS_HELPED;
    if (!options_check(&options, failure))
        return false;
    if (options.live)
        return live_show(&(struct live_options){options.path, options.json, options.once}, failure);
    return extract_wanted(&options) ? extract_run(&options, failure)
                                    : show_print(&options, failure);
}
