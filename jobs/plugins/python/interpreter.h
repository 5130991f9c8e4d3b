/*
 * The process's Python: started with the first job and never ended, because numpy does not start
 * twice. Whoever calls Python takes the interpreter's lock (PyGILState_Ensure) and gives it back,
 * so that threads of a script's go on while scow sends and writes.
 */
#ifndef PYTHON_INTERPRETER_H
#define PYTHON_INTERPRETER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <scow.h>

/* Start it where it is not there yet; to be called without the lock. `functions` are put into
 * plugin.py's module; the table ends with a row without a name. SCOW_OK, or SCOW_FAILED with
 * host->fail called. */
int interpreter_begin(const struct scow_host *host, PyMethodDef *functions);
/* The module made of plugin.py; borrowed. */
PyObject *interpreter_plugin(void);
/* The exception that says that the run is being stopped; borrowed. */
PyObject *interpreter_stopped(void);
/* With the lock: makes Python's exception the failure of a callback, in a sentence that names the
 * script `path` and its line. SCOW_FAILED, or SCOW_STOPPED where that is what the exception was. */
int interpreter_fail(const struct scow_host *host, const char *path);

#endif
