/*
 * Being asked to stop: SIGINT (Ctrl-C), SIGTERM and SIGUSR1 mean the same, on any rank. But MPICH's
 * launcher sends SIGUSR1 also when a rank has died, so that one is a hint until somebody has looked
 * whether that is why. A signal belongs to a process, not to a run, so this is the one thing in
 * this room that outlives a call.
 */
#ifndef SPMD_PROTOCOL_INTERRUPT_H
#define SPMD_PROTOCOL_INTERRUPT_H

#include <stdbool.h>

/* Local. From now on these signals only ask. Whoever asks again, later than a launcher and a
 * terminal need to deliver one and the same signal twice, means it: the process then dies of it. */
void interrupt_watch(void);
/* Local. Has this rank been asked to stop? */
bool interrupt_asked(void);
/* Local. The signal's name; NULL: this rank has not been asked. */
const char *interrupt_name(void);
/* Local. Has there been a SIGUSR1 that nobody has settled? */
bool interrupt_hinted(void);
/* Local. It was meant, or was not. */
void interrupt_settle(bool meant);

#endif
