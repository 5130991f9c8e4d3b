#include "compute.h"

#include <string.h>

#include "interpreter.h"
#include "ticker.h"
#include "window.h"

/* ---- what scripts may ask while they compute ------------------------------------------------- */

/* The package at hand; NULL outside of compute. Guarded by the interpreter's lock. */
static const struct scow_host *current;
static unsigned long current_thread;

static bool current_check(void)
{
    if (current && current_thread == PyThread_get_thread_ident())
        return true;
    PyErr_SetString(PyExc_RuntimeError,
                    "packages can be used within compute only, by the thread that was called");
    return false;
}

/* True, with Python's exception set: the run is being stopped. */
static bool pulse(void)
{
    bool stop;
    Py_BEGIN_ALLOW_THREADS;
    stop = current->pulse(current);
    Py_END_ALLOW_THREADS;
    if (stop)
        PyErr_SetNone(interpreter_stopped());
    return stop;
}

/* Python calls this wherever it is; MPI may be called by one thread alone. */
static int pulse_between(void *nothing)
{
    (void)nothing;
    return current && current_thread == PyThread_get_thread_ident() && pulse() ? -1 : 0;
}

static PyObject *ask_reject(PyObject *self, PyObject *arguments)
{
    long long task;
    const char *why;
    (void)self;
    if (!current_check() || !PyArg_ParseTuple(arguments, "Ls", &task, &why))
        return NULL;
    current->reject(current, task, why);
    Py_RETURN_NONE;
}

static PyObject *ask_emit(PyObject *self, PyObject *arguments)
{
    long long task;
    Py_buffer bytes;
    (void)self;
    if (!current_check() || !PyArg_ParseTuple(arguments, "Ly*", &task, &bytes))
        return NULL;
    const int status = current->emit(current, task, bytes.buf, (size_t)bytes.len);
    PyBuffer_Release(&bytes);
    if (status == SCOW_OK)
        Py_RETURN_NONE;
    return PyErr_NoMemory();
}

PyMethodDef compute_functions[] = {{"_reject", ask_reject, METH_VARARGS, NULL},
                                   {"_emit", ask_emit, METH_VARARGS, NULL},
                                   {NULL, NULL, 0, NULL}};

/* ---- one caller's workspace ------------------------------------------------------------------ */

enum window_index { RECORDS, GRID, STATE, TEXT, OFFSETS, WINDOWS };

/* Of the one caller of compute. */
struct workspace {
    struct window *windows[WINDOWS];
    PyObject *package; /* plugin.py's Package */
};

size_t compute_size(const void *opened, int threads)
{
    (void)opened;
    (void)threads;
    return sizeof(struct workspace);
}

static void workspace_release(struct workspace *workspace)
{
    Py_CLEAR(workspace->package);
    for (int i = 0; i < WINDOWS; i++)
        Py_CLEAR(workspace->windows[i]);
}

int compute_start(const struct scow_host *host, const void *opened, void *space)
{
    const struct script *script = opened;
    struct workspace *workspace = space;
    struct window **windows = workspace->windows;
    bool good = true;
    int status = SCOW_OK;
    if (!ticker_start(pulse_between))
        return host->fail(host,
                          "no thread can be started: raise the limit of processes (ulimit -u)");
    const PyGILState_STATE lock = PyGILState_Ensure();
    for (int i = 0; good && i < WINDOWS; i++)
        good = (windows[i] = window_new(i < TEXT)) != NULL;
    if (good)
        workspace->package =
            PyObject_CallMethod(script->object, "package", "OOOOO", windows[RECORDS], windows[GRID],
                                windows[STATE], windows[TEXT], windows[OFFSETS]);
    if (!workspace->package) {
        status = interpreter_fail(host, script->path);
        workspace_release(workspace);
    }
    PyGILState_Release(lock);
    if (status != SCOW_OK)
        ticker_stop();
    return status;
}

void compute_stop(const void *opened, void *space)
{
    (void)opened;
    const PyGILState_STATE lock = PyGILState_Ensure();
    workspace_release(space);
    PyGILState_Release(lock);
    ticker_stop();
}

static void windows_set(const struct script *script, const struct scow_batch *batch, int64_t first,
                        int64_t count)
{
    const struct workspace *workspace = batch->workspace;
    const size_t skipped = (size_t)(first - batch->first), tasks = (size_t)count;
    const size_t record = script->results.record_size;
    if (batch->records)
        window_set(workspace->windows[RECORDS], (char *)batch->records + skipped * record,
                   tasks * record);
    if (batch->grid) {
        char *tiles = (char *)batch->grid + skipped * script->tile_size;
        memset(tiles, 0, tasks * script->tile_size);
        window_set(workspace->windows[GRID], tiles, tasks * script->tile_size);
    }
    if (batch->state)
        window_set(workspace->windows[STATE], batch->state, script->results.state_size);
    if (script->longest >= 0) {
        const int64_t *offsets = batch->package;
        const char *text = (const char *)(offsets + batch->package_count + 1);
        window_set(workspace->windows[TEXT], text, (size_t)offsets[batch->package_count]);
        window_set(workspace->windows[OFFSETS], offsets + (first - batch->package_first),
                   (tasks + 1) * sizeof *offsets);
    }
}

static bool windows_closed(const struct workspace *workspace)
{
    for (int i = 0; i < WINDOWS; i++)
        if (!window_is_closed(workspace->windows[i]))
            return false;
    return true;
}

/* An array that outlived compute would look at other packages, and at last at nothing. Those in
 * reference cycles are only waiting to be collected. */
static bool piece_is_forgotten(const struct script *script, const struct workspace *workspace)
{
    if (windows_closed(workspace))
        return true;
    PyGC_Collect();
    if (windows_closed(workspace))
        return true;
    PyObject *never = PyObject_CallMethod(script->object, "kept", NULL);
    Py_XDECREF(never);
    return false;
}

static int piece_compute(const struct scow_host *host, const struct script *script,
                         const struct scow_batch *batch, int64_t first, int64_t count)
{
    const struct workspace *workspace = batch->workspace;
    windows_set(script, batch, first, count);
    PyObject *done = PyObject_CallFunction(script->run, "OLLi", workspace->package,
                                           (long long)first, (long long)count, batch->rank);
    const bool good = done && piece_is_forgotten(script, workspace);
    Py_XDECREF(done);
    return good ? SCOW_OK : interpreter_fail(host, script->path);
}

static int compute_locked(const struct scow_host *host, const struct script *script,
                          const struct scow_batch *batch)
{
    for (int64_t done = 0; done < batch->count;) {
        const int64_t left = batch->count - done;
        const int64_t count = script->batch > 0 && script->batch < left ? script->batch : left;
        const int status = piece_compute(host, script, batch, batch->first + done, count);
        if (status != SCOW_OK)
            return status;
        if (pulse())
            return interpreter_fail(host, script->path);
        done += count;
    }
    return SCOW_OK;
}

int compute_batch(const struct scow_host *host, const void *opened, const struct scow_batch *batch)
{
    const PyGILState_STATE lock = PyGILState_Ensure();
    current = host;
    current_thread = PyThread_get_thread_ident();
    ticker_run(true);
    const int status = compute_locked(host, opened, batch);
    ticker_run(false);
    current = NULL;
    PyGILState_Release(lock);
    return status;
}
