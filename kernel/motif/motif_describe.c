#include <stdlib.h>

#include "kernel/motif/reading.h"

static int refuse_count(const struct reading *reading, int index)
{
    const bool bounded = reading->shape.bounded;
    char label[LABEL_SIZE];
    const int status = reading_label(reading->host, index, label);
    if (status != SCOW_OK)
        return status;
    return reading->host->fail(
        reading->host, "up to %s there are more than 2^53 %s: %s", label,
        bounded ? "prefixes" : "start tuples",
        bounded ? "raise --grain"
                : "lower --sequences or --positions, or give --search branch-and-bound");
}

static int cut(struct reading *reading, int64_t grain)
{
    const int passes = shape_cut(&reading->shape, grain);
    return passes < reading->shape.sequences ? refuse_count(reading, passes) : SCOW_OK;
}

int motif_describe(const struct scow_host *host, const struct scow_value *values,
                   const struct scow_input *input, int64_t *tasks)
{
    struct reading reading = {.host = host, .positions = (int64_t)values[MOTIF_POSITIONS].number};
    int sequences = 0;
    int status = reading_count(host, (int64_t)values[MOTIF_SEQUENCES].number, input, &sequences);
    if (status != SCOW_OK)
        return status;
    reading.shape = motif_shape_of(values, sequences);
    status = reading_take(&reading);
    if (status == SCOW_OK)
        status = cut(&reading, (int64_t)values[MOTIF_GRAIN].number);
    if (status == SCOW_OK)
        status = host->share(host, reading.bytes, reading.size);
    if (status == SCOW_OK)
        *tasks = reading.shape.tasks;
    free(reading.bytes);
    return status;
}
