/*
 * The digest of the results of one core task, 8 bytes in /digests. It is written after the results
 * and before the ledger marks them as done, so that a reader can check whether they still are what
 * was written. XXH3-64, each part seeded with the digest of those before it: the task's number and
 * its byte in the ledger; where it was done, its numbers of the grid, row-major; its record; what
 * it emitted. Where that lies is no part of it: two workers that do the same core task, as one of
 * them seemed lost, agree on the digest, whichever writes last. Files of older versions have the
 * row of /emitted before what that points to. Against accidents, not against people: whoever can
 * change the results can change their digest.
 */
#ifndef SPMD_LAYOUT_TASK_DIGEST_H
#define SPMD_LAYOUT_TASK_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "spmd/job/engine.h"

/* Of core task `task` (from 0), with that byte in the ledger, and nothing else. */
uint64_t task_digest_begin(int64_t task, int mark);
/* And of these bytes. */
uint64_t task_digest_add(uint64_t digest, const void *bytes, size_t size);
/* Of one that was given up because workers were lost on it: what they left of it does not matter.
 */
uint64_t task_digest_given_up(int64_t task);

/* Of all core tasks of a package into `digests`. */
void task_digests_fill(const struct job *job, const struct package_results *results,
                       uint64_t *digests);

#endif
