/* The table of core tasks: what is built in describes itself, and others can be added. */
#include "tests/checks.h"

#include <ctype.h>

#include "kernel/tasks/table.h"

static void tasks_are_found_by_their_names(void **state)
{
    (void)state;
    size_t count;
    const struct scow_task *const *tasks = task_list(&count);
    assert_true(count >= 1);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(task_find(tasks[i]->name), tasks[i]);
    assert_non_null(task_find("matched-filter"));
    assert_null(task_find("matched"));
}

static void assert_word(const char *word)
{
    assert_true(word && word[0]);
    for (const char *at = word; *at; at++)
        assert_true(islower((unsigned char)*at) || isdigit((unsigned char)*at) || *at == '-');
}

static int word_count(const struct scow_parameter *parameter)
{
    int count = 0;
    while (parameter->words[count])
        count++;
    return count;
}

static void assert_parameter(const struct scow_parameter *parameter)
{
    const bool number = parameter->kind == SCOW_NUMBER || parameter->kind == SCOW_WHOLE;
    assert_word(parameter->name);
    assert_true(parameter->help && parameter->help[0]);
    assert_int_equal(parameter->words != NULL, parameter->kind == SCOW_WORD);
    if (parameter->words)
        assert_in_range((int)parameter->initial, 0, word_count(parameter) - 1);
    if (number)
        assert_true(parameter->least <= parameter->initial &&
                    parameter->initial <= parameter->greatest);
}

static void tasks_describe_themselves(void **state)
{
    (void)state;
    size_t count;
    const struct scow_task *const *tasks = task_list(&count);
    for (size_t i = 0; i < count; i++) {
        const struct scow_task *task = tasks[i];
        assert_int_equal(task->size, sizeof *task);
        assert_int_equal(task->abi, SCOW_ABI);
        assert_word(task->name);
        assert_true(task->version && task->version[0]);
        assert_true(task->summary && !strchr(task->summary, '\n'));
        assert_true(task->core_task && task->core_task[0]);
        assert_true(task->outcome && task->outcome[0]);
        assert_true(task->describe && task->compute);
        assert_int_equal(task->pack != NULL, task->package_size_most != NULL);
        for (int k = 0; task->parameters && task->parameters[k].name; k++) {
            assert_parameter(&task->parameters[k]);
            for (int before = 0; before < k; before++)
                assert_string_not_equal(task->parameters[before].name, task->parameters[k].name);
        }
    }
}

static void tasks_are_added_once(void **state)
{
    (void)state;
    static const struct scow_task own = {SCOW_TASK, .name = "my-own"};
    size_t before, after;
    task_list(&before);
    assert_null(task_find("my-own"));
    task_add(&own);
    task_add(&own);
    const struct scow_task *const *tasks = task_list(&after);
    assert_int_equal(after, before + 1);
    assert_ptr_equal(tasks[before], &own);
    assert_ptr_equal(task_find("my-own"), &own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_are_found_by_their_names),
        cmocka_unit_test(tasks_describe_themselves),
        cmocka_unit_test(tasks_are_added_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
