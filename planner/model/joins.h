/*
 * Workers that come and go: when each is there.
 */
#ifndef PLANNER_MODEL_JOINS_H
#define PLANNER_MODEL_JOINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From when on a worker is there, and until when: what it has not done by then others do. */
struct joins_span {
    int64_t worker;
    double from_s, until_s; /* 0 <= from_s < until_s; HUGE_VAL: to the end */
};

struct joins_change {
    double at_s;
    int64_t worker;
    bool joins; /* else it leaves */
};

/* All zero: everybody is there all the time. */
struct joins {
    struct joins_span *spans; /* owned; by worker, each at most once */
    size_t span_count;
    struct joins_change *changes; /* owned; in the order of time, those at the same time by
                                   * worker; after joins_settle */
    size_t change_count;
};

/* Sorts the spans. False: two are of the same worker, *worker. */
bool joins_sort(struct joins *joins, int64_t *worker);
/* Of sorted spans and so many workers, those without a span there all the time: fills in the
 * changes. False: out of memory. */
bool joins_settle(struct joins *joins, int64_t workers);
/* Until when that worker is there; HUGE_VAL: to the end. */
double joins_until(const struct joins *joins, int64_t worker);
void joins_release(struct joins *joins);

#endif
