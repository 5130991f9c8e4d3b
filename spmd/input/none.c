#include "spmd/input/reader.h"

const struct input_reader input_none = {.kind = SCOW_INPUT_NONE};
