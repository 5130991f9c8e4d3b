#include "spmd/run/until.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "planner/base/duration.h"
#include "spmd/node/command_answer.h"

/* Seconds that are kept for sealing: at least one, and this share of the remaining time up to a
 * minute. */
static const double seal_least_s = 1, seal_most_s = 60, seal_share = 0.02;
static const double day_s = 86400;

double until_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* Reads a number of at most eight digits at *text, which is moved behind it; negative: there is
 * none. */
static double number_take(const char **text)
{
    double number = 0;
    int digits = 0;
    for (; isdigit((unsigned char)**text); ++*text, digits++)
        number = 10 * number + (**text - '0');
    return digits > 0 && digits <= 8 ? number : -1;
}

double until_duration_s(const char *text)
{
    const char *dash = strchr(text, '-');
    double parts[3] = {0, 0, 0}, days = 0;
    int count = 0;
    if (dash && ((days = number_take(&text)) < 0 || text++ != dash))
        return -1;
    do {
        if (count == 3 || (parts[count++] = number_take(&text)) < 0)
            return -1;
    } while (*text == ':' && *++text);
    if (*text || (!dash && count == 1))
        return -1;
    if (dash || count == 3)
        return days * day_s + 3600 * parts[0] + 60 * parts[1] + parts[2];
    return 60 * parts[0] + parts[1];
}

/* Reads numbers separated by these characters (a T may be written as a space); returns how many
 * there are, as far as the text goes; 0: it has another form. */
static int numbers_read(const char *text, const char *between, int *numbers)
{
    int count = 0;
    for (;; text++) {
        const double number = number_take(&text);
        if (number < 0)
            return 0;
        numbers[count++] = (int)number;
        if (!*text)
            return count;
        const char wanted = between[count - 1];
        if (!wanted || (*text != wanted && !(wanted == 'T' && *text == ' ')))
            return 0;
    }
}

/* The moment by local time; negative: the text is none. */
static double moment_seconds(const char *text)
{
    int parts[6] = {0};
    if (numbers_read(text, "--T::", parts) < 5 || parts[1] < 1 || parts[1] > 12)
        return -1;
    struct tm then = {.tm_year = parts[0] - 1900,
                      .tm_mon = parts[1] - 1,
                      .tm_mday = parts[2],
                      .tm_hour = parts[3],
                      .tm_min = parts[4],
                      .tm_sec = parts[5],
                      .tm_isdst = -1};
    return (double)mktime(&then);
}

/* The next moment with the time of day "18:30[:00]"; negative: the text is none. */
static double time_of_day(const char *text, double now_s)
{
    const time_t now = (time_t)now_s;
    int parts[3] = {0};
    struct tm then;
    if (numbers_read(text, "::", parts) < 2 || parts[0] > 23 || parts[1] > 59 || parts[2] > 60 ||
        !localtime_r(&now, &then))
        return -1;
    then.tm_hour = parts[0];
    then.tm_min = parts[1];
    then.tm_sec = parts[2];
    then.tm_isdst = -1;
    double moment_s = (double)mktime(&then);
    if (moment_s <= now_s) {
        then.tm_mday++;
        then.tm_isdst = -1;
        moment_s = (double)mktime(&then);
    }
    return moment_s;
}

bool until_parse(struct until *until, const char *text, double now_s, struct failure *failure)
{
    const double left_s = duration_parse(text);
    const double moment_s = moment_seconds(text), clock_s = time_of_day(text, now_s);
    *until = (struct until){.known = strcmp(text, "none") != 0, .who = "--until"};
    until->end_s = left_s >= 0 ? now_s + left_s : moment_s >= 0 ? moment_s : clock_s;
    if (until->known && !(until->end_s >= 0 && isfinite(until->end_s)))
        return failure_set(failure, FAILURE_USAGE,
                           "--until %.60s: is neither a duration (2h, 1h30m, 45s) nor a time "
                           "(18:30, 2026-11-23T18:30) nor none",
                           text);
    return !until->known || until->end_s > now_s ||
           failure_set(failure, FAILURE_USAGE, "--until %.60s: is over already", text);
}

/* ---- batch systems -------------------------------------------------------------------------- */

static void until_set(struct until *until, double end_s, const char *who)
{
    until->known = true;
    until->end_s = end_s;
    snprintf(until->who, sizeof until->who, "%s", who);
}

static void slurm_ask(struct until *until, double now_s)
{
    const char *end = getenv("SLURM_JOB_END_TIME");
    char answer[64];
    if (end && strtod(end, NULL) > 0) {
        until_set(until, strtod(end, NULL), "Slurm");
        return;
    }
    char *const words[] = {"squeue", "-h", "-o", "%L", "-j", getenv("SLURM_JOB_ID"), NULL};
    if (!command_answer(words, answer, sizeof answer))
        return;
    answer[strcspn(answer, "\n")] = '\0';
    const double left_s = until_duration_s(answer);
    if (left_s >= 0)
        until_set(until, now_s + left_s, "Slurm");
}

/* Finds the duration behind "NAME = " in the output of qstat; negative: there is none. */
static double qstat_find(const char *answer, const char *name)
{
    static const char between[] = " = ", plain[] = "0123456789:";
    char value[40] = "";
    const char *at = strstr(answer, name);
    if (!at || strncmp(at + strlen(name), between, strlen(between)) != 0)
        return -1;
    at += strlen(name) + strlen(between);
    const size_t length = strspn(at, plain);
    snprintf(value, sizeof value, "%.*s", (int)(length < sizeof value ? length : 0), at);
    return until_duration_s(value);
}

static void pbs_ask(struct until *until, double now_s)
{
    char answer[1 << 14];
    char *const words[] = {"qstat", "-f", getenv("PBS_JOBID"), NULL};
    if (!command_answer(words, answer, sizeof answer))
        return;
    const double asked_s = qstat_find(answer, "Resource_List.walltime");
    const double used_s = qstat_find(answer, "resources_used.walltime");
    if (asked_s > 0)
        until_set(until, now_s + asked_s - fmax(0, used_s), "PBS");
}

void until_ask(struct until *until, double now_s)
{
    *until = (struct until){.known = false};
    if (getenv("SLURM_JOB_ID"))
        slurm_ask(until, now_s);
    else if (getenv("PBS_JOBID"))
        pbs_ask(until, now_s);
}

double until_left_s(const struct until *until, double now_s)
{
    const double left_s = until->end_s - now_s;
    return left_s - fmin(fmax(seal_least_s, seal_share * left_s), seal_most_s);
}
