/* compare_outputs WHOLE PART DOWN ACROSS: every core task that PART's ledger calls done has WHOLE's
 * result; one slice is cut evenly into DOWN x ACROSS of them.
 * Prints how many; exit 1 on a difference or an unreadable file. */
#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct output {
    hid_t file;
    hsize_t shape[3], tasks;
    float *response;
    uint8_t *ledger;
};

static void *dataset_read(hid_t file, const char *name, hid_t type, size_t size, hsize_t *shape)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0)
        return NULL;
    hid_t space = H5Dget_space(dataset);
    H5Sget_simple_extent_dims(space, shape, NULL);
    void *values = malloc((size_t)H5Sget_simple_extent_npoints(space) * size);
    if (values && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        free(values);
        values = NULL;
    }
    H5Sclose(space);
    H5Dclose(dataset);
    return values;
}

static int output_read(struct output *output, const char *path)
{
    output->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (output->file < 0)
        return 0;
    /* First the ledger: the file may be written meanwhile, data before their mark. */
    output->ledger = dataset_read(output->file, "/ledger", H5T_NATIVE_UINT8, 1, &output->tasks);
    output->response =
        dataset_read(output->file, "/response", H5T_NATIVE_FLOAT, sizeof(float), output->shape);
    return output->response && output->ledger;
}

static void output_release(struct output *output)
{
    if (output->file >= 0)
        H5Fclose(output->file);
    free(output->response);
    free(output->ledger);
}

/* How a slice is cut. */
static hsize_t down, across;

static int task_equal(const struct output *whole, const struct output *part, hsize_t task)
{
    const hsize_t rows = whole->shape[1], columns = whole->shape[2];
    const hsize_t i = task / across, j = task % across;
    for (hsize_t y = i * rows / down; y < (i + 1) * rows / down; y++)
        for (hsize_t x = j * columns / across; x < (j + 1) * columns / across; x++) {
            size_t at = (size_t)(y * whole->shape[2] + x);
            if (memcmp(&whole->response[at], &part->response[at], sizeof(float)) != 0)
                return 0;
        }
    return 1;
}

static int compare(const struct output *whole, const struct output *part)
{
    hsize_t done = 0;
    if (part->tasks != down * across || whole->tasks != down * across) {
        printf("%d and %d core tasks instead of %d\n", (int)part->tasks, (int)whole->tasks,
               (int)(down * across));
        return 1;
    }
    for (hsize_t task = 0; task < part->tasks; task++) {
        if (whole->ledger[task] != 1) {
            printf("task %d is missing from the whole\n", (int)task);
            return 1;
        }
        if (part->ledger[task] != 1)
            continue;
        done++;
        if (!task_equal(whole, part, task)) {
            printf("task %d is called done but differs\n", (int)task);
            return 1;
        }
    }
    printf("%d of %d core tasks done, all right\n", (int)done, (int)part->tasks);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    down = strtoull(argv[3], NULL, 10);
    across = strtoull(argv[4], NULL, 10);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    struct output whole = {.file = -1}, part = {.file = -1};
    int result = 1;
    if (!output_read(&whole, argv[1]))
        printf("%s cannot be read\n", argv[1]);
    else if (!output_read(&part, argv[2]))
        printf("%s cannot be read\n", argv[2]);
    else
        result = compare(&whole, &part);
    output_release(&whole);
    output_release(&part);
    return result;
}
