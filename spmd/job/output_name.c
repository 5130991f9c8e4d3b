#include "spmd/job/output_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char *const endings[] = {".h5", ".hdf5"};

/* The ending, from the last dot on; "": there is none. */
static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot > name && dot[1] ? dot : "";
}

static bool is_known(const char *ending)
{
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
        if (strcasecmp(ending, endings[k]) == 0)
            return true;
    return false;
}

bool output_name_check(const char *path, struct failure *failure)
{
    const char *ending = ending_of(path);
    if (!*ending || is_known(ending) || access(path, F_OK) == 0)
        return true;
    return failure_set(failure, FAILURE_USAGE,
                       "-o %.200s: outputs are HDF5 files, which end with .h5 or .hdf5, not with "
                       "%.40s: name it %.*s.h5; 'scow show %.*s.h5 --output' then gives texts",
                       path, ending, (int)(ending - path), path, (int)(ending - path), path);
}

char *output_name_beside(const char *path, const char *ending)
{
    const char *own = ending_of(path);
    const size_t length = strlen(path) - (is_known(own) ? strlen(own) : 0);
    const size_t size = length + strlen(ending) + 1;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%.*s%s", (int)length, path, ending);
    return name;
}

char *output_name_level(const char *path, int64_t level)
{
    char ending[40];
    snprintf(ending, sizeof ending, ".level%" PRId64 ".h5", level);
    return output_name_beside(path, ending);
}

char *output_name_search(const char *path, int64_t level)
{
    char ending[40];
    snprintf(ending, sizeof ending, ".level%" PRId64 ".h5", level);
    const size_t length = strlen(path), own = strlen(ending);
    char *name = malloc(length + 1);
    if (!name)
        return NULL;
    memcpy(name, path, length + 1);
    if (length > own && strcmp(path + length - own, ending) == 0)
        memcpy(name + length - own, ".h5", sizeof ".h5");
    return name;
}
