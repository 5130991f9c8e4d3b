/* Jacobi's iteration: by its definition, to the bit, however a grid is cut; and its core task,
 * which does the same to a package's columns. */
#include <math.h>
#include <stdlib.h>

#include "kernel/jacobi/jacobi.h"
#include "tests/checks.h"
#include "tests/kernel/memory_job.h"

enum { ROWS = 7, COLUMNS = 11, ITERATIONS = 9 };
static const struct jacobi_values values = {1, -2, 0.3, 0.7, 0.1};
static const struct jacobi_pulse silent = {NULL, NULL};

/* The definition: [column][row], with what is around. */
struct grid {
    double cells[COLUMNS + 2][ROWS + 2];
};

static void grid_begin(struct grid *grid)
{
    for (int column = 0; column <= COLUMNS + 1; column++)
        for (int row = 0; row <= ROWS + 1; row++)
            grid->cells[column][row] = row == 0                ? values.north
                                       : row == ROWS + 1       ? values.south
                                       : column == 0           ? values.west
                                       : column == COLUMNS + 1 ? values.east
                                                               : values.inside;
}

/* The greatest change of a cell. */
static double grid_step(struct grid *grid)
{
    const struct grid before = *grid;
    double change = 0;
    for (int column = 1; column <= COLUMNS; column++)
        for (int row = 1; row <= ROWS; row++) {
            double *cell = &grid->cells[column][row];
            *cell = (before.cells[column][row - 1] + before.cells[column][row + 1] +
                     before.cells[column - 1][row] + before.cells[column + 1][row]) /
                    4;
            change = fmax(change, fabs(*cell - before.cells[column][row]));
        }
    return change;
}

static struct jacobi_strip strip_new(int64_t columns, int threads)
{
    const size_t size = jacobi_strip_size(ROWS, columns);
    struct jacobi_strip strip = {.rows = ROWS,
                                 .columns = columns,
                                 .now = malloc(size),
                                 .next = malloc(size),
                                 .threads = threads};
    assert_true(strip.now && strip.next);
    jacobi_strip_begin(&strip, &values);
    return strip;
}

static void strip_turn(struct jacobi_strip *strip)
{
    double *before = strip->now;
    strip->now = strip->next;
    strip->next = before;
}

static void column_copy(const struct jacobi_strip *from, int64_t column,
                        const struct jacobi_strip *to, int64_t place)
{
    memcpy(jacobi_column(to, to->now, place), jacobi_column(from, from->now, column),
           ROWS * sizeof(double));
}

/* Two strips, of `west` columns and of the others, that exchange nothing but borders. */
static void strips_are_as_defined(int64_t west, int threads)
{
    struct grid grid;
    struct jacobi_strip strips[] = {strip_new(west, threads), strip_new(COLUMNS - west, threads)};
    grid_begin(&grid);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        const double wanted = grid_step(&grid);
        double change = 0;
        column_copy(&strips[1], 1, &strips[0], west + 1);
        column_copy(&strips[0], west, &strips[1], 0);
        for (int k = 0; k < 2; k++) {
            assert_true(jacobi_strip_step(&strips[k], 2, strips[k].columns + 1, silent));
            assert_true(jacobi_strip_step(&strips[k], 1, 2, silent));
            change = fmax(change, jacobi_strip_change(&strips[k]));
            strip_turn(&strips[k]);
        }
        assert_true(change == wanted);
    }
    for (int64_t column = 1; column <= COLUMNS; column++) {
        const struct jacobi_strip *strip = &strips[column > west];
        const int64_t place = column > west ? column - west : column;
        assert_memory_equal(jacobi_column(strip, strip->now, place), &grid.cells[column][1],
                            ROWS * sizeof(double));
    }
    for (int k = 0; k < 2; k++) {
        free(strips[k].now);
        free(strips[k].next);
    }
}

static void any_strips_give_the_grid_to_the_bit(void **state)
{
    (void)state;
    for (int64_t west = 1; west < COLUMNS; west++)
        strips_are_as_defined(west, 1);
    strips_are_as_defined(4, 3);
}

static void sizes_that_cannot_be_counted_are_none(void **state)
{
    (void)state;
    assert_int_equal(jacobi_strip_size(1, 1), 9 * sizeof(double));
    assert_int_equal(jacobi_strip_size(100000000, (int64_t)1 << 40), 0);
}

/* ---- the core task -------------------------------------------------------------------------- */

static void job_init(struct memory_job *job, struct memory_host *host)
{
    memory_host_init(host);
    memory_job_init(job, &jacobi_task, host);
    memory_job_number(job, "rows", ROWS);
    memory_job_number(job, "columns", COLUMNS);
    memory_job_number(job, "north", values.north);
    memory_job_number(job, "south", values.south);
    memory_job_number(job, "west", values.west);
    memory_job_number(job, "east", values.east);
    memory_job_text(job, "inside", "0.1");
}

static void packages_are_columns_of_the_first_iteration(void **state)
{
    struct memory_host host;
    struct memory_job job;
    struct grid grid;
    (void)state;
    job_init(&job, &host);
    assert_true(memory_job_open(&job));
    grid_begin(&grid);
    grid_step(&grid);
    for (int64_t first = 0; first < COLUMNS; first++)
        for (int64_t batch = 0; batch <= 2; batch++) {
            struct memory_outcome outcome;
            const int64_t count = COLUMNS - first;
            assert_int_equal(memory_job_compute(&job, first, count, batch, 2, &outcome), SCOW_OK);
            const double *record = (const double *)(const void *)outcome.records;
            for (int64_t k = 0; k < count; k++, record += 3) {
                const double *cells = grid.cells[first + k + 1];
                assert_true(record[0] == cells[1]);
                assert_true(record[1] == cells[1 + ROWS / 2]);
                assert_true(record[2] == cells[ROWS]);
            }
            memory_outcome_release(&outcome);
        }
    memory_job_close(&job);
    memory_host_release(&host);
}

static void a_value_inside_is_a_number_or_the_mean(void **state)
{
    struct memory_host host;
    struct memory_job job;
    (void)state;
    job_init(&job, &host);
    memory_job_text(&job, "inside", "mean");
    assert_true(jacobi_values_read(job.values).inside == 0);
    memory_job_text(&job, "inside", "1x");
    assert_false(memory_job_open(&job));
    assert_string_equal(host.failure, "--inside '1x': give a number, or mean");
    memory_job_close(&job);
    memory_host_release(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_strips_give_the_grid_to_the_bit),
        cmocka_unit_test(sizes_that_cannot_be_counted_are_none),
        cmocka_unit_test(packages_are_columns_of_the_first_iteration),
        cmocka_unit_test(a_value_inside_is_a_number_or_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
