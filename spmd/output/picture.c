#include "spmd/output/picture.h"

#include <stdlib.h>

#include "kernel/type.h"
#include "spmd/layout/grey.h"
#include "spmd/layout/transfer.h"

/* So many numbers stay in a core's own cache between reading and writing. */
enum { PIECE = 1 << 16 };

struct picture {
    struct picture_setup setup;
    char *numbers;   /* owned; PIECE numbers for each thread */
    uint8_t *shades; /* owned; as many */
};

/* What the threads have to do. */
struct filling {
    const struct picture *picture;
    int64_t first, count;
    double least, greatest;
};

struct picture *picture_new(const struct picture_setup *setup)
{
    struct picture *picture = calloc(1, sizeof *picture);
    if (!picture)
        return NULL;
    picture->setup = *setup;
    picture->numbers = malloc((size_t)setup->threads * PIECE * scow_type_size(setup->type));
    picture->shades = malloc((size_t)setup->threads * PIECE);
    if (!picture->numbers || !picture->shades)
        picture_free(&picture);
    return picture;
}

void picture_free(struct picture **picture)
{
    if (!*picture)
        return;
    free((*picture)->numbers);
    free((*picture)->shades);
    free(*picture);
    *picture = NULL;
}

/* Is called by thread `which`. */
static enum picture_outcome piece_fill(const struct filling *filling, int which, int64_t first,
                                       int64_t count)
{
    const struct picture *picture = filling->picture;
    const struct picture_setup *setup = &picture->setup;
    const int64_t size = (int64_t)scow_type_size(setup->type);
    char *numbers = picture->numbers + (int64_t)which * PIECE * size;
    uint8_t *shades = picture->shades + (int64_t)which * PIECE;
    if (!transfer_read(setup->file, numbers, count * size, setup->numbers + first * size))
        return PICTURE_UNREAD;
    grey_fill(shades, setup->type, numbers, count, filling->least, filling->greatest);
    return transfer_write(setup->file, shades, count, setup->shades + first) ? PICTURE_DONE
                                                                             : PICTURE_UNWRITTEN;
}

/* Is called by thread `which` of `threads`, which take pieces in turn. */
static enum picture_outcome pieces_fill(const struct filling *filling, int which, int threads)
{
    enum picture_outcome outcome = PICTURE_DONE;
    for (int64_t at = (int64_t)which * PIECE; outcome == PICTURE_DONE && at < filling->count;
         at += (int64_t)threads * PIECE) {
        const int64_t rest = filling->count - at;
        outcome = piece_fill(filling, which, filling->first + at, rest < PIECE ? rest : PIECE);
    }
    return outcome;
}

enum picture_outcome picture_fill(struct picture *picture, int64_t first, int64_t count,
                                  double least, double greatest)
{
    const struct filling filling = {picture, first, count, least, greatest};
    const int64_t pieces = (count + PIECE - 1) / PIECE;
    const int threads = pieces < picture->setup.threads ? (int)pieces : picture->setup.threads;
    int outcome = PICTURE_DONE;
    if (threads <= 1)
        return pieces_fill(&filling, 0, 1);
#pragma omp parallel for num_threads(threads) schedule(static, 1) default(none)                    \
    shared(filling, threads) reduction(max                                                         \
                                       : outcome)
    for (int which = 0; which < threads; which++)
        outcome = (int)pieces_fill(&filling, which, threads);
    return (enum picture_outcome)outcome;
}
