#include "ticker.h"

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

enum { PERIOD_NS = 5000000 };

static pthread_t thread;
static bool is_started;
static atomic_bool is_running, is_over, is_waiting;
static int (*called)(void *nothing);

static int tick(void *nothing)
{
    atomic_store(&is_waiting, false);
    return atomic_load(&is_running) ? called(nothing) : 0;
}

/* At most one call waits for Python at a time. Up to Python 3.12 a busy thread looks for calls only
 * when another one wants the interpreter's lock, too: some milliseconds later it gives way. */
static void *ticker_loop(void *nothing)
{
    const struct timespec period = {.tv_nsec = PERIOD_NS};
    const PyGILState_STATE lock = PyGILState_Ensure();
    PyThreadState *state = PyEval_SaveThread();
    while (!atomic_load(&is_over)) {
        nanosleep(&period, NULL);
        if (!atomic_load(&is_running) || atomic_exchange(&is_waiting, true))
            continue;
        if (Py_AddPendingCall(tick, NULL) != 0)
            atomic_store(&is_waiting, false);
        PyEval_RestoreThread(state);
        state = PyEval_SaveThread();
    }
    PyEval_RestoreThread(state);
    PyGILState_Release(lock);
    return nothing;
}

bool ticker_start(int (*call)(void *nothing))
{
    sigset_t all, before;
    if (is_started)
        return true;
    called = call;
    atomic_store(&is_over, false);
    /* Signals are for the threads that scow knows. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_started = pthread_create(&thread, NULL, ticker_loop, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

void ticker_run(bool run)
{
    atomic_store(&is_running, run);
}

void ticker_stop(void)
{
    if (!is_started)
        return;
    atomic_store(&is_over, true);
    pthread_join(thread, NULL);
    is_started = false;
}
