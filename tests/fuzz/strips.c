/* Fuzz target: any bytes are a plan of strips that prints to itself and whose strips are those of
 * its grid, or what a run of one has measured, or are refused with a sentence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/strips_json.h"
#include "tests/fuzz/target.h"

static void plan_again(const struct strips_plan *plan)
{
    struct strips_plan again;
    struct failure failure = FAILURE_INIT;
    struct text table = TEXT_INIT;
    int64_t columns = 0;
    char *text = strips_print(plan);
    if (!text || !strips_is(text, strlen(text)) ||
        !strips_parse(&again, text, strlen(text), "again", &failure))
        abort();
    char *twice = strips_print(&again);
    for (size_t k = 0; k < again.strip_count; k++)
        columns += again.strips[k].columns;
    strips_describe(&again, &table);
    if (!twice || strcmp(text, twice) != 0 || columns != again.job.columns || table.failed)
        abort();
    text_release(&table);
    free(text);
    free(twice);
    strips_plan_release(&again);
}

static void outcome_try(const char *data, size_t size)
{
    struct strips_outcome outcome, again;
    struct failure failure = FAILURE_INIT;
    if (!strips_outcome_parse(&outcome, data, size, "input", &failure)) {
        if (failure.code == FAILURE_NONE || failure.text[0] == '\0')
            abort();
        return;
    }
    char *text = strips_outcome_print(&outcome);
    if (!text || !strips_outcome_parse(&again, text, strlen(text), "again", &failure))
        abort();
    char *twice = strips_outcome_print(&again);
    if (!twice || strcmp(text, twice) != 0)
        abort();
    free(text);
    free(twice);
    strips_outcome_release(&outcome);
    strips_outcome_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    outcome_try((const char *)data, size);
    struct strips_plan plan;
    struct failure failure = FAILURE_INIT;
    if (strips_parse(&plan, (const char *)data, size, "input", &failure)) {
        plan_again(&plan);
        strips_plan_release(&plan);
    } else if (failure.code == FAILURE_NONE || failure.text[0] == '\0') {
        abort();
    }
    return 0;
}
