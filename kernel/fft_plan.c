#include "kernel/fft_plan.h"

#include <math.h>
#include <stdlib.h>

#include "kernel/fft.h"

/*
 * What a one-dimensional transform costs, in multiply-adds of the direct algorithm that take as
 * long, for one lane: measured on one core, between what AVX2 and AVX-512 say (a tenth apart, a
 * fifth for the plain ones).
 */
static const struct price {
    double column; /* with its product, down a window, in a batch */
    double row;    /* with the maximum */
    double plain;  /* lanes over columns: product or finish, with its share of transposing */
} prices[FFT_SIZES] = {{650, 580, 1100},   {850, 730, 1600},   {1000, 850, 1850},
                       {1400, 1150, 2700}, {2100, 1650, 3550}, {3000, 2200, 4400},
                       {5400, 4000, 6400}};

enum {
    LANES_WIDE = 16, /* of a batch; narrower processors waste less of the last one */
    LANES_NARROW = 8,
    LEAST_PAIRS = 6 /* for a batch; with fewer, lanes over columns are faster */
};

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

static void reach_widen(struct reach *reach, const struct filter *filter)
{
    reach->up = larger(reach->up, filter->anchor_row);
    reach->down = larger(reach->down, filter->rows - 1 - filter->anchor_row);
    reach->left = larger(reach->left, filter->anchor_column);
    reach->right = larger(reach->right, filter->columns - 1 - filter->anchor_column);
}

static double batched_effort(const struct fft_section *section, const struct price *price, int rows,
                             int across, int windows)
{
    const double lanes = (LANES_WIDE * parts(section->pairs, LANES_WIDE) +
                          LANES_NARROW * parts(section->pairs, LANES_NARROW)) /
                         2.0;
    const double forward = 2.0 * section->size * price->plain;
    const double columns = lanes * section->size * price->column;
    return windows * (forward + columns) + lanes * across * rows * price->row;
}

/* One filter takes its windows in pairs, several filters go in pairs over each window. */
static double plain_effort(const struct fft_section *section, const struct price *price,
                           int windows)
{
    const int images = section->count == 1 ? parts(windows, 2) : windows;
    const double forward = 2.0 * section->size;
    const double inverse = (double)section->size + section->valid_columns;
    return images * (forward + section->pairs * inverse) * price->plain;
}

/* Complete a section whose filters and reach are known with windows of one kind. */
static double section_effort(struct fft_section *section, int kind, int rows, int columns)
{
    section->kind = kind;
    section->size = FFT_INNER * fft_outers[kind];
    section->valid_rows = section->size - section->reach.up - section->reach.down;
    section->valid_columns = section->size - section->reach.left - section->reach.right;
    section->pairs = parts(section->count, 2);
    section->batched = section->pairs >= LEAST_PAIRS;
    if (section->valid_rows < 1 || section->valid_columns < 1)
        return HUGE_VAL;
    const int across = parts(columns, section->valid_columns);
    const int windows = across * parts(rows, section->valid_rows);
    const struct price *price = &prices[kind];
    return section->batched ? batched_effort(section, price, rows, across, windows)
                            : plain_effort(section, price, windows);
}

static double section_choose(struct fft_section *section, int rows, int columns)
{
    double least = HUGE_VAL;
    struct fft_section best = *section;
    for (int kind = 0; kind < FFT_SIZES; kind++) {
        const double effort = section_effort(section, kind, rows, columns);
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
                      int rows, int columns)
{
    struct fft_section section = {.first = end, .count = 0};
    steps[end].effort = HUGE_VAL;
    for (int first = end - 1; first >= 0; first--) {
        section.first = first;
        section.count++;
        reach_widen(&section.reach, &bank->filters[order[first]]);
        if (first > 0 && same_span(bank, order, first - 1, first))
            continue;
        const double effort = steps[first].effort + section_choose(&section, rows, columns);
        if (effort < steps[end].effort)
            steps[end] = (struct step){effort, section};
    }
}

/* Dynamic programming over the filters by size; sections break only where the size does. */
static bool cut(struct fft_plan *plan, struct step *steps, const struct bank *bank, int rows,
                int columns)
{
    steps[0].effort = 0;
    for (int end = 1; end <= bank->count; end++)
        if (end == bank->count || !same_span(bank, plan->order, end - 1, end))
            step_find(steps, end, plan->order, bank, rows, columns);
    plan->effort = steps[bank->count].effort;
    if (!isfinite(plan->effort))
        return false;
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

bool fft_plan_init(struct fft_plan *plan, const struct bank *bank, int rows, int columns)
{
    *plan = (struct fft_plan){0};
    if (bank->count < 1)
        return false;
    bool made = false;
    struct step *steps = calloc((size_t)bank->count + 1, sizeof *steps);
    plan->order = calloc((size_t)bank->count, sizeof *plan->order);
    if (steps == NULL || plan->order == NULL)
        goto out;
    sort_filters(plan->order, bank);
    made = cut(plan, steps, bank, rows, columns);
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
