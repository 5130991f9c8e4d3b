/*
 * The workers of a profile by kinds: neighbours that are of one class in every window, so that it
 * does not matter which of them work, but how many. Workers beyond the profile are of the kind that
 * they are like. What a user allows of each class is a limit on its kinds.
 */
#ifndef PLANNER_STUDIES_KINDS_H
#define PLANNER_STUDIES_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"

enum kind_limit { KIND_FREE, KIND_EXCLUDED, KIND_AT_MOST };

struct kind {
    char *name;            /* owned; NULL: the class has none */
    int64_t first, count;  /* those that were measured: indices of the profile */
    int64_t more;          /* beyond the profile; they are after all that were measured */
    int64_t most;          /* that may be used */
    enum kind_limit limit; /* why it is less than all of them */
    bool required;         /* at least one of its class is to be used */
    struct price price;
};

struct kinds {
    struct kind *items; /* owned */
    size_t count;
    int64_t measured; /* workers of all kinds that were measured */
    int64_t like; /* rank of the measured worker that those beyond are like; 0: there are none */
};

/* Classes, by name or by the rank of one of their workers, separated by commas; NULL: none. */
struct kinds_wish {
    const char *require, *exclude;
    const char *at_most; /* CLASS=N,... */
};

/* Those of the first `worker_most` workers (0: all). Fails with FAILURE_USAGE for unknown classes
 * and numbers that are none, with FAILURE_INFEASIBLE where no worker is left or a required class is
 * excluded. To be released. */
bool kinds_init(struct kinds *kinds, const struct profile *profile,
                const struct profile_setting *setting, int64_t worker_most,
                const struct kinds_wish *wish, struct failure *failure);
void kinds_release(struct kinds *kinds);
/* All workers of a kind. */
int64_t kind_workers(const struct kind *kind);
/* Are they of classes with one name? Of a class without a name there is one kind. */
bool kinds_alike(const struct kind *a, const struct kind *b);
/* "gpu", or "rank 3" for a class without a name; `words` has room for KIND_NAME_SIZE. */
enum { KIND_NAME_SIZE = 80 };
const char *kind_name(const struct kind *kind, char words[KIND_NAME_SIZE]);

/* So many of each kind, those that were measured first, as a selection of the profile with all
 * workers; false: out of memory. */
bool kinds_select(const struct kinds *kinds, const int64_t *counts,
                  struct plan_selection *selection);
/* The kind of a worker of that selection. */
size_t kinds_of(const struct kinds *kinds, const int64_t *counts, int64_t worker);

#endif
