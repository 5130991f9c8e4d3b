/* A job: what a core task says about itself is accepted only where it is consistent. */
#include "spmd/job/job.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "kernel/tasks/table.h"
#include "tests/spmd/nonsense.h"
#include "tests/spmd/pictures.h"

/* ---- tasks that are none ---- */

static void check_task(const struct scow_task *task, const char *why)
{
    struct failure failure = FAILURE_INIT;
    char sentence[300];
    snprintf(sentence, sizeof sentence, "mine: is no core task that scow can use: %s", why);
    assert_false(job_task_check(task, "mine", &failure));
    assert_failure(failure, FAILURE_MISMATCH, sentence);
}

static void good_tasks_are_taken(void **state)
{
    (void)state;
    size_t count;
    struct failure failure = FAILURE_INIT;
    const struct scow_task *const *tasks = task_list(&count);
    for (size_t i = 0; i < count; i++)
        assert_true(job_task_check(tasks[i], tasks[i]->name, &failure));
    assert_true(job_task_check(&scow_plugin, "x", &failure));
    struct scow_task larger = scow_plugin; /* of a later minor version, but built for this one */
    larger.size += 64;
    assert_true(job_task_check(&larger, "x", &failure));
}

static void names_are_made_of_few_letters(void **state)
{
    (void)state;
    static const char *const names[] = {
        NULL,
        "",
        "Large",
        "a_b",
        "a b",
        "a/b.c",
        "\xc3\xa4",
        "a-name-that-is-so-long-that-nobody-could-want-to-type-it-eve"
        "n-once"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct scow_task task = scow_plugin;
        task.name = names[i];
        check_task(&task, "its name is not made of a-z, 0-9 and '-'");
    }
}

static void sixty_four_parameters_are_enough(void **state)
{
    (void)state;
    struct scow_parameter rows[SCOW_PARAMETERS_MOST + 2] = {{.name = NULL}};
    char names[SCOW_PARAMETERS_MOST + 1][8];
    struct failure failure = FAILURE_INIT;
    struct scow_task task = scow_plugin;
    task.parameters = rows;
    for (int i = 0; i < SCOW_PARAMETERS_MOST + 1; i++) {
        snprintf(names[i], sizeof names[i], "p%d", i);
        assert_true(job_task_check(&task, "mine", &failure));
        rows[i] = (struct scow_parameter){.name = names[i], .help = "h", .kind = SCOW_NUMBER};
    }
    check_task(&task, "it has more than 64 parameters");
}

static void tasks_that_lack_something(void **state)
{
    (void)state;
    static const char words[] = "it does not say its version, summary, core task or outcome";
    struct scow_task task = scow_plugin;
    task.summary = NULL;
    check_task(&task, words);
    task = scow_plugin;
    task.outcome = NULL;
    check_task(&task, words);
    task = scow_plugin;
    task.describe = NULL;
    check_task(&task, "it has no describe or no compute");
    task = scow_plugin;
    task.pack = NULL;
    check_task(&task, "pack and package_size_most go together");
    task = scow_plugin;
    task.package_size_most = NULL;
    check_task(&task, "pack and package_size_most go together");
    task = scow_plugin;
    task.input = 17;
    check_task(&task, "its input is of no known kind");
    task = scow_plugin;
    task.threads = -1;
    check_task(&task, "it uses threads in no known way");
}

/* A task with this one parameter. */
static void check_parameter(struct scow_parameter parameter, const char *why)
{
    const struct scow_parameter parameters[] = {parameter, {.name = NULL}};
    struct scow_task task = scow_plugin;
    task.parameters = parameters;
    check_task(&task, why);
}

static void parameters_that_make_no_sense(void **state)
{
    (void)state;
    static const char name[] =
        "a parameter's name is not made of a-z, 0-9 and '-', or it has no help";
    static const char range[] = "a parameter's default is out of its range";
    static const char word[] = "a parameter's default is none of its words";
    static const char *const two[] = {"one", "two", NULL}, *const none[] = {NULL};
    const struct scow_parameter number = {
        .name = "n", .help = "h", .kind = SCOW_NUMBER, .initial = 1, .least = 0, .greatest = 2};
    const struct scow_parameter choice = {
        .name = "w", .help = "h", .kind = SCOW_WORD, .words = two};
    struct scow_parameter wrong = number;
    wrong.name = "N";
    check_parameter(wrong, name);
    wrong = number;
    wrong.help = NULL;
    check_parameter(wrong, name);
    wrong = number;
    wrong.kind = 9;
    check_parameter(wrong, "a parameter is of no known kind");
    wrong = number;
    wrong.initial = 3;
    check_parameter(wrong, range);
    wrong = number;
    wrong.kind = SCOW_WHOLE;
    wrong.initial = 0.5;
    check_parameter(wrong, range);
    wrong = number;
    wrong.least = 5;
    check_parameter(wrong, range);
    wrong = number;
    wrong.initial = (double)NAN;
    check_parameter(wrong, range);
    wrong = choice;
    wrong.initial = 2;
    check_parameter(wrong, word);
    wrong.initial = -1;
    check_parameter(wrong, word);
    wrong = choice;
    wrong.words = none;
    check_parameter(wrong, word);
    wrong.words = NULL;
    check_parameter(wrong, word);
}

static void parameters_of_one_name(void **state)
{
    (void)state;
    const struct scow_parameter parameters[] = {{.name = "n", .help = "h", .kind = SCOW_TEXT},
                                                {.name = "m", .help = "h", .kind = SCOW_TEXT},
                                                {.name = "n", .help = "h", .kind = SCOW_TEXT},
                                                {.name = NULL}};
    struct scow_task task = scow_plugin;
    task.parameters = parameters;
    check_task(&task, "two of its parameters are called 'n'");
}

static void options_of_the_programs_are_taken(void **state)
{
    (void)state;
    static const char *const taken[] = {"staged", "output", "input",   "quick",  "isa",
                                        "help",   "html",   "reuse",   "rule",   "tail",
                                        "replan", "ahead",  "stopped", "resumed"};
    for (size_t i = 0; i < COUNT_OF(taken); i++) {
        char why[120];
        snprintf(why, sizeof why,
                 "'%s' is an option of scow's own: give the parameter another name", taken[i]);
        check_parameter((struct scow_parameter){.name = taken[i], .help = "h", .kind = SCOW_TEXT},
                        why);
    }
}

/* ---- jobs that cannot be made ---- */

/* "core task 'nonsense': ..." of a job with that fault. */
static void check_fault(const char *fault, const char *sentence)
{
    struct job job = {0};
    struct failure failure = FAILURE_INIT;
    const bool opened = nonsense_open(&job, fault, 40, &failure);
    assert_string_equal(failure.text, sentence);
    assert_false(opened);
    assert_true(failure.code == FAILURE_MISMATCH || failure.code == FAILURE_FAILED);
    assert_null(job.task); /* as it was */
}

static void without_a_fault_it_opens(void **state)
{
    (void)state;
    struct job job = {0};
    struct failure failure = FAILURE_INIT;
    assert_true(nonsense_open(&job, "none", 40, &failure));
    assert_int_equal(job.setup.tasks, 40);
    assert_int_equal(job.tile_size, 8 * sizeof(float));
    assert_int_equal(job.record_size, 8);
    assert_int_equal(job.state_size, 8);
    job_close(&job);
    assert_null(job.opened);
}

static void counts_of_tasks_that_make_no_sense(void **state)
{
    (void)state;
    check_fault("no-tasks",
                "core task 'nonsense': makes 0 core tasks of this input, and only 1 to 2^53 "
                "can be planned: check its parameters");
    check_fault("negative-tasks",
                "core task 'nonsense': makes -5 core tasks of this input, and only 1 "
                "to 2^53 can be planned: check its parameters");
    check_fault("huge-tasks", "core task 'nonsense': makes 9223372036854775807 core tasks of this "
                              "input, and only 1 to 2^53 can be planned: check its parameters");
}

static void describing_and_opening_that_fail(void **state)
{
    (void)state;
    check_fault("describe-silent",
                "core task 'nonsense': describing the job failed without saying why "
                "(status 1): report this to its author");
    check_fault("describe-says", "nothing fits: do 3 things");
    check_fault("describe-says-lines", "nothing fits: na\xc3\xafve [1mlines");
    check_fault("describe-says-blanks",
                "core task 'nonsense': describing the job failed without saying "
                "why (status 1): report this to its author");
    check_fault("shares-twice", "bytes can be shared in describe and next only, and once");
    check_fault("reads-nothing",
                "the core task reads a line or sequence that the input does not have");
    check_fault("settles-nonsense",
                "core task 'nonsense': changes its parameter fault to 1000000000, "
                "which is out of its range: report this to its author");
    check_fault("open-silent",
                "core task 'nonsense': making the job ready failed without saying why "
                "(status 1): report this to its author");
}

static void grids_that_make_no_sense(void **state)
{
    (void)state;
    static const char type[] = "core task 'nonsense': its grid has no known type, or tasks have no "
                               "place in it: report this to its author";
    static const char tile[] =
        "core task 'nonsense': its grid's tiles are empty, or larger than the "
        "grid: report this to its author";
    check_fault("grid-type", type);
    check_fault("grid-text", type);
    check_fault("tile-empty", tile);
    check_fault("tile-larger", tile);
    check_fault("grid-huge",
                "core task 'nonsense': a grid of 7.38e+19 numbers in tiles of 8 is more "
                "than can be stored: choose other parameters");
    check_fault("grid-endless",
                "core task 'nonsense': a grid of 6.81e+38 numbers in tiles of 8 is more "
                "than can be stored: choose other parameters");
}

static void records_and_reductions_that_make_no_sense(void **state)
{
    (void)state;
    static const char field[] =
        "core task 'nonsense': a record's field is of no known type, or outside "
        "of it: report this to its author";
    static const char overlap[] =
        "core task 'nonsense': two fields of its records have one name, or "
        "one place: report this to its author";
    check_fault("field-outside", field);
    check_fault("field-type", field);
    check_fault("field-empty", field);
    check_fault("field-twice", overlap);
    check_fault("field-overlaps", overlap);
    check_fault("record-empty", "core task 'nonsense': its records are empty, or larger than 1 "
                                "GiB: report this to its author");
    check_fault("state-huge", "core task 'nonsense': its reduction's state is larger than 16 MiB: "
                              "report this to its author");
    check_fault(
        "package-huge",
        "core task 'nonsense': a package of one core task, or the workspace, is larger than any "
        "memory: report this to its author");
    check_fault(
        "workspace-huge",
        "core task 'nonsense': a package of one core task, or the workspace, is larger than any "
        "memory: report this to its author");
}

/* ---- packing, placing, printing ---- */

static void check_pack(const char *fault, const char *sentence)
{
    struct job job = {0};
    struct failure failure = FAILURE_INIT;
    _Alignas(64) char room[10 * 8 + JOB_GUARD];
    size_t size = 1;
    assert_true(nonsense_open(&job, fault, 40, &failure));
    assert_int_equal(job_package_most(&job, 10), 80);
    assert_int_equal(job_message_most(&job, 10), 80);
    const bool packed = job_pack(&job, NULL, 3, 10, room, &size, &failure);
    assert_string_equal(failure.text, sentence);
    assert_int_equal(packed, sentence[0] == '\0');
    assert_int_equal(size, packed ? 80 : 0); /* nobody sends more than there is */
    job_close(&job);
}

static void packages_stay_within_what_was_said(void **state)
{
    (void)state;
    check_pack("none", "");
    check_pack(
        "pack-overruns",
        "core task 'nonsense' wrote more than it said into a package: report this to its author");
    check_pack(
        "pack-claims",
        "core task 'nonsense' wrote more than it said into a package: report this to its author");
    check_pack("pack-silent", "core task 'nonsense': packing failed without saying why (status 1): "
                              "report this to its author");
    check_pack("pack-rejects", "a core task can be rejected in compute only (not while packing)");
}

static void what_a_task_says_is_one_line(void **state)
{
    (void)state;
    char sentence[8];
    job_sentence(" \n", sentence, sizeof sentence);
    assert_string_equal(sentence, "");
    job_sentence("a\n\n b", sentence, sizeof sentence);
    assert_string_equal(sentence, "a b");
    job_sentence("abcdef ghi", sentence, sizeof sentence); /* cut, with no blank at the end */
    assert_string_equal(sentence, "abcdef");
    job_sentence("abcdefghi", sentence, sizeof sentence);
    assert_string_equal(sentence, "abcdefg");
}

static void a_staged_job_sends_nothing(void **state)
{
    (void)state;
    struct job job = {0};
    struct failure failure = FAILURE_INIT;
    assert_true(nonsense_open(&job, "none", 40, &failure));
    job.values.staged = true;
    assert_int_equal(job_package_most(&job, 10), 80);
    assert_int_equal(job_message_most(&job, 10), 0);
    job_close(&job);
}

static void check_place(const char *fault, int64_t task)
{
    struct job job = {0};
    struct failure failure = FAILURE_INIT;
    int64_t start[3], count[3];
    char sentence[200];
    assert_true(nonsense_open(&job, fault, 40, &failure));
    assert_false(job_place(&job, task, start, count, &failure));
    snprintf(sentence, sizeof sentence,
             "core task 'nonsense': core task %" PRId64
             " has no place in its own grid: report this to its author",
             task + 1);
    assert_failure(failure, FAILURE_MISMATCH, sentence);
    job_close(&job);
}

static void places_are_within_the_grid(void **state)
{
    (void)state;
    struct job job = {0};
    struct failure failure = FAILURE_INIT;
    int64_t start[3], count[3];
    assert_true(nonsense_open(&job, "none", 40, &failure));
    assert_true(job_place(&job, 39, start, count, &failure));
    assert_int_equal(start[1], 39);
    assert_int_equal(count[2], 8);
    job_close(&job);
    check_place("place-outside", 1);
    check_place("place-between", 0);
    check_place("place-larger", 0);
}

static void check_print(const char *fault, const char *sentence)
{
    struct job job = {0};
    struct failure failure = FAILURE_INIT;
    const int64_t done = 42;
    assert_true(nonsense_open(&job, fault, 40, &failure));
    char *json = job_print(&job, &done, &failure);
    assert_string_equal(failure.text, sentence);
    assert_int_equal(json == NULL, sentence[0] != '\0');
    if (json)
        assert_string_equal(json, "42");
    free(json);
    job_close(&job);
}

static void outcomes_are_short_texts(void **state)
{
    (void)state;
    static const char sentence[] =
        "core task 'nonsense': its outcome is no JSON text of less than 64 "
        "KiB: report this to its author";
    check_print("none", "");
    check_print("print-long", sentence);
    check_print("print-negative", sentence);
    check_print("print-no-json", sentence);
    check_print(
        "print-overrun",
        "core task 'nonsense' wrote more than it said into its outcome: report this to its author");
}

/* One that needs more room than is offered at first says so, and gets it. */
static int print_long(const void *job, const void *state, char *json, size_t size)
{
    (void)job;
    (void)state;
    return snprintf(json, size, "\"%020000d\"", 7);
}

static void longer_outcomes_get_their_room(void **state)
{
    (void)state;
    struct job job = {0};
    struct failure failure = FAILURE_INIT;
    assert_true(nonsense_open(&job, "none", 40, &failure));
    struct scow_task task = *job.task;
    task.print = print_long;
    job.task = &task;
    char *json = job_print(&job, NULL, &failure);
    assert_non_null(json);
    assert_int_equal(strlen(json), 20002);
    free(json);
    job_close(&job);
}

static void methods_are_cut(void **state)
{
    (void)state;
    static const char *const faults[] = {"method-long", "method-overrun"};
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        struct job job = {0};
        struct failure failure = FAILURE_INIT;
        char text[40 + 16] = "";
        memset(text, '#', sizeof text);
        assert_true(nonsense_open(&job, faults[i], 40, &failure));
        job_method(&job, text, 40);
        assert_int_equal(strlen(text), 39);
        assert_int_equal(text[40], '#');
        job_close(&job);
    }
}

/* ---- the matched filter, on real images ---- */

static void image_write(const char *name, int columns, int rows)
{
    char head[40];
    unsigned char image[64 + 100 * 100] = "";
    const int length = snprintf(head, sizeof head, "P5\n%d %d\n255\n", columns, rows);
    memcpy(image, head, (size_t)length);
    picture_noise(image + length, (size_t)(columns * rows), 5);
    picture_bytes(name, image, (size_t)(length + columns * rows));
}

static bool matched_open(struct job *job, const char *image, double block, struct failure *failure)
{
    const struct scow_task *task = task_find("matched-filter");
    struct parameter_list list = {0};
    struct values values;
    struct description description;
    assert_true(parameter_list_add(&list, "block", NULL, block));
    assert_true(values_read(&values, task, &list, "x", true, failure));
    struct input *input = input_open(SCOW_INPUT_IMAGE, image, failure);
    assert_non_null(input);
    const bool good = job_settle(task, &values, input, failure) &&
                      job_describe(&description, task, &values, input, failure) &&
                      job_open(job, task, &values, &description, image, failure);
    if (good)
        description_release(&description);
    input_close(&input);
    values_release(&values);
    parameter_list_release(&list);
    return good;
}

static void tasks_of_an_image(void **state)
{
    (void)state;
    struct job job = {0};
    struct failure failure = FAILURE_INIT;
    image_write("image.pgm", 96, 64);
    assert_true(matched_open(&job, "image.pgm", 32, &failure));
    assert_int_equal(job.setup.tasks, 2 * 3);
    assert_string_equal(job.setup.input.name, "image.pgm");
    assert_int_equal(job.setup.input.extent[1], 64);
    assert_int_equal(job.tile_size, 32 * 32 * sizeof(float));
    job_close(&job);
    assert_null(job.opened);
}

static void an_image_smaller_than_a_block(void **state)
{
    (void)state;
    struct job job = {0};
    struct failure failure = FAILURE_INIT;
    image_write("small.pgm", 40, 41);
    assert_true(matched_open(&job, "small.pgm", 64, &failure));
    assert_int_equal(job.setup.tasks, 1);
    assert_int_equal(job.tile_size, 40 * 41 * sizeof(float));
    job_close(&job);
}

/* ---- levels ---- */

static struct {
    int64_t tasks; /* of the next level */
    int status;
    bool emits;
} ladder;

static int ladder_describe(const struct scow_host *host, const struct scow_value *values,
                           const struct scow_input *input, int64_t *tasks)
{
    (void)values;
    (void)input;
    *tasks = 2;
    return host->share(host, "first", 5);
}

static void ladder_results(const void *job, struct scow_results *results)
{
    (void)job;
    results->emits = ladder.emits;
}

static int ladder_compute(const struct scow_host *host, const void *job,
                          const struct scow_batch *batch)
{
    (void)host;
    (void)job;
    (void)batch;
    return SCOW_OK;
}

/* Shares the first core task's bytes. */
static int ladder_next(const struct scow_host *host, const void *job,
                       const struct scow_survivors *in, int64_t *tasks)
{
    (void)job;
    *tasks = ladder.tasks;
    host->share(host, in->bytes, (size_t)in->at[1]);
    return ladder.status;
}

static const struct scow_task ladder_task = {SCOW_TASK,
                                             .name = "ladder",
                                             .version = "1",
                                             .summary = "s",
                                             .core_task = "c",
                                             .outcome = "o",
                                             .flags = SCOW_LEVELS,
                                             .describe = ladder_describe,
                                             .results = ladder_results,
                                             .compute = ladder_compute,
                                             .next = ladder_next};

static bool ladder_open(struct job *job, struct failure *failure)
{
    const struct values none = {.count = 0};
    struct description description;
    struct input *input = input_open(SCOW_INPUT_NONE, NULL, failure);
    const bool good = job_describe(&description, &ladder_task, &none, input, failure) &&
                      job_open(job, &ladder_task, &none, &description, NULL, failure);
    description_release(&description);
    input_close(&input);
    return good;
}

static const int64_t ladder_at[] = {0, 4, 4};
static const struct scow_survivors ladder_left = {2, ladder_at, "next"};

static void levels_follow_from_one_another(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    struct job job = {0}, second = {0};
    struct description next;
    ladder.emits = true;
    ladder.tasks = 7;
    assert_true(job_task_check(&ladder_task, "ladder", &failure));
    assert_true(ladder_open(&job, &failure));
    assert_int_equal(job.setup.level, 1);
    assert_true(job_next(&job, &ladder_left, &next, &failure));
    assert_true(job_open(&second, &ladder_task, &job.values, &next, NULL, &failure));
    description_release(&next);
    assert_int_equal(second.setup.level, 2);
    assert_int_equal(second.setup.tasks, 7);
    assert_int_equal(second.order.tasks, 7);
    assert_memory_equal(second.setup.shared, "next", 4);
    ladder.tasks = 0; /* the last one */
    assert_true(job_next(&second, &ladder_left, &next, &failure));
    assert_int_equal(next.tasks, 0);
    description_release(&next);
    job_close(&second);
    job_close(&job);
}

static void assert_no_next(const char *sentence)
{
    struct failure failure = FAILURE_INIT;
    struct job job = {0};
    struct description next;
    assert_true(ladder_open(&job, &failure));
    assert_false(job_next(&job, &ladder_left, &next, &failure));
    assert_string_equal(failure.text, sentence);
    description_release(&next);
    job_close(&job);
}

static void levels_that_make_no_sense(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    struct job job = {0};
    struct scow_task task = ladder_task;
    task.next = NULL;
    check_task(&task, "a search in levels (SCOW_LEVELS) has `next`");
    ladder.tasks = -1;
    assert_no_next(
        "core task 'ladder': makes -1 core tasks of level 2, and only 0 to 2^53 can be: check "
        "its parameters");
    ladder.status = SCOW_FAILED;
    assert_no_next(
        "core task 'ladder': making the next level failed without saying why (status 1): "
        "report this to its author");
    ladder.status = SCOW_OK;
    ladder.emits = false;
    assert_false(ladder_open(&job, &failure));
    assert_failure(
        failure, FAILURE_MISMATCH,
        "core task 'ladder': its levels follow from what is emitted, and it emits nothing: "
        "report this to its author");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_tasks_are_taken),
        cmocka_unit_test(names_are_made_of_few_letters),
        cmocka_unit_test(sixty_four_parameters_are_enough),
        cmocka_unit_test(tasks_that_lack_something),
        cmocka_unit_test(parameters_that_make_no_sense),
        cmocka_unit_test(parameters_of_one_name),
        cmocka_unit_test(options_of_the_programs_are_taken),
        cmocka_unit_test(without_a_fault_it_opens),
        cmocka_unit_test(counts_of_tasks_that_make_no_sense),
        cmocka_unit_test(describing_and_opening_that_fail),
        cmocka_unit_test(grids_that_make_no_sense),
        cmocka_unit_test(records_and_reductions_that_make_no_sense),
        cmocka_unit_test(packages_stay_within_what_was_said),
        cmocka_unit_test(what_a_task_says_is_one_line),
        cmocka_unit_test(a_staged_job_sends_nothing),
        cmocka_unit_test(places_are_within_the_grid),
        cmocka_unit_test(outcomes_are_short_texts),
        cmocka_unit_test(longer_outcomes_get_their_room),
        cmocka_unit_test(methods_are_cut),
        cmocka_unit_test(tasks_of_an_image),
        cmocka_unit_test(an_image_smaller_than_a_block),
        cmocka_unit_test(levels_follow_from_one_another),
        cmocka_unit_test(levels_that_make_no_sense),
    };
    return cmocka_run_group_tests(tests, pictures_enter, pictures_leave);
}
