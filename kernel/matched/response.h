/*
 * What a bank answers at every pixel of a tile: one number, combined from its filters' responses.
 * All combinations but one are the maximum over some bank; the sum over scales of the maximum over
 * angles is a sum of such maxima.
 */
#ifndef KERNEL_MATCHED_RESPONSE_H
#define KERNEL_MATCHED_RESPONSE_H

#include "kernel/matched/groups.h"

struct response; /* read-only once made */

/* `algorithm` may be NULL: the fastest, filter by filter. The bank may be freed afterwards. NULL:
 * out of memory. */
struct response *response_new(const struct bank *bank, enum combine combine,
                              const struct demand *demand, const struct algorithm *algorithm);
size_t response_workspace_bytes(const struct response *response); /* aligned to 64 */
/* tile->accumulate must be false. */
void response_run(const struct response *response, const struct tile *tile, void *workspace);
/* What a response would take, estimated as for groups (kernel/matched/groups.h). False: out of
 * memory. */
bool response_estimate(const struct bank *bank, enum combine combine, const struct demand *demands,
                       int count, const struct algorithm *algorithm, double *efforts);
/* The summands, one unless a sum of maxima was asked for; borrowed; NULL: there is no such one. */
const struct groups *response_summand(const struct response *response, int i);
void response_free(struct response **response); /* sets *response NULL */

#endif
