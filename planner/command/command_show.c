#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "planner/base/options.h"
#include "planner/command/command.h"
#include "planner/files/load.h"
#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/files/textfile.h"
#include "planner/report/describe.h"

/* The first bytes of every HDF5 file. */
static const char HDF5_SIGNATURE[] = "\211HDF\r\n\032\n";

struct show_options {
    const char *image, *png, *xdmf;
    char *path;
    int64_t task;  /* number of a core task, from 1; 0: none */
    int64_t slice; /* from 1; 0: the first */
    bool joblog, check, quiet, verbose;
};

/* As the run itself ended, or would. */
static bool run_check(const char *path, const struct run_record *record, struct failure *failure)
{
    if (!record->complete)
        return failure_set(failure, FAILURE_STOPPED,
                           "%s: %" PRId64 " of %" PRId64
                           " core tasks are done: go on with it by scow run --resume",
                           path, record->tasks_done, record->tasks);
    return record->tasks_failed == 0 ||
           failure_set(failure, FAILURE_FAILED,
                       "%s: %" PRId64 " of %" PRId64 " core tasks failed, all others are there",
                       path, record->tasks_failed, record->tasks);
}

static bool run_show(const struct show_options *options, const struct readers *readers,
                     struct text *text, struct failure *failure)
{
    const char *path = options->path;
    struct run_record record = {0};
    if (!readers)
        return failure_set(failure, FAILURE_FAILED,
                           "this scow was built without HDF5 and cannot read runs: use the full "
                           "build");
    if (!readers->read_run(path, &record, failure))
        return false;
    if (options->check && !run_check(path, &record, failure)) {
        run_record_release(&record);
        return false;
    }
    text_add(text, "run         %s, by %s\n", path, record.version ? record.version : "unknown");
    text_add(text, "input       %s\n", record.input ? record.input : "none");
    text_add(text, "done        %" PRId64 " of %" PRId64 " core tasks", record.tasks_done,
             record.tasks);
    if (record.tasks_failed > 0)
        text_add(text, ", %" PRId64 " failed", record.tasks_failed);
    text_add(text, "\nchecksum    %016" PRIx64 "\n", record.checksum);
    if (record.outcome)
        text_add(text, "result      %s\n", record.outcome);
    text_add(text, "\n");
    describe_plan(&record.plan, 0, text);
    if (options->verbose && record.has_profile) {
        text_add(text, "\n");
        describe_profile(&record.profile, text);
    }
    run_record_release(&record);
    return true;
}

/* What --verbose adds to a plan. */
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
    } else if (plan_parse(&plan, contents, length, path, &as_plan)) {
        describe_plan(&plan, 0, text);
        if (options->verbose)
            plan_origin(&plan, text);
        plan_release(&plan);
    } else {
        good = failure_set(failure, as_plan.code, "%s", as_plan.text);
    }
    free(contents);
    return good;
}

/* Does the file begin as HDF5 does? One that cannot be read is left to the reader of texts. */
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

/* One core task's results, or all tasks as a log. */
static bool tasks_show(const struct show_options *options, const struct readers *readers,
                       struct text *text, struct failure *failure)
{
    if (!readers)
        return failure_set(failure, FAILURE_FAILED,
                           "this scow was built without HDF5 and cannot read runs: use the full "
                           "build");
    return options->joblog ? readers->show_joblog(options->path, text, failure)
                           : readers->show_task(options->path, options->task - 1, text, failure);
}

static bool show_print(const struct show_options *options, const struct readers *readers,
                       struct failure *failure)
{
    struct text text = TEXT_INIT;
    bool good = options->joblog || options->task > 0 ? tasks_show(options, readers, &text, failure)
                : file_is_run(options->path)         ? run_show(options, readers, &text, failure)
                                                     : text_show(options, &text, failure);
    if (good && !options->quiet)
        return text_print(&text, "describing a file", failure);
    text_release(&text);
    return good;
}

/* A TIFF has the numbers of the result alone, and all of them. */
static bool is_tiff(const char *path)
{
    const char *ending = strrchr(path, '.');
    return ending && (strcasecmp(ending, ".tif") == 0 || strcasecmp(ending, ".tiff") == 0);
}

static bool options_check(const struct show_options *options, struct failure *failure)
{
    if (!options->path)
        return failure_set(failure, FAILURE_USAGE, "no file given: see 'scow show --help'");
    const bool files = options->png || options->xdmf;
    if (files + (options->task > 0) + options->joblog + options->check > 1)
        return failure_set(failure, FAILURE_USAGE,
                           "--task, --joblog, --check and pictures (--png, --xdmf) exclude each "
                           "other: choose one");
    if (options->check && !file_is_run(options->path))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is no output of scow run, which --check is about: check the name",
                           options->path);
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

/* What is written in place of a description. */
static bool files_write(const struct show_options *options, const struct readers *readers,
                        struct failure *failure)
{
    const int64_t slice = options->slice > 0 ? options->slice - 1 : 0;
    if (!readers)
        return failure_set(failure, FAILURE_FAILED,
                           "this scow was built without PNG and HDF5 and cannot draw: use the full "
                           "build");
    if (options->xdmf && !readers->write_xdmf(options->path, options->xdmf, failure))
        return false;
    if (!options->png)
        return true;
    return is_tiff(options->png) ? readers->write_tiff(options->path, slice, options->png, failure)
                                 : readers->write_preview(options->path, options->image, slice,
                                                          options->png, failure);
}

bool command_show(int argc, char **argv, const struct readers *readers, struct failure *failure)
{
    struct show_options options = {.quiet = false};
    int operands = 0;
    const struct option_row rows[] = {
        {'i', "image", "IMAGE", OPTION_TEXT, &options.image,
         "with --png: draw this input to the left of the result"},
        {'o', "png", "FILE", OPTION_TEXT, &options.png,
         "write a picture of a run's result; FILE.tiff: its numbers, beyond 16 bits as float32"},
        {0, "slice", "N", OPTION_COUNT, &options.slice,
         "with --png: draw slice N of a stack (from 1, the first)"},
        {0, "xdmf", "FILE", OPTION_TEXT, &options.xdmf,
         "write what ParaView opens to see a run's result"},
        {0, "task", "N", OPTION_COUNT, &options.task,
         "print what core task N of a run (from 1) left behind"},
        {0, "joblog", NULL, OPTION_FLAG, &options.joblog,
         "print the commands of a run, one a line, in the columns of GNU parallel; without its "
         "input, or when that has changed, the template of all"},
        {0, "check", NULL, OPTION_FLAG, &options.check,
         "of a run: exit code 0 done, 1 core tasks failed, 75 go on with scow run --resume"},
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
    return options.png || options.xdmf ? files_write(&options, readers, failure)
                                       : show_print(&options, readers, failure);
}
