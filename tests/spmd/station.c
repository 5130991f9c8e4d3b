/* A worker's place: memory that nobody has cleared never shows in what leaves it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "spmd/output/outputfile.h"
#include "spmd/run/station.h"

/* Blocks at the lower and right edges are partial. */
enum { SLICES = 2, ROWS = 70, COLUMNS = 50, BLOCK = 32, TASKS = SLICES * 3 * 2, THREADS = 3 };

static struct comm comm;

/* Every pixel of the image has another value. */
static bool pixels_read(void *self, int64_t slice, int64_t row, int64_t column, int64_t rows,
                        int64_t columns, void *pixels)
{
    (void)self;
    float *to = pixels;
    for (int64_t y = row; y < row + rows; y++)
        for (int64_t x = column; x < column + columns; x++)
            *to++ = (float)((slice * ROWS + y) * COLUMNS + x);
    return true;
}

/* False: the kernel does not do that combination by that algorithm. */
static bool job_make(struct job *job, const char *algorithm, const char *combine)
{
    const struct kernel *kernel = kernel_find("matched-filter");
    struct kernel_setup setup = {.extent = {SLICES, ROWS, COLUMNS, PIXEL_F32}, .block = BLOCK};
    struct parameter_list list = {0};
    struct failure failure = FAILURE_INIT;
    assert_true(parameter_list_add(&list, "algorithm", algorithm, 0));
    assert_true(parameter_list_add(&list, "combine", combine, 0));
    assert_true(parameter_list_add(&list, "bank", "chaudhuri", 0));
    assert_true(job_parameters(kernel, &list, "x", &setup, &failure));
    parameter_list_release(&list);
    return job_init(job, kernel, &setup, "x", &failure);
}

/* All bits of memory that is nobody's before the kernel runs; of a float: not a number. */
static void station_spoil(struct station *station, int byte)
{
    const struct run *run = station->run;
    const struct kernel *kernel = run->job->kernel;
    int64_t values = run->largest_package * kernel->result_stride(run->job->made);
    memset(station->results, byte, (size_t)values * sizeof(float));
    memset(station->workspace, byte, kernel->workspace_bytes(run->job->made, run->threads));
}

/* The whole image as one package, through a station whose memory is full of `byte`. */
static void package_run(const struct run *run, int byte, struct summary *summary)
{
    const struct job *job = run->job;
    const struct kernel_source source = {NULL, pixels_read};
    struct station station;
    struct failure failure = FAILURE_INIT;
    assert_true(station_init(&station, run, &failure));
    void *bytes = malloc(job->kernel->package_bytes(job->made, 0, TASKS));
    assert_non_null(bytes);
    assert_true(job->kernel->pack(job->made, 0, TASKS, &source, bytes));
    const struct inbox_package in = {.header.package = {.count = TASKS}, .bytes = bytes};
    station_spoil(&station, byte);
    station_compute(&station, &in);
    summary_init(summary);
    assert_true(station_output(&station, &in.header.package, summary, &failure));
    free(bytes);
    station_release(&station);
}

/* Nothing that is not a number in the file, chunks' parts beyond the image included. */
static void check_file(const char *path, const struct output_places *places)
{
    static float values[TASKS * BLOCK * BLOCK];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)places->response, SEEK_SET), 0);
    assert_int_equal(fread(values, sizeof values, 1, file), 1);
    fclose(file);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_true(values[i] == values[i]);
}

/* The summary of all results of a job, written to a file of their own. */
static struct summary job_run(const struct job *job, int byte)
{
    const struct output_info info = {"{}", NULL, "x", "", "", 1};
    struct output_places places;
    struct failure failure = FAILURE_INIT;
    struct summary summary;
    char path[64];
    snprintf(path, sizeof path, "station-test-%ld.h5", (long)getpid());
    assert_true(outputfile_create(path, job, &info, &places, &failure));
    struct store *store = store_open(path, &places, &comm, job, &failure);
    assert_non_null(store);
    const struct run run = {&comm, job, store, TASKS, THREADS};
    package_run(&run, byte, &summary);
    assert_true(store_close(&store, &failure));
    check_file(path, &places);
    unlink(path);
    return summary;
}

static bool check_clean(const char *algorithm, const char *combine)
{
    struct job job = {0};
    if (!job_make(&job, algorithm, combine))
        return false;
    struct summary zeros = job_run(&job, 0), spoilt = job_run(&job, 0xff);
    assert_int_equal(spoilt.not_numbers, 0);
    assert_int_equal(spoilt.values, SLICES * ROWS * COLUMNS);
    assert_true(spoilt.checksum == zeros.checksum);
    job_release(&job);
    return true;
}

static void test_what_nobody_cleared_stays_inside(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"auto", "reference", "direct", "orbit", "fft"};
    static const char *const combines[] = {"sum", "max", "summax"};
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        int done = 0;
        for (size_t c = 0; c < sizeof combines / sizeof *combines; c++)
            done += check_clean(algorithms[a], combines[c]);
        assert_true(done > 0);
    }
}

/* How many of the pages that hold these bytes are there. */
static size_t pages_present(void *block, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page;
    unsigned char *states = calloc(pages, 1);
    size_t present = 0;
    assert_non_null(states);
    assert_int_equal(mincore(block, bytes, states), 0);
    for (size_t i = 0; i < pages; i++)
        present += states[i] & 1;
    free(states);
    return present;
}

/* Or the first package would pay for them, which no calibration sees. */
static void test_pages_are_there_before_the_first_package(void **state)
{
    (void)state;
    enum { PACKAGE = 500 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct job job = {0};
    struct station station;
    struct failure failure = FAILURE_INIT;
    assert_true(job_make(&job, "auto", "max"));
    const struct run run = {&comm, &job, NULL, PACKAGE, THREADS};
    assert_true(station_init(&station, &run, &failure));
    const size_t results = (size_t)PACKAGE * BLOCK * BLOCK * sizeof(float);
    const size_t workspace = job.kernel->workspace_bytes(job.made, THREADS);
    assert_int_equal(pages_present(station.results, results), (results + page - 1) / page);
    assert_int_equal(pages_present(station.workspace, workspace), (workspace + page - 1) / page);
    station_release(&station);
    job_release(&job);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    comm_init(&comm, MPI_COMM_WORLD);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_nobody_cleared_stays_inside),
        cmocka_unit_test(test_pages_are_there_before_the_first_package),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
