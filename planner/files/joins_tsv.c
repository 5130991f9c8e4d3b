#include "planner/files/joins_tsv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/base/limits.h"
#include "planner/files/textfile.h"
#include "planner/files/tsv_rows.h"

static const char blanks[] = " \t\r";

/* Reads a number of at most `most`, and moves *at behind it. False: there is none. */
static bool number_read(const char **at, double most, double *number)
{
    char *end;
    *at += strspn(*at, blanks);
    if (**at == '\n' || **at == '\0')
        return false;
    *number = strtod(*at, &end);
    const bool good =
        end != *at && (*end == '\0' || strchr(" \t\r\n", *end)) && *number >= 0 && *number <= most;
    *at = end;
    return good;
}

static bool line_ends(const char *at)
{
    at += strspn(at, blanks);
    return *at == '\n' || *at == '\0';
}

static bool span_read(const char *at, struct joins_span *span)
{
    double rank, from_s, until_s = HUGE_VAL;
    if (!number_read(&at, (double)LIMIT_WORKERS, &rank) || rank < 1 || rank != floor(rank) ||
        !number_read(&at, LIMIT_TOTAL_S, &from_s))
        return false;
    at += strspn(at, blanks);
    if (*at == '-')
        at++;
    else if (!line_ends(at) && (!number_read(&at, LIMIT_TOTAL_S, &until_s) || until_s <= from_s))
        return false;
    *span = (struct joins_span){(int64_t)rank - 1, from_s, until_s};
    return line_ends(at);
}

static bool line_read(void *self, const char *at, int64_t number, const char *name,
                      struct failure *failure)
{
    struct joins *joins = self;
    struct joins_span span;
    if (!span_read(at, &span))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s, line %" PRId64 ": give a worker's rank from 1 on, the second from "
                           "when on it is there, and the later one until when, or '-'",
                           name, number);
    struct joins_span *spans = array_extend(joins->spans, joins->span_count, sizeof *spans);
    if (!spans)
        return failure_memory(failure, "reading who is there when");
    joins->spans = spans;
    spans[joins->span_count++] = span;
    return true;
}

static bool spans_check(struct joins *joins, const char *name, struct failure *failure)
{
    int64_t worker = 0;
    if (joins->span_count == 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: has no workers: give lines of worker, from_s and until_s", name);
    return joins_sort(joins, &worker) ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: has two lines of worker %" PRId64 ": give one that comes back a "
                       "number of its own",
                       name, worker + 1);
}

bool joins_parse(struct joins *joins, const char *text, const char *name, struct failure *failure)
{
    struct joins read = {.spans = NULL};
    const struct tsv_table table = {
        .text = text, .name = name, .head = "worker", .take = line_read, .self = &read};
    if (tsv_rows_read(&table, failure) && spans_check(&read, name, failure)) {
        *joins = read;
        return true;
    }
    joins_release(&read);
    return false;
}

bool joins_read(struct joins *joins, const char *path, struct failure *failure)
{
    size_t length;
    char *text = textfile_read(path, &length, failure);
    const bool good = text && joins_parse(joins, text, path, failure);
    free(text);
    return good;
}
