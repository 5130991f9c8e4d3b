#include "planner/schedulers/optimal/clp.h"

#include <stddef.h>

#ifdef SCOW_CLP_LIBRARY

#include "planner/base/shared_library.h"

static struct clp loaded;
#define CLP_FIND(function) {"Clp_" #function, &loaded.function},
static const struct shared_function functions[] = {CLP_FUNCTIONS(CLP_FIND)};
#undef CLP_FIND
static struct shared_library library = SHARED_LIBRARY(SCOW_CLP_LIBRARY, functions);

const struct clp *clp_load(void)
{
    return shared_library_ready(&library) ? &loaded : NULL;
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
