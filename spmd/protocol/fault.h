/*
 * Signals that say that this process did wrong (a segmentation fault, abort, ...): noted in a file
 * as the last thing that it does, so that others know whose fault the end of a run was. A signal
 * belongs to a process, not to a run: one watch at a time.
 */
#ifndef SPMD_PROTOCOL_FAULT_H
#define SPMD_PROTOCOL_FAULT_H

#include <stdint.h>

/* Local. From here to fault_unwatch such a signal's number (int32_t) is written to that place of
 * `file` (borrowed, open until then; place negative: nowhere), and the signal then goes the way
 * that it would have gone. */
void fault_watch(int file, int64_t place);
/* Local. Handlers that somebody else has put in place since stay. */
void fault_unwatch(void);
#endif
