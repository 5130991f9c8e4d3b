#include <stdio.h>
#include <stdlib.h>

#include "planner/command.h"
#include "planner/options.h"

bool command_report(int argc, char **argv, const struct readers *readers, struct failure *failure)
{
    bool json = false, help = false;
    char *path = NULL;
    int operands = 0;
    const struct option_row rows[] = {
        {0, "json", NULL, OPTION_FLAG, &json, "print one JSON value (scow-report-1)"}};
    const struct option_table table = {
        "scow report OUT.h5 [--json]",
        "Lays a finished run beside its plan: makespan, operations, workers, rounds.", rows,
        sizeof rows / sizeof *rows, NULL};
    if (!options_parse(&table, argc, argv, &path, 1, &operands, &help, failure))
        return false;
    if (help) {
        options_help(&table, stdout);
        return true;
    }
    if (operands == 0)
        return failure_set(failure, FAILURE_USAGE,
                           "no run given: name the file that 'scow run' wrote");
    if (!readers)
        return failure_set(failure, FAILURE_FAILED,
                           "this scow was built without HDF5 and cannot read runs: use the full "
                           "build");
    struct run_record record = {0};
    if (!readers->read_run(path, &record, failure))
        return false;
    char *text = json ? report_json(&record, failure) : report_text(&record, failure);
    if (text)
        fputs(text, stdout);
    free(text);
    run_record_release(&record);
    return text != NULL;
}
