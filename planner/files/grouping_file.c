#include "planner/files/grouping_file.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/base/limits.h"

/* Some editors begin a text with this. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* ---- lines --------------------------------------------------------------------------------- */

struct line {
    int64_t number, indent;
    struct plan_run *runs; /* owned; ranks as written */
    size_t count;
};

struct reading {
    const char *name;
    const struct profile *profile; /* NULL: no names are known */
    struct line *lines;            /* owned; those of groups */
    size_t count, capacity;
};

static void reading_release(struct reading *reading)
{
    for (size_t k = 0; k < reading->count; k++)
        free(reading->lines[k].runs);
    free(reading->lines);
}

static bool line_refuse(const struct reading *reading, const struct line *line, const char *what,
                        struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH, "%s, line %" PRId64 ": %s", reading->name,
                       line->number, what);
}

static bool run_add(struct line *line, struct plan_run run, struct failure *failure)
{
    struct plan_run *runs = array_extend(line->runs, line->count, sizeof *runs);
    if (!runs)
        return failure_memory(failure, "reading groups");
    runs[line->count++] = run;
    line->runs = runs;
    return true;
}

/* Adds all ranks of that class; *found false: there is no such class. */
static bool class_add(const struct reading *reading, struct line *line, const char *word,
                      size_t length, bool *found, struct failure *failure)
{
    const struct profile_window *window =
        reading->profile ? &reading->profile->settings[0].windows[0] : NULL;
    const size_t classes = window ? profile_classes(reading->profile, window) : 0;
    int64_t workers = 0;
    for (size_t k = 0; k < classes; k++) {
        const struct profile_worker *class = &window->workers[k];
        const struct plan_run run = {workers + 1, workers + class->count};
        workers += class->count;
        if (!class->name || strlen(class->name) != length ||
            strncmp(class->name, word, length) != 0)
            continue;
        *found = true;
        if (!run_add(line, run, failure))
            return false;
    }
    return true;
}

/* Reads a rank; 0: none begins there. A rank that is too large is read as one above the
 * greatest. */
static int64_t rank_read(const char **at)
{
    int64_t rank = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        rank = rank > LIMIT_WORKERS ? rank : 10 * rank + (**at - '0');
    return rank;
}

/* What is wrong with a rank or range; NULL: nothing. */
static const char *run_wrong(const struct plan_run *run)
{
    if (run->first < 1)
        return "rank 0 is the master of all groups: give ranks from 1 on";
    if (run->first > LIMIT_WORKERS || run->last > LIMIT_WORKERS)
        return "no job has so many ranks";
    return run->last < run->first ? "give the lower rank of a range first, as in 3-8" : NULL;
}

/* Reads "3" or "3-8", which must be the whole word. */
static bool run_read(const char *word, size_t length, struct plan_run *run)
{
    const char *at = word;
    run->first = run->last = rank_read(&at);
    if (at > word && *at == '-' && at < word + length) {
        const char *from = ++at;
        run->last = rank_read(&at);
        if (at == from)
            return false;
    }
    return at > word && at == word + length;
}

static bool word_refuse(const struct reading *reading, const struct line *line, const char *word,
                        size_t length, struct failure *failure)
{
    if (length == 1 && *word == '-')
        return line_refuse(reading, line, "write a range without blanks, as 3-8", failure);
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s, line %" PRId64
                       ": '%.*s' is no rank, no range of ranks (3-8) and no class of the profile",
                       reading->name, line->number, length > 40 ? 40 : (int)length, word);
}

static bool word_read(const struct reading *reading, struct line *line, const char *word,
                      size_t length, struct failure *failure)
{
    struct plan_run run;
    bool found = false;
    if (run_read(word, length, &run)) {
        const char *wrong = run_wrong(&run);
        return wrong ? line_refuse(reading, line, wrong, failure) : run_add(line, run, failure);
    }
    if (!class_add(reading, line, word, length, &found, failure))
        return false;
    return found || word_refuse(reading, line, word, length, failure);
}

static bool words_read(const struct reading *reading, struct line *line, const char *at,
                       struct failure *failure)
{
    static const char BETWEEN[] = " ,\t\r", END[] = " ,\t\r\n#";
    bool good = true;
    for (at += strspn(at, BETWEEN); good && *at && *at != '\n' && *at != '#';
         at += strspn(at, BETWEEN)) {
        const size_t length = strcspn(at, END);
        good = word_read(reading, line, at, length, failure);
        at += length;
    }
    return good;
}

static bool line_read(struct reading *reading, const char *at, int64_t number,
                      struct failure *failure)
{
    struct line line = {.number = number, .indent = (int64_t)strspn(at, " ")};
    const char *first = at + line.indent;
    if (*first == '\t')
        return line_refuse(reading, &line, "indent with blanks, not with tabs", failure);
    struct line *lines =
        array_reserve(reading->lines, &reading->capacity, reading->count + 1, sizeof *lines);
    if (!lines)
        return failure_memory(failure, "reading groups");
    reading->lines = lines;
    const bool good = words_read(reading, &line, first, failure);
    if (line.count == 0) {
        free(line.runs);
        return good;
    }
    lines[reading->count++] = line;
    return good;
}

static bool lines_read(struct reading *reading, const char *text, struct failure *failure)
{
    bool good = true;
    int64_t number = 1;
    for (const char *at = text; good && *at; number++) {
        good = line_read(reading, at, number, failure);
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return good &&
           (reading->count > 0 ||
            failure_set(failure, FAILURE_MISMATCH,
                        "%s: has no groups: give a line of ranks for each, the master's first",
                        reading->name));
}

/* ---- each rank once ------------------------------------------------------------------------ */

/* A run of ranks and its line. */
struct listed {
    struct plan_run run;
    int64_t line;
};

static int listed_compare(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    return x->run.first != y->run.first ? (x->run.first > y->run.first ? 1 : -1)
                                        : (x->line > y->line) - (x->line < y->line);
}

/* The runs of all lines, sorted by rank; owned. NULL: out of memory. */
static struct listed *listed_make(const struct reading *reading, size_t *count)
{
    *count = 0;
    for (size_t k = 0; k < reading->count; k++)
        *count += reading->lines[k].count;
    struct listed *listed = calloc(*count + 1, sizeof *listed), *next = listed;
    for (size_t k = 0; listed && k < reading->count; k++)
        for (size_t i = 0; i < reading->lines[k].count; i++)
            *next++ = (struct listed){reading->lines[k].runs[i], reading->lines[k].number};
    if (listed)
        qsort(listed, *count, sizeof *listed, listed_compare);
    return listed;
}

static bool twice_refuse(const struct reading *reading, int64_t rank, int64_t line, int64_t other,
                         struct failure *failure)
{
    const int64_t first = line < other ? line : other, last = line < other ? other : line;
    if (line == other)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s, line %" PRId64 ": has rank %" PRId64 " twice: leave one out",
                           reading->name, line, rank);
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s, line %" PRId64 ": has rank %" PRId64 ", which line %" PRId64
                       " has, too: leave it out in one of them",
                       reading->name, last, rank, first);
}

static bool ranks_distinct(const struct reading *reading, struct failure *failure)
{
    size_t count;
    struct listed *listed = listed_make(reading, &count);
    bool good = true;
    if (!listed)
        return failure_memory(failure, "reading groups");
    for (size_t k = 1; good && k < count; k++)
        if (listed[k].run.first <= listed[k - 1].run.last)
            good = twice_refuse(reading, listed[k].run.first, listed[k].line, listed[k - 1].line,
                                failure);
    free(listed);
    return good;
}

/* ---- groups -------------------------------------------------------------------------------- */

static int run_compare(const void *a, const void *b)
{
    const struct plan_run *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* The first rank of a line is the master; the others, in ascending order, are its workers. */
static bool workers_take(struct line *line, struct group *group, struct failure *failure)
{
    group->master = line->runs[0].first++;
    qsort(line->runs, line->count, sizeof *line->runs, run_compare);
    for (size_t k = 0; k < line->count; k++) {
        const struct plan_run *run = &line->runs[k];
        if (run->first > run->last)
            continue;
        if (!selection_add(&group->workers, run->first - 1, run->last - 1))
            return failure_memory(failure, "reading groups");
    }
    return true;
}

/* Takes the lines from *at on that are indented by more than `indent`, and all groups below
 * them. */
static bool groups_take(struct reading *reading, size_t *at, int64_t indent, int depth,
                        struct group *above, struct failure *failure)
{
    assert(reading->lines); /* a grouping has at least one line */
    const int64_t here = reading->lines[*at].indent;
    while (*at < reading->count && reading->lines[*at].indent > indent) {
        struct line *line = &reading->lines[(*at)++];
        if (depth == GROUPING_DEEPEST)
            return line_refuse(reading, line,
                               "is nested too deeply: use fewer groups within groups", failure);
        if (line->indent != here)
            return line_refuse(reading, line,
                               "is indented like no line above it: indent it more than its "
                               "master's line, or exactly as another group",
                               failure);
        struct group *group = grouping_add(above);
        if (!group)
            return failure_memory(failure, "reading groups");
        if (!workers_take(line, group, failure))
            return false;
        const bool inner = *at < reading->count && reading->lines[*at].indent > line->indent;
        if (inner && group->workers.count > 0)
            return line_refuse(reading, line,
                               "has groups of its own, so it is a master's rank alone: give the "
                               "other ranks a line of their own below it",
                               failure);
        if (!inner && group->workers.count == 0)
            return line_refuse(reading, line, "is a master without workers: add their ranks",
                               failure);
        if (inner && !groups_take(reading, at, line->indent, depth + 1, group, failure))
            return false;
    }
    return true;
}

bool grouping_parse(struct group *whole, const char *text, const char *name,
                    const struct profile *profile, struct failure *failure)
{
    struct reading reading = {.name = name, .profile = profile};
    struct group read = {.master = 0};
    size_t at = 0;
    const size_t mark = strlen(BYTE_ORDER_MARK);
    if (strncmp(text, BYTE_ORDER_MARK, mark) == 0)
        text += mark;
    const bool good = lines_read(&reading, text, failure) && ranks_distinct(&reading, failure) &&
                      groups_take(&reading, &at, -1, 0, &read, failure);
    reading_release(&reading);
    if (good)
        *whole = read;
    else
        grouping_release(&read);
    return good;
}
