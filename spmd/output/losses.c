#include "spmd/output/losses.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "planner/base/own.h"
#include "planner/dispatch/dispatch.h"
#include "spmd/layout/task_digest.h"
#include "spmd/layout/transfer.h"

/* ---- rows ---------------------------------------------------------------------------------- */

void losses_open(struct losses *losses, const char *path, const struct output_places *places,
                 int rank, int64_t count)
{
    *losses = (struct losses){.file = -1, .rank = rank, .places = *places, .count = count};
    if (places->in_flight > 0 && places->lost > 0)
        losses->file = own_open(path, O_RDWR);
}

void losses_close(struct losses *losses)
{
    if (losses->file >= 0)
        close(losses->file);
    losses->file = -1;
}

/* Negative: that rank has no row. */
static off_t row_place(const struct losses *losses, int rank)
{
    const bool there = losses && losses->file >= 0 && rank < losses->places.in_flight_rows;
    return there ? losses->places.in_flight + rank * (off_t)sizeof(struct losses_in_flight) : -1;
}

static void row_write(const struct losses *losses, int rank, const struct losses_in_flight *row)
{
    const off_t place = row_place(losses, rank);
    if (place >= 0 && pwrite(losses->file, row, sizeof *row, place) < 0)
        return; /* then the oldest unreported package is taken instead */
}

void losses_begin_of(struct losses *losses, int rank, int64_t first, int64_t count)
{
    const struct losses_in_flight row = {.first = first, .count = count};
    row_write(losses, rank, &row);
}

void losses_begin(struct losses *losses, int64_t first, int64_t count)
{
    if (losses)
        losses_begin_of(losses, losses->rank, first, count);
}

void losses_asked(struct losses *losses)
{
    const struct losses_in_flight row = {.asked = 1};
    row_write(losses, 0, &row);
}

bool losses_of(struct losses *losses, int rank, struct losses_in_flight *row)
{
    const struct losses_in_flight nothing = {.count = 0};
    const off_t place = row_place(losses, rank);
    *row = nothing;
    if (place < 0 || pread(losses->file, row, sizeof *row, place) != (ssize_t)sizeof *row)
        return false;
    row_write(losses, rank, &nothing);
    return row->count > 0;
}

int64_t losses_signal_place(const struct losses *losses, int rank)
{
    const off_t place = row_place(losses, rank);
    return place >= 0 ? place + (off_t)offsetof(struct losses_in_flight, signal) : -1;
}

void losses_add(struct losses *losses, const struct losses_row *row)
{
    if (!losses || losses->file < 0 || losses->count >= LOSSES_MOST)
        return;
    const off_t place = losses->places.lost + losses->count * (off_t)sizeof *row;
    if (pwrite(losses->file, row, sizeof *row, place) == (ssize_t)sizeof *row)
        losses->count += losses->stride > 0 ? losses->stride : 1;
}

bool losses_give_up(const struct losses *losses, const struct losses_row *row, int64_t task)
{
    const uint8_t failed = 2;
    return !losses || losses->file < 0 ||
           (losses_given_up_write(losses->file, &losses->places, row, task) &&
            transfer_write(losses->file, &failed, 1, losses->places.ledger + task));
}

/* ---- in words ------------------------------------------------------------------------------ */

const char *losses_cause(int32_t signal)
{
    switch (signal) {
    case SIGSEGV:
        return "segmentation fault";
    case SIGBUS:
        return "bus error";
    case SIGFPE:
        return "arithmetic error";
    case SIGILL:
        return "illegal instruction";
    case SIGABRT:
        return "abort";
    default:
        return "killed, or silent";
    }
}

void losses_tell(const struct losses_row *row, char *why, size_t size)
{
    snprintf(why, size, "%d workers were lost on it; the last one: %s", row->losses,
             losses_cause(row->signal));
}

/* Writes as much as the file has room for, followed by zeros. */
static bool reason_write(int file, const struct output_places *places, const struct losses_row *row,
                         int64_t task)
{
    char why[128] = "", words[sizeof why];
    const size_t room = (size_t)places->reason_size;
    losses_tell(row, words, sizeof words);
    memcpy(why, words, strnlen(words, room < sizeof why ? room : sizeof why));
    return places->reasons <= 0 || room > sizeof why ||
           transfer_write(file, why, places->reason_size,
                          places->reasons + task * places->reason_size);
}

bool losses_given_up_write(int file, const struct output_places *places,
                           const struct losses_row *row, int64_t task)
{
    const uint64_t digest = task_digest_given_up(task);
    const int64_t place = places->digests + task * (int64_t)sizeof digest;
    return reason_write(file, places, row, task) &&
           (places->digests == 0 || transfer_write(file, &digest, sizeof digest, place));
}

/* ---- going on ------------------------------------------------------------------------------ */

static bool row_makes_sense(const struct losses_known *known, int64_t first, int64_t count)
{
    return first >= 0 && count > 0 && first <= known->tasks - count;
}

/* How many workers were lost on that row's core tasks, not counting this row. */
static int losses_before(const struct losses_known *known, int64_t first, int64_t count)
{
    int most = 0;
    for (int64_t k = 0; k < known->count; k++) {
        const struct losses_row *row = &known->rows[k];
        if (row->first <= first && row->first + row->count >= first + count && row->losses > most)
            most = row->losses;
    }
    return most;
}

/* Does it have core tasks that are not done? */
static bool is_left(const struct losses_known *known, const struct losses_in_flight *row)
{
    bool left = false;
    for (int64_t k = 0; row_makes_sense(known, row->first, row->count) && k < row->count; k++)
        left = left || known->ledger[row->first + k] == 0;
    return left;
}

/* Where no signal was noted, a batch system or a user may have killed all ranks. Then the same core
 * task twice can be chance, and often is, where runs are killed near their end with few core tasks
 * left. So it takes one loss more. */
static bool is_last_of(const struct losses_known *known, const struct losses_in_flight *row,
                       bool noted)
{
    const int most = noted ? DISPATCH_LOSSES_MOST : DISPATCH_LOSSES_MOST + 1;
    return row->count == 1 && losses_before(known, row->first, 1) + 1 >= most;
}

/* Was it the cause, as far as that can be said? */
static bool is_suspect(const struct losses_known *known, int64_t rank, bool noted)
{
    const struct losses_in_flight *row = &known->in_flight[rank];
    const bool counts = noted ? row->signal != 0 : !known->in_flight[0].asked;
    return counts && is_left(known, row);
}

static void rows_clean(struct losses_known *known)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < known->count; k++)
        if (row_makes_sense(known, known->rows[k].first, known->rows[k].count))
            known->rows[kept++] = known->rows[k];
    known->count = kept;
}

void losses_forget(struct losses_known *known)
{
    rows_clean(known);
    for (int64_t k = 0; k < known->count; k++)
        if (known->rows[k].given_up)
            known->ledger[known->rows[k].first] = 0;
    known->count = known->in_flight_count = 0;
}

void losses_resolve(struct losses_known *known)
{
    int64_t last = 0;
    bool noted = false;
    rows_clean(known);
    for (int64_t rank = 0; rank < known->in_flight_count; rank++)
        noted = noted || is_suspect(known, rank, true);
    for (int64_t rank = 0; rank < known->in_flight_count; rank++)
        last += is_suspect(known, rank, noted) && is_last_of(known, &known->in_flight[rank], noted);
    for (int64_t rank = 0; rank < known->in_flight_count; rank++) {
        const struct losses_in_flight *row = &known->in_flight[rank];
        if (!is_suspect(known, rank, noted))
            continue;
        const bool given_up = is_last_of(known, row, noted) && (noted || last == 1);
        known->rows[known->count++] =
            (struct losses_row){.first = row->first,
                                .count = row->count,
                                .losses = losses_before(known, row->first, row->count) + 1,
                                .signal = row->signal,
                                .given_up = given_up};
        if (given_up)
            known->ledger[row->first] = 2;
    }
}
