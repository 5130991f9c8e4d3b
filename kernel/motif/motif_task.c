#include "kernel/motif/matrices.h"
#include "kernel/motif/motif.h"
#include "kernel/motif/outcome.h"

static const char *const searches[] = {
    [MOTIF_BRUTE_FORCE] = "brute-force", [MOTIF_BRANCH_AND_BOUND] = "branch-and-bound", NULL};
static const char *const ships[] = {
    [MOTIF_INDICES] = "indices", [MOTIF_MATRICES] = "matrices", NULL};

static const struct scow_parameter parameters[MOTIF_PARAMETERS + 1] = {
    [MOTIF_SEQUENCES] = {.name = "sequences",
                         .help = "search the first so many sequences of the input; 0: all",
                         .kind = SCOW_WHOLE,
                         .greatest = SEQUENCES_MOST},
    [MOTIF_LENGTH] = {.name = "length",
                      .help = "letters of the motif",
                      .kind = SCOW_WHOLE,
                      .initial = 8,
                      .least = 1,
                      .greatest = LENGTH_MOST},
    [MOTIF_POSITIONS] = {.name = "positions",
                         .help =
                             "search the first so many start positions of every sequence, which "
                             "must have them; 0: all that each has",
                         .kind = SCOW_WHOLE,
                         .greatest = STARTS_MOST},
    [MOTIF_SEARCH] = {.name = "search",
                      .help = "look at all start tuples, or bypass those below prefixes that "
                              "cannot lead to the best; the results are the same",
                      .kind = SCOW_WORD,
                      .initial = MOTIF_BRUTE_FORCE,
                      .words = searches},
    [MOTIF_GRAIN] = {.name = "grain",
                     .help = "start tuples of a core task; with branch-and-bound, which takes the "
                             "tuples below one prefix, the longest prefix with at least so many. "
                             "0: one tuple, or as many as keep core tasks below 2^26; prefixes of "
                             "half of the sequences, or of as many as keep them below 2^20",
                     .kind = SCOW_WHOLE,
                     .greatest = (double)TUPLES_MOST},
    [MOTIF_SHIP] = {.name = "ship",
                    .help = "what packages hold: nothing but the core tasks' numbers, or the "
                            "letters of every tuple (with branch-and-bound: of every prefix)",
                    .kind = SCOW_WORD,
                    .initial = MOTIF_INDICES,
                    .words = ships},
    [MOTIF_PARAMETERS] = {.name = NULL},
};

const struct scow_task motif_task = {
    SCOW_TASK,
    .name = "motif",
    .version = "1",
    .summary = "find the pieces of DNA sequences, one in each, that agree best",
    .core_task = "some consecutive start tuples, or all tuples below one prefix",
    .outcome = "The best tuple as JSON: its score, start positions from 0, consensus and the "
               "pieces. Of tuples with the same score it is the smallest.",
    .parameters = parameters,
    .input = SCOW_INPUT_SEQUENCES,
    .threads = SCOW_THREADS_HOST,
    .flags = SCOW_WARM,
    .describe = motif_describe,
    .open = motif_open,
    .close = motif_close,
    .method = motif_method,
    .results = outcome_results,
    .package_size_most = matrices_size_most,
    .pack = matrices_pack,
    .workspace_size = motif_workspace_size,
    .compute = motif_compute,
    .reset = outcome_reset,
    .merge = outcome_merge,
    .print = outcome_print,
};
