/*
 * Algorithms that compute the maximum over a bank of correlations on one tile. The reference is
 * the specification; the others agree with it to 2e-6 of max |R| and are one file each.
 *
 * Pixels are finite and at most CORRELATE_PIXEL_MOST in magnitude, so that no sum overflows: the
 * caller replaces others by zero and marks the results within their reach as not a number.
 *
 * A bank has at least one filter. A pixel's value depends on the tile's own origin at most, never
 * on threads or on what else is in the package.
 */
#ifndef KERNEL_MATCHED_CORRELATORS_CORRELATE_H
#define KERNEL_MATCHED_CORRELATORS_CORRELATE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/matched/banks/bank.h"
#include "kernel/matched/correlators/speeds.h"

#define CORRELATE_PIXEL_MOST 0x1p96F
enum { CORRELATE_SLACK = 32 }; /* floats that may be read right of the right reach */

/* Input: `origin` points at the tile's pixel (0, 0) inside a buffer of floats with `stride` floats
 * a row, in which rows -up .. rows - 1 + down and columns -left .. columns - 1 + right +
 * CORRELATE_SLACK may be read (up, ... = bank_reach; zeros or neighbours; the slack's values do not
 * matter). Output: rows x columns floats, `result_stride` floats a row. */
struct tile {
    const float *origin;
    ptrdiff_t stride;
    int rows, columns;
    float *result;
    ptrdiff_t result_stride;
    bool accumulate; /* result = max(result, response) instead of result = response */
};

/* What a correlator is wanted for: tiles of at most rows x columns, and the kind of processor whose
 * speeds decide between ways of doing them. All ranks of a run are told the same one, whichever
 * they are, so that all do the same. */
struct demand {
    int rows, columns;
    enum speeds tuned;
};

enum { DEMANDS_MOST = 9 }; /* compared in one go */

/* A bank made ready for one algorithm; read-only once made. What the algorithm keeps beside it, in
 * a structure that begins with this one, is its own. */
struct correlator {
    const struct algorithm *algorithm;
};

struct algorithm {
    const char *name; /* "reference", "direct", "orbit", "fft" */
    /* What a tile of the full size takes, estimated, for each of `count` demands: in multiply-adds
     * of the direct algorithm that take as long; HUGE_VAL when it cannot do this bank exactly, for
     * whatever demand. False: out of memory. */
    bool (*estimate)(const struct bank *bank, const struct demand *demands, int count,
                     double *efforts);
    /* The bank may be freed afterwards. NULL: out of memory, or it cannot do this bank. */
    struct correlator *(*new_correlator)(const struct bank *bank, const struct demand *demand);
    size_t (*workspace_bytes)(const struct correlator *correlator); /* per thread, aligned to 64 */
    void (*run)(const struct correlator *correlator, const struct tile *tile, void *workspace);
    void (*free_correlator)(struct correlator **correlator);
};

/* All algorithms, the reference first; borrowed, static. */
const struct algorithm *const *algorithm_list(size_t *count);
const struct algorithm *algorithm_find(const char *name);

#endif
