/* Reading the sequences of a job, and refusing what cannot be searched. */
#ifndef KERNEL_MOTIF_READING_H
#define KERNEL_MOTIF_READING_H

#include "kernel/motif/motif.h"

/* What is shared, while it grows. */
struct reading {
    const struct scow_host *host;
    struct motif_shape shape;
    int64_t positions; /* wanted of each sequence; 0: all */
    char *bytes;       /* owned; struct motif_shared and letters */
    size_t size;
};

enum { LABEL_SIZE = 64 };

/* How many sequences are searched: those wanted (0: all), or why there are too few or too many. */
int reading_count(const struct scow_host *host, int64_t wanted, const struct scow_input *input,
                  int *sequences);
/* Read so many sequences as the shape has, of its length; its starts are set. To be freed (bytes)
 * also on failure. */
int reading_take(struct reading *reading);
/* "sequence 3 (lac)": its number from 1, and its header's first word as far as it can be printed.
 */
int reading_label(const struct scow_host *host, int index, char label[LABEL_SIZE]);

#endif
