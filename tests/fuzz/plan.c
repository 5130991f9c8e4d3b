/* Fuzz target: any bytes are a plan that prints to itself and can be asked, or are refused with a
 * sentence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/plan_json.h"
#include "planner/model/plan.h"
#include "tests/fuzz/target.h"

static void plan_again(const struct plan *plan)
{
    struct plan again;
    struct failure failure = FAILURE_INIT;
    char *text = plan_print(plan);
    if (!text || !plan_parse_any(&again, text, strlen(text), "again", &failure))
        abort();
    char *twice = plan_print(&again);
    if (!twice || strcmp(text, twice) != 0 || plan_workers_needed(&again) < 1 ||
        plan_packages(&again) < 1 || !(plan_largest_load(&again) > 0))
        abort();
    free(text);
    free(twice);
    plan_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plan plan;
    struct failure failure = FAILURE_INIT;
    if (plan_parse_any(&plan, (const char *)data, size, "input", &failure)) {
        plan_again(&plan);
        plan_release(&plan);
    } else if (failure.code == FAILURE_NONE || failure.text[0] == '\0') {
        abort();
    }
    return 0;
}
