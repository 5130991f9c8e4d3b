/*
 * Large blocks of memory. Its first use costs a page fault for every page, which takes longer than
 * clearing it; with huge pages, where the system has them, a tenth of that.
 */
#ifndef PLANNER_BASE_PAGES_H
#define PLANNER_BASE_PAGES_H

#include <stddef.h>

enum { PAGES_ALIGNMENT = 4096 };

/* `size` uninitialised bytes, to be freed with free; in huge pages where the block fills some. A
 * page is mapped when it is first touched. NULL: out of memory. */
void *pages_new(size_t size);
/* Touch all pages of the block. Changes its content. */
void pages_touch(void *pages, size_t size);

#endif
