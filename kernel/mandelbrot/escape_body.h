/*
 * The loops over points in lanes, written once and built per instruction set: the file that
 * includes this defines ESCAPE_VECTORS (the name of its table) and is compiled with the set's
 * flags. No fused multiply-adds: SSE2 has none, and counts are to be the same.
 */
#include <stdbool.h>
#include <stddef.h>

#include "kernel/mandelbrot/escape_lanes.h"
#include "kernel/vector/vector.h"

/* An iteration is three operations that wait for one another: with five vectors that take turns,
 * processors that start two operations a cycle never wait. x and y of all five stay in registers,
 * even where there are only 16. */
enum { VECTORS = 5 };
enum { LANES = VECTORS * VECTOR_DOUBLES };

_Static_assert((int)LANES <= (int)ESCAPE_LANES_MOST, "the arrays have room for all lanes");

/* z of all lanes, in registers. */
struct orbits {
    vector_double x[VECTORS], y[VECTORS];
};

VECTOR_INLINE ptrdiff_t first_lane(int v)
{
    return (ptrdiff_t)v * VECTOR_DOUBLES;
}

VECTOR_INLINE void orbits_load(struct orbits *z, const double *x, const double *y)
{
    VECTOR_UNROLL
    for (int v = 0; v < VECTORS; v++) {
        z->x[v] = vector_double_load(x + first_lane(v));
        z->y[v] = vector_double_load(y + first_lane(v));
    }
}

VECTOR_INLINE void orbits_store(const struct orbits *z, double *x, double *y)
{
    VECTOR_UNROLL
    for (int v = 0; v < VECTORS; v++) {
        vector_double_store(x + first_lane(v), z->x[v]);
        vector_double_store(y + first_lane(v), z->y[v]);
    }
}

/* The same operations in the same order as in every other place. */
VECTOR_INLINE void orbits_step(struct orbits *z, const struct escape_points *points)
{
    VECTOR_UNROLL
    for (int v = 0; v < VECTORS; v++) {
        const vector_double x = z->x[v], y = z->y[v], product = x * y;
        z->x[v] = (x * x - y * y) + vector_double_load(points->c_x + first_lane(v));
        z->y[v] = (product + product) + vector_double_load(points->c_y + first_lane(v));
    }
}

VECTOR_INLINE vector_mask inside(vector_double x, vector_double y)
{
    return x * x + y * y <= vector_double_all(4);
}

/* For lanes whose time has come: are they at their end, and if not, what will they be compared with
 * from now on? Times between two such looks grow, so that a cycle of any length is found (Brent,
 * An improved Monte Carlo factorization algorithm, 1980). */
static __attribute__((noinline)) unsigned due_look(struct escape_lanes *lanes, ptrdiff_t at,
                                                   vector_mask due)
{
    const vector_double now = vector_double_all(lanes->clock);
    const vector_double age = now - vector_double_load(lanes->start + at);
    const vector_double next = now + age * vector_double_all(0.25);
    const vector_double end =
        vector_double_load(lanes->start + at) + vector_double_all(lanes->iterations);
    double *const changed[] = {lanes->x_seen + at, lanes->y_seen + at, lanes->due + at};
    const vector_double to[] = {vector_double_load(lanes->points.x + at),
                                vector_double_load(lanes->points.y + at),
                                vector_double_choose(next < end, next, end)};
    for (int i = 0; i < 3; i++)
        vector_double_store(changed[i],
                            vector_double_choose(due, to[i], vector_double_load(changed[i])));
    return vector_mask_bits(due & (vector_mask)(now >= end));
}

VECTOR_INLINE void orbits_look(const struct orbits *z, struct escape_lanes *lanes,
                               struct escape_done *done)
{
    VECTOR_UNROLL
    for (int v = 0; v < VECTORS; v++) {
        const ptrdiff_t at = first_lane(v);
        const vector_double x = z->x[v], y = z->y[v];
        const vector_mask left = ~inside(x, y);
        const vector_mask back = (x == vector_double_load(lanes->x_seen + at)) &
                                 (y == vector_double_load(lanes->y_seen + at));
        const vector_mask due =
            vector_double_all(lanes->clock) >= vector_double_load(lanes->due + at);
        if (vector_mask_bits(left | back | due) != 0) {
            vector_double_store(lanes->points.x + at, x);
            vector_double_store(lanes->points.y + at, y);
            done->left |= (uint64_t)vector_mask_bits(left) << at;
            done->stayed |= (uint64_t)(vector_mask_bits(back) | due_look(lanes, at, due)) << at;
        }
    }
    done->stayed &= ~done->left;
}

static int escape_advance(struct escape_lanes *lanes, int strides, struct escape_done *done)
{
    struct orbits z;
    int i = 0;
    *done = (struct escape_done){0, 0};
    orbits_load(&z, lanes->points.x, lanes->points.y);
    while (i < strides && (done->left | done->stayed) == 0) {
        orbits_store(&z, lanes->x_before, lanes->y_before);
        for (int step = 0; step < ESCAPE_STRIDE; step++)
            orbits_step(&z, &lanes->points);
        lanes->clock += ESCAPE_STRIDE;
        orbits_look(&z, lanes, done);
        i++;
    }
    orbits_store(&z, lanes->points.x, lanes->points.y);
    return i;
}

VECTOR_INLINE bool any_inside(const vector_mask *still)
{
    vector_mask any = still[0];
    VECTOR_UNROLL
    for (int v = 1; v < VECTORS; v++)
        any |= still[v];
    return vector_mask_bits(any) != 0;
}

static void escape_count(struct escape_points *points, int steps, int64_t *counts)
{
    enum { BETWEEN = 4 };
    struct orbits z;
    vector_mask still[VECTORS], count[VECTORS];
    orbits_load(&z, points->x, points->y);
    VECTOR_UNROLL
    for (int v = 0; v < VECTORS; v++) {
        still[v] = inside(z.x[v], z.y[v]);
        count[v] = (vector_mask){0};
    }
    for (int step = 0; step < steps && any_inside(still); step += BETWEEN)
        for (int i = 0; i < BETWEEN; i++) {
            VECTOR_UNROLL
            for (int v = 0; v < VECTORS; v++) {
                still[v] &= inside(z.x[v], z.y[v]);
                count[v] -= still[v];
            }
            orbits_step(&z, points);
        }
    orbits_store(&z, points->x, points->y);
    for (int v = 0; v < VECTORS; v++)
        memcpy(counts + first_lane(v), &count[v], sizeof count[v]);
}

const struct escape_vectors ESCAPE_VECTORS = {
    .lanes = LANES, .advance = escape_advance, .count = escape_count};
