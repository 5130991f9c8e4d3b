#include "spmd/input/libtiff.h"

#include <stddef.h>

#ifdef SCOW_TIFF_LIBRARY

#include "planner/base/shared_library.h"

static struct libtiff loaded;
#define LIBTIFF_FIND(function) {#function, &loaded.function},
static const struct shared_function functions[] = {LIBTIFF_FUNCTIONS(LIBTIFF_FIND)};
#undef LIBTIFF_FIND
static struct shared_library library = SHARED_LIBRARY(SCOW_TIFF_LIBRARY, functions);

const struct libtiff *libtiff_load(void)
{
    return shared_library_ready(&library) ? &loaded : NULL;
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
