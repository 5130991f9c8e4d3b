#include "spmd/store.h"

#include <hdf5.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "spmd/layout.h"

struct store {
    char *path; /* owned */
    const struct comm *comm;
    const struct job *job;
    hid_t file, response, normalized, ledger; /* < 0: not open */
    uint8_t *bytes;                           /* owned; one task's normalised values */
};

static struct store *store_new(const char *path, const struct comm *comm, const struct job *job,
                               struct failure *failure)
{
    struct store *store = calloc(1, sizeof *store);
    if (!store) {
        failure_memory(failure, "opening the output");
        return NULL;
    }
    store->comm = comm;
    store->job = job;
    store->file = store->response = store->normalized = store->ledger = -1;
    store->path = strdup(path);
    store->bytes = malloc((size_t)job->kernel->result_stride(job->made));
    if (!store->path || !store->bytes)
        failure_memory(failure, "opening the output");
    return store;
}

static void store_free(struct store *store)
{
    if (!store)
        return;
    free(store->path);
    free(store->bytes);
    free(store);
}

/* Collective. */
static bool handles_open(struct store *store)
{
    hid_t access_list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access_list, store->comm->mpi, MPI_INFO_NULL);
    store->file = H5Fopen(store->path, H5F_ACC_RDWR, access_list);
    H5Pclose(access_list);
    if (store->file < 0)
        return false;
    store->response = H5Dopen2(store->file, LAYOUT_RESPONSE, H5P_DEFAULT);
    store->normalized = H5Dopen2(store->file, LAYOUT_NORMALIZED, H5P_DEFAULT);
    store->ledger = H5Dopen2(store->file, LAYOUT_LEDGER, H5P_DEFAULT);
    return store->response >= 0 && store->normalized >= 0 && store->ledger >= 0;
}

/* Read one task's rectangle of a data set into `into`, or, where that is NULL, write it from
 * `from`; in memory its rows lie side by side. */
static bool task_transfer(const struct store *store, hid_t dataset, hid_t type, int64_t task,
                          void *into, const void *from)
{
    int64_t start64[3], count64[3];
    store->job->kernel->task_place(store->job->made, task, start64, count64);
    hsize_t start[3], count[3];
    for (int i = 0; i < 3; i++) {
        start[i] = (hsize_t)start64[i];
        count[i] = (hsize_t)count64[i];
    }
    hid_t space = H5Dget_space(dataset);
    hid_t memory = H5Screate_simple(3, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    herr_t status = into ? H5Dread(dataset, type, memory, space, H5P_DEFAULT, into)
                         : H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, from);
    H5Sclose(memory);
    H5Sclose(space);
    return status >= 0;
}

/* A rank's first access reads the file's index: done before the clock starts. What is read does not
 * matter. */
static bool first_access(struct store *store)
{
    int64_t task = store->comm->rank % store->job->tasks;
    return task_transfer(store, store->normalized, H5T_NATIVE_UINT8, task, store->bytes, NULL) &&
           task_transfer(store, store->response, H5T_NATIVE_UINT8, task, store->bytes, NULL);
}

struct store *store_open(const char *path, const struct comm *comm, const struct job *job,
                         struct failure *failure)
{
    layout_quiet();
    struct store *store = store_new(path, comm, job, failure);
    if (!comm_agree(comm, failure)) {
        store_free(store);
        return NULL;
    }
    if (!handles_open(store) || !first_access(store))
        failure_set(failure, FAILURE_FAILED,
                    "%s: cannot be opened on rank %d: write to a file system that all nodes see",
                    path, comm->rank);
    if (!comm_agree(comm, failure))
        store_close(&store, failure);
    return store;
}

static bool write_failed(struct store *store, int64_t task, struct failure *failure)
{
    struct statvfs disk;
    bool full = statvfs(store->path, &disk) == 0 && disk.f_bavail == 0;
    return failure_set(failure, FAILURE_FAILED,
                       "%s: core task %" PRId64 " could not be written%s: what is marked in its "
                       "ledger is kept; make room and run again to another file",
                       store->path, task,
                       full ? ", the disk is full" : " (disk full, quota, or file size limit?)");
}

static bool ledger_mark(struct store *store, int64_t first, int64_t count)
{
    uint8_t done[256];
    memset(done, 1, sizeof done);
    for (int64_t at = 0; at < count; at += (int64_t)sizeof done) {
        int64_t rest = count - at;
        int64_t rows = rest < (int64_t)sizeof done ? rest : (int64_t)sizeof done;
        if (!layout_rows_write(store->ledger, H5T_NATIVE_UINT8, first + at, rows, done))
            return false;
    }
    return true;
}

bool store_write(struct store *store, int64_t first, int64_t count, const float *results,
                 struct failure *failure)
{
    int64_t stride = store->job->kernel->result_stride(store->job->made);
    for (int64_t i = 0; i < count; i++) {
        if (!task_transfer(store, store->response, H5T_NATIVE_FLOAT, first + i, NULL,
                           results + i * stride))
            return write_failed(store, first + i, failure);
    }
    return ledger_mark(store, first, count) || write_failed(store, first, failure);
}

static void normalize(const float *values, int64_t count, const struct summary *summary,
                      uint8_t *bytes)
{
    double range = summary->maximum - summary->minimum;
    for (int64_t i = 0; i < count; i++) {
        double share = ((double)values[i] - summary->minimum) / range;
        if (!(share > 0)) /* not a number, or no range */
            share = 0;
        bytes[i] = (uint8_t)lrint(255 * (share < 1 ? share : 1));
    }
}

static int64_t task_values(const struct job *job, int64_t task)
{
    int64_t start[3], count[3];
    job->kernel->task_place(job->made, task, start, count);
    return count[0] * count[1] * count[2];
}

bool store_normalize(struct store *store, int64_t first, int64_t count,
                     const struct summary *summary, float *results, struct failure *failure)
{
    for (int64_t task = first; task < first + count; task++) {
        if (!task_transfer(store, store->response, H5T_NATIVE_FLOAT, task, results, NULL))
            return failure_set(failure, FAILURE_FAILED,
                               "%s: core task %" PRId64 " could not be read back: check the disk",
                               store->path, task);
        normalize(results, task_values(store->job, task), summary, store->bytes);
        if (!task_transfer(store, store->normalized, H5T_NATIVE_UINT8, task, NULL, store->bytes))
            return write_failed(store, task, failure);
    }
    return true;
}

static bool handle_close(hid_t handle, herr_t (*close)(hid_t))
{
    return handle < 0 || close(handle) >= 0;
}

bool store_close(struct store **store, struct failure *failure)
{
    struct store *s = *store;
    if (!s)
        return true;
    bool good = handle_close(s->response, H5Dclose);
    good = handle_close(s->normalized, H5Dclose) && good;
    good = handle_close(s->ledger, H5Dclose) && good;
    good = handle_close(s->file, H5Fclose) && good;
    if (!good)
        failure_set(failure, FAILURE_FAILED, "%s: could not be closed: is the disk full?", s->path);
    bool all = comm_agree(s->comm, failure);
    store_free(s);
    *store = NULL;
    return all;
}
