#include "tests/fuzz/image_format.h"
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    image_format_try(&image_nifti, data, size);
    return 0;
}
