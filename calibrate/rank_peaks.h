/* What workers had in memory at most, by the size of packages that they had set memory aside for.
 */
#ifndef CALIBRATE_RANK_PEAKS_H
#define CALIBRATE_RANK_PEAKS_H

#include <stdint.h>

enum { RANK_PEAKS_MOST = 64 };

struct rank_peaks {
    int64_t tasks[RANK_PEAKS_MOST]; /* all different */
    double bytes[RANK_PEAKS_MOST];  /* the most for these, beside packages and their results */
    int count;
};

/* Of packages of so many core tasks. Of more sizes than there is room for the smallest are kept:
 * plans have those. */
void rank_peaks_add(struct rank_peaks *peaks, int64_t tasks, double bytes);
/* The most with packages of at most `greatest` core tasks, or else with the smallest that there
 * were; 0: none are known. */
double rank_peaks_most(const struct rank_peaks *peaks, int64_t greatest);

#endif
