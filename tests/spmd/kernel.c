/* The core task of a job, by its name or from a plug-in: every invalid plug-in is refused. */
#include "spmd/job/kernel.h"
#include "spmd/job/values.h"

#include <stdio.h>
#include <unistd.h>

#include "kernel/tasks/table.h"
#include "planner/files/textfile.h"
#include "tests/spmd/pictures.h"

#define GOOD PLUGIN_DIRECTORY "/good.so"

static bool open_plugin(struct kernel *kernel, const char *path, struct failure *failure)
{
    *failure = (struct failure)FAILURE_INIT;
    *kernel = (struct kernel){0};
    return kernel_open(kernel, kernel_name_of(path), NULL, "--kernel", failure);
}

static void check_refused(const char *path, const char *sentence)
{
    struct kernel kernel;
    struct failure failure;
    assert_false(open_plugin(&kernel, path, &failure));
    assert_failure(failure, FAILURE_MISMATCH, sentence);
    assert_null(kernel.task);
    assert_null(kernel.plugin);
    assert_null(kernel.library);
}

/* PLUGIN_DIRECTORY/NAME.so: is no core task that scow can use: WHY */
static void check_unusable(const char *name, const char *why)
{
    char path[1000], sentence[1200];
    snprintf(path, sizeof path, "%s/%s.so", PLUGIN_DIRECTORY, name);
    snprintf(sentence, sizeof sentence, "%s: is no core task that scow can use: %s", path, why);
    check_refused(path, sentence);
}

static void digest_of(const char *path, char digest[65])
{
    size_t length;
    struct failure failure = FAILURE_INIT;
    char *bytes = textfile_read(path, &length, &failure);
    assert_non_null(bytes);
    textfile_sha256(bytes, length, digest);
    free(bytes);
}

static void a_word_with_a_slash_is_a_path(void **state)
{
    (void)state;
    assert_string_equal(kernel_name_of("./mine.so").plugin, "./mine.so");
    assert_null(kernel_name_of("./mine.so").name);
    assert_string_equal(kernel_name_of("mine.so").name, "mine.so");
    assert_null(kernel_name_of("mine.so").plugin);
}

static void kernels_are_found_by_their_names(void **state)
{
    (void)state;
    struct kernel kernel;
    struct failure failure;
    assert_true(open_plugin(&kernel, "matched-filter", &failure));
    assert_ptr_equal(kernel.task, task_find("matched-filter"));
    assert_null(kernel.plugin);
    assert_string_equal(kernel.sha256, "");
    kernel_close(&kernel);
    assert_null(kernel.task);
    assert_string_equal(kernel_default(), "matched-filter");
    check_refused("matched-filtre",
                  "--kernel: there is no core task 'matched-filtre': did you mean "
                  "'matched-filter'?");
    check_refused("zzz", "--kernel: there is no core task 'zzz': 'scow tasks' lists them");
}

static void a_good_plugin_is_taken(void **state)
{
    (void)state;
    struct kernel kernel;
    struct failure failure;
    char digest[65];
    digest_of(GOOD, digest);
    assert_true(open_plugin(&kernel, PLUGIN_DIRECTORY "/../plugins/./good.so", &failure));
    assert_string_equal(kernel.task->name, "variant");
    assert_string_equal(kernel.plugin, GOOD); /* absolute, whatever was typed */
    assert_string_equal(kernel.sha256, digest);
    kernel_close(&kernel);
    assert_null(kernel.library);
}

static void what_a_plan_says_must_be_so(void **state)
{
    (void)state;
    struct kernel kernel = {0};
    struct failure failure = FAILURE_INIT;
    char digest[65], sentence[1200];
    digest_of(GOOD, digest);
    struct kernel_name name = {"variant", GOOD, digest};
    assert_true(kernel_open(&kernel, name, NULL, "plan.json", &failure));
    kernel_close(&kernel);
    /* Its file has moved. */
    name.plugin = "/nowhere/good.so";
    assert_true(kernel_open(&kernel, name, GOOD, "plan.json", &failure));
    kernel_close(&kernel);
    name = (struct kernel_name){"another", GOOD, digest};
    assert_false(kernel_open(&kernel, name, NULL, "plan.json", &failure));
    snprintf(
        sentence, sizeof sentence,
        "plan.json: is for core task 'another', but plug-in '%s' is 'variant': name the right one "
        "with -k",
        GOOD);
    assert_failure(failure, FAILURE_MISMATCH, sentence);
    assert_null(kernel.task);
}

static void another_file_is_refused(void **state)
{
    (void)state;
    struct kernel kernel = {0};
    struct failure failure = FAILURE_INIT;
    char wanted[65], found[65], sentence[1200];
    digest_of(GOOD, wanted);
    digest_of(PLUGIN_DIRECTORY "/other.so", found);
    const struct kernel_name name = {"variant", GOOD, wanted};
    assert_false(kernel_open(&kernel, name, PLUGIN_DIRECTORY "/other.so", "plan.json", &failure));
    snprintf(sentence, sizeof sentence,
             "plan.json: plug-in '%s/other.so' has changed since (sha256 %.12s..., was %.12s...): "
             "calibrate and plan again, or name the earlier one with -k",
             PLUGIN_DIRECTORY, found, wanted);
    assert_failure(failure, FAILURE_MISMATCH, sentence);
}

static void what_is_no_shared_object_is_refused(void **state)
{
    (void)state;
    struct kernel kernel;
    struct failure failure;
    char sentence[200];
    check_refused("./missing.so", "--kernel: there is no plug-in './missing.so' to read: name it "
                                  "with -k ./FILE.so, on a file system that all nodes see");
    picture_text("text.so", "not a shared object");
    assert_false(open_plugin(&kernel, "./text.so", &failure));
    assert_int_equal(failure.code, FAILURE_MISMATCH);
    snprintf(sentence, sizeof sentence, "--kernel: cannot be loaded as a plug-in: ");
    assert_memory_equal(failure.text, sentence, strlen(sentence));
    assert_non_null(strstr(failure.text, "text.so"));
    assert_false(open_plugin(&kernel, "./", &failure));
    assert_non_null(strstr(failure.text, "--kernel: plug-in "));
}

static void a_plugin_has_its_symbol(void **state)
{
    (void)state;
    check_refused(PLUGIN_DIRECTORY "/no-symbol.so",
                  "--kernel: plug-in '" PLUGIN_DIRECTORY
                  "/no-symbol.so' has no symbol 'scow_plugin': define 'const struct scow_task "
                  "scow_plugin' in it, visible");
}

static void check_version(const char *name, unsigned major, unsigned minor, size_t size)
{
    char path[1000], sentence[1200];
    snprintf(path, sizeof path, "%s/%s.so", PLUGIN_DIRECTORY, name);
    snprintf(sentence, sizeof sentence,
             "%s: was built for version %u.%u of scow.h (%zu bytes), and this scow has %u.%u (%zu "
             "bytes): build it again with this scow.h",
             path, major, minor, size, SCOW_ABI_MAJOR, SCOW_ABI_MINOR, sizeof(struct scow_task));
    check_refused(path, sentence);
}

static void other_versions_are_refused(void **state)
{
    (void)state;
    const size_t size = sizeof(struct scow_task);
    check_version("next-major", SCOW_ABI_MAJOR + 1, 0, size);
    check_version("next-minor", SCOW_ABI_MAJOR, SCOW_ABI_MINOR + 1, size);
    check_version("smaller", SCOW_ABI_MAJOR, SCOW_ABI_MINOR, size - 8);
}

static void plugins_that_lack_something_are_refused(void **state)
{
    (void)state;
    check_unusable("no-describe", "it has no describe or no compute");
    check_unusable("no-compute", "it has no describe or no compute");
    check_unusable("bad-name", "its name is not made of a-z, 0-9 and '-'");
    check_unusable("default-outside", "a parameter's default is out of its range");
    check_unusable("option",
                   "'output' is an option of scow's own: give the parameter another name");
}

/* What it says of its parameters counts, where its version can say it. */
static void parameters_of_runs(void **state)
{
    (void)state;
    struct kernel kernel;
    struct failure failure;
    assert_true(open_plugin(&kernel, PLUGIN_DIRECTORY "/runs.so", &failure));
    assert_true(task_run_parameter(kernel.task, "power"));
    assert_false(task_run_parameter(kernel.task, "powe"));
    kernel_close(&kernel);
    assert_true(open_plugin(&kernel, PLUGIN_DIRECTORY "/older.so", &failure));
    assert_false(task_run_parameter(kernel.task, "power"));
    kernel_close(&kernel);
    check_unusable("run-unknown", "'speed', which it says is for runs, is none of its parameters");
    check_unusable("run-taken", "'until', which it says is for runs, is an option of scow run's "
                                "own: give the parameter another name");
}

/* A refused plug-in leaves nothing behind that would spoil the next one. */
static void one_after_another(void **state)
{
    (void)state;
    struct kernel kernel;
    struct failure failure;
    for (int i = 0; i < 20; i++) {
        assert_false(open_plugin(&kernel, PLUGIN_DIRECTORY "/next-minor.so", &failure));
        assert_true(open_plugin(&kernel, GOOD, &failure));
        kernel_close(&kernel);
    }
}

static void kernels_describe_themselves(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    struct failure failure = FAILURE_INIT;
    assert_true(kernel_describe(GOOD, &text, &failure));
    char *words = text_take(&text);
    assert_non_null(strstr(words, "variant: do nothing\n"));
    assert_non_null(strstr(words, "--power "));
    assert_non_null(strstr(words, "(1 to 3; default 2)"));
    assert_non_null(strstr(words, "\nplug-in     " GOOD "\n"));
    free(words);
    kernel_list(&text);
    words = text_take(&text);
    assert_non_null(strstr(words, "matched-filter"));
    free(words);
    assert_false(kernel_describe("nothing-like-it", &text, &failure));
}

static void a_program_may_have_its_own(void **state)
{
    (void)state;
    static struct scow_task own;
    static struct kernel kernel; /* stays: the task in the table is from it */
    struct failure failure;
    assert_true(open_plugin(&kernel, GOOD, &failure));
    own = *kernel.task;
    own.name = "matched-filter";
    assert_false(kernel_own(&own, &failure));
    assert_failure(failure, FAILURE_USAGE,
                   "this program's core task 'matched-filter' has the name of a built-in one: "
                   "rename it");
    failure = (struct failure)FAILURE_INIT;
    own.name = "my-own";
    assert_true(kernel_own(&own, &failure));
    assert_string_equal(kernel_default(), "my-own");
    assert_ptr_equal(task_find("my-own"), &own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_with_a_slash_is_a_path),
        cmocka_unit_test(kernels_are_found_by_their_names),
        cmocka_unit_test(a_good_plugin_is_taken),
        cmocka_unit_test(what_a_plan_says_must_be_so),
        cmocka_unit_test(another_file_is_refused),
        cmocka_unit_test(what_is_no_shared_object_is_refused),
        cmocka_unit_test(a_plugin_has_its_symbol),
        cmocka_unit_test(other_versions_are_refused),
        cmocka_unit_test(plugins_that_lack_something_are_refused),
        cmocka_unit_test(parameters_of_runs),
        cmocka_unit_test(one_after_another),
        cmocka_unit_test(kernels_describe_themselves),
        cmocka_unit_test(a_program_may_have_its_own),
    };
    return cmocka_run_group_tests(tests, pictures_enter, pictures_leave);
}
