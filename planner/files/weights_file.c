#include "planner/files/weights_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "planner/base/array.h"
#include "planner/base/limits.h"
#include "planner/files/textfile.h"

/* Weights of core tasks while they are read. */
struct reading {
    const char *path;
    double *items; /* owned; below 0: not read yet */
    size_t count, capacity;
    int64_t line; /* the current line, from 1 */
};

/* ---- numbers ------------------------------------------------------------------------------- */

static bool is_blank(const char *word, size_t length)
{
    size_t blanks = 0;
    while (blanks < length && (word[blanks] == ' ' || word[blanks] == '\t'))
        blanks++;
    return blanks == length;
}

static bool weight_refuse(const struct reading *reading, const char *word, size_t length,
                          struct failure *failure)
{
    if (is_blank(word, length))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s:%" PRId64 ": is empty: give a number, 0 or greater", reading->path,
                           reading->line);
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s:%" PRId64 ": '%.*s' is no weight: it must be a number, 0 or greater",
                       reading->path, reading->line, (int)(length < 40 ? length : 40), word);
}

/* Reads a number that is the whole word, except blanks around it. */
static bool number_read(const char *word, size_t length, double *number)
{
    char copy[64], *end;
    while (length > 0 && strchr(" \t\r", word[length - 1]))
        length--;
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, word, length);
    copy[length] = '\0';
    *number = strtod(copy, &end);
    return end != copy && *end == '\0' && isfinite(*number) && *number >= 0;
}

static bool weight_add(struct reading *reading, double weight, struct failure *failure)
{
    double *items =
        array_reserve(reading->items, &reading->capacity, reading->count + 1, sizeof *items);
    if (!items)
        return failure_memory(failure, "reading weights");
    reading->items = items;
    items[reading->count++] = weight;
    return true;
}

/* ---- lines --------------------------------------------------------------------------------- */

/* Takes what a line gives; false with *failure set. */
typedef bool line_taker(struct reading *reading, void *context, const char *line, size_t length,
                        struct failure *failure);

struct taking {
    struct reading *reading;
    line_taker *take;
    void *context;
};

static bool line_take(void *self, const char *line, size_t length, struct failure *failure)
{
    const struct taking *taking = self;
    taking->reading->line++;
    return taking->take(taking->reading, taking->context, line, length, failure);
}

/* ---- one number a line --------------------------------------------------------------------- */

static bool number_take(struct reading *reading, void *context, const char *line, size_t length,
                        struct failure *failure)
{
    double weight = 0;
    (void)context;
    return (number_read(line, length, &weight) || weight_refuse(reading, line, length, failure)) &&
           weight_add(reading, weight, failure);
}

/* ---- columns ------------------------------------------------------------------------------- */

/* That column of the line, counted from 1; NULL: the line has fewer. Separators within quotes are
 * part of a CSV field. */
static const char *column_find(const char *line, size_t length, char separator, int64_t column,
                               size_t *size)
{
    const char *at = line, *const end = line + length;
    for (int64_t k = 1;; k++) {
        const char *stop = at;
        for (bool quoted = false; stop < end && (quoted || *stop != separator); stop++)
            quoted ^= separator == ',' && *stop == '"';
        if (k == column) {
            *size = (size_t)(stop - at);
            return at;
        }
        if (stop == end)
            return NULL;
        at = stop + 1;
        while (separator == ' ' && at < end && *at == ' ')
            at++;
    }
}

struct columns {
    int64_t column;
    bool csv;
};

static bool column_take(struct reading *reading, void *context, const char *line, size_t length,
                        struct failure *failure)
{
    const struct columns *columns = context;
    const char separator = columns->csv ? ',' : memchr(line, '\t', length) ? '\t' : ' ';
    size_t size = 0;
    double weight = 0;
    const char *word = column_find(line, length, separator, columns->column, &size);
    if (!word)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s:%" PRId64 ": has no column %" PRId64
                           " for --weights-column: name another",
                           reading->path, reading->line, columns->column);
    if (size >= 2 && word[0] == '"' && word[size - 1] == '"') {
        word++;
        size -= 2;
    }
    return (number_read(word, size, &weight) || weight_refuse(reading, word, size, failure)) &&
           weight_add(reading, weight, failure);
}

/* ---- sizes --------------------------------------------------------------------------------- */

/* Finds the last word of the line that names a file, and that file's size. */
static bool size_find(const char *line, size_t length, double *bytes)
{
    char *copy = strndup(line, length), *rest = NULL;
    bool found = false;
    struct stat status;
    for (char *word = copy ? strtok_r(copy, " \t\"'=<>,;", &rest) : NULL; word;
         word = strtok_r(NULL, " \t\"'=<>,;", &rest))
        if (stat(word, &status) == 0 && S_ISREG(status.st_mode)) {
            *bytes = (double)status.st_size;
            found = true;
        }
    free(copy);
    return found;
}

static bool size_take(struct reading *reading, void *context, const char *line, size_t length,
                      struct failure *failure)
{
    double bytes = 0;
    (void)context;
    return (size_find(line, length, &bytes) ||
            failure_set(failure, FAILURE_MISMATCH,
                        "%s:%" PRId64 ": names no existing file whose size could be its weight",
                        reading->path, reading->line)) &&
           weight_add(reading, bytes, failure);
}

/* ---- logs ---------------------------------------------------------------------------------- */

/* Which columns give the task, the time that it ran, and its command; 0: not known yet. */
struct log {
    char separator;
    int64_t task, seconds, command;
    bool slurm;
    const char *path;      /* the job's lines, to compare commands with; NULL: none */
    char *text;            /* owned; of that file */
    const char **lines;    /* owned; where each line begins, and the end of the last one */
    size_t count;          /* of lines */
    int64_t foreign, from; /* the first task whose command belongs to another line of the job, and
                              the log's line that says so; 0: none */
};

static int64_t header_find(const char *line, size_t length, char separator, const char *name)
{
    size_t size = 0;
    for (int64_t k = 1;; k++) {
        const char *word = column_find(line, length, separator, k, &size);
        if (!word)
            return 0;
        if (size == strlen(name) && memcmp(word, name, size) == 0)
            return k;
    }
}

static bool header_read(const struct reading *reading, struct log *log, const char *line,
                        size_t length, struct failure *failure)
{
    log->slurm = memchr(line, '|', length) != NULL;
    log->separator = log->slurm ? '|' : '\t';
    log->task = header_find(line, length, log->separator, log->slurm ? "JobID" : "Seq");
    log->seconds =
        header_find(line, length, log->separator, log->slurm ? "ElapsedRaw" : "JobRuntime");
    if (log->slurm && log->seconds == 0)
        log->seconds = header_find(line, length, log->separator, "Elapsed");
    log->command = log->slurm ? 0 : header_find(line, length, log->separator, "Command");
    return (log->task > 0 && log->seconds > 0) ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: is no log that --weights-from knows: give a --joblog of GNU parallel, "
                       "what 'sacct -P -o JobID,ElapsedRaw' prints of a job array, or the output "
                       "of an earlier run",
                       reading->path);
}

/* Seconds, or [days-]hours:minutes:seconds. The factors say, from the left, how many of the next
 * unit each part is. */
static bool seconds_read(const char *word, size_t length, double *seconds)
{
    const char *at = word, *const end = word + length;
    *seconds = 0;
    for (int parts = 0; parts < 4; parts++) {
        double part = 0;
        const char *stop = at;
        while (stop < end && *stop != '-' && *stop != ':')
            stop++;
        if (!number_read(at, (size_t)(stop - at), &part))
            return false;
        *seconds += part;
        if (stop == end)
            return true;
        *seconds *= *stop == '-' ? 24 : 60;
        at = stop + 1;
    }
    return false;
}

/* The number of a task: a job's number or, for a job array, what follows its underscore. Below 0: a
 * line of another kind, such as that of a job's step. */
static int64_t task_read(const struct log *log, const char *word, size_t length)
{
    double number;
    const char *under = log->slurm ? memchr(word, '_', length) : NULL;
    if (log->slurm && !under)
        return -1;
    if (under) {
        length -= (size_t)(under + 1 - word);
        word = under + 1;
    }
    return number_read(word, length, &number) && number == floor(number) &&
                   number <= (double)LIMIT_TASKS
               ? (int64_t)number
               : -1;
}

/* The last line of a task counts: a task that had to be repeated would have to be repeated
 * again. */
static bool task_put(struct reading *reading, int64_t task, double seconds, struct failure *failure)
{
    enum { HOLES_MOST = 1 << 20 };
    if ((size_t)task > reading->count + HOLES_MOST)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s:%" PRId64 ": has task %" PRId64 ", but those before it are missing",
                           reading->path, reading->line, task);
    while (reading->count <= (size_t)task)
        if (!weight_add(reading, -1, failure))
            return false;
    reading->items[task] = seconds;
    return true;
}

/* ---- whose lines a log is of --------------------------------------------------------------- */

/* Reads the job's lines at once, if they are a regular text file; otherwise nothing is compared. */
static void lines_read(struct log *log)
{
    struct failure none = FAILURE_INIT;
    struct stat status;
    size_t length = 0, lines = 0;
    if (!log->path || stat(log->path, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    log->text = textfile_read(log->path, &length, &none);
    if (!log->text || memchr(log->text, '\0', length))
        return;
    for (size_t k = 0; k < length; k++)
        lines += log->text[k] == '\n' || k + 1 == length;
    log->lines = calloc(lines + 1, sizeof *log->lines);
    for (const char *at = log->text, *end = at + length; log->lines && at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        log->lines[log->count++] = at;
        at = stop ? stop + 1 : end;
        log->lines[log->count] = at;
    }
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* Does the text contain the word? Backslashes by which a shell's special characters are escaped are
 * skipped. Digits at a word's ends must not continue in the text: 2 is not contained in 120. */
static bool holds(const char *text, size_t length, const char *word, size_t size)
{
    for (size_t from = 0; from < length; from++) {
        size_t at = from, found = 0;
        if (from > 0 && is_digit(word[0]) && is_digit(text[from - 1]))
            continue;
        for (; at < length && found < size && (text[at] == '\\' || text[at] == word[found]); at++)
            found += text[at] == word[found];
        if (found == size && !(at < length && is_digit(word[size - 1]) && is_digit(text[at])))
            return true;
    }
    return false;
}

struct word {
    const char *text;
    size_t size;
};

static bool is_number(const char *text, size_t size)
{
    bool digits = false;
    for (size_t k = 0; k < size; k++) {
        digits = digits || is_digit(text[k]);
        if (!strchr("0123456789.+-eE", text[k]))
            return false;
    }
    return digits;
}

/* A file's name without folder and endings: up to its first dot after the first character. A number
 * is not a file's name, and its fraction not an ending. */
static struct word stem_of(const char *text, size_t size)
{
    if (is_number(text, size))
        return (struct word){text, size};
    for (size_t k = size; k > 0; k--)
        if (text[k - 1] == '/') {
            text += k;
            size -= k;
            break;
        }
    const char *ending = size > 1 ? memchr(text + 1, '.', size - 1) : NULL;
    return (struct word){text, ending ? (size_t)(ending - text) : size};
}

/* Does the command contain a word of the line, either whole or as a file's name without endings? */
static bool is_of_line(const char *command, size_t length, const char *line, size_t size)
{
    static const char between[] = " \t\r\n\"'=<>,;|&()";
    bool some = false;
    for (size_t at = 0, end; at < size; at = end + 1) {
        for (end = at; end < size && !strchr(between, line[end]);)
            end++;
        const struct word stem = stem_of(line + at, end - at);
        some = some || stem.size > 0;
        if (stem.size > 0 && holds(command, length, stem.text, stem.size))
            return true;
    }
    return !some;
}

static void command_compare(struct log *log, const struct reading *reading, int64_t task,
                            const char *line, size_t length)
{
    size_t size = 0;
    if (log->command == 0 || log->foreign > 0 || task < 1 || (size_t)task > log->count)
        return;
    const char *const *at = &log->lines[task - 1];
    const char *command = column_find(line, length, log->separator, log->command, &size);
    if (!command || is_of_line(command, size, at[0], (size_t)(at[1] - at[0])))
        return;
    log->foreign = task;
    log->from = reading->line;
}

static void log_release(struct log *log)
{
    free(log->text);
    free(log->lines);
}

/* ---- a log as a whole ---------------------------------------------------------------------- */

static bool log_take(struct reading *reading, void *context, const char *line, size_t length,
                     struct failure *failure)
{
    struct log *log = context;
    size_t task_size = 0, size = 0;
    double seconds;
    if (log->task == 0)
        return header_read(reading, log, line, length, failure);
    const char *task = column_find(line, length, log->separator, log->task, &task_size);
    const char *word = column_find(line, length, log->separator, log->seconds, &size);
    const int64_t number = task ? task_read(log, task, task_size) : -1;
    if (number < 0 || !word)
        return true;
    if (!seconds_read(word, size, &seconds))
        return weight_refuse(reading, word, size, failure);
    command_compare(log, reading, number, line, length);
    return task_put(reading, number, seconds, failure);
}

/* Tasks are counted from 0 or from 1, and none may be missing between the first and the last
 * one. */
static bool log_close(struct reading *reading, void *context, struct failure *failure)
{
    const struct log *log = context;
    size_t first = 0;
    while (first < reading->count && reading->items[first] < 0)
        first++;
    reading->count -= first;
    if (reading->count > 0)
        memmove(reading->items, reading->items + first, reading->count * sizeof *reading->items);
    for (size_t k = 0; k < reading->count; k++)
        if (reading->items[k] < 0)
            return failure_set(failure, FAILURE_MISMATCH,
                               "%s: has no time of task %zu: take the log of a run that is whole",
                               reading->path, first + k);
    return log->foreign == 0 || reading->count != log->count ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s:%" PRId64 ": its command has nothing of line %" PRId64
                       " of %s: give the log of these lines, or its times as numbers with "
                       "--weights",
                       reading->path, log->from, log->foreign, log->path);
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Are the weights usable? */
static bool items_check(const char *path, const double *items, int64_t count,
                        struct failure *failure)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++) {
        if (!(items[k] >= 0))
            return failure_set(failure, FAILURE_MISMATCH,
                               "%s: weight %" PRId64
                               ", %g, cannot be used: it must be a number, 0 or greater",
                               path, k + 1, items[k]);
        sum += items[k];
    }
    if (count > 0 && sum > 0 && isfinite(sum))
        return true;
    return failure_set(
        failure, FAILURE_MISMATCH, "%s: %s", path,
        count == 0 ? "has no weights: give one for each core task"
        : sum > 0  ? "has weights whose sum is too large: divide all of them by the same number"
                   : "all weights are 0: give at least one core task a weight above 0");
}

struct task_weights *weights_of(const char *path, const char *source, double *items, int64_t count,
                                struct failure *failure)
{
    char digest[65];
    if (!items_check(path, items, count, failure)) {
        free(items);
        return NULL;
    }
    textfile_sha256((const char *)items, (size_t)count * sizeof *items, digest);
    struct task_weights *made = weights_new_own(source, digest, items, count);
    if (!made)
        failure_memory(failure, "reading weights");
    return made;
}

static struct task_weights *
file_read(const char *path, const char *source, line_taker *take, void *context,
          bool (*close)(struct reading *reading, void *context, struct failure *failure),
          struct failure *failure)
{
    struct reading reading = {.path = path};
    struct taking taking = {&reading, take, context};
    if (textfile_lines(path, &(const struct textfile_taker){&taking, line_take}, failure) &&
        (!close || close(&reading, context, failure)))
        return weights_of(path, source, reading.items, (int64_t)reading.count, failure);
    free(reading.items);
    return NULL;
}

struct task_weights *weights_read(const char *path, struct failure *failure)
{
    return file_read(path, path, number_take, NULL, NULL, failure);
}

struct task_weights *weights_read_column(const char *path, int64_t column, struct failure *failure)
{
    const size_t length = strlen(path);
    struct columns columns = {column, length > 4 && strcmp(path + length - 4, ".csv") == 0};
    char source[300];
    snprintf(source, sizeof source, "column %" PRId64 " of %.240s", column, path);
    return file_read(path, source, column_take, &columns, NULL, failure);
}

struct task_weights *weights_read_sizes(const char *path, struct failure *failure)
{
    char source[300];
    snprintf(source, sizeof source, "sizes of the files in %.240s", path);
    return file_read(path, source, size_take, NULL, NULL, failure);
}

struct task_weights *weights_read_log(const char *path, const char *lines, struct failure *failure)
{
    struct log log = {.path = lines};
    lines_read(&log);
    struct task_weights *made = file_read(path, path, log_take, &log, log_close, failure);
    log_release(&log);
    return made;
}
