/* The commands that a run runs or ran, from its template and its input. No MPI. */
#ifndef SPMD_JOB_COMMANDS_H
#define SPMD_JOB_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/text.h"

struct commands;
struct input;
struct job;

/* How the commands are made; borrowed until commands_close; NULL: not given. */
struct commands_source {
    const char *command, *input;          /* the template; the file's name */
    const char *format, *colsep, *header; /* as the options have them */
};

/* Of an input that is open, which stays the caller's and must outlive them. NULL: its columns
 * cannot be told, or memory ended. */
struct commands *commands_open(const struct commands_source *source, struct input *input);
/* The same of a job, opened with that input (NULL: none): both must outlive them. NULL also where
 * its core tasks are no commands. */
struct commands *commands_of(const struct job *job, struct input *input);
/* A job's value as a word or text; NULL: it has no such parameter, or no value of it. Borrowed. */
const char *commands_value(const struct job *job, const char *name);
/* Add the command of task `index`, from 0, as one would type it, in one line: an end of line within
 * it becomes \n. False: the line cannot be read; nothing is added. */
bool commands_print(struct commands *commands, int64_t index, struct text *text);
void commands_close(struct commands **commands); /* sets *commands NULL */

#endif
