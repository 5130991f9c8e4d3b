#include "kernel/command/limit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FAILURES_LEAST = 3, OCTAVE_FIRST = -20 };

static const double percent_least_s = 1;

bool limit_parse(struct limit *limit, const char *text)
{
    *limit = (struct limit){0};
    if (!text || strcmp(text, "never") == 0)
        return true;
    char *end = NULL;
    const double value = strtod(text, &end);
    const bool percent = *end == '%';
    if (end == text || !isfinite(value) || value <= 0 || strlen(end) != (size_t)percent)
        return false;
    *limit = (struct limit){.value = value, .percent = percent};
    return true;
}

int durations_step(double seconds)
{
    const int most = DURATION_OCTAVES * DURATION_STEPS - 1;
    const double step = seconds > 0 ? floor((log2(seconds) - OCTAVE_FIRST) * DURATION_STEPS) : 0;
    return step < 0 ? 0 : step > most ? most : (int)step;
}

void durations_add(struct durations *durations, double seconds)
{
    durations->counts[durations_step(seconds)]++;
    durations->count++;
}

double durations_median(struct durations *durations)
{
    if (durations->median_count == durations->count)
        return durations->median_s;
    int step = 0;
    int64_t below = durations->counts[0];
    while (2 * below < durations->count)
        below += durations->counts[++step];
    durations->median_count = durations->count;
    durations->median_s = exp2((step + 0.5) / DURATION_STEPS + OCTAVE_FIRST);
    return durations->median_s;
}

double limit_seconds(const struct limit *limit, struct durations *durations, double median_s)
{
    if (limit->value <= 0)
        return HUGE_VAL;
    if (!limit->percent)
        return limit->value;
    if (!(median_s > 0) && durations->count < DURATION_SAMPLES_LEAST)
        return HUGE_VAL;
    if (!(median_s > 0))
        median_s = durations_median(durations);
    return fmax(limit->value / 100 * median_s, percent_least_s);
}

bool limit_reached(const struct limit *limit, int64_t failed, int64_t finished)
{
    if (limit->value <= 0 || failed == 0)
        return false;
    if (!limit->percent)
        return (double)failed >= limit->value;
    return failed >= FAILURES_LEAST && 100 * (double)failed >= limit->value * (double)finished;
}
