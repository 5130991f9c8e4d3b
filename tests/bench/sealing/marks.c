/*
 * When a rank did what, seen from outside: loaded before the program (LD_PRELOAD), it stands in
 * for the calls at which one section of a run ends and the next one begins, and writes their times
 * to $SCOW_MARKS.RANK when the process ends: a name, seconds on the machine's monotonic clock, and
 * the processor seconds of the process until then. Not thread-safe where it need not be: all but
 * the digest's calls are made by the rank's own thread.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <hdf5.h>
#include <mpi.h>
#include <openssl/evp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "spmd/transport/wire.h"

enum mark {
    LOADED,
    MPI_BEGINS, /* MPI_Init is called */
    MPI_BEGUN,  /* and has returned */
    PACKED,     /* the first package is handed to MPI: its envelope is there */
    LAST_ROUND, /* master: the first order to end; worker: it waits for that */
    READS_BACK, /* a worker's first reading after that */
    DIGESTED,   /* the input's last byte */
    PART_ENDED, /* master: the first answer is waited for no more; worker: it answers */
    SEALS,      /* master: the output is opened to be sealed */
    SEALED,     /* and is closed */
    MPI_ENDS,   /* MPI_Finalize is called */
    MPI_ENDED,  /* and has returned */
    UNLOADED,
    MARKS
};

static const char *const names[MARKS] = {
    "loaded",     "mpi_begins", "mpi_begun", "packed",   "last_round", "reads_back", "digested",
    "part_ended", "seals",      "sealed",    "mpi_ends", "mpi_ended",  "unloaded"};

static struct {
    double at_s, processor_s; /* 0: never */
} marks[MARKS];
static double digest_s; /* of a processor */
static _Atomic int64_t digest_bytes;
static int rank = -1;

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void note(enum mark mark)
{
    marks[mark].at_s = seconds(CLOCK_MONOTONIC);
    marks[mark].processor_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static void note_first(enum mark mark)
{
    if (marks[mark].at_s <= 0)
        note(mark);
}

/* The functions that these stand in for: found before the program's first own line. */
static hid_t (*next_open)(const char *, unsigned, hid_t);
static herr_t (*next_close)(hid_t);
static ssize_t (*next_read)(int, void *, size_t, off_t);
static int (*next_update)(EVP_MD_CTX *, const void *, size_t);

/* A function's address is no object's to the language, but to the dynamic linker. */
static void next_find(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

__attribute__((constructor)) static void loaded(void)
{
    note(LOADED);
    next_find(&next_open, "H5Fopen");
    next_find(&next_close, "H5Fclose");
    next_find(&next_read, "pread");
    next_find(&next_update, "EVP_DigestUpdate");
}

__attribute__((destructor)) static void unloaded(void)
{
    const char *path = getenv("SCOW_MARKS");
    char name[4096];
    if (!path || rank < 0)
        return;
    note(UNLOADED);
    snprintf(name, sizeof name, "%s.%d", path, rank);
    FILE *file = fopen(name, "w");
    for (int k = 0; file && k < MARKS; k++)
        if (marks[k].at_s > 0)
            fprintf(file, "%s %.6f %.6f\n", names[k], marks[k].at_s, marks[k].processor_s);
    if (file) {
        fprintf(file, "digest %.6f %lld\n", digest_s, (long long)digest_bytes);
        fclose(file);
    }
}

/* ---- MPI ----------------------------------------------------------------------------------- */

static int begun(int result)
{
    note(MPI_BEGUN);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return result;
}

int MPI_Init(int *argc, char ***argv)
{
    note(MPI_BEGINS);
    return begun(PMPI_Init(argc, argv));
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    note(MPI_BEGINS);
    return begun(PMPI_Init_thread(argc, argv, required, provided));
}

int MPI_Finalize(void)
{
    note(MPI_ENDS);
    const int result = PMPI_Finalize();
    note(MPI_ENDED);
    return result;
}

static bool is_work(const void *bytes, int count)
{
    struct wire_package header;
    if (count < (int)sizeof header)
        return false;
    memcpy(&header, bytes, sizeof header);
    return header.kind == WIRE_WORK;
}

int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (tag == WIRE_PACKAGE && marks[PACKED].at_s <= 0 && is_work(bytes, count))
        note(PACKED);
    if (tag == WIRE_CLOSE)
        note_first(LAST_ROUND);
    if (tag == WIRE_CLOSED)
        note(PART_ENDED);
    return PMPI_Isend(bytes, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *bytes, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (tag == WIRE_CLOSE)
        note_first(LAST_ROUND);
    if (tag == WIRE_CLOSED)
        note(PART_ENDED); /* the last time, all have answered */
    return PMPI_Irecv(bytes, count, type, from, tag, comm, request);
}

static void note_read(size_t count)
{
    if (marks[LAST_ROUND].at_s > 0 && count >= 1024)
        note_first(READS_BACK);
}

/* How a picture's numbers are read back. */
ssize_t pread(int file, void *bytes, size_t count, off_t place)
{
    note_read(count);
    return next_read(file, bytes, count, place);
}

int MPI_File_read_at(MPI_File file, MPI_Offset place, void *bytes, int count, MPI_Datatype type,
                     MPI_Status *status)
{
    note_read((size_t)count);
    return PMPI_File_read_at(file, place, bytes, count, type, status);
}

/* ---- HDF5 and the digest ------------------------------------------------------------------- */

hid_t H5Fopen(const char *path, unsigned flags, hid_t access)
{
    if (marks[LAST_ROUND].at_s > 0)
        note_first(SEALS);
    return next_open(path, flags, access);
}

herr_t H5Fclose(hid_t file)
{
    const herr_t result = next_close(file);
    if (marks[SEALS].at_s > 0)
        note_first(SEALED);
    return result;
}

int EVP_DigestUpdate(EVP_MD_CTX *context, const void *bytes, size_t count)
{
    if (count < 4096)
        return next_update(context, bytes, count);
    const double start_s = seconds(CLOCK_THREAD_CPUTIME_ID);
    const int result = next_update(context, bytes, count);
    digest_s += seconds(CLOCK_THREAD_CPUTIME_ID) - start_s;
    digest_bytes += (int64_t)count;
    note(DIGESTED);
    return result;
}
