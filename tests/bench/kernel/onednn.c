/*
 * oneDNN: one convolution with a channel for each filter, all in a frame of the largest reach, in
 * strips of the image that leave the channels' responses in cache, then the maximum over channels.
 * Its fast code wants channels in sixteens; those to spare repeat the first filter. A single filter
 * is nothing for it.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include <dnnl.h>

#include "tests/bench/kernel/bench.h"

enum { STRIP = 4 /* rows */, SIXTEEN = 16 };

struct onednn {
    const struct work *work;
    int threads;
    int before, frame; /* the frame's anchor and edge */
    int channels;      /* filters, rounded up */
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t convolution;
    dnnl_memory_t source, weights, responses;
    float *window, *responded; /* a strip's pixels; its responses, [sixteen][pixel][channel] */
};

static void check(dnnl_status_t status)
{
    if (status != dnnl_success)
        abort();
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void frame_measure(struct onednn *self)
{
    int after = 0;
    for (int i = 0; i < self->work->count; i++) {
        const struct bench_filter *filter = &self->work->filters[i];
        const int edge = larger(filter->rows, filter->columns);
        self->before = larger(self->before, (edge - 1) / 2);
        after = larger(after, edge - 1 - (edge - 1) / 2);
    }
    self->frame = self->before + after + 1;
}

static float *frame_fill(const struct onednn *self)
{
    const size_t area = (size_t)self->frame * (size_t)self->frame;
    float *weights = calloc(area * (size_t)self->channels, sizeof *weights);
    if (!weights)
        abort();
    for (int i = 0; i < self->channels; i++) {
        const struct bench_filter *filter = &self->work->filters[i < self->work->count ? i : 0];
        const int top = self->before - (filter->rows - 1) / 2;
        const int left = self->before - (filter->columns - 1) / 2;
        for (int a = 0; a < filter->rows; a++)
            memcpy(weights + (size_t)i * area + (size_t)(top + a) * (size_t)self->frame + left,
                   filter->taps + (ptrdiff_t)a * filter->columns,
                   (size_t)filter->columns * sizeof *weights);
    }
    return weights;
}

static dnnl_memory_t memory_for(const struct onednn *self, const dnnl_memory_desc_t *layout,
                                void *at)
{
    dnnl_memory_t memory;
    check(dnnl_memory_create(&memory, layout, self->engine, at));
    return memory;
}

static void execute(const struct onednn *self, dnnl_primitive_t primitive, int count,
                    const dnnl_exec_arg_t *arguments)
{
    check(dnnl_primitive_execute(primitive, self->stream, count, arguments));
    check(dnnl_stream_wait(self->stream));
}

static void reorder(const struct onednn *self, dnnl_memory_t from, dnnl_memory_t to)
{
    const dnnl_memory_desc_t *a, *b;
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    check(dnnl_memory_get_memory_desc(from, &a));
    check(dnnl_memory_get_memory_desc(to, &b));
    check(dnnl_reorder_primitive_desc_create(&description, a, self->engine, b, self->engine, NULL));
    check(dnnl_primitive_create(&primitive, description));
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    execute(self, primitive, 2, arguments);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(description);
}

static void weights_set(struct onednn *self, const dnnl_memory_desc_t *plain,
                        const dnnl_memory_desc_t *wanted)
{
    float *filled = frame_fill(self);
    dnnl_memory_t from = memory_for(self, plain, filled);
    self->weights = memory_for(self, wanted, DNNL_MEMORY_ALLOCATE);
    reorder(self, from, self->weights);
    dnnl_memory_destroy(from);
    free(filled);
}

static void convolution_make(struct onednn *self)
{
    const dnnl_dim_t edge = self->work->edge, count = self->channels, frame = self->frame;
    const dnnl_dims_t from = {1, 1, STRIP + frame - 1, edge + frame - 1};
    const dnnl_dims_t by = {count, 1, frame, frame}, to = {1, count, STRIP, edge};
    const dnnl_dims_t ones = {1, 1}, zeros = {0, 0};
    dnnl_memory_desc_t plain, any_weights, plain_weights, channels;
    dnnl_convolution_desc_t convolution;
    dnnl_primitive_desc_t description;
    check(dnnl_memory_desc_init_by_tag(&plain, 4, from, dnnl_f32, dnnl_nchw));
    check(dnnl_memory_desc_init_by_tag(&any_weights, 4, by, dnnl_f32, dnnl_format_tag_any));
    check(dnnl_memory_desc_init_by_tag(&plain_weights, 4, by, dnnl_f32, dnnl_oihw));
    check(dnnl_memory_desc_init_by_tag(&channels, 4, to, dnnl_f32, dnnl_nChw16c));
    check(dnnl_convolution_forward_desc_init(&convolution, dnnl_forward_inference,
                                             dnnl_convolution_direct, &plain, &any_weights, NULL,
                                             &channels, ones, zeros, zeros));
    check(dnnl_primitive_desc_create(&description, &convolution, NULL, self->engine, NULL));
    check(dnnl_primitive_create(&self->convolution, description));
    weights_set(self, &plain_weights,
                dnnl_primitive_desc_query_md(description, dnnl_query_weights_md, 0));
    self->window = malloc(dnnl_memory_desc_get_size(&plain));
    self->responded = malloc(dnnl_memory_desc_get_size(&channels));
    if (!self->window || !self->responded)
        abort();
    self->source = memory_for(self, &plain, self->window);
    self->responses = memory_for(self, &channels, self->responded);
    dnnl_primitive_desc_destroy(description);
}

static void *begin(const struct work *work, const struct setting *setting)
{
    if (work->edge % STRIP != 0)
        return NULL;
    struct onednn *self = calloc(1, sizeof *self);
    if (!self)
        abort();
    self->work = work;
    self->threads = setting->threads;
    self->channels = (work->count + SIXTEEN - 1) / SIXTEEN * SIXTEEN;
    frame_measure(self);
    omp_set_num_threads(self->threads);
    check(dnnl_engine_create(&self->engine, dnnl_cpu, 0));
    check(dnnl_stream_create(&self->stream, self->engine, dnnl_stream_default_flags));
    convolution_make(self);
    return self;
}

static void strip_load(const struct onednn *self, int y)
{
    const int columns = self->work->edge + self->frame - 1;
    for (int a = 0; a < STRIP + self->frame - 1; a++)
        memcpy(self->window + (ptrdiff_t)a * columns,
               self->work->pixels + (y + a - self->before) * self->work->stride - self->before,
               (size_t)columns * sizeof *self->window);
}

static void strip_keep(const struct onednn *self, float *result)
{
    const int pixels = STRIP * self->work->edge;
    for (int k = 0; k < pixels; k++) {
        float most[SIXTEEN];
        memcpy(most, self->responded + (ptrdiff_t)k * SIXTEEN, sizeof most);
        for (int i = SIXTEEN; i < self->channels; i += SIXTEEN) {
            const float *channel = self->responded + (ptrdiff_t)i * pixels + (ptrdiff_t)k * SIXTEEN;
            for (int l = 0; l < SIXTEEN; l++)
                most[l] = channel[l] > most[l] ? channel[l] : most[l];
        }
        result[k] = most[0];
        for (int l = 1; l < SIXTEEN; l++)
            result[k] = most[l] > result[k] ? most[l] : result[k];
    }
}

static void run(void *opaque, float *result)
{
    const struct onednn *self = opaque;
    omp_set_num_threads(self->threads);
    for (int y = 0; y < self->work->edge; y += STRIP) {
        strip_load(self, y);
        const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, self->source},
                                             {DNNL_ARG_WEIGHTS, self->weights},
                                             {DNNL_ARG_DST, self->responses}};
        execute(self, self->convolution, 3, arguments);
        strip_keep(self, result + (ptrdiff_t)y * self->work->edge);
    }
}

static void end(void *opaque)
{
    struct onednn *self = opaque;
    dnnl_memory_destroy(self->source);
    dnnl_memory_destroy(self->weights);
    dnnl_memory_destroy(self->responses);
    dnnl_primitive_destroy(self->convolution);
    dnnl_stream_destroy(self->stream);
    dnnl_engine_destroy(self->engine);
    free(self->window);
    free(self->responded);
    free(self);
}

const struct method method_onednn = {"onednn", begin, run, end, false};
