/* Events in the order in which a run reported them, made into blocks of whole packages in the order
 * of their numbers. */
#ifndef PLANNER_REPORT_TRACE_BLOCKS_H
#define PLANNER_REPORT_TRACE_BLOCKS_H

#include "planner/model/trace.h"

/* Packages of a block. An event that comes when two more blocks of packages have been sent is of
 * whichever block is at hand. */
enum { TRACE_BLOCK_PACKAGES = 1 << 15 };

struct trace_blocks {
    const struct trace_taker *taker; /* borrowed */
    bool begun_only; /* packages that nobody has computed are left out, and the others numbered anew
                      */
    struct trace here, next; /* owned; of packages from `first` on, and of the block after them */
    int64_t first;
    int64_t numbered; /* packages that were handed on */
    bool refused;     /* the taker could not go on */
};

/* To be released. */
void trace_blocks_init(struct trace_blocks *blocks, const struct trace_taker *taker,
                       bool begun_only);
/* False: out of memory, or (refused) the taker could not go on. */
bool trace_blocks_add(struct trace_blocks *blocks, const struct trace_event *event);
bool trace_blocks_end(struct trace_blocks *blocks);
void trace_blocks_release(struct trace_blocks *blocks);

#endif
