/* What a fuzz target defines: libFuzzer's entry, called with one input after the other. Whatever
 * is wrong shows as an abort or as a sanitizer's report. */
#ifndef TESTS_FUZZ_TARGET_H
#define TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); /* returns 0 */

#endif
