#include "spmd/launch/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/base/array.h"
#include "planner/base/duration.h"
#include "spmd/launch/terminal.h"

static const double terminal_interval_s = 0.2, log_interval_s = 5.0;
/* The plan's pace has as much weight as measurements over this share of the plan. */
static const double PLAN_TRUST = 0.1;

enum { LINE_SIZE = 320, WORKERS_MOST = 1 << 20 };

void progress_init(struct progress *progress, FILE *out, int64_t tasks, double predicted_s)
{
    *progress = (struct progress){
        .out = out, .terminal = terminal_open(out), .tasks = tasks, .predicted_s = predicted_s};
}

void progress_plan(struct progress *progress, double now_s, int64_t done, double predicted_s)
{
    enum { STEPS = 100 };
    struct progress_step *steps = calloc(STEPS, sizeof *steps);
    progress->predicted_s = predicted_s;
    for (int k = 0; steps && k < STEPS; k++) {
        const double share = k / (STEPS - 1.0);
        steps[k] = (struct progress_step){now_s + share * (predicted_s - now_s),
                                          done + llround(share * (double)(progress->tasks - done))};
    }
    free(progress->curve.steps);
    progress->curve = (struct progress_curve){steps, steps ? STEPS : 0};
}

/* ---- how long, and who ---------------------------------------------------------------------- */

/* How far into its plan a run is. Between the ends of two packages of the plan that is not known:
 * it is taken from the clock. */
static double planned_s(const struct progress *progress, int64_t done, double elapsed_s)
{
    const struct progress_curve *curve = &progress->curve;
    size_t low = 0, high = curve->count;
    if (curve->count == 0)
        return progress->predicted_s * (double)done / (double)progress->tasks;
    while (low < high) { /* find the first step with more done */
        const size_t middle = low + (high - low) / 2;
        if (curve->steps[middle].done > done)
            high = middle;
        else
            low = middle + 1;
    }
    const double before_s = low > 0 ? curve->steps[low - 1].end_s : 0;
    const double after_s = low < curve->count ? curve->steps[low].end_s : before_s;
    return fmin(fmax(elapsed_s, before_s), after_s);
}

double progress_left_s(const struct progress *progress, int64_t done, double elapsed_s)
{
    if (done >= progress->tasks)
        return 0;
    if (progress->predicted_s < 0)
        return -1;
    if (progress->predicted_s <= 0)
        return done > 0 ? elapsed_s * (double)(progress->tasks - done) / (double)done : -1;
    const double at_s = planned_s(progress, done, elapsed_s);
    const double trusted_s = PLAN_TRUST * progress->predicted_s;
    const double pace = (elapsed_s + trusted_s) / (at_s + trusted_s);
    return fmax(0, progress->predicted_s - at_s) * pace;
}

void progress_worker(struct progress *progress, int64_t worker, double expected_s, double taken_s)
{
    if ((!progress->out && !progress->tick.tell) || worker < 0 || worker >= WORKERS_MOST)
        return;
    const size_t needed = (size_t)worker + 1;
    if (needed > progress->worker_count) {
        struct progress_pace *room =
            array_reserve(progress->paces, &progress->capacity, needed, sizeof *room);
        if (!room)
            return;
        progress->paces = room;
        for (; progress->worker_count < needed; progress->worker_count++)
            room[progress->worker_count] = (struct progress_pace){0, 0};
    }
    progress->paces[worker].expected_s += expected_s;
    progress->paces[worker].taken_s += taken_s;
}

bool progress_slowest(const struct progress *progress, int64_t *worker, double *excess)
{
    int known = 0;
    for (size_t k = 0; k < progress->worker_count; k++) {
        const struct progress_pace *pace = &progress->paces[k];
        if (!(pace->expected_s > 0))
            continue;
        const double own = pace->taken_s / pace->expected_s - 1;
        if (known++ == 0 || own > *excess) {
            *worker = (int64_t)k;
            *excess = own;
        }
    }
    return known > 1;
}

/* ---- lines ---------------------------------------------------------------------------------- */

bool progress_due(const struct progress *progress, double elapsed_s)
{
    const double interval_s = progress->terminal >= 0 ? terminal_interval_s : log_interval_s;
    return progress->out && elapsed_s - progress->shown_s >= interval_s;
}

/* A longer line would wrap, and could not be overwritten. A file has no such limit. */
static int columns_most(const struct progress *progress)
{
    const int columns = progress->terminal >= 0 ? terminal_columns(progress->terminal) : 0;
    return columns > 1 ? columns - 1 : LINE_SIZE;
}

static void line_print(struct progress *progress, const char *const *texts, int count,
                       double elapsed_s)
{
    const bool redrawn = progress->terminal >= 0;
    const int most = columns_most(progress);
    int k = 0;
    while (k < count - 1 && strlen(texts[k]) > (size_t)most)
        k++;
    fprintf(progress->out, "%s%.*s%s", redrawn ? "\r\033[K" : "scow: ", most, texts[k],
            redrawn ? "" : "\n");
    fflush(progress->out);
    progress->drawn = redrawn;
    progress->shown_s = elapsed_s;
}

void progress_line(struct progress *progress, const char *const *texts, int count, double elapsed_s)
{
    if (progress_due(progress, elapsed_s))
        line_print(progress, texts, count, elapsed_s);
}

/* Forms of the line, from all that is known to only how much is done and how long it will take. */
enum { FORMS = 4 };

static void forms_write(const struct progress *progress, int64_t done, double elapsed_s,
                        char forms[FORMS][LINE_SIZE])
{
    char left[DURATION_SIZE + 16] = "", rate[32] = "", slowest[64] = "", share[64];
    char words[DURATION_SIZE], passed[DURATION_SIZE];
    int64_t worker = 0;
    double excess = 0;
    const double left_s = progress_left_s(progress, done, elapsed_s);
    const double per_s = elapsed_s > 0 ? (double)done / elapsed_s : 0;
    if (left_s >= 0)
        snprintf(left, sizeof left, ", %s left", duration_print(left_s, words));
    if (done > 0)
        snprintf(rate, sizeof rate, per_s < 999.5 ? ", %.3g/s" : ", %.0f/s", per_s);
    if (progress_slowest(progress, &worker, &excess))
        snprintf(slowest, sizeof slowest, "; slowest worker %" PRId64 " at %+.0f %%", worker + 1,
                 100 * excess);
    snprintf(share, sizeof share, "(%.0f %%)", 100.0 * (double)done / (double)progress->tasks);
    duration_print(elapsed_s, passed);
    snprintf(forms[1], LINE_SIZE, "%" PRId64 " of %" PRId64 " core tasks %s%s, %s%s", done,
             progress->tasks, share, rate, passed, left);
    snprintf(forms[0], LINE_SIZE, "%.240s%s", forms[1], slowest);
    snprintf(forms[2], LINE_SIZE, "%" PRId64 " of %" PRId64 " %s%s%s", done, progress->tasks, share,
             rate, left);
    snprintf(forms[3], LINE_SIZE, "%" PRId64 " %s%s", done, share, left);
}

void progress_show(struct progress *progress, int64_t done, double elapsed_s)
{
    char forms[FORMS][LINE_SIZE];
    if (progress->tick.tell)
        progress->tick.tell(progress->tick.self);
    if (!progress_due(progress, elapsed_s))
        return;
    forms_write(progress, done + progress->elsewhere, elapsed_s, forms);
    const char *const texts[FORMS] = {forms[0], forms[1], forms[2], forms[3]};
    line_print(progress, texts, FORMS, elapsed_s);
}

void progress_break(struct progress *progress)
{
    if (progress->drawn) {
        fputs("\r\033[K", progress->out);
        fflush(progress->out);
    }
    progress->drawn = false;
}

void progress_end(struct progress *progress)
{
    progress_break(progress);
    if (progress->terminal >= 0)
        close(progress->terminal);
    progress->terminal = -1;
    free(progress->paces);
    free(progress->curve.steps);
    progress->paces = NULL;
    progress->curve = (struct progress_curve){NULL, 0};
    progress->worker_count = progress->capacity = 0;
}
