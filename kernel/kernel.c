#include "kernel/kernel.h"

#include <string.h>

#include "kernel/matched_filter.h"

static const struct kernel *const kernels[] = {&matched_filter_kernel};

size_t pixel_bytes(enum pixel pixel)
{
    static const size_t bytes[] = {[PIXEL_U8] = 1, [PIXEL_U16] = 2, [PIXEL_F32] = 4};
    return bytes[pixel];
}

const struct kernel *const *kernel_list(size_t *count)
{
    *count = sizeof kernels / sizeof *kernels;
    return kernels;
}

const struct kernel *kernel_find(const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i]->name, name) == 0)
            return kernels[i];
    return NULL;
}
