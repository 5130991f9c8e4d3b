/* Fuzz target: any bytes are loads that begin at 0, ascend, and let every operation end, or are
 * refused with a sentence. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/availability_tsv.h"
#include "tests/fuzz/target.h"

static void curve_look(const struct availability_curve *curve)
{
    for (size_t k = 0; k < curve->count; k++)
        if (!(curve->steps[k].stretch >= 1) ||
            (k > 0 ? !(curve->steps[k].start_s > curve->steps[k - 1].start_s)
                   : curve->steps[k].start_s != 0))
            abort();
}

static void availability_look(const struct availability *availability)
{
    for (size_t k = 0; k < availability->count; k++) {
        const struct availability_series *series = &availability->series[k];
        curve_look(&series->cpu);
        curve_look(&series->link);
        if (!(availability_lasts(series, OPERATION_COMPUTE, 1, 10) >= 9.999999) ||
            !(availability_lasts(series, OPERATION_LINK, 0, 0) == 0))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct availability availability = {.series = NULL};
    struct failure failure = FAILURE_INIT;
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (availability_parse(&availability, text, "input", &failure))
        availability_look(&availability);
    else if (failure.code == FAILURE_NONE || failure.text[0] == '\0')
        abort();
    availability_release(&availability);
    free(text);
    return 0;
}
