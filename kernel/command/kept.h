/* The part of a command's output that stands in its record, as the text that records hold. */
#ifndef KERNEL_COMMAND_KEPT_H
#define KERNEL_COMMAND_KEPT_H

#include <stdbool.h>
#include <stddef.h>

/* Make `bytes` valid UTF-8 without zeros: every other byte becomes '?'. A final newline is removed
 * and, if the text was cut here, an incomplete character, too. The remaining bytes up to `capacity`
 * are zeroed. */
void kept_clean(char *bytes, size_t size, size_t capacity, bool cut);

#endif
