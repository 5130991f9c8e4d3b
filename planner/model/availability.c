#include "planner/model/availability.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/model/load_pattern.h"

/* ---- series -------------------------------------------------------------------------------- */

static struct availability_series *series_new(struct availability *availability, const char *who)
{
    struct availability_series *grown =
        array_reserve(availability->series, &availability->capacity, availability->count + 1,
                      sizeof *availability->series);
    char *name = who ? strdup(who) : NULL;
    if (grown)
        availability->series = grown;
    if (!grown || (who && !name)) {
        free(name);
        return NULL;
    }
    grown[availability->count] = (struct availability_series){.who = name};
    return &grown[availability->count++];
}

/* Begins the search with the last series, because lines of a worker mostly follow each other. */
struct availability_series *availability_series(struct availability *availability, const char *who)
{
    for (size_t k = availability->count; k-- > 0;)
        if (strcmp(availability->series[k].who, who) == 0)
            return &availability->series[k];
    return series_new(availability, who);
}

static bool curve_add(struct availability_curve *curve, double start_s, double share)
{
    const struct availability_step step = {start_s, 1 / share};
    if (curve->count > 0 && curve->steps[curve->count - 1].stretch == step.stretch)
        return true;
    struct availability_step *steps =
        array_reserve(curve->steps, &curve->capacity, curve->count + 1, sizeof *steps);
    if (!steps)
        return false;
    steps[curve->count++] = step;
    curve->steps = steps;
    return true;
}

bool availability_add(struct availability_series *series, double start_s, double cpu, double link)
{
    return curve_add(&series->cpu, start_s, cpu) && curve_add(&series->link, start_s, link);
}

void availability_release(struct availability *availability)
{
    for (size_t k = 0; k < availability->count; k++) {
        free(availability->series[k].who);
        free(availability->series[k].cpu.steps);
        free(availability->series[k].link.steps);
    }
    free(availability->series);
    free(availability->places);
    *availability = (struct availability){.series = NULL};
}

/* ---- whose series they are
 * ------------------------------------------------------------------------ */

static bool places_make(struct availability *availability, int64_t workers, struct failure *failure)
{
    availability->workers = workers;
    availability->places = calloc((size_t)workers + 1, sizeof *availability->places);
    return availability->places || failure_memory(failure, "reading loads");
}

/* Reads a rank of these workers; 0: it is none. */
static int64_t rank_read(const char *who, int64_t workers)
{
    char *end;
    const long long rank = strtoll(who, &end, 10);
    return end != who && *end == '\0' && rank >= 1 && rank <= workers ? rank : 0;
}

/* Assigns the series to the workers of its class that have none; returns how many workers the
 * class has. */
static int64_t class_place(struct availability *availability, size_t series,
                           const struct profile_window *window)
{
    int64_t first = 1, found = 0;
    for (size_t k = 0; k < window->worker_count; first += window->workers[k++].count) {
        const struct profile_worker *class = &window->workers[k];
        if (!class->name || strcmp(class->name, availability->series[series].who) != 0)
            continue;
        for (int64_t rank = first; rank < first + class->count; rank++, found++)
            if (rank <= availability->workers && availability->places[rank] == 0)
                availability->places[rank] = series + 1;
    }
    return found;
}

static bool series_refuse(const char *who, int64_t workers, struct failure *failure)
{
    return failure_set(
        failure, FAILURE_MISMATCH,
        "there are loads of '%.60s', which is no worker: give ranks from 1 to %" PRId64
        ", classes of the profile, or master",
        who, workers);
}

bool availability_place(struct availability *availability, const struct profile_setting *setting,
                        int64_t workers, struct failure *failure)
{
    if (!places_make(availability, workers, failure))
        return false;
    for (size_t k = 0; k < availability->count; k++) {
        const char *who = availability->series[k].who;
        const int64_t rank = strcmp(who, "master") == 0 ? 0 : rank_read(who, workers);
        if (rank > 0 || strcmp(who, "master") == 0)
            availability->places[rank] = k + 1;
    }
    for (size_t k = 0; k < availability->count; k++) {
        const char *who = availability->series[k].who;
        if (strcmp(who, "master") != 0 && rank_read(who, workers) == 0 &&
            class_place(availability, k, &setting->windows[0]) == 0)
            return series_refuse(who, workers, failure);
    }
    return true;
}

const struct availability_series *availability_of(const struct availability *availability,
                                                  int64_t worker)
{
    const size_t place = availability->places ? availability->places[worker + 1] : 0;
    return place > 0 ? &availability->series[place - 1] : NULL;
}

/* ---- patterns ------------------------------------------------------------------------------ */

static bool pattern_add(struct availability_series *series, int64_t worker, double seconds,
                        uint64_t seed)
{
    const struct load_pattern *pattern = load_pattern(1 + (int)(worker % LOAD_PATTERNS));
    double at_s = 0;
    while (at_s < seconds) {
        double until_s;
        const bool high = load_pattern_high(pattern, seconds, seed, worker, at_s, &until_s);
        if (!availability_add(series, at_s, high ? 0.5 : 1, 1))
            return false;
        at_s = until_s;
    }
    return availability_add(series, seconds, 1, 1);
}

bool availability_patterns(struct availability *availability, int64_t workers, double seconds,
                           uint64_t seed, struct failure *failure)
{
    if (!places_make(availability, workers, failure))
        return false;
    for (int64_t worker = 0; worker < workers; worker++) {
        struct availability_series *series = series_new(availability, NULL);
        if (!series || !pattern_add(series, worker, seconds, seed))
            return failure_memory(failure, "simulating loads");
        availability->places[worker + 1] = availability->count;
    }
    return true;
}

/* ---- how long operations last -------------------------------------------------------------- */

/* The last step that has begun by then. */
static size_t step_at(const struct availability_curve *curve, double at_s)
{
    size_t low = 0, high = curve->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (curve->steps[middle].start_s <= at_s)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double curve_lasts(const struct availability_curve *curve, double start_s, double seconds)
{
    size_t k = step_at(curve, start_s);
    double at_s = start_s, left_s = seconds;
    for (; left_s > 0 && k + 1 < curve->count; k++) {
        const double next_s = curve->steps[k + 1].start_s;
        if (left_s * curve->steps[k].stretch <= next_s - at_s)
            break;
        left_s = fmax(left_s - (next_s - at_s) / curve->steps[k].stretch, 0);
        at_s = next_s;
    }
    return at_s - start_s + (left_s > 0 ? left_s * curve->steps[k].stretch : 0);
}

double availability_lasts(const struct availability_series *series, enum operation operation,
                          double start_s, double seconds)
{
    const bool link = operation == OPERATION_LINK || operation == OPERATION_RESULT;
    const struct availability_curve *curve = link ? &series->link : &series->cpu;
    return curve->count > 0 ? curve_lasts(curve, start_s, seconds) : seconds;
}

double availability_share(const struct availability_series *series, double from_s, double until_s)
{
    const struct availability_curve *curve = &series->cpu;
    double done_s = 0, at_s = from_s;
    if (!(until_s > from_s))
        return 0;
    if (curve->count == 0)
        return 1;
    for (size_t k = step_at(curve, from_s); at_s < until_s; k++) {
        const double next_s = k + 1 < curve->count ? curve->steps[k + 1].start_s : until_s;
        done_s += (fmin(next_s, until_s) - at_s) / curve->steps[k].stretch;
        at_s = next_s;
    }
    return fmin(done_s / (until_s - from_s), 1);
}
