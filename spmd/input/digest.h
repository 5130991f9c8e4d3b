/*
 * The SHA-256 of an input, taken beside other work: that of a large one takes longer than anything
 * else before a run. A thread of its own takes it, whose priority is so low that ranks on a node
 * without a core to spare lose next to nothing to it; what is left when somebody waits for it, the
 * one who waits does. The thread reads files, and calls neither MPI nor HDF5.
 */
#ifndef SPMD_INPUT_DIGEST_H
#define SPMD_INPUT_DIGEST_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "spmd/input/input.h"

struct digest;

/* Begin; that of a small input is known on return, and one that is `known` already is not taken
 * again (""; it is not). The input must stay open as long. NULL with *failure set: out of memory,
 * or a small input that cannot be read to its end. */
struct digest *digest_begin(const struct input *input, const char *known, struct failure *failure);
/* As input_sha256 gives it, "" as long as it is not known. Borrowed. */
const char *digest_known(struct digest *digest);
/* Is it still being taken, so that waiting for it may be long? */
bool digest_busy(struct digest *digest);
/* Somebody will wait for it soon, and cores have become free: go on with the priority of whoever
 * calls this. */
void digest_hurry(struct digest *digest);
/* Wait for it. False with *failure set: the input cannot be read to its end. */
bool digest_wait(struct digest *digest, struct failure *failure);
/* One that is not known is given up. Sets *digest NULL. */
void digest_free(struct digest **digest);

#endif
