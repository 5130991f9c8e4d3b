/*
 * The kernel of a job: a core task that is built in, or one from a plug-in.
 */
#ifndef SPMD_JOB_KERNEL_H
#define SPMD_JOB_KERNEL_H

#include "kernel/scow.h"
#include "planner/base/failure.h"
#include "planner/base/text.h"

struct kernel {
    const struct scow_task *task; /* borrowed; valid until kernel_close */
    char *plugin;                 /* owned, absolute; NULL: built in */
    char sha256[65];              /* of the plug-in's file; "" without one */
    void *library;
};

/* What a profile or a plan says of its kernel, or a command line; all borrowed. */
struct kernel_name {
    const char *name;   /* of the core task; NULL: whatever the plug-in is */
    const char *plugin; /* path; NULL: built in */
    const char *sha256; /* which the plug-in must have; NULL: any */
};

/* A program's own task: known by its name, and the default. Borrowed for good. False: its name is
 * taken, or it is none that scow can use. */
bool kernel_own(const struct scow_task *task, struct failure *failure);
/* The name that commands take without -k: a program's own task, else "matched-filter". */
const char *kernel_default(void);
/* What -k says: the path of a plug-in (it has a '/' in it) or a name. */
struct kernel_name kernel_name_of(const char *word);
/* Local. Load it; `where` is named in failures ("plan.json", "--kernel"). `instead` is a plug-in's
 * path that replaces the name's (NULL: none), of which the digest must still agree. A plug-in that
 * is missing, of another version, without the symbol, or nonsense is refused in a sentence. */
bool kernel_open(struct kernel *kernel, struct kernel_name name, const char *instead,
                 const char *where, struct failure *failure);
/* Is there an input (NULL: none) where the core task takes one, and only there? `where` as above.
 */
bool kernel_input_check(const struct kernel *kernel, const char *input, const char *where,
                        struct failure *failure);
void kernel_close(struct kernel *kernel);

/* The tasks that there are, one a line; and everything about one (a name, or a plug-in's path). */
void kernel_list(struct text *text);
bool kernel_describe(const char *word, struct text *text, struct failure *failure);

#endif
