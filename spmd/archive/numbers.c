#include "spmd/archive/numbers.h"

#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/base/limits.h"

/* The data sets that may be meant. */
struct lists {
    char names[240]; /* "'/a', '/b'", as far as they fit */
    char only[240];  /* the last of them */
    size_t length, count;
};

static bool is_list(hid_t set, hsize_t *count)
{
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const H5T_class_t kind = H5Tget_class(type);
    const bool is = H5Sget_simple_extent_ndims(space) == 1 &&
                    (kind == H5T_INTEGER || kind == H5T_FLOAT) &&
                    H5Sget_simple_extent_dims(space, count, NULL) == 1;
    H5Tclose(type);
    H5Sclose(space);
    return is;
}

static herr_t list_add(hid_t root, const char *name, const H5O_info_t *info, void *data)
{
    struct lists *lists = data;
    hsize_t count;
    hid_t set = info->type == H5O_TYPE_DATASET ? H5Dopen2(root, name, H5P_DEFAULT) : -1;
    const bool is = set >= 0 && is_list(set, &count);
    if (set >= 0)
        H5Dclose(set);
    if (!is)
        return 0;
    const size_t room = sizeof lists->names - lists->length;
    const int needed = snprintf(lists->names + lists->length, room, "%s'/%s'",
                                lists->length > 0 ? ", " : "", name);
    if (needed > 0 && (size_t)needed < room)
        lists->length += (size_t)needed;
    else
        lists->names[lists->length] = '\0';
    snprintf(lists->only, sizeof lists->only, "/%s", name);
    lists->count++;
    return 0;
}

/* Opens the data set that is meant; below 0 with *failure set. */
static hid_t set_open(hid_t file, const char *path, const char *dataset, struct failure *failure)
{
    struct lists lists = {.count = 0};
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, list_add, &lists);
    if (!dataset && lists.count == 1)
        dataset = lists.only;
    hid_t set = dataset ? H5Dopen2(file, dataset, H5P_DEFAULT) : -1;
    if (set < 0)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: %s: name a list of numbers in it as %s:/DATASET; it has %s", path,
                    dataset ? "has no such data set" : "it is not said which data set is meant",
                    path, lists.count > 0 ? lists.names : "none");
    return set;
}

static double *set_read(hid_t set, const char *name, int64_t *count, struct failure *failure)
{
    hsize_t length = 0;
    if (!is_list(set, &length) || length < 1 || length > (hsize_t)LIMIT_TASKS) {
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: is no list of numbers: name a data set with one number for each core task",
                    name);
        return NULL;
    }
    double *numbers =
        length <= SIZE_MAX / sizeof *numbers ? malloc(length * sizeof *numbers) : NULL;
    if (!numbers) {
        failure_memory(failure, "reading numbers");
        return NULL;
    }
    *count = (int64_t)length;
    if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0)
        return numbers;
    failure_set(failure, FAILURE_MISMATCH, "%s: cannot be read: make or copy it again", name);
    free(numbers);
    return NULL;
}

static double *file_read(const char *name, const char *path, const char *dataset, int64_t *count,
                         struct failure *failure)
{
    double *numbers = NULL;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) {
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: cannot be opened as HDF5: it is cut, damaged or being written; make or "
                    "copy it again",
                    path);
        return NULL;
    }
    hid_t set = set_open(file, path, dataset, failure);
    if (set >= 0) {
        numbers = set_read(set, name, count, failure);
        H5Dclose(set);
    }
    H5Fclose(file);
    return numbers;
}

double *numbers_read(const char *name, int64_t *count, struct failure *failure)
{
    H5E_auto2_t print;
    void *data;
    char *path = strdup(name), *colon = path ? strrchr(path, ':') : NULL;
    if (!path) {
        failure_memory(failure, "reading numbers");
        return NULL;
    }
    if (colon && access(name, F_OK) != 0)
        *colon = '\0';
    else
        colon = NULL;
    H5Eget_auto2(H5E_DEFAULT, &print, &data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    double *numbers = file_read(name, path, colon ? colon + 1 : NULL, count, failure);
    H5Eset_auto2(H5E_DEFAULT, print, data);
    free(path);
    return numbers;
}
