/* Which profiles are used again, and what is said about the others. */
#include "calibrate/reuse.h"
#include "calibrate/place.h"
#include "spmd/run/machine.h"
#include "tests/checks.h"

static char *word(const char *letters)
{
    char *copy = strdup(letters);
    assert_non_null(copy);
    return copy;
}

/* A profile of seven workers on four nodes, with two settings. To be released. */
static struct profile profile_measured(void)
{
    struct profile profile = {.kernel = word("filter"), .setting_count = 2};
    profile.origin = (struct profile_origin){.machine = word("A, 8 cores"),
                                             .isa = word("avx2"),
                                             .mpi = word("MPICH"),
                                             .version = word(SCOW_VERSION),
                                             .threads = 2,
                                             .nodes = 4};
    profile.settings = calloc(2, sizeof *profile.settings);
    assert_non_null(profile.settings);
    assert_true(parameter_list_add(&profile.parameters, "combine", "max", 0));
    for (int k = 0; k < 2; k++) {
        struct profile_setting *setting = &profile.settings[k];
        assert_true(parameter_list_add(&setting->parameters, "block", NULL, 32 << k));
        setting->window_count = 1;
        setting->windows = calloc(1, sizeof *setting->windows);
        assert_non_null(setting->windows);
        setting->windows->worker_count = 1;
        setting->windows->workers = calloc(1, sizeof *setting->windows->workers);
        assert_non_null(setting->windows->workers);
        setting->windows->workers->count = 7;
    }
    return profile;
}

static struct place place_same(void)
{
    static char machine[] = "A, 8 cores", isa[] = "avx2";
    return (struct place){
        .machine = machine, .isa = isa, .mpi = "MPICH", .workers = 7, .nodes = 4, .threads = 2};
}

static void assert_fits(const struct place *place, const struct profile *profile,
                        const char *sentence)
{
    struct failure failure = FAILURE_INIT;
    const bool fits = place_fits(place, profile, "p.json", &failure);
    assert_true(fits == (sentence[0] == '\0'));
    assert_failure(failure, fits ? FAILURE_NONE : FAILURE_MISMATCH, sentence);
}

static void what_is_other_is_named(void **state)
{
    static char other[] = "B, 8 cores";
    struct profile profile = profile_measured();
    struct place place = place_same();
    (void)state;
    assert_fits(&place, &profile, "");
    place.machine = other;
    assert_fits(&place, &profile,
                "p.json: was measured with the machine 'A, 8 cores', and here it is 'B, 8 cores': "
                "calibrate to another file, or remove this one");
    place = place_same();
    place.workers = 3;
    assert_fits(&place, &profile,
                "p.json: was measured with 7 workers, and here there are 3: start as many, "
                "calibrate to another file, or remove this one");
    place = place_same();
    place.nodes = 8;
    assert_fits(&place, &profile,
                "p.json: was measured with 4 nodes, and here there are 8: start as many, calibrate "
                "to another file, or remove this one");
    place = place_same();
    place.threads = 1;
    assert_fits(&place, &profile,
                "p.json: was measured with 2 threads per rank, and here there are 1: start as "
                "many, calibrate to another file, or remove this one");
    profile_release(&profile);
}

/* One written by hand says nothing of where it was measured. */
static void silence_is_no_consent(void **state)
{
    struct profile profile = profile_measured();
    const struct place place = place_same();
    (void)state;
    free(profile.origin.machine);
    profile.origin.machine = NULL;
    assert_fits(&place, &profile,
                "p.json: was measured with the machine 'unknown', and here it is 'A, 8 cores': "
                "calibrate to another file, or remove this one");
    profile_release(&profile);
}

static bool has(const struct profile *profile, double block, const char *combine, bool staged,
                int threads, struct failure *failure)
{
    struct parameter_list list = {0};
    assert_true(parameter_list_add(&list, "block", NULL, block));
    assert_true(parameter_list_add(&list, "combine", combine, 0));
    if (staged)
        assert_true(parameter_list_add(&list, "staged", "yes", 0));
    const bool good = reuse_has(profile, "p.json", &list, threads, failure);
    parameter_list_release(&list);
    return good;
}

static void settings_are_compared_whole(void **state)
{
    struct profile profile = profile_measured();
    struct failure failure = FAILURE_INIT, none = FAILURE_INIT;
    (void)state;
    assert_true(has(&profile, 32, "max", false, 0, &none));
    assert_true(has(&profile, 64, "max", false, 0, &none));
    assert_false(has(&profile, 64, "sum", false, 0, &failure));
    assert_failure(
        failure, FAILURE_MISMATCH,
        "p.json: has no setting with \"block\": 64, \"parameters\": {\"combine\": "
        "\"sum\"} ('scow show' lists what it has): calibrate to another file, or remove this one");
    assert_int_equal(none.code, FAILURE_NONE);
    assert_false(has(&profile, 128, "max", false, 0, &none));
    none = (struct failure)FAILURE_INIT;
    assert_false(has(&profile, 32, "max", false, 4, &none));
    none = (struct failure)FAILURE_INIT;
    assert_false(has(&profile, 32, "max", true, 0, &none));
    none = (struct failure)FAILURE_INIT;
    /* What the profile has measured staged is not what the master ships. */
    assert_true(parameter_list_add(&profile.settings[0].parameters, "staged", "yes", 0));
    assert_true(has(&profile, 32, "max", true, 0, &none));
    assert_false(has(&profile, 32, "max", false, 0, &none));
    none = (struct failure)FAILURE_INIT;
    /* Nor is what was measured with results written behind what a run does that waits for them. */
    assert_true(parameter_list_add(&profile.settings[1].parameters, "write-behind", "yes", 0));
    assert_false(has(&profile, 64, "max", false, 0, &none));
    profile_release(&profile);
}

static void assert_machine(const char (*words)[MACHINE_WORD_SIZE], int ranks, const char *expected)
{
    char *machine = machine_describe(words, ranks);
    assert_string_equal(machine, expected);
    free(machine);
}

static void mixed_machines_have_their_ranks(void **state)
{
    static const char words[][MACHINE_WORD_SIZE] = {"A, 8 cores", "A, 8 cores", "B, 8 cores",
                                                    "A, 8 cores"};
    (void)state;
    assert_machine(words, 2, "A, 8 cores");
    assert_machine(words, 1, "A, 8 cores");
    assert_machine(words, 3, "A, 8 cores (ranks 0-1); B, 8 cores (rank 2)");
    assert_machine(words, 4, "A, 8 cores (ranks 0-1); B, 8 cores (rank 2); A, 8 cores (rank 3)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_other_is_named),
        cmocka_unit_test(silence_is_no_consent),
        cmocka_unit_test(settings_are_compared_whole),
        cmocka_unit_test(mixed_machines_have_their_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
