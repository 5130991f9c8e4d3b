/*
 * A script made ready on one rank, and the callbacks of scow.h that it answers as it said of
 * itself.
 */
#ifndef PYTHON_SCRIPT_H
#define PYTHON_SCRIPT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <scow.h>

/* The plug-ins' parameters. */
enum { SCRIPT_PATH, SCRIPT_ARGUMENTS };

struct script {
    PyObject *object, *run, *layout; /* plugin.py's Job, its run and its layout(); owned */
    const char *path, *method;       /* borrowed from the setup and from layout */
    struct scow_results results;
    struct scow_field *fields; /* owned */
    size_t tile_size;
    int64_t batch;          /* the most tasks in a call of compute; 0: any */
    int64_t longest, total; /* bytes of lines; longest < 0: no lines */
};

/* What plugin.py makes of a level's survivors, for all ranks, and the number of core tasks; NULL
 * with an exception. Within the interpreter's lock. */
PyObject *script_next(const struct script *script, const struct scow_survivors *in);

/* Callbacks; `opened` is a struct script. */
int script_open(const struct scow_host *host, const struct scow_setup *setup, void **opened);
void script_close(void *opened);
void script_method(const void *opened, char *text, size_t size);
void script_results(const void *opened, struct scow_results *results);
void script_place(const void *opened, int64_t task, int64_t start[3], int64_t count[3]);
void script_reset(const void *opened, void *state);
void script_merge(const void *opened, void *state, const void *part);
int script_print(const void *opened, const void *state, char *json, size_t size);

#endif
