/* The files FILE.1, FILE.2, ... that hold what core tasks emitted, to read. No MPI. */
#ifndef SPMD_LAYOUT_EMITTED_H
#define SPMD_LAYOUT_EMITTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"

struct emitted;
struct layout_emitted; /* spmd/layout/layout.h */

/* Those of the output `path`, which are called FILE as `base` says: where its run has put them, or
 * beside it when both have moved. A few are open at a time. NULL with *failure set. */
struct emitted *emitted_open(const char *base, const char *path, struct failure *failure);
/* `size` bytes from the `at`th on of what a task emitted, which lies there. False with *failure
 * set: the file does not hold them. */
bool emitted_read(struct emitted *emitted, const struct layout_emitted *where, int64_t at,
                  char *bytes, size_t size, struct failure *failure);
/* Is that within its file? */
bool emitted_is_within(struct emitted *emitted, const struct layout_emitted *where);
/* All of what a task emitted into its digest (task_digest.h). False: the file does not hold it. */
bool emitted_digest(struct emitted *emitted, const struct layout_emitted *where, uint64_t *digest);
/* What lies there is on the disk then, and not only with the system, whoever has written it: a rank
 * that was lost has not seen to that itself. False with *failure set. */
bool emitted_flush(struct emitted *emitted, const struct layout_emitted *rows, int64_t count,
                   struct failure *failure);
void emitted_close(struct emitted **emitted); /* sets *emitted NULL */

#endif
