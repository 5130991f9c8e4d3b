#include "planner/files/plan_brief.h"

#include <stdlib.h>

#include "planner/files/plan_json.h"

struct plan_lists plan_lists(const struct plan *plan)
{
    struct plan_lists lists = {.loads = (int64_t)plan->round_count * plan->worker_count};
    for (size_t k = 0; k < plan->round_count; k++)
        lists.rounds += plan->rounds[k].repeat;
    if (plan->weights)
        lists.weights =
            (int64_t)plan->weights->work.region_count +
            (plan->weights->bytes ? (int64_t)plan->weights->bytes->work.region_count : 0);
    for (size_t k = 0; k < plan->star_count + plan->child_count; k++) {
        const struct plan_lists more = plan_lists(
            k < plan->star_count ? &plan->stars[k] : &plan->children[k - plan->star_count]);
        lists.rounds += more.rounds;
        lists.loads += more.loads;
        lists.weights += more.weights;
    }
    return lists;
}

static void rounds_leave_out(struct plan *plan)
{
    plan->rounds = NULL;
    plan->round_count = 0;
}

/* The parts are owned, what they point to is borrowed. */
static void parts_free(struct plan **parts, size_t count)
{
    for (size_t k = 0; *parts && k < count; k++)
        parts_free(&(*parts)[k].children, (*parts)[k].child_count);
    free(*parts);
    *parts = NULL;
}

/* Replaces the plan's stars or groups by brief ones. False: out of memory. */
static bool parts_brief(struct plan **parts, size_t count)
{
    struct plan *brief = calloc(count + 1, sizeof *brief);
    const struct plan *from = *parts;
    bool good = brief != NULL;
    *parts = brief;
    for (size_t k = 0; good && k < count; k++) {
        brief[k] = from[k];
        rounds_leave_out(&brief[k]);
        good = brief[k].child_count == 0 || parts_brief(&brief[k].children, brief[k].child_count);
    }
    return good;
}

char *plan_print_brief(const struct plan *plan)
{
    struct plan brief = *plan;
    rounds_leave_out(&brief);
    brief.weights = NULL;
    const bool stars = plan->star_count == 0 || parts_brief(&brief.stars, plan->star_count);
    const bool children = plan->child_count == 0 || parts_brief(&brief.children, plan->child_count);
    char *text = stars && children ? plan_print(&brief) : NULL;
    if (plan->star_count > 0)
        parts_free(&brief.stars, plan->star_count);
    if (plan->child_count > 0)
        parts_free(&brief.children, plan->child_count);
    return text;
}
