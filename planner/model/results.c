#include "planner/model/results.h"

#include <assert.h>
#include <string.h>

static const char *const names[] = {
    [RESULTS_NONE] = "none", [RESULTS_PACKAGE] = "package", [RESULTS_END] = "end"};

const char *results_name(enum results results)
{
    assert(results >= RESULTS_NONE && results <= RESULTS_END);
    return names[results];
}

bool results_find(const char *word, enum results *results)
{
    for (int k = RESULTS_NONE; k <= RESULTS_END; k++) {
        if (strcmp(word, names[k]) == 0) {
            *results = (enum results)k;
            return true;
        }
    }
    return false;
}
