/* The programs that scow consists of lie beside each other, or on the PATH. */
#ifndef PLANNER_COMMAND_SIBLING_H
#define PLANNER_COMMAND_SIBLING_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/base/failure.h"

/* Has the command of that name a program of its own, scow-NAME, which mostly many ranks or nodes
 * start at a time? */
bool sibling_exists(const char *command);
/* Local. The path of a file of that name in this program's own directory, into path[size]. False:
 * nobody says where that is, or the path is too long. */
bool sibling_beside(const char *file, char *path, size_t size);
/* Become the sibling scow-NAME, with these arguments, of which argv[0] becomes its name. Returns
 * false, with *failure set, only where that fails. */
bool sibling_execute(const char *name, char **argv, struct failure *failure);

#endif
