/*
 * What a bank answers at every pixel of a tile: one number, combined from its filters' responses.
 * All combinations but one are the maximum over some bank; the sum over scales of the maximum over
 * angles is a sum of such maxima.
 */
#ifndef KERNEL_MATCHED_RESPONSE_H
#define KERNEL_MATCHED_RESPONSE_H

#include "kernel/matched/groups.h"

struct response; /* read-only once made */

/* Who does what of each summand; nobody of one without filters. */
struct response_choice {
    struct groups_choice summands[BANK_SCALES_MOST];
    double effort; /* of all together; see struct groups_choice */
};

/* As groups_choose. */
bool response_choose(const struct bank *bank, enum combine combine, const struct demand *demands,
                     int count, const struct algorithm *algorithm, struct response_choice *choices);
/* As it was chosen for the same. The bank may be freed afterwards. NULL: out of memory. */
struct response *response_new(const struct bank *bank, enum combine combine,
                              const struct demand *demand, const struct response_choice *choice);
size_t response_workspace_bytes(const struct response *response); /* aligned to 64 */
/* tile->accumulate must be false. */
void response_run(const struct response *response, const struct tile *tile, void *workspace);
/* The summands, one unless a sum of maxima was asked for; borrowed; NULL: there is no such one. */
const struct groups *response_summand(const struct response *response, int i);
void response_free(struct response **response); /* sets *response NULL */

#endif
