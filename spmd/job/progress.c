#include "spmd/job/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double terminal_interval_s = 0.2, log_interval_s = 5.0;

static bool is_terminal(FILE *out)
{
    const char *term = getenv("TERM");
    return out && isatty(fileno(out)) && term && strcmp(term, "dumb") != 0;
}

void progress_init(struct progress *progress, FILE *out, int64_t tasks, double predicted_s)
{
    *progress = (struct progress){
        .out = out, .terminal = is_terminal(out), .tasks = tasks, .predicted_s = predicted_s};
}

double progress_left_s(const struct progress *progress, int64_t done, double elapsed_s)
{
    double share = progress->tasks > 0 ? (double)done / (double)progress->tasks : 1;
    if (share >= 1)
        return 0;
    double measured_s = share > 0 ? elapsed_s / share : 0;
    if (progress->predicted_s <= 0)
        return share > 0 ? measured_s - elapsed_s : -1;
    /* The more is done, the more what was measured counts. */
    double whole_s = (1 - share) * progress->predicted_s + share * measured_s;
    double left_s = whole_s - elapsed_s;
    return left_s > 0 ? left_s : 0;
}

static bool is_due(struct progress *progress, double elapsed_s)
{
    double interval = progress->terminal ? terminal_interval_s : log_interval_s;
    if (!progress->out || elapsed_s - progress->shown_s < interval)
        return false;
    progress->shown_s = elapsed_s;
    return true;
}

static void line_print(struct progress *progress, const char *text)
{
    fprintf(progress->out, "%s%s%s", progress->terminal ? "\r\033[K" : "scow: ", text,
            progress->terminal ? "" : "\n");
    fflush(progress->out);
    progress->drawn = progress->terminal;
}

void progress_line(struct progress *progress, const char *text, double elapsed_s)
{
    if (is_due(progress, elapsed_s))
        line_print(progress, text);
}

void progress_show(struct progress *progress, int64_t done, double elapsed_s)
{
    if (!is_due(progress, elapsed_s))
        return;
    double left = progress_left_s(progress, done, elapsed_s);
    char rest[48] = "", text[160];
    if (left >= 0)
        snprintf(rest, sizeof rest, ", %.0f s left", left);
    snprintf(text, sizeof text, "%" PRId64 " of %" PRId64 " core tasks (%.0f %%), %.0f s%s", done,
             progress->tasks, 100.0 * (double)done / (double)progress->tasks, elapsed_s, rest);
    line_print(progress, text);
}

void progress_end(struct progress *progress)
{
    if (progress->drawn) {
        fputs("\r\033[K", progress->out);
        fflush(progress->out);
    }
    progress->drawn = false;
}
