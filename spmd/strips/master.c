#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/strips/balance.h"
#include "planner/strips/strips_left.h"
#include "spmd/strips/columns.h"
#include "spmd/strips/strips_run.h"
#include "spmd/strips/waiting.h"
#include "spmd/transport/clock.h"
#include "spmd/transport/liveness.h"
#include "spmd/transport/wire.h"

struct strips_master {
    const struct strips_run *run;
    const struct strips_grid *grid;
    struct waiting waiting;
    struct strips_outcome outcome;
    int64_t count;
    int64_t *widths, *later; /* owned; of the strips, and possibly better ones; 0: the worker of
                                that slot has no strip */
    int64_t *ranks;          /* in `widths`, behind the widths: the rank of each slot */
    struct wire_strip_report *reports; /* owned; the last reports, in the order of strips */
    struct strip_cost *costs;          /* owned; as measured */
    double *paces;                     /* owned; measured seconds per column; 0: not known */
    double *piece;                     /* owned; columns on their way to or from the grid */
    bool *there;                       /* owned; the slot's worker is not lost */
    bool *has;                         /* owned; the slot's worker has a strip */
    bool *lost;                        /* owned; by rank */
    bool shaken;                       /* a worker with a strip is lost: all begin again */
    int64_t beginning;                 /* how often all have begun again */
    int64_t kept;                      /* iterations of the grid that was kept last */
    int64_t tested;                    /* iterations at the last test */
    double start_s;                    /* when the part began */
    double noted_s, gathered_s;  /* up to when work is not lost by a loss, and gather_s then */
    double stepped_s;            /* of all iterations so far */
    int64_t stepped;             /* how many that were */
    struct wire_strip_order end; /* the last order */
};

/* ---- losses -------------------------------------------------------------------------------- */

static int rank_of(const struct strips_master *master, int64_t place)
{
    return (int)master->ranks[place];
}

static int tag_of(const struct strips_master *master, enum wire_strip_part part)
{
    return wire_strip_tag(part, master->beginning);
}

/* The slot of that rank; negative: it has none. */
static int64_t place_of(const struct strips_master *master, int rank)
{
    for (int64_t k = 0; k < master->count; k++)
        if (rank_of(master, k) == rank)
            return k;
    return -1;
}

/* The first rank that is left and has no slot; 0: there is none. */
static int spare_find(const struct strips_master *master)
{
    for (int rank = 1; rank < master->run->comm->size; rank++)
        if (!master->lost[rank] && place_of(master, rank) < 0)
            return rank;
    return 0;
}

/* The spare takes the slot. Its speed is not known yet. */
static void place_give(struct strips_master *master, int64_t place, int spare)
{
    master->ranks[place] = spare;
    master->outcome.strips[place].rank = spare;
    master->paces[place] = 0;
    liveness_await(master->run->liveness, spare, true);
}

static void loss_note(struct strips_master *master, const struct comm_event *event, int spare)
{
    struct strips_outcome *outcome = &master->outcome;
    struct strips_loss *loss = &outcome->losses[outcome->loss_count];
    *loss = (struct strips_loss){.rank = event->peer,
                                 .iterations = outcome->iterations,
                                 .from = master->kept,
                                 .spare = spare,
                                 .at_s = clock_now() - master->start_s,
                                 .why = strdup(event->why)};
    outcome->loss_count += loss->why != NULL;
}

/* The strip of that slot is lost with its worker; without columns nothing is lost. Returns the
 * spare that has taken it; 0: none. */
static int place_lose(struct strips_master *master, int64_t place)
{
    const bool has = master->widths[place] > 0;
    const int spare = has ? spare_find(master) : 0;
    if (spare > 0)
        place_give(master, place, spare);
    else
        master->there[place] = false;
    master->shaken = master->shaken || has;
    return spare;
}

/* A lost rank without a slot was not needed. */
static void worker_lose(struct strips_master *master, const struct comm_event *event)
{
    const struct strips_run *run = master->run;
    int spare = 0;
    if (master->lost[event->peer])
        return;
    master->lost[event->peer] = true;
    liveness_give_up(run->liveness, event->peer);
    const int64_t place = place_of(master, event->peer);
    if (place >= 0) {
        spare = place_lose(master, place);
        loss_note(master, event, spare);
    }
    if (run->tell_lost)
        run->tell_lost(run->self, event->peer, spare, event->why);
}

/* Has a loss made useless what is under way? */
static bool losses_look(void *self)
{
    struct strips_master *master = self;
    struct comm_event event;
    while (comm_poll(master->run->comm, &event))
        if (event.news == COMM_LOST)
            worker_lose(master, &event);
    return master->shaken;
}

/* ---- the grid ------------------------------------------------------------------------------ */

/* What lies between the strip's columns in memory is sent to workers, too. */
static bool piece_make(struct strips_master *master)
{
    const int64_t rows = master->run->plan->job.rows, stride = columns_stride(rows);
    master->piece = calloc((size_t)(columns_piece(rows) * stride), sizeof *master->piece);
    for (int64_t k = 0; master->piece && k < columns_piece(rows); k++) {
        master->piece[k * stride + rows] = master->run->values.south;
        master->piece[k * stride + rows + 1] = master->run->values.north;
    }
    return master->piece != NULL;
}

static _Noreturn void memory_missing(const struct strips_master *master)
{
    fprintf(stderr, "scow: the master is out of memory for going on without a lost worker\n");
    link_abort(master->run->comm->link, FAILURE_FAILED);
}

/* The link may still use the buffer: it is not freed. */
static void piece_leave(struct strips_master *master)
{
    waiting_keep(&master->waiting, master->piece);
    if (!piece_make(master))
        memory_missing(master);
}

/* Passes a strip piece by piece from its worker to the grid, or back. After a failure the grid is
 * not called any more, but everything that arrives is received. False: a worker is lost. */
static bool strip_pass(struct strips_master *master, int64_t place, bool out,
                       struct failure *failure)
{
    const int64_t rows = master->run->plan->job.rows, stride = columns_stride(rows);
    const struct strips_grid *grid = master->grid;
    const struct column_range own = columns_of(master->widths, place);
    const int rank = rank_of(master, place), tag = tag_of(master, WIRE_STRIP_COLUMNS);
    for (int64_t at = own.first; at < own.end;) {
        const int64_t most = columns_piece(rows), left = own.end - at;
        const int64_t piece = left < most ? left : most;
        if (out && failure->code == FAILURE_NONE)
            grid->get(grid->self, at, piece, master->piece, stride, failure);
        if (out ? !columns_send(&master->waiting, master->piece, rows, piece, rank, tag)
                : !columns_receive(&master->waiting, master->piece, rows, piece, rank, tag)) {
            piece_leave(master);
            return false;
        }
        if (!out && failure->code == FAILURE_NONE)
            grid->put(grid->self, at, piece, master->piece, stride, failure);
        at += piece;
        comm_look(master->run->comm); /* others must see that the master lives */
    }
    return true;
}

/* False: a worker is lost. */
static bool grid_scatter(struct strips_master *master, struct failure *failure)
{
    const double start_s = clock_now();
    bool whole = true;
    for (int64_t k = 0; whole && k < master->count; k++)
        whole = strip_pass(master, k, true, failure);
    master->outcome.gather_s += clock_now() - start_s;
    return whole;
}

static void outcome_update(struct strips_master *master)
{
    struct strips_outcome *outcome = &master->outcome;
    outcome->total_s = clock_now() - master->start_s;
    outcome->test_s =
        fmax(0, outcome->total_s - master->stepped_s - outcome->gather_s - outcome->lost_s);
    outcome->step_s = master->stepped_s / fmax(1, (double)master->stepped);
    for (int64_t k = 0; k < master->count; k++)
        outcome->strips[k].columns = master->widths[k];
}

/* False: a worker is lost. */
static bool grid_gather(struct strips_master *master, struct failure *failure)
{
    const double start_s = clock_now();
    const struct strips_grid *grid = master->grid;
    bool whole = true;
    grid->begin(grid->self, failure);
    for (int64_t k = 0; whole && k < master->count; k++)
        whole = strip_pass(master, k, false, failure);
    master->outcome.gather_s += clock_now() - start_s;
    outcome_update(master);
    if (whole && failure->code == FAILURE_NONE && grid->end(grid->self, &master->outcome, failure))
        master->kept = master->outcome.iterations;
    return whole;
}

/* ---- tests --------------------------------------------------------------------------------- */

/* Work up to now is not lost by a later loss, and its time is in one of the sums. */
static void progress_note(struct strips_master *master)
{
    master->noted_s = clock_now();
    master->gathered_s = master->outcome.gather_s;
}

/* The link may still use the buffers: they are not freed. */
static void reports_leave(struct strips_master *master)
{
    waiting_keep(&master->waiting, master->reports);
    master->reports = calloc((size_t)master->count, sizeof *master->reports);
    if (!master->reports)
        memory_missing(master);
}

/* False: a worker is lost. */
static bool reports_receive(struct strips_master *master)
{
    for (int64_t k = 0; k < master->count; k++)
        if (master->widths[k] > 0 &&
            !waiting_receive(&master->waiting, &master->reports[k], sizeof *master->reports,
                             rank_of(master, k), tag_of(master, WIRE_STRIP_REPORT))) {
            reports_leave(master);
            return false;
        }
    return true;
}

/* True: some rank has been asked to stop. */
static bool reports_take(struct strips_master *master)
{
    struct strips_outcome *outcome = &master->outcome;
    bool asked = master->run->asked(master->run->self);
    double stepped_s = 0;
    outcome->change = 0;
    master->tested = outcome->iterations;
    for (int64_t k = 0; k < master->count; k++) {
        const struct wire_strip_report *report = &master->reports[k];
        if (master->widths[k] == 0)
            continue;
        asked = asked || report->asked != 0;
        stepped_s = fmax(stepped_s, report->stepped_s);
        outcome->iterations = report->iterations;
        outcome->change = fmax(outcome->change, report->change);
        outcome->strips[k].compute_s += report->compute_s;
        outcome->strips[k].wait_s += report->wait_s;
    }
    master->stepped_s += stepped_s;
    master->stepped += outcome->iterations - master->tested;
    outcome->tests++;
    progress_note(master);
    return asked;
}

/* Updates the measured speeds: the values before count half. */
static void paces_take(struct strips_master *master)
{
    const double done = (double)(master->outcome.iterations - master->tested);
    for (int64_t k = 0; k < master->count; k++) {
        if (master->widths[k] == 0 || done < 1)
            continue;
        const double now_s = master->reports[k].compute_s / done / (double)master->widths[k];
        master->paces[k] = master->paces[k] > 0 ? (now_s + master->paces[k]) / 2 : now_s;
    }
}

/* Would other widths save time, by what iterations took? No strip becomes empty, and a border costs
 * what the plan says. */
static bool widths_better(struct strips_master *master)
{
    const struct strips_plan *plan = master->run->plan;
    const double left = (double)(plan->job.iterations - master->outcome.iterations);
    int64_t having = 0;
    if (!master->run->rebalances)
        return false;
    for (int64_t k = 0; k < master->count; k++) {
        const bool has = master->widths[k] > 0;
        if (has && !(master->paces[k] > 0))
            return false;
        having += has;
        master->has[k] = has;
        master->costs[k] = (struct strip_cost){master->paces[k], plan->strips[k].exchange_s};
    }
    if (having < 2 || strips_left_plan(plan, master->paces, master->has, master->later) < having)
        return false;
    return strips_pay(master->costs, master->count, master->widths, master->later, left,
                      plan->strips[0].exchange_s);
}

/* Waits until that rank has received the message. False: it is lost or, unless `whatever`, another
 * worker with a strip is. */
static bool taken(struct strips_master *master, struct link_request *request, int rank,
                  bool whatever)
{
    const struct awaited awaited = {.requests = {request}};
    struct pause pause = {0};
    while (!link_test(request)) {
        const bool shaken = losses_look(master);
        if (master->lost[rank] || (shaken && !whatever)) {
            link_forget(request);
            return false;
        }
        comm_pause(master->run->comm, &pause, &awaited);
    }
    return true;
}

/* Sends to one worker, from memory of the message's own, which may still be read when the wait ends
 * early. False: a worker with a strip is lost. */
static bool tell(struct strips_master *master, const void *data, size_t size, int rank, int tag)
{
    struct link_request request;
    void *own = malloc(size);
    if (!own)
        memory_missing(master);
    memcpy(own, data, size);
    link_send(master->run->comm->link, own, size, rank, tag, &request);
    if (taken(master, &request, rank, false))
        free(own);
    else
        waiting_keep(&master->waiting, own);
    return !master->shaken;
}

/* Sends to all workers with a strip or, if `all`, to all that are there. False: a worker is
 * lost. */
static bool order_send(struct strips_master *master, const struct wire_strip_order *order, bool all)
{
    bool whole = true;
    for (int64_t k = 0; whole && k < master->count; k++)
        if (all ? master->there[k] : master->widths[k] > 0)
            whole = tell(master, order, sizeof *order, rank_of(master, k), WIRE_STRIP_ORDER);
    return whole;
}

/* From now on the widths are those of `later`. */
static void widths_set(struct strips_master *master)
{
    memcpy(master->widths, master->later, (size_t)master->count * sizeof *master->later);
}

/* Sends widths and ranks in the same way. */
static bool widths_send(struct strips_master *master, bool all)
{
    const size_t size = 2 * (size_t)master->count * sizeof *master->widths;
    bool whole = true;
    for (int64_t k = 0; whole && k < master->count; k++)
        if (all ? master->there[k] : master->widths[k] > 0)
            whole = tell(master, master->widths, size, rank_of(master, k),
                         tag_of(master, WIRE_STRIP_WIDTHS));
    return whole;
}

/* What workers shall do after these reports. */
static struct wire_strip_order order_make(struct strips_master *master, bool asked, bool failed)
{
    const struct strips_run *run = master->run;
    const struct strips_job *job = &run->plan->job;
    struct strips_outcome *outcome = &master->outcome;
    const double segment_s =
        master->stepped_s * (double)job->every / fmax(1, (double)master->stepped);
    outcome->complete = outcome->iterations >= job->iterations ||
                        (job->tolerance > 0 && outcome->change <= job->tolerance);
    const bool late = run->late && run->late(run->self, segment_s);
    const bool ends = outcome->complete || asked || late || failed;
    paces_take(master);
    return (struct wire_strip_order){.kind = ends ? WIRE_STRIP_WAIT : WIRE_STRIP_GO,
                                     .writes = !failed && (ends || job->keep),
                                     .moves = !ends && widths_better(master)};
}

/* ---- whole --------------------------------------------------------------------------------- */

/* Iterations up to a test, and what it decides. False: a worker is lost. *over: it was the last
 * test. */
static bool segment(struct strips_master *master, bool *over, struct failure *failure)
{
    const struct strips_run *run = master->run;
    *over = false;
    if (!reports_receive(master))
        return false;
    const bool asked = reports_take(master);
    if (run->tell)
        run->tell(run->self, &master->outcome);
    const struct wire_strip_order order = order_make(master, asked, failure->code != FAILURE_NONE);
    if (!order_send(master, &order, false) || (order.writes && !grid_gather(master, failure)))
        return false;
    progress_note(master);
    *over = order.kind == WIRE_STRIP_WAIT;
    if (!order.moves)
        return true;
    master->outcome.rebalanced++;
    widths_set(master);
    return widths_send(master, false);
}

/* All begin with the present widths and the grid that was kept. False: another worker is lost. */
static bool all_begin(struct strips_master *master, struct failure *failure)
{
    struct strips_outcome *outcome = &master->outcome;
    const struct wire_strip_order order = {
        .kind = WIRE_STRIP_BEGIN, .beginning = ++master->beginning, .done = master->kept};
    outcome->iterations = master->tested = master->kept;
    outcome->complete = false;
    const bool whole = order_send(master, &order, true) && widths_send(master, true) &&
                       (master->kept == 0 || grid_scatter(master, failure));
    outcome->gather_s = master->gathered_s;
    outcome->lost_s += clock_now() - master->noted_s;
    progress_note(master);
    return whole;
}

/* Finds widths for the workers that are left, like strips_left_plan. Widths stay where spares have
 * taken all lost strips. */
static int64_t later_find(struct strips_master *master)
{
    int64_t having = 0;
    for (int64_t k = 0; k < master->count; k++) {
        if (master->widths[k] > 0 && !master->there[k])
            return strips_left_plan(master->run->plan, master->paces, master->there, master->later);
        master->later[k] = master->widths[k];
        having += master->widths[k] > 0;
    }
    return having;
}

/* Work since the kept grid is lost, and no worker has a strip any more. */
static void all_leave(struct strips_master *master)
{
    struct strips_outcome *outcome = &master->outcome;
    outcome->iterations = master->kept;
    outcome->complete = false;
    outcome->gather_s = master->gathered_s;
    outcome->lost_s += clock_now() - master->noted_s;
    widths_set(master);
    outcome_update(master);
}

/* After a loss. False with *failure set: no worker is left. */
static bool begin_anew(struct strips_master *master, struct failure *failure)
{
    while (master->shaken) {
        master->shaken = false;
        const int64_t having = later_find(master);
        if (having < 0)
            return failure_memory(failure, "beginning anew");
        if (having == 0) {
            all_leave(master);
            return failure_set(failure, FAILURE_STOPPED, "no worker is left");
        }
        widths_set(master);
        all_begin(master, failure);
    }
    return failure->code == FAILURE_NONE;
}

bool strips_master_run(struct strips_master *master, struct failure *failure)
{
    const struct strips_run *run = master->run;
    bool over = false;
    master->start_s = clock_now();
    progress_note(master);
    for (int64_t k = 0; k < master->count; k++)
        liveness_await(run->liveness, rank_of(master, k), true);
    if (run->done > 0)
        grid_scatter(master, failure);
    while (!over && (!master->shaken || begin_anew(master, failure)))
        segment(master, &over, failure);
    return failure->code == FAILURE_NONE;
}

bool strips_master_end(struct strips_master *master, const struct failure *failure)
{
    const struct comm *comm = master->run->comm;
    const int ranks = comm->size;
    struct link_request request;
    losses_look(master);
    master->end = (struct wire_strip_order){.kind = WIRE_STRIP_END, .code = failure->code};
    for (int rank = 1; rank < ranks; rank++)
        master->end.broken = master->end.broken || master->lost[rank];
    for (int rank = 1; rank < ranks; rank++)
        if (!master->lost[rank]) {
            link_send(comm->link, &master->end, sizeof master->end, rank, WIRE_STRIP_ORDER,
                      &request);
            taken(master, &request, rank, true);
        }
    return master->end.broken != 0;
}

bool strips_master_lost(const struct strips_master *master, int rank)
{
    return master->lost[rank];
}

const struct strips_outcome *strips_master_outcome(const struct strips_master *master)
{
    return &master->outcome;
}

/* ---- memory -------------------------------------------------------------------------------- */

static bool room_make(struct strips_master *master)
{
    const struct strips_plan *plan = master->run->plan;
    const size_t count = (size_t)master->count, ranks = (size_t)master->run->comm->size;
    master->widths = calloc(2 * count, sizeof *master->widths);
    master->ranks = master->widths ? master->widths + count : NULL;
    master->later = calloc(count, sizeof *master->later);
    master->reports = calloc(count, sizeof *master->reports);
    master->costs = calloc(count, sizeof *master->costs);
    master->paces = calloc(count, sizeof *master->paces);
    master->there = calloc(count, sizeof *master->there);
    master->has = calloc(count, sizeof *master->has);
    master->lost = calloc(ranks, sizeof *master->lost);
    master->outcome.strips = calloc(count, sizeof *master->outcome.strips);
    master->outcome.losses = calloc(ranks, sizeof *master->outcome.losses);
    master->outcome.strip_count = plan->strip_count;
    return piece_make(master) && master->widths && master->later && master->reports &&
           master->costs && master->paces && master->there && master->has && master->lost &&
           master->outcome.strips && master->outcome.losses;
}

static void room_release(struct strips_master *master)
{
    free(master->widths);
    free(master->later);
    free(master->reports);
    free(master->costs);
    free(master->paces);
    free(master->there);
    free(master->has);
    free(master->lost);
    free(master->piece);
    waiting_release(&master->waiting);
    strips_outcome_release(&master->outcome);
}

bool strips_master_new(const struct strips_run *run, const struct strips_grid *grid,
                       struct strips_master **master, struct failure *failure)
{
    const struct strips_plan *plan = run->plan;
    struct strips_master *made = calloc(1, sizeof *made);
    *master = made;
    if (!made)
        return failure_memory(failure, "preparing the run");
    *made = (struct strips_master){.run = run,
                                   .grid = grid,
                                   .waiting = {run->comm, losses_look, made, NULL},
                                   .count = (int64_t)plan->strip_count,
                                   .kept = run->done,
                                   .outcome = {.begun = run->done, .iterations = run->done}};
    if (!room_make(made)) {
        strips_master_free(master);
        return failure_memory(failure, "preparing the run");
    }
    for (size_t k = 0; k < plan->strip_count; k++) {
        made->widths[k] = plan->strips[k].columns;
        made->ranks[k] = made->outcome.strips[k].rank = plan->strips[k].rank;
        made->there[k] = true;
    }
    return true;
}

void strips_master_free(struct strips_master **master)
{
    if (!*master)
        return;
    room_release(*master);
    free(*master);
    *master = NULL;
}
