/* Fuzz target: any text is groups of ranks, each rank once, none without workers, or is refused
 * with a sentence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/grouping_file.h"
#include "tests/fuzz/target.h"

/* Below the whole, groups have either workers or groups; ranks are above 0. */
static void group_check(const struct group *group, int depth)
{
    const bool whole = depth == 0;
    if (whole != (group->master == 0) || depth > GROUPING_DEEPEST ||
        (group->group_count > 0) == (group->workers.count > 0))
        abort();
    for (size_t k = 0; k < group->workers.count; k++) {
        const struct plan_run *run = &group->workers.runs[k];
        if (run->first < 0 || run->last < run->first ||
            (k > 0 && run->first <= group->workers.runs[k - 1].last) ||
            (group->master > run->first && group->master <= run->last + 1))
            abort();
    }
    for (size_t k = 0; k < group->group_count; k++)
        group_check(&group->groups[k], depth + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct group whole = {.master = 0};
    struct failure failure = FAILURE_INIT;
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (grouping_parse(&whole, text, "input", NULL, &failure)) {
        group_check(&whole, 0);
        if (grouping_workers(&whole) < grouping_leaves(&whole) ||
            grouping_highest(&whole) <= grouping_leaves(&whole))
            abort();
    } else if (failure.code != FAILURE_MISMATCH || failure.text[0] == '\0' || whole.groups) {
        abort();
    }
    grouping_release(&whole);
    free(text);
    return 0;
}
