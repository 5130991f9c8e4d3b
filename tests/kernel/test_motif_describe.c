/* How motif cuts a job into core tasks, and which input it refuses. */
#include "tests/checks.h"
#include "tests/kernel/motif_dna.h"
#include "tests/kernel/motif_trial.h"

/* Source, sections 6.3 and 6.4 (m - l start positions there): a tuple is a core task. */
static void the_sources_counts(void **state)
{
    (void)state;
    static const struct {
        int positions;
        int64_t tasks;
    } counts[] = {{5, 15625}, {12, 2985984}, {18, 34012224}};
    struct random random = {1};
    struct motif_sequences sequences;
    dna_random(&sequences, &random, 8, 4, 40, 60);
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        for (int64_t grain = 0; grain < 2; grain++) {
            const struct motif_wanted wanted = {
                .sequences = 6, .length = 8, .positions = counts[i].positions, .grain = grain};
            struct motif_trial trial;
            assert_true(motif_trial_open(&trial, &sequences, &wanted));
            assert_int_equal(trial.setup.tasks, counts[i].tasks);
            motif_trial_close(&trial);
        }
    }
    dna_release(&sequences);
}

static int64_t tasks_of(const struct motif_sequences *sequences, struct motif_wanted wanted)
{
    struct motif_trial trial;
    assert_true(motif_trial_open(&trial, sequences, &wanted));
    const int64_t tasks = trial.setup.tasks;
    motif_trial_close(&trial);
    return tasks;
}

/* 18 positions: the longest prefix that leaves so many tuples, and that leaves the last two
 * sequences; by itself half of the sequences, or as many as make at most 2^20 prefixes. */
static void prefixes_follow_from_the_grain(void **state)
{
    (void)state;
    const int64_t powers[] = {1, 18, 324, 5832, 104976, 1889568, 34012224};
    struct random random = {1};
    struct motif_sequences sequences;
    dna_random(&sequences, &random, 20, 4, 25, 25);
    struct motif_wanted wanted = {.sequences = 6, .length = 8, .search = MOTIF_BRANCH_AND_BOUND};
    assert_int_equal(tasks_of(&sequences, wanted), powers[3]);
    for (int power = 0; power <= 6; power++) {
        wanted.grain = powers[power];
        assert_int_equal(tasks_of(&sequences, wanted), powers[power < 2 ? 4 : 6 - power]);
        wanted.grain++;
        assert_int_equal(tasks_of(&sequences, wanted), powers[power < 2   ? 4
                                                              : power < 6 ? 5 - power
                                                                          : 0]);
    }
    wanted = (struct motif_wanted){.length = 8, .search = MOTIF_BRANCH_AND_BOUND};
    assert_int_equal(tasks_of(&sequences, wanted), powers[4]);
    wanted.sequences = 1;
    assert_int_equal(tasks_of(&sequences, wanted), 1);
    dna_release(&sequences);
}

/* Brute force takes grains that keep its core tasks below 2^26, and the last one may be smaller. */
static void grains_cover_all_tuples(void **state)
{
    (void)state;
    struct random random = {1};
    struct motif_sequences sequences;
    dna_random(&sequences, &random, 5, 4, 105, 105);
    struct motif_wanted wanted = {.length = 8};
    assert_int_equal(tasks_of(&sequences, wanted), (INT64_C(9039207968) + 134) / 135);
    wanted.grain = 1000;
    assert_int_equal(tasks_of(&sequences, wanted), 9039208);
    wanted.grain = TUPLES_MOST;
    assert_int_equal(tasks_of(&sequences, wanted), 1);
    dna_release(&sequences);
}

static void assert_refused(const struct motif_sequences *sequences, struct motif_wanted wanted,
                           const char *sentence)
{
    struct motif_trial trial;
    assert_false(motif_trial_open(&trial, sequences, &wanted));
    assert_string_equal(trial.memory.failure, sentence);
    motif_trial_close(&trial);
}

static void wrong_sequences_are_named(void **state)
{
    (void)state;
    const struct motif_sequences sequences = {
        .count = 4,
        .letters = {"acgtACGTacgt", "ACGTACGTNCGT", "ACG\rACGTAC", "ACGTA"},
        .names = {"one", "two of them", NULL, "\033[31mred"}};
    assert_refused(&sequences, (struct motif_wanted){.length = 4},
                   "letter 9 of sequence 2 (two) is 'N', and motifs are of A, C, G and T: "
                   "replace it, or leave the sequence out");
    struct motif_sequences others = sequences;
    others.letters[1] = sequences.letters[2];
    others.names[1] = sequences.names[2];
    assert_refused(&others, (struct motif_wanted){.length = 4},
                   "letter 4 of sequence 2 is byte 0x0D, and motifs are of A, C, G and T: "
                   "replace it, or leave the sequence out");
    others.letters[1] = others.letters[2] = sequences.letters[0];
    assert_refused(&others, (struct motif_wanted){.length = 6},
                   "sequence 4 has 5 letters, and a motif of 6 does not fit into it: lower "
                   "--length, or leave the sequence out");
    assert_refused(&others, (struct motif_wanted){.length = 4, .positions = 3},
                   "sequence 4 has 5 letters, and 3 start positions of motifs of 4 take 6: "
                   "lower --positions or --length, or leave the sequence out");
    assert_refused(&others, (struct motif_wanted){.length = 4, .sequences = 5},
                   "the input has 4 sequences, and --sequences wants 5: lower it, or add "
                   "sequences");
    assert_int_equal(tasks_of(&others, (struct motif_wanted){.length = 4, .sequences = 3}), 729);
}

/* A wrong letter is wrong even where no motif reaches. */
static void letters_beyond_the_positions_are_read(void **state)
{
    (void)state;
    const struct motif_sequences sequences = {.count = 1, .letters = {"ACGTACGTAC-T"}};
    assert_refused(&sequences, (struct motif_wanted){.length = 4, .positions = 2},
                   "letter 11 of sequence 1 is '-', and motifs are of A, C, G and T: "
                   "replace it, or leave the sequence out");
}

static void too_much_is_refused(void **state)
{
    (void)state;
    struct random random = {1};
    struct motif_sequences sequences;
    dna_random(&sequences, &random, SEQUENCES_MOST + 1, 4, 105, 105);
    sequences.count = SEQUENCES_MOST;
    assert_refused(&sequences, (struct motif_wanted){.length = 8},
                   "up to sequence 9 there are more than 2^53 start tuples: lower "
                   "--sequences or --positions, or give --search branch-and-bound");
    assert_refused(&sequences,
                   (struct motif_wanted){.length = 8, .search = MOTIF_BRANCH_AND_BOUND, .grain = 9},
                   "up to sequence 9 there are more than 2^53 prefixes: raise --grain");
    assert_int_equal(
        tasks_of(&sequences, (struct motif_wanted){.length = 8, .search = MOTIF_BRANCH_AND_BOUND}),
        98 * 98 * 98);
    sequences.count++;
    assert_refused(&sequences, (struct motif_wanted){.length = 8},
                   "the input has 128 sequences, and at most 127 can be searched: say how many "
                   "of the first ones with --sequences");
    dna_release(&sequences);
    dna_random(&sequences, &random, 1, 4, STARTS_MOST + 8, STARTS_MOST + 8);
    assert_refused(&sequences, (struct motif_wanted){.length = 8},
                   "sequence 1 has 4194305 start positions, and at most 4194304 can be "
                   "searched: say how many with --positions");
    dna_release(&sequences);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sources_counts),
        cmocka_unit_test(prefixes_follow_from_the_grain),
        cmocka_unit_test(grains_cover_all_tuples),
        cmocka_unit_test(wrong_sequences_are_named),
        cmocka_unit_test(letters_beyond_the_positions_are_read),
        cmocka_unit_test(too_much_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
