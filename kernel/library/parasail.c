#include "kernel/library/parasail.h"

#include <stddef.h>

#ifdef SCOW_PARASAIL_LIBRARY

#include <pthread.h>
#include <stdbool.h>

#include "planner/base/shared_library.h"

static struct parasail loaded;
static bool complete;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void functions_find(void)
{
#define PARASAIL_FIND(function) {"parasail_" #function, &loaded.function},
    const struct shared_function functions[] = {PARASAIL_FUNCTIONS(PARASAIL_FIND)};
#undef PARASAIL_FIND
    complete =
        shared_library_load(SCOW_PARASAIL_LIBRARY, functions, sizeof functions / sizeof *functions);
}

const struct parasail *parasail_load(void)
{
    pthread_once(&once, functions_find);
    return complete ? &loaded : NULL;
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
