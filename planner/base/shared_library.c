#include "planner/base/shared_library.h"

#include <dlfcn.h>
#include <string.h>

/* In C the address of a function may not be converted to that of an object, but dlsym returns one
 * as the other. */
static bool function_find(void *library, const struct shared_function *function)
{
    void *const found = dlsym(library, function->name);
    memcpy(function->pointer, &found, sizeof found);
    return found != NULL;
}

bool shared_library_load(const char *name, const struct shared_function *functions, size_t count)
{
    void *const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    bool complete = library != NULL;
    for (size_t k = 0; complete && k < count; k++)
        complete = function_find(library, &functions[k]);
    return complete;
}

bool shared_library_ready(struct shared_library *library)
{
    pthread_mutex_lock(&library->lock);
    if (!library->tried)
        library->complete = shared_library_load(library->name, library->functions, library->count);
    library->tried = true;
    const bool complete = library->complete;
    pthread_mutex_unlock(&library->lock);
    return complete;
}
