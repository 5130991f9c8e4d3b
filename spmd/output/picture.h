/*
 * The picture of a grid, /normalized: its numbers are read back from the output file, scaled, and
 * written to it again as shades of grey, by as many threads as a rank has. They read and write the
 * file without MPI; data written by other ranks of the node are visible to them.
 */
#ifndef SPMD_OUTPUT_PICTURE_H
#define SPMD_OUTPUT_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

struct picture;

/* What one is made of. */
struct picture_setup {
    int file;                /* open for reading and writing; borrowed */
    int64_t numbers, shades; /* where they begin, bytes from the file's start */
    int type;                /* of numbers: enum scow_type */
    int threads;
};

enum picture_outcome { PICTURE_DONE, PICTURE_UNREAD, PICTURE_UNWRITTEN };

/* NULL: out of memory. */
struct picture *picture_new(const struct picture_setup *setup);
/* Convert `count` numbers from number `first` on; `least` becomes 0 and `greatest` 255. If several
 * errors occur, any one is returned. */
enum picture_outcome picture_fill(struct picture *picture, int64_t first, int64_t count,
                                  double least, double greatest);
/* Sets *picture NULL. */
void picture_free(struct picture **picture);

#endif
