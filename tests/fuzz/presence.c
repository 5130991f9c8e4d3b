/* Fuzz target: any text says who is there when, each worker once, and its changes follow in the
 * order of time, or is refused with a sentence. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/presence_tsv.h"
#include "tests/fuzz/target.h"

enum { WORKERS = 20 };

static void presence_check(struct presence *presence)
{
    size_t joins = 0;
    for (size_t k = 0; k < presence->span_count; k++) {
        const struct presence_span *span = &presence->spans[k];
        if (!(span->from_s >= 0 && span->from_s < span->until_s) || span->worker < 0 ||
            (k > 0 && span->worker <= presence->spans[k - 1].worker))
            abort();
    }
    if (!presence_settle(presence, WORKERS))
        abort();
    for (size_t k = 0; k < presence->change_count; k++) {
        const struct presence_change *change = &presence->changes[k];
        joins += change->joins;
        if ((k > 0 && change->at_s < presence->changes[k - 1].at_s) ||
            (!change->joins && change->at_s != presence_until(presence, change->worker)))
            abort();
    }
    if (joins != WORKERS)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct presence presence = {.spans = NULL};
    struct failure failure = FAILURE_INIT;
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (presence_parse(&presence, text, "input", &failure))
        presence_check(&presence);
    else if (failure.code != FAILURE_MISMATCH || failure.text[0] == '\0' || presence.spans)
        abort();
    presence_release(&presence);
    free(text);
    return 0;
}
