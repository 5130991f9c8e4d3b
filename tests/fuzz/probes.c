/* Fuzz target: any bytes are a table of probes that prints to itself, or are refused with a
 * sentence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/probes.h"
#include "tests/fuzz/target.h"

static void probes_again(const struct samples *samples)
{
    struct samples again = {0};
    struct failure failure = FAILURE_INIT;
    char *text = probes_print(samples);
    if (!text || !probes_parse(&again, text, "again", &failure) || again.count != samples->count)
        abort();
    char *twice = probes_print(&again);
    if (!twice || strcmp(text, twice) != 0)
        abort();
    free(text);
    free(twice);
    samples_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct samples samples = {0};
    struct failure failure = FAILURE_INIT;
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (probes_parse(&samples, text, "input", &failure))
        probes_again(&samples);
    else if (failure.code == FAILURE_NONE || failure.text[0] == '\0')
        abort();
    samples_release(&samples);
    free(text);
    return 0;
}
