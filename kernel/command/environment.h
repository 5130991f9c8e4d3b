/*
 * The environment of commands: their working directory, environment variables, and a path that each
 * command may write to.
 */
#ifndef KERNEL_COMMAND_ENVIRONMENT_H
#define KERNEL_COMMAND_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>

/* Of a job, read-only. */
struct environment {
    char *texts; /* owned: the folder ("": the rank's), then variables, each with a final zero */
    size_t size;
    int variables;
    const char *path; /* PATH as it is set here; NULL: it is not */
    const char
        *out;   /* borrowed: the folder that commands' own paths are in; NULL: they have none */
    int digits; /* of the last task's number */
};

enum { ENVIRONMENT_WHY_SIZE = 200 };

/* From the options' texts, each of which may be NULL: the folder; NAME=VALUE words as a shell
 * quotes them; where paths are. Returns NULL, or what is wrong as a sentence: static, or `why`. */
const char *environment_make(struct environment *environment, const char *folder,
                             const char *variables, const char *out, int64_t tasks,
                             char why[ENVIRONMENT_WHY_SIZE]);
void environment_release(struct environment *environment);

#endif
