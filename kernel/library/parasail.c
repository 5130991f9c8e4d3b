#include "kernel/library/parasail.h"

#include <stddef.h>

#ifdef SCOW_PARASAIL_LIBRARY

#include "planner/base/shared_library.h"

static struct parasail loaded;
#define PARASAIL_FIND(function) {"parasail_" #function, &loaded.function},
static const struct shared_function functions[] = {PARASAIL_FUNCTIONS(PARASAIL_FIND)};
#undef PARASAIL_FIND
static struct shared_library library = SHARED_LIBRARY(SCOW_PARASAIL_LIBRARY, functions);

const struct parasail *parasail_load(void)
{
    return shared_library_ready(&library) ? &loaded : NULL;
}

#else

const struct parasail *parasail_load(void)
{
#define PARASAIL_ADDRESS(name) .name = parasail_##name,
    static const struct parasail linked = {PARASAIL_FUNCTIONS(PARASAIL_ADDRESS)};
#undef PARASAIL_ADDRESS
    return &linked;
}

#endif
