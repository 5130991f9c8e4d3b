/* The part of a command's output that stands in its record, as the text that records hold. */
#ifndef KERNEL_COMMAND_KEPT_H
#define KERNEL_COMMAND_KEPT_H

#include <stdbool.h>
#include <stddef.h>

/* Make `bytes` UTF-8 without zeros: what is none of it becomes '?', byte by byte. A newline at the
 * very end goes; if the text was cut here, a character that is not whole goes too. Everything up to
 * `capacity` is zeroed. */
void kept_clean(char *bytes, size_t size, size_t capacity, bool cut);

#endif
