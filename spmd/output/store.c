#include "spmd/output/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

struct store {
    char *path; /* owned */
    const struct comm *comm;
    const struct job *job;
    struct output_places places;
    int64_t shape[3], chunk[3]; /* [z][y][x] */
    int64_t chunk_values;
    MPI_File file;  /* MPI_FILE_NULL: not open */
    float *values;  /* owned; one chunk of results */
    uint8_t *bytes; /* owned; one chunk of normalised ones */
};

/* ---- opening and closing ------------------------------------------------------------------- */

static void store_free(struct store *store)
{
    if (!store)
        return;
    free(store->path);
    free(store->values);
    free(store->bytes);
    free(store);
}

static bool store_init(struct store *store, const char *path)
{
    const struct job *job = store->job;
    job->kernel->response_shape(job->made, store->shape, store->chunk);
    store->chunk_values = store->chunk[0] * store->chunk[1] * store->chunk[2];
    store->path = strdup(path);
    store->values = calloc((size_t)store->chunk_values, sizeof *store->values);
    store->bytes = calloc((size_t)store->chunk_values, 1);
    return store->path && store->values && store->bytes;
}

static struct store *store_new(const char *path, const struct comm *comm, const struct job *job,
                               struct failure *failure)
{
    struct store *store = calloc(1, sizeof *store);
    if (store) {
        store->comm = comm;
        store->job = job;
        store->file = MPI_FILE_NULL;
    }
    if (!store || !store_init(store, path))
        failure_memory(failure, "opening the output");
    return store;
}

/* A rank's first write to a file costs milliseconds once: done before the clock starts, with what
 * is there already. */
static bool first_access(struct store *store)
{
    MPI_Offset place = store->places.ledger + store->comm->rank % store->job->tasks;
    uint8_t byte = 0;
    return MPI_File_read_at(store->file, place, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE) ==
               MPI_SUCCESS &&
           MPI_File_write_at(store->file, place, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE) ==
               MPI_SUCCESS;
}

struct store *store_open(const char *path, const struct output_places *places,
                         const struct comm *comm, const struct job *job, struct failure *failure)
{
    struct store *store = store_new(path, comm, job, failure);
    if (!comm_agree(comm, failure)) {
        store_free(store);
        return NULL;
    }
    store->places = *places;
    comm_broadcast(comm, &store->places, sizeof store->places);
    /* MPI makes this succeed or fail on all ranks together. */
    if (MPI_File_open(comm->mpi, store->path, MPI_MODE_RDWR, MPI_INFO_NULL, &store->file) !=
        MPI_SUCCESS)
        failure_set(failure, FAILURE_FAILED,
                    "%s: cannot be opened on rank %d: write to a file system that all nodes see",
                    path, comm->rank);
    if (!comm_agree(comm, failure)) {
        store_free(store);
        return NULL;
    }
    if (!first_access(store))
        failure_set(failure, FAILURE_FAILED, "%s: cannot be written on rank %d: check the disk",
                    path, comm->rank);
    if (!comm_agree(comm, failure))
        store_close(&store, failure);
    return store;
}

bool store_close(struct store **store, struct failure *failure)
{
    struct store *s = *store;
    if (!s)
        return true;
    if (MPI_File_close(&s->file) != MPI_SUCCESS)
        failure_set(failure, FAILURE_FAILED, "%s: could not be closed: is the disk full?", s->path);
    bool all = comm_agree(s->comm, failure);
    store_free(s);
    *store = NULL;
    return all;
}

/* ---- access -------------------------------------------------------------------------------- */

/* MPI counts bytes in an int. */
static const int64_t piece_bytes = (int64_t)1 << 30;

static bool bytes_write(struct store *store, int64_t place, const void *bytes, int64_t count)
{
    for (int64_t at = 0; at < count; at += piece_bytes) {
        int64_t rest = count - at;
        int piece = (int)(rest < piece_bytes ? rest : piece_bytes);
        if (MPI_File_write_at(store->file, place + at, (const char *)bytes + at, piece, MPI_BYTE,
                              MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
    }
    return true;
}

/* The chunk, in row-major order, that a task's result starts in, and how much of it is the task's.
 */
static int64_t task_chunk(const struct store *store, int64_t task, int64_t count[3])
{
    int64_t start[3], index = 0;
    store->job->kernel->task_place(store->job->made, task, start, count);
    for (int i = 0; i < 3; i++) {
        int64_t chunks = (store->shape[i] + store->chunk[i] - 1) / store->chunk[i];
        index = index * chunks + start[i] / store->chunk[i];
    }
    return index;
}

static bool is_whole(const struct store *store, const int64_t count[3])
{
    return count[0] * count[1] * count[2] == store->chunk_values;
}

/* A task at the image's edge fills part of its chunk: its rows are spread to the chunk's. */
static const float *chunk_spread(struct store *store, const float *results, const int64_t count[3])
{
    for (int64_t z = 0; z < count[0]; z++)
        for (int64_t y = 0; y < count[1]; y++)
            memcpy(store->values + (z * store->chunk[1] + y) * store->chunk[2],
                   results + (z * count[1] + y) * count[2], (size_t)count[2] * sizeof(float));
    return store->values;
}

/* How many of the tasks [task, end) fill whole chunks that lie one behind the other. */
static int64_t whole_run(const struct store *store, int64_t task, int64_t end)
{
    int64_t count[3], first = task_chunk(store, task, count), length = 0;
    while (task + length < end && task_chunk(store, task + length, count) == first + length &&
           is_whole(store, count))
        length++;
    return length;
}

static bool write_failed(const struct store *store, int64_t task, struct failure *failure)
{
    struct statvfs disk;
    bool full = statvfs(store->path, &disk) == 0 && disk.f_bavail == 0;
    return failure_set(failure, FAILURE_FAILED,
                       "%s: core task %" PRId64 " could not be written%s: make room or write to "
                       "another disk, and run again",
                       store->path, task,
                       full ? ", the disk is full" : " (disk full, quota, or file size limit?)");
}

/* ---- results ------------------------------------------------------------------------------- */

/* Tasks from `task` on, as many as one write takes; returns how many, 0: failed. A result's stride
 * is that of a chunk. */
static int64_t tasks_write(struct store *store, int64_t task, int64_t end, const float *results)
{
    int64_t count[3], chunk = task_chunk(store, task, count);
    int64_t chunk_bytes = store->chunk_values * (int64_t)sizeof(float);
    int64_t run = whole_run(store, task, end);
    const float *values = run > 0 ? results : chunk_spread(store, results, count);
    int64_t chunks = run > 0 ? run : 1;
    bool good = bytes_write(store, store->places.response + chunk * chunk_bytes, values,
                            chunks * chunk_bytes);
    return good ? chunks : 0;
}

static bool ledger_mark(struct store *store, int64_t first, int64_t count)
{
    uint8_t done[256];
    memset(done, 1, sizeof done);
    for (int64_t at = 0; at < count; at += (int64_t)sizeof done) {
        int64_t rest = count - at;
        int64_t rows = rest < (int64_t)sizeof done ? rest : (int64_t)sizeof done;
        if (!bytes_write(store, store->places.ledger + first + at, done, rows))
            return false;
    }
    return true;
}

bool store_write(struct store *store, int64_t first, int64_t count, const float *results,
                 struct failure *failure)
{
    for (int64_t task = first, written; task < first + count; task += written) {
        written =
            tasks_write(store, task, first + count, results + (task - first) * store->chunk_values);
        if (written == 0)
            return write_failed(store, task, failure);
    }
    return ledger_mark(store, first, count) || write_failed(store, first, failure);
}

/* ---- normalised ---------------------------------------------------------------------------- */

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

static bool chunk_read(struct store *store, int64_t chunk)
{
    int64_t bytes = store->chunk_values * (int64_t)sizeof(float);
    return MPI_File_read_at(store->file, store->places.response + chunk * bytes, store->values,
                            (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

bool store_normalize(struct store *store, int64_t first, int64_t count,
                     const struct summary *summary, struct failure *failure)
{
    for (int64_t task = first; task < first + count; task++) {
        int64_t part[3], chunk = task_chunk(store, task, part);
        if (!chunk_read(store, chunk))
            return failure_set(failure, FAILURE_FAILED,
                               "%s: core task %" PRId64 " could not be read back: check the disk",
                               store->path, task);
        normalize(store->values, store->chunk_values, summary, store->bytes);
        if (!bytes_write(store, store->places.normalized + chunk * store->chunk_values,
                         store->bytes, store->chunk_values))
            return write_failed(store, task, failure);
    }
    return true;
}
