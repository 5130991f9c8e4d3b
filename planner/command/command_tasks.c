#include "planner/base/options.h"
#include "planner/base/wrap.h"
#include "planner/command/command.h"
#include "planner/command/readers.h"

bool command_tasks(int argc, char **argv, struct failure *failure)
{
    char *name = NULL;
    int operands = 0;
    struct text text = TEXT_INIT;
    const struct option_table table = {
        .usage = "scow tasks [NAME | ./FILE.so]",
        .purpose =
            "Lists the kinds of core task, or describes one: its input, its parameters, what "
            "results look like.",
    };
    const enum options_outcome outcome =
        options_read(&table, argc, argv, &name, 1, &operands, failure);
    if (outcome != OPTIONS_READ)
        return outcome == OPTIONS_HELPED;
    const struct readers *readers = readers_find(NULL, failure);
    if (!readers)
        return false;
    if (!name)
        readers->list_kernels(&text);
    else if (!readers->describe_kernel(name, &text, failure)) {
        text_release(&text);
        return false;
    }
    return wrap_print(&text, "describing core tasks", failure);
}
