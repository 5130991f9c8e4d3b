/* The built-in commands. Each parses its own command line; argv[0] is the command's name. */
#ifndef PLANNER_COMMAND_COMMAND_H
#define PLANNER_COMMAND_COMMAND_H

#include "planner/base/failure.h"

bool command_plan(int argc, char **argv, struct failure *failure);
bool command_simulate(int argc, char **argv, struct failure *failure);
bool command_tasks(int argc, char **argv, struct failure *failure);
bool command_report(int argc, char **argv, struct failure *failure);
bool command_show(int argc, char **argv, struct failure *failure);

#endif
