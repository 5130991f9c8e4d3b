/*
 * Memory for much at a time. That its pages are there before it is used costs more than clearing
 * it: a fault for each of them, and ten times fewer seconds where the system has large ones.
 */
#ifndef PLANNER_BASE_PAGES_H
#define PLANNER_BASE_PAGES_H

#include <stddef.h>

enum { PAGES_ALIGNMENT = 4096 };

/* `size` bytes of any content, to be freed with free; in large pages where they fill some. Pages
 * are there once they have been touched. NULL: out of memory. */
void *pages_new(size_t size);
/* Touch all pages of these bytes; what the bytes are then is not said. */
void pages_touch(void *pages, size_t size);

#endif
