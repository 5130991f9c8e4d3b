#include "planner/star.h"

#include <stdlib.h>

bool star_init(struct star *star, int64_t worker_count, int buffers)
{
    *star = (struct star){.worker_count = worker_count, .buffers = buffers};
    star->workers = calloc((size_t)worker_count, sizeof *star->workers);
    star->starts = calloc((size_t)worker_count * (size_t)buffers, sizeof *star->starts);
    if (star->workers && star->starts)
        return true;
    star_release(star);
    return false;
}

void star_release(struct star *star)
{
    free(star->workers);
    free(star->starts);
    *star = (struct star){0};
}
