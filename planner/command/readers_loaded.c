#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include "planner/base/shared_library.h"
#include "planner/command/readers.h"
#include "planner/command/sibling.h"

/* Where the library is: beside the program, as it is built, or where it is installed. */
static bool path_find(char *path, size_t size)
{
    static const char *const files[] = {READERS_LIBRARY, SCOW_LIBRARIES "/" READERS_LIBRARY};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (sibling_beside(files[k], path, size) && access(path, F_OK) == 0)
            return true;
    return false;
}

/* The library's function; NULL with *failure set. */
static __typeof__(scow_readers) *library_load(struct failure *failure)
{
    char path[PATH_MAX];
    __typeof__(scow_readers) *entry = NULL;
    const struct shared_function function = {READERS_ENTRY, &entry};
    if (!path_find(path, sizeof path)) {
        failure_set(failure, FAILURE_FAILED,
                    "cannot find '" READERS_LIBRARY "', which reads inputs and outputs: put it "
                    "beside scow-planner");
    } else if (!shared_library_load(path, &function, 1)) {
        const char *reason = dlerror();
        failure_set(failure, FAILURE_FAILED,
                    "cannot load '%s': %s; install what it needs, or scow again", path,
                    reason ? reason : "it is of another scow");
    }
    return entry;
}

const struct readers *readers_find(const char *instead, struct failure *failure)
{
    static const struct readers *readers;
    (void)instead;
    if (readers)
        return readers;
    __typeof__(scow_readers) *const entry = library_load(failure);
    if (entry && !(readers = entry(SCOW_VERSION)))
        failure_set(failure, FAILURE_FAILED,
                    "'" READERS_LIBRARY "' is not of scow " SCOW_VERSION
                    ": install all files of scow again");
    return readers;
}
