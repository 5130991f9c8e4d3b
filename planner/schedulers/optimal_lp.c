#include "planner/schedulers/optimal_lp.h"

#include <Clp_C_Interface.h>
#include <float.h>
#include <stdlib.h>

/* Columns of package k: its load, when it leaves the port, when its work starts and, where the
 * master takes time, when the master has handed it over. The makespan is the last column. */
enum column { COLUMN_LOAD, COLUMN_PORT, COLUMN_START, COLUMN_MASTER, COLUMNS };

/* A matrix by rows under construction; the sizes are known before. */
struct program {
    const struct optimal_lp *lp;
    bool master;  /* the master takes time */
    double scale; /* seconds per unit of the program's times: its numbers should be near 1 */
    int64_t packages;
    int64_t *own, *held; /* owned; the worker's package before, and B before; -1: none */
    bool *last;          /* owned; of its worker */
    int columns, rows, numbers;
    int *column;                 /* owned, per number */
    double *number;              /* owned */
    CoinBigIndex *start;         /* owned, per row */
    double *low, *high;          /* owned, per row */
    double *least, *most, *cost; /* owned, per column */
};

static int column_of(const struct program *program, int64_t package, enum column column)
{
    return (int)(package * (program->master ? COLUMNS : COLUMN_MASTER) + column);
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

/* Who comes before whom at each worker. False: out of memory. */
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
    enum { ROWS_EACH = 6, NUMBERS_EACH = 3 * ROWS_EACH };
    *program = (struct program){.lp = lp, .packages = optimal_lp_packages(lp)};
    program->master = lp->ranking->master.latency_s > 0 || lp->ranking->master.s_per_task > 0;
    program->columns = column_of(program, program->packages, COLUMN_LOAD) + 1;
    const size_t rows = (size_t)(ROWS_EACH * program->packages + 2);
    const size_t numbers = (size_t)(NUMBERS_EACH * program->packages + 2);
    const size_t columns = (size_t)program->columns;
    const size_t packages = (size_t)program->packages;
    program->own = malloc(packages * sizeof *program->own);
    program->held = malloc(packages * sizeof *program->held);
    program->last = malloc(packages * sizeof *program->last);
    program->column = malloc(numbers * sizeof *program->column);
    program->number = malloc(numbers * sizeof *program->number);
    program->start = malloc((rows + 1) * sizeof *program->start);
    program->low = malloc(rows * sizeof *program->low);
    program->high = malloc(rows * sizeof *program->high);
    program->least = calloc(columns, sizeof *program->least);
    program->most = malloc(columns * sizeof *program->most);
    program->cost = calloc(columns, sizeof *program->cost);
    return program->own != NULL && program->held != NULL && program->last != NULL &&
           packages_link(program) && program->column != NULL && program->number != NULL &&
           program->start != NULL && program->low != NULL && program->high != NULL &&
           program->least != NULL && program->most != NULL && program->cost != NULL;
}

static void program_close(struct program *program)
{
    free(program->own);
    free(program->held);
    free(program->last);
    free(program->column);
    free(program->number);
    free(program->start);
    free(program->low);
    free(program->high);
    free(program->least);
    free(program->most);
    free(program->cost);
}

static void number_add(struct program *program, int column, double number)
{
    program->column[program->numbers] = column;
    program->number[program->numbers++] = number;
}

static void row_open(struct program *program, double low, double high)
{
    program->start[program->rows] = program->numbers;
    program->low[program->rows] = low;
    program->high[program->rows++] = high;
}

/* later >= earlier + cost(load of package); an earlier < 0 is the time 0. */
static void row_after(struct program *program, int later, int earlier, int64_t package,
                      struct cost cost)
{
    row_open(program, cost.latency_s / program->scale, DBL_MAX);
    number_add(program, later, 1);
    if (earlier >= 0)
        number_add(program, earlier, -1);
    if (package >= 0 && cost.s_per_task > 0)
        number_add(program, column_of(program, package, COLUMN_LOAD),
                   -cost.s_per_task / program->scale * program->lp->tasks);
}

static void master_rows(struct program *program, int64_t package)
{
    const int mine = column_of(program, package, COLUMN_MASTER);
    const int before = package > 0 ? column_of(program, package - 1, COLUMN_MASTER) : -1;
    row_after(program, mine, before, package, program->lp->ranking->master);
    row_after(program, column_of(program, package, COLUMN_PORT), mine, package,
              program->lp->ranking->workers[place_of(program->lp, package)].link);
}

/* The maxima of star_step for one package, each term a row: port, buffer, worker. A test compares
 * the two. */
static void package_rows(struct program *program, int64_t package)
{
    const struct optimal_lp *lp = program->lp;
    const struct ranked_worker *worker = &lp->ranking->workers[place_of(lp, package)];
    const int port = column_of(program, package, COLUMN_PORT);
    const int start = column_of(program, package, COLUMN_START);
    const int before = package > 0 ? column_of(program, package - 1, COLUMN_PORT) : -1;
    const int64_t own = program->own[package], held = program->held[package];
    const struct cost none = {0, 0};
    row_after(program, port, before, package, worker->link);
    if (program->master)
        master_rows(program, package);
    if (held >= 0)
        row_after(program, port, column_of(program, held, COLUMN_START), package, worker->link);
    row_after(program, start, port, -1, none);
    if (own >= 0)
        row_after(program, start, column_of(program, own, COLUMN_START), own, worker->work);
    if (program->last[package])
        row_after(program, column_makespan(program), start, package, worker->work);
}

static void program_fill(struct program *program)
{
    const struct optimal_lp *lp = program->lp;
    const double greatest = lp->ranking->greatest / lp->tasks;
    program->scale = lp->tasks * lp->ranking->workers[0].work.s_per_task / (double)lp->count +
                     lp->ranking->workers[0].work.latency_s + DBL_MIN;
    for (int column = 0; column < program->columns; column++)
        program->most[column] = DBL_MAX;
    program->cost[column_makespan(program)] = 1;
    for (int64_t package = 0; package < program->packages; package++) {
        program->most[column_of(program, package, COLUMN_LOAD)] = greatest < 1 ? greatest : 1;
        package_rows(program, package);
    }
    row_open(program, 1, 1); /* all tasks, in units of all tasks */
    for (int64_t package = 0; package < program->packages; package++)
        number_add(program, column_of(program, package, COLUMN_LOAD), 1);
    program->start[program->rows] = program->numbers;
}

/* Clp wants columns: it turns a row-wise matrix itself when rows are added. */
static bool program_solve(const struct program *program, double *loads, double *makespan_s,
                          bool *out_of_memory)
{
    enum { ITERATIONS_MOST = 60000 };
    Clp_Simplex *model = Clp_newModel();
    if (model == NULL) {
        *out_of_memory = true;
        return false;
    }
    Clp_setLogLevel(model, 0);
    Clp_resize(model, 0, program->columns);
    for (int column = 0; column < program->columns; column++) {
        Clp_columnLower(model)[column] = program->least[column];
        Clp_columnUpper(model)[column] = program->most[column];
        Clp_objective(model)[column] = program->cost[column];
    }
    Clp_addRows(model, program->rows, program->low, program->high, program->start, program->column,
                program->number);
    Clp_setMaximumIterations(model, ITERATIONS_MOST);
    const bool good = Clp_initialDualSolve(model) >= 0 && Clp_status(model) == 0;
    if (good) {
        const double *solution = Clp_getColSolution(model);
        for (int64_t package = 0; package < program->packages; package++) {
            const double share = solution[column_of(program, package, COLUMN_LOAD)];
            loads[package] = share > 0 ? share * program->lp->tasks : 0;
        }
        *makespan_s = Clp_objectiveValue(model) * program->scale;
    }
    Clp_deleteModel(model);
    return good;
}

bool optimal_lp_available(void)
{
    return true;
}

bool optimal_lp_solve(const struct optimal_lp *lp, double *loads, double *makespan_s,
                      bool *out_of_memory)
{
    struct program program;
    bool good = program_open(&program, lp);
    if (good) {
        program_fill(&program);
        good = program_solve(&program, loads, makespan_s, out_of_memory);
    } else {
        *out_of_memory = true;
    }
    program_close(&program);
    return good;
}
