#include "tests/faults/stars.h"

#include <inttypes.h>
#include <stdlib.h>

#include "planner/base/text.h"

/* ---- who leads whom -------------------------------------------------------------------------- */

/* A tree has its first group behind rank 0, which has no workers of its own. Each other master has
 * a rank behind it, at least. */
static void masters_place(struct stars *stars)
{
    const int first = stars->tree ? 1 : 2; /* at which the second master may be */
    int spare = stars->ranks - first - 2 * (stars->count - 1), at = first;
    for (int k = 1; k < stars->count; k++) {
        const int more =
            k == 1 && stars->tree ? 0 : (int)dice_below(&world.dice, (uint64_t)spare + 1);
        stars->masters[k] = at + more;
        at = stars->masters[k] + 2;
        spare -= more;
    }
}

void stars_draw(struct stars *stars, int ranks, int64_t tasks, bool trees)
{
    struct dice *dice = &world.dice;
    const bool tree = trees && ranks > 2 && dice_hit(dice, 0.5);
    const int fit = tree ? (ranks - 1) / 2 : ranks / 2; /* masters with workers of their own */
    const int most = tasks < fit ? (int)tasks : fit;
    *stars = (struct stars){.ranks = ranks, .count = 1, .tree = tree};
    if (tree)
        stars->count = 2 + (int)dice_below(dice, (uint64_t)most);
    else if (most > 1)
        stars->count = dice_hit(dice, 0.15) ? 1 : 2 + (int)dice_below(dice, (uint64_t)most - 1);
    masters_place(stars);
}

int stars_end(const struct stars *stars, int number)
{
    return number + 1 < stars->count ? stars->masters[number + 1] : stars->ranks;
}

void stars_say(const struct stars *stars)
{
    world_say("%d ranks, %d master%s%s", stars->ranks, stars->count, stars->count > 1 ? "s" : "",
              stars->tree        ? " in a tree"
              : stars->count > 1 ? " side by side"
                                 : "");
    for (int k = 0; k < stars->count; k++)
        world_say("master on rank %d", stars->masters[k]);
}

/* ---- plans ----------------------------------------------------------------------------------- */

static void round_add(struct text *text, int64_t repeat, int64_t load, int workers, int64_t tasks)
{
    text_add(text, "{\"repeat\": %" PRId64 ", \"loads\": [", repeat);
    for (int k = 0; k < workers; k++) {
        const int64_t mine = load < tasks ? load : tasks;
        text_add(text, "%s%" PRId64, k > 0 ? ", " : "", mine);
        tasks -= mine;
    }
    text_add(text, "]}");
}

/* Equal packages, round after round, the last round with what is left. */
static void rounds_add(struct text *text, int64_t tasks, int workers, int64_t largest)
{
    const int64_t each = largest * workers, whole = tasks / each, left = tasks - whole * each;
    text_add(text, "\"rounds\": [");
    if (whole > 0)
        round_add(text, whole, largest, workers, each);
    text_add(text, whole > 0 && left > 0 ? ", " : "");
    if (left > 0)
        round_add(text, 1, largest, workers, left);
    text_add(text, "]");
}

/* Ranks [first, end). */
static void workers_add(struct text *text, int first, int end)
{
    text_add(text, "\"workers\": [");
    for (int rank = first; rank < end; rank++)
        text_add(text, "%s%d", rank > first ? ", " : "", rank - 1);
    text_add(text, "], ");
}

/* Of a master with workers of its own. */
static void star_add(struct text *text, const struct stars *stars, int number, int64_t tasks,
                     int64_t largest)
{
    const int first = stars->masters[number] + 1, end = stars_end(stars, number);
    workers_add(text, first, end);
    rounds_add(text, tasks, end - first, largest);
}

/* Some of them, and at least one for each that comes. */
static int64_t share_draw(int64_t left, int others)
{
    return others == 0 ? left : 1 + (int64_t)dice_below(&world.dice, (uint64_t)(left - others));
}

static void side_by_side_add(struct text *text, const struct stars *stars,
                             const struct stars_job *job)
{
    int64_t left = job->tasks;
    text_add(text, "\"stars\": [");
    for (int k = 0; k < stars->count; k++) {
        const int64_t tasks = share_draw(left, stars->count - 1 - k);
        text_add(text, "%s{", k > 0 ? ", " : "");
        if (k > 0)
            text_add(text, "\"master\": %d, ", stars->masters[k]);
        text_add(text, "\"scheduler\": \"even\", \"tasks\": %" PRId64 ", ", tasks);
        star_add(text, stars, k, tasks, job->largest);
        text_add(text, "}");
        left -= tasks;
    }
    text_add(text, "]");
}

/* What rounds_add gives one of them. */
static int64_t slot_tasks(int64_t tasks, int workers, int64_t largest, int slot)
{
    const int64_t each = largest * workers, whole = tasks / each;
    const int64_t before = largest * slot, left = tasks - whole * each;
    const int64_t last = left > before ? left - before : 0;
    return whole * largest + (last < largest ? last : largest);
}

static void tree_add(struct text *text, const struct stars *stars, const struct stars_job *job)
{
    const int groups = stars->count - 1;
    const int64_t most = job->tasks / groups;
    const int64_t load = 1 + (int64_t)dice_below(&world.dice, (uint64_t)most);
    text_add(text, "\"workers\": [");
    for (int k = 1; k <= groups; k++)
        text_add(text, "%s%d", k > 1 ? ", " : "", stars->masters[k] - 1);
    text_add(text, "], ");
    rounds_add(text, job->tasks, groups, load);
    text_add(text, ", \"children\": [");
    for (int k = 1; k <= groups; k++) {
        const int64_t tasks = slot_tasks(job->tasks, groups, load, k - 1);
        text_add(text, "%s{\"scheduler\": \"even\", \"tasks\": %" PRId64 ", ", k > 1 ? ", " : "",
                 tasks);
        star_add(text, stars, k, tasks, job->largest);
        text_add(text, "}");
    }
    text_add(text, "]");
}

char *stars_plan(const struct stars *stars, const struct stars_job *job)
{
    struct text text = TEXT_INIT;
    char order[ORDER_WORD];
    order_print(job->order, order);
    text_add(&text,
             "{\"schema\": \"scow-plan-1\", \"kernel\": \"%s\", \"scheduler\": \"even\", "
             "\"tasks\": %" PRId64 ", \"buffers\": %d, \"parameters\": {\"write-behind\": "
             "\"%s\", \"order\": \"%s\"}, ",
             job->kernel, job->tasks, job->buffers, job->behind ? "yes" : "no", order);
    if (stars->tree)
        tree_add(&text, stars, job);
    else if (stars->count > 1)
        side_by_side_add(&text, stars, job);
    else
        star_add(&text, stars, 0, job->tasks, job->largest);
    text_add(&text, "}");
    return text_take(&text);
}
