/* Fuzz target: any bytes are looks at nodes, ascending in time, from which a share can be forecast,
 * or are refused with a sentence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/observations_tsv.h"
#include "tests/fuzz/target.h"

static void node_look(const struct observed_node *node)
{
    for (size_t k = 1; k < node->count; k++)
        if (!(node->items[k].time_s >= node->items[k - 1].time_s))
            abort();
    const struct availability_forecast forecast = observed_forecast(node, 10);
    if (!(forecast.share > 0 && forecast.share <= 1.000001 && forecast.deviation >= 0) ||
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
    for (size_t k = 0; k < observations.count; k++)
        node_look(&observations.nodes[k]);
    observations_release(&observations);
    free(text);
    return 0;
}
