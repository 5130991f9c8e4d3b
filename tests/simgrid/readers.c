/* Simulated clusters lack the kinds of input that need HDF5, which no test there uses. */
#include "spmd/input/reader.h"

const struct input_reader input_image = {.kind = SCOW_INPUT_IMAGE};
const struct input_reader input_lines = {.kind = SCOW_INPUT_LINES};
const struct input_reader input_sequences = {.kind = SCOW_INPUT_SEQUENCES};
const struct input_reader input_file = {.kind = SCOW_INPUT_FILE};
