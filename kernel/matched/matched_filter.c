#include "kernel/matched/matched_filter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/matched/banks/bank.h"
#include "kernel/matched/correlators/correlate.h"
#include "kernel/matched/matched_job.h"
#include "kernel/matched/package.h"
#include "kernel/matched/tiling.h"

enum { BLOCK_MOST = 8192 };

enum parameter_index {
    BANK,
    COMBINE,
    POLARITY,
    ANGLES,
    SIGMA,
    LENGTH,
    ALGORITHM,
    TUNED,
    PARAMETERS
};
enum bank_choice { BANK_SOURCE, BANK_CHAUDHURI };
enum polarity_choice { POLARITY_BRIGHT, POLARITY_DARK };
enum { ALGORITHM_AUTO };
enum { TUNED_AUTO };

static const char *const bank_choices[] = {"source", "chaudhuri", NULL};
static const char *const combine_choices[] = {[COMBINE_SUM] = "sum",
                                              [COMBINE_MAX] = "max",
                                              [COMBINE_MAXSUM] = "maxsum",
                                              [COMBINE_SUMMAX] = "summax",
                                              NULL};
static const char *const polarity_choices[] = {"bright", "dark", NULL};
static const char *const algorithm_choices[] = {"auto",  "reference", "direct",
                                                "orbit", "fft",       NULL};

static const char *const tuned_choices[] = {"auto",
                                            [1 + SPEEDS_GENERIC] = "generic",
                                            [1 + SPEEDS_AVX2] = "avx2",
                                            [1 + SPEEDS_AVX512] = "avx512",
                                            [1 + SPEEDS_AVX512_256] = "avx512-256",
                                            NULL};

static const struct kernel_parameter parameters[PARAMETERS] = {
    [BANK] = {.name = "bank",
              .help = "filters: the 210 of the source's listing, or Chaudhuri's orientations",
              .choices = bank_choices,
              .initial = BANK_CHAUDHURI,
              .greatest = 1,
              .whole = true},
    [COMBINE] = {.name = "combine",
                 .help = "responses: their sum, their maximum, the maximum over angles of the sum "
                         "over scales, or the sum over scales of the maximum over angles",
                 .choices = combine_choices,
                 .initial = COMBINE_MAX,
                 .greatest = 3,
                 .whole = true},
    [POLARITY] = {.name = "polarity",
                  .help = "find ridges brighter or darker than what surrounds them",
                  .choices = polarity_choices,
                  .initial = POLARITY_BRIGHT,
                  .greatest = 1,
                  .whole = true},
    [ANGLES] = {.name = "angles",
                .help = "orientations of the chaudhuri bank",
                .initial = 12,
                .least = 1,
                .greatest = 180,
                .whole = true},
    [SIGMA] = {.name = "sigma",
               .help = "width of the chaudhuri bank's ridge, pixels",
               .initial = 2,
               .least = 0.2,
               .greatest = 32},
    [LENGTH] = {.name = "length",
                .help = "length of the chaudhuri bank's ridge, pixels",
                .initial = 9,
                .least = 1,
                .greatest = 256},
    [ALGORITHM] = {.name = "algorithm",
                   .help = "how to correlate; auto takes the fastest for each filter",
                   .choices = algorithm_choices,
                   .initial = ALGORITHM_AUTO,
                   .greatest = 4,
                   .whole = true},
    [TUNED] = {.name = "tuned",
               .help =
                   "instruction set whose speeds decide what auto takes (avx512-256: on units of "
                   "256 bits, as Zen 4's); calibrate puts its own machine's into the profile, so "
                   "that every rank of a run does the same",
               .choices = tuned_choices,
               .initial = TUNED_AUTO,
               .greatest = SPEEDS_COUNT,
               .whole = true},
};

static int choice(const struct kernel_setup *setup, enum parameter_index index)
{
    return (int)setup->values[index];
}

/* The filters with the polarity's sign. NULL: out of memory. */
static struct bank *setup_bank(const struct kernel_setup *setup)
{
    struct bank *bank = choice(setup, BANK) == BANK_SOURCE
                            ? bank_new_source()
                            : bank_new_chaudhuri(choice(setup, ANGLES), setup->values[SIGMA],
                                                 setup->values[LENGTH]);
    if (bank && choice(setup, POLARITY) == POLARITY_DARK)
        bank_scale(bank, -1);
    return bank;
}

static enum combine setup_combine(const struct kernel_setup *setup)
{
    return (enum combine)choice(setup, COMBINE);
}

/* NULL for "auto". */
static const struct algorithm *setup_algorithm(const struct kernel_setup *setup)
{
    return algorithm_find(algorithm_choices[choice(setup, ALGORITHM)]);
}

/* Whose speeds decide; "auto": this processor's. */
static enum speeds setup_tuned(const struct kernel_setup *setup)
{
    const int tuned = choice(setup, TUNED);
    return tuned == TUNED_AUTO ? speeds_current() : (enum speeds)(tuned - 1);
}

static bool value_check(const struct kernel_parameter *parameter, double value, char *why,
                        size_t size)
{
    if (parameter->choices && !(value >= 0 && value <= parameter->greatest)) {
        snprintf(why, size, "%s has no choice number %g: name one of its words", parameter->name,
                 value);
        return false;
    }
    if (!(value >= parameter->least && value <= parameter->greatest)) {
        snprintf(why, size, "%s is %g: give a number from %g to %g", parameter->name, value,
                 parameter->least, parameter->greatest);
        return false;
    }
    if (parameter->whole && value != floor(value)) {
        snprintf(why, size, "%s is %g: give a whole number", parameter->name, value);
        return false;
    }
    return true;
}

static bool extent_check(const struct kernel_setup *setup, char *why, size_t size)
{
    const struct extent *extent = &setup->extent;
    if (extent->slices < 1 || extent->rows < 1 || extent->columns < 1) {
        snprintf(why, size, "the image has no pixels: give one that has");
        return false;
    }
    if (extent->rows > INT32_MAX || extent->columns > INT32_MAX ||
        extent->slices > INT64_MAX / 64 / (extent->rows * extent->columns)) {
        snprintf(why, size, "the image claims %lld x %lld x %lld pixels: more than can be counted",
                 (long long)extent->slices, (long long)extent->rows, (long long)extent->columns);
        return false;
    }
    if (setup->block < 1 || setup->block > BLOCK_MOST) {
        snprintf(why, size, "the block is %d pixels: give a number from 1 to %d", setup->block,
                 BLOCK_MOST);
        return false;
    }
    if (extent->rows < setup->block || extent->columns < setup->block) {
        snprintf(why, size,
                 "the image (%lld x %lld pixels) is smaller than one block of %d x %d: use a "
                 "smaller block",
                 (long long)extent->rows, (long long)extent->columns, setup->block, setup->block);
        return false;
    }
    return true;
}

static bool filter_is_empty(const struct filter *filter)
{
    const double nothing = 1e-12;
    for (int i = 0; i < filter->rows * filter->columns; i++)
        if (fabs(filter->taps[i]) > nothing)
            return false;
    return true;
}

static bool filter_check(const struct kernel_setup *setup, const struct filter *filter, char *why,
                         size_t size)
{
    const struct extent *extent = &setup->extent;
    if (filter->rows > extent->rows || filter->columns > extent->columns) {
        snprintf(why, size,
                 "the image (%lld x %lld pixels) is smaller than the largest filter (%d x %d): use "
                 "a larger image or smaller filters",
                 (long long)extent->rows, (long long)extent->columns, filter->rows,
                 filter->columns);
        return false;
    }
    if (filter_is_empty(filter)) {
        snprintf(why, size,
                 "sigma %g and length %g leave a filter without any contrast: use a larger sigma",
                 setup->values[SIGMA], setup->values[LENGTH]);
        return false;
    }
    return true;
}

static bool memory_failed(char *why, size_t size)
{
    snprintf(why, size, "out of memory while making the filters: use fewer or smaller ones");
    return false;
}

static bool algorithm_check(const struct kernel_setup *setup, const struct bank *bank, char *why,
                            size_t size)
{
    const struct algorithm *algorithm = setup_algorithm(setup);
    const struct demand pixel = {1, 1, SPEEDS_GENERIC};
    double effort;
    if (!algorithm)
        return true;
    if (!response_estimate(bank, setup_combine(setup), &pixel, 1, algorithm, &effort))
        return memory_failed(why, size);
    if (isfinite(effort))
        return true;
    snprintf(why, size, "the algorithm %s cannot do these filters: use auto", algorithm->name);
    return false;
}

static bool bank_check(const struct kernel_setup *setup, const struct bank *bank, char *why,
                       size_t size)
{
    for (int i = 0; i < bank->count; i++)
        if (!filter_check(setup, &bank->filters[i], why, size))
            return false;
    return algorithm_check(setup, bank, why, size);
}

static bool matched_check(const struct kernel_setup *setup, char *why, size_t size)
{
    for (int i = 0; i < PARAMETERS; i++)
        if (!value_check(&parameters[i], setup->values[i], why, size))
            return false;
    if (!extent_check(setup, why, size))
        return false;
    struct bank *bank = setup_bank(setup);
    if (!bank)
        return memory_failed(why, size);
    bool good = bank_check(setup, bank, why, size);
    bank_free(&bank);
    return good;
}

static void matched_settle(struct kernel_setup *setup)
{
    setup->values[TUNED] = 1 + (double)setup_tuned(setup);
}

static int64_t matched_task_count(const struct kernel_setup *setup)
{
    struct grid grid;
    grid_init(&grid, &setup->extent, setup->block);
    return grid_tasks(&grid);
}

static void matched_free_job(struct kernel_job **job)
{
    if (!*job)
        return;
    response_free(&(*job)->response);
    free(*job);
    *job = NULL;
}

static struct kernel_job *matched_new_job(const struct kernel_setup *setup)
{
    struct kernel_job *job = calloc(1, sizeof *job);
    struct bank *bank = setup_bank(setup);
    if (!job || !bank)
        goto failed;
    grid_init(&job->grid, &setup->extent, setup->block);
    job->reach = bank_reach(bank);
    job->tile = tiling_edge(bank, setup_combine(setup), setup->block, setup_tuned(setup),
                            setup_algorithm(setup));
    if (job->tile == 0)
        goto failed;
    const struct demand demand = {job->tile, job->tile, setup_tuned(setup)};
    job->response = response_new(bank, setup_combine(setup), &demand, setup_algorithm(setup));
    if (!job->response)
        goto failed;
    bank_free(&bank);
    return job;
failed:
    bank_free(&bank);
    matched_free_job(&job);
    return NULL;
}

static void matched_response_shape(const struct kernel_job *job, int64_t shape[3], int64_t chunk[3])
{
    shape[0] = job->grid.extent.slices;
    shape[1] = job->grid.extent.rows;
    shape[2] = job->grid.extent.columns;
    chunk[0] = 1;
    chunk[1] = chunk[2] = job->grid.block;
}

static void matched_task_place(const struct kernel_job *job, int64_t task, int64_t start[3],
                               int64_t count[3])
{
    struct rectangle area = grid_place(&job->grid, task, &start[0]);
    start[1] = area.row;
    start[2] = area.column;
    count[0] = 1;
    count[1] = area.rows;
    count[2] = area.columns;
}

static int64_t matched_result_stride(const struct kernel_job *job)
{
    return (int64_t)job->grid.block * job->grid.block;
}

static size_t matched_package_bytes(const struct kernel_job *job, int64_t first, int64_t count)
{
    struct package package;
    package_init(&package, &job->grid, &job->reach, first, count);
    return (size_t)package_pixels(&package) * pixel_bytes(job->grid.extent.pixel);
}

static size_t matched_package_bytes_most(const struct kernel_job *job, int64_t count)
{
    int64_t pixels = package_pixels_most(&job->grid, &job->reach, count);
    return (size_t)pixels * pixel_bytes(job->grid.extent.pixel);
}

static bool matched_pack(const struct kernel_job *job, int64_t first, int64_t count,
                         const struct kernel_source *source, void *bytes)
{
    struct package package;
    package_init(&package, &job->grid, &job->reach, first, count);
    return package_fill(&package, source, bytes);
}

const struct response *matched_filter_response(const struct kernel_job *job)
{
    return job->response;
}

const struct kernel matched_filter_kernel = {
    .name = "matched-filter",
    .help = "correlate with a bank of filters and combine their responses",
    .parameters = parameters,
    .parameter_count = PARAMETERS,
    .check = matched_check,
    .settle = matched_settle,
    .task_count = matched_task_count,
    .new_job = matched_new_job,
    .free_job = matched_free_job,
    .describe = matched_describe,
    .response_shape = matched_response_shape,
    .task_place = matched_task_place,
    .result_stride = matched_result_stride,
    .package_bytes = matched_package_bytes,
    .package_bytes_most = matched_package_bytes_most,
    .pack = matched_pack,
    .workspace_bytes = matched_workspace_bytes,
    .compute = matched_compute,
};
