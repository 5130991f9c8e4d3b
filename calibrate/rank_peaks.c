#include "calibrate/rank_peaks.h"

#include <math.h>

/* The place of packages of that size: theirs, a free one, or that of the largest size, which makes
 * room for a smaller one; -1: there is none. */
static int place_find(struct rank_peaks *peaks, int64_t tasks)
{
    int largest = 0;
    for (int i = 0; i < peaks->count; i++) {
        if (peaks->tasks[i] == tasks)
            return i;
        if (peaks->tasks[i] > peaks->tasks[largest])
            largest = i;
    }
    if (peaks->count == RANK_PEAKS_MOST && peaks->tasks[largest] < tasks)
        return -1;
    const int place = peaks->count < RANK_PEAKS_MOST ? peaks->count++ : largest;
    peaks->tasks[place] = tasks;
    peaks->bytes[place] = 0;
    return place;
}

void rank_peaks_add(struct rank_peaks *peaks, int64_t tasks, double bytes)
{
    const int place = place_find(peaks, tasks);
    if (place >= 0)
        peaks->bytes[place] = fmax(peaks->bytes[place], bytes);
}

double rank_peaks_most(const struct rank_peaks *peaks, int64_t greatest)
{
    double most = 0;
    int smallest = 0;
    for (int i = 0; i < peaks->count; i++) {
        if (peaks->tasks[i] <= greatest)
            most = fmax(most, peaks->bytes[i]);
        if (peaks->tasks[i] < peaks->tasks[smallest])
            smallest = i;
    }
    return most > 0 || peaks->count == 0 ? most : peaks->bytes[smallest];
}
