#include "planner/model/order.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/base/random.h"

/* ---- words --------------------------------------------------------------------------------- */

static const char natural[] = "natural", stride[] = "stride:", random_word[] = "random:";

/* Reads a whole number, and nothing else, of at most 2^53, the limit of numbers in files. */
static bool number_read(const char *word, int64_t least, int64_t most, int64_t *number)
{
    char *end;
    const long long value = strtoll(word, &end, 10);
    *number = value;
    return word[0] >= '0' && word[0] <= '9' && *end == '\0' && value >= least && value <= most;
}

bool order_parse(const char *word, struct order *order)
{
    int64_t seed = 0;
    *order = (struct order){.kind = ORDER_NATURAL, .stride = 1};
    if (strcmp(word, natural) == 0)
        return true;
    if (strncmp(word, stride, sizeof stride - 1) == 0) {
        order->kind = ORDER_STRIDE;
        return number_read(word + sizeof stride - 1, 1, LIMIT_TASKS, &order->stride);
    }
    order->kind = ORDER_RANDOM;
    const bool is = strncmp(word, random_word, sizeof random_word - 1) == 0 &&
                    number_read(word + sizeof random_word - 1, 0, (int64_t)1 << 53, &seed);
    order->seed = (uint64_t)seed;
    return is;
}

void order_print(const struct order *order, char word[ORDER_WORD])
{
    if (order->kind == ORDER_NATURAL)
        snprintf(word, ORDER_WORD, "%s", natural);
    else if (order->kind == ORDER_STRIDE)
        snprintf(word, ORDER_WORD, "%s%" PRId64, stride, order->stride);
    else
        snprintf(word, ORDER_WORD, "%s%" PRIu64, random_word, order->seed);
}

bool order_same(const struct order *one, const struct order *other)
{
    if (!order_differs(one) || !order_differs(other))
        return order_differs(one) == order_differs(other);
    return one->kind == other->kind &&
           (one->kind == ORDER_STRIDE ? one->stride == other->stride : one->seed == other->seed);
}

/* ---- strides ------------------------------------------------------------------------------- */

/* The first `longer` samples have `each` + 1 core tasks, all others `each`. */
struct samples_of {
    int64_t each, longer;
};

static struct samples_of samples_of(const struct order *order)
{
    return (struct samples_of){order->tasks / order->stride, order->tasks % order->stride};
}

/* Which sample the position is in, and where within it. */
static int64_t sample_find(const struct order *order, int64_t position, int64_t *within)
{
    const struct samples_of samples = samples_of(order);
    const int64_t long_ones = samples.longer * (samples.each + 1);
    if (position < long_ones) {
        *within = position % (samples.each + 1);
        return position / (samples.each + 1);
    }
    *within = (position - long_ones) % samples.each;
    return samples.longer + (position - long_ones) / samples.each;
}

static int64_t stride_task(const struct order *order, int64_t position)
{
    int64_t within = 0;
    const int64_t sample = sample_find(order, position, &within);
    return sample + order->stride * within;
}

static int64_t stride_position(const struct order *order, int64_t task)
{
    const struct samples_of samples = samples_of(order);
    const int64_t sample = task % order->stride;
    const int64_t longer = sample < samples.longer ? sample : samples.longer;
    return sample * samples.each + longer + task / order->stride;
}

static int64_t stride_run(const struct order *order, int64_t position, int64_t count)
{
    int64_t within = 0;
    const struct samples_of samples = samples_of(order);
    const int64_t sample = sample_find(order, position, &within);
    const int64_t left = samples.each + (sample < samples.longer) - within;
    return left < count ? left : count;
}

/* ---- random -------------------------------------------------------------------------------- */

/* A permutation that needs no memory and can be inverted: a balanced Feistel network over as many
 * bits as the number of core tasks needs, applied again while its result is not below that number
 * (cycle walking: Black and Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002). */
enum { FEISTEL_ROUNDS = 6 };

static int half_bits(int64_t tasks)
{
    int bits = 1;
    while (bits < 31 && ((int64_t)1 << (2 * bits)) < tasks)
        bits++;
    return bits;
}

static uint64_t round_of(const struct order *order, int round, uint64_t half)
{
    uint64_t state = order->seed + (uint64_t)round;
    state = random_bits(&state) ^ half;
    return random_bits(&state);
}

static int64_t network(const struct order *order, int64_t value, bool backwards)
{
    const int bits = half_bits(order->tasks);
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    uint64_t left = (uint64_t)value >> bits, right = (uint64_t)value & mask;
    for (int k = 0; k < FEISTEL_ROUNDS; k++) {
        const uint64_t before = left;
        if (backwards) {
            left = right ^ (round_of(order, FEISTEL_ROUNDS - 1 - k, left) & mask);
            right = before;
        } else {
            left = right;
            right = before ^ (round_of(order, k, right) & mask);
        }
    }
    return (int64_t)(left << bits | right);
}

static int64_t walk(const struct order *order, int64_t value, bool backwards)
{
    do
        value = network(order, value, backwards);
    while (value >= order->tasks);
    return value;
}

/* ---- any ----------------------------------------------------------------------------------- */

int64_t order_task(const struct order *order, int64_t position)
{
    if (!order_differs(order))
        return position;
    return order->kind == ORDER_STRIDE ? stride_task(order, position)
                                       : walk(order, position, false);
}

int64_t order_position(const struct order *order, int64_t task)
{
    if (!order_differs(order))
        return task;
    return order->kind == ORDER_STRIDE ? stride_position(order, task) : walk(order, task, true);
}

int64_t order_run(const struct order *order, int64_t position, int64_t count, int64_t *step)
{
    *step = order->kind == ORDER_STRIDE ? order->stride : 1;
    if (!order_differs(order))
        return count;
    return order->kind == ORDER_STRIDE ? stride_run(order, position, count) : 1;
}

/* ---- choosing ------------------------------------------------------------------------------ */

double order_deviation(const struct order *order, const double *costs, int64_t package)
{
    const int64_t packages = order->tasks / package;
    double sum = 0, squares = 0;
    for (int64_t k = 0; k < packages; k++) {
        double cost = 0;
        for (int64_t at = k * package; at < (k + 1) * package; at++)
            cost += costs[order_task(order, at)];
        sum += cost;
        squares += cost * cost;
    }
    if (packages == 0 || !(sum > 0))
        return 0;
    const double mean = sum / (double)packages;
    return sqrt(fmax(0, squares / (double)packages - mean * mean)) / mean;
}

struct order order_choose(const double *costs, int64_t tasks, int64_t package)
{
    static const double little = 0.02, gain = 0.5;
    const int64_t strides[] = {2, 4, 8, 16, (tasks + package - 1) / package};
    struct order best = {.kind = ORDER_NATURAL, .tasks = tasks, .stride = 1};
    const double usual = order_deviation(&best, costs, package);
    double least = gain * usual;
    for (size_t k = 0; usual > little && k < sizeof strides / sizeof *strides; k++) {
        const struct order order = {.kind = ORDER_STRIDE,
                                    .tasks = tasks,
                                    .stride = strides[k] < tasks ? strides[k] : tasks};
        const double deviation = order_deviation(&order, costs, package);
        if (deviation < least) {
            least = deviation;
            best = order;
        }
    }
    return best;
}
