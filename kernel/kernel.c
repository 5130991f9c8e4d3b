#include "kernel/kernel.h"

#include <string.h>

#include "kernel/matched/matched_filter.h"

enum { KERNELS = 1 };
static const struct kernel *const kernels[KERNELS] = {&matched_filter_kernel};

size_t pixel_bytes(enum pixel pixel)
{
    static const size_t bytes[] = {[PIXEL_U8] = 1, [PIXEL_U16] = 2, [PIXEL_F32] = 4};
    return bytes[pixel];
}

const struct kernel *const *kernel_list(size_t *count)
{
    *count = KERNELS;
    return kernels;
}

const struct kernel *kernel_find(const char *name)
{
    for (int i = 0; i < KERNELS; i++)
        if (strcmp(kernels[i]->name, name) == 0)
            return kernels[i];
    return NULL;
}
