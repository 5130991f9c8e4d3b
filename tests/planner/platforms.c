#include "tests/planner/platforms.h"

#include <math.h>
#include <stdlib.h>

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

struct platform platform_of_equals(int64_t count, int64_t least, int64_t greatest,
                                   struct cost master, struct cost link, struct cost work)
{
    struct platform platform = {
        .windows = must(calloc(1, sizeof(struct platform_window))),
        .window_count = 1,
        .worker_count = count,
        .buffers = PLATFORM_BUFFERS,
    };
    platform.windows[0] = (struct platform_window){
        .least = least,
        .greatest = greatest,
        .envelope = master,
        .classes = must(calloc(1, sizeof(struct platform_class))),
        .class_count = 1,
    };
    platform.windows[0].classes[0] =
        (struct platform_class){.first = 0, .count = count, .link = link, .compute = work};
    return platform;
}

static struct cost cost_times(struct cost cost, double factor)
{
    return (struct cost){cost.latency_s * factor, cost.s_per_task * factor};
}

void platform_add_window(struct platform *platform, int64_t least, int64_t greatest, double factor)
{
    platform->windows = must(realloc(platform->windows, (size_t)(platform->window_count + 1) *
                                                            sizeof *platform->windows));
    const struct platform_window *first = &platform->windows[0];
    struct platform_window *added = &platform->windows[platform->window_count++];
    *added = (struct platform_window){
        .least = least,
        .greatest = greatest,
        .envelope = cost_times(first->envelope, factor),
        .send = cost_times(first->send, factor),
        .classes = must(calloc((size_t)first->class_count, sizeof(struct platform_class))),
        .class_count = first->class_count,
    };
    for (int64_t c = 0; c < first->class_count; c++) {
        added->classes[c] = first->classes[c];
        added->classes[c].link = cost_times(first->classes[c].link, factor);
        added->classes[c].receive = cost_times(first->classes[c].receive, factor);
        added->classes[c].compute = cost_times(first->classes[c].compute, factor);
        added->classes[c].output = cost_times(first->classes[c].output, factor);
    }
}

struct dice dice_of(uint64_t seed)
{
    return (struct dice){seed * 0xD1342543DE82EF95u + 0x2545F4914F6CDD1Du};
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t dice_bits(struct dice *dice)
{
    uint64_t z = dice->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double dice_roll(struct dice *dice)
{
    return (double)(dice_bits(dice) >> 11) * 0x1p-53;
}

int64_t dice_between(struct dice *dice, int64_t low, int64_t high)
{
    return low + (int64_t)(dice_roll(dice) * (double)(high - low + 1));
}

double dice_scale(struct dice *dice, double low, double high)
{
    return low * pow(high / low, dice_roll(dice));
}

static struct cost cost_random(struct dice *dice, double rate)
{
    const bool no_latency = dice_roll(dice) < 0.2;
    return (struct cost){no_latency ? 0 : dice_scale(dice, 1e-6, 1), rate};
}

static int64_t classes_random(struct dice *dice, struct platform_window *window,
                              int64_t worker_most, double link, double work)
{
    const int64_t workers = (int64_t)dice_scale(dice, 1, (double)worker_most);
    int64_t first = 0;
    window->classes = must(calloc((size_t)workers, sizeof *window->classes));
    while (first < workers) {
        const int64_t count = dice_between(dice, 1, workers - first);
        window->classes[window->class_count++] = (struct platform_class){
            .first = first,
            .count = count,
            .link = cost_random(dice, dice_scale(dice, link / 3, link * 3)),
            .receive = cost_random(dice, dice_roll(dice) < 0.3 ? 0 : work / 50),
            .compute = cost_random(dice, dice_scale(dice, work / 3, work * 3)),
            .output = dice_roll(dice) < 0.5 ? (struct cost){0, 0} : cost_random(dice, work / 20),
        };
        first += count;
    }
    return workers;
}

/* A latency that is negative where the window does not reach down to where the cost would be. */
static void cost_sink(struct dice *dice, const struct platform_window *window, struct cost *cost)
{
    const double roll = dice_roll(dice), least = (double)window->least;
    if (roll < 0.3 && least > 2)
        cost->latency_s = -3 * roll * cost->s_per_task * (least - 1);
}

static void window_sink(struct dice *dice, struct platform_window *window)
{
    cost_sink(dice, window, &window->envelope);
    for (int64_t c = 0; c < window->class_count; c++) {
        cost_sink(dice, window, &window->classes[c].link);
        cost_sink(dice, window, &window->classes[c].compute);
    }
}

struct platform platform_random(struct dice *dice, int64_t worker_most)
{
    struct platform platform = {
        .windows = must(calloc(1, sizeof(struct platform_window))),
        .window_count = 1,
        .buffers = PLATFORM_BUFFERS,
    };
    struct platform_window *window = &platform.windows[0];
    const int64_t least = dice_roll(dice) < 0.6 ? 1 : dice_between(dice, 2, 20);
    *window = (struct platform_window){
        .least = least,
        .greatest = least * dice_between(dice, 1, 500),
        .envelope = cost_random(dice, dice_scale(dice, 1e-6, 1)),
        .send = cost_random(dice, 0),
    };
    platform.worker_count = classes_random(dice, window, worker_most, dice_scale(dice, 1e-6, 1),
                                           dice_scale(dice, 1e-6, 1));
    for (int64_t more = dice_between(dice, 0, 2); more > 0; more--) {
        const int64_t last = platform.windows[platform.window_count - 1].greatest;
        const int64_t next = last + dice_between(dice, 1, 50);
        platform_add_window(&platform, next, next * dice_between(dice, 1, 20),
                            dice_scale(dice, 0.5, 2));
    }
    for (int64_t k = 0; k < platform.window_count; k++)
        window_sink(dice, &platform.windows[k]);
    return platform;
}

struct platform platform_cluster(struct dice *dice, int64_t workers)
{
    const double work = dice_scale(dice, 1e-4, 1e-1);
    const double feed = work / ((double)workers * dice_scale(dice, 0.5, 2));
    const double latency = work * dice_scale(dice, 0.1, 10);
    struct platform platform =
        platform_of_equals(workers, 1, INT64_C(1) << 40,
                           (struct cost){0.01 * latency, dice_scale(dice, 0.05, 1) * feed},
                           (struct cost){0, 0}, (struct cost){0, 0});
    struct platform_window *window = &platform.windows[0];
    window->classes = must(realloc(window->classes, (size_t)workers * sizeof *window->classes));
    window->class_count = workers;
    for (int64_t i = 0; i < workers; i++)
        window->classes[i] = (struct platform_class){
            .first = i,
            .count = 1,
            .link = {latency * dice_scale(dice, 0.5, 2), feed * dice_scale(dice, 0.5, 2)},
            .receive = {0.1 * latency, 0.02 * work},
            .compute = {latency * dice_scale(dice, 0.5, 2), work * dice_scale(dice, 0.4, 2.5)},
        };
    return platform;
}

struct platform platform_split(int64_t each, double slow_link, double work)
{
    struct platform platform =
        platform_of_equals(2 * each, 1, 100000, (struct cost){0.1, 0.5}, (struct cost){0.1, 0.1},
                           (struct cost){0.1, work});
    struct platform_window *window = &platform.windows[0];
    window->send = window->envelope;
    window->classes = must(realloc(window->classes, 2 * sizeof *window->classes));
    window->class_count = 2;
    window->classes[0].count = each;
    window->classes[0].receive = (struct cost){0.1, 0};
    window->classes[1] = window->classes[0];
    window->classes[1].first = each;
    window->classes[1].link.s_per_task = slow_link;
    return platform;
}

struct platform platform_mixed(struct dice *dice, int64_t workers)
{
    const double work = (double)workers * dice_scale(dice, 0.2, 3);
    struct platform platform =
        platform_of_equals(workers, 1, 100000, (struct cost){dice_scale(dice, 0.02, 0.3), 0.5},
                           (struct cost){0, 0}, (struct cost){0, 0});
    struct platform_window *window = &platform.windows[0];
    window->send = (struct cost){0, 0.5};
    window->classes = must(realloc(window->classes, (size_t)workers * sizeof *window->classes));
    window->class_count = workers;
    for (int64_t i = 0; i < workers; i++) {
        const double link = i % 2 == 0 ? dice_scale(dice, 0.05, 0.5) : dice_scale(dice, 1.2, 2.5);
        window->classes[i] = (struct platform_class){
            .first = i,
            .count = 1,
            .link = {dice_scale(dice, 0.02, 0.3), link},
            .receive = {0.1, 0},
            .compute = {0.1, dice_scale(dice, 0.5, 2) * work},
        };
    }
    return platform;
}

/* By the largest packages, as platform_init does. */
static enum platform_holds holds_of(const struct platform *platform, int64_t worker)
{
    const struct platform_window *largest = &platform->windows[platform->window_count - 1];
    const struct platform_class *class = platform_worker(largest, worker);
    const double most = (double)largest->greatest;
    const double work_s = cost_of(class->receive, most) + cost_of(class->compute, most);
    return cost_of(class->output, most) > work_s ? PLATFORM_HOLDS_OUTPUT : PLATFORM_HOLDS_COMPUTE;
}

void platform_starts(struct dice *dice, struct platform *platform, double most_s)
{
    const bool alike = dice_roll(dice) < 0.3;
    double start_s = most_s * dice_roll(dice);
    for (int64_t c = 0; c < platform->windows[0].class_count; c++) {
        if (!alike)
            start_s = dice_roll(dice) < 0.2 ? 0 : most_s * dice_roll(dice);
        for (int64_t w = 0; w < platform->window_count; w++)
            platform->windows[w].classes[c].start_s = start_s;
    }
}

void platform_write_behind(struct dice *dice, struct platform *platform, double share_most)
{
    platform->write_behind = true;
    for (int64_t c = 0; c < platform->windows[0].class_count; c++) {
        const double share = dice_scale(dice, 0.03, share_most);
        for (int64_t w = 0; w < platform->window_count; w++) {
            struct platform_class *class = &platform->windows[w].classes[c];
            class->output = cost_times(class->compute, share);
        }
    }
    for (int64_t w = 0; w < platform->window_count; w++)
        for (int64_t c = 0; c < platform->windows[w].class_count; c++) {
            struct platform_class *class = &platform->windows[w].classes[c];
            class->holds = holds_of(platform, class->first);
        }
}
