#include "tests/kernel/whole.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/matched/matched_filter.h"
#include "kernel/type.h"

static _Noreturn void whole_abort(const char *what)
{
    fprintf(stderr, "whole: %s\n", what);
    abort();
}

static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes / 64 + 1) * 64);
    if (!memory)
        whole_abort("out of memory");
    return memory;
}

struct scow_input image_of(int64_t slices, int64_t rows, int64_t columns, int type)
{
    return (struct scow_input){
        .kind = SCOW_INPUT_IMAGE, .type = type, .extent = {slices, rows, columns}, .name = "stack"};
}

int64_t image_pixels(const struct scow_input *image)
{
    return image->extent[0] * image->extent[1] * image->extent[2];
}

static void pixel_set(void *pixels, int type, int64_t i, struct random *random)
{
    if (type == SCOW_U8)
        ((uint8_t *)pixels)[i] = (uint8_t)random_bits(random);
    else if (type == SCOW_U16)
        ((uint16_t *)pixels)[i] = (uint16_t)random_bits(random);
    else
        ((float *)pixels)[i] = (float)(100 * random_signed(random));
}

void stack_init_random(struct stack *stack, const struct scow_input *image, struct random *random)
{
    const int64_t count = image_pixels(image);
    stack->image = *image;
    stack->pixels = allocate((size_t)count * scow_type_size(image->type));
    for (int64_t i = 0; i < count; i++)
        pixel_set(stack->pixels, image->type, i, random);
}

void stack_release(struct stack *stack)
{
    free(stack->pixels);
    stack->pixels = NULL;
}

void whole_init(struct whole *whole, const struct stack *stack, int block)
{
    memory_host_init(&whole->host);
    whole->host.input = stack->image;
    whole->host.pixels = stack->pixels;
    memory_job_init(&whole->job, &matched_filter_task, &whole->host);
    memory_job_number(&whole->job, "block", block);
}

void whole_release(struct whole *whole)
{
    memory_job_close(&whole->job);
    memory_host_release(&whole->host);
}

/* Packages as [first, first + count), shuffled. */
struct run {
    int64_t first, count;
};

static int64_t runs_make(struct run *runs, int64_t tasks, int64_t most, struct random *random)
{
    int64_t n = 0;
    for (int64_t first = 0; first < tasks; n++) {
        const int64_t left = tasks - first;
        const int64_t count =
            most == 0 ? left : random_between(random, 1, most < left ? most : left);
        runs[n] = (struct run){first, count};
        first += count;
    }
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t k = random_between(random, 0, i);
        const struct run swap = runs[i];
        runs[i] = runs[k];
        runs[k] = swap;
    }
    return n;
}

/* One task's box into the image. */
static void box_place(const struct memory_job *job, int64_t task, const float *from, float *image)
{
    const int64_t *extent = job->results.grid_extent;
    int64_t start[3], count[3];
    job->task->place(job->made, task, start, count);
    for (int i = 0; i < 3; i++)
        if (start[i] < 0 || count[i] < 1 || count[i] > job->results.grid_tile[i] ||
            start[i] + count[i] > extent[i])
            whole_abort("a core task is not in its place");
    for (int64_t y = 0; y < count[1]; y++) {
        const int64_t to = (start[0] * extent[1] + start[1] + y) * extent[2] + start[2];
        memcpy(image + to, from + y * count[2], (size_t)count[2] * sizeof *from);
    }
}

static void run_compute(const struct memory_job *job, const struct run *run, int64_t batch,
                        int threads, float *image)
{
    struct memory_outcome outcome;
    if (memory_job_compute(job, run->first, run->count, batch, threads, &outcome) != SCOW_OK)
        whole_abort(job->host->failure);
    for (int64_t k = 0; k < run->count; k++) {
        const unsigned char *box = outcome.grid + (size_t)k * outcome.box_size;
        box_place(job, run->first + k, (const float *)(const void *)box, image);
    }
    memory_outcome_release(&outcome);
}

/* No response is infinite: whatever is not filled shows. */
static float *image_new(const struct scow_input *input)
{
    const int64_t pixels = image_pixels(input);
    float *image = allocate((size_t)pixels * sizeof *image);
    for (int64_t i = 0; i < pixels; i++)
        image[i] = INFINITY;
    return image;
}

float *whole_compute(struct whole *whole, struct random *random, int64_t package_most, int threads)
{
    struct memory_job *job = &whole->job;
    if (!memory_job_open(job))
        whole_abort(whole->host.failure);
    struct run *runs = allocate((size_t)job->setup.tasks * sizeof *runs);
    float *image = image_new(&whole->host.input);
    const int64_t count = runs_make(runs, job->setup.tasks, package_most, random);
    whole->host.pulses = 0;
    for (int64_t i = 0; i < count; i++)
        run_compute(job, &runs[i], random_between(random, 0, runs[i].count), threads, image);
    free(runs);
    memory_job_close(job);
    return image;
}

float *whole_sample(struct whole *whole, int64_t every, int64_t phase)
{
    struct memory_job *job = &whole->job;
    if (!memory_job_open(job))
        return NULL;
    float *image = image_new(&whole->host.input);
    for (int64_t task = phase; task < job->setup.tasks; task += every) {
        const struct run run = {.first = task, .count = 1};
        run_compute(job, &run, 0, 1, image);
    }
    memory_job_close(job);
    return image;
}
