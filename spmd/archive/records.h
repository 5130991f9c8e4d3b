/*
 * The records of a run's core tasks as a table for other programs: comma- or tab-separated values,
 * a JSON object a line, or numpy's format. Serial; a million rows take no more memory than one.
 */
#ifndef SPMD_ARCHIVE_RECORDS_H
#define SPMD_ARCHIVE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/command/readers.h"
#include "spmd/archive/rows.h"

/* ---- what a row is made of ----------------------------------------------------------------- */

/* A field of the records. */
struct record_field {
    char *name;          /* owned; no other column has it */
    int type;            /* enum scow_type; of texts: SCOW_TEXT_BYTES */
    size_t offset, size; /* bytes in a row; of one number, or of the text */
    size_t count;        /* numbers; of texts 1 */
};

enum { RECORD_FIELDS_MOST = 256 };

/* One core task, done or failed; borrowed until the next is asked for. */
struct record_row {
    int64_t task; /* from 0 */
    bool failed;
    const char *reason; /* why; "" */
    size_t reason_size;
    const char *line; /* its line, or its sequence's name; NULL: not known */
    size_t line_size;
    const char *bytes; /* of the record, fields at their offsets, without gaps */
};

struct records {
    hid_t file;
    struct rows ledger, reasons, rows;
    struct items *items;
    struct record_field fields[RECORD_FIELDS_MOST];
    int field_count;
    size_t size;     /* of a record */
    int64_t next;    /* task to be looked at */
    int64_t missing; /* tasks that were not done, of those looked at */
};

/* `note` gets a sentence where a line is not known of tasks that are lines. False with *failure
 * set: there are no records, or they cannot be read. To be closed in any case. */
bool records_open(struct records *records, const char *path, struct text *note,
                  struct failure *failure);
/* The next one, in ascending order. False: there is none, or it cannot be read
 * (records_failed). */
bool records_next(struct records *records, struct record_row *row);
void records_rewind(struct records *records);
bool records_failed(const struct records *records);
void records_close(struct records *records);

/* ---- tables -------------------------------------------------------------------------------- */

/* As asked for: to a file that is there whole or not at all, or to standard output. `note` gets
 * sentences about what is not in it. */
bool records_write(const struct records_request *request, struct text *note,
                   struct failure *failure);

/* In numpy's format (NEP 1, version 1.0): one structured array. False with errno set. */
bool records_write_npy(struct records *records, FILE *out);

#endif
