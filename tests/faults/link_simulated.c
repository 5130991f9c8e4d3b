/*
 * A link among the ranks of the world: messages take their time, arrive in the order of sending for
 * one sender, receiver and tag, and in any order otherwise. Those that are large are under way
 * until they are received, and for ever to and from who is gone; to those who are gone already,
 * some small ones, too. Steps of all ranks together wait for all.
 *
 * A link can be split, and what comes of that split again: each is a group of its own, in which
 * ranks count from 0, and whose messages and steps are nobody else's.
 */
#include "spmd/transport/link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/failure.h"
#include "spmd/transport/clock.h"
#include "spmd/transport/wire.h"
#include "tests/faults/world.h"

/* The ranks of a link; all of it belongs to the current part. */
struct group {
    struct group *next;
    int count;
    int *ranks;   /* ranks of the world, by their numbers in the group */
    int *places;  /* numbers in the group, by ranks of the world; negative: none */
    bool *joined; /* by ranks of the world */
    struct lane **lanes, **from_first; /* by numbers in the group */
    struct step **next_step;           /* by numbers in the group: the step that each begins next */
};

struct message {
    struct message *next; /* which has arrived before it was asked for */
    const struct group *group;
    int from, to, tag; /* ranks of the world */
    size_t size;
    char *bytes;
    struct pending *sending; /* NULL: its sender is not told when it is received */
    bool stays;              /* it stays with its sender until then */
};

/* What a request's handle points to. */
struct pending {
    struct pending *next; /* receives of a rank, in order */
    const struct group *group;
    bool over;
    int rank, peer, tag; /* numbers in the group */
    char *to;
    size_t room, size;
    const struct step *step; /* NULL: a message, or a step of one rank */
    bool counted;            /* such a step, which ends at ready_s if rank 0 lives */
    double ready_s;
};

/* A step of all ranks of a group together, by their numbers there. */
struct step {
    struct step *next;
    int arrived;
    bool *there;
    char **mine;    /* the data of each rank */
    double ready_s; /* when the last rank has come */
};

/* The messages from one rank to another. */
struct lane {
    struct lane *next;
    int to;
    double free_s[16]; /* when the last message of that tag arrives */
};

static struct {
    struct message *arrived[RANKS_MOST], **last[RANKS_MOST];
    struct pending *posted[RANKS_MOST];
    struct group *groups; /* the newest one first */
    struct group *all;
    int64_t counter;
} net;

/* ---- groups -------------------------------------------------------------------------------- */

static struct step *step_new(int count)
{
    struct step *step = world_room(sizeof *step);
    step->there = world_room((size_t)count * sizeof *step->there);
    step->mine = world_room((size_t)count * sizeof *step->mine);
    return step;
}

/* Keeps `ranks`, which are ranks of the world. */
static struct group *group_new(int *ranks, int count)
{
    struct group *group = world_room(sizeof *group);
    const size_t many = (size_t)count, all = (size_t)world.ranks;
    *group = (struct group){.next = net.groups,
                            .count = count,
                            .ranks = ranks,
                            .places = world_room(all * sizeof *group->places),
                            .joined = world_room(all * sizeof *group->joined),
                            .lanes = world_room(many * sizeof(struct lane *)),
                            .from_first = world_room(many * sizeof(struct lane *)),
                            .next_step = world_room(many * sizeof(struct step *))};
    struct step *first = step_new(count);
    for (int rank = 0; rank < world.ranks; rank++)
        group->places[rank] = -1;
    for (int k = 0; k < count; k++) {
        group->places[ranks[k]] = k;
        group->next_step[k] = first;
    }
    return net.groups = group;
}

void link_begin(void)
{
    memset(&net, 0, sizeof net);
    for (int k = 0; k < RANKS_MOST; k++)
        net.last[k] = &net.arrived[k];
    int *ranks = world_room((size_t)world.ranks * sizeof *ranks);
    for (int k = 0; k < world.ranks; k++)
        ranks[k] = k;
    net.all = group_new(ranks, world.ranks);
    memset(net.all->joined, true, (size_t)world.ranks * sizeof *net.all->joined);
}

/* An empty link means all ranks. */
static struct group *group_of(struct link link)
{
    struct group *group;
    memcpy(&group, &link.handle, sizeof(struct group *));
    return group ? group : net.all;
}

static struct link link_of(struct group *group)
{
    struct link link;
    memcpy(&link.handle, &group, sizeof(struct group *));
    return link;
}

int link_rank(struct link link)
{
    return group_of(link)->places[world.current->number];
}

int link_size(struct link link)
{
    return group_of(link)->count;
}

/* ---- messages ------------------------------------------------------------------------------ */

/* A large message moves only while its sender lives. */
static bool is_stuck(const struct message *message)
{
    return message->stays && !world_lives(message->from);
}

static bool is_for(const struct pending *receive, const struct message *message)
{
    return receive->group == message->group && receive->tag == message->tag && !is_stuck(message) &&
           (receive->peer == LINK_ANYBODY || receive->group->ranks[receive->peer] == message->from);
}

static void receive_end(struct pending *receive, const struct message *message)
{
    const size_t fit = message->size < receive->room ? message->size : receive->room;
    /* Of returned results, as many bytes are received as were announced. */
    if (message->size > receive->room && message->tag != WIRE_RETURN)
        world_wrong("a message of %zu bytes came where %zu were expected", message->size,
                    receive->room);
    if (fit > 0)
        memcpy(receive->to, message->bytes, fit);
    receive->size = fit;
    receive->peer = receive->group->places[message->from];
    receive->over = true;
    if (message->sending) {
        message->sending->over = true;
        world_event(0, EVENT_NEWS, message->from, 0, NULL);
    }
}

void link_deliver(struct message *message)
{
    struct pending **at = &net.posted[message->to];
    if (!world_lives(message->to))
        return;
    while (*at && !is_for(*at, message))
        at = &(*at)->next;
    if (*at) {
        struct pending *receive = *at;
        *at = receive->next;
        receive_end(receive, message);
    } else {
        *net.last[message->to] = message;
        net.last[message->to] = &message->next;
    }
    world_news(message->to);
}

static struct message *message_new(const struct group *group, const void *data, size_t size, int to,
                                   int tag)
{
    struct message *message = world_room(sizeof *message);
    *message = (struct message){.group = group,
                                .from = world.current->number,
                                .to = to,
                                .tag = tag,
                                .size = size,
                                .bytes = world_space(size + 1)};
    if (size > 0)
        memcpy(message->bytes, data, size);
    return message;
}

static double travel_s(void)
{
    const struct weather *weather = &world.weather;
    if (dice_hit(&world.dice, weather->late))
        return dice_about(&world.dice, weather->latency_s, weather->late_s);
    return weather->latency_s * dice_between(&world.dice, 1, 2);
}

/* Damages messages in which the receiver can notice changed or missing bytes. */
static void message_damage(struct message *message)
{
    if ((message->tag != WIRE_RESULT && message->tag != WIRE_RETURN) ||
        !dice_hit(&world.dice, world.weather.damaged))
        return;
    if (dice_hit(&world.dice, 0.5))
        message->size = dice_below(&world.dice, message->size);
    else
        message->bytes[dice_below(&world.dice, message->size)] ^=
            (char)(1 << dice_below(&world.dice, 8));
    world_say("a report of rank %d is damaged", message->from);
}

/* Messages that the protocol allows to arrive twice. */
static bool may_double(int tag)
{
    return tag == WIRE_RESULT || tag == WIRE_RETURN || tag == WIRE_PACKAGE || tag == WIRE_CLOSED ||
           tag == WIRE_PRESENT || tag == WIRE_CANCEL;
}

/* The master of a group has a lane to every rank, other ranks hardly more than one to it. */
static struct lane *lane_of(const struct group *group, int from, int to)
{
    struct lane **at = from == 0 ? &group->from_first[to] : &group->lanes[from];
    while (*at && (*at)->to != to)
        at = &(*at)->next;
    if (!*at) {
        *at = world_room(sizeof **at);
        (*at)->to = to;
    }
    return *at;
}

static void message_post(struct message *message)
{
    const struct group *group = message->group;
    struct lane *lane = lane_of(group, group->places[message->from], group->places[message->to]);
    double *free_s = &lane->free_s[message->tag % 16];
    *free_s = fmax(*free_s, world.now_s + travel_s());
    world_event(*free_s - world.now_s, EVENT_DELIVER, message->to, 0, message);
}

/* A rank is killed before others have all that it has to tell. */
static void parting_kill(int tag)
{
    struct dice own = {world.dice.state ^ 0x676f6e65u};
    if (tag == WIRE_MASTER_CAME && dice_hit(&own, world.weather.parting))
        world_event(dice_between(&own, 0, world.weather.latency_s), EVENT_KILL,
                    world.current->number, 0, NULL);
}

static void message_send(const struct group *group, const void *data, size_t bytes, int peer,
                         int tag, bool taken, struct link_request *request)
{
    const bool large = bytes > world.weather.eager;
    const int to = group->ranks[peer];
    struct message *message = message_new(group, data, bytes, to, tag);
    *request = (struct link_request){.pending = true};
    struct pending *sending = world_room(sizeof *sending);
    const bool noticed = !world_lives(to) && dice_hit(&world.dice, 0.5);
    *sending = (struct pending){.over = !large && !taken && !noticed, .size = bytes};
    message->stays = large || (taken && dice_hit(&world.dice, 0.5));
    request->handle = (intptr_t)sending;
    message_damage(message);
    const bool lost = tag == WIRE_PRESENT && ((const struct wire_present *)data)->word == WIRE_LOST;
    world.given_up = world.given_up || lost;
    world.rank[to].told_lost = world.rank[to].told_lost || lost;
    if (!sending->over)
        message->sending = sending;
    message_post(message);
    parting_kill(tag);
    if (may_double(tag) && dice_hit(&world.dice, world.weather.doubled)) {
        struct message *again = message_new(group, message->bytes, message->size, to, tag);
        world_say("a message of rank %d to rank %d is doubled (tag %d)", message->from, to, tag);
        message_post(again);
    }
}

void link_send(struct link link, const void *data, size_t bytes, int peer, int tag,
               struct link_request *request)
{
    message_send(group_of(link), data, bytes, peer, tag, false, request);
}

void link_send_taken(struct link link, const void *data, size_t bytes, int peer, int tag,
                     struct link_request *request)
{
    message_send(group_of(link), data, bytes, peer, tag, true, request);
}

void link_receive(struct link link, void *data, size_t bytes, int peer, int tag,
                  struct link_request *request)
{
    const int rank = world.current->number;
    struct pending *receive = world_room(sizeof *receive), **end = &net.posted[rank];
    *receive = (struct pending){
        .group = group_of(link), .peer = peer, .tag = tag, .to = data, .room = bytes};
    *request = (struct link_request){.pending = true, .handle = (intptr_t)receive};
    for (struct message **at = &net.arrived[rank]; *at; at = &(*at)->next)
        if (is_for(receive, *at)) {
            struct message *message = *at;
            *at = message->next;
            if (net.last[rank] == &message->next)
                net.last[rank] = at;
            receive_end(receive, message);
            return;
        }
    while (*end)
        end = &(*end)->next;
    *end = receive;
}

static bool step_is_over(struct pending *pending);

static struct pending *pending_of(const struct link_request *request)
{
    struct pending *pending;
    memcpy(&pending, &request->handle, sizeof(struct pending *));
    return pending;
}

bool link_test(struct link_request *request)
{
    struct pending *pending = pending_of(request);
    if (!request->pending)
        return true;
    if (pending->counted)
        pending->over = world_lives(0) && world.now_s >= pending->ready_s;
    if (pending->step ? !step_is_over(pending) : !pending->over)
        return false;
    *request = (struct link_request){.peer = pending->peer, .size = pending->size};
    return true;
}

void link_cancel(struct link_request *request)
{
    const struct pending *pending = pending_of(request);
    struct pending **at = &net.posted[world.current->number];
    if (!request->pending)
        return;
    while (*at && *at != pending)
        at = &(*at)->next;
    if (*at)
        *at = pending->next;
    request->pending = false;
}

/* Messages that have not been received yet may still be read. */
void link_forget(struct link_request *request)
{
    const struct pending *pending = pending_of(request);
    world.given_up = world.given_up || (request->pending && !pending->over && pending->size > 0);
    request->pending = false;
}

void link_progress(struct link link)
{
    (void)link;
}

bool link_rest(struct link link, double most_s)
{
    (void)link, (void)most_s;
    return false;
}

bool link_left(struct link link, int peer)
{
    (void)link, (void)peer;
    return false;
}

/* ---- a number that all share ----------------------------------------------------------------- */

bool link_counter_begin(struct link link, struct link_counter *counter)
{
    (void)link, (void)counter;
    return true;
}

/* The number is added at once, and known to the rank when the answer has come back. */
void link_counter_add(struct link_counter *counter, int64_t more, int64_t *before,
                      struct link_request *request)
{
    struct pending *pending = world_room(sizeof *pending);
    const double there_s = world.current->number == 0 ? 0 : 2 * travel_s();
    (void)counter;
    *pending = (struct pending){.counted = true, .ready_s = world.now_s + there_s};
    *request = (struct link_request){.pending = true, .handle = (intptr_t)pending};
    *before = net.counter;
    net.counter += world_lives(0) ? more : 0;
    if (there_s > 0)
        world_event(there_s, EVENT_NEWS, world.current->number, 0, NULL);
}

void link_counter_end(struct link_counter *counter, bool all)
{
    (void)counter, (void)all;
}

/* ---- the end of who waits without looking ---------------------------------------------------- */

static void alarm_heed(void)
{
    struct rank *rank = world.current;
    if (rank->alarm_s > 0 && world.now_s > rank->alarm_s) {
        world_say("rank %d has waited for others too long", rank->number);
        world_leave(rank, RANK_ENDED, FAILURE_STOPPED);
    }
}

/* ---- all ranks together -------------------------------------------------------------------- */

/* How the outcome of a step is made. */
enum { STEP_NONE = -1, STEP_BROADCAST = -10, STEP_GATHER, STEP_GATHER_ALL, STEP_LEAST, STEP_SUM };

static void outcome_take(const struct pending *pending)
{
    const struct step *step = pending->step;
    int number = 0;
    for (int rank = 0; rank < pending->group->count; rank++) {
        int one = 0;
        if (pending->tag == STEP_GATHER || pending->tag == STEP_GATHER_ALL) {
            if (pending->to)
                memcpy(pending->to + (size_t)rank * pending->room, step->mine[rank], pending->room);
        } else if (pending->tag == STEP_LEAST || pending->tag == STEP_SUM) {
            memcpy(&one, step->mine[rank], sizeof one);
            if (pending->tag == STEP_SUM)
                number += one;
            else
                number = rank == 0 || one < number ? one : number;
        }
    }
    if (pending->tag == STEP_LEAST || pending->tag == STEP_SUM)
        memcpy(pending->to, &number, sizeof number);
}

static bool step_is_over(struct pending *pending)
{
    const struct step *step = pending->step;
    if (pending->tag == STEP_BROADCAST) {
        if (!step->there[pending->peer])
            return false;
        if (pending->peer != pending->rank)
            memcpy(pending->to, step->mine[pending->peer], pending->room);
        return true;
    }
    if (pending->tag == STEP_GATHER && pending->rank != 0)
        return true;
    if (step->arrived < pending->group->count || world.now_s < step->ready_s)
        return false;
    outcome_take(pending);
    return true;
}

/* The step may be over, or what it waits for may be there: tells all ranks, or the one that has
 * come. */
static void step_tell(const struct group *group, const struct step *step, bool for_all)
{
    const double in_s = world.weather.latency_s;
    for (int k = 0; k < group->count; k++)
        if (for_all || step->arrived == group->count || group->ranks[k] == world.current->number)
            world_event(in_s, EVENT_NEWS, group->ranks[k], 0, NULL);
}

/* The next step of this rank. */
static struct step *step_claim(struct group *group, int rank)
{
    struct step *step = group->next_step[rank];
    if (!step->next)
        step->next = step_new(group->count);
    group->next_step[rank] = step->next;
    return step;
}

static struct pending *step_begin(struct group *group, const void *mine, size_t size, void *to,
                                  int kind, int peer)
{
    const int rank = group->places[world.current->number];
    struct pending *pending = world_room(sizeof *pending);
    struct step *step = step_claim(group, rank);
    *pending = (struct pending){.group = group,
                                .rank = rank,
                                .peer = peer,
                                .tag = kind,
                                .to = to,
                                .room = size,
                                .step = step};
    step->mine[rank] = world_room(size + 1);
    if (mine && size > 0)
        memcpy(step->mine[rank], mine, size);
    step->there[rank] = true;
    step->arrived++;
    step->ready_s = world.now_s + world.weather.latency_s;
    step_tell(group, step, kind == STEP_BROADCAST && rank == peer);
    return pending;
}

static void step_request(struct link link, const void *mine, size_t size, void *to, int kind,
                         int peer, struct link_request *request)
{
    struct pending *pending = step_begin(group_of(link), mine, size, to, kind, peer);
    *request = (struct link_request){.pending = true, .handle = (intptr_t)pending};
}

void link_barrier(struct link link, struct link_request *request)
{
    step_request(link, NULL, 0, NULL, STEP_NONE, 0, request);
}

void link_broadcast(struct link link, void *data, size_t bytes, int from,
                    struct link_request *request)
{
    step_request(link, data, bytes, data, STEP_BROADCAST, from, request);
}

void link_gather(struct link link, const void *mine, size_t bytes, void *all,
                 struct link_request *request)
{
    step_request(link, mine, bytes, all, STEP_GATHER, 0, request);
}

void link_gather_all(struct link link, const void *mine, size_t bytes, void *all,
                     struct link_request *request)
{
    step_request(link, mine, bytes, all, STEP_GATHER_ALL, 0, request);
}

void link_least(struct link link, const int *mine, int *least, struct link_request *request)
{
    step_request(link, mine, sizeof *mine, least, STEP_LEAST, 0, request);
}

void link_sum(struct link link, const int *mine, int *sum, struct link_request *request)
{
    step_request(link, mine, sizeof *mine, sum, STEP_SUM, 0, request);
}

struct link link_node(struct link link)
{
    return link;
}

/* ---- groups of them ------------------------------------------------------------------------ */

/* Such a call does not notice ranks that are gone, and waits for all, unless the process's alarm
 * ends it. */
static void step_await(struct pending *pending)
{
    static const double look_s = 0.25;
    while (!step_is_over(pending)) {
        alarm_heed();
        world_sleep(look_s, true);
    }
}

/* The group of these ranks that another one of them has made and this rank has not joined yet; the
 * first of them makes it. */
static struct group *group_join(int *ranks, int count)
{
    const size_t bytes = (size_t)count * sizeof *ranks;
    const int rank = world.current->number;
    struct group *group = net.groups;
    while (group && (group->count != count || memcmp(group->ranks, ranks, bytes) != 0 ||
                     group->joined[rank]))
        group = group->next;
    if (!group)
        group = group_new(ranks, count);
    group->joined[rank] = true;
    return group;
}

struct link link_among(struct link link, const int *ranks, int count)
{
    const struct group *whole = group_of(link);
    int *mine = world_room((size_t)count * sizeof *mine);
    for (int k = 0; k < count; k++)
        mine[k] = whole->ranks[ranks[k]];
    struct group *group = group_join(mine, count);
    step_await(step_begin(group, NULL, 0, NULL, STEP_NONE, 0));
    return link_of(group);
}

void link_end(struct link *link)
{
    *link = (struct link){0};
}

void link_machine(char name[LINK_NAME_SIZE])
{
    snprintf(name, LINK_NAME_SIZE, "simulated");
}

void link_version(char version[LINK_VERSION_SIZE])
{
    snprintf(version, LINK_VERSION_SIZE, "simulated");
}

void link_abort(struct link link, int status)
{
    (void)link;
    world_wrong("rank %d aborts with %d", world.current->number, status);
    world_leave(world.current, RANK_ENDED, status);
    abort();
}

/* ---- the clock ------------------------------------------------------------------------------- */

const double clock_late_s = 0;
/* Well above the precision of simulated time: with shorter naps time would stand still. */
static const double nap_least_s = 1e-7;

double clock_now(void)
{
    return world.now_s + (world.current ? world.current->skew_s : 0);
}

void clock_nap(double seconds)
{
    world_sleep(fmax(seconds, nap_least_s), false);
}

/* Until something has arrived, but no longer than until the watch is to be called. */
void clock_pause(struct pause *pause, const struct awaited *awaited)
{
    static const double look_s = 0.25;
    alarm_heed();
    pause->count++;
    pause->nap_s = look_s;
    const double left_s = awaited->left_s > 0 ? fmax(awaited->left_s, nap_least_s) : look_s;
    world_sleep(fmin(left_s, look_s), true);
}
