/*
 * A data set with a row a core task, read in batches of neighbouring ones: a million tasks take no
 * more memory than a thousand. Serial.
 */
#ifndef SPMD_ARCHIVE_ROWS_H
#define SPMD_ARCHIVE_ROWS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rows {
    hid_t dataset, type; /* negative: there is no such data set; type: in memory */
    size_t size;         /* bytes of a row */
    int64_t count;       /* rows */
    int64_t first, have; /* of the batch at hand; none at first */
    char *bytes;         /* owned; the batch */
    bool failed;         /* a batch could not be read, or memory ended */
};

/* Of data set `name`, with rows as `type` in memory (taken over); a negative type: as they are
 * stored, in this machine's byte order and without gaps. False: there is no such data set, or it
 * has not that field, or memory ended; rows_at says NULL then. To be closed in any case. */
bool rows_open(struct rows *rows, hid_t file, const char *name, hid_t type);
/* One field of records, as `number` in memory; negative: as it is stored. */
bool rows_open_field(struct rows *rows, hid_t file, const char *name, const char *field,
                     hid_t number);
/* Row `index`, borrowed until the next call; best asked for in ascending order. NULL: there is no
 * such row, or it cannot be read. */
const void *rows_at(struct rows *rows, int64_t index);
void rows_close(struct rows *rows);

#endif
