#include "planner/schedulers/optimal/clp.h"

#include <stddef.h>

#ifdef SCOW_CLP_LIBRARY

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static struct clp loaded;
static bool complete;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A function's address is no object's to the language, but to the dynamic linker. */
static bool function_find(void *library, const char *name, void *function, size_t size)
{
    void *const found = dlsym(library, name);
    memcpy(function, &found, size);
    return found != NULL;
}

/* The library stays until the process ends. */
static void functions_find(void)
{
    void *const library = dlopen(SCOW_CLP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    complete = library != NULL;
#define CLP_FIND(name)                                                                             \
    complete = complete && function_find(library, "Clp_" #name, &loaded.name, sizeof loaded.name);
    CLP_FUNCTIONS(CLP_FIND)
#undef CLP_FIND
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
