#include "planner/command/readers.h"

const struct readers *readers_find(const char *instead, struct failure *failure)
{
    failure_set(failure, FAILURE_USAGE,
                "this scow was built without readers of inputs and outputs: %s",
                instead ? instead : "use the full build");
    return NULL;
}
