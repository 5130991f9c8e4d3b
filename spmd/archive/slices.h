/* The slices of a run's input and result as small pictures, for pages. No MPI. */
#ifndef SPMD_ARCHIVE_SLICES_H
#define SPMD_ARCHIVE_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"

/* At most this many of a stack's slices, spread evenly over it. */
enum { SLICES_MOST = 24 };

/* What is to be drawn; borrowed. */
struct slices_request {
    const char *output;       /* of a run that made a picture */
    const char *input;        /* NULL: none, or no image */
    const char *input_sha256; /* the input that the run read; another one is not drawn */
};

/* One JSON object: "slices" (in the whole stack), "rows", "columns" (of one, before scaling),
 * "note" (why the input is not drawn, or null), and "pictures": [{"slice", "result", "input"}],
 * both PNG files as data: addresses, the input null where it is not drawn. */
bool slices_print(const struct slices_request *request, struct text *text, struct failure *failure);

#endif
