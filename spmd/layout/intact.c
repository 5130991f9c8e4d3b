#include "spmd/layout/intact.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/type.h"
#include "planner/base/array.h"
#include "spmd/layout/grey.h"
#include "spmd/layout/layout.h"
#include "spmd/layout/task_digest.h"
#include "spmd/layout/transfer.h"

/* How many bytes and core tasks are read at a time, and how many numbers of a picture. */
enum { BATCH_BYTES = 1 << 18, BATCH_MOST = 4096, PIECE = 1 << 16 };

struct reading {
    const struct intact_subject *subject;
    int file;
    int64_t batch;   /* core tasks at a time */
    uint8_t *ledger; /* owned, like all that follow; of a batch */
    uint64_t *digests;
    char *records;
    struct layout_emitted *index;
    char *box; /* of one core task */
    size_t box_room;
};

/* ---- damage -------------------------------------------------------------------------------- */

bool intact_damage_add(struct intact_damage *damage, struct task_range range)
{
    struct task_range *last = damage->count > 0 ? &damage->ranges[damage->count - 1] : NULL;
    damage->tasks += range.count;
    if (last && last->first + last->count == range.first) {
        last->count += range.count;
        return true;
    }
    struct task_range *ranges =
        array_reserve(damage->ranges, &damage->capacity, (size_t)damage->count + 1, sizeof *ranges);
    if (!ranges)
        return false;
    damage->ranges = ranges;
    ranges[damage->count++] = range;
    return true;
}

void intact_damage_tell(const struct intact_damage *damage, struct text *text)
{
    enum { TOLD = 8 };
    int64_t told = 0;
    for (int64_t k = 0; k < damage->count && k < TOLD; k++) {
        const struct task_range *range = &damage->ranges[k];
        text_add(text, "%s%" PRId64, k > 0 ? ", " : "", range->first + 1);
        if (range->count > 1)
            text_add(text, " to %" PRId64, range->first + range->count);
        told += range->count;
    }
    if (told < damage->tasks)
        text_add(text, " and %" PRId64 " others", damage->tasks - told);
}

void intact_damage_release(struct intact_damage *damage)
{
    free(damage->ranges);
    *damage = (struct intact_damage){.count = 0};
}

/* ---- one core task ------------------------------------------------------------------------- */

static bool box_reserve(struct reading *reading, size_t size)
{
    if (size <= reading->box_room)
        return true;
    free(reading->box);
    reading->box = malloc(size);
    reading->box_room = reading->box ? size : 0;
    return reading->box != NULL;
}

/* Reads the box row by row; rows as wide as the grid are read together. */
static bool box_read(const struct reading *reading, const int64_t start[3], const int64_t count[3])
{
    const struct intact_subject *subject = reading->subject;
    const int64_t *extent = subject->extent;
    const int64_t size = (int64_t)scow_type_size(subject->number_type);
    const bool whole = count[2] == extent[2];
    const int64_t rows = whole ? 1 : count[1], bytes = size * count[2] * (whole ? count[1] : 1);
    char *to = reading->box;
    for (int64_t z = 0; z < count[0]; z++)
        for (int64_t y = 0; y < rows; y++, to += bytes) {
            const int64_t row = (start[0] + z) * extent[1] + start[1] + y;
            if (!transfer_read(reading->file, to, bytes,
                               subject->places.response + (row * extent[2] + start[2]) * size))
                return false;
        }
    return true;
}

/* False: it cannot be read. */
static bool grid_add(struct reading *reading, int64_t task, uint64_t *digest)
{
    const struct intact_subject *subject = reading->subject;
    int64_t start[3], count[3];
    if (!subject->box(subject->self, task, start, count))
        return false;
    const size_t size =
        (size_t)(count[0] * count[1] * count[2]) * scow_type_size(subject->number_type);
    if (!box_reserve(reading, size) || !box_read(reading, start, count))
        return false;
    *digest = task_digest_add(*digest, reading->box, size);
    return true;
}

/* `before` is the digest of all else. */
static bool emitted_compare(const struct reading *reading, int64_t k, uint64_t before)
{
    struct emitted *emitted = reading->subject->emitted;
    const struct layout_emitted *row = &reading->index[k];
    uint64_t digest = before, older = task_digest_add(before, row, sizeof *row);
    return emitted_digest(emitted, row, &digest) &&
           (digest == reading->digests[k] ||
            (emitted_digest(emitted, row, &older) && older == reading->digests[k]));
}

/* Does the file hold what was written of core task `k` of the batch that begins at `first`? */
static bool task_compare(struct reading *reading, int64_t first, int64_t k)
{
    const struct intact_subject *subject = reading->subject;
    const int64_t task = first + k;
    const int mark = reading->ledger[k];
    if (mark == 2 && reading->digests[k] == task_digest_given_up(task))
        return true;
    uint64_t digest = task_digest_begin(task, mark);
    if (subject->number_type != SCOW_NONE && mark == 1 && !grid_add(reading, task, &digest))
        return false;
    if (subject->record_size > 0)
        digest = task_digest_add(digest, reading->records + (size_t)k * subject->record_size,
                                 subject->record_size);
    return subject->emitted ? emitted_compare(reading, k, digest) : digest == reading->digests[k];
}

static bool task_is_intact(struct reading *reading, int64_t first, int64_t k)
{
    const struct intact_subject *subject = reading->subject;
    if (reading->ledger[k] == 0)
        return true;
    if (subject->contents)
        return task_compare(reading, first, k);
    return !subject->emitted || emitted_is_within(subject->emitted, &reading->index[k]);
}

/* ---- all ----------------------------------------------------------------------------------- */

static bool unreadable(const struct intact_subject *subject, struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED, "%s: cannot be read to its end: check the disk",
                       subject->path);
}

/* Reads rows of a data set, if the file has it. */
static bool rows_read(const struct reading *reading, void *rows, size_t size, int64_t place,
                      int64_t first, int64_t count)
{
    return !rows ||
           transfer_read(reading->file, rows, count * (int64_t)size, place + first * (int64_t)size);
}

static bool batch_compare(struct reading *reading, int64_t first, int64_t count,
                          struct intact_damage *damage, struct failure *failure)
{
    const struct intact_subject *subject = reading->subject;
    const struct output_places *places = &subject->places;
    if (!rows_read(reading, reading->ledger, 1, places->ledger, first, count) ||
        !rows_read(reading, reading->digests, 8, places->digests, first, count) ||
        !rows_read(reading, reading->records, subject->record_size, places->records, first,
                   count) ||
        !rows_read(reading, reading->index, sizeof *reading->index, places->emitted, first, count))
        return unreadable(subject, failure);
    for (int64_t k = 0; k < count; k++)
        if (!task_is_intact(reading, first, k) &&
            !intact_damage_add(damage, (struct task_range){first + k, 1}))
            return failure_memory(failure, "comparing results with their digests");
    return true;
}

static bool reading_init(struct reading *reading, struct failure *failure)
{
    const struct intact_subject *subject = reading->subject;
    const size_t fit = BATCH_BYTES / (subject->record_size + sizeof *reading->index + 9);
    const size_t batch = fit < 1 ? 1 : fit > BATCH_MOST ? BATCH_MOST : fit;
    const bool records = subject->contents && subject->record_size > 0;
    reading->batch = (int64_t)batch;
    reading->ledger = malloc(batch);
    reading->digests = subject->contents ? malloc(batch * sizeof *reading->digests) : NULL;
    reading->records = records ? malloc(batch * subject->record_size) : NULL;
    reading->index = subject->emitted ? malloc(batch * sizeof *reading->index) : NULL;
    if (!reading->ledger || (subject->contents && !reading->digests) ||
        (records && !reading->records) || (subject->emitted && !reading->index))
        return failure_memory(failure, "comparing results with their digests");
    reading->file = open(subject->path, O_RDONLY | O_CLOEXEC);
    return reading->file >= 0 || unreadable(subject, failure);
}

bool intact_compare(const struct intact_subject *subject, int64_t first, int64_t count,
                    struct intact_damage *damage, struct failure *failure)
{
    struct reading reading = {.subject = subject, .file = -1};
    if (!subject->contents && !subject->emitted)
        return true;
    bool good = reading_init(&reading, failure);
    for (int64_t at = 0; good && at < count; at += reading.batch) {
        const int64_t rest = count - at;
        good = batch_compare(&reading, first + at, rest < reading.batch ? rest : reading.batch,
                             damage, failure);
    }
    if (reading.file >= 0)
        close(reading.file);
    free(reading.ledger);
    free(reading.digests);
    free(reading.records);
    free(reading.index);
    free(reading.box);
    return good;
}

/* ---- pictures ------------------------------------------------------------------------------ */

struct shading {
    int file;
    char *numbers;           /* owned; PIECE numbers */
    uint8_t *shades, *there; /* owned; PIECE of each */
};

static bool piece_compare(const struct shading *shading, const struct intact_subject *subject,
                          int64_t first, int64_t count, double least, double greatest)
{
    const int64_t size = (int64_t)scow_type_size(subject->number_type);
    if (!transfer_read(shading->file, shading->numbers, count * size,
                       subject->places.response + first * size) ||
        !transfer_read(shading->file, shading->there, count, subject->places.normalized + first))
        return false;
    grey_fill(shading->shades, subject->number_type, shading->numbers, count, least, greatest);
    return memcmp(shading->shades, shading->there, (size_t)count) == 0;
}

bool intact_picture(const struct intact_subject *subject, int64_t first, int64_t count,
                    double least, double greatest)
{
    const struct shading shading = {.file = open(subject->path, O_RDONLY | O_CLOEXEC),
                                    .numbers = malloc(PIECE * scow_type_size(subject->number_type)),
                                    .shades = malloc(PIECE),
                                    .there = malloc(PIECE)};
    bool same = shading.file >= 0 && shading.numbers && shading.shades && shading.there;
    for (int64_t at = 0; same && at < count; at += PIECE) {
        const int64_t rest = count - at;
        same = piece_compare(&shading, subject, first + at, rest < PIECE ? rest : PIECE, least,
                             greatest);
    }
    if (shading.file >= 0)
        close(shading.file);
    free(shading.numbers);
    free(shading.shades);
    free(shading.there);
    return same;
}
