#include "planner/model/plan_join.h"

#include <stdlib.h>

#include "planner/base/array.h"

/* A part with workers that compute, while its rounds are taken. */
struct part {
    const struct plan *plan;
    int64_t first; /* index of its first worker among all */
    size_t entry;  /* the entry of its rounds */
    int64_t left;  /* repeats of that entry that are still to come */
};

struct joining {
    struct part *parts; /* owned */
    size_t count;
    struct plan plan; /* owned: only workers and rounds */
};

static bool part_add(struct joining *joining, const struct plan *plan)
{
    struct part *parts = array_extend(joining->parts, joining->count, sizeof *parts);
    if (!parts)
        return false;
    joining->parts = parts;
    parts[joining->count++] =
        (struct part){.plan = plan,
                      .first = joining->plan.worker_count,
                      .left = plan->round_count > 0 ? plan->rounds[0].repeat : 0};
    joining->plan.worker_count += plan->worker_count;
    return true;
}

/* Collects all parts below the plan. */
static bool parts_find(struct joining *joining, const struct plan *plan)
{
    const size_t count = plan->star_count > 0 ? plan->star_count : plan->child_count;
    const struct plan *below = plan->star_count > 0 ? plan->stars : plan->children;
    bool good = count > 0 || part_add(joining, plan);
    for (size_t k = 0; good && k < count; k++)
        good = parts_find(joining, &below[k]);
    return good;
}

static bool workers_list(struct joining *joining)
{
    struct plan *plan = &joining->plan;
    plan->workers = calloc((size_t)plan->worker_count, sizeof *plan->workers);
    for (size_t k = 0; plan->workers && k < joining->count; k++) {
        const struct part *part = &joining->parts[k];
        for (int64_t slot = 0; slot < part->plan->worker_count; slot++)
            plan->workers[part->first + slot] = part->plan->workers[slot];
    }
    return plan->workers != NULL;
}

/* For how many rounds all parts stay in their present entries; 0: no part has a round left. */
static int64_t repeats_find(const struct joining *joining)
{
    int64_t least = 0;
    for (size_t k = 0; k < joining->count; k++) {
        const int64_t left = joining->parts[k].left;
        least = left > 0 && (least == 0 || left < least) ? left : least;
    }
    return least;
}

static void part_take(struct part *part, int64_t repeats, double *loads)
{
    const struct plan *plan = part->plan;
    if (part->left == 0)
        return;
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        loads[part->first + slot] = plan->rounds[part->entry].loads[slot];
    part->left -= repeats;
    if (part->left == 0 && ++part->entry < plan->round_count)
        part->left = plan->rounds[part->entry].repeat;
}

static bool round_add(struct joining *joining, int64_t repeats)
{
    struct plan *plan = &joining->plan;
    struct plan_round *rounds = array_extend(plan->rounds, plan->round_count, sizeof *rounds);
    double *loads = calloc((size_t)plan->worker_count, sizeof *loads);
    if (rounds)
        plan->rounds = rounds;
    if (!rounds || !loads) {
        free(loads);
        return false;
    }
    rounds[plan->round_count++] = (struct plan_round){repeats, loads};
    for (size_t k = 0; k < joining->count; k++)
        part_take(&joining->parts[k], repeats, loads);
    return true;
}

static bool rounds_list(struct joining *joining)
{
    int64_t repeats;
    bool good = true;
    while (good && (repeats = repeats_find(joining)) > 0)
        good = round_add(joining, repeats);
    return good;
}

/* Replaces all parts by the workers and rounds of `joined`; the parts are released. */
static void parts_replace(struct plan *plan, struct plan *joined)
{
    const struct plan parts = *plan;
    plan->workers = joined->workers;
    plan->worker_count = joined->worker_count;
    plan_take_rounds(plan, joined);
    plan->stars = plan->children = NULL;
    plan->star_count = plan->child_count = 0;
    plan->predicted = (struct plan_prediction){.known = false};
    joined->workers = parts.workers;
    joined->stars = parts.stars;
    joined->star_count = parts.star_count;
    joined->children = parts.children;
    joined->child_count = parts.child_count;
}

bool plan_join(struct plan *plan)
{
    struct joining joining = {.parts = NULL};
    if (plan->star_count == 0 && plan->child_count == 0)
        return true;
    const bool good = parts_find(&joining, plan) && workers_list(&joining) && rounds_list(&joining);
    if (good)
        parts_replace(plan, &joining.plan);
    plan_release(&joining.plan);
    free(joining.parts);
    return good;
}
