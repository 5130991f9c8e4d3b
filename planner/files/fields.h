/*
 * Structures as JSON objects: one table of fields says how a structure is read, checked, written,
 * copied and compared, so that what is written can always be read, and nothing is forgotten in a
 * copy. Fields are written in the table's order and read in it, but for blocks, which come last.
 */
#ifndef PLANNER_FILES_FIELDS_H
#define PLANNER_FILES_FIELDS_H

#include <stddef.h>

#include "planner/base/text.h"
#include "planner/files/document.h"

/* What stands in the structure, and in the file. */
enum field_type {
    FIELD_WORD,       /* char *, owned: a string; not written where it is NULL */
    FIELD_DIGEST,     /* the same: a digest */
    FIELD_FLAG,       /* bool; not written where it is false */
    FIELD_NUMBER,     /* double */
    FIELD_WHOLE,      /* double: a whole number */
    FIELD_COUNT,      /* int64_t */
    FIELD_INT,        /* int */
    FIELD_PARAMETERS, /* struct parameter_list, but for the block */
    FIELD_MODEL,      /* enum operating: its name; not written for single-port */
    FIELD_BLOCK,      /* the block of a struct parameter_list; not written where there is none */
    FIELD_OBJECT,     /* a structure of the field's table */
    FIELD_GROUP,      /* the same without an object of its own: its keys are among the others */
    FIELD_LIST,       /* a pointer to structures of the field's table, owned */
    FIELD_OTHER       /* what `parse` and `print` do */
};

enum {
    FIELD_REQUIRED = 1,
    FIELD_NONZERO = 2, /* a number: is not written while it is 0 */
    FIELD_SPARSE = 4   /* an object or a list: is not written while all in it is 0 */
};

struct field_list {
    size_t size, count_offset; /* of an element; of a size_t in the owner: how many there are */
    int indent; /* columns before each element, on its own line; 0: all on one line */
    /* Does the last element that was read go with those before it? NULL: always. */
    bool (*follows)(const void *owner, const struct document_place *place, struct failure *failure);
    /* How many are written; `root` is what is written as a whole. NULL: all. */
    size_t (*shown)(const void *root, const void *owner);
};

struct field {
    const char *key;
    enum field_type type;
    size_t offset;
    double least, greatest; /* of numbers */
    int flags;
    const struct field_table *table;
    const struct field_list *list;
    bool (*given)(const void *value);   /* false: it is not written; NULL: it is */
    const char *before;                 /* in place of what separates the table's other fields */
    int64_t (*most)(const void *owner); /* in place of `greatest` */
    /* In place of what the type says. `value` is NULL where the key is absent. */
    bool (*parse)(void *owner, json_t *value, const struct document_place *place,
                  struct failure *failure);
    void (*print)(struct text *text, const void *owner);
    /* Of FIELD_OTHER: give `to`, which is `from` byte by byte, memory of its own, or NULL where
     * there is none left. False: out of memory. NULL: the field owns none. */
    bool (*own)(void *to, const void *from);
};

struct field_table {
    const struct field *fields;
    size_t count;
    int indent;         /* columns before each field, on its own line; 0: all on one line */
    const char *schema; /* of a whole document; NULL: it is none */
    /* After all fields have been read. NULL: nothing more is to be checked. */
    bool (*check)(void *object, const struct document_place *place, struct failure *failure);
    /* Of a whole document: keys of arrays of many elements, whose `parse` reads them one by one
     * (elements.h); the last one is NULL. NULL: there are none. */
    const char *const *long_keys;
};

#define FIELD_TABLE(rows) .fields = (rows), .count = sizeof(rows) / sizeof *(rows)

/* Fill `object`, all 0 until then; to be released even if that fails. */
bool field_table_parse(void *object, json_t *value, const struct document_place *place,
                       const struct field_table *table, struct failure *failure);
/* The same from a whole document; `name` is what failures call it. */
bool field_table_read(void *object, const char *text, size_t length, const char *name,
                      const struct field_table *table, struct failure *failure);
/* An object. */
void field_table_print(struct text *text, const void *object, const struct field_table *table);
/* Make `to` equal `from`, both of `size` bytes, with memory of its own for all that the table's
 * fields own; members without a field are copied as they are and may own nothing. False: out of
 * memory; to be released even then. */
bool field_table_copy(void *to, const void *from, size_t size, const struct field_table *table);
/* Are all fields equal, so that both would be written alike? False, too, when out of memory. */
bool field_table_equal(const void *a, const void *b, const struct field_table *table);

#endif
