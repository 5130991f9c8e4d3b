/*
 * Inside of escape.c: what its loops in vector code, which are built once per instruction set from
 * escape_body.h, work on. Points are in lanes, one a lane; arrays are long enough for all lanes of
 * the widest set.
 */
#ifndef KERNEL_MANDELBROT_ESCAPE_LANES_H
#define KERNEL_MANDELBROT_ESCAPE_LANES_H

#include <stdint.h>

enum {
    ESCAPE_LANES_MOST = 64,
    /* Iterations between two looks at the points on their way. Cycles whose lengths divide it are
     * seen at the first look after they have closed. */
    ESCAPE_STRIDE = 24
};

/* z and c of a point in each lane. */
struct escape_points {
    _Alignas(64) double x[ESCAPE_LANES_MOST];
    _Alignas(64) double y[ESCAPE_LANES_MOST];
    _Alignas(64) double c_x[ESCAPE_LANES_MOST];
    _Alignas(64) double c_y[ESCAPE_LANES_MOST];
};

/* Points on their way. Times are iterations on a clock that all lanes share. */
struct escape_lanes {
    struct escape_points points;
    /* A z from earlier on: once z comes back to it, it will for ever. */
    _Alignas(64) double x_seen[ESCAPE_LANES_MOST];
    _Alignas(64) double y_seen[ESCAPE_LANES_MOST];
    _Alignas(64) double start[ESCAPE_LANES_MOST]; /* time of the lane's first iteration */
    _Alignas(64) double due[ESCAPE_LANES_MOST];   /* time to take another z to compare with */
    /* z of the latest look but one. */
    _Alignas(64) double x_before[ESCAPE_LANES_MOST];
    _Alignas(64) double y_before[ESCAPE_LANES_MOST];
    double clock, iterations; /* now; the most of a lane */
};

/* Lanes, as bits, that are done: z has left, or it never will, or has not for as long as was asked.
 */
struct escape_done {
    uint64_t left, stayed;
};

struct escape_vectors {
    int lanes;
    /* Do ESCAPE_STRIDE iterations `strides` times, or until lanes are done. Returns how often that
     * was. */
    int (*advance)(struct escape_lanes *lanes, int strides, struct escape_done *done);
    /* Do `steps` iterations, a multiple of 4, and count before each whether z is inside, up to the
     * first time that it is not. z of lanes that stay is as after all steps. */
    void (*count)(struct escape_points *points, int steps, int64_t *counts);
};

extern const struct escape_vectors escape_vectors_generic, escape_vectors_avx2,
    escape_vectors_avx512;

#endif
