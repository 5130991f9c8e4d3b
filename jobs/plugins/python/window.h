/*
 * A piece of scow's memory as an object that numpy makes arrays over, without copies. It knows how
 * many arrays look at it, so that none outlives the package. All with the interpreter's lock held.
 */
#ifndef PYTHON_WINDOW_H
#define PYTHON_WINDOW_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

struct window;

/* Once, before the first one. False with Python's exception set. */
bool window_prepare(void);
/* A new reference; NULL with Python's exception set. */
struct window *window_new(bool writable);
/* Where it looks from now on; borrowed. */
void window_set(struct window *window, const void *bytes, size_t size);
bool window_is_closed(const struct window *window);

#endif
