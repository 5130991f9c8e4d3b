/*
 * Only one run at a time writes to an output: every rank of a run keeps a file lock while it lives,
 * and a resume first checks for locks. Uses open file description locks, which HDF5 and MPI do not
 * use; a file system without them does not protect.
 */
#ifndef PLANNER_BASE_FILE_LOCK_H
#define PLANNER_BASE_FILE_LOCK_H

#include <stdbool.h>

#include "planner/base/failure.h"

/* Local. A descriptor to be closed, held with whoever else holds the file; negative: it cannot be
 * opened. */
int file_lock_together(const char *path);
/* Local. The same, after making sure that nobody else holds the file; negative with *failure set:
 * somebody does, or it cannot be opened. */
int file_lock_first(const char *path, struct failure *failure);
/* Local. Beside that, one place for each rank of a run: taken by the process that is that rank, and
 * free again when it is gone, however it went. False: somebody has it, or the file system cannot do
 * that. */
bool file_lock_place(int file, int place);
/* Local. Does anybody hold that file? False, too, where it cannot be read, or its file system has
 * no locks. */
bool file_lock_held(const char *path);
/* Local. Has another process locked that place? */
bool file_lock_taken(int file, int place);

/* Local. What has been written to the file on this node is from here on with the file's server, if
 * it has one: taking a lock makes it so. False, with errno: the disk is full, or broken. */
bool file_lock_publish(int file);

#endif
