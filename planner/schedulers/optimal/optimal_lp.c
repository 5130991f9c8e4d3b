#include "planner/schedulers/optimal/optimal_lp.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "planner/schedulers/optimal/clp.h"

/* The columns of package k: its load; when it leaves the port; when its work starts; where the
 * master takes time, when the master has handed it over; when its results have returned; and, for a
 * group, when its first member starts, while the other columns are for its last member. The
 * makespan is the last column. */
enum column {
    COLUMN_LOAD,
    COLUMN_PORT,
    COLUMN_START,
    COLUMN_MASTER,
    COLUMN_RESULT,
    COLUMN_FIRST,
    COLUMNS
};

/* The rows of package k, named by what comes after what; those with FIRST are for a group's first
 * member. */
enum row {
    ROW_PORT_AFTER_PORT,
    ROW_MASTER_AFTER_MASTER,
    ROW_PORT_AFTER_MASTER,
    ROW_PORT_AFTER_FIRST_MASTER,
    ROW_FIRST_AFTER_MASTER,
    ROW_PORT_AFTER_HELD,
    ROW_START_AFTER_PORT,
    ROW_START_AFTER_OWN,
    ROW_END_AFTER_START,
    ROW_FIRST_AFTER_PORT,
    ROW_FIRST_AFTER_HELD,
    ROW_PORT_AFTER_FIRST_HELD,
    ROW_FIRST_AFTER_OWN,
    ROW_END_AFTER_FIRST,
    ROW_RESULT_AFTER_WORK,
    ROW_RESULT_AFTER_FIRST,
    ROW_RESULT_AFTER_RESULT,
    ROW_END_AFTER_RESULT,
    ROWS
};

/* Clp's codes for the status of columns and rows. */
enum state { STATE_BASIC = 1, STATE_AT_LOWER = 3, STATE_FIXED = 5 };

/* Number of states in a basis for each package: its columns, then its rows. */
enum { STATES = COLUMNS + ROWS };

/* A matrix that is built by rows; its sizes are known before. */
struct program {
    const struct optimal_lp *lp;
    const struct clp *clp;
    bool master;      /* the master takes time for packages */
    bool returns;     /* results have rows */
    int64_t returned; /* the last package with such rows so far; -1: none */
    double scale;     /* seconds per unit of time: numbers near 1 suit the solver */
    int columns_each;
    int64_t packages;
    int64_t *own, *held; /* owned; the worker's package before, and that B before; -1: none */
    bool *last;          /* owned; is it its worker's last package? */
    int columns, rows, numbers;
    int64_t package;             /* the one whose rows are being added; -1: none */
    int64_t *state;              /* owned, per row: its place in a basis; -1: none */
    int *column;                 /* owned, per number */
    double *number;              /* owned */
    CoinBigIndex *start;         /* owned, per row */
    double *low, *high;          /* owned, per row */
    double *least, *most, *cost; /* owned, per column */
    bool *used;                  /* owned, per column: some row has it */
};

static int column_of(const struct program *program, int64_t package, enum column column)
{
    return (int)(package * program->columns_each + column);
}

static int column_makespan(const struct program *program)
{
    return program->columns - 1;
}

int64_t optimal_lp_packages(const struct optimal_lp *lp)
{
    return lp->places != NULL ? lp->packages : lp->count * lp->rounds;
}

static int64_t place_of(const struct optimal_lp *lp, int64_t package)
{
    return lp->places != NULL ? lp->places[package] : package % lp->count;
}

/* Links each worker's packages. False: out of memory. */
static bool packages_link(struct program *program)
{
    const struct optimal_lp *lp = program->lp;
    int64_t *before = calloc((size_t)lp->count, sizeof *before);
    if (before == NULL)
        return false;
    for (int64_t place = 0; place < lp->count; place++)
        before[place] = -1;
    for (int64_t package = 0; package < program->packages; package++) {
        const int64_t place = place_of(lp, package);
        program->own[package] = before[place];
        program->last[package] = true;
        if (before[place] >= 0)
            program->last[before[place]] = false;
        before[place] = package;
        int64_t held = package;
        for (int b = 0; b < lp->buffers && held >= 0; b++)
            held = program->own[held];
        program->held[package] = held;
    }
    free(before);
    return true;
}

static bool program_open(struct program *program, const struct optimal_lp *lp)
{
    enum { ROWS_EACH = 6, ROWS_GROUP = 14, ROWS_RETURNS = 3, NUMBERS_ROW = 3 };
    *program = (struct program){.lp = lp, .returned = -1, .packages = optimal_lp_packages(lp)};
    program->master = lp->ranking->master.latency_s > 0 || lp->ranking->master.s_per_task > 0;
    program->returns = lp->ranking->returns;
    program->columns_each = lp->groups != NULL ? COLUMNS
                            : program->returns ? COLUMN_FIRST
                            : program->master  ? COLUMN_RESULT
                                               : COLUMN_MASTER;
    program->columns = column_of(program, program->packages, COLUMN_LOAD) + 1;
    const int64_t rows_each =
        (lp->groups != NULL ? ROWS_GROUP : ROWS_EACH) + (program->returns ? ROWS_RETURNS : 0);
    /* Two rows say that all core tasks are done; with results, one that the last results have
     * returned. */
    const size_t rows = (size_t)(rows_each * program->packages + 3);
    /* The last row has a number for each package. */
    const size_t numbers = (size_t)((NUMBERS_ROW * rows_each + 1) * program->packages + 4);
    const size_t columns = (size_t)program->columns;
    const size_t packages = (size_t)program->packages;
    program->own = malloc(packages * sizeof *program->own);
    program->held = malloc(packages * sizeof *program->held);
    program->last = malloc(packages * sizeof *program->last);
    program->column = malloc(numbers * sizeof *program->column);
    program->number = malloc(numbers * sizeof *program->number);
    program->state = malloc(rows * sizeof *program->state);
    program->start = malloc((rows + 1) * sizeof *program->start);
    program->low = malloc(rows * sizeof *program->low);
    program->high = malloc(rows * sizeof *program->high);
    program->least = calloc(columns, sizeof *program->least);
    program->most = malloc(columns * sizeof *program->most);
    program->cost = calloc(columns, sizeof *program->cost);
    program->used = calloc(columns, sizeof *program->used);
    return program->own != NULL && program->held != NULL && program->last != NULL &&
           packages_link(program) && program->column != NULL && program->number != NULL &&
           program->state != NULL && program->start != NULL && program->low != NULL &&
           program->high != NULL && program->least != NULL && program->most != NULL &&
           program->cost != NULL && program->used != NULL;
}

static void program_close(struct program *program)
{
    free(program->own);
    free(program->held);
    free(program->last);
    free(program->state);
    free(program->column);
    free(program->number);
    free(program->start);
    free(program->low);
    free(program->high);
    free(program->least);
    free(program->most);
    free(program->cost);
    free(program->used);
}

static void number_add(struct program *program, int column, double number)
{
    program->used[column] = true;
    program->column[program->numbers] = column;
    program->number[program->numbers++] = number;
}

static void row_open(struct program *program, int64_t state, double low, double high)
{
    program->state[program->rows] = state;
    program->start[program->rows] = program->numbers;
    program->low[program->rows] = low;
    program->high[program->rows++] = high;
}

/* Moves what a package's load takes to the row's left side. */
static void load_add(struct program *program, int64_t package, double s_per_task)
{
    if (s_per_task > 0)
        number_add(program, column_of(program, package, COLUMN_LOAD),
                   -s_per_task / program->scale * program->lp->tasks);
}

/* Adds later >= earlier + cost(load of package); an earlier < 0 is the time 0. */
static void row_after(struct program *program, enum row row, int later, int earlier,
                      int64_t package, struct cost cost)
{
    row_open(program, program->package * STATES + COLUMNS + row, cost.latency_s / program->scale,
             DBL_MAX);
    number_add(program, later, 1);
    if (earlier >= 0)
        number_add(program, earlier, -1);
    if (package >= 0)
        load_add(program, package, cost.s_per_task);
}

/* What one package costs; without groups, the same for its first and last member. */
struct package_costs {
    struct cost master, link, work, master_first, link_first, link_last;
    struct cost end; /* from the start until its results are written */
    struct returned result, result_last;
    double greatest;
    double start_s; /* the worker begins nothing before */
    bool several;   /* it is a group of several members */
};

static struct package_costs costs_of(const struct optimal_lp *lp, int64_t package)
{
    const int64_t place = place_of(lp, package);
    if (lp->groups != NULL) {
        const struct group *group = &lp->groups->items[place];
        return (struct package_costs){group->master,
                                      group->link,
                                      group->work,
                                      group->master_first,
                                      group->link_first,
                                      group->link_last,
                                      cost_sum(group->work, group->beside),
                                      group->result,
                                      group->result_last,
                                      group->greatest,
                                      group->start_s,
                                      group->count > 1};
    }
    const struct ranked_worker *worker = &lp->ranking->workers[place];
    const struct cost link = lp->ranking->returns ? worker->way : worker->link;
    const struct returned result = {worker->result.latency_s, {0, worker->result.s_per_task}};
    return (struct package_costs){lp->ranking->master,
                                  link,
                                  worker->work,
                                  lp->ranking->master,
                                  link,
                                  link,
                                  cost_sum(worker->work, worker->beside),
                                  result,
                                  result,
                                  lp->ranking->greatest,
                                  worker->start_s,
                                  false};
}

/* A column of an earlier package; -1: there is no such package. */
static int column_before(const struct program *program, int64_t package, enum column column)
{
    return package >= 0 ? column_of(program, package, column) : -1;
}

static void master_rows(struct program *program, int64_t package, const struct package_costs *costs)
{
    const int mine = column_of(program, package, COLUMN_MASTER);
    const int port = column_of(program, package, COLUMN_PORT);
    const int before = column_before(program, package - 1, COLUMN_MASTER);
    row_after(program, ROW_MASTER_AFTER_MASTER, mine, before, package, costs->master);
    row_after(program, ROW_PORT_AFTER_MASTER, port, mine, package, costs->link_last);
    if (!costs->several)
        return;
    row_after(program, ROW_PORT_AFTER_FIRST_MASTER, port, before, package,
              cost_sum(costs->master_first, costs->link));
    row_after(program, ROW_FIRST_AFTER_MASTER, column_of(program, package, COLUMN_FIRST), before,
              package, cost_sum(costs->master_first, costs->link_first));
}

/* The rows for the first member of a group; all other rows of package_rows are then for its last
 * member. */
static void first_rows(struct program *program, int64_t package, const struct package_costs *costs)
{
    const int first = column_of(program, package, COLUMN_FIRST);
    const int port = column_of(program, package, COLUMN_PORT);
    const int64_t own = program->own[package], held = program->held[package];
    row_after(program, ROW_FIRST_AFTER_PORT, first,
              column_before(program, package - 1, COLUMN_PORT), package, costs->link_first);
    if (held >= 0) {
        row_after(program, ROW_FIRST_AFTER_HELD, first, column_of(program, held, COLUMN_FIRST),
                  package, costs->link_first);
        row_after(program, ROW_PORT_AFTER_FIRST_HELD, port, column_of(program, held, COLUMN_FIRST),
                  package, costs->link);
    }
    if (own >= 0)
        row_after(program, ROW_FIRST_AFTER_OWN, first, column_of(program, own, COLUMN_FIRST), own,
                  costs->work);
    if (program->last[package])
        row_after(program, ROW_END_AFTER_FIRST, column_makespan(program), first, package,
                  costs->end);
}

/* The package's results have returned this long after `earlier`, together with those of the
 * worker's earlier packages where results return at the end. */
static void result_after(struct program *program, enum row row, int64_t package, int earlier,
                         struct cost cost, const struct returned *result)
{
    const bool together = program->lp->ranking->results == RESULTS_END;
    double latency_s = cost.latency_s + result->once_s + result->each.latency_s;
    for (int64_t own = program->own[package]; together && own >= 0; own = program->own[own])
        latency_s += result->each.latency_s;
    row_after(program, row, column_of(program, package, COLUMN_RESULT), earlier, package,
              (struct cost){latency_s, cost.s_per_task + result->each.s_per_task});
    for (int64_t own = program->own[package]; together && own >= 0; own = program->own[own])
        load_add(program, own, result->each.s_per_task);
}

/* The rows for when its results have returned, after those of packages sent before it. Members of a
 * group return results one after the other: that ends after the first member's and all others', or
 * after the last member's. */
static void result_rows(struct program *program, int64_t package, const struct package_costs *costs)
{
    static const struct cost none = {0, 0};
    const int start = column_of(program, package, COLUMN_START);
    result_after(program, ROW_RESULT_AFTER_WORK, package, start, costs->work, &costs->result_last);
    if (costs->several)
        result_after(program, ROW_RESULT_AFTER_FIRST, package,
                     column_of(program, package, COLUMN_FIRST), costs->work, &costs->result);
    result_after(program, ROW_RESULT_AFTER_RESULT, package,
                 column_before(program, program->returned, COLUMN_RESULT), none, &costs->result);
    program->returned = package;
}

/* Each maximum in star_step (star.h) as rows, one for each of its terms: port, buffer, worker. A
 * test compares the two. */
static void package_rows(struct program *program, int64_t package)
{
    program->package = package;
    const struct package_costs costs = costs_of(program->lp, package);
    const int port = column_of(program, package, COLUMN_PORT);
    const int start = column_of(program, package, COLUMN_START);
    const int before = column_before(program, package - 1, COLUMN_PORT);
    const int64_t own = program->own[package], held = program->held[package];
    const struct cost none = {0, 0};
    row_after(program, ROW_PORT_AFTER_PORT, port, before, package, costs.link);
    if (program->master)
        master_rows(program, package, &costs);
    if (held >= 0)
        row_after(program, ROW_PORT_AFTER_HELD, port, column_of(program, held, COLUMN_START),
                  package, costs.link_last);
    row_after(program, ROW_START_AFTER_PORT, start, port, -1, none);
    if (own >= 0)
        row_after(program, ROW_START_AFTER_OWN, start, column_of(program, own, COLUMN_START), own,
                  costs.work);
    if (program->last[package])
        row_after(program, ROW_END_AFTER_START, column_makespan(program), start, package,
                  costs.end);
    if (costs.several)
        first_rows(program, package, &costs);
    if (program->returns &&
        (program->lp->ranking->results == RESULTS_PACKAGE || program->last[package]))
        result_rows(program, package, &costs);
}

/* About what all the work takes, which the makespan is near to. */
static double scale_of(const struct optimal_lp *lp)
{
    const struct cost work = costs_of(lp, 0).work;
    return lp->tasks * work.s_per_task / (double)lp->count + fabs(work.latency_s) + DBL_MIN;
}

static void program_fill(struct program *program)
{
    const struct optimal_lp *lp = program->lp;
    program->scale = scale_of(lp);
    for (int column = 0; column < program->columns; column++)
        program->most[column] = DBL_MAX;
    program->cost[column_makespan(program)] = 1;
    for (int64_t package = 0; package < program->packages; package++) {
        const struct package_costs costs = costs_of(lp, package);
        const double greatest = costs.greatest / lp->tasks;
        program->most[column_of(program, package, COLUMN_LOAD)] = greatest < 1 ? greatest : 1;
        program->least[column_of(program, package, COLUMN_START)] = costs.start_s / program->scale;
        if (lp->groups != NULL)
            program->least[column_of(program, package, COLUMN_FIRST)] =
                costs.start_s / program->scale;
        package_rows(program, package);
    }
    if (program->returned >= 0) {
        program->package = program->returned;
        row_after(program, ROW_END_AFTER_RESULT, column_makespan(program),
                  column_of(program, program->returned, COLUMN_RESULT), -1, (struct cost){0, 0});
    }
    row_open(program, -1, 1, 1); /* all core tasks, as a fraction of them */
    for (int64_t package = 0; package < program->packages; package++)
        number_add(program, column_of(program, package, COLUMN_LOAD), 1);
    program->start[program->rows] = program->numbers;
}

/* The state at the beginning of a package that is like no other: no load, and every time at its
 * first term. */
static int state_usual(int64_t place)
{
    static const bool nonbasic[STATES] = {[COLUMN_LOAD] = true,
                                          [COLUMNS + ROW_PORT_AFTER_PORT] = true,
                                          [COLUMNS + ROW_MASTER_AFTER_MASTER] = true,
                                          [COLUMNS + ROW_START_AFTER_PORT] = true,
                                          [COLUMNS + ROW_FIRST_AFTER_PORT] = true,
                                          [COLUMNS + ROW_RESULT_AFTER_WORK] = true};
    return nonbasic[place] ? STATE_AT_LOWER : STATE_BASIC;
}

/* The state of one column or row: that of the package in the basis that its package is like. */
static int state_find(const struct optimal_lp *lp, int64_t place)
{
    const int64_t like = lp->like[place / STATES];
    const unsigned char known = like >= 0 ? lp->from->states[like * STATES + place % STATES] : 0;
    return known > 0 ? known - 1 : state_usual(place % STATES);
}

static int64_t column_state(const struct program *program, int column)
{
    return column / program->columns_each * STATES + column % program->columns_each;
}

/* False: out of memory. */
static bool basis_enter(const struct program *program, Clp_Simplex *model)
{
    const struct clp *clp = program->clp;
    unsigned char *none = calloc((size_t)program->columns + (size_t)program->rows, 1);
    if (none == NULL)
        return false;
    clp->copyinStatus(model, none); /* allocates the states */
    free(none);
    /* A column that no row has, like the results' of a group where none return, would make a basis
     * singular. */
    for (int column = 0; column < column_makespan(program); column++)
        clp->setColumnStatus(model, column,
                             program->used[column]
                                 ? state_find(program->lp, column_state(program, column))
                                 : STATE_AT_LOWER);
    clp->setColumnStatus(model, column_makespan(program), STATE_BASIC);
    for (int row = 0; row < program->rows; row++)
        clp->setRowStatus(model, row,
                          program->state[row] < 0 ? STATE_FIXED
                                                  : state_find(program->lp, program->state[row]));
    return true;
}

/* States are stored as Clp's plus one: 0 means that the program does not have the row or column. */
static bool basis_keep(const struct program *program, Clp_Simplex *model,
                       struct optimal_basis *basis)
{
    const struct clp *clp = program->clp;
    const size_t size = (size_t)(program->packages * STATES);
    unsigned char *states = calloc(size, 1);
    if (states == NULL)
        return false;
    for (int column = 0; column < column_makespan(program); column++)
        states[column_state(program, column)] =
            (unsigned char)(clp->getColumnStatus(model, column) + 1);
    for (int row = 0; row < program->rows; row++)
        if (program->state[row] >= 0)
            states[program->state[row]] = (unsigned char)(clp->getRowStatus(model, row) + 1);
    free(basis->states);
    *basis = (struct optimal_basis){states, size};
    return true;
}

/* Begins with the basis, if there is one: few steps are needed then. */
static bool model_solve(const struct program *program, Clp_Simplex *model, bool *out_of_memory)
{
    const struct clp *clp = program->clp;
    if (program->lp->from != NULL && program->lp->from->states != NULL) {
        if (!basis_enter(program, model))
            *out_of_memory = true;
        else if (clp->primal(model, 0) >= 0 && clp->status(model) == 0)
            return true;
    }
    return !*out_of_memory && clp->initialDualSolve(model) >= 0 && clp->status(model) == 0;
}

/* The effort in units: for every package, making its rows and its part of each pivot; a group has
 * twice as many rows. */
static double program_effort(const struct program *program, int pivots)
{
    enum { MAKING = 400, PIVOT = 9 };
    return (double)program->packages * (program->lp->groups != NULL ? 3 : 1) *
           (MAKING + PIVOT * (double)pivots);
}

/* Clp works with columns: it converts a matrix of rows itself when rows are added. */
static bool program_solve(const struct program *program, double *loads, double *makespan_s,
                          bool *out_of_memory)
{
    enum { ITERATIONS_MOST = 60000 };
    const struct clp *clp = program->clp;
    Clp_Simplex *model = clp->newModel();
    if (model == NULL) {
        *out_of_memory = true;
        return false;
    }
    clp->setLogLevel(model, 0);
    clp->resize(model, 0, program->columns);
    for (int column = 0; column < program->columns; column++) {
        clp->columnLower(model)[column] = program->least[column];
        clp->columnUpper(model)[column] = program->most[column];
        clp->objective(model)[column] = program->cost[column];
    }
    clp->addRows(model, program->rows, program->low, program->high, program->start, program->column,
                 program->number);
    clp->setMaximumIterations(model, ITERATIONS_MOST);
    bool good = model_solve(program, model, out_of_memory);
    if (good) {
        const double *solution = clp->getColSolution(model);
        for (int64_t package = 0; package < program->packages; package++) {
            const double share = solution[column_of(program, package, COLUMN_LOAD)];
            loads[package] = share > 0 ? share * program->lp->tasks : 0;
        }
        *makespan_s = clp->objectiveValue(model) * program->scale;
    }
    effort_use(program->lp->effort, program_effort(program, clp->numberIterations(model)));
    if (good && program->lp->to != NULL && !basis_keep(program, model, program->lp->to)) {
        *out_of_memory = true;
        good = false;
    }
    clp->deleteModel(model);
    return good;
}

bool optimal_lp_available(void)
{
    return clp_load() != NULL;
}

bool optimal_lp_solve(const struct optimal_lp *lp, double *loads, double *makespan_s,
                      bool *out_of_memory)
{
    struct program program;
    bool good = program_open(&program, lp);
    if (good) {
        program.clp = clp_load();
        program_fill(&program);
        good = program_solve(&program, loads, makespan_s, out_of_memory);
    } else {
        *out_of_memory = true;
    }
    program_close(&program);
    return good;
}
