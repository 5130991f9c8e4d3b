/*
 * What a series will be next: 18 simple forecasters run side by side, and the one that has been
 * best so far is believed. R. Wolski, Dynamically forecasting network performance using the Network
 * Weather Service, Cluster Computing 1 (1998); the forecasters are those of its published
 * configuration.
 *
 * Last value; mean of all; exponential smoothing with eight gains; median and mean of the last 31
 * and 5; mean of the last 31 and 51 without the least and the greatest three tenths; medians of a
 * window that adapts between 5 and 21, and between 21 and 51: with as many values as its greatest,
 * the medians of a narrower, the present and a wider window are compared with the new value, and
 * the window moves by one towards the one that was closest. (The service's code compares windows of
 * the step's length; here they are those of the window less and more the step.)
 */
#ifndef PLANNER_FORECAST_BANK_H
#define PLANNER_FORECAST_BANK_H

#include <stdbool.h>
#include <stdint.h>

enum { FORECASTERS = 18, FORECAST_WINDOW = 51, FORECAST_GAINS = 8, FORECAST_ADAPTIVE = 2 };

/* By which error the best is chosen: mean squared, or mean absolute. */
enum forecast_by { FORECAST_BY_MSE, FORECAST_BY_MAE };

/* Of the words "mse" and "mae". False: it is neither. */
bool forecast_by_find(const char *word, enum forecast_by *by);

/* All zero: has seen nothing. */
struct bank {
    int64_t count;
    double recent[FORECAST_WINDOW]; /* the last values, the oldest first */
    double sum, smooth[FORECAST_GAINS];
    int window[FORECAST_ADAPTIVE];
    double squares[FORECASTERS],
        absolutes[FORECASTERS]; /* sums of errors, from the second value on */
};

struct forecast {
    const char *by; /* which forecaster */
    double value;
    double error;   /* mean squared or absolute, of its forecasts so far; 0 where there was none */
    double squared; /* the mean squared one */
};

void bank_add(struct bank *bank, double value);
/* Of one that has seen something; of equally good ones the earlier in the order above. */
struct forecast bank_forecast(const struct bank *bank, enum forecast_by by);
/* One by its place, 0 to FORECASTERS - 1, in that order. */
struct forecast bank_forecaster(const struct bank *bank, int place, enum forecast_by by);

#endif
