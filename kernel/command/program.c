#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/command/worker.h"

static bool executable(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    if (!S_ISREG(status.st_mode)) {
        errno = EACCES;
        return false;
    }
    return access(path, X_OK) == 0;
}

/* A name with a slash is relative to `folder`, in which its command will run. */
static bool file_check(const char *name, const char *folder, char path[PATH_SIZE])
{
    const bool beside = *folder && *name != '/';
    snprintf(path, PATH_SIZE, "%s%s%s", beside ? folder : "", beside ? "/" : "", name);
    const bool good = executable(path);
    snprintf(path, PATH_SIZE, "%s", name);
    return good;
}

bool program_find(const char *name, const char *places, const char *folder, char path[PATH_SIZE])
{
    if (strchr(name, '/'))
        return file_check(name, folder, path);
    const char *at = places ? places : getenv("PATH");
    int error = ENOENT;
    for (; at && *name; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        const int size = (int)strcspn(at, ":");
        const int length =
            snprintf(path, PATH_SIZE, "%.*s/%s", size ? size : 1, size ? at : ".", name);
        if (length < PATH_SIZE && executable(path))
            return true;
        if (errno == EACCES)
            error = EACCES;
    }
    *path = '\0';
    errno = error;
    return false;
}
