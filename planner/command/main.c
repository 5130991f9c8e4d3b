/* scow: replaces itself by the program that has the command, and is small for that reason: where
 * many ranks start at a time, none of them shall first load the libraries of another program. */
#include <stdio.h>

#include "planner/command/sibling.h"

int main(int argc, char **argv)
{
    struct failure failure = FAILURE_INIT;
    char *none[] = {NULL, NULL};
    if (argc > 1 && sibling_exists(argv[1]))
        sibling_execute(argv[1], argv + 1, &failure);
    else
        sibling_execute("planner", argc > 0 ? argv : none, &failure);
    fprintf(stderr, "scow: %s\n", failure.text);
    return (int)failure.code;
}
