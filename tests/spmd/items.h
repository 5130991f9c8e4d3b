/* Lines and sequences, found by slow and simple means, and compared with what the readers find. */
#ifndef TESTS_SPMD_ITEMS_H
#define TESTS_SPMD_ITEMS_H

#include "spmd/input/input.h"

struct items {
    int64_t count;
    struct scow_item *items; /* owned, with what they point to */
};

/* What the bytes of a file hold; false: they must be refused, and *items is empty. To be released
 * either way. Ends the program when memory does. */
bool items_find(enum scow_input_kind kind, const char *bytes, size_t size, struct items *items);
void items_release(struct items *items);

/* Does the reader find the same in the file of that name, from the first to the last item, from the
 * last to the first, and at random? */
bool items_agree(enum scow_input_kind kind, const char *name, const struct items *items);

#endif
