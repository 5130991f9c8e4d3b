/*
 * The picture of a grid, /normalized: its numbers are read back from the output file, scaled, and
 * written to it again as shades of grey, by as many threads as a rank has. They read and write the
 * file as any program does, for MPI is not theirs to call; what ranks of one node have written is
 * seen by all of them.
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
/* `count` numbers from number `first` on, of which `least` becomes 0 and `greatest` 255. Of what
 * went wrong, if several things did, any. */
enum picture_outcome picture_fill(struct picture *picture, int64_t first, int64_t count,
                                  double least, double greatest);
/* Sets *picture NULL. */
void picture_free(struct picture **picture);

#endif
