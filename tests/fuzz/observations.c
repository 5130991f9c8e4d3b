/* Fuzz target: any bytes are looks at nodes, ascending in time once they are read, from which
 * shares and bandwidths can be forecast, or are refused with a sentence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/files/observations_tsv.h"
#include "tests/fuzz/target.h"

static void series_look(const struct observed_series *series, double most)
{
    for (size_t k = 1; k < series->count; k++)
        if (!(series->items[k].time_s >= series->items[k - 1].time_s))
            abort();
    if (series->count == 0)
        return;
    const struct observed_forecast forecast = observed_forecast(series, 10, FORECAST_BY_MSE);
    if (!(forecast.value > 0 && forecast.value <= 1.000001 * most && forecast.deviation >= 0) ||
        forecast.blocks == 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct observations observations = {.nodes = NULL};
    struct failure failure = FAILURE_INIT;
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    const bool read = observations_parse(&observations, text, "input", &failure);
    if (!read && (failure.code == FAILURE_NONE || failure.text[0] == '\0'))
        abort();
    for (size_t k = 0; k < observations.count; k++) {
        series_look(&observations.nodes[k].cpu, 1);
        series_look(&observations.nodes[k].bandwidth, LIMIT_BANDWIDTH);
    }
    observations_release(&observations);
    free(text);
    return 0;
}
