/* The commands that are built in. Each parses its own command line; argv[0] is the command's name.
 * `readers` may be NULL: then what needs images or run outputs is refused. */
#ifndef PLANNER_COMMAND_COMMAND_H
#define PLANNER_COMMAND_COMMAND_H

#include "planner/base/failure.h"
#include "planner/command/readers.h"

bool command_plan(int argc, char **argv, const struct readers *readers, struct failure *failure);
bool command_simulate(int argc, char **argv, const struct readers *readers,
                      struct failure *failure);
bool command_tasks(int argc, char **argv, const struct readers *readers, struct failure *failure);
bool command_report(int argc, char **argv, const struct readers *readers, struct failure *failure);
bool command_show(int argc, char **argv, const struct readers *readers, struct failure *failure);

#endif
