#include "tests/kernel/trial.h"

#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/vector/isa.h"

static const float untouched = -12345.0F;

/* One algorithm on one picture. */
struct trial {
    const struct algorithm *algorithm;
    const struct picture *picture;
    uint64_t seed;
    double scale; /* of the responses */
    const float *reference;
    struct correlator *correlator;
    void *workspace;
};

static char complaint[256]; /* the first one of the trial; empty while all is well */

__attribute__((format(printf, 2, 3))) static void complain(const struct trial *trial,
                                                           const char *format, ...)
{
    if (complaint[0] != '\0')
        return;
    const int length = snprintf(complaint, sizeof complaint, "%s on %s, seed %" PRIu64 ": ",
                                trial->algorithm->name, isa_name(isa_current()), trial->seed);
    va_list list;
    va_start(list, format);
    vsnprintf(complaint + length, sizeof complaint - (size_t)length, format, list);
    va_end(list);
}

/* Ends the program where memory is lacking. */
static void need(bool had, const struct algorithm *algorithm, const char *what)
{
    if (had)
        return;
    fprintf(stderr, "trial of %s: %s\n", algorithm->name, what);
    abort();
}

static ptrdiff_t result_stride(const struct picture *picture)
{
    return picture->columns + picture->margin;
}

static float *result_new(const struct trial *trial)
{
    const size_t count = (size_t)trial->picture->rows * (size_t)result_stride(trial->picture);
    float *result = malloc(count * sizeof *result);
    need(result != NULL, trial->algorithm, "out of memory");
    for (size_t i = 0; i < count; i++)
        result[i] = untouched;
    return result;
}

/* The speeds by which is decided: any of them, but the same for every instruction set. */
static enum speeds trial_tuned(const struct trial *trial)
{
    return (enum speeds)(trial->seed % SPEEDS_COUNT);
}

static void trial_start(struct trial *trial, const struct bank *bank, int rows_most,
                        int columns_most)
{
    trial->correlator = trial->algorithm->new_correlator(
        bank, &(struct demand){rows_most, columns_most, trial_tuned(trial)});
    need(trial->correlator != NULL, trial->algorithm, "no correlator for this bank");
    const size_t bytes = trial->algorithm->workspace_bytes(trial->correlator);
    need(posix_memalign(&trial->workspace, 64, bytes) == 0, trial->algorithm, "out of memory");
    memset(trial->workspace, 0xff, bytes); /* not numbers */
}

static void trial_stop(struct trial *trial)
{
    trial->algorithm->free_correlator(&trial->correlator);
    need(trial->correlator == NULL, trial->algorithm, "a freed correlator is not NULL");
    free(trial->workspace);
    trial->workspace = NULL;
}

/* Rows [first, last) as one tile. */
static void rows_run(const struct trial *trial, int first, int last, bool accumulate, float *result)
{
    const struct picture *picture = trial->picture;
    const struct tile tile = {.origin = picture_at(picture, first, 0),
                              .stride = picture->stride,
                              .rows = last - first,
                              .columns = picture->columns,
                              .result = result + first * result_stride(picture),
                              .result_stride = result_stride(picture),
                              .accumulate = accumulate};
    trial->algorithm->run(trial->correlator, &tile, trial->workspace);
}

double trial_effort(const struct algorithm *algorithm, const struct bank *bank, int edge)
{
    const struct demand demand = {edge, edge, speeds_current()};
    double effort = 0;
    need(algorithm->estimate(bank, &demand, 1, &effort), algorithm, "out of memory");
    return effort;
}

bool trial_applies(const struct algorithm *algorithm, const struct bank *bank)
{
    return isfinite(trial_effort(algorithm, bank, 1));
}

float *picture_run(const struct picture *picture, const struct algorithm *algorithm,
                   const struct bank *bank, int rows_most, int columns_most)
{
    struct trial trial = {.algorithm = algorithm, .picture = picture};
    float *result = result_new(&trial);
    trial_start(&trial, bank, rows_most, columns_most);
    rows_run(&trial, 0, picture->rows, false, result);
    trial_stop(&trial);
    return result;
}

/* About the greatest response to random pixels of that size: the greatest norm of a filter's taps
 * times the largest pixel. */
static double response_scale(const struct bank *bank, const struct picture *picture)
{
    double norm = 0;
    for (int i = 0; i < bank->count; i++) {
        double square = 0;
        for (int t = 0; t < bank->filters[i].rows * bank->filters[i].columns; t++)
            square += bank->filters[i].taps[t] * bank->filters[i].taps[t];
        norm = fmax(norm, sqrt(square));
    }
    return norm * picture_magnitude(picture);
}

static void check_near(const struct trial *trial, const float *result)
{
    const double tolerance = 2e-6 * trial->scale;
    for (int y = 0; y < trial->picture->rows; y++)
        for (int x = 0; x < trial->picture->columns; x++) {
            const ptrdiff_t at = y * result_stride(trial->picture) + x;
            const double actual = (double)result[at], expected = (double)trial->reference[at];
            if (!(fabs(actual - expected) <= tolerance))
                complain(trial, "%.9g at (%d, %d) of %d x %d is not within %.3g of %.9g", actual, y,
                         x, trial->picture->rows, trial->picture->columns, tolerance, expected);
        }
}

static void check_margin(const struct trial *trial, const float *result)
{
    const struct picture *picture = trial->picture;
    for (int y = 0; y < picture->rows; y++)
        for (int x = picture->columns; x < result_stride(picture); x++)
            if (result[y * result_stride(picture) + x] != untouched)
                complain(trial, "writes to (%d, %d), right of %d columns", y, x, picture->columns);
}

static void check_same(const struct trial *trial, const float *one, const float *other,
                       const char *when)
{
    const size_t row_bytes = (size_t)trial->picture->columns * sizeof *one;
    for (int y = 0; y < trial->picture->rows; y++) {
        const ptrdiff_t at = y * result_stride(trial->picture);
        if (memcmp(one + at, other + at, row_bytes) != 0)
            complain(trial, "row %d is not the same %s", y, when);
    }
}

/* In pieces, where the algorithm treats a row alike in any tile: the result must not change. */
static void check_cut(const struct trial *trial, const float *whole)
{
    struct random random = {trial->seed};
    const int rows = trial->picture->rows;
    if (trial->algorithm == algorithm_find("fft"))
        return;
    float *result = result_new(trial);
    for (int first = 0, last; first < rows; first = last) {
        last = first + (int)random_between(&random, 1, rows - first);
        rows_run(trial, first, last, false, result);
    }
    check_same(trial, result, whole, "when cut");
    check_margin(trial, result);
    free(result);
}

static void check_accumulate(const struct trial *trial, const float *whole)
{
    struct random random = {trial->seed};
    const struct picture *picture = trial->picture;
    const double scale = fmax(trial->scale, 1e-3); /* no zeros, whose sign the maximum may lose */
    float *result = result_new(trial), *expected = result_new(trial);
    for (int y = 0; y < picture->rows; y++)
        for (int x = 0; x < picture->columns; x++) {
            const ptrdiff_t at = y * result_stride(picture) + x;
            result[at] = (float)(scale * random_signed(&random));
            expected[at] = whole[at] > result[at] ? whole[at] : result[at];
        }
    rows_run(trial, 0, picture->rows, true, result);
    check_same(trial, result, expected, "when accumulated");
    check_margin(trial, result);
    rows_run(trial, 0, picture->rows, true, result);
    check_same(trial, result, expected, "when accumulated again");
    free(expected);
    free(result);
}

/* Signalling NaNs in the workspace: who computes with what was there before, even if no result
 * depends on it, sets the processor's flag. Were it denormal numbers, it would be slow. */
static void check_workspace(const struct trial *trial, const float *whole)
{
    const uint32_t signal = 0x7fa00000;
    const size_t bytes = trial->algorithm->workspace_bytes(trial->correlator);
    struct picture calm;
    struct trial again = *trial;
    float *result = result_new(trial);
    picture_init_calm(&calm, trial->picture);
    again.picture = &calm;
    for (size_t i = 0; i + sizeof signal <= bytes; i += sizeof signal)
        memcpy((char *)trial->workspace + i, &signal, sizeof signal);
    feclearexcept(FE_INVALID);
    rows_run(&again, 0, calm.rows, false, result);
    if (fetestexcept(FE_INVALID))
        complain(trial, "computes with what was in the workspace before");
    check_same(trial, result, whole, "with another workspace");
    picture_release(&calm);
    free(result);
}

/* The result with the instruction set in use, checked. To be freed. */
static float *isa_run(struct trial *trial, const struct bank *bank)
{
    float *result = result_new(trial);
    trial_start(trial, bank, trial->picture->rows, trial->picture->columns);
    rows_run(trial, 0, trial->picture->rows, false, result);
    check_near(trial, result);
    check_margin(trial, result);
    check_cut(trial, result);
    check_accumulate(trial, result);
    check_workspace(trial, result);
    trial_stop(trial);
    return result;
}

const char *trial_complaint(const struct algorithm *algorithm, const struct bank *bank,
                            const struct picture *picture, uint64_t seed)
{
    float *reference =
        picture_run(picture, algorithm_find("reference"), bank, picture->rows, picture->columns);
    struct trial trial = {.algorithm = algorithm,
                          .picture = picture,
                          .seed = seed,
                          .scale = response_scale(bank, picture),
                          .reference = reference};
    float *results[ISA_COUNT] = {NULL};
    complaint[0] = '\0';
    need(trial_applies(algorithm, bank), algorithm, "does not apply to the bank of the trial");
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (isa_pin(isa_name((enum isa)isa)))
            results[isa] = isa_run(&trial, bank);
    if (results[ISA_AVX2] != NULL && results[ISA_AVX512] != NULL)
        check_same(&trial, results[ISA_AVX2], results[ISA_AVX512], "on AVX2");
    need(isa_pin("auto"), algorithm, "the choice of an instruction set cannot be undone");
    for (int isa = 0; isa < ISA_COUNT; isa++)
        free(results[isa]);
    free(reference);
    return complaint[0] == '\0' ? NULL : complaint;
}

const char *trial_complaint_random(const struct algorithm *algorithm, const struct bank *bank,
                                   int rows, int columns, uint64_t seed)
{
    struct random random = {seed};
    struct picture picture;
    picture_init_random(&picture, bank, rows, columns, &random);
    const char *result = trial_complaint(algorithm, bank, &picture, seed);
    picture_release(&picture);
    return result;
}

/* Any bank; one in four is symmetric, since some algorithms do only those. */
static struct bank *bank_new_any(struct random *random)
{
    const int count = (int)random_between(random, 1, random_between(random, 0, 2) ? 6 : 16);
    const int most = (int)random_between(random, 1, 14);
    if (random_between(random, 0, 3) > 0)
        return bank_new_varied(random, count, most);
    struct bank *bank = bank_new_random(random, count, most, most);
    bank_symmetrize(bank);
    return bank;
}

/* One random bank and tile, every algorithm that can do it; counts those in tried[]. */
static const char *seed_complaint(uint64_t seed, const struct algorithm *const *algorithms,
                                  size_t count, int *tried)
{
    static const int rows_most[] = {8, 24, 80};
    struct random random = {seed};
    struct bank *bank = bank_new_any(&random);
    const int rows = (int)random_between(&random, 1, rows_most[random_between(&random, 0, 2)]);
    const int columns = (int)random_between(&random, 1, 90);
    const char *result = NULL;
    for (size_t i = 0; i < count && result == NULL; i++)
        if (trial_applies(algorithms[i], bank)) {
            result = trial_complaint_random(algorithms[i], bank, rows, columns, seed);
            tried[i]++;
        }
    bank_free(&bank);
    return result;
}

const char *trial_complaint_seeds(uint64_t first, uint64_t last)
{
    size_t count;
    const char *result = NULL;
    const struct algorithm *const *algorithms = algorithm_list(&count);
    int *tried = calloc(count, sizeof *tried);
    need(tried != NULL, algorithms[0], "out of memory");
    for (uint64_t seed = first; seed <= last && result == NULL; seed++)
        result = seed_complaint(seed, algorithms, count, tried);
    for (size_t i = 0; i < count && result == NULL; i++)
        if (tried[i] == 0) {
            snprintf(complaint, sizeof complaint, "%s was never tried", algorithms[i]->name);
            result = complaint;
        }
    free(tried);
    return result;
}
