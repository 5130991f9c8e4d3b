/* Core tasks that move from one star to another: the first master asks the star that gives, and
 * passes its answer on. */
#include <stdlib.h>
#include <string.h>

#include "planner/base/text.h"
#include "spmd/master/masters_parts.h"
#include "spmd/transport/wire.h"

static size_t order_bytes(const struct wire_order *order)
{
    return sizeof *order - sizeof order->parts + (size_t)order->count * sizeof *order->parts;
}

static _Noreturn void no_memory(const struct masters *masters)
{
    link_abort(masters->comm->link, FAILURE_FAILED);
}

/* ---- a star's own --------------------------------------------------------------------------- */

struct dispatch_share masters_share(const struct masters *masters)
{
    return masters->dispatch ? dispatch_recovery_share(masters->dispatch)
                             : (struct dispatch_share){.finished = true};
}

/* Gives half of what the star has, as far as it fits into a message; the rest stays. */
static void star_give(struct masters *masters, struct wire_order *order)
{
    const struct dispatch_share share = masters_share(masters);
    struct dispatch_given given = {.items = NULL};
    order->count = 0;
    if (masters->dispatch && !dispatch_recovery_give(masters->dispatch, moves_half(&share), &given))
        no_memory(masters);
    for (size_t k = 0; k < given.count && k < ORDER_PARTS; k++)
        order->parts[order->count++] = given.items[k];
    if (given.count > ORDER_PARTS) {
        const struct dispatch_given more = {.items = given.items + ORDER_PARTS,
                                            .count = given.count - ORDER_PARTS};
        if (!dispatch_recovery_take(masters->dispatch, &more))
            no_memory(masters);
    }
    dispatch_given_release(&given);
}

/* Takes core tasks. If the star has ended meanwhile, because time was over, the run counts as
 * stopped. */
static void star_take(struct masters *masters, struct wire_order *order)
{
    const struct dispatch_given given = {.items = order->parts, .count = (size_t)order->count};
    if (masters->dispatch && !dispatch_recovery_take(masters->dispatch, &given))
        no_memory(masters);
}

/* ---- another one ---------------------------------------------------------------------------- */

void masters_obey_next(struct masters *masters)
{
    link_receive(masters->comm->link, masters->order, sizeof *masters->order, 0, WIRE_MASTER_ORDER,
                 &masters->ordered);
}

/* The last answer has been received, because the first master has asked again: its buffer is
 * free. */
static void given_send(struct masters *masters)
{
    comm_wait(masters->comm, &masters->giving);
    star_give(masters, masters->given);
    link_send(masters->comm->link, masters->given, order_bytes(masters->given), 0,
              WIRE_MASTER_GIVEN, &masters->giving);
}

void masters_obey(struct masters *masters)
{
    while (link_test(&masters->ordered)) {
        masters->orders++;
        if (masters->order->kind == MOVE_GIVE)
            given_send(masters);
        else if (masters->order->kind == MOVE_TAKE)
            star_take(masters, masters->order);
        else if (masters->dispatch)
            dispatch_recovery_close(masters->dispatch);
        masters_obey_next(masters);
    }
}

/* ---- the first one -------------------------------------------------------------------------- */

/* The star has ended, so that nothing moves from it or to it. */
static bool is_gone(const struct masters *masters, int number)
{
    const struct master_told *told = &masters->told[number];
    return number > 0 && (told->came || told->lost);
}

/* The last order was carried out, as the star has said: its buffer is free. */
static struct wire_order *order_claim(struct masters *masters, int number, enum move_order kind)
{
    struct master_told *told = &masters->told[number];
    comm_wait(masters->comm, &told->ordering);
    if (!told->order)
        told->order = calloc(1, sizeof *told->order);
    if (!told->order)
        no_memory(masters);
    told->order->kind = kind;
    told->order->count = 0;
    return told->order;
}

static void order_send(struct masters *masters, int number)
{
    struct master_told *told = &masters->told[number];
    told->orders++;
    link_send(masters->comm->link, told->order, order_bytes(told->order),
              masters_rank(masters, number), WIRE_MASTER_ORDER, &told->ordering);
}

static void move_note(struct masters *masters, int from, int to, const struct wire_order *given)
{
    struct moves_made made = {.at_s = comm_now(masters->comm),
                              .from = masters_rank(masters, from),
                              .to = masters_rank(masters, to)};
    for (int64_t k = 0; k < given->count; k++)
        made.tasks += given->parts[k].range.count;
    if (!moves_list_add(&masters->moves, &made))
        no_memory(masters);
}

/* Passes core tasks on to their new star. */
static void given_pass(struct masters *masters, int from, struct wire_order *given)
{
    const int to = masters->told[from].gives_to;
    masters->told[from].gives = masters->told[to].gets = false;
    if (given->count == 0 || is_gone(masters, to))
        return;
    move_note(masters, from, to, given);
    if (to == 0) {
        star_take(masters, given);
        return;
    }
    struct wire_order *order = order_claim(masters, to, MOVE_TAKE);
    memcpy(order->parts, given->parts, (size_t)given->count * sizeof *given->parts);
    order->count = given->count;
    order_send(masters, to);
}

/* Asks one star to give half of what it has to the other. */
static void move_begin(struct masters *masters, const struct moves_pair *pair)
{
    struct master_told *from = &masters->told[pair->from];
    from->gives_to = pair->to;
    from->gives = masters->told[pair->to].gets = true;
    if (!from->given)
        from->given = calloc(1, sizeof *from->given);
    if (!from->given)
        no_memory(masters);
    if (pair->from == 0) {
        star_give(masters, from->given);
        given_pass(masters, 0, from->given);
        return;
    }
    link_receive(masters->comm->link, from->given, sizeof *from->given,
                 masters_rank(masters, pair->from), WIRE_MASTER_GIVEN, &from->giving);
    order_claim(masters, pair->from, MOVE_GIVE);
    order_send(masters, pair->from);
}

/* A star that has ended before it was asked does not answer. */
static bool answers(const struct masters *masters, int number)
{
    const struct master_told *told = &masters->told[number];
    return !is_gone(masters, number) || (!told->lost && told->last.orders == told->orders);
}

static void givens_take(struct masters *masters)
{
    for (int k = 1; k < masters_count(masters); k++) {
        struct master_told *told = &masters->told[k];
        if (!told->gives)
            continue;
        if (!answers(masters, k)) {
            link_cancel(&told->giving);
            told->gives = masters->told[told->gives_to].gets = false;
        } else if (link_test(&told->giving)) {
            given_pass(masters, k, told->given);
        }
    }
}

static void star_look(struct masters *masters, int number)
{
    const struct master_told *told = &masters->told[number];
    const struct dispatch_share none = {.finished = true};
    struct moves_star *star = &masters->stars[number];
    star->share = number == 0                ? masters_share(masters)
                  : is_gone(masters, number) ? none
                                             : told->last.share;
    star->moving = told->gives || told->gets ||
                   (number > 0 && !is_gone(masters, number) && told->last.orders != told->orders);
}

static void all_close(struct masters *masters)
{
    masters->closed = true;
    if (masters->dispatch)
        dispatch_recovery_close(masters->dispatch);
    for (int k = 1; k < masters_count(masters); k++)
        if (!is_gone(masters, k)) {
            order_claim(masters, k, MOVE_CLOSE);
            order_send(masters, k);
        }
}

void masters_move(struct masters *masters, const struct masters_own *own)
{
    const int count = masters_count(masters);
    struct moves_pair pair;
    if (masters->tree)
        return;
    givens_take(masters);
    if (masters->ending || masters->closed)
        return;
    for (int k = 0; k < count; k++)
        star_look(masters, k);
    if (moves_are_over(masters->stars, count))
        all_close(masters);
    masters->vain = moves_are_vain(masters->stars, count);
    while (moves_find(masters->stars, count, own->now_s, &pair)) {
        move_begin(masters, &pair);
        masters->stars[pair.from].moving = masters->stars[pair.to].moving = true;
    }
}

void masters_moves_tell(struct masters *masters, double origin_s, struct run_outcome *outcome)
{
    struct text told = TEXT_INIT, listed = TEXT_INIT;
    if (masters->moves.count == 0)
        return;
    for (size_t k = 0; k < masters->moves.count; k++)
        masters->moves.items[k].at_s -= origin_s;
    text_add(&told, "%s", outcome->told ? outcome->told : "");
    moves_tell(&masters->moves, &told);
    moves_json(&masters->moves, &listed);
    free(outcome->told);
    outcome->told = text_take(&told);
    outcome->moved = text_take(&listed);
}
