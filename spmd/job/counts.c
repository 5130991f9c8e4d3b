#include "spmd/job/counts.h"

void counts_gather(struct counts_gathered *gathered, double seconds, bool failed)
{
    gathered->used = true;
    gathered->finished++;
    gathered->failed += failed;
    if (failed)
        return;
    gathered->steps[durations_step(seconds)]++;
    gathered->waiting++;
}

void counts_tell(struct counts_gathered *gathered, struct counts *counts)
{
    *counts = (struct counts){.finished = gathered->finished, .failed = gathered->failed};
    for (int k = 0; k < COUNTS_STEPS && gathered->waiting > 0 && counts->told < COUNTS_TOLD; k++) {
        const int step = gathered->next;
        const uint32_t have = gathered->steps[step];
        gathered->next = (step + 1) % COUNTS_STEPS;
        if (have == 0)
            continue;
        const uint16_t count = have < UINT16_MAX ? (uint16_t)have : UINT16_MAX;
        counts->steps[counts->told].step = (uint16_t)step;
        counts->steps[counts->told++].count = count;
        gathered->steps[step] -= count;
        gathered->waiting -= count;
    }
    gathered->finished = gathered->failed = 0;
}

bool counts_check(const struct counts *counts)
{
    bool good = counts->finished >= 0 && counts->failed >= 0 &&
                counts->failed <= counts->finished && counts->told >= 0 &&
                counts->told <= COUNTS_TOLD;
    for (int k = 0; good && k < counts->told; k++)
        good = counts->steps[k].step < COUNTS_STEPS;
    return good;
}

void counts_add(struct counts_sum *sum, const struct counts *counts)
{
    sum->finished += counts->finished;
    sum->failed += counts->failed;
    for (int k = 0; k < counts->told; k++) {
        sum->durations.counts[counts->steps[k].step] += counts->steps[k].count;
        sum->durations.count += counts->steps[k].count;
    }
}

double counts_median(struct counts_sum *sum)
{
    return sum->durations.count < DURATION_SAMPLES_LEAST ? 0 : durations_median(&sum->durations);
}
