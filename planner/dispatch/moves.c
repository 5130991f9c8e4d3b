#include "planner/dispatch/moves.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/base/json_text.h"

double moves_tell_next_s(double now_s)
{
    return (floor(now_s / MOVES_TELL_S) + 1) * MOVES_TELL_S;
}

bool moves_is_news(const struct dispatch_share *share, const struct dispatch_share *told)
{
    return share->wants != told->wants || share->finished != told->finished ||
           share->living != told->living;
}

/* How long the star still needs at the rate at which it has worked so far. */
static double remaining_s(const struct moves_star *star, double now_s)
{
    const struct dispatch_share *share = &star->share;
    if (!(share->done_work > 0))
        return HUGE_VAL;
    return (share->left_work + share->out_work) * now_s / share->done_work;
}

/* Are all its workers lost, with core tasks left? */
static bool is_left_alone(const struct moves_star *star)
{
    return star->share.living == 0 && star->share.left > 0;
}

/* The star that gives core tasks; -1: none does. */
static int giver_find(const struct moves_star *stars, int count, double now_s)
{
    double longest_s = MOVES_WORTH * now_s;
    int found = -1;
    for (int k = 0; k < count; k++) {
        if (stars[k].moving || stars[k].share.left == 0)
            continue;
        if (is_left_alone(&stars[k]))
            return k;
        if (!(stars[k].share.left_work > 0) || remaining_s(&stars[k], now_s) <= longest_s)
            continue;
        longest_s = remaining_s(&stars[k], now_s);
        found = k;
    }
    return found;
}

/* The star that takes them: one that has nothing to do or, if the giver has no workers, the one
 * that needs least time; -1: none. */
static int taker_find(const struct moves_star *stars, int count, double now_s, bool any)
{
    int found = -1;
    for (int k = 0; k < count; k++) {
        if (stars[k].moving || stars[k].share.living == 0)
            continue;
        if (stars[k].share.wants)
            return k;
        if (any && (found < 0 || remaining_s(&stars[k], now_s) < remaining_s(&stars[found], now_s)))
            found = k;
    }
    return found;
}

bool moves_find(const struct moves_star *stars, int count, double now_s, struct moves_pair *pair)
{
    pair->from = giver_find(stars, count, now_s);
    if (pair->from < 0)
        return false;
    pair->to = taker_find(stars, count, now_s, is_left_alone(&stars[pair->from]));
    return pair->to >= 0 && pair->to != pair->from;
}

double moves_half(const struct dispatch_share *share)
{
    return share->living > 0 ? share->left_work / 2 : share->left_work;
}

bool moves_are_over(const struct moves_star *stars, int count)
{
    for (int k = 0; k < count; k++)
        if (stars[k].moving || !stars[k].share.finished)
            return false;
    return true;
}

bool moves_are_vain(const struct moves_star *stars, int count)
{
    for (int k = 0; k < count; k++)
        if (stars[k].moving || stars[k].share.living > 0)
            return false;
    return !moves_are_over(stars, count);
}

/* ---- what has moved ------------------------------------------------------------------------- */

bool moves_list_add(struct moves_list *list, const struct moves_made *made)
{
    struct moves_made *items =
        array_reserve(list->items, &list->capacity, list->count + 1, sizeof *items);
    if (!items)
        return false;
    list->items = items;
    items[list->count++] = *made;
    return true;
}

void moves_list_release(struct moves_list *list)
{
    free(list->items);
    *list = (struct moves_list){.items = NULL};
}

void moves_tell(const struct moves_list *list, struct text *text)
{
    int64_t tasks = 0;
    for (size_t k = 0; k < list->count; k++)
        tasks += list->items[k].tasks;
    if (list->count > 0)
        text_add(text, "moved       %" PRId64 " core task%s between masters, in %zu move%s\n",
                 tasks, tasks == 1 ? "" : "s", list->count, list->count > 1 ? "s" : "");
}

void moves_json(const struct moves_list *list, struct text *text)
{
    if (list->count == 0)
        return;
    struct json_text json = json_open(text, "[", ", ");
    for (size_t k = 0; k < list->count; k++) {
        struct json_text row = json_open_in(&json, NULL, "{", ", ");
        json_number(&row, "at_s", list->items[k].at_s);
        json_count(&row, "from", list->items[k].from);
        json_count(&row, "to", list->items[k].to);
        json_count(&row, "tasks", list->items[k].tasks);
        json_close(&row, "}");
    }
    json_close(&json, "]");
}
