#include "planner/files/probes.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/base/text.h"

static const char heading[] =
    "setting\trank\toperation\tpass\tcold\twaited\tfirst_task\ttasks\tseconds\n";

enum { NAME_MOST = 16 };

char *probes_print(const struct samples *samples)
{
    struct text text = TEXT_INIT;
    text_add(&text, "%s", heading);
    for (int64_t i = 0; i < samples->count; i++) {
        const struct sample *s = &samples->items[i];
        text_add(&text, "%d\t%d\t%s\t%d\t%d\t%d\t%" PRId64 "\t%" PRId64 "\t%.9g\n", s->setting,
                 s->rank, operation_name(s->operation), s->pass, s->cold, s->waited, s->first,
                 s->tasks, s->seconds);
    }
    return text_take(&text);
}

/* Reads a whole number from 0 to `most`, and the tab behind it. */
static bool whole_take(const char **at, int64_t most, int64_t *whole)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    const long long value = strtoll(*at, &end, 10);
    if (errno != 0 || value > most || *end != '\t')
        return false;
    *at = end + 1;
    *whole = value;
    return true;
}

static bool operation_take(const char **at, enum operation *operation)
{
    char name[NAME_MOST];
    const size_t length = strcspn(*at, "\t\n");
    if ((*at)[length] != '\t' || length >= sizeof name)
        return false;
    memcpy(name, *at, length);
    name[length] = '\0';
    *at += length + 1;
    return operation_find(name, operation);
}

/* Reads the last field, and the end of the line. */
static bool seconds_take(const char **at, double *seconds)
{
    char *end;
    if (!isdigit((unsigned char)**at) && **at != '-')
        return false;
    *seconds = strtod(*at, &end);
    if (!isfinite(*seconds) || *end != '\n')
        return false;
    *at = end + 1;
    return true;
}

static bool line_take(const char **at, struct sample *sample)
{
    int64_t setting, rank, pass, cold, waited;
    if (!whole_take(at, INT_MAX, &setting) || !whole_take(at, INT_MAX, &rank) ||
        !operation_take(at, &sample->operation) || !whole_take(at, INT_MAX, &pass) ||
        !whole_take(at, 1, &cold) || !whole_take(at, 1, &waited) ||
        !whole_take(at, LIMIT_TASKS, &sample->first) ||
        !whole_take(at, LIMIT_TASKS, &sample->tasks) || !seconds_take(at, &sample->seconds))
        return false;
    sample->setting = (int)setting;
    sample->rank = (int)rank;
    sample->pass = (int)pass;
    sample->cold = cold == 1;
    sample->waited = waited == 1;
    return true;
}

/* Reads all lines behind the heading; `path` is for sentences. */
static bool lines_take(const char *at, const char *path, struct samples *samples,
                       struct failure *failure)
{
    for (int64_t line = 2; *at; line++) {
        struct sample sample;
        if (!line_take(&at, &sample))
            return failure_set(failure, FAILURE_MISMATCH,
                               "%s: line %" PRId64 ": is no timing: calibrate again with --probes",
                               path, line);
        if (!samples_add(samples, &sample))
            return failure_memory(failure, "reading the probes");
    }
    return true;
}

bool probes_parse(struct samples *samples, const char *text, const char *path,
                  struct failure *failure)
{
    struct samples read = {0};
    const size_t length = sizeof heading - 1;
    if (strncmp(text, heading, length) != 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is no table of probes: give the file that 'scow calibrate "
                           "--probes' wrote",
                           path);
    if (!lines_take(text + length, path, &read, failure)) {
        samples_release(&read);
        return false;
    }
    *samples = read;
    return true;
}
