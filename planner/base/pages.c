#include "planner/base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The size of a huge page on most systems; where it is different, ordinary pages are used. */
static const size_t large_bytes = (size_t)2 << 20;

void *pages_new(size_t size)
{
    const size_t alignment = size < large_bytes ? PAGES_ALIGNMENT : large_bytes;
    if (size > SIZE_MAX / 2)
        return NULL;
    const size_t whole = (size / alignment + 1) * alignment;
    void *pages = aligned_alloc(alignment, whole);
#ifdef MADV_HUGEPAGE
    if (pages && alignment == large_bytes) /* not the last one: most of it might stay unused */
        madvise(pages, size / large_bytes * large_bytes, MADV_HUGEPAGE);
#endif
    return pages;
}

void pages_touch(void *pages, size_t size)
{
    volatile char *bytes = pages;
    for (size_t at = 0; at < size; at += PAGES_ALIGNMENT)
        bytes[at] = 0;
}
