#include "planner/simulate/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/simulate/extrapolate.h"
#include "planner/simulate/loop.h"

/* The costs of one window by worker: looking up the class for each package would take longer than
 * evaluating the package. */
struct window_costs {
    double above, below; /* the window's packages lie between them, fractional ones included */
    struct cost master;
    struct cost *link, *work, *output; /* owned; work holds the output, unless written behind */
};

/* A slot of a round: a worker with its package, and when the last package went through. */
struct place {
    double master_s, link_s, work_s; /* of this round's package; link_s < 0: no package */
    double first_s, free_s; /* the worker starts its first package, and could start another one */
    double sent_s, start_s; /* port and worker start the last package */
    double sent_step_s, start_step_s; /* by how much these moved in the last round */
    double left_s; /* work that is still to be sent; 0 where it is not asked for */
    /* Only where results are written while the worker computes: the time to write the results, when
     * they are written, by how much free_s moved in the last round, and for how long computing hid
     * the writing of results, in the last package and in all. */
    double output_s, end_s, free_step_s, hidden_s, hidden_sum_s;
    int64_t packages;
    int oldest; /* in its ring of starts: that of package n - B */
};

/* More about a slot, for when slots are evaluated one by one. It is kept apart because struct place
 * is read in the innermost loop and should stay small. */
struct own_progress {
    int64_t round, steady; /* its round; rounds since its regime changed */
    double prefix_s;       /* when the master has sent its package, from the round's begin */
    int64_t before, after; /* slots that the port serves before and after it */
};

struct evaluator {
    const struct platform *platform;
    struct window_costs *windows; /* owned */
    struct place *places;         /* owned, one per worker */
    struct own_progress *own;     /* owned, one per worker */
    double *prepared;             /* owned, by worker: when it can begin its first package */
    double *starts;               /* owned, B per place: when the last B packages were started */
    int64_t *due;                 /* owned; a tree of minima over 2^n leaves, one per place */
    int64_t leaves;
    double master_s, port_s;
    double origin_s; /* the time that slots' times are relative to; else 0 */
    int64_t steady;  /* rounds since the last change of regime */
    int64_t effort;
    int64_t whole;  /* effort of the last plan that was evaluated completely */
    double limit_s; /* a plan with a longer makespan is not evaluated completely */
};

static bool window_load(struct window_costs *costs, const struct platform_window *window,
                        int64_t workers, bool behind)
{
    costs->above = (double)window->least - 1;
    costs->below = (double)window->greatest + 1;
    costs->master = cost_sum(window->envelope, window->send);
    costs->link = malloc((size_t)workers * sizeof *costs->link);
    costs->work = malloc((size_t)workers * sizeof *costs->work);
    costs->output = malloc((size_t)workers * sizeof *costs->output);
    if (costs->link == NULL || costs->work == NULL || costs->output == NULL)
        return false;
    for (int64_t c = 0; c < window->class_count; c++) {
        const struct platform_class *class = &window->classes[c];
        for (int64_t i = class->first; i < class->first + class->count && i < workers; i++) {
            costs->link[i] = class->link;
            costs->output[i] = class->output;
            costs->work[i] =
                behind ? cost_sum(class->receive, class->compute) : platform_class_whole(class);
        }
    }
    return true;
}

struct evaluator *evaluator_new(const struct platform *platform)
{
    struct evaluator *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    const size_t workers = (size_t)platform->worker_count;
    made->platform = platform;
    made->windows = calloc((size_t)platform->window_count, sizeof *made->windows);
    made->places = calloc(workers, sizeof *made->places);
    made->own = calloc(workers, sizeof *made->own);
    made->starts = calloc(workers * (size_t)platform->buffers, sizeof *made->starts);
    made->prepared = calloc(workers, sizeof *made->prepared);
    for (made->leaves = 1; made->leaves < platform->worker_count;)
        made->leaves *= 2;
    made->due = calloc(2 * (size_t)made->leaves, sizeof *made->due);
    bool good = made->windows != NULL && made->places != NULL && made->own != NULL &&
                made->starts != NULL && made->prepared != NULL && made->due != NULL;
    for (int64_t k = 0; good && k < platform->worker_count; k++)
        made->prepared[k] = platform_start(platform, k);
    for (int64_t w = 0; good && w < platform->window_count; w++)
        good = window_load(&made->windows[w], &platform->windows[w], platform->worker_count,
                           platform->write_behind);
    if (!good)
        evaluator_free(&made);
    return made;
}

void evaluator_free(struct evaluator **evaluator)
{
    struct evaluator *gone = *evaluator;
    if (gone == NULL)
        return;
    for (int64_t w = 0; gone->windows != NULL && w < gone->platform->window_count; w++) {
        free(gone->windows[w].link);
        free(gone->windows[w].work);
        free(gone->windows[w].output);
    }
    free(gone->windows);
    free(gone->places);
    free(gone->own);
    free(gone->starts);
    free(gone->prepared);
    free(gone->due);
    free(gone);
    *evaluator = NULL;
}

int64_t evaluator_effort(const struct evaluator *evaluator)
{
    return evaluator->effort;
}

/* The window of that load, as by platform_find, fractional loads included. */
static const struct window_costs *window_find(const struct evaluator *evaluator, double load)
{
    for (int64_t w = 0; w < evaluator->platform->window_count; w++) {
        const struct window_costs *window = &evaluator->windows[w];
        if (load > window->above && load < window->below)
            return window;
    }
    return NULL;
}

static bool round_load(struct evaluator *evaluator, const struct plan *plan, const double *loads)
{
    for (int64_t k = 0; k < plan->worker_count; k++) {
        struct place *place = &evaluator->places[k];
        place->link_s = -1.0;
        if (!(loads[k] > 0))
            continue;
        const struct window_costs *window = window_find(evaluator, loads[k]);
        if (window == NULL)
            return false;
        const int64_t worker = plan->workers[k];
        place->master_s = cost_of(window->master, loads[k]);
        place->link_s = cost_of(window->link[worker], loads[k]);
        place->work_s = cost_of(window->work[worker], loads[k]);
        if (evaluator->platform->write_behind)
            place->output_s = cost_of(window->output[worker], loads[k]);
    }
    return true;
}

/* Differences of the slot's times smaller than this are rounding. */
static double noise_of(const struct evaluator *evaluator, const struct place *place)
{
    return 1e-14 * (fabs(place->free_s) + evaluator->origin_s);
}

/* The worker has the package from start_s on; its results are written while it goes on with the
 * next one. */
static void place_write(struct place *place, double start_s)
{
    const double computed_s = start_s + place->work_s;
    const struct star_write write = star_write(computed_s, place->end_s, place->output_s);
    place->hidden_s = star_hidden(start_s, computed_s, place->end_s);
    place->hidden_sum_s += place->hidden_s;
    place->free_s = write.handed_s;
    place->end_s = write.end_s;
}

/* Evaluates one package: star_step of star.h, for this slot. */
static inline void place_step(struct evaluator *evaluator, struct place *place, double *starts)
{
    double *slot = &starts[place->oldest];
    evaluator->master_s += place->master_s;
    const struct star_step step = star_step(
        (struct star_before){evaluator->master_s, evaluator->port_s, *slot, place->free_s},
        place->link_s);
    evaluator->port_s = step.arrived_s;
    if (evaluator->platform->write_behind)
        place_write(place, step.start_s);
    else
        place->free_s = step.start_s + place->work_s;
    *slot = step.start_s;
    if (++place->oldest == evaluator->platform->buffers)
        place->oldest = 0;
    if (place->packages++ == 0)
        place->first_s = step.start_s;
    place->sent_s = step.link_s;
    place->start_s = step.start_s;
}

/* Evaluates one package; true when it moved the slot's times as far as in the last round. */
static bool place_compare(struct evaluator *evaluator, struct place *place, double *starts)
{
    const double before_sent_s = place->sent_s, before_start_s = place->start_s;
    const double before_free_s = place->free_s, before_step_s = place->free_step_s;
    place_step(evaluator, place, starts);
    const double sent_step_s = place->sent_s - before_sent_s;
    const double start_step_s = place->start_s - before_start_s;
    const double noise_s = noise_of(evaluator, place);
    place->free_step_s = place->free_s - before_free_s;
    const bool same =
        fabs(sent_step_s - place->sent_step_s) <= noise_s &&
        fabs(start_step_s - place->start_step_s) <= noise_s &&
        (!evaluator->platform->write_behind || fabs(place->free_step_s - before_step_s) <= noise_s);
    place->sent_step_s = sent_step_s;
    place->start_step_s = start_step_s;
    return same;
}

static void round_step(struct evaluator *evaluator, int64_t places)
{
    const int buffers = evaluator->platform->buffers;
    bool same = true;
    for (int64_t k = 0; k < places; k++) {
        struct place *place = &evaluator->places[k];
        if (place->link_s < 0)
            continue;
        if (!place_compare(evaluator, place, &evaluator->starts[k * buffers]))
            same = false;
        evaluator->effort++;
    }
    evaluator->steady = same ? evaluator->steady + 1 : 0;
}

/* Evaluates rounds that are too few to become steady. False: some worker ends beyond the limit,
 * even if it never waits again. */
static bool rounds_step_few(struct evaluator *evaluator, int64_t places, int64_t repeat)
{
    const int buffers = evaluator->platform->buffers;
    for (int64_t left = repeat; left > 0; left--)
        for (int64_t k = 0; k < places; k++) {
            struct place *place = &evaluator->places[k];
            if (place->link_s < 0)
                continue;
            place_step(evaluator, place, &evaluator->starts[k * buffers]);
            evaluator->effort++;
            place->left_s -= place->work_s;
            if (place->free_s + place->left_s > evaluator->limit_s)
                return false;
        }
    return true;
}

/* How many rounds until a term that gains `gain_s` in each round makes up a lead of `lead_s`. */
static double rounds_until(double lead_s, double gain_s, double noise_s)
{
    return gain_s > noise_s ? fmax(lead_s, 0.0) / gain_s : HUGE_VAL;
}

/* For how many rounds a worker whose results are written while it computes goes on as in the last
 * round. Both its start and its hand-over of results are a maximum of two terms, and the lesser
 * term may gain. */
static double written_outlook(const struct place *place, double noise_s)
{
    const double start_lead_s = place->start_s - (place->free_s - place->free_step_s);
    const double free_lead_s = place->free_s - (place->start_s + place->work_s);
    return fmin(rounds_until(start_lead_s, place->free_step_s - place->start_step_s, noise_s),
                rounds_until(free_lead_s, place->start_step_s - place->free_step_s, noise_s));
}

/* When master and port were ready for a slot's package in this round, and by how much that moves in
 * a round. */
struct met {
    double master_s, master_step_s; /* the master has sent it */
    double port_s, port_step_s;     /* the port is free */
};

/* For how many more rounds the slot moves as far as in the last one: until another term of one of
 * the maxima in star_step becomes the greater one. */
static double place_outlook(const struct evaluator *evaluator, const struct place *place,
                            const struct met *met)
{
    const double noise_s = noise_of(evaluator, place);
    const double held_s =
        place->start_s - (double)evaluator->platform->buffers * place->start_step_s;
    double outlook = rounds_until(place->sent_s - met->master_s,
                                  met->master_step_s - place->sent_step_s, noise_s);
    outlook = fmin(outlook, rounds_until(place->sent_s - met->port_s,
                                         met->port_step_s - place->sent_step_s, noise_s));
    outlook = fmin(outlook, rounds_until(place->sent_s - held_s,
                                         place->start_step_s - place->sent_step_s, noise_s));
    outlook = fmin(outlook, rounds_until(place->start_s - (place->sent_s + place->link_s),
                                         place->sent_step_s - place->start_step_s, noise_s));
    if (evaluator->platform->write_behind)
        outlook = fmin(outlook, written_outlook(place, noise_s));
    return outlook;
}

/* For how many more rounds all slots move as far as in the last one. */
static double round_outlook(const struct evaluator *evaluator, int64_t places)
{
    double round_s = 0, outlook = HUGE_VAL;
    const struct place *before = &evaluator->places[0]; /* the last slot that has a package */
    for (int64_t k = 0; k < places; k++)
        if (evaluator->places[k].link_s >= 0) {
            round_s += evaluator->places[k].master_s;
            before = &evaluator->places[k];
        }
    struct met met = {evaluator->master_s - round_s, round_s,
                      before->sent_s - before->sent_step_s + before->link_s, 0};
    for (int64_t k = 0; k < places; k++) {
        const struct place *place = &evaluator->places[k];
        if (place->link_s < 0)
            continue;
        met.master_s += place->master_s;
        met.port_step_s = before->sent_step_s;
        outlook = fmin(outlook, place_outlook(evaluator, place, &met));
        met.port_s = place->sent_s + place->link_s;
        before = place;
    }
    return outlook;
}

/* Moves a slot's times and its ring of starts on by `rounds` rounds, minus pace_s for each of
 * them. */
static void place_skip(const struct evaluator *evaluator, struct place *place, double *starts,
                       double rounds, double pace_s)
{
    const double moved_s = rounds * (place->start_step_s - pace_s);
    place->sent_s += rounds * (place->sent_step_s - pace_s);
    place->start_s += moved_s;
    place->packages += (int64_t)rounds;
    for (int b = 0; b < evaluator->platform->buffers; b++)
        starts[b] += moved_s;
    if (!evaluator->platform->write_behind) {
        place->free_s += moved_s;
        return;
    }
    place->free_s += rounds * (place->free_step_s - pace_s);
    place->end_s += rounds * (place->free_step_s - pace_s);
    place->hidden_sum_s += rounds * place->hidden_s;
}

/* Moves all slots on by `rounds` rounds. */
static void round_skip(struct evaluator *evaluator, int64_t places, double rounds)
{
    const int buffers = evaluator->platform->buffers;
    for (int64_t k = 0; k < places; k++) {
        struct place *place = &evaluator->places[k];
        if (place->link_s < 0)
            continue;
        place_skip(evaluator, place, &evaluator->starts[k * buffers], rounds, 0);
        evaluator->master_s += rounds * place->master_s;
        evaluator->port_s = place->sent_s + place->link_s;
    }
    evaluator->steady = 0;
}

/* ---- places by themselves -------------------------------------------------------------------- */

/*
 * Where workers are nearly alike, each slot changes its regime in a round of its own: a thousand
 * workers that each gain a nanosecond a round on those before them reach the port's pace one after
 * the other. To evaluate all rounds of all slots each time would take a thousand times as long. So
 * each slot is evaluated only in the rounds in which its regime may change: until it moves evenly,
 * when another term of its maxima takes over, and when the slot that the port serves before it has
 * changed its own movement. Its times in all other rounds follow from the last round in which it
 * was evaluated.
 *
 * After 10^8 rounds, a nanosecond is less than the rounding of a time. Therefore times in round r,
 * counted from 0, are relative to (r + 1) pace_s: a slot that keeps pace stays at the same number.
 */
struct apart {
    int64_t first, last, end; /* the first and last slot with a package; number of rounds */
    double master_s, round_s; /* the master's time at the begin, and in a round */
    double pace_s;            /* of a round, by the slowest term at the begin */
};

static void due_gather(struct evaluator *evaluator, int64_t node)
{
    int64_t *due = evaluator->due;
    due[node] = due[2 * node] < due[2 * node + 1] ? due[2 * node] : due[2 * node + 1];
}

static void due_set(struct evaluator *evaluator, int64_t place, int64_t round)
{
    int64_t node = evaluator->leaves + place;
    evaluator->due[node] = round;
    for (node /= 2; node >= 1; node /= 2)
        due_gather(evaluator, node);
}

/* The first slot among those with the least due round. */
static int64_t due_first(const struct evaluator *evaluator)
{
    int64_t node = 1;
    while (node < evaluator->leaves)
        node = evaluator->due[2 * node] == evaluator->due[node] ? 2 * node : 2 * node + 1;
    return node - evaluator->leaves;
}

/* All slots are in the round before the first one, and due in the first. */
static struct apart apart_begin(struct evaluator *evaluator, int64_t places, int64_t rounds)
{
    struct apart apart = {.first = -1, .end = rounds, .master_s = evaluator->master_s};
    for (int64_t k = 0; k < evaluator->leaves; k++)
        evaluator->due[evaluator->leaves + k] = INT64_MAX;
    for (int64_t k = 0; k < places; k++) {
        struct place *place = &evaluator->places[k];
        if (place->link_s < 0)
            continue;
        if (apart.first < 0)
            apart.first = k;
        else
            evaluator->own[apart.last].after = k;
        apart.round_s += place->master_s;
        apart.pace_s = fmax(apart.pace_s, place->start_step_s);
        evaluator->origin_s = fmax(evaluator->origin_s, place->free_s);
        struct own_progress *own = &evaluator->own[k];
        own->round = -1;
        own->steady = evaluator->steady;
        own->prefix_s = apart.round_s;
        own->before = apart.last;
        apart.last = k;
        evaluator->due[evaluator->leaves + k] = 0;
    }
    evaluator->own[apart.first].before = apart.last;
    evaluator->own[apart.last].after = apart.first;
    for (int64_t node = evaluator->leaves - 1; node >= 1; node--)
        due_gather(evaluator, node);
    return apart;
}

static void place_shift(const struct evaluator *evaluator, int64_t k, double by_s)
{
    const int buffers = evaluator->platform->buffers;
    struct place *place = &evaluator->places[k];
    place->sent_s += by_s;
    place->start_s += by_s;
    place->free_s += by_s;
    place->end_s += by_s;
    for (int b = 0; b < buffers; b++)
        evaluator->starts[k * buffers + b] += by_s;
}

static void place_catch_up(const struct evaluator *evaluator, const struct apart *apart, int64_t k,
                           int64_t round)
{
    struct place *place = &evaluator->places[k];
    struct own_progress *own = &evaluator->own[k];
    if (own->round < round)
        place_skip(evaluator, place, &evaluator->starts[k * evaluator->platform->buffers],
                   (double)(round - own->round), apart->pace_s);
    own->round = round;
}

/* When master and port are ready for a slot's package of a round, relative to that round's time. */
static struct met place_meets(const struct evaluator *evaluator, const struct apart *apart,
                              int64_t k, int64_t round)
{
    const struct own_progress *own = &evaluator->own[k];
    const struct place *before = &evaluator->places[own->before];
    const double pace_s = apart->pace_s;
    const int64_t back =
        k == apart->first ? 1 : 0; /* the port served the slot before it in the round before */
    const double ahead = (double)(round - back - evaluator->own[own->before].round);
    return (struct met){.master_s = apart->master_s + own->prefix_s - pace_s +
                                    (double)round * (apart->round_s - pace_s),
                        .master_step_s = apart->round_s,
                        .port_s = before->sent_s + ahead * (before->sent_step_s - pace_s) -
                                  (double)back * pace_s + before->link_s,
                        .port_step_s = before->sent_step_s};
}

/* The round in which the slot must be evaluated next. */
static int64_t place_due(const struct evaluator *evaluator, int64_t k, const struct met *met,
                         int64_t end)
{
    const struct own_progress *own = &evaluator->own[k];
    if (own->steady <= evaluator->platform->buffers)
        return own->round + 1;
    const double skip = floor(place_outlook(evaluator, &evaluator->places[k], met) - 1.0);
    return skip < (double)(end - own->round) ? own->round + 1 + (int64_t)fmax(skip, 0) : end;
}

/* Evaluates the slot's package of a round. */
static void place_simulate(struct evaluator *evaluator, const struct apart *apart, int64_t k,
                           int64_t round)
{
    struct place *place = &evaluator->places[k];
    struct own_progress *own = &evaluator->own[k];
    place_catch_up(evaluator, apart, k, round - 1);
    const struct met met = place_meets(evaluator, apart, k, round);
    place_shift(evaluator, k, -apart->pace_s);
    const double step_s = place->sent_step_s;
    evaluator->master_s = met.master_s - place->master_s;
    evaluator->port_s = met.port_s;
    const bool same =
        place_compare(evaluator, place, &evaluator->starts[k * evaluator->platform->buffers]);
    evaluator->effort++;
    own->round = round;
    own->steady = same ? own->steady + 1 : 0;
    due_set(evaluator, k, place_due(evaluator, k, &met, apart->end));
    const int64_t next = k == apart->last ? round + 1 : round;
    if (fabs(place->sent_step_s - step_s) > noise_of(evaluator, place) &&
        evaluator->due[evaluator->leaves + own->after] > next)
        due_set(evaluator, own->after, next);
}

static void rounds_step_apart(struct evaluator *evaluator, int64_t places, int64_t rounds)
{
    const struct apart apart = apart_begin(evaluator, places, rounds);
    while (evaluator->due[1] < rounds)
        place_simulate(evaluator, &apart, due_first(evaluator), evaluator->due[1]);
    for (int64_t k = 0; k < places; k++)
        if (evaluator->places[k].link_s >= 0) {
            place_catch_up(evaluator, &apart, k, rounds - 1);
            place_shift(evaluator, k, (double)rounds * apart.pace_s);
        }
    evaluator->origin_s = 0;
    const struct place *last = &evaluator->places[apart.last];
    evaluator->master_s = apart.master_s + (double)rounds * apart.round_s;
    evaluator->port_s = last->sent_s + last->link_s;
}

/* Evaluates all slots together at first: mostly they become steady after a few changes, and the
 * remaining rounds are skipped at once. Where that is not so, slots are evaluated one by one. */
static bool rounds_step(struct evaluator *evaluator, int64_t places, int64_t repeat)
{
    enum { ROUNDS_MOST = 8, CHANGES_MOST = 4 }; /* rounds beyond four turns of the ring of starts */
    const int buffers = evaluator->platform->buffers;
    if (repeat <= 3 * (int64_t)buffers + 1)
        return rounds_step_few(evaluator, places, repeat);
    /* The steps of the last B rounds must agree, and the first step has no earlier one to agree
     * with. */
    evaluator->steady = -1;
    int64_t simulated = 0; /* rounds since a change of regime */
    int changes = 0;
    for (int64_t left = repeat; left > 0;) {
        round_step(evaluator, places);
        left--;
        simulated++;
        if (left < 2 * (int64_t)buffers)
            continue;
        const bool steady = evaluator->steady > buffers;
        const double same = steady ? fmin(round_outlook(evaluator, places) - 1.0, (double)left) : 0;
        if (steady && (same >= (double)left || changes < CHANGES_MOST)) {
            /* Whole turns of the ring of starts are skipped, so that each of its entries keeps its
             * meaning. */
            const int64_t skipped = (int64_t)(fmax(same, 0) / buffers) * (int64_t)buffers;
            if (skipped > 0)
                round_skip(evaluator, places, (double)skipped);
            left -= skipped;
            simulated = 0;
            changes++;
        } else if (steady || simulated >= 4 * (int64_t)buffers + ROUNDS_MOST) {
            rounds_step_apart(evaluator, places, left);
            left = 0;
        }
    }
    return true;
}

static void evaluator_begin(struct evaluator *evaluator, const struct plan *plan)
{
    const size_t places = (size_t)plan->worker_count;
    memset(evaluator->places, 0, places * sizeof *evaluator->places);
    memset(evaluator->starts, 0,
           places * (size_t)evaluator->platform->buffers * sizeof *evaluator->starts);
    for (int64_t k = 0; k < plan->worker_count; k++)
        evaluator->places[k].free_s = evaluator->prepared[plan->workers[k]];
    evaluator->master_s = evaluator->port_s = 0;
    evaluator->limit_s = HUGE_VAL;
}

static double place_end(const struct evaluator *evaluator, const struct place *place)
{
    if (place->packages == 0)
        return 0; /* the start-up of a worker without packages does not count */
    return evaluator->platform->write_behind ? place->end_s : place->free_s;
}

static double evaluator_go(struct evaluator *evaluator, const struct plan *plan, double *ends)
{
    const int64_t before = evaluator->effort;
    for (size_t r = 0; r < plan->round_count; r++)
        if (!round_load(evaluator, plan, plan->rounds[r].loads) ||
            !rounds_step(evaluator, plan->worker_count, plan->rounds[r].repeat))
            return HUGE_VAL;
    double makespan_s = 0;
    evaluator->whole = evaluator->effort - before;
    for (int64_t k = 0; k < plan->worker_count; k++) {
        const double end_s = place_end(evaluator, &evaluator->places[k]);
        makespan_s = fmax(makespan_s, end_s);
        if (ends != NULL)
            ends[k] = end_s;
    }
    return makespan_s;
}

static double output_of(const struct evaluator *evaluator, const struct plan *plan, size_t round,
                        int64_t place)
{
    const double load = plan->rounds[round].loads[place];
    return cost_of(window_find(evaluator, load)->output[plan->workers[place]], load);
}

/* Simulates the plan, where it can be neither evaluated nor shortened. */
static double plan_simulate(struct evaluator *evaluator, const struct plan *plan, double *ends)
{
    enum { EVENTS = 8 }; /* the effort of a simulated package, in evaluated ones */
    struct simulation simulation;
    struct failure none = FAILURE_INIT;
    int64_t simulated;
    if (!extrapolate_plan(evaluator->platform, plan, &simulation, ends, &simulated, &none))
        return HUGE_VAL;
    evaluator->effort += EVENTS * simulated;
    return simulation.makespan_s;
}

double evaluator_makespan(struct evaluator *evaluator, const struct plan *plan, double *ends)
{
    if (loop_needs_events(evaluator->platform))
        return plan_simulate(evaluator, plan, ends);
    evaluator_begin(evaluator, plan);
    return evaluator_go(evaluator, plan, ends);
}

double evaluator_makespan_below(struct evaluator *evaluator, const struct plan *plan,
                                const double *work_s, double limit_s)
{
    static const double ROUNDING = 1e-9;
    const int64_t before = evaluator->effort;
    if (loop_needs_events(evaluator->platform))
        return plan_simulate(evaluator, plan, NULL);
    evaluator_begin(evaluator, plan);
    evaluator->limit_s = limit_s * (1 + ROUNDING);
    for (int64_t k = 0; k < plan->worker_count; k++)
        evaluator->places[k].left_s = work_s[k];
    const double makespan_s = evaluator_go(evaluator, plan, NULL);
    if (evaluator->effort - before < evaluator->whole)
        evaluator->effort = before + evaluator->whole;
    return makespan_s;
}

double evaluator_work(const struct evaluator *evaluator, int64_t worker, double load)
{
    const struct window_costs *window = window_find(evaluator, load);
    return load > 0 && window != NULL ? cost_of(window->work[worker], load) : 0;
}

/* Busy times do not depend on when things happen, apart from hidden writing: they are sums over
 * packages. */
static void busy_sum(struct evaluator *evaluator, const struct plan *plan, struct star *star)
{
    const struct platform *platform = evaluator->platform;
    for (size_t r = 0; r < plan->round_count; r++) {
        const double repeat = (double)plan->rounds[r].repeat;
        round_load(evaluator, plan, plan->rounds[r].loads);
        for (int64_t k = 0; k < plan->worker_count; k++) {
            const struct place *place = &evaluator->places[k];
            if (place->link_s < 0)
                continue;
            star->master_busy_s += repeat * place->master_s;
            star->port_busy_s += repeat * place->link_s;
            const double output_s = output_of(evaluator, plan, r, k);
            const double beside_s = platform->write_behind ? output_s : 0;
            star->workers[k].busy_s += repeat * (place->work_s + beside_s);
            star->workers[k].output_s += repeat * output_s;
        }
    }
    for (int64_t k = 0; k < plan->worker_count; k++) {
        star->workers[k].busy_s -= evaluator->places[k].hidden_sum_s;
        star->workers[k].output_s =
            fmax(star->workers[k].output_s - evaluator->places[k].hidden_sum_s,
                 0); /* rounding may make it negative */
    }
}

bool evaluate_plan(const struct platform *platform, const struct plan *plan,
                   struct simulation *simulation, struct failure *failure)
{
    struct evaluator *evaluator = evaluator_new(platform);
    struct star star = {.workers = NULL};
    bool good = star_init(&star, platform, plan->worker_count);
    if (!good || evaluator == NULL) {
        good = failure_memory(failure, "simulating a plan");
        goto out;
    }
    if (evaluator_makespan(evaluator, plan, NULL) == HUGE_VAL) {
        good = failure_set(failure, FAILURE_MISMATCH,
                           "a package of the plan lies in no window of the profile: make the plan "
                           "again with this profile");
        goto out;
    }
    for (int64_t k = 0; k < plan->worker_count; k++) {
        star.workers[k].prepared_s = evaluator->prepared[plan->workers[k]];
        star.workers[k].first_s = evaluator->places[k].first_s;
        star.workers[k].end_s = place_end(evaluator, &evaluator->places[k]);
        star.workers[k].packages = evaluator->places[k].packages;
    }
    busy_sum(evaluator, plan, &star);
    star_sum(&star, simulation);
out:
    star_release(&star);
    evaluator_free(&evaluator);
    return good;
}
