#include "planner/strips/balance.h"

#include <math.h>

/* The width of a worker that gets no strip. */
static const double left_out = -HUGE_VAL;

/* The common time of all workers that have a strip. */
static double balanced_s(const struct strip_cost *costs, int64_t count, int64_t columns,
                         const double *widths)
{
    double speed = 0, lost = 0;
    for (int64_t k = 0; k < count; k++)
        if (widths[k] != left_out) {
            speed += 1 / costs[k].s_per_column;
            lost += costs[k].fixed_s / costs[k].s_per_column;
        }
    return ((double)columns + lost) / speed;
}

/* Computes the widths for that time; returns the index of the narrowest strip, and *in, how many
 * workers have one. */
static int64_t widths_fill(const struct strip_cost *costs, int64_t count, double step_s,
                           double *widths, int64_t *in)
{
    int64_t narrowest = 0;
    double least = HUGE_VAL;
    *in = 0;
    for (int64_t k = 0; k < count; k++) {
        if (widths[k] == left_out)
            continue;
        widths[k] = (step_s - costs[k].fixed_s) / costs[k].s_per_column;
        ++*in;
        if (widths[k] < least) {
            least = widths[k];
            narrowest = k;
        }
    }
    return narrowest;
}

double strips_balance(const struct strip_cost *costs, int64_t count, int64_t columns, double least,
                      double *widths)
{
    double step_s;
    int64_t in = count;
    for (int64_t k = 0; k < count; k++)
        widths[k] = 0;
    for (;;) {
        step_s = balanced_s(costs, count, columns, widths);
        const int64_t narrowest = widths_fill(costs, count, step_s, widths, &in);
        if (in == 1 || widths[narrowest] >= least)
            break;
        widths[narrowest] = left_out;
    }
    for (int64_t k = 0; k < count; k++)
        widths[k] = widths[k] == left_out ? 0 : widths[k];
    return step_s;
}

/* The worker with the greatest fraction among those whose width has not been rounded up. */
static int64_t next_raised(const double *widths, int64_t count, const int64_t *whole)
{
    int64_t next = 0;
    double most = -HUGE_VAL;
    for (int64_t k = 0; k < count; k++) {
        const double remainder = widths[k] - (double)whole[k];
        if (widths[k] > 0 && remainder > most) {
            most = remainder;
            next = k;
        }
    }
    return next;
}

void strips_round(const double *widths, int64_t count, int64_t columns, int64_t *whole)
{
    int64_t left = columns;
    for (int64_t k = 0; k < count; k++) {
        whole[k] = (int64_t)floor(widths[k]);
        left -= whole[k];
    }
    for (; left > 0; left--)
        whole[next_raised(widths, count, whole)]++;
}

double strips_step_s(const struct strip_cost *costs, int64_t count, const int64_t *whole)
{
    double step_s = 0;
    for (int64_t k = 0; k < count; k++)
        if (whole[k] > 0)
            step_s = fmax(step_s, costs[k].s_per_column * (double)whole[k] + costs[k].fixed_s);
    return step_s;
}

int64_t strips_moved(const int64_t *now, const int64_t *later, int64_t count)
{
    int64_t first_now = 0, first_later = 0, stay = 0, all = 0;
    for (int64_t k = 0; k < count; k++) {
        const int64_t end_now = first_now + now[k], end_later = first_later + later[k];
        const int64_t first = first_now > first_later ? first_now : first_later;
        const int64_t end = end_now < end_later ? end_now : end_later;
        stay += end > first ? end - first : 0;
        all += later[k];
        first_now = end_now;
        first_later = end_later;
    }
    return all - stay;
}

bool strips_pay(const struct strip_cost *costs, int64_t count, const int64_t *now,
                const int64_t *later, double left, double transfer_s)
{
    static const double change_s = 0.01, noise = 0.02;
    const double now_s = strips_step_s(costs, count, now);
    const double gain_s = now_s - strips_step_s(costs, count, later);
    const double moved = (double)strips_moved(now, later, count);
    return gain_s > noise * now_s && gain_s * left > moved * transfer_s + change_s;
}
