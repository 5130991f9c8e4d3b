/*
 * Checked reading of JSON documents. Every value that is refused is named by its place
 * ("profile.json: settings[0].windows[1].tasks: ...").
 *
 * A getter that is given no value (a key that is absent) leaves its output alone and succeeds;
 * document_keys refuses the absence of what must be there. All failures are FAILURE_MISMATCH, but
 * for those of document_exclude.
 */
#ifndef PLANNER_FILES_DOCUMENT_H
#define PLANNER_FILES_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/parameter.h"

struct document;

/* A chain of places on the stack, from a value up to its file. */
struct document_place {
    const struct document_place *parent; /* NULL: the file itself */
    const char *name;                    /* a key, or the file's name; NULL: an array's element */
    size_t index;                        /* of an array's element */
    const struct document *document;     /* of the file itself (elements.h); NULL: all is a tree */
};

struct document_key {
    const char *name;
    bool required;
};

static inline struct document_place document_at(const struct document_place *parent,
                                                const char *key)
{
    return (struct document_place){parent, key, 0, NULL};
}

static inline struct document_place document_element(const struct document_place *parent,
                                                     size_t index)
{
    return (struct document_place){parent, NULL, index, NULL};
}

/* Owned (json_decref). NULL with *failure set: not JSON, a key twice, numbers beyond range. */
json_t *document_parse(const char *text, size_t length, const char *name, struct failure *failure);
/* Is it JSON, of any kind? */
bool document_is_json(const char *text);
/* Refuse the value at `place` with this sentence. Returns false. */
bool document_refuse(struct failure *failure, const struct document_place *place,
                     const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for a valid value with which no plan is possible: FAILURE_INFEASIBLE. */
bool document_exclude(struct failure *failure, const struct document_place *place,
                      const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Is it an object with no key but these, and all that are required? */
bool document_keys(json_t *value, const struct document_place *place,
                   const struct document_key *keys, size_t count, struct failure *failure);
/* Does `root` have "schema" equal to `schema`? */
bool document_schema(const json_t *root, const struct document_place *place, const char *schema,
                     struct failure *failure);
/* Is it an array of at least `least` elements? */
bool document_array(const json_t *value, const struct document_place *place, size_t least,
                    struct failure *failure);
/* Refuse an array for having fewer elements than that. Returns false. */
bool document_few(const struct document_place *place, size_t least, struct failure *failure);
/* A string's copy; what *word held before is freed. */
bool document_word(const json_t *value, const struct document_place *place, char **word,
                   struct failure *failure);
bool document_flag(const json_t *value, const struct document_place *place, bool *flag,
                   struct failure *failure);
bool document_number(const json_t *value, const struct document_place *place, double least,
                     double greatest, double *number, struct failure *failure);
/* A whole number, written with or without a fraction or an exponent. */
bool document_count(const json_t *value, const struct document_place *place, int64_t least,
                    int64_t greatest, int64_t *count, struct failure *failure);
/* The edge of a core task under its own key, "block", appended to `list` as the parameter that it
 * is.
 */
bool document_block(const json_t *value, const struct document_place *place,
                    struct parameter_list *list, struct failure *failure);
/* A string of 64 hexadecimal digits in lower case. */
bool document_digest(const json_t *value, const struct document_place *place, char **digest,
                     struct failure *failure);
/* An object of numbers and strings, appended to `list`. */
bool document_parameters(json_t *value, const struct document_place *place,
                         struct parameter_list *list, struct failure *failure);

#endif
