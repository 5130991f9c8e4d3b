#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/strips/columns.h"
#include "spmd/strips/strips_run.h"
#include "spmd/strips/waiting.h"
#include "spmd/transport/clock.h"
#include "spmd/transport/liveness.h"
#include "spmd/transport/wire.h"

enum side { WEST, EAST, SIDES };

struct strips_worker {
    const struct strips_run *run;
    struct waiting waiting;
    int64_t place, count;            /* its slot, of so many; negative: it has no strip */
    int64_t *widths;                 /* owned; of all strips; 0: no strip */
    int64_t *ranks;                  /* in `widths`, behind the widths: the rank of each slot */
    int64_t beginning;               /* how often all have begun again */
    struct wire_strip_order order;   /* the next order, which may arrive at any time */
    struct link_request ordered;     /* the request that receives it */
    struct wire_strip_report report; /* the last report */
    struct jacobi_strip strip;
    double *arrays[2]; /* owned; of the strip */
    /* Owned; a column for each border that arrives, and for each that is sent: the link may still
     * use them when the strip begins again, so they are not part of it. */
    double *borders;
    int64_t done;  /* iterations */
    double change; /* the greatest change of a cell in the last iteration before a test */
    double compute_s, wait_s, stepped_s; /* since the last report */
};

/* ---- memory -------------------------------------------------------------------------------- */

static bool strip_make(const struct strips_run *run, int64_t columns, struct jacobi_strip *strip)
{
    const int64_t rows = run->plan->job.rows;
    const size_t size = jacobi_strip_size(rows, columns);
    *strip = (struct jacobi_strip){.rows = rows,
                                   .columns = columns,
                                   .now = size > 0 ? malloc(size) : NULL,
                                   .next = size > 0 ? malloc(size) : NULL,
                                   .threads = run->threads};
    if (!strip->now || !strip->next) {
        free(strip->now);
        free(strip->next);
        return false;
    }
    jacobi_strip_begin(strip, &run->values);
    return true;
}

static void strip_drop(struct strips_worker *worker)
{
    free(worker->arrays[0]);
    free(worker->arrays[1]);
    worker->arrays[0] = worker->arrays[1] = NULL;
}

static void strip_take(struct strips_worker *worker, const struct jacobi_strip *strip)
{
    strip_drop(worker);
    worker->strip = *strip;
    worker->arrays[0] = strip->now;
    worker->arrays[1] = strip->next;
}

/* The link may still use some of its memory, which is then not freed. */
static void strip_leave(struct strips_worker *worker)
{
    waiting_keep(&worker->waiting, worker->arrays[0]);
    waiting_keep(&worker->waiting, worker->arrays[1]);
    worker->arrays[0] = worker->arrays[1] = NULL;
}

static double *borders_make(const struct strips_run *run)
{
    return malloc(2 * (size_t)SIDES * (size_t)run->plan->job.rows * sizeof(double));
}

static bool has_strip(const struct strips_worker *worker)
{
    return worker->place >= 0 && worker->widths[worker->place] > 0;
}

static int rank_at(const struct strips_worker *worker, int64_t place)
{
    return (int)worker->ranks[place];
}

/* The rank of the next strip on that side; negative: there is none. */
static int neighbour(const struct strips_worker *worker, enum side side)
{
    const int64_t step = side == WEST ? -1 : 1;
    int64_t place = worker->place + step;
    while (place >= 0 && place < worker->count && worker->widths[place] == 0)
        place += step;
    return place < 0 || place >= worker->count ? -1 : rank_at(worker, place);
}

static int tag_of(const struct strips_worker *worker, enum wire_strip_part part)
{
    return wire_strip_tag(part, worker->beginning);
}

/* An order that arrives when none is expected says to leave everything. */
static bool interrupted(void *self)
{
    struct strips_worker *worker = self;
    return link_test(&worker->ordered);
}

static void order_await(struct strips_worker *worker)
{
    link_receive(worker->run->comm->link, &worker->order, sizeof worker->order, 0, WIRE_STRIP_ORDER,
                 &worker->ordered);
}

/* Takes ownership of the widths, and finds the own slot. */
static void widths_take(struct strips_worker *worker, int64_t *widths)
{
    free(worker->widths);
    worker->widths = widths;
    worker->ranks = widths + worker->count;
    worker->place = -1;
    for (int64_t k = 0; k < worker->count; k++)
        if (rank_at(worker, k) == worker->run->comm->rank)
            worker->place = k;
}

static bool room_make(struct strips_worker *worker)
{
    const struct strips_plan *plan = worker->run->plan;
    struct jacobi_strip strip;
    int64_t *widths = calloc(2 * plan->strip_count, sizeof *widths);
    if (!widths)
        return false;
    for (size_t k = 0; k < plan->strip_count; k++) {
        widths[k] = plan->strips[k].columns;
        widths[plan->strip_count + k] = plan->strips[k].rank;
    }
    widths_take(worker, widths);
    if (worker->place < 0)
        return true;
    worker->borders = borders_make(worker->run);
    if (!worker->borders || !strip_make(worker->run, worker->widths[worker->place], &strip))
        return false;
    strip_take(worker, &strip);
    return true;
}

bool strips_worker_new(const struct strips_run *run, struct strips_worker **worker,
                       struct failure *failure)
{
    struct strips_worker *made = calloc(1, sizeof *made);
    *worker = made;
    if (!made)
        return failure_memory(failure, "preparing the run");
    *made = (struct strips_worker){.run = run,
                                   .waiting = {run->comm, interrupted, made, NULL},
                                   .place = -1,
                                   .count = (int64_t)run->plan->strip_count,
                                   .done = run->done};
    if (room_make(made))
        return true;
    const int64_t columns = made->place < 0 ? 0 : made->widths[made->place];
    strips_worker_free(worker);
    return failure_set(failure, FAILURE_FAILED,
                       "rank %d has not enough memory for a strip of %" PRId64
                       " columns: plan with more workers, or fewer on a node",
                       run->comm->rank, columns);
}

void strips_worker_free(struct strips_worker **worker)
{
    if (!*worker)
        return;
    strip_drop(*worker);
    waiting_release(&(*worker)->waiting);
    free((*worker)->borders);
    free((*worker)->widths);
    free(*worker);
    *worker = NULL;
}

/* ---- iterating ----------------------------------------------------------------------------- */

/* The borders of one iteration. */
struct borders {
    struct link_request in[SIDES], out[SIDES];
};

static double *border_in(const struct strips_worker *worker, int side)
{
    return worker->borders + side * worker->strip.rows;
}

static double *border_out(const struct strips_worker *worker, int side)
{
    return border_in(worker, SIDES + side);
}

static void borders_begin(const struct strips_worker *worker, struct borders *borders)
{
    const struct jacobi_strip *strip = &worker->strip;
    const size_t size = (size_t)strip->rows * sizeof(double);
    const struct link link = worker->run->comm->link;
    const int tag = tag_of(worker, WIRE_STRIP_BORDER);
    *borders = (struct borders){.in = {{.pending = false}}};
    for (int side = 0; side < SIDES; side++) {
        const int rank = neighbour(worker, (enum side)side);
        const int64_t own = side == WEST ? 1 : strip->columns;
        if (rank < 0)
            continue;
        memcpy(border_out(worker, side), jacobi_column(strip, strip->now, own), size);
        link_receive(link, border_in(worker, side), size, rank, tag, &borders->in[side]);
        link_send(link, border_out(worker, side), size, rank, tag, &borders->out[side]);
    }
}

/* Borders are sent only while this rank calls the link, and other ranks must see that it lives. */
static bool pulse(void *self)
{
    struct strips_worker *worker = self;
    link_progress(worker->run->comm->link);
    comm_look(worker->run->comm);
    return interrupted(worker);
}

static bool columns_compute(struct strips_worker *worker, int64_t first, int64_t end)
{
    const double start_s = clock_now();
    const bool good =
        jacobi_strip_step(&worker->strip, first, end, (struct jacobi_pulse){pulse, worker});
    worker->compute_s += clock_now() - start_s;
    return good;
}

static bool border_wait(struct strips_worker *worker, struct link_request *request)
{
    const double start_s = clock_now();
    const bool good = waiting_over(&worker->waiting, request);
    worker->wait_s += clock_now() - start_s;
    return good;
}

/* Puts the border beside the strip once it has arrived, if there is a neighbour. */
static bool border_take(struct strips_worker *worker, struct borders *borders, enum side side)
{
    const struct jacobi_strip *strip = &worker->strip;
    if (neighbour(worker, side) < 0)
        return true;
    if (!border_wait(worker, &borders->in[side]))
        return false;
    memcpy(jacobi_column(strip, strip->now, side == WEST ? 0 : strip->columns + 1),
           border_in(worker, (int)side), (size_t)strip->rows * sizeof(double));
    return true;
}

/* Computes all columns that need no border first, then the two that do. */
static bool columns_step(struct strips_worker *worker, struct borders *borders)
{
    const int64_t last = worker->strip.columns;
    return columns_compute(worker, 2, last) && border_take(worker, borders, WEST) &&
           (last > 1 || border_take(worker, borders, EAST)) && columns_compute(worker, 1, 2) &&
           (last == 1 ||
            (border_take(worker, borders, EAST) && columns_compute(worker, last, last + 1))) &&
           border_wait(worker, &borders->out[WEST]) && border_wait(worker, &borders->out[EAST]);
}

static _Noreturn void memory_missing(const struct strips_worker *worker)
{
    fprintf(stderr, "scow: rank %d is out of memory for a wider strip\n", worker->run->comm->rank);
    link_abort(worker->run->comm->link, FAILURE_FAILED);
}

/* Borders that are under way are left to the link. */
static void borders_leave(struct strips_worker *worker, struct borders *borders)
{
    for (int side = 0; side < SIDES; side++) {
        link_forget(&borders->in[side]);
        link_forget(&borders->out[side]);
    }
    waiting_keep(&worker->waiting, worker->borders);
    worker->borders = borders_make(worker->run);
    if (!worker->borders)
        memory_missing(worker);
}

static bool step(struct strips_worker *worker)
{
    struct borders borders;
    borders_begin(worker, &borders);
    if (columns_step(worker, &borders))
        return true;
    borders_leave(worker, &borders);
    return false;
}

static void turn(struct strips_worker *worker)
{
    double *before = worker->strip.now;
    worker->strip.now = worker->strip.next;
    worker->strip.next = before;
    worker->done++;
}

/* Iterates up to the next test. */
static bool steps_do(struct strips_worker *worker)
{
    const struct strips_job *job = &worker->run->plan->job;
    const int64_t next = (worker->done / job->every + 1) * job->every;
    const int64_t stop = next < job->iterations ? next : job->iterations;
    const double start_s = clock_now();
    for (; worker->done + 1 < stop; turn(worker))
        if (!step(worker))
            return false;
    if (!step(worker))
        return false;
    worker->stepped_s += clock_now() - start_s;
    worker->change = jacobi_strip_change(&worker->strip);
    turn(worker);
    return true;
}

/* ---- tests --------------------------------------------------------------------------------- */

static bool report_send(struct strips_worker *worker)
{
    const struct strips_run *run = worker->run;
    worker->report = (struct wire_strip_report){.iterations = worker->done,
                                                .change = worker->change,
                                                .compute_s = worker->compute_s,
                                                .wait_s = worker->wait_s,
                                                .stepped_s = worker->stepped_s,
                                                .asked = run->asked(run->self)};
    worker->compute_s = worker->wait_s = worker->stepped_s = 0;
    return waiting_send(&worker->waiting, &worker->report, sizeof worker->report, 0,
                        tag_of(worker, WIRE_STRIP_REPORT));
}

/* Passes the strip to the master, or from it. */
static bool grid_pass(struct strips_worker *worker, bool out)
{
    const struct jacobi_strip *strip = &worker->strip;
    double *cells = jacobi_column(strip, strip->now, 1);
    const int tag = tag_of(worker, WIRE_STRIP_COLUMNS);
    const bool good =
        out ? columns_send(&worker->waiting, cells, strip->rows, strip->columns, 0, tag)
            : columns_receive(&worker->waiting, cells, strip->rows, strip->columns, 0, tag);
    if (!good)
        strip_leave(worker);
    return good;
}

/* ---- other widths -------------------------------------------------------------------------- */

/* What a strip gives to, or takes from, the one in slot `other`; columns move in one direction
 * only. All workers go through their pairs in the same order, so that there is no cycle of
 * waiting. */
static bool pair_move(const struct strips_worker *worker, const struct jacobi_strip *from,
                      const struct jacobi_strip *to, const int64_t *later, int64_t other)
{
    const struct column_range now = columns_of(worker->widths, worker->place);
    const struct column_range then = columns_of(later, worker->place);
    const struct column_range out = columns_common(now, columns_of(later, other));
    const struct column_range in = columns_common(then, columns_of(worker->widths, other));
    const int tag = tag_of(worker, WIRE_STRIP_COLUMNS);
    if (out.end > out.first &&
        !columns_send(&worker->waiting, jacobi_column(from, from->now, out.first - now.first + 1),
                      from->rows, out.end - out.first, rank_at(worker, other), tag))
        return false;
    return in.end == in.first ||
           columns_receive(&worker->waiting, jacobi_column(to, to->now, in.first - then.first + 1),
                           to->rows, in.end - in.first, rank_at(worker, other), tag);
}

static void own_move(const struct strips_worker *worker, const struct jacobi_strip *from,
                     const struct jacobi_strip *to, const int64_t *later)
{
    const struct column_range now = columns_of(worker->widths, worker->place);
    const struct column_range then = columns_of(later, worker->place);
    const struct column_range both = columns_common(now, then);
    for (int64_t column = both.first; column < both.end; column++) {
        const double *old = jacobi_column(from, from->now, column - now.first + 1);
        double *new = jacobi_column(to, to->now, column - then.first + 1);
        for (int64_t row = 0; row < from->rows; row++)
            new[row] = old[row];
    }
}

/* Receives widths and ranks. Owned; NULL: interrupted. */
static int64_t *widths_receive(struct strips_worker *worker)
{
    const size_t size = 2 * (size_t)worker->count * sizeof *worker->widths;
    int64_t *widths = malloc(size);
    if (!widths)
        memory_missing(worker);
    if (waiting_receive(&worker->waiting, widths, size, 0, tag_of(worker, WIRE_STRIP_WIDTHS)))
        return widths;
    waiting_keep(&worker->waiting, widths);
    return NULL;
}

static bool all_move(struct strips_worker *worker, const struct jacobi_strip *to,
                     const int64_t *later)
{
    own_move(worker, &worker->strip, to, later);
    for (int64_t other = 0; other < worker->count; other++)
        if (other != worker->place && !pair_move(worker, &worker->strip, to, later, other))
            return false;
    return true;
}

static bool widths_change(struct strips_worker *worker)
{
    struct jacobi_strip to;
    int64_t *later = widths_receive(worker);
    if (!later)
        return false;
    if (!strip_make(worker->run, later[worker->place], &to))
        memory_missing(worker);
    const bool good = all_move(worker, &to, later);
    if (!good)
        strip_leave(worker);
    widths_take(worker, later);
    strip_take(worker, &to);
    if (!good)
        strip_leave(worker);
    return good;
}

/* ---- whole --------------------------------------------------------------------------------- */

/* Begins with the widths that follow, from the grid after order->done iterations. */
static bool begin_anew(struct strips_worker *worker, const struct wire_strip_order *order)
{
    struct jacobi_strip strip;
    worker->beginning = order->beginning;
    worker->done = order->done;
    worker->compute_s = worker->wait_s = worker->stepped_s = 0;
    int64_t *widths = widths_receive(worker);
    if (!widths)
        return false;
    widths_take(worker, widths);
    strip_drop(worker);
    if (!has_strip(worker))
        return true;
    if (!worker->borders) /* this worker takes the place of a lost one */
        worker->borders = borders_make(worker->run);
    if (!worker->borders || !strip_make(worker->run, widths[worker->place], &strip))
        memory_missing(worker);
    strip_take(worker, &strip);
    return worker->done == 0 || grid_pass(worker, false);
}

static bool order_do(struct strips_worker *worker, const struct wire_strip_order *order)
{
    if (order->kind == WIRE_STRIP_BEGIN)
        return begin_anew(worker, order);
    return (!order->writes || grid_pass(worker, true)) && (!order->moves || widths_change(worker));
}

/* Takes the next order. */
static struct wire_strip_order order_take(struct strips_worker *worker)
{
    comm_wait(worker->run->comm, &worker->ordered);
    const struct wire_strip_order order = worker->order;
    if (order.kind != WIRE_STRIP_END)
        order_await(worker);
    return order;
}

void strips_worker_run(struct strips_worker *worker, struct strips_end *end)
{
    struct wire_strip_order order = {.kind = WIRE_STRIP_GO};
    order_await(worker);
    bool good = !has_strip(worker) || worker->done == 0 || grid_pass(worker, false);
    while (order.kind != WIRE_STRIP_END) {
        if (good && order.kind != WIRE_STRIP_WAIT && has_strip(worker) && steps_do(worker))
            report_send(worker);
        order = order_take(worker);
        good = order.kind == WIRE_STRIP_END || order_do(worker, &order);
    }
    liveness_hush(worker->run->liveness);
    *end = (struct strips_end){(enum failure_code)order.code, order.broken != 0};
}
