/* The matched filter in an engine: memory that was not cleared never shows in results, and is
 * allocated before the first package. */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/tasks/table.h"
#include "spmd/job/engine.h"
#include "spmd/job/summary.h"
#include "tests/spmd/pictures.h"

/* Core tasks are not all of one size. */
enum { SLICES = 2, ROWS = 71, COLUMNS = 53, BLOCK = 32, THREADS = 3 };

/* Every pixel has another value; in the second image, none is a number. */
#define IMAGE "image.h5:/image"
#define NOTHING "nothing.h5:/image"

static void image_write(const char *name, bool numbers)
{
    static float pixels[SLICES * ROWS * COLUMNS];
    const hsize_t shape[3] = {SLICES, ROWS, COLUMNS};
    for (int i = 0; i < SLICES * ROWS * COLUMNS; i++)
        pixels[i] = numbers ? (float)i : NAN;
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(3, shape, NULL);
    hid_t dataset =
        H5Dcreate2(file, "image", H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, pixels) >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Fclose(file);
}

static int images_make(void **state)
{
    if (pictures_enter(state) != 0)
        return -1;
    image_write("image.h5", true);
    image_write("nothing.h5", false);
    return 0;
}

/* False: the kernel does not do that combination by that algorithm. */
static bool job_make(struct job *job, const char *algorithm, const char *combine)
{
    const struct scow_task *task = task_find("matched-filter");
    struct parameter_list list = {0};
    struct values values;
    struct description description = {0};
    struct failure failure = FAILURE_INIT;
    assert_true(parameter_list_add(&list, "algorithm", algorithm, 0));
    assert_true(parameter_list_add(&list, "combine", combine, 0));
    assert_true(parameter_list_add(&list, "block", NULL, BLOCK));
    assert_true(values_read(&values, task, &list, "x", true, &failure));
    struct input *input = input_open(SCOW_INPUT_IMAGE, IMAGE, &failure);
    assert_non_null(input);
    const bool good = job_describe(&description, task, &values, input, &failure) &&
                      job_open(job, task, &values, &description, IMAGE, &failure);
    description_release(&description);
    input_close(&input);
    values_release(&values);
    parameter_list_release(&list);
    return good;
}

/* The whole image as one package. */
static void package_run(const struct job *job, struct engine *engine, const char *image)
{
    const struct engine_pulse no_pulse = {NULL, NULL};
    struct failure failure = FAILURE_INIT;
    struct input *input = input_open(SCOW_INPUT_IMAGE, image, &failure);
    const int64_t tasks = job->setup.tasks;
    const size_t room = job_package_most(job, tasks) + JOB_GUARD;
    void *package = aligned_alloc(64, (room / 64 + 1) * 64);
    size_t size;
    assert_non_null(input);
    assert_non_null(package);
    assert_true(job_pack(job, input, 0, tasks, package, &size, &failure));
    assert_true(engine_compute(engine, 0, tasks, package, size, no_pulse, &failure));
    free(package);
    input_close(&input);
}

/* All results of a job; `spoilt`: computed where everything was full of what is no number. */
static struct summary job_run(const struct job *job, bool spoilt)
{
    struct failure failure = FAILURE_INIT;
    struct summary summary;
    summary_init(&summary);
    struct engine *engine = engine_new(job, job->setup.tasks, THREADS, 1, &failure);
    assert_non_null(engine);
    const struct package_results *results = engine_results(engine);
    if (spoilt)
        package_run(job, engine, NOTHING); /* the workspace, too */
    memset(results->grid, spoilt ? 0xff : 0, (size_t)job->setup.tasks * job->tile_size);
    package_run(job, engine, IMAGE);
    assert_true(summary_add(&summary, job, results, &failure));
    engine_free(&engine);
    return summary;
}

static bool check_clean(const char *algorithm, const char *combine)
{
    struct job job = {0};
    if (!job_make(&job, algorithm, combine))
        return false;
    const struct summary zeros = job_run(&job, false), spoilt = job_run(&job, true);
    assert_int_equal(spoilt.not_numbers, 0);
    assert_int_equal(spoilt.values, SLICES * ROWS * COLUMNS);
    assert_true(spoilt.checksum == zeros.checksum);
    job_close(&job);
    return true;
}

static void what_nobody_cleared_stays_inside(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"auto", "reference", "direct", "orbit", "fft"};
    static const char *const combines[] = {"sum", "max", "summax"};
    for (size_t a = 0; a < COUNT_OF(algorithms); a++) {
        int done = 0;
        for (size_t c = 0; c < COUNT_OF(combines); c++)
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

/* Or the first package would pay for them, which no calibration sees. (A workspace is zeroed.) */
static void pages_are_there_before_the_first_package(void **state)
{
    (void)state;
    enum { PACKAGE = 500 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct job job = {0};
    struct failure failure = FAILURE_INIT;
    assert_true(job_make(&job, "auto", "max"));
    struct engine *engine = engine_new(&job, PACKAGE, THREADS, 1, &failure);
    assert_non_null(engine);
    const size_t results = (size_t)PACKAGE * job.tile_size;
    assert_true(results > 100 * page);
    assert_int_equal(pages_present(engine_results(engine)->grid, results),
                     (results + page - 1) / page);
    engine_free(&engine);
    job_close(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nobody_cleared_stays_inside),
        cmocka_unit_test(pages_are_there_before_the_first_package),
    };
    return cmocka_run_group_tests(tests, images_make, pictures_leave);
}
