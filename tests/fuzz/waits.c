/* Fuzz target: any text is a table of waits, ascending and within its limits, whose rows are found
 * again, or is refused with a sentence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/waits_tsv.h"
#include "tests/fuzz/target.h"

/* Each row's wait is that of such a job; between rows it is between theirs. */
static void waits_check(const struct waits *waits)
{
    for (size_t k = 0; k < waits->count; k++) {
        const struct wait_row *row = &waits->rows[k];
        double wait_s = -1;
        if (!waits_find(waits, row->ranks, row->walltime_s, &wait_s) || wait_s != row->wait_s)
            abort();
    }
    const struct wait_row *last = &waits->rows[waits->count - 1];
    double wait_s = -1;
    if (!waits_find(waits, 1, last->walltime_s, &wait_s) || !(wait_s >= 0) ||
        waits_find(waits, last->ranks + 1, last->walltime_s, &wait_s))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct waits waits = {.rows = NULL};
    struct failure failure = FAILURE_INIT;
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (waits_parse(&waits, text, "input", &failure))
        waits_check(&waits);
    else if (failure.code != FAILURE_MISMATCH || failure.text[0] == '\0' || waits.rows)
        abort();
    waits_release(&waits);
    free(text);
    return 0;
}
