#include "spmd/input/series.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "planner/base/array.h"
#include "spmd/input/regular.h"

bool series_recognize(const char *name)
{
    struct stat status;
    return stat(name, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Of two runs of digits: by value, and equal ones by their length. Both are passed. */
static int compare_numbers(const char **a, const char **b)
{
    const size_t whole_a = strspn(*a, "0123456789"), whole_b = strspn(*b, "0123456789");
    const size_t zeros_a = strspn(*a, "0"), zeros_b = strspn(*b, "0");
    const char *p = *a + zeros_a, *q = *b + zeros_b;
    const size_t length_a = whole_a - zeros_a, length_b = whole_b - zeros_b;
    *a += whole_a;
    *b += whole_b;
    if (length_a != length_b)
        return length_a < length_b ? -1 : 1;
    const int sign = strncmp(p, q, length_a);
    if (sign != 0)
        return sign;
    return (whole_a > whole_b) - (whole_a < whole_b);
}

static int by_name(const void *a, const void *b)
{
    const char *p = *(char *const *)a, *q = *(char *const *)b;
    while (*p && *q) {
        if (isdigit((unsigned char)*p) && isdigit((unsigned char)*q)) {
            const int sign = compare_numbers(&p, &q);
            if (sign != 0)
                return sign;
        } else if (*p != *q) {
            break;
        } else {
            p++;
            q++;
        }
    }
    return (unsigned char)*p - (unsigned char)*q;
}

static bool series_add(struct series *series, size_t *capacity, const char *directory,
                       const char *name)
{
    const size_t size = strlen(directory) + strlen(name) + sizeof "/";
    char **room = array_reserve(series->files, capacity, (size_t)series->count + 1, sizeof *room);
    char *file = malloc(size);
    if (room)
        series->files = room;
    if (!room || !file) {
        free(file);
        return false;
    }
    const bool slashed = directory[strlen(directory) - 1] == '/';
    snprintf(file, size, "%s%s%s", directory, slashed ? "" : "/", name);
    series->files[series->count++] = file;
    return true;
}

static bool stream_list(DIR *stream, const char *directory, struct series *series,
                        struct failure *failure)
{
    size_t capacity = 0;
    const struct dirent *entry;
    for (errno = 0; (entry = readdir(stream)); errno = 0)
        if (entry->d_name[0] != '.' && !series_add(series, &capacity, directory, entry->d_name))
            return failure_memory(failure, "listing a directory of images");
    if (errno != 0)
        return regular_unreadable(directory, failure);
    if (series->count == 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' is an empty directory: name one with images of equal size, or an "
                           "image",
                           directory);
    qsort(series->files, (size_t)series->count, sizeof *series->files, by_name);
    return true;
}

bool series_list(const char *directory, struct series *series, struct failure *failure)
{
    *series = (struct series){NULL, 0};
    DIR *stream = opendir(directory);
    if (!stream)
        return regular_unreadable(directory, failure);
    const bool good = stream_list(stream, directory, series, failure);
    closedir(stream);
    if (!good)
        series_release(series);
    return good;
}

void series_release(struct series *series)
{
    for (int64_t i = 0; i < series->count; i++)
        free(series->files[i]);
    free(series->files);
    *series = (struct series){NULL, 0};
}
