#include "spmd/input/libtiff.h"

#include <stddef.h>

#ifdef SCOW_TIFF_LIBRARY

#include <pthread.h>
#include <stdbool.h>

#include "planner/base/shared_library.h"

static struct libtiff loaded;
static bool complete;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void functions_find(void)
{
#define LIBTIFF_FIND(function) {#function, &loaded.function},
    const struct shared_function functions[] = {LIBTIFF_FUNCTIONS(LIBTIFF_FIND)};
#undef LIBTIFF_FIND
    complete =
        shared_library_load(SCOW_TIFF_LIBRARY, functions, sizeof functions / sizeof *functions);
}

const struct libtiff *libtiff_load(void)
{
    pthread_once(&once, functions_find);
    return complete ? &loaded : NULL;
}

#else

const struct libtiff *libtiff_load(void)
{
#define LIBTIFF_ADDRESS(name) .name = name,
    static const struct libtiff linked = {LIBTIFF_FUNCTIONS(LIBTIFF_ADDRESS)};
#undef LIBTIFF_ADDRESS
    return &linked;
}

#endif
