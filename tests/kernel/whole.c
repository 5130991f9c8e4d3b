#include "tests/kernel/whole.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int64_t extent_pixels(const struct extent *extent)
{
    return extent->slices * extent->rows * extent->columns;
}

static void pixel_set(void *pixels, enum pixel pixel, int64_t i, struct random *random)
{
    switch (pixel) {
    case PIXEL_U8:
        ((uint8_t *)pixels)[i] = (uint8_t)random_bits(random);
        break;
    case PIXEL_U16:
        ((uint16_t *)pixels)[i] = (uint16_t)random_bits(random);
        break;
    case PIXEL_F32:
        ((float *)pixels)[i] = (float)(100 * random_signed(random));
        break;
    }
}

void stack_init_random(struct stack *stack, const struct extent *extent, struct random *random)
{
    int64_t count = extent_pixels(extent);
    stack->extent = *extent;
    stack->pixels = allocate((size_t)count * pixel_bytes(extent->pixel));
    for (int64_t i = 0; i < count; i++)
        pixel_set(stack->pixels, extent->pixel, i, random);
}

void stack_release(struct stack *stack)
{
    free(stack->pixels);
    stack->pixels = NULL;
}

static bool stack_read(void *self, int64_t slice, int64_t row, int64_t column, int64_t rows,
                       int64_t columns, void *pixels)
{
    const struct stack *stack = self;
    const struct extent *extent = &stack->extent;
    size_t size = pixel_bytes(extent->pixel);
    if (slice < 0 || row < 0 || column < 0 || slice >= extent->slices ||
        row + rows > extent->rows || column + columns > extent->columns)
        whole_abort("a package asks for pixels outside the image");
    for (int64_t y = 0; y < rows; y++) {
        int64_t from = (slice * extent->rows + row + y) * extent->columns + column;
        memcpy((char *)pixels + (size_t)(y * columns) * size,
               (const char *)stack->pixels + (size_t)from * size, (size_t)columns * size);
    }
    return true;
}

struct kernel_source stack_source(struct stack *stack)
{
    return (struct kernel_source){.self = stack, .read = stack_read};
}

struct kernel_setup setup_initial(const struct kernel *kernel, const struct extent *extent,
                                  int block)
{
    struct kernel_setup setup = {.extent = *extent, .block = block};
    for (int i = 0; i < kernel->parameter_count; i++)
        setup.values[i] = kernel->parameters[i].initial;
    return setup;
}

static int parameter_find(const struct kernel *kernel, const char *name)
{
    for (int i = 0; i < kernel->parameter_count; i++)
        if (strcmp(kernel->parameters[i].name, name) == 0)
            return i;
    whole_abort("no such parameter");
}

void setup_number(struct kernel_setup *setup, const struct kernel *kernel, const char *name,
                  double value)
{
    setup->values[parameter_find(kernel, name)] = value;
}

void setup_word(struct kernel_setup *setup, const struct kernel *kernel, const char *name,
                const char *word)
{
    int index = parameter_find(kernel, name);
    const char *const *choices = kernel->parameters[index].choices;
    for (int i = 0; choices && choices[i]; i++)
        if (strcmp(choices[i], word) == 0) {
            setup->values[index] = i;
            return;
        }
    whole_abort("no such choice");
}

double setup_value(const struct kernel_setup *setup, const struct kernel *kernel, const char *name)
{
    return setup->values[parameter_find(kernel, name)];
}

/* Packages as [first, first + count), shuffled. */
struct run {
    int64_t first, count;
};

static int64_t runs_make(struct run *runs, int64_t tasks, int64_t most, struct random *random)
{
    int64_t n = 0;
    for (int64_t first = 0; first < tasks; n++) {
        int64_t left = tasks - first;
        int64_t count = most == 0 ? left : random_between(random, 1, most < left ? most : left);
        runs[n] = (struct run){first, count};
        first += count;
    }
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t k = random_between(random, 0, i);
        struct run swap = runs[i];
        runs[i] = runs[k];
        runs[k] = swap;
    }
    return n;
}

static pthread_t caller;

static void pulse_count(void *self)
{
    if (!pthread_equal(caller, pthread_self()))
        abort(); /* a pulse from a thread that did not call */
    ++*(int64_t *)self;
}

static void results_place(const struct kernel *kernel, const struct kernel_job *job,
                          const struct run *run, const float *results, const struct extent *extent,
                          float *image)
{
    for (int64_t k = 0; k < run->count; k++) {
        int64_t start[3], count[3];
        kernel->task_place(job, run->first + k, start, count);
        const float *from = results + k * kernel->result_stride(job);
        for (int64_t y = 0; y < count[1]; y++) {
            int64_t to = (start[0] * extent->rows + start[1] + y) * extent->columns + start[2];
            memcpy(image + to, from + y * count[2], (size_t)count[2] * sizeof *from);
        }
    }
}

static void run_compute(const struct kernel *kernel, const struct kernel_job *job,
                        const struct run *run, struct stack *stack, int threads, int64_t *pulses,
                        float *image)
{
    const unsigned char guard = 0xa5;
    size_t bytes = kernel->package_bytes(job, run->first, run->count);
    size_t values = (size_t)(run->count * kernel->result_stride(job));
    if (bytes > kernel->package_bytes_most(job, run->count))
        whole_abort("a package is larger than the most it may be");
    unsigned char *package = allocate(bytes + 1);
    float *results = allocate((values + 1) * sizeof *results);
    void *workspace = allocate(kernel->workspace_bytes(job, threads));
    package[bytes] = guard;
    results[values] = guard;
    struct kernel_source source = stack_source(stack);
    caller = pthread_self();
    struct kernel_pulse pulse = {.call = pulses ? pulse_count : NULL, .self = pulses};
    if (!kernel->pack(job, run->first, run->count, &source, package))
        whole_abort("the source failed");
    kernel->compute(job, run->first, run->count, package, threads, workspace, &pulse, results);
    if (package[bytes] != guard || results[values] != guard)
        whole_abort("written beyond a package or a result");
    results_place(kernel, job, run, results, &stack->extent, image);
    free(workspace);
    free(results);
    free(package);
}

static void setup_check(const struct kernel *kernel, const struct kernel_setup *setup)
{
    char why[256];
    if (!kernel->check(setup, why, sizeof why))
        whole_abort(why);
}

/* No response is infinite: whatever is not filled shows. */
static float *image_new(const struct extent *extent)
{
    int64_t pixels = extent_pixels(extent);
    float *image = allocate((size_t)pixels * sizeof *image);
    for (int64_t i = 0; i < pixels; i++)
        image[i] = INFINITY;
    return image;
}

float *whole_compute(const struct kernel *kernel, const struct kernel_setup *setup,
                     struct stack *stack, struct random *random, int64_t package_most, int threads,
                     int64_t *pulses)
{
    setup_check(kernel, setup);
    int64_t tasks = kernel->task_count(setup);
    struct kernel_job *job = kernel->new_job(setup);
    struct run *runs = allocate((size_t)tasks * sizeof *runs);
    float *image = image_new(&setup->extent);
    int64_t count = runs_make(runs, tasks, package_most, random);
    for (int64_t i = 0; job && i < count; i++)
        run_compute(kernel, job, &runs[i], stack, threads, pulses, image);
    free(runs);
    kernel->free_job(&job);
    return image;
}

float *whole_sample(const struct kernel *kernel, const struct kernel_setup *setup,
                    struct stack *stack, int64_t every, int64_t phase)
{
    setup_check(kernel, setup);
    int64_t tasks = kernel->task_count(setup);
    struct kernel_job *job = kernel->new_job(setup);
    float *image = image_new(&setup->extent);
    for (int64_t task = phase; job && task < tasks; task += every) {
        struct run run = {.first = task, .count = 1};
        run_compute(kernel, job, &run, stack, 1, NULL, image);
    }
    kernel->free_job(&job);
    return image;
}
