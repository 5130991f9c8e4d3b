#include "kernel/motif/shape.h"

#include "kernel/motif/tail.h"

/* What grain and prefix are chosen for: the ledger has a byte for every core task. */
enum { TASKS_CHOSEN_MOST = 1 << 26, PREFIXES_CHOSEN_MOST = 1 << 20 };

int64_t shape_letters(const struct motif_shape *shape, int sequence)
{
    return shape->starts[sequence] + shape->length - 1;
}

int64_t shape_product(const struct motif_shape *shape, int first, int end)
{
    int64_t product = 1;
    for (int i = first; i < end; i++) {
        if (product > TUPLES_MOST / shape->starts[i])
            return TUPLES_MOST + 1;
        product *= shape->starts[i];
    }
    return product;
}

/* The first sequence at which [0, end) have too many. */
static int product_passes(const struct motif_shape *shape, int end)
{
    int i = 0;
    while (i < end && shape_product(shape, 0, i + 1) <= TUPLES_MOST)
        i++;
    return i < end ? i : shape->sequences;
}

static int64_t up(int64_t number, int64_t divisor)
{
    return number / divisor + (number % divisor != 0);
}

static int cut_tuples(struct motif_shape *shape, int64_t grain)
{
    shape->prefix = shape->heads;
    if (shape->tuples > TUPLES_MOST)
        return product_passes(shape, shape->sequences);
    shape->grain = grain > 0 ? grain : up(shape->tuples, TASKS_CHOSEN_MOST);
    shape->tasks = up(shape->tuples, shape->grain);
    return shape->sequences;
}

/* By half of the sequences, as long as they do not make too many core tasks. */
static int prefix_chosen(const struct motif_shape *shape)
{
    int prefix = shape->sequences / 2;
    if (prefix > shape->heads)
        prefix = shape->heads;
    while (prefix > 1 && shape_product(shape, 0, prefix) > PREFIXES_CHOSEN_MOST)
        prefix--;
    return prefix;
}

/* The longest below which there are still `grain` tuples. */
static int prefix_wanted(const struct motif_shape *shape, int64_t grain)
{
    int prefix = shape->heads;
    while (prefix > 0 && shape_product(shape, prefix, shape->sequences) < grain)
        prefix--;
    return prefix;
}

static int cut_prefixes(struct motif_shape *shape, int64_t grain)
{
    shape->prefix = grain > 0 ? prefix_wanted(shape, grain) : prefix_chosen(shape);
    shape->grain = 0;
    shape->shipped = shape->shipped && shape->prefix > 0;
    shape->tasks = shape_product(shape, 0, shape->prefix);
    return product_passes(shape, shape->prefix);
}

int shape_cut(struct motif_shape *shape, int64_t grain)
{
    const int tail = tail_sequences(shape->length, shape->sequences, shape->starts);
    shape->heads = shape->sequences - tail;
    shape->block = shape_product(shape, shape->heads, shape->sequences);
    shape->tuples = shape_product(shape, 0, shape->sequences);
    return shape->bounded ? cut_prefixes(shape, grain) : cut_tuples(shape, grain);
}

void shape_range(const struct motif_shape *shape, int64_t first, int64_t count, int64_t *begin,
                 int64_t *end)
{
    /* Only the last core task can have fewer tuples than the grain. */
    *begin = first * shape->grain;
    *end = first + count == shape->tasks ? shape->tuples : (first + count) * shape->grain;
}

void shape_digits(const struct motif_shape *shape, int sequences, int64_t index, uint32_t *start)
{
    for (int i = sequences - 1; i >= 0; i--) {
        start[i] = (uint32_t)(index % shape->starts[i]);
        index /= shape->starts[i];
    }
}
