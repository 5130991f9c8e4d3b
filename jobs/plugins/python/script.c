#include "script.h"

#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "interpreter.h"

static size_t type_size(int type)
{
    switch ((enum scow_type)type) {
    case SCOW_U8:
        return 1;
    case SCOW_U16:
        return 2;
    case SCOW_U64:
    case SCOW_I64:
    case SCOW_F64:
        return 8;
    case SCOW_NONE:
        return 0;
    case SCOW_U32:
    case SCOW_I32:
    case SCOW_F32:
    case SCOW_TEXT_BYTES:
        break;
    }
    return 4;
}

static bool fields_fill(struct script *script, PyObject *list)
{
    const Py_ssize_t count = PyList_Size(list);
    if (count <= 0)
        return count == 0;
    script->fields = calloc((size_t)count + 1, sizeof *script->fields);
    if (!script->fields)
        return PyErr_NoMemory() != NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        struct scow_field *field = &script->fields[i];
        int measured = 0;
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "siIIp", &field->name, &field->type,
                              &field->offset, &field->count, &measured))
            return false;
        field->flags = measured ? SCOW_MEASURED : 0;
    }
    script->results.fields = script->fields;
    return true;
}

static bool layout_fill(struct script *script)
{
    struct scow_results *results = &script->results;
    int64_t *extent = results->grid_extent, *tile = results->grid_tile;
    long long numbers[9];
    Py_ssize_t record_size, state_size;
    int picture, emits;
    PyObject *fields;
    script->layout = PyObject_CallMethod(script->object, "layout", NULL);
    if (!script->layout ||
        !PyArg_ParseTuple(script->layout, "i(LLL)(LLL)pOnnpLLLs", &results->grid_type, &numbers[0],
                          &numbers[1], &numbers[2], &numbers[3], &numbers[4], &numbers[5], &picture,
                          &fields, &record_size, &state_size, &emits, &numbers[6], &numbers[7],
                          &numbers[8], &script->method))
        return false;
    for (int i = 0; i < 3; i++) {
        extent[i] = numbers[i];
        tile[i] = numbers[3 + i];
    }
    results->grid_picture = picture;
    results->record_size = (size_t)record_size;
    results->state_size = (size_t)state_size;
    results->emits = emits;
    script->tile_size = type_size(results->grid_type) * (size_t)(tile[0] * tile[1] * tile[2]);
    script->batch = numbers[6];
    script->longest = numbers[7];
    script->total = numbers[8];
    return fields_fill(script, fields);
}

static void script_free(struct script *script)
{
    Py_XDECREF(script->run);
    Py_XDECREF(script->layout);
    Py_XDECREF(script->object);
    free(script->fields);
    free(script);
}

static int script_open_locked(const struct scow_host *host, const struct scow_setup *setup,
                              struct script *script)
{
    script->path = setup->values[SCRIPT_PATH].text;
    script->object =
        PyObject_CallMethod(interpreter_plugin(), "Job", "y#", (const char *)setup->shared,
                            (Py_ssize_t)setup->shared_size);
    script->run = script->object ? PyObject_GetAttrString(script->object, "run") : NULL;
    return script->run && layout_fill(script) ? SCOW_OK : interpreter_fail(host, script->path);
}

int script_open(const struct scow_host *host, const struct scow_setup *setup, void **opened)
{
    if (interpreter_begin(host, compute_functions) != SCOW_OK)
        return SCOW_FAILED;
    struct script *script = calloc(1, sizeof *script);
    if (!script)
        return host->fail(host, "out of memory for a script in Python");
    const PyGILState_STATE lock = PyGILState_Ensure();
    const int status = script_open_locked(host, setup, script);
    if (status == SCOW_OK)
        *opened = script;
    else
        script_free(script);
    PyGILState_Release(lock);
    return status;
}

void script_close(void *opened)
{
    const PyGILState_STATE lock = PyGILState_Ensure();
    script_free(opened);
    PyGILState_Release(lock);
}

void script_method(const void *opened, char *text, size_t size)
{
    const struct script *script = opened;
    snprintf(text, size, "%s", script->method);
}

void script_results(const void *opened, struct scow_results *results)
{
    const struct script *script = opened;
    *results = script->results;
}

/* Tiles are numbered as numpy orders arrays: the last axis first. */
void script_place(const void *opened, int64_t task, int64_t start[3], int64_t count[3])
{
    const struct script *script = opened;
    for (int i = 2; i >= 0; i--) {
        const int64_t extent = script->results.grid_extent[i], tile = script->results.grid_tile[i];
        const int64_t tiles = (extent - 1) / tile + 1;
        start[i] = task % tiles * tile;
        count[i] = extent - start[i] < tile ? extent - start[i] : tile;
        task /= tiles;
    }
}

static PyObject *bytes_view(const void *bytes, int64_t size)
{
    char *from; /* Python has no word for const, but flags */
    memcpy(&from, &bytes, sizeof from);
    return PyMemoryView_FromMemory(from, (Py_ssize_t)size, PyBUF_READ);
}

PyObject *script_next(const struct script *script, const struct scow_survivors *in)
{
    PyObject *places = bytes_view(in->at, (in->tasks + 1) * (int64_t)sizeof *in->at);
    PyObject *emitted = bytes_view(in->bytes, in->at[in->tasks]);
    PyObject *next = places && emitted
                         ? PyObject_CallMethod(script->object, "next_level", "OO", places, emitted)
                         : NULL;
    Py_XDECREF(emitted);
    Py_XDECREF(places);
    return next;
}

/* ---- reductions ------------------------------------------------------------------------------ */

static PyObject *state_view(const struct script *script, const void *state, int flags)
{
    char *bytes; /* Python has no word for const, but flags */
    memcpy(&bytes, &state, sizeof bytes);
    return PyMemoryView_FromMemory(bytes, (Py_ssize_t)script->results.state_size, flags);
}

/* plugin.py says by itself what goes wrong there, and remembers it. */
static void state_call(const struct script *script, const char *method, void *state,
                       const void *part)
{
    const PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *whole = state_view(script, state, PyBUF_WRITE);
    PyObject *more = part ? state_view(script, part, PyBUF_READ) : NULL;
    PyObject *done = NULL;
    if (whole && (more || !part))
        done = PyObject_CallMethod(script->object, method, part ? "OO" : "O", whole, more);
    if (!done)
        PyErr_WriteUnraisable(script->object);
    Py_XDECREF(done);
    Py_XDECREF(more);
    Py_XDECREF(whole);
    PyGILState_Release(lock);
}

void script_reset(const void *opened, void *state)
{
    state_call(opened, "reset", state, NULL);
}

void script_merge(const void *opened, void *state, const void *part)
{
    state_call(opened, "merge", state, part);
}

int script_print(const void *opened, const void *state, char *json, size_t size)
{
    const struct script *script = opened;
    const PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *view = state_view(script, state, PyBUF_READ);
    PyObject *text = view ? PyObject_CallMethod(script->object, "outcome_json", "O", view) : NULL;
    const char *said = text && text != Py_None ? PyUnicode_AsUTF8(text) : NULL;
    const int needed = said ? snprintf(json, size, "%s", said) : -1;
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(view);
    PyGILState_Release(lock);
    return needed;
}
