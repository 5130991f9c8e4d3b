#include "tests/faults/world.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct world world;

/* ---- chance -------------------------------------------------------------------------------- */

/* SplitMix64: Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014. */
static uint64_t dice_roll(struct dice *dice)
{
    uint64_t z = dice->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t dice_below(struct dice *dice, uint64_t below)
{
    return dice_roll(dice) % below;
}

static double dice_share(struct dice *dice)
{
    return (double)(dice_roll(dice) >> 11) * 0x1p-53;
}

bool dice_hit(struct dice *dice, double probability)
{
    return dice_share(dice) < probability;
}

double dice_between(struct dice *dice, double least, double most)
{
    return least + (most - least) * dice_share(dice);
}

double dice_about(struct dice *dice, double least, double most)
{
    return least * exp(log(most / least) * dice_share(dice));
}

/* ---- memory of a part ------------------------------------------------------------------------ */

enum { CHUNK_BYTES = 1 << 20 };

struct chunk {
    struct chunk *next;
    size_t used, size;
};

static struct chunk *chunks, *chunk;

static struct chunk *chunk_new(size_t size)
{
    const size_t whole = size > CHUNK_BYTES ? size : CHUNK_BYTES;
    struct chunk *made = world_realloc(NULL, sizeof *made + 64 + whole);
    *made = (struct chunk){.size = whole};
    return made;
}

void *world_space(size_t size)
{
    size = (size + 63) / 64 * 64;
    if (!chunks)
        chunks = chunk = chunk_new(size);
    while (chunk->used + size > chunk->size) {
        if (!chunk->next)
            chunk->next = chunk_new(size);
        chunk = chunk->next;
    }
    char *room = (char *)(chunk + 1) + chunk->used;
    chunk->used += size;
    return room;
}

void *world_room(size_t size)
{
    return memset(world_space(size), 0, size);
}

static void chunks_clear(void)
{
    for (struct chunk *each = chunks; each; each = each->next)
        each->used = 0;
    chunk = chunks;
}

/* ---- events -------------------------------------------------------------------------------- */

static bool is_before(const struct event *a, const struct event *b)
{
    return a->at_s < b->at_s || (a->at_s <= b->at_s && a->number < b->number);
}

static void event_push(struct event event)
{
    if (world.count == world.capacity) {
        world.capacity = 2 * world.capacity + 64;
        world.events = world_realloc(world.events, world.capacity * sizeof event);
    }
    size_t at = world.count++;
    for (; at > 0 && is_before(&event, &world.events[(at - 1) / 2]); at = (at - 1) / 2)
        world.events[at] = world.events[(at - 1) / 2];
    world.events[at] = event;
}

static struct event event_pop(void)
{
    const struct event first = world.events[0], last = world.events[--world.count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < world.count; at = child) {
        if (child + 1 < world.count && is_before(&world.events[child + 1], &world.events[child]))
            child++;
        if (!is_before(&world.events[child], &last))
            break;
        world.events[at] = world.events[child];
    }
    world.events[at] = last;
    return first;
}

void world_event(double in_s, enum event_kind kind, int rank, double seconds, void *what)
{
    event_push((struct event){.at_s = world.now_s + in_s,
                              .number = world.made++,
                              .kind = kind,
                              .rank = rank,
                              .turn = world.rank[rank].turn,
                              .seconds = seconds,
                              .what = what});
}

/* ---- ranks --------------------------------------------------------------------------------- */

bool world_lives(int rank)
{
    return rank >= 0 && rank < world.ranks && world.rank[rank].state == RANK_RUNS;
}

static void rank_enter(struct rank *rank)
{
    world.current = rank;
    fiber_enter(rank->fiber);
    world.current = NULL;
}

void world_sleep(double seconds, bool wakes)
{
    static const double least_s = 1e-6;
    struct rank *rank = world.current;
    if (wakes && rank->news) {
        rank->news = false;
        seconds = least_s;
    }
    rank->turn++;
    rank->wakes = wakes;
    world_event(fmax(seconds, least_s), EVENT_WAKE, rank->number, 0, NULL);
    fiber_leave(rank->fiber);
}

void world_news(int number)
{
    struct rank *rank = &world.rank[number];
    if (rank->wakes) {
        rank->wakes = false;
        world_event(0, EVENT_WAKE, number, 0, NULL);
    } else {
        rank->news = true;
    }
}

/* What its exit causes besides; a launcher may end the others, too. */
void world_leave(struct rank *rank, enum rank_state state, int status)
{
    if (rank->state != RANK_RUNS)
        return;
    rank->state = state;
    rank->status = status;
    disk_rank_gone(rank->number);
    const bool unasked = state == RANK_KILLED || status != 0;
    for (int k = 0; unasked && world.weather.cleanup && k < world.ranks; k++)
        if (k != rank->number)
            world_event(dice_between(&world.dice, 0, 0.05), EVENT_KILL, k, 0, NULL);
    if (rank == world.current)
        fiber_leave(rank->fiber);
}

static void rank_kill(struct rank *rank)
{
    if (rank->state != RANK_RUNS)
        return;
    world_say("rank %d is killed", rank->number);
    world.losses++;
    world_leave(rank, RANK_KILLED, 0);
}

static void rank_continue(struct rank *rank)
{
    if (!rank->stopped || rank->state != RANK_RUNS)
        return;
    world_say("rank %d goes on", rank->number);
    rank->stopped = false;
    if (rank->missed)
        world_event(0, EVENT_WAKE, rank->number, 0, NULL);
    rank->missed = false;
}

static void rank_wake(struct rank *rank, uint64_t turn)
{
    if (rank->state != RANK_RUNS || rank->turn != turn)
        return;
    if (rank->stopped)
        rank->missed = true;
    else
        rank_enter(rank);
}

static void event_happen(const struct event *event)
{
    struct rank *rank = &world.rank[event->rank];
    switch (event->kind) {
    case EVENT_WAKE:
        rank_wake(rank, event->turn);
        break;
    case EVENT_DELIVER:
        link_deliver(event->what);
        break;
    case EVENT_NEWS:
        world_news(event->rank);
        break;
    case EVENT_WRITE:
        disk_piece_write(event->rank, event->what);
        break;
    case EVENT_KILL:
        rank_kill(rank);
        break;
    case EVENT_STOP:
        if (rank->state == RANK_RUNS) {
            world_say("rank %d is stopped", rank->number);
            world.losses++;
            rank->stopped = true;
        }
        break;
    case EVENT_CONTINUE:
        rank_continue(rank);
        break;
    case EVENT_ASK:
        if (rank->state == RANK_RUNS)
            world_say("rank %d is asked to stop", rank->number);
        rank->asked = true;
        break;
    case EVENT_JUMP:
        world_say("the clock of rank %d jumps by %.3f s", rank->number, event->seconds);
        rank->skew_s += event->seconds;
        break;
    }
}

/* Stopped ranks do nothing any more. */
static bool is_over(void)
{
    for (int k = 0; k < world.ranks; k++)
        if (world.rank[k].state == RANK_RUNS && !world.rank[k].stopped)
            return false;
    for (size_t k = 0; k < world.count; k++)
        if (world.events[k].kind == EVENT_CONTINUE && world_lives(world.events[k].rank))
            return false;
    return true;
}

/* Has a random stream of its own, so that the meaning of a seed otherwise stays the same. */
static double share_draw(void)
{
    struct dice own = {world.dice.state ^ 0x7368617265u};
    return dice_hit(&own, 0.3) ? dice_between(&own, 0.1, 1) : 1;
}

void world_begin(int ranks, void (*call)(void))
{
    world.now_s = 1000;
    world.ranks = ranks;
    world.given_up = false;
    world.count = 0;
    chunks_clear();
    link_begin();
    for (int k = 0; k < ranks; k++) {
        world.rank[k] = (struct rank){.number = k, .working = -1, .fiber = fiber_new(call)};
        world.rank[k].skew_s = dice_between(&world.dice, -100, 100);
        world.rank[k].share = share_draw();
        world_event(dice_between(&world.dice, 0, 0.01), EVENT_WAKE, k, 0, NULL);
    }
}

bool world_run(double until_s)
{
    const double end_s = world.now_s + until_s;
    while (world.count > 0 && !is_over()) {
        const struct event event = event_pop();
        world.now_s = fmax(world.now_s, event.at_s);
        if (world.now_s > end_s)
            return false;
        event_happen(&event);
    }
    return true;
}

void world_end(void)
{
    for (int k = 0; k < world.ranks; k++) {
        struct rank *rank = &world.rank[k];
        if (rank->state == RANK_RUNS)
            world_leave(rank, RANK_KILLED, 0);
        const size_t blocks = memory_drop(rank);
        /* Memory that a lost rank may still read is not freed. */
        if (rank->state == RANK_ENDED && rank->status == 0 && blocks > 0 && !world.given_up)
            world_wrong("rank %d ended with %zu pieces of memory that nobody freed", k, blocks);
        fiber_free(rank->fiber);
    }
    world.ranks = 0;
}

/* ---- saying -------------------------------------------------------------------------------- */

void world_say(const char *format, ...)
{
    va_list arguments;
    if (!world.log)
        return;
    fprintf(world.log, "%12.6f  ", world.now_s - 1000);
    va_start(arguments, format);
    vfprintf(world.log, format, arguments);
    va_end(arguments);
    fputc('\n', world.log);
}

void world_wrong(const char *format, ...)
{
    va_list arguments;
    if (world.wrong[0])
        return;
    va_start(arguments, format);
    vsnprintf(world.wrong, sizeof world.wrong, format, arguments);
    va_end(arguments);
    world_say("WRONG: %s", world.wrong);
}
