/*
 * In which order a run takes the core tasks of its job: packages are of consecutive positions, and
 * this is the one place that says which core task stands where. Where costs vary slowly along a
 * job, packages that take every R-th core task cost nearly the same: order by sampling, of Xu and
 * Chronopoulos, "A simple and efficient scheduling approach for heterogeneous clusters" (section
 * 4.2), in which first come the core tasks i with i mod R = 0, then those with 1, and so on.
 */
#ifndef PLANNER_MODEL_ORDER_H
#define PLANNER_MODEL_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum order_kind { ORDER_NATURAL, ORDER_STRIDE, ORDER_RANDOM };

struct order {
    enum order_kind kind;
    int64_t tasks;  /* of the job; 0: not known yet */
    int64_t stride; /* of ORDER_STRIDE: R, >= 1 */
    uint64_t seed;  /* of ORDER_RANDOM */
};

/* The parameter of profiles and plans. */
#define ORDER_PARAMETER "order"
/* "stride:" or "random:", a number and a zero. */
enum { ORDER_WORD = 40 };

/* "natural", "stride:R" or "random:SEED". False: it is neither. */
bool order_parse(const char *word, struct order *order);
void order_print(const struct order *order, char word[ORDER_WORD]);
bool order_same(const struct order *one, const struct order *other);
/* Do positions differ from numbers of core tasks? */
static inline bool order_differs(const struct order *order)
{
    return order->kind != ORDER_NATURAL && !(order->kind == ORDER_STRIDE && order->stride == 1);
}

/* The core task at a position, and where it stands; both of [0, tasks). */
int64_t order_task(const struct order *order, int64_t position);
int64_t order_position(const struct order *order, int64_t task);
/* From `position` on at most `count` positions, >= 1, whose core tasks are *step apart. */
int64_t order_run(const struct order *order, int64_t position, int64_t count, int64_t *step);

/* Relative standard deviation between packages of so many core tasks, whole ones from the first
 * position on, of a job whose core tasks cost `costs`; 0 where there are none. */
double order_deviation(const struct order *order, const double *costs, int64_t package);
/* For packages of about so many core tasks: of strides 2, 4, 8, 16 and as many as there are
 * packages the one whose packages differ least; ORDER_NATURAL where none halves what they differ
 * by, or where that is little. */
struct order order_choose(const double *costs, int64_t tasks, int64_t package);

#endif
