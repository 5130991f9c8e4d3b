/*
 * The SHA-256 of an input, computed in the background, because that of a large input takes longer
 * than everything else before a run. A thread of its own computes it, with a priority so low that
 * ranks on a node without a free core lose almost nothing; digest_wait computes what remains in the
 * calling thread. The background thread reads files, and calls neither MPI nor HDF5.
 */
#ifndef SPMD_INPUT_DIGEST_H
#define SPMD_INPUT_DIGEST_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "spmd/input/input.h"

struct digest;

/* Begin. The digest of a small input is known on return; a digest that is `known` already is not
 * computed again (""; it is not known). The input must stay open until digest_free. NULL with
 * *failure set: out of memory, or a small input that cannot be read to its end. */
struct digest *digest_begin(const struct input *input, const char *known, struct failure *failure);
/* The digest as input_sha256 gives it, or "" while it is not known. Borrowed. */
const char *digest_known(struct digest *digest);
/* Is it still being computed, so that digest_wait may take long? */
bool digest_busy(struct digest *digest);
/* Raise the background thread to the caller's priority: the digest will be needed soon, and cores
 * have become free. */
void digest_hurry(struct digest *digest);
/* Wait for it. False with *failure set: the input cannot be read to its end. */
bool digest_wait(struct digest *digest, struct failure *failure);
/* Stops an unfinished computation. Sets *digest NULL. */
void digest_free(struct digest **digest);

#endif
