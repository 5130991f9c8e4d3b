/* The motif search against slow oracles: the outcome does not depend on the search, the packages
 * and their contents, the threads and the instruction set. */
#include <inttypes.h>
#include <stdio.h>

#include "kernel/vector/isa.h"
#include "tests/checks.h"
#include "tests/kernel/motif_dna.h"
#include "tests/kernel/motif_oracle.h"

enum { SEEDS = 100 };

/* The outcome of a job whose parameters are good, in up to some hundred packages; to be freed. */
static char *outcome_of(const struct motif_sequences *sequences, const struct motif_wanted *wanted,
                        int threads, uint64_t seed)
{
    struct random random = {seed};
    struct motif_trial trial;
    char *json = NULL;
    if (!motif_trial_open(&trial, sequences, wanted))
        fail_msg("%s", trial.memory.failure);
    const int64_t package = trial.setup.tasks / 100 + random_between(&random, 1, 300);
    assert_int_equal(motif_trial_run(&trial, package, threads, seed, &json), SCOW_OK);
    motif_trial_close(&trial);
    return json;
}

static void assert_outcome(const struct motif_sequences *sequences,
                           const struct motif_wanted *wanted, const char *expected, uint64_t seed)
{
    const int threads = seed % 8 == 0 ? 3 : 1; /* threads are dear where cores are few */
    char *json = outcome_of(sequences, wanted, threads, seed);
    if (strcmp(json, expected) != 0)
        fail_msg("seed %" PRIu64 ", search %d, grain %" PRId64 ", ship %d, %d threads, %s:\n%s "
                 "instead of\n%s",
                 seed, (int)wanted->search, wanted->grain, (int)wanted->ship, threads,
                 isa_name(isa_current()), json, expected);
    free(json);
}

/* With both searches, both kinds of packages, and several grains. */
static void assert_all_outcomes(const struct motif_sequences *sequences, struct motif_wanted wanted,
                                const char *expected, uint64_t seed)
{
    struct random random = {seed};
    for (int choice = 0; choice < 4; choice++) {
        wanted.search = choice & 1 ? MOTIF_BRANCH_AND_BOUND : MOTIF_BRUTE_FORCE;
        wanted.ship = choice & 2 ? MOTIF_MATRICES : MOTIF_INDICES;
        wanted.grain = random_between(&random, 0, 1) ? random_between(&random, 1, 200) : 0;
        assert_outcome(sequences, &wanted, expected, seed + (uint64_t)choice);
    }
}

static void with_every_isa(void (*check)(uint64_t seed), uint64_t seeds)
{
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        if (!isa_pin(isa_name((enum isa)isa)))
            continue;
        for (uint64_t seed = 1; seed <= seeds; seed++)
            check(seed);
    }
    assert_true(isa_pin("auto"));
}

/* Few letters and short motifs: many tuples have the same score, often all. */
static void check_small(uint64_t seed)
{
    struct random random = {seed};
    struct motif_sequences sequences;
    struct motif_wanted wanted = {.length = (int)random_between(&random, 1, 6)};
    const int least = wanted.length + (int)random_between(&random, 0, 2);
    dna_random(&sequences, &random, (int)random_between(&random, 1, 5),
               (int)random_between(&random, 1, 4), least, least + 3);
    if (random_between(&random, 0, 1))
        wanted.positions = least - wanted.length + 1;
    char *expected = motif_oracle_tuples(&sequences, wanted.length, wanted.positions);
    assert_all_outcomes(&sequences, wanted, expected, seed);
    free(expected);
    dna_release(&sequences);
}

static void small_sets(void **state)
{
    (void)state;
    with_every_isa(check_small, SEEDS);
}

/* Any length that there may be, with as many planes. */
static void check_length(uint64_t seed)
{
    struct random random = {seed};
    struct motif_sequences sequences;
    struct motif_wanted wanted = {.length = (int)random_between(&random, 1, LENGTH_MOST)};
    dna_random(&sequences, &random, 3, (int)random_between(&random, 2, 4), wanted.length + 1,
               wanted.length + 4);
    char *expected = motif_oracle_tuples(&sequences, wanted.length, 0);
    assert_all_outcomes(&sequences, wanted, expected, seed);
    free(expected);
    dna_release(&sequences);
}

static void all_lengths(void **state)
{
    (void)state;
    with_every_isa(check_length, 60);
}

/* Tails of many words, of both kinds: with thousands of positions the last sequence is alone. */
static void check_large(uint64_t seed)
{
    struct random random = {seed};
    struct motif_sequences sequences;
    struct motif_wanted wanted = {.length = (int)random_between(&random, 4, 6)};
    const int most[] = {0, 0, 1500, 150, 60, 30};
    const int count = (int)random_between(&random, 2, 5);
    dna_random(&sequences, &random, count, 4, most[count] / 2, most[count]);
    char *expected = motif_oracle_strings(&sequences, wanted.length, 0);
    for (int search = 0; search < 2; search++) {
        wanted.search = (enum motif_search_word)search;
        wanted.grain = search == MOTIF_BRUTE_FORCE ? random_between(&random, 3000, 9000) : 0;
        assert_outcome(&sequences, &wanted, expected, seed);
    }
    free(expected);
    dna_release(&sequences);
}

static void large_sets(void **state)
{
    (void)state;
    with_every_isa(check_large, 10);
}

/* More sequences than brute force can do, and prefixes deep in the tree. */
static void check_deep(uint64_t seed)
{
    struct random random = {seed};
    struct motif_sequences sequences;
    struct motif_wanted wanted = {.length = (int)random_between(&random, 4, 6),
                                  .search = MOTIF_BRANCH_AND_BOUND,
                                  .ship = (enum motif_ship_word)random_between(&random, 0, 1)};
    dna_random(&sequences, &random, (int)random_between(&random, 6, 9), 4, 20, 25);
    wanted.grain = random_between(&random, 0, 1) << random_between(&random, 10, 25);
    char *expected = motif_oracle_strings(&sequences, wanted.length, 0);
    assert_outcome(&sequences, &wanted, expected, seed);
    free(expected);
    dna_release(&sequences);
}

static void deep_sets(void **state)
{
    (void)state;
    with_every_isa(check_deep, 10);
}

/* The alignment matrices that the source ships: t x l letters a tuple. */
static void packages_hold_matrices(void **state)
{
    (void)state;
    const struct motif_sequences sequences = {.count = 2, .letters = {"ACGTA", "ttgc"}};
    struct motif_wanted wanted = {.length = 3, .ship = MOTIF_MATRICES};
    struct motif_trial trial;
    _Alignas(64) char package[64];
    size_t size = 0;
    assert_true(motif_trial_open(&trial, &sequences, &wanted));
    assert_int_equal(trial.setup.tasks, 6);
    assert_int_equal(motif_task.package_size_most(trial.job, 4), 24);
    assert_int_equal(motif_task.pack(&trial.memory.host, trial.job, 1, 4, package, &size), SCOW_OK);
    assert_int_equal(size, 24);
    assert_memory_equal(package,
                        "ACGTGC"
                        "CGTTTG"
                        "CGTTGC"
                        "GTATTG",
                        24);
    motif_trial_close(&trial);
    wanted.grain = 4;
    assert_true(motif_trial_open(&trial, &sequences, &wanted));
    assert_int_equal(motif_task.package_size_most(trial.job, 1), 24);
    assert_int_equal(motif_task.package_size_most(trial.job, 2), 36);
    assert_int_equal(motif_task.pack(&trial.memory.host, trial.job, 1, 1, package, &size), SCOW_OK);
    assert_int_equal(size, 12);
    assert_memory_equal(package, "GTATTGGTATGC", 12);
    motif_trial_close(&trial);
}

static void packages_hold_prefixes(void **state)
{
    (void)state;
    const struct motif_sequences sequences = {.count = 4,
                                              .letters = {"ACGT", "TTGC", "AAAA", "CCCC"}};
    struct motif_wanted wanted = {
        .length = 3, .ship = MOTIF_MATRICES, .search = MOTIF_BRANCH_AND_BOUND, .grain = 1};
    struct motif_trial trial;
    char package[64];
    size_t size = 0;
    assert_true(motif_trial_open(&trial, &sequences, &wanted));
    assert_int_equal(trial.setup.tasks, 4);
    assert_int_equal(motif_task.pack(&trial.memory.host, trial.job, 2, 2, package, &size), SCOW_OK);
    assert_int_equal(size, 12);
    assert_memory_equal(package, "CGTTTGCGTTGC", 12);
    motif_trial_close(&trial);
    wanted.grain = 1000; /* one prefix without letters */
    assert_true(motif_trial_open(&trial, &sequences, &wanted));
    assert_int_equal(motif_task.package_size_most(trial.job, 1), 0);
    motif_trial_close(&trial);
}

/* A package of zeros, as compute is warmed up with, does no harm. */
static void packages_of_zeros(void **state)
{
    (void)state;
    struct random random = {1};
    struct motif_sequences sequences;
    dna_random(&sequences, &random, 4, 4, 12, 12);
    for (int search = 0; search < 2; search++) {
        const struct motif_wanted wanted = {
            .length = 5, .ship = MOTIF_MATRICES, .search = (enum motif_search_word)search};
        struct motif_trial trial;
        struct scow_results results = {0};
        assert_true(motif_trial_open(&trial, &sequences, &wanted));
        motif_task.results(trial.job, &results);
        const size_t size = motif_task.package_size_most(trial.job, 3);
        struct scow_batch batch = {.count = 3,
                                   .package = calloc(1, size),
                                   .package_size = size,
                                   .package_count = 3,
                                   .workspace = calloc(1, motif_task.workspace_size(trial.job, 1)),
                                   .state = calloc(1, results.state_size),
                                   .threads = 1};
        assert_int_equal(motif_task.compute(&trial.memory.host, trial.job, &batch), SCOW_OK);
        free((void *)(uintptr_t)batch.package);
        free(batch.workspace);
        free(batch.state);
        motif_trial_close(&trial);
    }
    dna_release(&sequences);
}

/* A motif hidden in random letters, where they are more than long enough that none is by chance. */
static void planted_motifs_are_found(void **state)
{
    (void)state;
    enum { COUNT = 10, SIZE = 60, LENGTH = 12 };
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct random random = {seed};
        struct motif_sequences sequences;
        char motif[LENGTH + 1] = "", *letters[COUNT];
        int place[COUNT], found[COUNT];
        dna_random(&sequences, &random, COUNT, 4, SIZE, SIZE);
        dna_sequence(&random, 4, LENGTH, motif);
        for (int i = 0; i < COUNT; i++) {
            place[i] = (int)random_between(&random, 0, SIZE - LENGTH);
            letters[i] = (char *)(uintptr_t)sequences.letters[i];
            memcpy(letters[i] + place[i], motif, LENGTH);
        }
        letters[3][place[3] + 5] = letters[3][place[3] + 5] == 'A' ? 'C' : 'A';
        const struct motif_wanted wanted = {.length = LENGTH, .search = MOTIF_BRANCH_AND_BOUND};
        char *json = outcome_of(&sequences, &wanted, 2, seed);
        motif_positions(json, COUNT, found);
        assert_int_equal(motif_score(json), COUNT * LENGTH - 1);
        assert_memory_equal(found, place, sizeof found);
        assert_non_null(strstr(json, motif));
        free(json);
        dna_release(&sequences);
    }
}

/* The first sequences of a set: its letters are still the set's. */
static struct motif_sequences first_of(const struct motif_sequences *sequences, int count)
{
    struct motif_sequences first = *sequences;
    first.count = count;
    return first;
}

static void real_sequences(void **state)
{
    (void)state;
    struct motif_sequences sequences;
    dna_crp(&sequences);
    for (int count = 2; count <= 8; count++) {
        const struct motif_sequences first = first_of(&sequences, count);
        struct motif_wanted wanted = {.sequences = count, .length = 6};
        char *expected = motif_oracle_strings(&first, wanted.length, 0);
        wanted.grain = 100000;
        if (count <= 3)
            assert_outcome(&sequences, &wanted, expected, 1);
        wanted.search = MOTIF_BRANCH_AND_BOUND;
        wanted.grain = 1 << 20;
        assert_outcome(&sequences, &wanted, expected, 1);
        free(expected);
    }
    dna_release(&sequences);
}

/* The two halves of a binding site, TGTGA and TCACA six letters apart, begin three letters after
 * the position that the header gives. A motif that is as long begins there in most sequences. */
static void known_sites_are_found(void **state)
{
    (void)state;
    enum { COUNT = 6, LENGTH = 16 };
    struct motif_sequences sequences;
    int found[COUNT], at_sites = 0;
    dna_crp(&sequences);
    const struct motif_wanted wanted = {
        .sequences = COUNT, .length = LENGTH, .search = MOTIF_BRANCH_AND_BOUND, .grain = 1 << 20};
    char *json = outcome_of(&sequences, &wanted, 2, 1);
    assert_int_equal(motif_score(json), 71);
    motif_positions(json, COUNT, found);
    for (int i = 0; i < COUNT; i++) {
        char *site = strchr(sequences.names[i], ' ');
        bool at_site = false;
        while (*site != '\0')
            at_site = strtol(site, &site, 10) - 1 + 3 == found[i] || at_site;
        at_sites += at_site;
    }
    assert_int_equal(at_sites, 5);
    free(json);
    dna_release(&sequences);
}

/* It stops at the first pulse that says so, and keeps what was done before. */
static void a_search_can_be_stopped(void **state)
{
    (void)state;
    for (int choice = 0; choice < 3; choice++) {
        struct random random = {1};
        struct motif_sequences sequences;
        dna_random(&sequences, &random, 18, 2, 100, 100);
        const struct motif_wanted wanted = {.sequences = choice == 0 ? 18 : 4,
                                            .length = 12,
                                            .search = choice == 0 ? MOTIF_BRANCH_AND_BOUND
                                                                  : MOTIF_BRUTE_FORCE,
                                            .ship = choice == 2 ? MOTIF_MATRICES : MOTIF_INDICES,
                                            .grain = choice == 0   ? 0
                                                     : choice == 1 ? 100000000
                                                                   : 100};
        struct motif_trial trial;
        char *json;
        assert_true(motif_trial_open(&trial, &sequences, &wanted));
        trial.memory.pulses_until_stop = 2;
        assert_int_equal(motif_trial_run(&trial, 1000, 1, 0, &json), SCOW_STOPPED);
        assert_int_equal(trial.memory.pulses, 3);
        assert_string_equal(
            json, "{\"score\": 0, \"positions\": [], \"consensus\": \"\", \"motif\": []}");
        free(json);
        motif_trial_close(&trial);
        dna_release(&sequences);
    }
}

static void text_is_cut_to_its_room(void **state)
{
    (void)state;
    const struct motif_sequences sequences = {.count = 2, .letters = {"ACGT", "ACGT"}};
    const struct motif_wanted wanted = {.length = 4};
    struct motif_trial trial;
    struct scow_results results = {0};
    char text[200];
    assert_true(motif_trial_open(&trial, &sequences, &wanted));
    motif_task.results(trial.job, &results);
    void *best = calloc(1, results.state_size);
    const int size = motif_task.print(trial.job, best, NULL, 0);
    for (size_t room = 1; room < 70; room++) {
        memset(text, 'x', sizeof text);
        assert_int_equal(motif_task.print(trial.job, best, text, room), size);
        assert_int_equal(strlen(text), room <= (size_t)size ? room - 1 : (size_t)size);
        assert_int_equal(text[room], 'x');
    }
    motif_task.method(trial.job, text, 12);
    assert_string_equal(text, "brute force");
    free(best);
    motif_trial_close(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_sets),
        cmocka_unit_test(all_lengths),
        cmocka_unit_test(large_sets),
        cmocka_unit_test(deep_sets),
        cmocka_unit_test(packages_hold_matrices),
        cmocka_unit_test(packages_hold_prefixes),
        cmocka_unit_test(packages_of_zeros),
        cmocka_unit_test(planted_motifs_are_found),
        cmocka_unit_test(real_sequences),
        cmocka_unit_test(known_sites_are_found),
        cmocka_unit_test(a_search_can_be_stopped),
        cmocka_unit_test(text_is_cut_to_its_room),
    };
    tests_choose();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
