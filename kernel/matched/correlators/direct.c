/*
 * Sets the direct algorithm up: filters that have their taps in the same places go together, six at
 * most, because a place where only one of a group has a tap costs a multiplication for all.
 */
#include "kernel/matched/correlators/direct.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/matched/correlators/direct_kernel.h"
#include "kernel/vector/isa.h"

struct direct_correlator {
    struct correlator base;
    struct direct_bank bank;
    void (*run)(const struct direct_bank *bank, const struct tile *tile, ptrdiff_t *offsets);
    struct direct_group *groups; /* owned, as the next two */
    struct direct_place *places;
    float *weights;
    int places_most;
};

/* The box around all filters of a bank, laid on their anchors, and which of its places each filter
 * uses: used[filter * rows * columns + place]. */
struct stencil {
    struct reach reach;
    int rows, columns;
    unsigned char *used; /* owned */
};

static int stencil_places(const struct stencil *stencil)
{
    return stencil->rows * stencil->columns;
}

static const unsigned char *stencil_of(const struct stencil *stencil, int filter)
{
    return stencil->used + (size_t)filter * (size_t)stencil_places(stencil);
}

static bool stencil_init(struct stencil *stencil, const struct bank *bank)
{
    stencil->reach = bank_reach(bank);
    stencil->rows = stencil->reach.up + 1 + stencil->reach.down;
    stencil->columns = stencil->reach.left + 1 + stencil->reach.right;
    size_t places = (size_t)stencil_places(stencil);
    stencil->used = calloc((size_t)bank->count * places + 1, 1);
    if (!stencil->used)
        return false;
    for (int i = 0; i < bank->count; i++) {
        const struct filter *filter = &bank->filters[i];
        int top = stencil->reach.up - filter->anchor_row;
        int left = stencil->reach.left - filter->anchor_column;
        unsigned char *used = stencil->used + (size_t)i * places;
        for (int a = 0; a < filter->rows; a++)
            for (int b = 0; b < filter->columns; b++)
                used[(a + top) * stencil->columns + b + left] =
                    filter->taps[a * filter->columns + b] != 0;
    }
    return true;
}

/* The weight of a filter at a place of the stencil. */
static float stencil_weight(const struct stencil *stencil, const struct filter *filter, int place)
{
    int a = place / stencil->columns - stencil->reach.up + filter->anchor_row;
    int b = place % stencil->columns - stencil->reach.left + filter->anchor_column;
    if (a < 0 || b < 0 || a >= filter->rows || b >= filter->columns)
        return 0;
    return (float)filter->taps[a * filter->columns + b];
}

/* Weights that are zero for nothing once `own` joins `members` filters that use `together`. */
static int wasted(const unsigned char *together, const unsigned char *own, int members, int places)
{
    int waste = 0;
    for (int i = 0; i < places; i++)
        waste += own[i] > together[i] ? members : together[i] - own[i];
    return waste;
}

/* A correlator in the making. */
struct builder {
    const struct bank *bank;
    struct stencil stencil;
    unsigned char *taken;       /* owned; filters that have a group */
    unsigned char *together;    /* owned; places that the present group's filters use */
    struct direct_place *place; /* next ones to be written */
    float *weight;
};

/* Groups as even as can be: two of four are faster than six and two. */
static int group_size(int filters, int groups, int i)
{
    return filters / groups + (i < filters % groups);
}

/* The filter without a group that wastes least as the next of `members`; the one with the most taps
 * for a start. */
static int filter_next(const struct builder *builder, int members)
{
    int best = -1, least = 0, places = stencil_places(&builder->stencil);
    for (int i = 0; i < builder->bank->count; i++) {
        if (builder->taken[i])
            continue;
        const unsigned char *own = stencil_of(&builder->stencil, i);
        int waste = members > 0 ? wasted(builder->together, own, members, places)
                                : -wasted(builder->together, own, 1, places);
        if (best < 0 || waste < least) {
            best = i;
            least = waste;
        }
    }
    return best;
}

static void members_choose(struct builder *builder, int *members, int count)
{
    size_t places = (size_t)stencil_places(&builder->stencil);
    memset(builder->together, 0, places);
    for (int k = 0; k < count; k++) {
        members[k] = filter_next(builder, k);
        builder->taken[members[k]] = 1;
        const unsigned char *own = stencil_of(&builder->stencil, members[k]);
        for (size_t i = 0; i < places; i++)
            builder->together[i] |= own[i];
    }
}

static void group_write(struct builder *builder, struct direct_group *group, const int *members)
{
    const struct stencil *stencil = &builder->stencil;
    group->place = builder->place;
    group->weights = builder->weight;
    for (int i = 0; i < stencil_places(stencil); i++) {
        if (!builder->together[i])
            continue;
        *builder->place++ = (struct direct_place){i / stencil->columns - stencil->reach.up,
                                                  i % stencil->columns - stencil->reach.left};
        for (int f = 0; f < group->filters; f++)
            *builder->weight++ = stencil_weight(stencil, &builder->bank->filters[members[f]], i);
        group->places++;
    }
}

/* False: out of memory; what there is belongs to the correlator. */
static bool groups_allocate(struct direct_correlator *self, const struct builder *builder,
                            int count)
{
    size_t places = (size_t)stencil_places(&builder->stencil);
    self->groups = calloc((size_t)count, sizeof *self->groups);
    self->places = calloc((size_t)count * places, sizeof *self->places);
    self->weights = calloc((size_t)builder->bank->count * places, sizeof *self->weights);
    return self->groups && self->places && self->weights;
}

static bool groups_build(struct direct_correlator *self, const struct bank *bank)
{
    bool done = false;
    int count = (bank->count + DIRECT_FILTERS_MOST - 1) / DIRECT_FILTERS_MOST;
    struct builder builder = {.bank = bank};
    if (!stencil_init(&builder.stencil, bank))
        goto out;
    builder.taken = calloc((size_t)bank->count, 1);
    builder.together = calloc((size_t)stencil_places(&builder.stencil), 1);
    if (!builder.taken || !builder.together || !groups_allocate(self, &builder, count))
        goto out;
    builder.place = self->places;
    builder.weight = self->weights;
    for (int i = 0; i < count; i++) {
        int members[DIRECT_FILTERS_MOST];
        struct direct_group *group = &self->groups[i];
        group->filters = group_size(bank->count, count, i);
        members_choose(&builder, members, group->filters);
        group_write(&builder, group, members);
        if (self->places_most < group->places)
            self->places_most = group->places;
    }
    self->bank.groups = self->groups;
    self->bank.count = count;
    done = true;
out:
    free(builder.together);
    free(builder.taken);
    free(builder.stencil.used);
    return done;
}

static bool slide_build(struct direct_correlator *self, const struct filter *filter)
{
    struct direct_slide *slide = &self->bank.slide;
    *slide = (struct direct_slide){.rows = filter->rows,
                                   .columns = filter->columns,
                                   .anchor_row = filter->anchor_row,
                                   .anchor_column = filter->anchor_column};
    float *weight = calloc((size_t)filter->rows * (size_t)filter->columns, sizeof *weight);
    if (!weight)
        return false;
    self->weights = weight;
    slide->weights = weight;
    for (int b = 0; b < filter->columns; b++)
        for (int a = 0; a < filter->rows; a++)
            *weight++ = (float)filter->taps[a * filter->columns + b];
    return true;
}

static void direct_free(struct correlator **correlator)
{
    struct direct_correlator *self = (struct direct_correlator *)*correlator;
    if (!self)
        return;
    free(self->groups);
    free(self->places);
    free(self->weights);
    free(self);
    *correlator = NULL;
}

static void (*const runs[ISA_COUNT])(const struct direct_bank *bank, const struct tile *tile,
                                     ptrdiff_t *offsets) = {
    [ISA_BASELINE] = direct_run_generic,
#ifdef __x86_64__
    [ISA_AVX2] = direct_run_avx2,
    [ISA_AVX512] = direct_run_avx512,
#endif
};

static struct correlator *direct_new(const struct bank *bank, const struct demand *demand)
{
    (void)demand;
    struct direct_correlator *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    struct correlator *correlator = &self->base;
    correlator->algorithm = &direct_algorithm;
    self->run = runs[isa_current()];
    bool lone = bank->count == 1 && bank->filters[0].rows >= DIRECT_SLIDE_ROWS;
    if (lone ? !slide_build(self, &bank->filters[0]) : !groups_build(self, bank))
        direct_free(&correlator);
    return correlator;
}

/* What the loops take longer for than six filters at a time, where one load of a pixel serves six
 * multiply-adds: measured, as parts of that. */
static const struct slowness {
    int lanes;
    int cell; /* columns that a cell of a lone filter takes at its best; fewer go in narrow ones */
    int tall; /* rows of taps from which on cells are taller, and half as wide */
    double few;  /* taps' rows too few for sliding */
    double step; /* sliding, for each result row but the first: 1 + step / rows of taps */
    double narrow, pair, several;
} slowness_of[SPEEDS_COUNT] = {
    [SPEEDS_GENERIC] = {4, 8, INT_MAX, 1.3, 0.8, 1.1, 0.9, 0.92},
    [SPEEDS_AVX2] = {8, 16, INT_MAX, 2.1, 1.5, 1.1, 1.2, 1.0},
    [SPEEDS_AVX512] = {16, 64, 12, 2.4, 2.0, 1.4, 1.42, 1.08},
    [SPEEDS_AVX512_256] = {16, 64, 12, 2.0, 0.7, 1.38, 1.02, 1.0},
};

static double direct_slowness(const struct bank *bank, const struct demand *demand)
{
    const struct slowness *slow = &slowness_of[demand->tuned];
    const int rows = bank->filters[0].rows;
    if (bank->count > 1)
        return bank->count == 2 ? slow->pair : bank->count == 6 ? 1 : slow->several;
    if (rows < DIRECT_SLIDE_ROWS)
        return slow->few;
    const int cell = rows < slow->tall ? slow->cell : slow->cell / 2;
    return (1 + slow->step / rows) * (demand->columns < cell ? slow->narrow : 1);
}

static double direct_effort(const struct bank *bank, const struct demand *demand)
{
    const double storing = 2; /* maximum and store, in taps per filter */
    const int lanes = slowness_of[demand->tuned].lanes;
    const double taps = (double)bank_tap_count(bank) + storing * bank->count;
    const double columns = ceil((double)demand->columns / lanes) * lanes;
    return direct_slowness(bank, demand) * taps * demand->rows * columns;
}

static bool direct_estimate(const struct bank *bank, const struct demand *demands, int count,
                            double *efforts)
{
    for (int i = 0; i < count; i++)
        efforts[i] = direct_effort(bank, &demands[i]);
    return true;
}

static size_t direct_workspace(const struct correlator *correlator)
{
    const struct direct_correlator *self = (const struct direct_correlator *)correlator;
    return ((size_t)self->places_most * sizeof(ptrdiff_t) + 63) / 64 * 64;
}

static void direct_run(const struct correlator *correlator, const struct tile *tile,
                       void *workspace)
{
    const struct direct_correlator *self = (const struct direct_correlator *)correlator;
    self->run(&self->bank, tile, workspace);
}

const struct algorithm direct_algorithm = {.name = "direct",
                                           .estimate = direct_estimate,
                                           .new_correlator = direct_new,
                                           .workspace_bytes = direct_workspace,
                                           .run = direct_run,
                                           .free_correlator = direct_free};
