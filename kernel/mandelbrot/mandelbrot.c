#include "kernel/mandelbrot/mandelbrot.h"

#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernel/mandelbrot/escape.h"

/* ---- what rows cost -------------------------------------------------------------------------- */

/*
 * What rows of a picture cost, from a few of their points: the steps that points take until they
 * are outside or come back to where they were, which is when nobody need go on (escape_body.h).
 */

/* Points of a row that are looked at: a few of them take most steps, the more so the more
 * iterations there may be. */
enum { PREVIEW_POINTS = 200 };

/* When a point is next compared with where it has been, as a part of its age: a cycle of any length
 * is found (Brent, An improved Monte Carlo factorization algorithm, 1980). */
static const double OLDER = 1.25;

/* Steps between two looks. */
enum { STRIDE = 16 };

/* The centre of pixel k of n between these edges. */
static double centre(double k, double n, double least, double greatest)
{
    return ((n - k - 0.5) * least + (k + 0.5) * greatest) / n;
}

static double steps_of(double c_x, double c_y, double iterations)
{
    double x = c_x, y = c_y, x_seen = x, y_seen = y, steps = 0, due = STRIDE;
    while (steps < iterations && x * x + y * y <= 4) {
        for (int k = 0; k < STRIDE && x * x + y * y <= 4; k++) {
            const double product = x * y;
            x = (x * x - y * y) + c_x;
            y = (product + product) + c_y;
            steps++;
        }
        if (x == x_seen && y == y_seen)
            break;
        if (steps >= due) {
            x_seen = x;
            y_seen = y;
            due = ceil(OLDER * steps);
        }
    }
    return fmax(1, fmin(steps, iterations));
}

/* The mean number of steps of that row's points, at least 1. */
static double preview_row(const struct escape_picture *picture, int64_t row)
{
    const int points = (int)fmin(PREVIEW_POINTS, picture->width);
    const double c_y = centre((double)row, picture->height, picture->y_max,
                              picture->y_min); /* y_max is at row 0 */
    double steps = 0;
    for (int k = 0; k < points; k++)
        steps += steps_of(centre(k, points, picture->x_min, picture->x_max), c_y,
                          (double)picture->iterations);
    return steps / points;
}

enum { PAGE_SIZE = 4096 };

enum parameter_index { WIDTH, HEIGHT, X_MIN, X_MAX, Y_MIN, Y_MAX, ITERATIONS, PARAMETERS };

#define PIXELS_A_SIDE .kind = SCOW_WHOLE, .initial = 1200, .least = 1, .greatest = INT32_MAX
#define EDGE .kind = SCOW_NUMBER, .least = -1e6, .greatest = 1e6

static const struct scow_parameter parameters[PARAMETERS + 1] = {
    [WIDTH] = {.name = "width", .help = "pixels of a row", PIXELS_A_SIDE},
    [HEIGHT] = {.name = "height", .help = "rows of the picture", PIXELS_A_SIDE},
    [X_MIN] = {.name = "x-min", .help = "left edge: real part of c", EDGE, .initial = -2},
    [X_MAX] = {.name = "x-max", .help = "right edge", EDGE, .initial = 2},
    [Y_MIN] = {.name = "y-min", .help = "lower edge: imaginary part of c", EDGE, .initial = -2},
    [Y_MAX] = {.name = "y-max", .help = "upper edge, at row 0", EDGE, .initial = 2},
    [ITERATIONS] = {.name = "iterations",
                    .help = "when to stop counting; the time of pixels in the set does not grow "
                            "with it for long, because cycles are recognised",
                    .kind = SCOW_WHOLE,
                    .initial = 1000,
                    .least = 1,
                    .greatest = UINT32_MAX},
};

struct job {
    struct escape_picture picture;
    int64_t width, height;
    enum isa isa;
};

/* ---- the job -------------------------------------------------------------------------------- */

/* One side of the picture: its edges and how many pixels are between them. */
struct side {
    const char *axis, *edge, *pixels;
    double min, max, count;
};

static int side_check(const struct scow_host *host, const struct side *side)
{
    const double apart = (side->max - side->min) / side->count;
    if (!(side->min < side->max))
        return host->refuse(
            host, side->edge,
            "--%s-min is %.15g and --%s-max is %.15g: the minimum must be less than the maximum",
            side->axis, side->min, side->axis, side->max);
    if (apart < DBL_EPSILON * fmax(fabs(side->min), fabs(side->max)))
        return host->refuse(host, side->edge,
                            "%.0f %s from %s-min %.17g to %s-max %.17g are closer than double "
                            "precision can tell apart: give fewer or a larger part of the plane",
                            side->count, side->pixels, side->axis, side->min, side->axis,
                            side->max);
    return SCOW_OK;
}

static int mandelbrot_describe(const struct scow_host *host, const struct scow_value *values,
                               const struct scow_input *input, int64_t *tasks)
{
    (void)input;
    const double width = values[WIDTH].number, height = values[HEIGHT].number;
    const struct side across = {
        "x", "x-min", "columns", values[X_MIN].number, values[X_MAX].number, width};
    const struct side down = {"y",   "y-min", "rows", values[Y_MIN].number, values[Y_MAX].number,
                              height};
    const int64_t bytes_most = INT64_MAX / (int64_t)sizeof(uint32_t);
    if (side_check(host, &across) != SCOW_OK || side_check(host, &down) != SCOW_OK)
        return SCOW_FAILED;
    if ((int64_t)width > bytes_most / (int64_t)height)
        return host->refuse(host, "width",
                            "a picture of %.0f x %.0f pixels has more bytes than can be "
                            "counted: give a smaller width or height",
                            width, height);
    *tasks = (int64_t)height;
    return SCOW_OK;
}

static int mandelbrot_open(const struct scow_host *host, const struct scow_setup *setup, void **job)
{
    const struct scow_value *values = setup->values;
    struct job *made = malloc(sizeof *made);
    if (!made)
        return host->fail(host, "out of memory for the job: free some and try again");
    *made = (struct job){.picture = {.width = values[WIDTH].number,
                                     .height = values[HEIGHT].number,
                                     .x_min = values[X_MIN].number,
                                     .x_max = values[X_MAX].number,
                                     .y_min = values[Y_MIN].number,
                                     .y_max = values[Y_MAX].number,
                                     .iterations = (uint32_t)values[ITERATIONS].number},
                         .width = (int64_t)values[WIDTH].number,
                         .height = (int64_t)values[HEIGHT].number,
                         .isa = isa_current()};
    *job = made;
    return SCOW_OK;
}

static void mandelbrot_close(void *job)
{
    free(job);
}

/* Nothing of the instruction set, for that changes no count. */
static void mandelbrot_method(const void *job, char *text, size_t size)
{
    (void)job;
    snprintf(text, size, "double precision without fused multiply-adds");
}

static void mandelbrot_results(const void *self, struct scow_results *results)
{
    const struct job *job = self;
    results->grid_type = SCOW_U32;
    results->grid_picture = true;
    results->grid_extent[0] = results->grid_tile[0] = results->grid_tile[1] = 1;
    results->grid_extent[1] = job->height;
    results->grid_extent[2] = results->grid_tile[2] = job->width;
}

static void mandelbrot_place(const void *self, int64_t task, int64_t start[3], int64_t count[3])
{
    const struct job *job = self;
    start[0] = start[2] = 0;
    start[1] = task;
    count[0] = count[1] = 1;
    count[2] = job->width;
}

/* A coarse preview of every row. */
static int mandelbrot_weigh(const struct scow_host *host, const void *self, double *weights)
{
    const struct job *job = self;
    (void)host;
    for (int64_t row = 0; row < job->height; row++)
        weights[row] = preview_row(&job->picture, row);
    return SCOW_OK;
}

/* ---- computing ------------------------------------------------------------------------------ */

/* What the threads of one call share. */
struct work {
    const struct scow_host *host;
    const struct job *job;
    const struct scow_batch *batch;
    int span;                            /* pixels at once */
    int64_t across, spans;               /* of a row; of the batch */
    _Alignas(64) int64_t taken;          /* spans; atomic */
    _Alignas(64) int finished, stopping; /* threads that have; whether the run is; atomic */
};

struct helper {
    struct work *work;
    bool pulses; /* the thread that was called */
};

static size_t thread_size(void)
{
    return (escape_workspace_size() + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
}

static size_t mandelbrot_workspace_size(const void *job, int threads)
{
    (void)job;
    return (size_t)threads * thread_size();
}

/* Short enough that all threads end together, even with one row; and not shorter than is good for
 * vectors and caches. */
static int span_choose(int64_t pixels, int threads)
{
    const int64_t turns = 16; /* of each thread */
    const int64_t fair = pixels / (turns * threads) / ESCAPE_SPAN_UNIT * ESCAPE_SPAN_UNIT;
    return fair < ESCAPE_SPAN_UNIT   ? ESCAPE_SPAN_UNIT
           : fair > ESCAPE_SPAN_MOST ? ESCAPE_SPAN_MOST
                                     : (int)fair;
}

static bool span_next(void *self, struct escape_span *span)
{
    struct work *work = ((const struct helper *)self)->work;
    const int64_t width = work->job->width;
    int64_t taken;
#pragma omp atomic capture relaxed
    taken = work->taken++;
    if (taken >= work->spans)
        return false;
    const int64_t k = taken / work->across, column = taken % work->across * work->span;
    span->row = work->batch->first + k * work->batch->stride;
    span->column = column;
    span->count = width - column < work->span ? (int)(width - column) : work->span;
    span->counts = (uint32_t *)work->batch->grid + k * width + column;
    return true;
}

static bool work_stops(void *self)
{
    const struct helper *helper = self;
    struct work *work = helper->work;
    int stopping;
    if (helper->pulses && work->host->pulse(work->host)) {
#pragma omp atomic write relaxed
        work->stopping = 1;
    }
#pragma omp atomic read relaxed
    stopping = work->stopping;
    return stopping;
}

/* The thread that was called goes on pulsing until the others have finished, too. */
static void wait_for(struct helper *caller, int others)
{
    const struct timespec pause = {.tv_nsec = 20000};
    int finished;
    for (;;) {
        work_stops(caller);
#pragma omp atomic read acquire
        finished = caller->work->finished;
        if (finished >= others)
            return;
        nanosleep(&pause, NULL);
    }
}

static void thread_run(struct work *work, int thread, int threads)
{
    struct helper helper = {.work = work, .pulses = thread == 0};
    const struct escape_source source = {.self = &helper, .next = span_next, .stop = work_stops};
    char *workspace = (char *)work->batch->workspace + (size_t)thread * thread_size();
    escape_run(&work->job->picture, work->job->isa, &source, workspace);
    if (thread == 0) {
        wait_for(&helper, threads - 1);
        return;
    }
#pragma omp atomic update release
    work->finished++;
}

static int mandelbrot_compute(const struct scow_host *host, const void *self,
                              const struct scow_batch *batch)
{
    const struct job *job = self;
    const int span = span_choose(job->width * batch->count, batch->threads);
    const int64_t across = (job->width + span - 1) / span;
    struct work work = {.host = host,
                        .job = job,
                        .batch = batch,
                        .span = span,
                        .across = across,
                        .spans = across * batch->count};
#pragma omp parallel default(none) shared(work) num_threads(batch->threads)
    thread_run(&work, omp_get_thread_num(), omp_get_num_threads());
    return work.stopping ? SCOW_STOPPED : SCOW_OK;
}

const struct scow_task mandelbrot_task = {
    SCOW_TASK,
    .name = "mandelbrot",
    .version = "1",
    .summary = "a picture of the Mandelbrot set, row by row: core tasks of very different cost",
    .core_task = "one row of pixels",
    .outcome =
        "A grid of uint32 with a number for every pixel: how many iterations of z^2 + c, from "
        "z = c counted 1, stay within abs(z) <= 2, at most --iterations. c is the centre of "
        "the pixel, y-max is at the top.",
    .parameters = parameters,
    .input = SCOW_INPUT_NONE,
    .threads = SCOW_THREADS_OWN,
    .flags = SCOW_STRIDED,
    .describe = mandelbrot_describe,
    .open = mandelbrot_open,
    .close = mandelbrot_close,
    .method = mandelbrot_method,
    .results = mandelbrot_results,
    .workspace_size = mandelbrot_workspace_size,
    .compute = mandelbrot_compute,
    .place = mandelbrot_place,
    .weigh = mandelbrot_weigh,
};
