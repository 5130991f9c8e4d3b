#include "planner/files/waits_tsv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/base/limits.h"
#include "planner/files/tsv_rows.h"

enum { COLUMNS = 3 };

/* Reads the numbers of the line at `at`, and returns how many there are; COLUMNS + 1: there is
 * something else, too. */
static int numbers_read(const char *at, double numbers[COLUMNS])
{
    static const char BLANKS[] = " \t\r";
    int count = 0;
    at += strspn(at, BLANKS);
    while (*at && *at != '\n') {
        char *end;
        const double number = strtod(at, &end);
        if (end == at || (*end && !strchr(" \t\r\n", *end)) || count == COLUMNS)
            return COLUMNS + 1;
        numbers[count++] = number;
        at = end + strspn(end, BLANKS);
    }
    return count;
}

static bool row_read(const char *at, struct wait_row *row)
{
    double numbers[COLUMNS];
    if (numbers_read(at, numbers) != COLUMNS)
        return false;
    const bool good = numbers[0] >= 1 && numbers[0] <= (double)LIMIT_WORKERS + 1 &&
                      numbers[0] == floor(numbers[0]) && numbers[1] > 0 &&
                      numbers[1] <= LIMIT_TOTAL_S && numbers[2] >= 0 && numbers[2] <= LIMIT_TOTAL_S;
    if (good)
        *row = (struct wait_row){(int64_t)numbers[0], numbers[1], numbers[2]};
    return good;
}

static bool row_follows(const struct waits *waits, const struct wait_row *row)
{
    if (waits->count == 0)
        return true;
    const struct wait_row *before = &waits->rows[waits->count - 1];
    return row->ranks > before->ranks ||
           (row->ranks == before->ranks && row->walltime_s > before->walltime_s);
}

static bool row_add(struct waits *waits, const struct wait_row *row, struct failure *failure)
{
    struct wait_row *rows = array_extend(waits->rows, waits->count, sizeof *rows);
    if (!rows)
        return failure_memory(failure, "reading waits");
    rows[waits->count++] = *row;
    waits->rows = rows;
    return true;
}

static bool line_read(void *self, const char *at, int64_t number, const char *name,
                      struct failure *failure)
{
    struct waits *waits = self;
    struct wait_row row;
    if (!row_read(at, &row))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s, line %" PRId64
                           ": give ranks (1 or more), walltime_s (above 0) and wait_s (0 or more), "
                           "separated by tabs",
                           name, number);
    if (!row_follows(waits, &row))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s, line %" PRId64
                           ": sort the lines by ranks and then by walltime_s, each pair once",
                           name, number);
    return row_add(waits, &row, failure);
}

bool waits_parse(struct waits *waits, const char *text, const char *name, struct failure *failure)
{
    struct waits read = {.rows = NULL};
    const struct tsv_table table = {
        .text = text, .name = name, .head = "ranks", .take = line_read, .self = &read};
    bool good = tsv_rows_read(&table, failure);
    if (good && read.count == 0)
        good = failure_set(failure, FAILURE_MISMATCH,
                           "%s: has no waits: give lines of ranks, walltime_s and wait_s", name);
    if (good)
        *waits = read;
    else
        waits_release(&read);
    return good;
}
