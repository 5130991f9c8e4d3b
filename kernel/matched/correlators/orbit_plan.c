#include "kernel/matched/correlators/orbit_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ways to map a filter, in the order of struct orbit_group's bits. */
enum image { IMAGE_SAME, IMAGE_TRANSPOSED, IMAGE_MIRRORED, IMAGE_TURNED, IMAGE_COUNT };

/* Filters that are images of one of them, and which images they are. */
struct orbit {
    const struct filter *filter;
    double sum;      /* of its taps' magnitudes */
    int back, ahead; /* no feature before or after that, up or down, has a tap of its filters */
    unsigned images;
};

/* The orbits of one family while it is built. */
struct draft {
    int components, centre;
    double negligible; /* taps up to this are zero */
    struct reach reach;
    struct orbit *orbits;
    int count;
};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static double tap_at(const struct filter *filter, int y, int x)
{
    const int a = y + filter->anchor_row, b = x + filter->anchor_column;
    if (a < 0 || b < 0 || a >= filter->rows || b >= filter->columns)
        return 0;
    return filter->taps[a * filter->columns + b];
}

/* A tap of a filter's image; mirrors are about the point centre / 2. */
static double image_at(const struct filter *filter, enum image image, int centre, int y, int x)
{
    switch (image) {
    case IMAGE_TRANSPOSED:
        return tap_at(filter, x, y);
    case IMAGE_MIRRORED:
        return tap_at(filter, y, centre - x);
    case IMAGE_TURNED:
        return tap_at(filter, x, centre - y);
    case IMAGE_SAME:
    case IMAGE_COUNT:
        break;
    }
    return tap_at(filter, y, x);
}

static int reach_back(const struct reach *reach)
{
    return larger(reach->up, reach->left);
}

static int reach_ahead(const struct reach *reach)
{
    return larger(reach->down, reach->right);
}

int orbit_back(const struct orbit_family *family)
{
    const int back = reach_back(&family->reach);
    return family->components == 2 ? back
                                   : larger(back, reach_ahead(&family->reach) - family->centre);
}

int orbit_ahead(const struct orbit_family *family)
{
    const int ahead = reach_ahead(&family->reach);
    return family->components == 2 ? ahead
                                   : larger(ahead, reach_back(&family->reach) + family->centre);
}

/* Is `other` that image of `filter`? */
static bool is_image(const struct filter *other, const struct filter *filter, enum image image,
                     int centre, double negligible)
{
    struct reach reach = {0};
    reach_widen(&reach, filter);
    reach_widen(&reach, other);
    const int ahead = reach_ahead(&reach) + abs(centre), back = reach_back(&reach) + abs(centre);
    for (int y = -back; y <= ahead; y++)
        for (int x = -back; x <= ahead; x++)
            if (fabs(tap_at(other, y, x) - image_at(filter, image, centre, y, x)) > negligible)
                return false;
    return true;
}

static bool is_point_symmetric(const struct filter *filter, double negligible)
{
    const int taps = filter->rows * filter->columns;
    const int centre = filter->rows - 1 - 2 * filter->anchor_row;
    if (centre != filter->columns - 1 - 2 * filter->anchor_column)
        return false;
    for (int t = 0; t < taps / 2; t++)
        if (fabs(filter->taps[t] - filter->taps[taps - 1 - t]) > negligible)
            return false;
    return true;
}

static double largest_tap(const struct bank *bank)
{
    double largest = 0;
    for (int i = 0; i < bank->count; i++)
        for (int t = 0; t < bank->filters[i].rows * bank->filters[i].columns; t++)
            if (largest < fabs(bank->filters[i].taps[t]))
                largest = fabs(bank->filters[i].taps[t]);
    return largest;
}

static double taps_sum(const struct filter *filter)
{
    double sum = 0;
    for (int t = 0; t < filter->rows * filter->columns; t++)
        sum += fabs(filter->taps[t]);
    return sum;
}

/* May it be an image of the orbit's filter? Images have the same taps, elsewhere, but for what is
 * negligible in each; the sum itself is rounded. Most filters are told apart so, at once. */
static bool may_be_image(const struct filter *filter, double sum, const struct orbit *orbit,
                         double negligible)
{
    const int taps = filter->rows * filter->columns + orbit->filter->rows * orbit->filter->columns;
    return fabs(sum - orbit->sum) <= taps * negligible + 1e-9 * sum;
}

/* Put the filter into the orbit that it belongs to, or begin one. */
static void draft_add(struct draft *draft, const struct filter *filter)
{
    const double sum = taps_sum(filter);
    for (int o = 0; o < draft->count; o++) {
        struct orbit *orbit = &draft->orbits[o];
        if (!may_be_image(filter, sum, orbit, draft->negligible))
            continue;
        for (int image = 0; image < draft->components; image++)
            if (is_image(filter, orbit->filter, (enum image)image, draft->centre,
                         draft->negligible)) {
                orbit->images |= 1U << image;
                return;
            }
    }
    struct reach reach = {0};
    reach_widen(&reach, filter);
    reach_widen(&draft->reach, filter);
    draft->orbits[draft->count++] =
        (struct orbit){filter, sum, reach_back(&reach), reach_ahead(&reach), 1U << IMAGE_SAME};
}

/* ---- components of filters ---- */

/* Features are sums over all images of a pixel; one on an axis comes several times. */
static int feature_times(const struct draft *draft, int y, int x)
{
    if (draft->components == 2)
        return y == x ? 2 : 1;
    const int down = 2 * y - draft->centre, across = 2 * x - draft->centre;
    const int times = (down == 0 ? 2 : 1) * (down == across ? 2 : 1);
    return down == 0 && across == 0 ? 8 : times;
}

/* Of a filter at one place, for every component. */
struct weights {
    double of[ORBIT_COMPONENTS_MOST];
};

/* Sums of the images' taps, with the signs that a component of an image has to the filter's. */
static struct weights weights_sum(const double taps[IMAGE_COUNT])
{
    const double mirrored = taps[IMAGE_MIRRORED], turned = taps[IMAGE_TURNED];
    const double both = taps[IMAGE_SAME] + taps[IMAGE_TRANSPOSED];
    const double apart = taps[IMAGE_SAME] - taps[IMAGE_TRANSPOSED];
    return (struct weights){{both + mirrored + turned, apart + mirrored - turned,
                             both - mirrored - turned, apart - mirrored + turned}};
}

/* Of a feature: y <= x. */
static struct weights weights_at(const struct draft *draft, const struct orbit *orbit, int y, int x)
{
    if (y < -orbit->back || x > orbit->ahead)
        return (struct weights){{0}};
    double taps[IMAGE_COUNT] = {0};
    for (int image = 0; image < draft->components; image++)
        taps[image] = image_at(orbit->filter, (enum image)image, draft->centre, y, x);
    struct weights weights = weights_sum(taps);
    const double share = 1.0 / (draft->components * feature_times(draft, y, x)); /* exact */
    for (int component = 0; component < ORBIT_COMPONENTS_MOST; component++) {
        const double weight = weights.of[component] * share;
        weights.of[component] = fabs(weight) > draft->negligible ? weight : 0;
    }
    return weights;
}

static bool feature_is_used(const struct draft *draft, int y, int x)
{
    for (int o = 0; o < draft->count; o++) {
        const struct weights weights = weights_at(draft, &draft->orbits[o], y, x);
        for (int component = 0; component < draft->components; component++)
            if (weights.of[component] != 0)
                return true;
    }
    return false;
}

/* One pixel of every set of images that counts: row <= column, and not before the point. */
static bool family_features(struct orbit_family *family, const struct draft *draft)
{
    const int ahead = orbit_ahead(family);
    const int first = draft->components == 2 ? -reach_back(&draft->reach)
                                             : (draft->centre + (draft->centre & 1)) / 2;
    const int span = ahead - first + 1;
    const size_t edge = (size_t)span;
    family->rows = calloc(2 * edge * edge, sizeof *family->rows);
    if (!family->rows)
        return false;
    family->columns = family->rows + edge * edge;
    family->first = first;
    for (int y = first; y <= ahead; y++)
        for (int x = y; x <= ahead; x++) {
            if (!feature_is_used(draft, y, x))
                continue;
            family->rows[family->features] = y;
            family->columns[family->features++] = x;
            family->halves = larger(family->halves, x - first + 1);
        }
    return true;
}

/* For so many features at most. */
static bool sum_init(struct orbit_sum *sum, int features)
{
    const size_t most = (size_t)features + 1;
    sum->features = calloc(most, sizeof *sum->features);
    sum->weights = calloc(most * ORBIT_GROUP, sizeof *sum->weights);
    return sum->features && sum->weights;
}

/* The products of feature k, unless there are none. */
static void sum_add(struct orbit_sum *sum, int k, const struct weights *weights, int component)
{
    float *to = sum->weights + (ptrdiff_t)sum->count * ORBIT_GROUP;
    bool any = false;
    for (int o = 0; o < ORBIT_GROUP; o++) {
        to[o] = (float)weights[o].of[component];
        any = any || to[o] != 0;
    }
    if (any)
        sum->features[sum->count++] = k;
}

static bool group_fill(struct orbit_group *group, const struct orbit_family *family,
                       const struct draft *draft, int first)
{
    const struct orbit *orbits[ORBIT_GROUP];
    struct weights weights[ORBIT_GROUP];
    bool done = true;
    for (int o = 0; o < ORBIT_GROUP; o++) {
        /* a group that is not full repeats its first orbit: the maximum does not mind */
        orbits[o] = &draft->orbits[first + o < draft->count ? first + o : first];
        group->images[o] = orbits[o]->images;
    }
    for (int component = 0; component < draft->components; component++)
        done = sum_init(&group->sums[component], family->features) && done;
    for (int k = 0; done && k < family->features; k++) {
        for (int o = 0; o < ORBIT_GROUP; o++)
            weights[o] = weights_at(draft, orbits[o], family->rows[k], family->columns[k]);
        for (int component = 0; component < draft->components; component++)
            sum_add(&group->sums[component], k, weights, component);
    }
    return done;
}

static bool family_init(struct orbit_family *family, const struct draft *draft)
{
    *family = (struct orbit_family){
        .components = draft->components, .centre = draft->centre, .reach = draft->reach};
    const int groups = (draft->count + ORBIT_GROUP - 1) / ORBIT_GROUP;
    family->group = calloc((size_t)groups, sizeof *family->group);
    bool done = family->group && family_features(family, draft);
    for (int g = 0; done && g < groups; g++) {
        family->groups++;
        done = group_fill(&family->group[g], family, draft, g * ORBIT_GROUP);
    }
    return done;
}

static void family_release(struct orbit_family *family)
{
    for (int g = 0; g < family->groups; g++)
        for (int component = 0; component < family->components; component++) {
            free(family->group[g].sums[component].features);
            free(family->group[g].sums[component].weights);
        }
    free(family->group);
    free(family->rows);
}

/* ---- families ---- */

static void plan_count(struct orbit_plan *plan, const struct orbit_family *family)
{
    plan->features += (double)family->components * family->features;
    for (int g = 0; g < family->groups; g++) {
        for (int component = 0; component < family->components; component++)
            plan->multiply_adds += (double)ORBIT_GROUP * family->group[g].sums[component].count;
        plan->images += (double)ORBIT_GROUP * family->components;
    }
}

static bool plan_add(struct orbit_plan *plan, const struct draft *draft)
{
    struct orbit_family *family = &plan->families[plan->count++];
    if (!family_init(family, draft))
        return false;
    plan_count(plan, family);
    return true;
}

/* A family uses as many pixels down as across; may it, where the bank's reach is all there is? */
static bool plan_stays_within(const struct orbit_plan *plan, struct reach reach)
{
    for (int f = 0; f < plan->count; f++) {
        const int back = orbit_back(&plan->families[f]), ahead = orbit_ahead(&plan->families[f]);
        if (back > reach.up || back > reach.left || ahead > reach.down || ahead > reach.right)
            return false;
    }
    return true;
}

static int filter_centre(const struct filter *filter)
{
    return filter->rows - 1 - 2 * filter->anchor_row;
}

/* All filters are symmetric about a point: one family for each such point. */
static bool plan_points(struct orbit_plan *plan, struct draft *draft, const struct bank *bank)
{
    bool done = true;
    for (int i = 0; done && i < bank->count; i++) {
        const int centre = filter_centre(&bank->filters[i]);
        bool known = false;
        for (int f = 0; f < plan->count; f++)
            known = known || plan->families[f].centre == centre;
        if (known)
            continue;
        draft->count = 0;
        draft->centre = centre;
        draft->reach = (struct reach){0};
        for (int j = i; j < bank->count; j++)
            if (filter_centre(&bank->filters[j]) == centre)
                draft_add(draft, &bank->filters[j]);
        done = plan_add(plan, draft);
    }
    return done;
}

/* With every filter its transpose is there: one family. Otherwise none. */
static bool plan_transposes(struct orbit_plan *plan, struct draft *draft, const struct bank *bank)
{
    for (int i = 0; i < bank->count; i++)
        draft_add(draft, &bank->filters[i]);
    for (int o = 0; o < draft->count; o++) {
        const struct orbit *orbit = &draft->orbits[o];
        const bool both = orbit->images == (1U << IMAGE_SAME | 1U << IMAGE_TRANSPOSED);
        if (!both &&
            !is_image(orbit->filter, orbit->filter, IMAGE_TRANSPOSED, 0, draft->negligible))
            return true;
    }
    return plan_add(plan, draft);
}

static void plan_clear(struct orbit_plan *plan)
{
    for (int f = 0; f < plan->count; f++)
        family_release(&plan->families[f]);
    plan->count = 0;
}

bool orbit_plan_init(struct orbit_plan *plan, const struct bank *bank)
{
    *plan = (struct orbit_plan){0};
    struct draft draft = {.components = 4, .negligible = ORBIT_TOLERANCE * largest_tap(bank)};
    bool done = false;
    const size_t count = (size_t)bank->count + 1;
    draft.orbits = calloc(count, sizeof *draft.orbits);
    plan->families = calloc(count, sizeof *plan->families);
    if (!draft.orbits || !plan->families)
        goto out;
    for (int i = 0; i < bank->count; i++)
        if (!is_point_symmetric(&bank->filters[i], draft.negligible))
            draft.components = 2;
    done = draft.components == 4 ? plan_points(plan, &draft, bank)
                                 : plan_transposes(plan, &draft, bank);
    if (done && !plan_stays_within(plan, bank_reach(bank)))
        plan_clear(plan);
out:
    free(draft.orbits);
    return done;
}

void orbit_plan_release(struct orbit_plan *plan)
{
    plan_clear(plan);
    free(plan->families);
    *plan = (struct orbit_plan){0};
}
