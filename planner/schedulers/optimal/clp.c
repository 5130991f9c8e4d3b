#include "planner/schedulers/optimal/clp.h"

#include <stddef.h>

#ifdef SCOW_CLP_LIBRARY

#include <pthread.h>
#include <stdbool.h>

#include "planner/base/shared_library.h"

static struct clp loaded;
static bool complete;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void functions_find(void)
{
#define CLP_FIND(function) {"Clp_" #function, &loaded.function},
    const struct shared_function functions[] = {CLP_FUNCTIONS(CLP_FIND)};
#undef CLP_FIND
    complete =
        shared_library_load(SCOW_CLP_LIBRARY, functions, sizeof functions / sizeof *functions);
}

const struct clp *clp_load(void)
{
    pthread_once(&once, functions_find);
    return complete ? &loaded : NULL;
}

#else

const struct clp *clp_load(void)
{
#define CLP_ADDRESS(name) .name = Clp_##name,
    static const struct clp linked = {CLP_FUNCTIONS(CLP_ADDRESS)};
#undef CLP_ADDRESS
    return &linked;
}

#endif
