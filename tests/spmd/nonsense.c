#include "tests/spmd/nonsense.h"

void nonsense_values(struct values *values, const char *fault, int64_t tasks)
{
    struct parameter_list list = {0};
    struct failure failure = FAILURE_INIT;
    assert_true(parameter_list_add(&list, "fault", fault, 0));
    assert_true(parameter_list_add(&list, "tasks", NULL, (double)tasks));
    const bool good = values_read(values, &scow_plugin, &list, "nonsense", true, &failure);
    assert_string_equal(failure.text, "");
    assert_true(good);
    parameter_list_release(&list);
}

bool nonsense_open(struct job *job, const char *fault, int64_t tasks, struct failure *failure)
{
    struct values values;
    struct description description = {0};
    struct input *input = input_open(SCOW_INPUT_NONE, NULL, failure);
    assert_non_null(input);
    nonsense_values(&values, fault, tasks);
    const bool good = job_settle(&scow_plugin, &values, input, failure) &&
                      job_describe(&description, &scow_plugin, &values, input, failure) &&
                      job_open(job, &scow_plugin, &values, &description, NULL, failure);
    description_release(&description);
    values_release(&values);
    input_close(&input);
    return good;
}
