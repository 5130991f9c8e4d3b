/* What the readers of a run's output share among themselves. */
#ifndef SPMD_ARCHIVE_ARCHIVE_FILE_H
#define SPMD_ARCHIVE_ARCHIVE_FILE_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/report/report.h"
#include "spmd/job/items.h"
#include "spmd/layout/emitted.h"

/* Opened for reading; negative with *failure set. */
hid_t archive_open(const char *path, struct failure *failure);
/* A text of the root group, owned; NULL: there is none. */
char *archive_attribute(hid_t file, const char *name);
/* A byte a core task, owned; NULL: it cannot be read. */
uint8_t *archive_ledger(hid_t file, size_t *count);
/* Frees a text that is there and says nothing. */
void archive_drop_empty(char **word);
/* False: it has no readable `what`. */
bool archive_not_ours(const char *path, const char *what, struct failure *failure);
/* The files with what its core tasks emitted (emitted.h); NULL with *failure set. */
struct emitted *archive_emitted(hid_t file, const char *path, struct failure *failure);
/* The lines or sequences that the tasks of `path`, open as `file`, are, as items_find has it. */
struct items *archive_items(hid_t file, const char *path, int64_t tasks, char note[ITEMS_NOTE]);

#endif
