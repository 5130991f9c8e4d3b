/*
 * The loop that scow and a peer share: tasks of 50 microseconds, all alike or a tenth of them ten
 * times as heavy, which spin or sleep.
 */
#ifndef BENCH_EXECUTOR_LOOP_H
#define BENCH_EXECUTOR_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum loop_shape { LOOP_EQUAL, LOOP_SCATTERED, LOOP_LAST };

static const double loop_task_s = 50e-6;

static inline bool loop_is_heavy(int64_t task, int64_t tasks, enum loop_shape shape)
{
    uint64_t z = (uint64_t)task + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    if (shape == LOOP_SCATTERED)
        return z % 10 == 0;
    return shape == LOOP_LAST && task >= tasks - tasks / 10;
}

static inline double loop_seconds(int64_t task, int64_t tasks, enum loop_shape shape)
{
    return loop_task_s * (loop_is_heavy(task, tasks, shape) ? 10 : 1);
}

static inline double loop_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Until then. A nap ends some 50 us late: nobody naps for what is about as long. */
static inline void loop_until(double end_s, bool sleeps)
{
    for (;;) {
        const double left_s = end_s - loop_now();
        if (left_s <= 0)
            return;
        if (sleeps && left_s > 1e-4) {
            const struct timespec nap = {0, (long)((left_s - 6e-5) * 1e9)};
            nanosleep(&nap, NULL);
        }
    }
}

#endif
