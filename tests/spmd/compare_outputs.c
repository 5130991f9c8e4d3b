/* compare_outputs WHOLE PART: every core task that PART's ledger calls done has WHOLE's result.
 * Prints how many; exit 1 on a difference or an unreadable file. */
#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct output {
    hid_t file;
    hsize_t shape[3], chunk[3], tasks;
    float *response;
    uint8_t *ledger;
};

static void *dataset_read(hid_t file, const char *name, hid_t type, size_t size, hsize_t *shape,
                          hsize_t *chunk)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0)
        return NULL;
    hid_t space = H5Dget_space(dataset), creation = H5Dget_create_plist(dataset);
    H5Sget_simple_extent_dims(space, shape, NULL);
    if (chunk)
        H5Pget_chunk(creation, 3, chunk);
    void *values = malloc((size_t)H5Sget_simple_extent_npoints(space) * size);
    if (values && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        free(values);
        values = NULL;
    }
    H5Pclose(creation);
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
    output->ledger =
        dataset_read(output->file, "/ledger", H5T_NATIVE_UINT8, 1, &output->tasks, NULL);
    output->response = dataset_read(output->file, "/response", H5T_NATIVE_FLOAT, sizeof(float),
                                    output->shape, output->chunk);
    return output->response && output->ledger;
}

static void output_release(struct output *output)
{
    if (output->file >= 0)
        H5Fclose(output->file);
    free(output->response);
    free(output->ledger);
}

/* Row-major blocks of one slice. */
static int task_equal(const struct output *whole, const struct output *part, hsize_t task)
{
    hsize_t across = (whole->shape[2] + whole->chunk[2] - 1) / whole->chunk[2];
    hsize_t y0 = task / across * whole->chunk[1], x0 = task % across * whole->chunk[2];
    for (hsize_t y = y0; y < y0 + whole->chunk[1] && y < whole->shape[1]; y++)
        for (hsize_t x = x0; x < x0 + whole->chunk[2] && x < whole->shape[2]; x++) {
            size_t at = (size_t)(y * whole->shape[2] + x);
            if (memcmp(&whole->response[at], &part->response[at], sizeof(float)) != 0)
                return 0;
        }
    return 1;
}

static int compare(const struct output *whole, const struct output *part)
{
    hsize_t done = 0;
    if (part->tasks != whole->tasks) {
        printf("%d core tasks instead of %d\n", (int)part->tasks, (int)whole->tasks);
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
    if (argc != 3)
        return 2;
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
