#include "planner/command/extract.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum content { CONTENT_UNKNOWN, CONTENT_PNG, CONTENT_TIFF, CONTENT_RECORDS };

/* What files of -o are, by their endings. */
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

/* A TIFF has the numbers of the result alone, and all of them. */
static bool is_tiff(const char *path)
{
    return ending_find(path)->content == CONTENT_TIFF;
}

bool extract_unable(struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED,
                       "this scow was built without HDF5 and cannot read runs: use the full build");
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

/* What core tasks emitted, and not a word beside. */
bool extract_emits(const struct show_options *options)
{
    return options->output || options->errors || options->to;
}

int extract_kinds(const struct show_options *options)
{
    return draws(options) + tabulates(options) + extract_emits(options) + options->failed;
}

bool extract_wanted(const struct show_options *options)
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

bool extract_check(struct show_options *options, struct failure *failure)
{
    if (!file_check(options, failure))
        return false;
    if (formats(options) > 1)
        return failure_set(failure, FAILURE_USAGE,
                           "--csv, --tsv and --jsonl exclude each other: choose one");
    if (options->json && !options->failed && !options->live)
        return failure_set(failure, FAILURE_USAGE, "--json is for --failed and --live: add one");
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
    const bool typed = formats(options) > 0;
    const struct records_request request = {
        .path = options->path,
        .file = options->file && strcmp(options->file, "-") != 0 ? options->file : NULL,
        .format = options->csv     ? RECORDS_CSV
                  : options->tsv   ? RECORDS_TSV
                  : options->jsonl ? RECORDS_JSONL
                                   : ending_find(typed ? "" : options->file)->format};
    struct text note = TEXT_INIT;
    const bool good = readers->write_records(&request, &note, failure);
    if (good && note.bytes && !options->quiet)
        fprintf(stderr, "scow show: %s", note.bytes);
    text_release(&note);
    return good;
}

bool extract_run(const struct show_options *options, const struct readers *readers,
                 struct failure *failure)
{
    if (!readers && draws(options))
        return failure_set(failure, FAILURE_FAILED,
                           "this scow was built without PNG and HDF5 and cannot draw: use the full "
                           "build");
    if (!readers)
        return extract_unable(failure);
    if (options->failed)
        return readers->show_failed(options->path, options->json, failure);
    if (extract_emits(options))
        return outputs_write(options, readers, failure);
    return tabulates(options) ? records_write(options, readers, failure)
                              : files_write(options, readers, failure);
}
