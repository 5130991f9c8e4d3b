#include <string.h>

#include "kernel/matched/correlators/correlate.h"
#include "kernel/matched/correlators/direct.h"
#include "kernel/matched/correlators/fft.h"
#include "kernel/matched/correlators/orbit.h"
#include "kernel/matched/correlators/reference.h"

enum { ALGORITHMS = 4 };
static const struct algorithm *const algorithms[ALGORITHMS] = {
    &reference_algorithm,
    &direct_algorithm,
    &orbit_algorithm,
    &fft_algorithm,
};

const struct algorithm *const *algorithm_list(size_t *count)
{
    *count = ALGORITHMS;
    return algorithms;
}

const struct algorithm *algorithm_find(const char *name)
{
    for (int i = 0; i < ALGORITHMS; i++)
        if (strcmp(algorithms[i]->name, name) == 0)
            return algorithms[i];
    return NULL;
}
