#include "kernel/motif/levels.h"
#include "kernel/motif/motif.h"
#include "kernel/motif/outcome.h"

static const struct scow_parameter parameters[LEVELS_PARAMETERS + 1] = {
    [LEVELS_SEQUENCES] = {.name = "sequences",
                          .help = "search the first so many sequences of the input; 0: all",
                          .kind = SCOW_WHOLE,
                          .greatest = SEQUENCES_MOST},
    [LEVELS_LENGTH] = {.name = "length",
                       .help = "letters of the motif",
                       .kind = SCOW_WHOLE,
                       .initial = 8,
                       .least = 1,
                       .greatest = LENGTH_MOST},
    [LEVELS_POSITIONS] = {.name = "positions",
                          .help = "search the first so many start positions of every sequence, "
                                  "which must have them; 0: all that each has",
                          .kind = SCOW_WHOLE,
                          .greatest = STARTS_MOST},
    [LEVELS_FROM] =
        {.name = "from",
         .help = "begin with all prefixes of so many sequences, and leave out the levels before; "
                 "0: the most of which no bound can leave any out, a little more than half",
         .kind = SCOW_WHOLE,
         .initial = 1,
         .greatest = SEQUENCES_MOST},
    [LEVELS_PARAMETERS] = {.name = NULL},
};

const struct scow_task motif_levels_task = {
    SCOW_TASK,
    .name = "motif-levels",
    .version = "1",
    .summary = "the same search in levels, of prefixes that can still become the best tuple",
    .core_task = "one prefix of start tuples, with all its positions in the next sequence",
    .outcome = "The best tuple as JSON, as `motif` has it; of every level, which prefixes go on.",
    .parameters = parameters,
    .input = SCOW_INPUT_SEQUENCES,
    .threads = SCOW_THREADS_HOST,
    .flags = SCOW_LEVELS,
    .describe = levels_describe,
    .open = levels_open,
    .close = levels_close,
    .method = levels_method,
    .results = levels_results,
    .workspace_size = levels_workspace_size,
    .compute = levels_compute,
    .next = levels_next,
    .reset = outcome_reset,
    .merge = outcome_merge,
    .print = outcome_print,
    .render = levels_render,
};
