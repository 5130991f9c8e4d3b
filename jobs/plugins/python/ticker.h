/*
 * A thread that makes Python call a function every ten milliseconds or so, between two instructions
 * of whatever script runs: scripts need not pulse by themselves.
 */
#ifndef PYTHON_TICKER_H
#define PYTHON_TICKER_H

#include <stdbool.h>

/* Without the interpreter's lock. `call` is called by the thread that started Python, with the
 * interpreter's lock, while ticker_run(true) holds; negative: with Python's exception set, which
 * the script then meets. False: there can be no thread. */
bool ticker_start(int (*call)(void *nothing));
void ticker_run(bool run);
/* Without the lock. Ends the thread; also when none was started. */
void ticker_stop(void);

#endif
