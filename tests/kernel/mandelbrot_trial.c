#include "tests/kernel/mandelbrot_trial.h"

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/mandelbrot/mandelbrot.h"
#include "kernel/vector/isa.h"

const struct domain domain_square = {1200, 1200, -2, 2, -2, 2, 1000};
const struct domain domain_large = {60000, 50000, -1.7, 0.8, -1, 1, 1000};

static void *allocate(size_t alignment, size_t size)
{
    void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return memory;
}

/* ---- the definition ---- */

/* The centre of pixel number `index`, counted from the edge `from`. */
static double centre(double from, double to, int64_t index, int64_t count)
{
    const double to_here = (double)(2 * index + 1) / 2, from_here = (double)count - to_here;
    return (to * to_here + from * from_here) / (double)count;
}

/* CMPLX, which not every compiler's library has. */
static double complex complex_of(double x, double y)
{
    double complex z;
    memcpy(&z, (const double[]){x, y}, sizeof z);
    return z;
}

uint32_t domain_count(const struct domain *domain, int64_t row, int64_t column)
{
    const double complex c = complex_of(centre(domain->x_min, domain->x_max, column, domain->width),
                                        centre(domain->y_max, domain->y_min, row, domain->height));
    double complex z = c;
    uint32_t count = 0;
    for (int64_t i = 0; i < domain->iterations; i++) {
        if (!(creal(z * conj(z)) <= 4))
            break;
        z = z * z + c;
        count++;
    }
    return count;
}

uint32_t *domain_counts(const struct domain *domain, int64_t first, int64_t count)
{
    uint32_t *counts = allocate(64, (size_t)(count * domain->width) * sizeof *counts);
    for (int64_t row = 0; row < count; row++)
        for (int64_t column = 0; column < domain->width; column++)
            counts[row * domain->width + column] = domain_count(domain, first + row, column);
    return counts;
}

/* ---- a job ---- */

static double domain_value(const struct domain *domain, const char *name)
{
    const struct {
        const char *name;
        double value;
    } values[] = {{"width", (double)domain->width},
                  {"height", (double)domain->height},
                  {"x-min", domain->x_min},
                  {"x-max", domain->x_max},
                  {"y-min", domain->y_min},
                  {"y-max", domain->y_max},
                  {"iterations", (double)domain->iterations},
                  {NULL, 0}};
    int i = 0;
    while (values[i].name != NULL && strcmp(values[i].name, name) != 0)
        i++;
    return values[i].name != NULL ? values[i].value : (double)NAN;
}

bool trial_job_init(struct trial_job *job, const struct domain *domain)
{
    *job = (struct trial_job){.opened = NULL};
    memory_host_init(&job->memory);
    const struct scow_parameter *parameters = mandelbrot_task.parameters;
    for (int i = 0; parameters[i].name != NULL; i++)
        job->values[i].number = domain_value(domain, parameters[i].name);
    job->setup.values = job->values;
    return mandelbrot_task.describe(&job->memory.host, job->values, &job->setup.input,
                                    &job->setup.tasks) == SCOW_OK &&
           mandelbrot_task.open(&job->memory.host, &job->setup, &job->opened) == SCOW_OK;
}

void trial_job_release(struct trial_job *job)
{
    if (job->opened != NULL)
        mandelbrot_task.close(job->opened);
    job->opened = NULL;
    memory_host_release(&job->memory);
}

int trial_job_compute(struct trial_job *job, int64_t first, int64_t count, int threads,
                      uint32_t *counts)
{
    enum { GUARD = 32 };
    struct scow_results results = {.grid_type = SCOW_NONE};
    mandelbrot_task.results(job->opened, &results);
    const size_t numbers = (size_t)(count * results.grid_tile[2]);
    const size_t workspace_size = mandelbrot_task.workspace_size(job->opened, threads);
    void *workspace = allocate(4096, workspace_size);
    uint32_t *grid = allocate(64, (numbers + GUARD) * sizeof *grid);
    memset(workspace, 0, workspace_size);
    memset(grid, 0xa5, (numbers + GUARD) * sizeof *grid);
    const struct scow_batch batch = {.first = first,
                                     .count = count,
                                     .stride = 1,
                                     .workspace = workspace,
                                     .grid = grid,
                                     .threads = threads};
    const int status = mandelbrot_task.compute(&job->memory.host, job->opened, &batch);
    for (size_t i = numbers; i < numbers + GUARD; i++)
        if (grid[i] != 0xa5a5a5a5U) {
            fputs("written beyond the results\n", stderr);
            abort();
        }
    memcpy(counts, grid, numbers * sizeof *grid);
    free(grid);
    free(workspace);
    return status;
}

/* ---- comparing ---- */

static char complaint[MEMORY_SENTENCE_BYTES];

static const char *difference(const struct domain *domain, int64_t first, int64_t numbers,
                              const uint32_t *counts, const uint32_t *expected, const char *how)
{
    for (int64_t i = 0; i < numbers; i++)
        if (counts[i] != expected[i]) {
            snprintf(complaint, sizeof complaint,
                     "row %" PRId64 ", column %" PRId64 " of [%.17g, %.17g] x [%.17g, %.17g] at "
                     "%" PRId64 " x %" PRId64 ": %" PRIu32 " instead of %" PRIu32 " of %" PRId64
                     " iterations (%s)",
                     first + i / domain->width, i % domain->width, domain->x_min, domain->x_max,
                     domain->y_min, domain->y_max, domain->width, domain->height, counts[i],
                     expected[i], domain->iterations, how);
            return complaint;
        }
    return NULL;
}

/* Computes in packages of random sizes, with the present instruction set. */
static const char *packages_complaint(const struct domain *domain, int64_t first, int64_t count,
                                      const uint32_t *expected, struct random *random)
{
    struct trial_job job;
    uint32_t *counts = allocate(64, (size_t)(count * domain->width) * sizeof *counts);
    const char *found = NULL;
    if (!trial_job_init(&job, domain)) {
        snprintf(complaint, sizeof complaint, "%s", job.memory.failure);
        found = complaint;
    }
    for (int64_t done = 0; found == NULL && done < count;) {
        char how[64];
        const int64_t rows = random_between(random, 1, count - done);
        const int threads = (int)random_between(random, 1, 3);
        snprintf(how, sizeof how, "%s, %d threads, package of %" PRId64, isa_name(isa_current()),
                 threads, rows);
        if (trial_job_compute(&job, first + done, rows, threads, counts) != SCOW_OK)
            found = "compute failed";
        else
            found = difference(domain, first + done, rows * domain->width, counts,
                               expected + done * domain->width, how);
        done += rows;
    }
    trial_job_release(&job);
    free(counts);
    return found;
}

const char *domain_complaint(const struct domain *domain, int64_t first, int64_t count,
                             const uint32_t *expected, struct random *random)
{
    const char *found = NULL;
    for (int isa = 0; isa < ISA_COUNT && found == NULL; isa++)
        if (isa_pin(isa_name((enum isa)isa)))
            found = packages_complaint(domain, first, count, expected, random);
    isa_pin("auto");
    return found;
}

struct sight {
    double x, y;
};

/* Places on the set's boundary. */
static const struct sight sights[] = {
    {-0.743643887037151, 0.131825904205330}, /* a valley of seahorses, far down */
    {-1.7687788, 0},                         /* a small copy on the real axis */
    {-1.25066, 0},                           /* where two discs meet */
    {-0.75, 0},
    {0.25, 0},
    {-1.401155189, 0}, /* where doubling of periods ends */
    {-0.1, 0.7},
};

/* Are pixels so small that double precision can hardly tell them apart? */
static bool side_is_too_fine(double min, double max, int64_t count)
{
    return (max - min) / (double)count < 0x1p-51 * fmax(fabs(min), fabs(max));
}

/* Around -2, and hardly above the axis: points of which rounding decides whether they are outside,
 * and which take their time to leave. */
static void domain_place_on_the_rim(struct domain *domain, struct random *random)
{
    const double wide = pow(10, -12.5 + random_signed(random));
    const double high = pow(10, -20 + 15 * random_signed(random));
    domain->x_min = -2 - wide / 8;
    domain->x_max = -2 + wide;
    domain->y_min = -high;
    domain->y_max = high;
}

static void domain_place(struct domain *domain, struct random *random)
{
    const size_t count = sizeof sights / sizeof *sights;
    const size_t choice = random_bits(random) % (count + 2);
    struct sight middle = {1.5 * random_signed(random), 1.5 * random_signed(random)};
    double half = pow(10, random_signed(random));
    if (choice < count) {
        middle = sights[choice];
        half = pow(10, -5 + 5 * random_signed(random));
    }
    domain->x_min = middle.x - half;
    domain->x_max = middle.x + half;
    domain->y_min = middle.y - half;
    domain->y_max = middle.y + half * (1.2 + random_signed(random));
}

const char *domain_complaint_random(uint64_t seed)
{
    struct random random = {seed};
    struct domain domain;
    do {
        if (random_between(&random, 0, 9) == 0)
            domain_place_on_the_rim(&domain, &random);
        else
            domain_place(&domain, &random);
        domain.width = random_between(&random, 1, 200);
        domain.height = random_between(&random, 1, 8);
        domain.iterations = 1 + (int64_t)pow(2, 5.5 + 5.5 * random_signed(&random));
    } while (side_is_too_fine(domain.x_min, domain.x_max, domain.width) ||
             side_is_too_fine(domain.y_min, domain.y_max, domain.height));
    uint32_t *expected = domain_counts(&domain, 0, domain.height);
    const char *found = domain_complaint(&domain, 0, domain.height, expected, &random);
    free(expected);
    return found;
}
