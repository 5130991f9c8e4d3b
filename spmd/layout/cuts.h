/*
 * Where a grid is cut into the boxes of its core tasks, for readers without the core task:
 * /run/cuts holds how many parts each dimension has, then where each of them begins, dimension
 * after dimension, then a digest of all that. Core tasks count through columns first, then rows,
 * then slices. Grids whose boxes are not so have none, nor have files of older versions.
 */
#ifndef SPMD_LAYOUT_CUTS_H
#define SPMD_LAYOUT_CUTS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#include "spmd/job/job.h"

struct cuts {
    int64_t *numbers;   /* owned; as in the file; NULL: there are none */
    int64_t extent[3];  /* of the grid */
    int64_t parts[3];   /* of each dimension */
    int64_t *starts[3]; /* within the numbers */
};

/* Local. Those of a job with a grid into a file that is being made. False: HDF5 could not, or
 * memory ended. */
bool cuts_create(hid_t file, const struct job *job);
/* Local. Of a file with such a grid of so many core tasks. False: it has none that make sense. To
 * be released in any case. */
bool cuts_read(struct cuts *cuts, hid_t file, const int64_t extent[3], int64_t tasks);
/* The box of a core task of those; `self`: struct cuts. */
bool cuts_box(const void *self, int64_t task, int64_t start[3], int64_t count[3]);
void cuts_release(struct cuts *cuts);

#endif
