#include "tests/bench/kernel/once.h"

#include <stdlib.h>
#include <string.h>

#include "tests/bench/kernel/works.h"

static const struct named {
    const char *name;
    struct bank *(*bank)(void);
} banks[] = {{"source", bank_of_source},
             {"orientations", bank_of_orientations},
             {"chaudhuri", bank_of_chaudhuri},
             {"sum", bank_of_sum}};

/* NULL: no such. */
static struct bank *bank_named(const char *name)
{
    enum { TAPS_MOST = 63 }; /* what a work's padding has room for */
    for (size_t i = 0; i < sizeof banks / sizeof *banks; i++)
        if (strcmp(banks[i].name, name) == 0)
            return banks[i].bank();
    char *end;
    const long taps = strtol(name, &end, 10);
    return *end == '\0' && taps >= 1 && taps <= TAPS_MOST ? bank_of_random(1, (int)taps) : NULL;
}

static bool passes_run(const struct work *work, const struct method *method, int passes)
{
    const struct setting setting = {.tile = 256, .threads = 1};
    const size_t pixels = (size_t)work->edge * (size_t)work->edge;
    void *state = method->begin(work, &setting);
    if (!state)
        return false;
    float *result = calloc(pixels, sizeof *result);
    if (!result)
        abort();
    for (int i = 0; i < passes; i++)
        method->run(state, result);
    method->end(state);
    free(result);
    printf("%.0f\n", work->taps * (double)pixels * passes);
    return true;
}

bool once_run(const struct once *once, const struct method *method)
{
    struct work work;
    struct bank *bank = bank_named(once->work);
    if (!bank)
        return false;
    work_init(&work, once->work, bank, once->edge);
    const bool done = passes_run(&work, method, once->passes);
    work_release(&work);
    bank_free(&bank);
    return done;
}
