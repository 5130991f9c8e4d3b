#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "spmd/strips/columns.h"
#include "spmd/strips/strips_run.h"
#include "spmd/transport/clock.h"
#include "spmd/transport/wire.h"

enum side { WEST, EAST, SIDES };

struct strips_worker {
    const struct strips_run *run;
    int64_t place, count; /* of its strip, among so many */
    int64_t *widths;      /* owned; of all strips */
    struct jacobi_strip strip;
    double *arrays[2]; /* owned; the strip's */
    int64_t done;      /* iterations */
    double change;     /* the greatest of a cell in the last one, if that was a test's */
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

static void strip_take(struct strips_worker *worker, const struct jacobi_strip *strip)
{
    free(worker->arrays[0]);
    free(worker->arrays[1]);
    worker->strip = *strip;
    worker->arrays[0] = strip->now;
    worker->arrays[1] = strip->next;
}

/* The rank of that strip's worker; negative: there is no such strip. */
static int rank_at(const struct strips_worker *worker, int64_t place)
{
    const struct strips_plan *plan = worker->run->plan;
    return place < 0 || place >= worker->count ? -1 : (int)plan->strips[place].rank;
}

static int neighbour(const struct strips_worker *worker, enum side side)
{
    return rank_at(worker, side == WEST ? worker->place - 1 : worker->place + 1);
}

static int64_t place_of(const struct strips_plan *plan, int rank)
{
    for (size_t k = 0; k < plan->strip_count; k++)
        if (plan->strips[k].rank == rank)
            return (int64_t)k;
    return -1;
}

bool strips_worker_new(const struct strips_run *run, struct strips_worker **worker,
                       struct failure *failure)
{
    const struct strips_plan *plan = run->plan;
    const int64_t place = place_of(plan, run->comm->rank);
    struct jacobi_strip strip;
    *worker = NULL;
    if (place < 0)
        return true;
    struct strips_worker *made = calloc(1, sizeof *made);
    int64_t *widths = calloc(plan->strip_count, sizeof *widths);
    if (!made || !widths || !strip_make(run, plan->strips[place].columns, &strip)) {
        free(made);
        free(widths);
        return failure_set(failure, FAILURE_FAILED,
                           "rank %d has not enough memory for a strip of %" PRId64
                           " columns: plan with more workers, or fewer on a node",
                           run->comm->rank, plan->strips[place].columns);
    }
    *made = (struct strips_worker){.run = run,
                                   .place = place,
                                   .count = (int64_t)plan->strip_count,
                                   .widths = widths,
                                   .done = run->done};
    for (size_t k = 0; k < plan->strip_count; k++)
        widths[k] = plan->strips[k].columns;
    strip_take(made, &strip);
    *worker = made;
    return true;
}

void strips_worker_free(struct strips_worker **worker)
{
    if (!*worker)
        return;
    free((*worker)->arrays[0]);
    free((*worker)->arrays[1]);
    free((*worker)->widths);
    free(*worker);
    *worker = NULL;
}

/* ---- iterating ----------------------------------------------------------------------------- */

/* Borders that are under way. */
struct borders {
    struct link_request in[SIDES], out[SIDES];
};

static void borders_begin(const struct strips_worker *worker, struct borders *borders)
{
    const struct jacobi_strip *strip = &worker->strip;
    const size_t size = (size_t)strip->rows * sizeof(double);
    const struct link link = worker->run->comm->link;
    *borders = (struct borders){.in = {{.pending = false}}};
    for (int side = 0; side < SIDES; side++) {
        const int rank = neighbour(worker, (enum side)side);
        const int64_t own = side == WEST ? 1 : strip->columns;
        const int64_t beside = side == WEST ? 0 : strip->columns + 1;
        if (rank < 0)
            continue;
        link_receive(link, jacobi_column(strip, strip->now, beside), size, rank, WIRE_BORDER,
                     &borders->in[side]);
        link_send(link, jacobi_column(strip, strip->now, own), size, rank, WIRE_BORDER,
                  &borders->out[side]);
    }
}

/* Borders advance only while this rank is in the link, and others must hear of it. */
static bool pulse(void *self)
{
    const struct strips_worker *worker = self;
    link_progress(worker->run->comm->link);
    comm_look(worker->run->comm);
    return false;
}

static void columns_compute(struct strips_worker *worker, int64_t first, int64_t end)
{
    const double start_s = clock_now();
    jacobi_strip_step(&worker->strip, first, end, (struct jacobi_pulse){pulse, worker});
    worker->compute_s += clock_now() - start_s;
}

static void border_wait(struct strips_worker *worker, struct link_request *request)
{
    const double start_s = clock_now();
    comm_wait(worker->run->comm, request);
    worker->wait_s += clock_now() - start_s;
}

/* All that need no border first, then the two columns that do. */
static void step(struct strips_worker *worker)
{
    struct borders borders;
    const int64_t last = worker->strip.columns;
    borders_begin(worker, &borders);
    columns_compute(worker, 2, last);
    border_wait(worker, &borders.in[WEST]);
    if (last == 1)
        border_wait(worker, &borders.in[EAST]);
    columns_compute(worker, 1, 2);
    border_wait(worker, &borders.in[EAST]);
    if (last > 1)
        columns_compute(worker, last, last + 1);
    border_wait(worker, &borders.out[WEST]);
    border_wait(worker, &borders.out[EAST]);
}

static void turn(struct strips_worker *worker)
{
    double *before = worker->strip.now;
    worker->strip.now = worker->strip.next;
    worker->strip.next = before;
    worker->done++;
}

/* Up to the next test. */
static void steps_do(struct strips_worker *worker)
{
    const struct strips_job *job = &worker->run->plan->job;
    const int64_t next = (worker->done / job->every + 1) * job->every;
    const int64_t stop = next < job->iterations ? next : job->iterations;
    const double start_s = clock_now();
    while (worker->done + 1 < stop) {
        step(worker);
        turn(worker);
    }
    step(worker);
    worker->stepped_s += clock_now() - start_s;
    worker->change = jacobi_strip_change(&worker->strip);
    turn(worker);
}

/* ---- tests --------------------------------------------------------------------------------- */

static void report_send(struct strips_worker *worker)
{
    const struct wire_strip_report report = {.iterations = worker->done,
                                             .change = worker->change,
                                             .compute_s = worker->compute_s,
                                             .wait_s = worker->wait_s,
                                             .stepped_s = worker->stepped_s,
                                             .asked = worker->run->asked()};
    comm_send(worker->run->comm, &report, sizeof report, 0, WIRE_STRIP_REPORT);
    worker->compute_s = worker->wait_s = worker->stepped_s = 0;
}

static void grid_send(const struct strips_worker *worker)
{
    const struct jacobi_strip *strip = &worker->strip;
    columns_send(worker->run->comm, jacobi_column(strip, strip->now, 1), strip->rows,
                 strip->columns, 0);
}

static void grid_receive(const struct strips_worker *worker)
{
    const struct jacobi_strip *strip = &worker->strip;
    columns_receive(worker->run->comm, jacobi_column(strip, strip->now, 1), strip->rows,
                    strip->columns, 0);
}

/* ---- other widths -------------------------------------------------------------------------- */

/* What a strip gives to, or takes from, the one at `other`, which moves in one direction only. All
 * workers go through their pairs in one order, so that none waits in a circle. */
static void pair_move(const struct strips_worker *worker, const struct jacobi_strip *from,
                      const struct jacobi_strip *to, const int64_t *later, int64_t other)
{
    const struct comm *comm = worker->run->comm;
    const struct column_range now = columns_of(worker->widths, worker->place);
    const struct column_range then = columns_of(later, worker->place);
    const struct column_range out = columns_common(now, columns_of(later, other));
    const struct column_range in = columns_common(then, columns_of(worker->widths, other));
    if (out.end > out.first)
        columns_send(comm, jacobi_column(from, from->now, out.first - now.first + 1), from->rows,
                     out.end - out.first, rank_at(worker, other));
    if (in.end > in.first)
        columns_receive(comm, jacobi_column(to, to->now, in.first - then.first + 1), to->rows,
                        in.end - in.first, rank_at(worker, other));
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

static void memory_missing(const struct strips_worker *worker)
{
    fprintf(stderr, "scow: rank %d is out of memory for a wider strip\n", worker->run->comm->rank);
    link_abort(worker->run->comm->link, FAILURE_FAILED);
}

static void widths_change(struct strips_worker *worker)
{
    const size_t size = (size_t)worker->count * sizeof *worker->widths;
    const struct jacobi_strip from = worker->strip;
    struct jacobi_strip to;
    int64_t *later = malloc(size);
    if (!later)
        memory_missing(worker);
    comm_receive(worker->run->comm, later, size, 0, WIRE_STRIP_WIDTHS);
    if (!strip_make(worker->run, later[worker->place], &to))
        memory_missing(worker);
    own_move(worker, &from, &to, later);
    for (int64_t other = 0; other < worker->count; other++)
        if (other != worker->place)
            pair_move(worker, &from, &to, later, other);
    free(worker->widths);
    worker->widths = later;
    strip_take(worker, &to);
}

/* ---- whole --------------------------------------------------------------------------------- */

void strips_worker_run(struct strips_worker *worker)
{
    struct wire_strip_order order = {.ends = 0};
    if (!worker)
        return;
    if (worker->done > 0)
        grid_receive(worker);
    while (!order.ends) {
        steps_do(worker);
        report_send(worker);
        comm_receive(worker->run->comm, &order, sizeof order, 0, WIRE_STRIP_ORDER);
        if (order.writes)
            grid_send(worker);
        if (order.moves)
            widths_change(worker);
    }
}
