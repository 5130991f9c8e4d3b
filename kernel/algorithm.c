#include <string.h>

#include "kernel/correlate.h"
#include "kernel/direct.h"
#include "kernel/fft.h"
#include "kernel/orbit.h"
#include "kernel/reference.h"

static const struct algorithm *const algorithms[] = {
    &reference_algorithm,
    &direct_algorithm,
    &orbit_algorithm,
    &fft_algorithm,
};

const struct algorithm *const *algorithm_list(size_t *count)
{
    *count = sizeof algorithms / sizeof *algorithms;
    return algorithms;
}

const struct algorithm *algorithm_find(const char *name)
{
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (strcmp(algorithms[i]->name, name) == 0)
            return algorithms[i];
    return NULL;
}
