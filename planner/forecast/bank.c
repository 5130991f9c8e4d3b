#include "planner/forecast/bank.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double gains[FORECAST_GAINS] = {0.05, 0.10, 0.15, 0.20, 0.30, 0.40, 0.50, 0.75};

/* Windows of adaptive medians (Wolski 1998): their first, least and greatest length, and by how
 * much neighbours that are compared differ. */
static const struct adaptive {
    int first, least, greatest, step;
} adaptives[FORECAST_ADAPTIVE] = {{10, 5, 21, 1}, {30, 21, 51, 5}};

/* ---- forecasts from the last values
 * -------------------------------------------------------------------- */

static int kept_of(const struct bank *bank)
{
    return bank->count < FORECAST_WINDOW ? (int)bank->count : FORECAST_WINDOW;
}

/* Sorts the last `most` values, or as many as there are; returns how many. */
static int last_sorted(const struct bank *bank, int most, double sorted[FORECAST_WINDOW])
{
    const int kept = kept_of(bank), count = most < kept ? most : kept;
    const double *from = &bank->recent[kept - count];
    for (int k = 0; k < count; k++) {
        int at = k;
        for (; at > 0 && sorted[at - 1] > from[k]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = from[k];
    }
    return count;
}

static double median_of(const struct bank *bank, int most)
{
    double sorted[FORECAST_WINDOW];
    const int count = last_sorted(bank, most, sorted);
    return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static double window_mean(const struct bank *bank, int most)
{
    const int kept = kept_of(bank), count = most < kept ? most : kept;
    double sum = 0;
    for (int k = kept - count; k < kept; k++)
        sum += bank->recent[k];
    return sum / count;
}

/* The mean without the floor(0.3 n) least and greatest values. */
static double trimmed_mean(const struct bank *bank, int most)
{
    double sorted[FORECAST_WINDOW], sum = 0;
    const int count = last_sorted(bank, most, sorted), off = 3 * count / 10;
    for (int k = off; k < count - off; k++)
        sum += sorted[k];
    return sum / (count - 2 * off);
}

/* As long as there are fewer values than its greatest window has: the median of all of them. */
static double adaptive_median(const struct bank *bank, int place)
{
    const bool enough = bank->count >= adaptives[place].greatest;
    return median_of(bank, enough ? bank->window[place] : FORECAST_WINDOW);
}

static double off_squared(const struct bank *bank, int window, double value)
{
    const double off = value - median_of(bank, window);
    return off * off;
}

/* Moves the window one value towards the neighbour that would have forecast the next value better.
 */
static void adaptive_learn(struct bank *bank, int place, double value)
{
    const struct adaptive *own = &adaptives[place];
    int *window = &bank->window[place];
    if (bank->count < own->greatest)
        return;
    const int low = *window - own->step > own->least ? *window - own->step : own->least;
    const int high = *window + own->step < own->greatest ? *window + own->step : own->greatest;
    const double narrower = off_squared(bank, low, value), wider = off_squared(bank, high, value);
    const double present = off_squared(bank, *window, value);
    if (narrower < present && narrower <= wider && *window > own->least)
        (*window)--;
    else if (!(narrower < present && narrower <= wider) && wider < present &&
             *window < own->greatest)
        (*window)++;
}

/* ---- the bank ------------------------------------------------------------------------------ */

static double last_next(const struct bank *bank, int place)
{
    (void)place;
    return bank->recent[kept_of(bank) - 1];
}

static double mean_next(const struct bank *bank, int place)
{
    (void)place;
    return bank->sum / (double)bank->count;
}

static double smooth_next(const struct bank *bank, int place)
{
    return bank->smooth[place];
}

static const struct forecaster {
    const char *name;
    double (*next)(const struct bank *bank, int argument);
    int argument;
} forecasters[FORECASTERS] = {
    {"last value", last_next, 0},
    {"running mean", mean_next, 0},
    {"smoothing 0.05", smooth_next, 0},
    {"smoothing 0.10", smooth_next, 1},
    {"smoothing 0.15", smooth_next, 2},
    {"smoothing 0.20", smooth_next, 3},
    {"smoothing 0.30", smooth_next, 4},
    {"smoothing 0.40", smooth_next, 5},
    {"smoothing 0.50", smooth_next, 6},
    {"smoothing 0.75", smooth_next, 7},
    {"median of 31", median_of, 31},
    {"median of 5", median_of, 5},
    {"mean of 31", window_mean, 31},
    {"mean of 5", window_mean, 5},
    {"trimmed mean of 31", trimmed_mean, 31},
    {"trimmed mean of 51", trimmed_mean, 51},
    {"adaptive median of 5 to 21", adaptive_median, 0},
    {"adaptive median of 21 to 51", adaptive_median, 1},
};

static double next_of(const struct bank *bank, int place)
{
    return forecasters[place].next(bank, forecasters[place].argument);
}

/* Adds the errors of what each forecaster said of this value before it came. */
static void errors_add(struct bank *bank, double value)
{
    for (int place = 0; place < FORECASTERS; place++) {
        const double off = value - next_of(bank, place);
        bank->squares[place] += off * off;
        bank->absolutes[place] += fabs(off);
    }
    for (int place = 0; place < FORECAST_ADAPTIVE; place++)
        adaptive_learn(bank, place, value);
}

static void recent_push(struct bank *bank, double value)
{
    const int kept = kept_of(bank);
    if (kept == FORECAST_WINDOW)
        memmove(bank->recent, bank->recent + 1, (FORECAST_WINDOW - 1) * sizeof *bank->recent);
    bank->recent[kept == FORECAST_WINDOW ? kept - 1 : kept] = value;
}

void bank_add(struct bank *bank, double value)
{
    if (bank->count > 0)
        errors_add(bank, value);
    for (int k = 0; k < FORECAST_GAINS; k++)
        bank->smooth[k] =
            bank->count > 0 ? bank->smooth[k] + gains[k] * (value - bank->smooth[k]) : value;
    for (int place = 0; bank->count == 0 && place < FORECAST_ADAPTIVE; place++)
        bank->window[place] = adaptives[place].first;
    recent_push(bank, value);
    bank->sum += value;
    bank->count++;
}

bool forecast_by_find(const char *word, enum forecast_by *by)
{
    *by = strcmp(word, "mae") == 0 ? FORECAST_BY_MAE : FORECAST_BY_MSE;
    return *by == FORECAST_BY_MAE || strcmp(word, "mse") == 0;
}

struct forecast bank_forecaster(const struct bank *bank, int place, enum forecast_by by)
{
    const double errors = by == FORECAST_BY_MSE ? bank->squares[place] : bank->absolutes[place];
    const double forecasts =
        bank->count > 1 ? (double)(bank->count - 1) : 1; /* with fewer values all errors are 0 */
    return (struct forecast){forecasters[place].name, next_of(bank, place), errors / forecasts,
                             bank->squares[place] / forecasts};
}

struct forecast bank_forecast(const struct bank *bank, enum forecast_by by)
{
    const double *errors = by == FORECAST_BY_MSE ? bank->squares : bank->absolutes;
    int best = 0;
    for (int place = 1; place < FORECASTERS; place++)
        if (errors[place] < errors[best])
            best = place;
    return bank_forecaster(bank, best, by);
}
