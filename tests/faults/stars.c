#include "tests/faults/stars.h"

#include <inttypes.h>
#include <stdlib.h>

#include "planner/base/text.h"

/* ---- who leads whom -------------------------------------------------------------------------- */

/* Each master has at least one rank behind it. */
static void masters_place(struct stars *stars)
{
    static const int first = 2; /* the first rank at which the second master may be */
    int spare = stars->ranks - first - 2 * (stars->count - 1), at = first;
    for (int k = 1; k < stars->count; k++) {
        stars->masters[k] = at + (int)dice_below(&world.dice, (uint64_t)spare + 1);
        spare -= stars->masters[k] - at;
        at = stars->masters[k] + 2;
    }
}

static void side_by_side_draw(struct stars *stars, int most)
{
    if (most > 1 && !dice_hit(&world.dice, 0.15))
        stars->count = 2 + (int)dice_below(&world.dice, (uint64_t)most - 1);
    masters_place(stars);
}

/* Draws groups of the master of that number, from the ranks behind it up to `end`. Each group has
 * workers or, where there are enough ranks, groups of its own. `most`: so many groups can get a
 * core task. */
static void groups_draw(struct stars *stars, int number, int end, int most)
{
    struct dice *dice = &world.dice;
    int at = stars->masters[number] + 1;
    const int fit = (end - at) / 2,
              groups = 1 + (int)dice_below(dice, (uint64_t)(fit < most ? fit : most));
    int spare = end - at - 2 * groups;
    for (int k = 0; k < groups; k++) {
        const int mine = k == groups - 1 ? spare : (int)dice_below(dice, (uint64_t)spare + 1);
        const int group = stars->count++, behind = at + 2 + mine;
        stars->masters[group] = at;
        stars->parents[group] = number;
        if (mine > 0 && dice_hit(dice, 0.6))
            groups_draw(stars, group, behind, most / groups);
        spare -= mine;
        at = behind;
    }
}

void stars_draw(struct stars *stars, int ranks, int64_t tasks, bool trees)
{
    const bool tree = trees && ranks > 2 && dice_hit(&world.dice, 0.5);
    *stars = (struct stars){.ranks = ranks, .count = 1, .tree = tree};
    if (tree)
        groups_draw(stars, 0, ranks, tasks < ranks ? (int)tasks : ranks);
    else
        side_by_side_draw(stars, tasks < ranks / 2 ? (int)tasks : ranks / 2);
}

/* Is that master below the other one, or the same? */
static bool is_below(const struct stars *stars, int number, int above)
{
    while (number > above)
        number = stars->parents[number];
    return number == above;
}

int stars_end(const struct stars *stars, int number)
{
    int next = number + 1;
    while (stars->tree && next < stars->count && is_below(stars, next, number))
        next++;
    return next < stars->count ? stars->masters[next] : stars->ranks;
}

bool stars_heads(const struct stars *stars, int number)
{
    return stars->tree && number + 1 < stars->count && stars->parents[number + 1] == number;
}

void stars_say(const struct stars *stars)
{
    world_say("%d ranks, %d master%s%s", stars->ranks, stars->count, stars->count > 1 ? "s" : "",
              stars->tree        ? " in a tree"
              : stars->count > 1 ? " side by side"
                                 : "");
    for (int k = 0; k < stars->count; k++)
        world_say("master on rank %d%s", stars->masters[k],
                  stars_heads(stars, k) ? ", of groups" : "");
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

/* Equal packages, round after round; the last round has what is left. */
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

/* The part of a master with workers of its own. */
static void star_add(struct text *text, const struct stars *stars, int number, int64_t tasks,
                     int64_t largest)
{
    const int first = stars->masters[number] + 1, end = stars_end(stars, number);
    workers_add(text, first, end);
    rounds_add(text, tasks, end - first, largest);
}

/* Some of the core tasks, leaving at least one for each of the others. */
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

static int groups_below(const struct stars *stars, int number)
{
    int count = 0;
    for (int k = number + 1; k < stars->count; k++)
        count += stars->parents[k] == number;
    return count;
}

/* How many core tasks that master needs, so that each group below it gets one. */
static int64_t needed(const struct stars *stars, int number)
{
    int64_t each = 1;
    for (int k = number + 1; k < stars->count; k++) {
        const int64_t its = stars->parents[k] == number ? needed(stars, k) : 1;
        each = its > each ? its : each;
    }
    return stars_heads(stars, number) ? groups_below(stars, number) * each : 1;
}

static void group_add(struct text *text, const struct stars *stars, int number, int64_t tasks,
                      int64_t largest);

/* The part of the master of that number, which assigns equal packages to groups. */
static void groups_add(struct text *text, const struct stars *stars, int number, int64_t tasks,
                       int64_t largest)
{
    const int groups = groups_below(stars, number);
    if (groups == 0)
        return;
    const int64_t least = needed(stars, number) / groups, most = tasks / groups;
    const int64_t load = least + (int64_t)dice_below(&world.dice, (uint64_t)(most - least + 1));
    int slot = 0;
    text_add(text, "\"workers\": [");
    for (int k = number + 1; k < stars->count; k++)
        if (stars->parents[k] == number)
            text_add(text, "%s%d", slot++ > 0 ? ", " : "", stars->masters[k] - 1);
    text_add(text, "], ");
    rounds_add(text, tasks, groups, load);
    text_add(text, ", \"children\": [");
    slot = 0;
    for (int k = number + 1; k < stars->count; k++)
        if (stars->parents[k] == number) {
            text_add(text, slot > 0 ? ", " : "");
            group_add(text, stars, k, slot_tasks(tasks, groups, load, slot++), largest);
        }
    text_add(text, "]");
}

static void group_add(struct text *text, const struct stars *stars, int number, int64_t tasks,
                      int64_t largest)
{
    text_add(text, "{\"scheduler\": \"even\", \"tasks\": %" PRId64 ", ", tasks);
    if (stars_heads(stars, number))
        groups_add(text, stars, number, tasks, largest);
    else
        star_add(text, stars, number, tasks, largest);
    text_add(text, "}");
}

/* Regions of equal worth, some of them 0. They have a random stream of their own, so that the
 * meaning of a seed otherwise stays the same. Packages that take core tasks in another order have
 * none. */
static void weights_add(struct text *text, const struct stars_job *job)
{
    struct dice own = {world.dice.state ^ 0x77656967687473u}, *dice = &own;
    int64_t left = job->tasks;
    if (order_differs(job->order) || dice_hit(dice, 0.4))
        return;
    text_add(text,
             ", \"weights\": {\"source\": \"w\", \"deviation\": 1, \"sha256\": \"%064x\", "
             "\"regions\": [",
             (unsigned)job->tasks);
    while (left > 0) {
        const bool last = dice_hit(dice, 0.1);
        const int64_t tasks = last ? left : 1 + (int64_t)dice_below(dice, (uint64_t)left);
        const double weight =
            dice_hit(dice, 0.1) && left < job->tasks ? 0 : dice_about(dice, 0.1, 10);
        left -= tasks;
        text_add(text, "[%" PRId64 ", %.9g]%s", tasks, weight, left > 0 ? ", " : "");
    }
    text_add(text, "]}");
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
        groups_add(&text, stars, 0, job->tasks, job->largest);
    else if (stars->count > 1)
        side_by_side_add(&text, stars, job);
    else
        star_add(&text, stars, 0, job->tasks, job->largest);
    weights_add(&text, job);
    text_add(&text, "}");
    return text_take(&text);
}
