/* The structures behind the handles of scow-plan.h. */
#ifndef PLANNER_LIBRARY_HANDLE_H
#define PLANNER_LIBRARY_HANDLE_H

#include <locale.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/library/planned.h"
#include "planner/library/scow-plan.h"
#include "planner/model/profile.h"

/* Never changed after it is made: a profile is copied before it is extended. */
struct scow_profile {
    char *text; /* owned; what it was parsed from */
    size_t length;
    char *name; /* owned; its name in messages */
    bool is_file;
    char digest[65];
    struct profile profile;
};

struct scow_plan {
    bool made;              /* by scow_plan_make: with profile and planning, not the plan alone */
    struct profile profile; /* its own copy, with the workers beyond those measured */
    struct planned planned;
};

/* A call of the library: until it ends, this thread reads and prints numbers in the C locale. */
struct entry {
    locale_t own, before;
    struct failure failure;
};

struct entry entry_begin(void);
/* Copies the failure to *error (may be NULL) and returns its code. */
int entry_end(struct entry *entry, struct scow_plan_error *error);
/* Return a text as the result of an entry; `task` as in text_finish. */
char *entry_give_text(struct entry *entry, struct text *text, bool good, const char *task);

/* Copy a structure that begins with the size that its caller knows to `taken`, which has `size`
 * bytes; members that the caller does not know are 0. FAILURE_USAGE if the caller has set members
 * that this library does not know. `name` is the structure's. */
bool structure_take(void *taken, size_t size, const void *given, const char *name,
                    struct failure *failure);

/* The same profile once more, to be released. */
bool handle_profile_copy(const struct scow_profile *handle, struct profile *profile,
                         struct failure *failure);

#endif
