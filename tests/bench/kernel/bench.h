/*
 * The kernel's benchmark: our algorithms and others' libraries on the same work in the same run,
 * in turns, so that whatever else the machine does hits all alike.
 */
#ifndef TESTS_BENCH_KERNEL_BENCH_H
#define TESTS_BENCH_KERNEL_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A filter as all methods see it: row-major taps, anchored at (n - 1) / 2. */
struct bench_filter {
    int rows, columns;
    float *taps;
};

/* A square image to be correlated with filters; the largest response of all is wanted. */
struct work {
    const char *name;
    int edge;
    int count;
    struct bench_filter *filters;
    double taps;             /* naive multiply-adds a pixel */
    int pad;                 /* zeros around the pixels, more than any filter reaches */
    ptrdiff_t stride;        /* floats a row */
    float *pixels;           /* (0, 0) within the padded image */
    const struct bank *bank; /* the same filters, for us */
};

struct setting {
    int tile; /* edge of what is worked on at a time, where that is ours to say */
    int threads;
};

/* A way to do the work: an algorithm of ours, or a library. `begin` makes everything that the
 * filters alone decide, and is not timed; NULL: cannot do this. Results are edge x edge floats. */
struct method {
    const char *name;
    void *(*begin)(const struct work *work, const struct setting *setting);
    void (*run)(void *state, float *result);
    void (*end)(void *state);
    bool alone; /* one thread, however many the others have */
};

extern const struct method method_reference, method_direct, method_orbit, method_fft, method_auto;
extern const struct method method_alone;  /* auto with one thread */
extern const struct method method_passes; /* every filter in a direct pass of its own, added up */
extern const struct method method_opencv, method_onednn, method_fftw; /* where installed */

/* ---- the machine ---- */

/* What one turn of fused multiply-adds on floats, with the widest registers, does a second. The
 * peak is what registers alone allow. Fed, the factors come from the nearest cache, as in any
 * correlation. */
double machine_peak(void);
double machine_fed_peak(void);
/* One pass over memory far larger than caches: bytes read a second. */
double machine_bandwidth(void);

/* ---- timing ---- */

enum { SAMPLES_MOST = 32 /* rounds */, METHODS_MOST = 16 };

/* Seconds a pass, one sample for each turn. */
struct samples {
    int count;
    double seconds[SAMPLES_MOST];
};

/* What is to be done again and again. */
struct turn {
    void (*pass)(void *context);
    void *context;
    int threads; /* of which clock_now is to be told */
};

/*
 * Seconds a pass of one turn. Passes of the first 5 ms, at least one, are not counted: they find
 * the caches, the predictors of branches and the clock of the vector unit as somebody else left
 * them. Then as many passes as take about 10 ms, at least one, are timed together, and their mean
 * is the turn's one sample. So a sample covers the same stretch of time for all (or one pass, where
 * that is longer), all have the same number of samples, and neither their minimum nor their median
 * favours somebody for being quick: the least of forty single passes would be luckier than the
 * least of two. A first pass of 100 ms or more is the sample itself; a cold start is lost in that.
 */
double turn_take(const struct turn *turn);

void samples_add(struct samples *samples, double seconds);
double samples_least(const struct samples *samples);
double samples_median(const struct samples *samples);

/* Seconds of this thread's processor time, or with several threads of the wall's clock. */
double clock_now(int threads);

/* What one method did with one work. */
struct outcome {
    const char *method;
    int threads;
    struct samples samples;
    double difference; /* largest, from the first method's result, relative to its largest */
};

struct comparison {
    const struct work *work;
    struct setting setting;
    int count;
    struct outcome outcomes[METHODS_MOST];
    double peak, fed_peak; /* multiply-adds a second and thread, of the best turn meanwhile */
};

/* Rounds end when there were `rounds` (SAMPLES_MOST at most) or `budget_s` seconds are over, but
 * not before there were `least`. */
struct limits {
    int least, rounds;
    double budget_s;
    bool peaks; /* measure the machine's peaks after each turn */
};

/* All methods that can take turns. */
void comparison_make(struct comparison *comparison, const struct work *work,
                     const struct setting *setting, const struct method *const *methods, int count,
                     const struct limits *limits);
/* NULL: it is not there. */
const struct outcome *comparison_find(const struct comparison *comparison, const char *method);
/* Least seconds of that method; NAN when it is not there, or there was no comparison (NULL).
 */
double comparison_least(const struct comparison *comparison, const char *method);
void comparison_print(const struct comparison *comparison);
void comparison_json(const struct comparison *comparison, FILE *file, bool first);

/* ---- whole packages through the kernel ---- */

/* The kernel on one package of a whole image, core tasks of `block` pixels a side, pixels of 8 or
 * 16 bits or floats.
 */
struct package_times {
    struct samples u8, u16, f32; /* one thread */
    struct samples two, one;     /* floats: two threads and one, by the wall's clock */
};

/* False: the kernel cannot be set up. */
bool packages_time(struct package_times *times, const char *bank, const char *combine, int edge,
                   int block, int rounds);

#ifdef __cplusplus
}
#endif

#endif
