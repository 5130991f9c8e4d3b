#include "kernel/summary.h"

#include <math.h>
#include <xxhash.h>

void summary_init(struct summary *summary)
{
    *summary = (struct summary){.minimum = HUGE_VAL, .maximum = -HUGE_VAL};
}

static void summary_add_values(struct summary *summary, const float *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        double value = (double)values[i];
        if (isnan(value)) {
            summary->not_numbers++;
            continue;
        }
        if (value < summary->minimum)
            summary->minimum = value;
        if (value > summary->maximum)
            summary->maximum = value;
    }
    summary->values += count;
}

void summary_add(struct summary *summary, const struct kernel *kernel, const struct kernel_job *job,
                 int64_t first, int64_t count, const float *results)
{
    int64_t stride = kernel->result_stride(job);
    for (int64_t k = 0; k < count; k++) {
        int64_t start[3], shape[3];
        kernel->task_place(job, first + k, start, shape);
        int64_t values = shape[0] * shape[1] * shape[2];
        const float *own = results + k * stride;
        summary_add_values(summary, own, values);
        summary->checksum +=
            XXH3_64bits_withSeed(own, (size_t)values * sizeof *own, (XXH64_hash_t)(first + k));
    }
    summary->tasks += count;
}

void summary_merge(struct summary *summary, const struct summary *other)
{
    if (other->minimum < summary->minimum)
        summary->minimum = other->minimum;
    if (other->maximum > summary->maximum)
        summary->maximum = other->maximum;
    summary->tasks += other->tasks;
    summary->values += other->values;
    summary->not_numbers += other->not_numbers;
    summary->checksum += other->checksum;
}
