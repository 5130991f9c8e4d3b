#include "kernel/motif/matrices.h"

#include <string.h>

/* A pulse every so many letters, which take less than a millisecond; a matrix by itself takes the
 * time of some. */
enum { CHUNK = 8, LETTERS_BETWEEN_PULSES = 1 << 20, MATRIX_WORK = 32 };

/* A byte of each of eight columns. */
static const uint64_t ones = UINT64_C(0x0101010101010101);

/* Rows of a matrix. */
static int rows_of(const struct motif_shape *shape)
{
    return shape->bounded ? shape->prefix : shape->sequences;
}

static size_t matrix_size(const struct motif_shape *shape)
{
    return (size_t)rows_of(shape) * (size_t)shape->length;
}

/* Which matrices core tasks [first, first + count) have: [*begin, *end). */
static void matrices_range(const struct motif_shape *shape, int64_t first, int64_t count,
                           int64_t *begin, int64_t *end)
{
    *begin = first;
    *end = first + count;
    if (!shape->bounded)
        shape_range(shape, first, count, begin, end);
}

size_t matrices_size_most(const void *opened, int64_t count)
{
    const struct motif_shape *shape = &((const struct motif_job *)opened)->shape;
    const size_t size = matrix_size(shape);
    int64_t begin, end;
    if (!shape->shipped)
        return 0;
    matrices_range(shape, 0, count < shape->tasks ? count : shape->tasks, &begin, &end);
    return (uint64_t)end > SIZE_MAX / size ? SIZE_MAX : (size_t)end * size;
}

static char *matrix_write(const struct motif_job *job, const uint32_t *start, char *to)
{
    const size_t length = (size_t)job->shape.length;
    for (int i = 0; i < rows_of(&job->shape); i++, to += length)
        memcpy(to, job->letters[i] + start[i], length);
    return to;
}

/* The next tuple, the last sequence's position fastest. */
static void start_advance(const struct motif_shape *shape, uint32_t *start)
{
    int i = rows_of(shape) - 1;
    while (i >= 0 && ++start[i] == shape->starts[i])
        start[i--] = 0;
}

int matrices_pack(const struct scow_host *host, const void *opened, int64_t first, int64_t count,
                  void *package, size_t *size)
{
    const struct motif_job *job = opened;
    uint32_t start[SEQUENCES_MOST];
    char *to = package;
    int64_t begin, end;
    (void)host;
    *size = 0;
    if (!job->shape.shipped)
        return SCOW_OK;
    matrices_range(&job->shape, first, count, &begin, &end);
    shape_digits(&job->shape, rows_of(&job->shape), begin, start);
    for (int64_t i = begin; i < end; i++) {
        to = matrix_write(job, start, to);
        start_advance(&job->shape, start);
    }
    *size = (size_t)(to - (char *)package);
    return SCOW_OK;
}

/* 255 in the first columns of a chunk. */
static uint64_t columns_mask(int columns)
{
    unsigned char bytes[CHUNK] = {0};
    uint64_t mask;
    if (columns >= CHUNK)
        return UINT64_MAX;
    memset(bytes, 255, (size_t)columns);
    memcpy(&mask, bytes, sizeof mask);
    return mask;
}

/* The larger of each two bytes; none is above 127. */
static uint64_t larger_bytes(uint64_t a, uint64_t b)
{
    const uint64_t not_less = ((a | ones << 7) - b) >> 7 & ones, mask = not_less * 255;
    return (a & mask) | (b & ~mask);
}

static int bytes_sum(uint64_t bytes)
{
    const uint64_t even = UINT64_C(0x00ff00ff00ff00ff);
    return (int)((((bytes & even) + (bytes >> 8 & even)) * UINT64_C(0x0001000100010001)) >> 48);
}

/* Eight letters, but none from `end` on. */
static uint64_t letters_load(const char *at, const char *end)
{
    uint64_t letters = 0;
    if (end - at >= CHUNK)
        memcpy(&letters, at, CHUNK);
    else
        memcpy(&letters, at, (size_t)(end - at));
    return letters;
}

/* The score of eight columns. Two bits tell the letters apart: A 0x41, C 0x43, T 0x54, G 0x47 have
 * 00, 01, 10, 11 in bits 2 and 1. */
static int chunk_score(const struct motif_shape *shape, const char *at, const char *end,
                       uint64_t mask)
{
    uint64_t low = 0, high = 0, both = 0;
    for (int i = 0; i < shape->sequences; i++, at += shape->length) {
        const uint64_t letters = letters_load(at, end);
        const uint64_t bit_1 = letters >> 1 & ones, bit_2 = letters >> 2 & ones;
        low += bit_1;
        high += bit_2;
        both += bit_1 & bit_2;
    }
    const uint64_t neither = ones * (uint64_t)shape->sequences - low - high + both;
    return bytes_sum(
        larger_bytes(larger_bytes(neither, both), larger_bytes(low - both, high - both)) & mask);
}

static int matrix_score(const struct motif_shape *shape, const char *matrix, const char *end)
{
    int score = 0;
    for (int j = 0; j < shape->length; j += CHUNK)
        score += chunk_score(shape, matrix + j, end, columns_mask(shape->length - j));
    return score;
}

static bool tuples_search(struct search *search, const char *matrix, const char *package_end,
                          int64_t begin, int64_t end)
{
    const struct motif_shape *shape = &search->job->shape;
    const size_t size = matrix_size(shape);
    const struct scow_host *host = search->host;
    int64_t best = begin, work = 0;
    for (int64_t i = begin; i < end; i++, matrix += size) {
        const int score = matrix_score(shape, matrix, package_end);
        if (score > search->score) {
            search->score = score;
            best = i;
        }
        work += (int64_t)size + MATRIX_WORK;
        if (work < LETTERS_BETWEEN_PULSES)
            continue;
        if (host->pulse(host))
            return false;
        work = 0;
    }
    shape_digits(shape, shape->sequences, best, search->start);
    return true;
}

/* The profile of a prefix's letters. */
static void prefix_read(struct search *search, const char *letters)
{
    const struct motif_shape *shape = &search->job->shape;
    uint32_t *profile = search_profile(search, shape->prefix);
    memset(profile, 0, (size_t)search->job->length.words * sizeof *profile);
    for (int i = 0; i < shape->prefix; i++)
        for (int j = 0; j < shape->length; j++)
            profile[j] += UINT32_C(1) << 8 * letter_number(*letters++);
}

static bool prefixes_search(struct search *search, const char *letters, int64_t begin, int64_t end)
{
    const struct motif_shape *shape = &search->job->shape;
    for (int64_t i = begin; i < end; i++, letters += matrix_size(shape)) {
        shape_digits(shape, shape->prefix, i, search->path);
        prefix_read(search, letters);
        if (!search_below(search, shape->prefix))
            return false;
    }
    return true;
}

bool matrices_search(struct search *search, const struct scow_batch *batch)
{
    const struct motif_shape *shape = &search->job->shape;
    const char *package = batch->package, *package_end = package + batch->package_size;
    int64_t before, begin, end;
    matrices_range(shape, batch->package_first, batch->package_count, &before, &end);
    matrices_range(shape, batch->first, batch->count, &begin, &end);
    package += (size_t)(begin - before) * matrix_size(shape);
    return shape->bounded ? prefixes_search(search, package, begin, end)
                          : tuples_search(search, package, package_end, begin, end);
}
