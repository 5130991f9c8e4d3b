/*
 * Arrays of a JSON document that are read element by element: a tree of one with a million elements
 * would take some hundred megabytes. Where such an array stands, the document's tree has an object
 * of one member without a name, which no key of ours has: the number of the array in `arrays`.
 */
#ifndef PLANNER_FILES_ELEMENTS_H
#define PLANNER_FILES_ELEMENTS_H

#include <stddef.h>

#include "planner/files/document.h"

/* An array in the document's text, brackets included. */
struct document_array {
    size_t begin, end;
    size_t count; /* of its elements */
};

struct document {
    const char *text, *name; /* borrowed */
    size_t length;
    json_t *root;                  /* owned */
    struct document_array *arrays; /* owned; those that are left out of the tree */
    size_t array_count, array_capacity;
};

/* Arrays with one of these keys, wherever they stand, are left out of the tree; the last key is
 * NULL. To be closed, also on failure: as of document_parse. */
bool document_open(struct document *document, const char *text, size_t length, const char *name,
                   const char *const *keys, struct failure *failure);
void document_close(struct document *document);

/* The elements of an array, of the tree or left out of it. */
struct document_elements {
    size_t count, index; /* of all, and of the next one */
    json_t *array;       /* borrowed; NULL: it is left out */
    const struct document *document;
    size_t at, end; /* in the document's text */
    json_t *held;   /* owned: the last element */
};

/* Is it an array of at least `least` elements, as of document_array? To be ended, also on failure.
 */
bool document_elements_begin(struct document_elements *elements, json_t *value,
                             const struct document_place *place, size_t least,
                             struct failure *failure);
/* The next one, of `count`; borrowed, until it is called again. NULL with *failure set: it is
 * damaged. */
json_t *document_elements_next(struct document_elements *elements, struct failure *failure);
void document_elements_end(struct document_elements *elements);

#endif
