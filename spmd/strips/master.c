#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/strips/balance.h"
#include "spmd/strips/columns.h"
#include "spmd/strips/strips_run.h"
#include "spmd/transport/clock.h"
#include "spmd/transport/wire.h"

struct strips_master {
    const struct strips_run *run;
    const struct strips_grid *grid;
    struct strips_outcome outcome;
    int64_t count;
    int64_t *widths, *later;           /* owned; of the strips, and those that may be better */
    struct wire_strip_report *reports; /* owned; the last ones, in the order of strips */
    struct strip_cost *costs;          /* owned; as measured */
    double *real;                      /* owned; widths before they are rounded */
    double *piece;                     /* owned; columns on their way to or from the grid */
    double start_s, stepped_s;         /* of all iterations so far */
    int64_t tested;                    /* iterations at the last test */
};

/* ---- the grid ------------------------------------------------------------------------------ */

static int rank_of(const struct strips_master *master, int64_t place)
{
    return (int)master->run->plan->strips[place].rank;
}

/* Of a strip, piece by piece, from its worker to the grid, or the other way. A grid that fails is
 * not asked again, but all that comes is received. */
static bool strip_pass(const struct strips_master *master, int64_t place, bool out,
                       struct failure *failure)
{
    const int64_t rows = master->run->plan->job.rows, stride = columns_stride(rows);
    const struct strips_grid *grid = master->grid;
    const struct column_range own = columns_of(master->widths, place);
    bool good = failure->code == FAILURE_NONE;
    for (int64_t at = own.first; at < own.end;) {
        const int64_t most = columns_piece(rows), left = own.end - at;
        const int64_t piece = left < most ? left : most;
        if (out) {
            good = good && grid->get(grid->self, at, piece, master->piece, stride, failure);
            columns_send(master->run->comm, master->piece, rows, piece, rank_of(master, place));
        } else {
            columns_receive(master->run->comm, master->piece, rows, piece, rank_of(master, place));
            good = good && grid->put(grid->self, at, piece, master->piece, stride, failure);
        }
        at += piece;
        comm_look(master->run->comm); /* whom others hear */
    }
    return good;
}

static bool grid_scatter(struct strips_master *master, struct failure *failure)
{
    const double start_s = clock_now();
    bool good = true;
    for (int64_t k = 0; k < master->count; k++)
        good = strip_pass(master, k, true, failure) && good;
    master->outcome.gather_s += clock_now() - start_s;
    return good;
}

static void outcome_update(struct strips_master *master)
{
    struct strips_outcome *outcome = &master->outcome;
    outcome->total_s = clock_now() - master->start_s;
    outcome->test_s = fmax(0, outcome->total_s - master->stepped_s - outcome->gather_s);
    outcome->step_s = master->stepped_s / fmax(1, (double)(outcome->iterations - outcome->begun));
    for (int64_t k = 0; k < master->count; k++)
        outcome->strips[k].columns = master->widths[k];
}

static bool grid_gather(struct strips_master *master, struct failure *failure)
{
    const double start_s = clock_now();
    const struct strips_grid *grid = master->grid;
    bool good = grid->begin(grid->self, failure);
    for (int64_t k = 0; k < master->count; k++)
        good = strip_pass(master, k, false, failure) && good;
    master->outcome.gather_s += clock_now() - start_s;
    outcome_update(master);
    return good && grid->end(grid->self, &master->outcome, failure);
}

/* ---- tests --------------------------------------------------------------------------------- */

/* True: somebody has been asked to stop. */
static bool reports_take(struct strips_master *master)
{
    struct strips_outcome *outcome = &master->outcome;
    bool asked = master->run->asked();
    double stepped_s = 0;
    outcome->change = 0;
    for (int64_t k = 0; k < master->count; k++) {
        struct wire_strip_report *report = &master->reports[k];
        comm_receive(master->run->comm, report, sizeof *report, rank_of(master, k),
                     WIRE_STRIP_REPORT);
        asked = asked || report->asked != 0;
        stepped_s = fmax(stepped_s, report->stepped_s);
        outcome->change = fmax(outcome->change, report->change);
        outcome->strips[k].compute_s += report->compute_s;
        outcome->strips[k].wait_s += report->wait_s;
    }
    master->stepped_s += stepped_s;
    master->tested = outcome->iterations;
    outcome->iterations = master->reports[0].iterations;
    outcome->tests++;
    return asked;
}

/* Of one column, as measured since the last test and, half as much each time, before. */
static double column_s(const struct strips_master *master, int64_t place, double done)
{
    const double now_s = master->reports[place].compute_s / done / (double)master->widths[place];
    const double before_s = master->costs[place].s_per_column;
    return before_s > 0 ? (now_s + before_s) / 2 : now_s;
}

/* Would other widths pay, by what iterations have taken? Strips do not vanish, and a
 * border costs what the plan says. */
static bool widths_better(struct strips_master *master)
{
    const struct strips_plan *plan = master->run->plan;
    const struct strips_outcome *outcome = &master->outcome;
    const double done = (double)(outcome->iterations - master->tested);
    const double left = (double)(plan->job.iterations - outcome->iterations);
    if (!master->run->rebalances || master->count < 2)
        return false;
    for (int64_t k = 0; k < master->count; k++) {
        const double pace_s = column_s(master, k, done);
        if (!(pace_s > 0))
            return false;
        master->costs[k] = (struct strip_cost){pace_s, plan->strips[k].exchange_s};
    }
    strips_balance(master->costs, master->count, plan->job.columns, 1, master->real);
    for (int64_t k = 0; k < master->count; k++)
        if (!(master->real[k] > 0))
            return false;
    strips_round(master->real, master->count, plan->job.columns, master->later);
    return strips_pay(master->costs, master->count, master->widths, master->later, left,
                      plan->strips[0].exchange_s);
}

static void order_send(const struct strips_master *master, const struct wire_strip_order *order)
{
    const struct comm *comm = master->run->comm;
    for (int64_t k = 0; k < master->count; k++)
        comm_send(comm, order, sizeof *order, rank_of(master, k), WIRE_STRIP_ORDER);
}

/* Behind the grid, for workers that send it do not receive. */
static void widths_send(struct strips_master *master)
{
    const size_t size = (size_t)master->count * sizeof *master->later;
    for (int64_t k = 0; k < master->count; k++)
        comm_send(master->run->comm, master->later, size, rank_of(master, k), WIRE_STRIP_WIDTHS);
    memcpy(master->widths, master->later, size);
    master->outcome.rebalanced++;
}

/* What workers are to do after these reports. */
static struct wire_strip_order order_make(struct strips_master *master, bool asked, bool failed)
{
    const struct strips_run *run = master->run;
    const struct strips_job *job = &run->plan->job;
    struct strips_outcome *outcome = &master->outcome;
    const double segment_s = master->stepped_s * (double)job->every /
                             fmax(1, (double)(outcome->iterations - outcome->begun));
    outcome->complete = outcome->iterations >= job->iterations ||
                        (job->tolerance > 0 && outcome->change <= job->tolerance);
    const bool late = run->late && run->late(run->self, segment_s);
    const bool ends = outcome->complete || asked || late || failed;
    return (struct wire_strip_order){.ends = ends,
                                     .writes = !failed && (ends || job->keep),
                                     .moves = !ends && widths_better(master)};
}

/* ---- whole --------------------------------------------------------------------------------- */

/* What lies between its columns goes to workers, too. */
static void piece_edge(struct strips_master *master)
{
    const int64_t rows = master->run->plan->job.rows;
    for (int64_t k = 0; k < columns_piece(rows); k++) {
        master->piece[k * columns_stride(rows) + rows] = master->run->values.south;
        master->piece[k * columns_stride(rows) + rows + 1] = master->run->values.north;
    }
}

static bool room_make(struct strips_master *master)
{
    const struct strips_plan *plan = master->run->plan;
    const size_t count = (size_t)master->count;
    const int64_t rows = plan->job.rows;
    master->widths = calloc(count, sizeof *master->widths);
    master->later = calloc(count, sizeof *master->later);
    master->reports = calloc(count, sizeof *master->reports);
    master->costs = calloc(count, sizeof *master->costs);
    master->real = calloc(count, sizeof *master->real);
    master->piece =
        calloc((size_t)(columns_piece(rows) * columns_stride(rows)), sizeof *master->piece);
    master->outcome.strips = calloc(count, sizeof *master->outcome.strips);
    return master->widths && master->later && master->reports && master->costs && master->real &&
           master->piece && master->outcome.strips;
}

static void room_release(struct strips_master *master)
{
    free(master->widths);
    free(master->later);
    free(master->reports);
    free(master->costs);
    free(master->real);
    free(master->piece);
    strips_outcome_release(&master->outcome);
}

bool strips_master_new(const struct strips_run *run, const struct strips_grid *grid,
                       struct strips_master **master, struct failure *failure)
{
    struct strips_master *made = calloc(1, sizeof *made);
    *master = made;
    if (!made)
        return failure_memory(failure, "preparing the run");
    *made = (struct strips_master){.run = run,
                                   .grid = grid,
                                   .count = (int64_t)run->plan->strip_count,
                                   .outcome = {.begun = run->done, .iterations = run->done}};
    if (!room_make(made)) {
        strips_master_free(master);
        return failure_memory(failure, "preparing the run");
    }
    piece_edge(made);
    made->outcome.strip_count = run->plan->strip_count;
    for (size_t k = 0; k < run->plan->strip_count; k++) {
        made->widths[k] = run->plan->strips[k].columns;
        made->outcome.strips[k].rank = run->plan->strips[k].rank;
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

bool strips_master_run(struct strips_master *master, struct failure *failure)
{
    struct wire_strip_order order = {.ends = 0};
    master->start_s = clock_now();
    if (master->run->done > 0)
        grid_scatter(master, failure);
    while (!order.ends) {
        const bool asked = reports_take(master);
        if (master->run->tell)
            master->run->tell(master->run->self, &master->outcome);
        order = order_make(master, asked, failure->code != FAILURE_NONE);
        order_send(master, &order);
        if (order.writes)
            grid_gather(master, failure);
        if (order.moves)
            widths_send(master);
    }
    return failure->code == FAILURE_NONE;
}

const struct strips_outcome *strips_master_outcome(const struct strips_master *master)
{
    return &master->outcome;
}
