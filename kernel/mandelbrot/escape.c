/*
 * Three ways to count, so that no vector waits for one of its lanes. All points are first counted
 * side by side, with a look at each iteration, for ESCAPE_FIRST iterations, within which most
 * leave. The others queue for a place among the lanes on their way, which are looked at every
 * ESCAPE_STRIDE iterations only; a lane that is done gets the next point at once. Points found to
 * have left since the look before are counted once more from there, as many together as there are
 * lanes.
 *
 * Looking every so often is enough where z, once outside, never comes back. For abs(c) <= 2 that is
 * so in exact arithmetic: abs(z) = 2 + e is followed by at least (2 + e)^2 - 2 > 2 + 4 e. Rounding
 * changes what follows by less than 2^-50 abs(z)^2, 4e-15 near abs(z) = 2, and an outside z may
 * have 2 - 3e-16 instead of 2. Where c_x * c_x + c_y * c_y <= 4 - 1e-13, and so abs(c) < 2 -
 * 2.4e-14, abs(z) grows all the same, up to infinities and NaN, which stay such and are outside,
 * too. The few points between there and 2, on the rim, are counted plainly.
 *
 * A z that equals an earlier one is on a cycle, because nothing but z and c decides what follows
 * (not even signs of zeros): it stays for ever. So this is found by comparing, and holds with all
 * rounding; where c lies in the set would say nothing about rounded numbers.
 */
#include "kernel/mandelbrot/escape.h"

#include <math.h>

#include "kernel/mandelbrot/escape_lanes.h"

enum {
    ESCAPE_FIRST = 32,
    WORK_MOST = 1024 /* strides of all lanes before the source is asked whether to stop */
};

/* Points of one span that wait for a lane; all have had ESCAPE_FIRST iterations. */
struct queue {
    int next, count;
    double c_y;
    double x[ESCAPE_SPAN_MOST], y[ESCAPE_SPAN_MOST], c_x[ESCAPE_SPAN_MOST];
    uint32_t *result[ESCAPE_SPAN_MOST];
};

/* Points that have left: z as at the latest look when they had not, and the count up to there. */
struct leavers {
    struct escape_points points;
    int count;
    int64_t base[ESCAPE_LANES_MOST];
    uint32_t *result[ESCAPE_LANES_MOST];
};

struct run {
    struct escape_lanes lanes;
    uint32_t *result[ESCAPE_LANES_MOST]; /* of each lane; NULL: it is empty */
    struct leavers leavers;
    struct escape_points block;
    struct queue queue;
    const struct escape_picture *picture;
    const struct escape_vectors *vectors;
    const struct escape_source *source;
    int busy; /* lanes */
    int work; /* since the source was asked whether to stop */
    bool dry, stopped;
};

size_t escape_workspace_size(void)
{
    return sizeof(struct run);
}

static const struct escape_vectors *vectors_of(enum isa isa)
{
#ifdef __x86_64__
    if (isa == ISA_AVX512)
        return &escape_vectors_avx512;
    if (isa == ISA_AVX2)
        return &escape_vectors_avx2;
#endif
    (void)isa;
    return &escape_vectors_generic;
}

/* So many strides of all lanes, or what takes as long, were done. False: stop. */
static bool run_goes_on(struct run *run, int work)
{
    run->work += work;
    if (run->work >= WORK_MOST) {
        run->work = 0;
        run->stopped = run->source->stop(run->source->self) || run->stopped;
    }
    return !run->stopped;
}

static double between(double from, double to, double steps, double t)
{
    return ((steps - t) * from + t * to) / steps;
}

static uint32_t lesser(int64_t count, uint32_t most)
{
    return count < (int64_t)most ? (uint32_t)count : most;
}

/* Could z that has left come back by rounding? */
static bool on_the_rim(double c_x, double c_y)
{
    return c_x * c_x + c_y * c_y > 4 - 1e-13;
}

/* From z = c on, with a look at each iteration. */
static uint32_t count_plainly(struct run *run, double c_x, double c_y)
{
    double x = c_x, y = c_y, x_seen = (double)NAN, y_seen = x_seen;
    const uint32_t most = run->picture->iterations;
    uint32_t count = 0, due = 1;
    while (count < most && x * x + y * y <= 4 && !(x == x_seen && y == y_seen)) {
        if (count == due) {
            x_seen = x;
            y_seen = y;
            due = due > most / 2 ? most : 2 * due;
        }
        const double product = x * y;
        x = (x * x - y * y) + c_x;
        y = (product + product) + c_y;
        count++;
        if (count % ESCAPE_STRIDE == 0 && !run_goes_on(run, 1))
            break;
    }
    return x == x_seen && y == y_seen ? most : count;
}

static void queue_add(struct run *run, double c_x, int k, uint32_t *result)
{
    struct queue *queue = &run->queue;
    const struct escape_points *block = &run->block;
    if (on_the_rim(c_x, queue->c_y)) {
        *result = count_plainly(run, c_x, queue->c_y);
        return;
    }
    queue->x[queue->count] = block->x[k];
    queue->y[queue->count] = block->y[k];
    queue->c_x[queue->count] = c_x;
    queue->result[queue->count] = result;
    queue->count++;
}

/* The first iterations of as many points as there are lanes, from z = c. */
static void block_count(struct run *run, const struct escape_span *span, int from, int64_t *counts)
{
    const struct escape_picture *picture = run->picture;
    struct escape_points *block = &run->block;
    for (int k = 0; k < run->vectors->lanes; k++) {
        const double t = (double)(span->column + from + k) + 0.5;
        block->x[k] = block->c_x[k] = between(picture->x_min, picture->x_max, picture->width, t);
        block->y[k] = block->c_y[k] = run->queue.c_y;
    }
    run->vectors->count(block, ESCAPE_FIRST, counts);
}

/* What is left of a span after the first iterations queues. */
static void span_start(struct run *run, const struct escape_span *span)
{
    const struct escape_picture *picture = run->picture;
    const int lanes = run->vectors->lanes;
    const uint32_t most = picture->iterations;
    int64_t counts[ESCAPE_LANES_MOST];
    run->queue.next = run->queue.count = 0;
    run->queue.c_y =
        between(picture->y_max, picture->y_min, picture->height, (double)span->row + 0.5);
    for (int from = 0; from < span->count; from += lanes) {
        const int here = span->count - from < lanes ? span->count - from : lanes;
        block_count(run, span, from, counts);
        for (int k = 0; k < here; k++) {
            uint32_t *result = span->counts + from + k;
            *result = lesser(counts[k], most);
            if (counts[k] == ESCAPE_FIRST && most > ESCAPE_FIRST)
                queue_add(run, run->block.c_x[k], k, result);
        }
    }
}

/* Does a point wait for a lane? Takes spans until one does. */
static bool queue_fill(struct run *run)
{
    struct escape_span span;
    while (run->queue.next == run->queue.count) {
        if (run->dry || !run->source->next(run->source->self, &span)) {
            run->dry = true;
            return false;
        }
        span_start(run, &span);
        if (!run_goes_on(run, span.count / ESCAPE_STRIDE + 1))
            return false;
    }
    return true;
}

static void lane_clear(struct run *run, int lane)
{
    struct escape_lanes *lanes = &run->lanes;
    struct escape_points *points = &lanes->points;
    points->x[lane] = points->y[lane] = points->c_x[lane] = points->c_y[lane] = 0;
    lanes->x_seen[lane] = lanes->y_seen[lane] = (double)NAN;
    lanes->start[lane] = 0;
    lanes->due[lane] = HUGE_VAL;
    run->result[lane] = NULL;
}

/* The first of the queue. */
static void lane_start(struct run *run, int lane)
{
    struct queue *queue = &run->queue;
    struct escape_lanes *lanes = &run->lanes;
    const int next = queue->next++;
    lanes->points.x[lane] = lanes->x_seen[lane] = queue->x[next];
    lanes->points.y[lane] = lanes->y_seen[lane] = queue->y[next];
    lanes->points.c_x[lane] = queue->c_x[next];
    lanes->points.c_y[lane] = queue->c_y;
    lanes->start[lane] = lanes->clock - ESCAPE_FIRST;
    lanes->due[lane] = lanes->clock + ESCAPE_STRIDE;
    run->result[lane] = queue->result[next];
    run->busy++;
}

static void leavers_count(struct run *run)
{
    struct leavers *leavers = &run->leavers;
    int64_t counts[ESCAPE_LANES_MOST];
    run->vectors->count(&leavers->points, ESCAPE_STRIDE, counts);
    for (int k = 0; k < leavers->count; k++)
        *leavers->result[k] = lesser(leavers->base[k] + counts[k], run->picture->iterations);
    leavers->count = 0;
}

static void leavers_add(struct run *run, int lane)
{
    const struct escape_lanes *lanes = &run->lanes;
    struct leavers *leavers = &run->leavers;
    const int k = leavers->count++;
    leavers->points.x[k] = lanes->x_before[lane];
    leavers->points.y[k] = lanes->y_before[lane];
    leavers->points.c_x[k] = lanes->points.c_x[lane];
    leavers->points.c_y[k] = lanes->points.c_y[lane];
    leavers->base[k] = (int64_t)(lanes->clock - ESCAPE_STRIDE - lanes->start[lane]);
    leavers->result[k] = run->result[lane];
    if (leavers->count == run->vectors->lanes)
        leavers_count(run);
}

static void lane_end(struct run *run, int lane, bool left)
{
    if (left)
        leavers_add(run, lane);
    else
        *run->result[lane] = run->picture->iterations;
    run->busy--;
    if (queue_fill(run))
        lane_start(run, lane);
    else
        lane_clear(run, lane);
}

static void run_init(struct run *run)
{
    run->lanes.clock = ESCAPE_FIRST;
    run->lanes.iterations = run->picture->iterations;
    run->leavers.count = run->queue.next = run->queue.count = run->busy = run->work = 0;
    run->dry = run->stopped = false;
    for (int lane = 0; lane < run->vectors->lanes; lane++) {
        run->leavers.points.x[lane] = run->leavers.points.y[lane] = 0;
        run->leavers.points.c_x[lane] = run->leavers.points.c_y[lane] = 0;
        if (queue_fill(run))
            lane_start(run, lane);
        else
            lane_clear(run, lane);
    }
}

bool escape_run(const struct escape_picture *picture, enum isa isa,
                const struct escape_source *source, void *workspace)
{
    struct run *run = workspace;
    struct escape_done done;
    run->picture = picture;
    run->vectors = vectors_of(isa);
    run->source = source;
    run_init(run);
    while (run->busy > 0 && !run->stopped) {
        const int strides = run->vectors->advance(&run->lanes, WORK_MOST - run->work, &done);
        for (uint64_t lanes = done.left | done.stayed; lanes != 0; lanes &= lanes - 1) {
            const int lane = __builtin_ctzll(lanes);
            lane_end(run, lane, done.left >> lane & 1);
        }
        run_goes_on(run, strides);
    }
    if (!run->stopped)
        leavers_count(run);
    return !run->stopped;
}
