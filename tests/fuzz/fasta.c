#include "tests/fuzz/items.h"
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    items_try(SCOW_INPUT_SEQUENCES, data, size);
    return 0;
}
