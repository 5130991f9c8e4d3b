#include "spmd/run/reading.h"

static bool reading_read(void *self, int64_t slice, int64_t row, int64_t column, int64_t rows,
                         int64_t columns, void *pixels)
{
    struct reading *reading = self;
    outbox_progress(reading->outbox);
    return image_read(reading->image, slice, row, column, rows, columns, pixels, reading->failure);
}

struct kernel_source reading_source(struct reading *reading)
{
    return (struct kernel_source){reading, reading_read};
}
