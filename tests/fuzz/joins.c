/* Fuzz target: any text says who is there when, each worker once, and its changes follow in the
 * order of time, or is refused with a sentence. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/joins_tsv.h"
#include "tests/fuzz/target.h"

enum { WORKERS = 20 };

static void joins_check(struct joins *joins)
{
    size_t joined = 0;
    for (size_t k = 0; k < joins->span_count; k++) {
        const struct joins_span *span = &joins->spans[k];
        if (!(span->from_s >= 0 && span->from_s < span->until_s) || span->worker < 0 ||
            (k > 0 && span->worker <= joins->spans[k - 1].worker))
            abort();
    }
    if (!joins_settle(joins, WORKERS))
        abort();
    for (size_t k = 0; k < joins->change_count; k++) {
        const struct joins_change *change = &joins->changes[k];
        joined += change->joins;
        if ((k > 0 && change->at_s < joins->changes[k - 1].at_s) ||
            (!change->joins && change->at_s != joins_until(joins, change->worker)))
            abort();
    }
    if (joined != WORKERS)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct joins joins = {.spans = NULL};
    struct failure failure = FAILURE_INIT;
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (joins_parse(&joins, text, "input", &failure))
        joins_check(&joins);
    else if (failure.code != FAILURE_MISMATCH || failure.text[0] == '\0' || joins.spans)
        abort();
    joins_release(&joins);
    free(text);
    return 0;
}
