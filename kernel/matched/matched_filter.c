#include "kernel/matched/matched_filter.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/matched/banks/bank.h"
#include "kernel/matched/correlators/correlate.h"
#include "kernel/matched/footprint.h"
#include "kernel/matched/matched_job.h"
#include "kernel/matched/tiling.h"
#include "kernel/type.h"

/* ---- parameters ---- */

enum parameter_index {
    BANK,
    COMBINE,
    POLARITY,
    ANGLES,
    SIGMA,
    LENGTH,
    BLOCK,
    WIDTH,
    ALGORITHM,
    TUNED,
    PARAMETERS
};
enum bank_word { BANK_SOURCE, BANK_CHAUDHURI };
enum polarity_word { POLARITY_BRIGHT, POLARITY_DARK };
enum { ALGORITHM_AUTO };
enum { TUNED_AUTO };

static const char *const bank_words[] = {"source", "chaudhuri", NULL};
static const char *const combine_words[] = {[COMBINE_SUM] = "sum",
                                            [COMBINE_MAX] = "max",
                                            [COMBINE_MAXSUM] = "maxsum",
                                            [COMBINE_SUMMAX] = "summax",
                                            NULL};
static const char *const polarity_words[] = {"bright", "dark", NULL};
static const char *const algorithm_words[] = {"auto", "reference", "direct", "orbit", "fft", NULL};
static const char *const tuned_words[] = {"auto",
                                          [1 + SPEEDS_GENERIC] = "generic",
                                          [1 + SPEEDS_AVX2] = "avx2",
                                          [1 + SPEEDS_AVX512] = "avx512",
                                          [1 + SPEEDS_AVX512_256] = "avx512-256",
                                          NULL};

static const struct scow_parameter parameters[PARAMETERS + 1] = {
    [BANK] = {.name = "bank",
              .help = "filters: the 210 of the source's listing, or Chaudhuri's orientations",
              .kind = SCOW_WORD,
              .words = bank_words,
              .initial = BANK_CHAUDHURI},
    [COMBINE] = {.name = "combine",
                 .help = "responses: their sum, their maximum, the maximum over angles of the sum "
                         "over scales, or the sum over scales of the maximum over angles",
                 .kind = SCOW_WORD,
                 .words = combine_words,
                 .initial = COMBINE_MAX},
    [POLARITY] = {.name = "polarity",
                  .help = "find ridges brighter or darker than what surrounds them",
                  .kind = SCOW_WORD,
                  .words = polarity_words,
                  .initial = POLARITY_BRIGHT},
    [ANGLES] = {.name = "angles",
                .help = "orientations of the chaudhuri bank",
                .kind = SCOW_WHOLE,
                .initial = 12,
                .least = 1,
                .greatest = 180},
    [SIGMA] = {.name = "sigma",
               .help = "width of the chaudhuri bank's ridge, pixels",
               .kind = SCOW_NUMBER,
               .initial = 2,
               .least = 0.2,
               .greatest = 32},
    [LENGTH] = {.name = "length",
                .help = "length of the chaudhuri bank's ridge, pixels",
                .kind = SCOW_NUMBER,
                .initial = 9,
                .least = 1,
                .greatest = 256},
    [BLOCK] = {.name = "block",
               .help = "wanted edge of a core task, pixels: each side is cut into equal parts of "
                       "about that length",
               .kind = SCOW_WHOLE,
               .initial = 64,
               .least = 1,
               .greatest = 8192},
    [WIDTH] = {.name = "width",
               .help = "wanted columns of a core task if not as many as its rows, pixels; strips: "
                       "as many as the image has, or more",
               .kind = SCOW_WHOLE,
               .initial = 0,
               .least = 0,
               .greatest = 1048576},
    [ALGORITHM] = {.name = "algorithm",
                   .help = "how to correlate; auto takes the fastest for each filter",
                   .kind = SCOW_WORD,
                   .words = algorithm_words,
                   .initial = ALGORITHM_AUTO},
    [TUNED] = {.name = "tuned",
               .help =
                   "instruction set whose speeds decide what auto takes (avx512-256: on units of "
                   "256 bits, as Zen 4's); calibrate puts its own machine's into the profile, so "
                   "that every rank of a run does the same",
               .kind = SCOW_WORD,
               .words = tuned_words,
               .initial = TUNED_AUTO},
    [PARAMETERS] = {.name = NULL},
};

static int word_of(const struct scow_value *values, enum parameter_index index)
{
    return (int)values[index].number;
}

/* The filters with the polarity's sign. NULL: out of memory. */
static struct bank *bank_of(const struct scow_value *values)
{
    struct bank *bank = word_of(values, BANK) == BANK_SOURCE
                            ? bank_new_source()
                            : bank_new_chaudhuri((int)values[ANGLES].number, values[SIGMA].number,
                                                 values[LENGTH].number);
    if (bank && word_of(values, POLARITY) == POLARITY_DARK)
        bank_scale(bank, -1);
    return bank;
}

static enum combine combine_of(const struct scow_value *values)
{
    return (enum combine)word_of(values, COMBINE);
}

static int block_of(const struct scow_value *values)
{
    return (int)values[BLOCK].number;
}

/* Columns; 0: a square. */
static int width_of(const struct scow_value *values)
{
    const int width = (int)values[WIDTH].number;
    return width > 0 ? width : block_of(values);
}

/* NULL for "auto". */
static const struct algorithm *algorithm_of(const struct scow_value *values)
{
    return algorithm_find(algorithm_words[word_of(values, ALGORITHM)]);
}

/* Whose speeds decide; "auto": this processor's. */
static enum speeds tuned_of(const struct scow_value *values)
{
    const int tuned = word_of(values, TUNED);
    return tuned == TUNED_AUTO ? speeds_current() : (enum speeds)(tuned - 1);
}

static int matched_settle(const struct scow_host *host, const struct scow_input *input,
                          struct scow_value *values)
{
    const int tuned = 1 + (int)tuned_of(values);
    (void)host;
    (void)input;
    values[TUNED] = (struct scow_value){.number = tuned, .text = tuned_words[tuned]};
    return SCOW_OK;
}

/* ---- what can be done ---- */

static int memory_failed(const struct scow_host *host)
{
    return host->fail(host, "out of memory while making the filters: use fewer or smaller ones");
}

static int image_check(const struct scow_host *host, const struct scow_input *image)
{
    const int64_t slices = image->extent[0], rows = image->extent[1], columns = image->extent[2];
    if (slices < 1 || rows < 1 || columns < 1)
        return host->fail(host, "the image has no pixels: give one that has");
    if (rows > INT32_MAX || columns > INT32_MAX || slices > INT64_MAX / 64 / (rows * columns))
        return host->fail(host,
                          "the image claims %" PRId64 " x %" PRId64 " x %" PRId64
                          " pixels: more than can be counted",
                          slices, rows, columns);
    return SCOW_OK;
}

static bool filter_is_empty(const struct filter *filter)
{
    const double nothing = 1e-12;
    for (int i = 0; i < filter->rows * filter->columns; i++)
        if (fabs(filter->taps[i]) > nothing)
            return false;
    return true;
}

static int filter_check(const struct scow_host *host, const struct scow_value *values,
                        const struct filter *filter)
{
    if (filter_is_empty(filter))
        return host->fail(
            host, "sigma %g and length %g leave a filter without any contrast: use a larger sigma",
            values[SIGMA].number, values[LENGTH].number);
    return SCOW_OK;
}

static int algorithm_check(const struct scow_host *host, const struct scow_value *values,
                           const struct bank *bank)
{
    const struct algorithm *algorithm = algorithm_of(values);
    const struct demand pixel = {1, 1, SPEEDS_GENERIC};
    struct response_choice choice;
    if (!algorithm)
        return SCOW_OK;
    if (!response_choose(bank, combine_of(values), &pixel, 1, algorithm, &choice))
        return memory_failed(host);
    if (isfinite(choice.effort))
        return SCOW_OK;
    return host->fail(host, "the algorithm %s cannot do these filters: use auto", algorithm->name);
}

static int bank_check(const struct scow_host *host, const struct scow_value *values,
                      const struct bank *bank)
{
    int status = SCOW_OK;
    for (int i = 0; status == SCOW_OK && i < bank->count; i++)
        status = filter_check(host, values, &bank->filters[i]);
    return status == SCOW_OK ? algorithm_check(host, values, bank) : status;
}

/* The tiles are still to be fitted. */
static struct tiling tiling_of(const struct scow_value *values, const struct bank *bank)
{
    return (struct tiling){.bank = bank,
                           .combine = combine_of(values),
                           .tuned = tuned_of(values),
                           .algorithm = algorithm_of(values),
                           .high.wished = block_of(values),
                           .wide.wished = width_of(values)};
}

/* The master's word to all ranks, who need not find it out again: in how many core tasks a slice is
 * cut, the largest tile that they are computed in, and by whom. */
struct shared {
    struct division division;
    struct demand tile;
    struct response_choice choice;
};

/* False: out of memory. */
static bool shared_find(struct shared *shared, const struct scow_value *values,
                        const struct bank *bank, const struct scow_input *image, int64_t *tasks)
{
    struct tiling tiling = tiling_of(values, bank);
    struct grid grid;
    if (!tiling_fit(&tiling) ||
        !tiling_divide(&tiling, image->extent[1], image->extent[2], &shared->division))
        return false;
    grid_init(&grid, image, shared->division.down, shared->division.across);
    shared->tile = (struct demand){.rows = tiling_edge(&tiling.high, grid_rows_most(&grid)),
                                   .columns = tiling_edge(&tiling.wide, grid_columns_most(&grid)),
                                   .tuned = tiling.tuned};
    *tasks = grid_tasks(&grid);
    return tiling_choose(&tiling, &shared->tile, &shared->choice);
}

static int division_share(const struct scow_host *host, const struct scow_value *values,
                          const struct bank *bank, const struct scow_input *image, int64_t *tasks)
{
    struct shared shared;
    memset(&shared, 0, sizeof shared);
    if (!shared_find(&shared, values, bank, image, tasks))
        return memory_failed(host);
    return host->share(host, &shared, sizeof shared);
}

static int matched_describe(const struct scow_host *host, const struct scow_value *values,
                            const struct scow_input *image, int64_t *tasks)
{
    if (image_check(host, image) != SCOW_OK)
        return SCOW_FAILED;
    struct bank *bank = bank_of(values);
    int status = bank ? bank_check(host, values, bank) : memory_failed(host);
    if (status == SCOW_OK)
        status = division_share(host, values, bank, image, tasks);
    bank_free(&bank);
    return status;
}

/* ---- the job ---- */

static void matched_close(void *job)
{
    struct matched_job *matched = job;
    response_free(&matched->response);
    free(matched);
}

/* The grid is there. False: out of memory. */
static bool job_fill(struct matched_job *job, const struct scow_value *values,
                     const struct bank *bank, const struct shared *shared)
{
    job->reach = bank_reach(bank);
    job->tile_rows = shared->tile.rows;
    job->tile_columns = shared->tile.columns;
    job->response = response_new(bank, combine_of(values), &shared->tile, &shared->choice);
    return job->response != NULL;
}

static int matched_open(const struct scow_host *host, const struct scow_setup *setup, void **job)
{
    const struct shared *shared = setup->shared;
    struct matched_job *matched = calloc(1, sizeof *matched);
    struct bank *bank = bank_of(setup->values);
    if (matched)
        grid_init(&matched->grid, &setup->input, shared->division.down, shared->division.across);
    const bool done = matched && bank && job_fill(matched, setup->values, bank, shared);
    bank_free(&bank);
    if (!done) {
        free(matched);
        return memory_failed(host);
    }
    *job = matched;
    return SCOW_OK;
}

static void matched_results(const void *job, struct scow_results *results)
{
    const struct grid *grid = &((const struct matched_job *)job)->grid;
    results->grid_type = SCOW_F32;
    results->grid_extent[0] = grid->slices;
    results->grid_extent[1] = grid->rows;
    results->grid_extent[2] = grid->columns;
    results->grid_tile[0] = 1;
    results->grid_tile[1] = grid_rows_most(grid);
    results->grid_tile[2] = grid_columns_most(grid);
    results->grid_picture = true;
}

static void matched_place(const void *job, int64_t task, int64_t start[3], int64_t count[3])
{
    const struct matched_job *matched = job;
    const struct rectangle area = grid_place(&matched->grid, task, &start[0]);
    start[1] = area.row;
    start[2] = area.column;
    count[0] = 1;
    count[1] = area.rows;
    count[2] = area.columns;
}

static size_t matched_package_size_most(const void *job, int64_t count)
{
    const struct matched_job *matched = job;
    const int64_t pixels = footprint_pixels_most(&matched->grid, &matched->reach, count);
    return (size_t)pixels * scow_type_size(matched->grid.type);
}

static int matched_pack(const struct scow_host *host, const void *job, int64_t first, int64_t count,
                        void *package, size_t *size)
{
    const struct matched_job *matched = job;
    struct footprint footprint;
    footprint_init(&footprint, &matched->grid, &matched->reach, first, count);
    *size = (size_t)footprint_pixels(&footprint) * scow_type_size(matched->grid.type);
    return footprint_read(&footprint, host, package);
}

const struct scow_task matched_filter_task = {
    SCOW_TASK,
    .name = "matched-filter",
    .version = SCOW_VERSION,
    .summary = "correlate with a bank of filters and combine their responses",
    .core_task = "one rectangle of one slice of the image, about --block pixels a side (or --width "
                 "across): a slice is cut into equal ones, a pixel more or less",
    .outcome = "/response: the combined response at every pixel, float32 [slice][row][column]; not "
               "a number within reach of a pixel that is not finite or exceeds 2^96 in magnitude",
    .parameters = parameters,
    .input = SCOW_INPUT_IMAGE,
    .threads = SCOW_THREADS_OWN,
    .flags = SCOW_WARM,
    .settle = matched_settle,
    .describe = matched_describe,
    .open = matched_open,
    .close = matched_close,
    .method = matched_method,
    .results = matched_results,
    .package_size_most = matched_package_size_most,
    .pack = matched_pack,
    .workspace_size = matched_workspace_size,
    .compute = matched_compute,
    .place = matched_place,
};
