#include "spmd/transport/shared_file.h"

#include <mpi.h>
#include <string.h>

_Static_assert(sizeof(MPI_File) <= sizeof(intptr_t), "a handle of MPI's must fit");

/* MPI counts bytes in an int, so that large data are written in pieces. */
static const size_t piece_bytes = (size_t)1 << 30;

static MPI_File file_of(const struct shared_file *file)
{
    MPI_File mpi;
    memcpy(&mpi, &file->handle, sizeof(MPI_File));
    return mpi;
}

static int piece_of(size_t bytes, size_t at)
{
    const size_t rest = bytes - at;
    return (int)(rest < piece_bytes ? rest : piece_bytes);
}

/* Every rank opens the file by itself: in a collective call MPI would busy-wait for the others, and
 * forever for a lost one. */
bool shared_file_open(struct shared_file *file, const char *path)
{
    MPI_File mpi;
    *file = (struct shared_file){.open = MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR,
                                                       MPI_INFO_NULL, &mpi) == MPI_SUCCESS};
    if (file->open)
        memcpy(&file->handle, &mpi, sizeof(MPI_File));
    return file->open;
}

bool shared_file_read(const struct shared_file *file, int64_t place, void *bytes, size_t size)
{
    bool good = true;
    for (size_t at = 0; good && at < size; at += piece_bytes)
        good = MPI_File_read_at(file_of(file), place + (int64_t)at, (char *)bytes + at,
                                piece_of(size, at), MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    return good;
}

bool shared_file_write(const struct shared_file *file, int64_t place, const void *bytes,
                       size_t size)
{
    bool good = true;
    for (size_t at = 0; good && at < size; at += piece_bytes)
        good = MPI_File_write_at(file_of(file), place + (int64_t)at, (const char *)bytes + at,
                                 piece_of(size, at), MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    return good;
}

bool shared_file_sync(const struct shared_file *file)
{
    return MPI_File_sync(file_of(file)) == MPI_SUCCESS;
}

bool shared_file_close(struct shared_file *file)
{
    MPI_File mpi = file_of(file);
    const bool good = !file->open || MPI_File_close(&mpi) == MPI_SUCCESS;
    file->open = false;
    return good;
}
