#include "tests/calibrate/synthetic.h"

#include <math.h>

#include "tests/checks.h"

double generator_uniform(struct generator *generator)
{
    /* Marsaglia, Xorshift RNGs (2003). */
    generator->state ^= generator->state << 13;
    generator->state ^= generator->state >> 7;
    generator->state ^= generator->state << 17;
    return (double)(generator->state >> 11) * 0x1p-53;
}

double generator_normal(struct generator *generator)
{
    const double u = 1 - generator_uniform(generator), v = generator_uniform(generator);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

static double affine(const struct machine *machine, double tasks)
{
    const bool above = machine->jump_at > 0 && tasks > (double)machine->jump_at;
    return machine->latency_s + (above ? machine->jump_s : 0) +
           machine->s_per_task * (above ? machine->rate_factor : 1) * tasks;
}

/* The mean share of tasks [first, end). */
static double share_of(const struct machine *machine, int64_t first, int64_t end)
{
    double sum = 0;
    if (!machine->share)
        return 1;
    for (int64_t task = first; task < end; task++)
        sum += machine->share(task);
    return sum / (double)(end - first);
}

double machine_mean(const struct machine *machine, double tasks)
{
    const double latency_s = affine(machine, 0);
    return latency_s + (affine(machine, tasks) - latency_s) * share_of(machine, 0, SYNTHETIC_TASKS);
}

static double timing(const struct machine *machine, const struct design_package *package,
                     double drift, struct generator *generator)
{
    const double latency_s = affine(machine, 0);
    const double exact =
        latency_s + (affine(machine, (double)package->tasks) - latency_s) *
                        share_of(machine, package->first, package->first + package->tasks);
    const double noise = fmax(0.05, 1 + machine->noise * generator_normal(generator));
    const bool outlier = generator_uniform(generator) < machine->outlier_rate;
    const double jitter_s =
        machine->jitter_s > 0 ? machine->jitter_s * generator_normal(generator) : 0;
    return fmax(exact / 20, exact * drift * noise + jitter_s) *
           (outlier ? machine->outlier_factor : 1);
}

static void pass_time(const struct machine *machine, enum operation operation,
                      const struct design_pass *pass, int number, struct generator *generator,
                      struct samples *samples)
{
    enum { WORKERS_MOST = 16 };
    const double drift = fmax(0.1, 1 + machine->drift * generator_normal(generator));
    double own[WORKERS_MOST];
    for (int i = 0; i < WORKERS_MOST; i++)
        own[i] = machine->drift_own > 0
                     ? fmax(0.1, 1 + machine->drift_own * generator_normal(generator))
                     : 1;
    for (int64_t i = 0; i < pass->count; i++) {
        const struct design_package *package = &pass->packages[i];
        const struct sample sample = {
            .rank = package->worker + 1,
            .operation = operation,
            .pass = number,
            .first = package->first,
            .tasks = package->tasks,
            .seconds = timing(machine, package, drift * own[package->worker], generator)};
        assert_true(samples_add(samples, &sample));
    }
}

void machine_time(const struct machine *machine, enum operation operation, int workers,
                  int64_t most, uint64_t seed, struct samples *samples)
{
    struct generator generator = {seed * 0x9e3779b97f4a7c15u + 1};
    struct failure failure = FAILURE_INIT;
    struct design design;
    design_init(&design, SYNTHETIC_TASKS, workers, seed);
    design_grid(&design, most, 2);
    design_copies(&design, machine->latency_s, machine->s_per_task,
                  4 * affine(machine, (double)most), 8);
    for (int i = 0; i < 10; i++) /* neighbouring seeds differ in few bits */
        generator_uniform(&generator);
    for (int set = 0; set < SYNTHETIC_SETS; set++) {
        struct design_pass pass;
        assert_true(design_pass_make(&design, &pass, &failure));
        pass_time(machine, operation, &pass, set, &generator, samples);
        pass_time(machine, operation, &pass, SYNTHETIC_SETS + set, &generator, samples);
        design_pass_release(&pass);
    }
}
