/* What is behind the handles of scow-plan.h. */
#ifndef PLANNER_LIBRARY_HANDLE_H
#define PLANNER_LIBRARY_HANDLE_H

#include <locale.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/library/planned.h"
#include "planner/library/scow-plan.h"
#include "planner/model/profile.h"

/* Never changed once it is made: whoever extends a profile takes a copy of its own. */
struct scow_profile {
    char *text; /* owned; what it was parsed from */
    size_t length;
    char *name; /* owned; what sentences call it */
    bool is_file;
    char digest[65];
    struct profile profile;
};

struct scow_plan {
    bool made;              /* by scow_plan_make: with profile and planning, not the plan alone */
    struct profile profile; /* its own copy, with the workers beyond those measured */
    struct planned planned;
};

/* A call of the library: numbers are read and written as in C's own locale, for this thread alone,
 * until it ends. */
struct entry {
    locale_t own, before;
    struct failure failure;
};

struct entry entry_begin(void);
/* The code of what happened, which becomes *error, too (may be NULL). */
int entry_end(struct entry *entry, struct scow_plan_error *error);
/* Hand a text over as an entry's outcome; `task` as in text_finish. */
char *entry_give_text(struct entry *entry, struct text *text, bool good, const char *task);

/* Copy a structure that begins with its size, as its caller knows it, to `taken`, which has `size`
 * bytes; what the caller does not know is 0. Usage where the caller knows more than that, and has
 * set it. `name` is the structure's. */
bool structure_take(void *taken, size_t size, const void *given, const char *name,
                    struct failure *failure);

/* The same profile once more, to be released. */
bool handle_profile_copy(const struct scow_profile *handle, struct profile *profile,
                         struct failure *failure);

#endif
