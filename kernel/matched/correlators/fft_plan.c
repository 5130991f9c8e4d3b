#include "kernel/matched/correlators/fft_plan.h"

#include <math.h>
#include <stdlib.h>

#include "kernel/matched/correlators/fft.h"

/*
 * What a one-dimensional transform costs, in multiply-adds of the direct algorithm that take as
 * long: measured (bench-kernel --only prices) on Sapphire Rapids and, for AVX-512 on units of 256
 * bits, on Zen 4. AVX2's on Zen 4 are within 15 % of these but for the largest.
 */
struct price {
    double column; /* with its product, down a window, in a batch, for one lane */
    double row;    /* with the maximum */
    double plain;  /* lanes over columns: product or finish, with its share of transposing */
};

static const struct prices {
    int lanes; /* of a batch, or columns of a plain window that go together */
    struct price of[FFT_SIZES];
} prices_of[SPEEDS_COUNT] = {
    [SPEEDS_GENERIC] = {4,
                        {{360, 290, 520},
                         {545, 440, 680},
                         {640, 510, 810},
                         {880, 700, 1130},
                         {1310, 1050, 1650},
                         {1570, 1260, 2090},
                         {2290, 1830, 3080}}},
    [SPEEDS_AVX2] = {8,
                     {{730, 580, 1030},
                      {1040, 830, 1550},
                      {1150, 920, 1730},
                      {1630, 1300, 2580},
                      {2420, 1940, 3600},
                      {3470, 2780, 4450},
                      {5780, 4620, 6550}}},
    [SPEEDS_AVX512] = {16,
                       {{650, 520, 1120},
                        {900, 720, 1800},
                        {1050, 840, 1970},
                        {1550, 1250, 2700},
                        {2700, 2100, 4050},
                        {4100, 3300, 4900},
                        {7300, 5800, 6750}}},
    [SPEEDS_AVX512_256] = {16,
                           {{490, 425, 770},
                            {680, 595, 1330},
                            {815, 705, 1190},
                            {1190, 950, 1760},
                            {1610, 1315, 2430},
                            {1970, 1665, 2850},
                            {2920, 2610, 4300}}},
};

/* Transforms of a window's pixels, in plain ones for each of its rows. A lone filter's window is
 * two of the tile's, one of them imaginary. */
static const double forward_real = 1.7, forward_pair = 2;

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int parts(int whole, int part)
{
    return (whole + part - 1) / part;
}

static int filter_span(const struct filter *filter)
{
    return larger(filter->rows, filter->columns);
}

/* How many windows a tile takes. */
struct windows {
    int across, count;
};

static double batched_effort(const struct fft_section *section, const struct demand *demand,
                             struct windows windows)
{
    const struct prices *prices = &prices_of[demand->tuned];
    const struct price *price = &prices->of[section->kind];
    const double lanes = (double)prices->lanes * parts(section->pairs, prices->lanes);
    const double forward = forward_real * section->size * price->plain;
    const double columns = lanes * section->size * price->column;
    return windows.count * (forward + columns) + lanes * windows.across * demand->rows * price->row;
}

/* One filter takes its windows in pairs, several filters go in pairs over each window. */
static double plain_effort(const struct fft_section *section, const struct demand *demand,
                           struct windows windows)
{
    const bool paired = section->count == 1 && windows.count > 1;
    const int images = paired ? parts(windows.count, 2) : windows.count;
    const double forward = (paired ? forward_pair : forward_real) * section->size;
    const struct prices *prices = &prices_of[demand->tuned];
    const int columns = prices->lanes * parts(section->valid_columns, prices->lanes);
    const double inverse = (double)section->size + columns;
    return images * (forward + section->pairs * inverse) * prices->of[section->kind].plain;
}

/* Complete a section whose filters and reach are known with windows of one kind. */
static double section_effort(struct fft_section *section, int kind, const struct demand *demand)
{
    section->kind = kind;
    section->size = FFT_INNER * fft_outers[kind];
    section->valid_rows = section->size - section->reach.up - section->reach.down;
    section->valid_columns = section->size - section->reach.left - section->reach.right;
    section->pairs = parts(section->count, 2);
    if (section->valid_rows < 1 || section->valid_columns < 1)
        return HUGE_VAL;
    struct windows windows = {.across = parts(demand->columns, section->valid_columns)};
    windows.count = windows.across * parts(demand->rows, section->valid_rows);
    const double batched = batched_effort(section, demand, windows);
    const double plain = plain_effort(section, demand, windows);
    section->batched = batched < plain;
    return section->batched ? batched : plain;
}

static double section_choose(struct fft_section *section, const struct demand *demand)
{
    double least = HUGE_VAL;
    struct fft_section best = *section;
    for (int kind = 0; kind < FFT_SIZES; kind++) {
        const double effort = section_effort(section, kind, demand);
        if (effort < least) {
            least = effort;
            best = *section;
        }
    }
    *section = best;
    return least;
}

/* By size, then by place in the bank, so that equal sizes keep their order. */
static void sort_filters(int *order, const struct bank *bank)
{
    for (int i = 0; i < bank->count; i++) {
        int at = i;
        const int span = filter_span(&bank->filters[i]);
        for (; at > 0 && filter_span(&bank->filters[order[at - 1]]) > span; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* The way to serve the `end` smallest filters at least effort. */
struct step {
    double effort;
    struct fft_section last;
};

static bool same_span(const struct bank *bank, const int *order, int i, int j)
{
    return filter_span(&bank->filters[order[i]]) == filter_span(&bank->filters[order[j]]);
}

static void step_find(struct step *steps, int end, const int *order, const struct bank *bank,
                      const struct demand *demand)
{
    struct fft_section section = {.first = end, .count = 0};
    steps[end].effort = HUGE_VAL;
    for (int first = end - 1; first >= 0; first--) {
        section.first = first;
        section.count++;
        reach_widen(&section.reach, &bank->filters[order[first]]);
        if (first > 0 && same_span(bank, order, first - 1, first))
            continue;
        const double effort = steps[first].effort + section_choose(&section, demand);
        if (effort < steps[end].effort)
            steps[end] = (struct step){effort, section};
    }
}

/* Dynamic programming over the filters by size; sections break only where the size does. False: out
 * of memory. */
static bool cut(struct fft_plan *plan, struct step *steps, const struct bank *bank,
                const struct demand *demand)
{
    steps[0].effort = 0;
    for (int end = 1; end <= bank->count; end++)
        if (end == bank->count || !same_span(bank, plan->order, end - 1, end))
            step_find(steps, end, plan->order, bank, demand);
    plan->effort = steps[bank->count].effort;
    if (!isfinite(plan->effort))
        return true;
    for (int end = bank->count; end > 0; end = steps[end].last.first)
        plan->count++;
    plan->sections = calloc((size_t)plan->count, sizeof *plan->sections);
    if (plan->sections == NULL)
        return false;
    int at = plan->count;
    for (int end = bank->count; end > 0; end = steps[end].last.first)
        plan->sections[--at] = steps[end].last;
    return true;
}

bool fft_plan_init(struct fft_plan *plan, const struct bank *bank, const struct demand *demand)
{
    *plan = (struct fft_plan){0};
    bool made = false;
    struct step *steps = calloc((size_t)bank->count + 1, sizeof *steps);
    plan->order = calloc((size_t)bank->count, sizeof *plan->order);
    if (steps == NULL || plan->order == NULL)
        goto out;
    sort_filters(plan->order, bank);
    made = cut(plan, steps, bank, demand);
out:
    free(steps);
    return made;
}

void fft_plan_release(struct fft_plan *plan)
{
    free(plan->sections);
    free(plan->order);
    *plan = (struct fft_plan){0};
}
