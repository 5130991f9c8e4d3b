/* What the scow command can read in a full build: images, run outputs, previews. */
#include "planner/command/readers.h"

#include <hdf5.h>
#include <stdio.h>

#include "kernel/vector/isa.h"
#include "spmd/input/image.h"
#include "spmd/job/job.h"
#include "spmd/output/archive.h"
#include "spmd/output/preview.h"

static bool count_tasks(const char *image, const struct profile *profile, int block, int64_t *tasks,
                        struct failure *failure)
{
    struct kernel_setup setup = {.block = block};
    const struct kernel *kernel = job_kernel(profile->kernel, "the profile", failure);
    if (!kernel || !image_extent(image, &setup.extent, failure) ||
        !job_parameters(kernel, &profile->parameters, "the profile", &setup, failure))
        return false;
    char why[240];
    if (!kernel->check(&setup, why, sizeof why))
        return failure_set(failure, FAILURE_MISMATCH, "%s: %s", image, why);
    *tasks = kernel->task_count(&setup);
    return true;
}

static bool write_preview(const char *output, const char *input, const char *png,
                          struct failure *failure)
{
    return archive_finished(output, failure) && preview_write(output, input, png, failure);
}

static const char *libraries(void)
{
    static char line[80];
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    snprintf(line, sizeof line, "HDF5 %u.%u.%u; %s", major, minor, release,
             isa_name(isa_current()));
    return line;
}

const struct readers *readers_available(void)
{
    static const struct readers readers = {count_tasks, archive_read, write_preview, libraries};
    return &readers;
}
