#include "spmd/chunks/chunks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "planner/base/array.h"
#include "planner/base/limits.h"
#include "planner/files/textfile.h"

static const char schema[] = "scow-parts-1";

/* ---- the job -------------------------------------------------------------------------------- */

/* Reads the line that begins with `key` and a space, up to its end, and moves *text behind it;
 * false: it is another line, or too long. */
static bool line_take(const char **text, const char *key, char *value, size_t size)
{
    const size_t head = strlen(key), length = strcspn(*text, "\n");
    if (strncmp(*text, key, head) != 0 || (*text)[head] != ' ' || (*text)[length] != '\n' ||
        length - head - 1 >= size)
        return false;
    memcpy(value, *text + head + 1, length - head - 1);
    value[length - head - 1] = '\0';
    *text += length + 1;
    return true;
}

static bool count_read(const char *digits, int64_t most, int64_t *count)
{
    char *end;
    if (digits[0] < '1' || digits[0] > '9' || strlen(digits) > 18)
        return false;
    *count = strtoll(digits, &end, 10);
    return *end == '\0' && *count <= most;
}

bool chunks_job_parse(struct chunks_job *job, const char *text, const char *name,
                      struct failure *failure)
{
    char workers[32], kind[32];
    *job = (struct chunks_job){.workers = 0};
    if (line_take(&text, "schema", kind, sizeof kind) && strcmp(kind, schema) == 0 &&
        line_take(&text, "rule", job->rule, sizeof job->rule) &&
        line_take(&text, "workers", workers, sizeof workers) &&
        count_read(workers, LIMIT_WORKERS, &job->workers) &&
        line_take(&text, "input", job->input, sizeof job->input) && *text == '\0')
        return true;
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: is no job in chunks: name the folder that 'scow serve --per-chunk' has "
                       "made",
                       name);
}

void chunks_job_print(const struct chunks_job *job, char *text, size_t size)
{
    snprintf(text, size, "schema %s\nrule %s\nworkers %" PRId64 "\ninput %s\n", schema, job->rule,
             job->workers, job->input);
}

char *chunks_path(const char *folder, const char *name, int64_t number)
{
    enum { BEHIND = 32 };
    const size_t size = strlen(folder) + strlen(name) + BEHIND;
    char *path = malloc(size);
    if (path && number >= 0)
        snprintf(path, size, "%s/%s-%" PRId64, folder, name, number);
    else if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

bool chunks_folder_check(const char *folder, struct failure *failure)
{
    struct stat status;
    if (!textfile_there(folder, failure))
        return false;
    char *job = chunks_path(folder, "job", -1);
    if (!job)
        return failure_memory(failure, "reading a job in chunks");
    const bool good = stat(job, &status) == 0 && S_ISREG(status.st_mode);
    free(job);
    return good || failure_set(failure, FAILURE_MISMATCH,
                               "%s: is no folder of chunks, of which 'scow serve --per-chunk' "
                               "makes one for each job: check the name",
                               folder);
}

bool chunks_job_read(struct chunks_job *job, const char *folder, struct failure *failure)
{
    size_t length;
    if (!chunks_folder_check(folder, failure))
        return false;
    char *path = chunks_path(folder, "job", -1);
    char *text = path ? textfile_read(path, &length, failure) : NULL;
    if (!path)
        failure_memory(failure, "reading a job in chunks");
    const bool good = text && chunks_job_parse(job, text, folder, failure);
    free(text);
    free(path);
    return good;
}

/* ---- chunks --------------------------------------------------------------------------------- */

bool chunks_rule_check(const char *rule, struct failure *failure)
{
    static const char *const names[] = {"fsc", "gss", "tss", "fiss"};
    const size_t length = strcspn(rule, ",");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strlen(names[k]) == length && strncmp(rule, names[k], length) == 0)
            return dispatch_rule_check(rule, failure);
    return failure_set(failure, FAILURE_USAGE,
                       "--per-chunk is for rules whose chunks are known beforehand: give fsc,k=N "
                       "(css), gss, tss or fiss, not '%.60s'",
                       rule);
}

static bool chunk_add(struct chunks *chunks, size_t *capacity, const struct package *package)
{
    struct package *items =
        array_reserve(chunks->items, capacity, (size_t)chunks->count + 1, sizeof *items);
    if (!items)
        return false;
    chunks->items = items;
    items[chunks->count++] = *package;
    return true;
}

/* Each package is reported before the next one is asked for, so that workers take turns. */
static bool all_hand_out(struct chunks *chunks, struct dispatch *dispatch, struct failure *failure)
{
    size_t capacity = 0;
    struct package package;
    while (dispatch_next(dispatch, 0, &package) == DISPATCH_SEND) {
        if (!chunk_add(chunks, &capacity, &package))
            return failure_memory(failure, "listing chunks");
        dispatch_done(dispatch, &package, 0, 0);
    }
    return true;
}

bool chunks_make(struct chunks *chunks, const struct chunks_job *job, int64_t tasks,
                 struct failure *failure)
{
    const struct dispatch_setup setup = {.rule = job->rule,
                                         .tasks = tasks,
                                         .workers = job->workers,
                                         .ahead = 1,
                                         .least = 1,
                                         .most = (tasks + job->workers - 1) / job->workers};
    *chunks = (struct chunks){.items = NULL};
    if (!chunks_rule_check(job->rule, failure))
        return false;
    struct dispatch *dispatch = dispatch_new_rule(&setup, failure);
    const bool good = dispatch && all_hand_out(chunks, dispatch, failure);
    dispatch_free(&dispatch);
    return good;
}

int64_t chunks_find(const struct chunks *chunks, int64_t first, int64_t count)
{
    int64_t from = 0, to = chunks->count;
    while (from < to) {
        const int64_t middle = from + (to - from) / 2;
        if (chunks->items[middle].first < first)
            from = middle + 1;
        else
            to = middle;
    }
    const bool there = from < chunks->count && chunks->items[from].first == first &&
                       chunks->items[from].count == count;
    return there ? from : -1;
}

void chunks_release(struct chunks *chunks)
{
    free(chunks->items);
    *chunks = (struct chunks){.items = NULL};
}
