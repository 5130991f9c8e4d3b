#include "window.h"

#include <string.h>

struct window {
    PyObject ob_base; /* first */
    void *bytes;
    Py_ssize_t size;
    bool writable;
    int64_t looks;
};

static int window_get(PyObject *self, Py_buffer *view, int flags)
{
    struct window *window = (struct window *)(void *)self;
    const int failed =
        PyBuffer_FillInfo(view, self, window->bytes, window->size, !window->writable, flags);
    window->looks += failed == 0;
    return failed;
}

static void window_give_back(PyObject *self, Py_buffer *view)
{
    (void)view;
    ((struct window *)(void *)self)->looks--;
}

static PyBufferProcs window_procedures = {.bf_getbuffer = window_get,
                                          .bf_releasebuffer = window_give_back};

static PyTypeObject window_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "scow.Window",
    .tp_basicsize = sizeof(struct window),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_as_buffer = &window_procedures,
};

bool window_prepare(void)
{
    return PyType_Ready(&window_type) == 0;
}

struct window *window_new(bool writable)
{
    struct window *window = PyObject_New(struct window, &window_type);
    if (window)
        *window = (struct window){.ob_base = window->ob_base, .writable = writable};
    return window;
}

void window_set(struct window *window, const void *bytes, size_t size)
{
    memcpy(&window->bytes, &bytes, sizeof bytes); /* `writable` says what may be done with it */
    window->size = (Py_ssize_t)size;
}

bool window_is_closed(const struct window *window)
{
    return window->looks == 0;
}
