#define _GNU_SOURCE /* F_OFD_SETLK */
#include "planner/base/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "planner/base/own.h"

/* The byte that is locked lies far behind every byte that another program would lock. */
static const off_t lock_place = INT64_MAX - 1;

static struct flock lock_at(off_t place, short kind)
{
    return (struct flock){.l_type = kind, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
}

static bool lock(int file, short kind)
{
    struct flock what = lock_at(lock_place, kind);
    return fcntl(file, F_OFD_SETLK, &what) == 0 || (errno != EAGAIN && errno != EACCES);
}

int file_lock_together(const char *path)
{
    const int file = own_open(path, O_RDWR);
    if (file >= 0)
        lock(file, F_RDLCK);
    return file;
}

int file_lock_first(const char *path, struct failure *failure)
{
    const int file = own_open(path, O_RDWR);
    if (file < 0 && errno == ELOOP) {
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: is a symbolic link, and results are not written through one: name the "
                    "file that it leads to",
                    path);
        return -1;
    }
    if (file < 0) {
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: cannot be opened for writing: %s: check its permissions", path,
                    strerror(errno));
        return -1;
    }
    if (lock(file, F_WRLCK)) {
        lock(file, F_RDLCK);
        return file;
    }
    failure_set(failure, FAILURE_MISMATCH,
                "%s: a run that writes to it is still alive: wait for it, or end it first", path);
    close(file);
    return -1;
}

bool file_lock_held(const char *path)
{
    const int file = own_open(path, O_RDONLY);
    struct flock what = lock_at(lock_place, F_WRLCK);
    if (file < 0)
        return false;
    const bool held = fcntl(file, F_OFD_GETLK, &what) == 0 && what.l_type != F_UNLCK;
    close(file);
    return held;
}

/* The byte of a place, before the byte that all share. */
static off_t place_of(int place)
{
    return lock_place - 1 - place;
}

bool file_lock_place(int file, int place)
{
    struct flock what = lock_at(place_of(place), F_WRLCK);
    return fcntl(file, F_OFD_SETLK, &what) == 0;
}

bool file_lock_taken(int file, int place)
{
    struct flock what = lock_at(place_of(place), F_WRLCK);
    return fcntl(file, F_OFD_GETLK, &what) == 0 && what.l_type != F_UNLCK;
}

bool file_lock_publish(int file)
{
    struct flock what = lock_at(lock_place, F_RDLCK);
    return fcntl(file, F_OFD_SETLK, &what) == 0 ||
           (errno != ENOSPC && errno != EDQUOT && errno != EIO);
}
