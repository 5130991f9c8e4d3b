/* The core task `library`: its alignments against the plain recurrence, packages of any size, and
 * what it refuses. */
#include <parasail.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/library/align.h"
#include "kernel/library/library.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/kernel/memory_job.h"
#include "tests/kernel/random.h"

enum { SEED = 11, LETTERS_MOST = 400, SEQUENCES_MOST = 40 };

/* ---- the plain recurrence (Gotoh 1982) ------------------------------------------------------ */

/* parasail's own matrix, as a table: what is tested is what is done with it. */
static int letters_score(const struct scoring *scoring, char one, char other)
{
    if (!scoring->matrix) {
        const char *first = strchr("ACGT", one), *second = strchr("ACGT", other);
        return !first || !second ? 0 : first == second ? scoring->match : scoring->mismatch;
    }
    const parasail_matrix_t *matrix = parasail_matrix_lookup(scoring->matrix);
    return matrix->matrix[matrix->mapper[(unsigned char)one] * matrix->size +
                          matrix->mapper[(unsigned char)other]];
}

static int greater(int one, int other)
{
    return one > other ? one : other;
}

/* Of several alignments with the greatest score, the first in the reference, and of these the first
 * in the query. */
static struct alignment plain_align(const struct scoring *scoring, const char *query, int64_t m,
                                    const char *reference, int64_t n)
{
    const int first = scoring->gap_open + scoring->gap_extend, further = scoring->gap_extend;
    int *best = calloc((size_t)m + 1, sizeof *best), *gap = calloc((size_t)m + 1, sizeof *gap);
    assert_true(best && gap);
    struct alignment found = {0};
    for (int64_t i = 0; i <= m; i++)
        gap[i] = -(1 << 28);
    for (int64_t j = 1; j <= n; j++) {
        int diagonal = 0, down = -(1 << 28);
        for (int64_t i = 1; i <= m; i++) {
            gap[i] = greater(gap[i] - further, best[i] - first);
            down = greater(down - further, best[i - 1] - first);
            const int along = diagonal + letters_score(scoring, query[i - 1], reference[j - 1]);
            diagonal = best[i];
            best[i] = greater(greater(0, along), greater(gap[i], down));
            if (best[i] > found.score)
                found = (struct alignment){best[i], i - 1, j - 1};
        }
    }
    free(best);
    free(gap);
    return found;
}

/* ---- sequences ------------------------------------------------------------------------------ */

static void letters_draw(struct random *random, const char *alphabet, char *letters, int64_t size)
{
    for (int64_t i = 0; i < size; i++)
        letters[i] = alphabet[random_between(random, 0, (int64_t)strlen(alphabet) - 1)];
    letters[size] = '\0';
}

/* A piece of `from` with some letters replaced, taken out and put in. */
static int64_t relative_draw(struct random *random, const char *alphabet, const char *from,
                             int64_t size, char *letters)
{
    int64_t made = 0;
    for (int64_t i = random_between(random, 0, size - 1); i < size; i++) {
        const int64_t chance = random_between(random, 0, 19);
        if (chance > 0 && made < LETTERS_MOST)
            letters[made++] =
                chance == 1 ? alphabet[random_between(random, 0, (int64_t)strlen(alphabet) - 1)]
                            : from[i];
        if (chance == 2 && made < LETTERS_MOST)
            letters[made++] = alphabet[random_between(random, 0, (int64_t)strlen(alphabet) - 1)];
    }
    letters[made] = '\0';
    return made;
}

static const char *const proteins = "ARNDCQEGHILKMFPSTWYVBZX";

static void pair_check(const struct scoring *scoring, const char *query, int64_t m,
                       const char *reference, int64_t n)
{
    struct aligner *aligner = aligner_new(scoring);
    assert_non_null(aligner);
    struct query *ready = query_new(aligner, query, m);
    assert_non_null(ready);
    struct alignment found;
    assert_true(query_align(ready, reference, n, &found));
    const struct alignment wanted = plain_align(scoring, query, m, reference, n);
    if (found.score != wanted.score)
        fail_msg("%s %d + %d n: %d, not %d: %s with %s", scoring->matrix ? scoring->matrix : "dna",
                 scoring->gap_open, scoring->gap_extend, found.score, wanted.score, query,
                 reference);
    if (wanted.score > 0) {
        assert_int_equal(found.reference_end, wanted.reference_end);
        assert_int_equal(found.query_end, wanted.query_end);
    }
    query_free(ready);
    aligner_free(aligner);
}

static void alignments_are_those_of_the_recurrence(void **state)
{
    (void)state;
    const struct scoring scorings[] = {{"blosum62", 0, 0, 11, 1}, {"pam250", 0, 0, 10, 2},
                                       {"blosum45", 0, 0, 0, 1},  {NULL, 2, -3, 5, 2},
                                       {NULL, 1, -1, 0, 1},       {NULL, 2, -3, 5, 0}};
    struct random random = {SEED};
    printf("seed %d\n", SEED);
    for (int trial = 0; trial < 400; trial++) {
        const struct scoring *scoring = &scorings[(size_t)trial % COUNT_OF(scorings)];
        const char *alphabet = scoring->matrix ? proteins : "ACGTN";
        char one[LETTERS_MOST + 1], other[LETTERS_MOST + 1];
        const int64_t m = random_between(&random, 1, trial % 3 ? 60 : LETTERS_MOST);
        letters_draw(&random, alphabet, one, m);
        int64_t n = random_between(&random, 1, trial % 3 ? 60 : LETTERS_MOST);
        letters_draw(&random, alphabet, other, n);
        if (trial % 2 && (n = relative_draw(&random, alphabet, one, m, other)) == 0)
            continue;
        pair_check(scoring, one, m, other, n);
    }
}

/* Scores of more than 8 and than 16 bits: tryptophan, 11 each. */
static void great_scores_are_exact(void **state)
{
    (void)state;
    const struct scoring scoring = {"blosum62", 0, 0, 11, 1};
    const int64_t sizes[] = {11, 12, 24, 300, 2978, 2979, 3100};
    char *letters = malloc(3101);
    assert_non_null(letters);
    memset(letters, 'W', 3101);
    const size_t count = cases_are_many() ? COUNT_OF(sizes) : 4;
    for (size_t i = 0; i < count; i++)
        pair_check(&scoring, letters, sizes[i], letters, sizes[i]);
    free(letters);
}

/* ---- a job ---------------------------------------------------------------------------------- */

struct trial {
    struct memory_host host;
    struct memory_job job;
    char path[32];
    char letters[SEQUENCES_MOST][LETTERS_MOST + 1];
    struct scow_item items[SEQUENCES_MOST];
};

static void file_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void trial_init(struct trial *trial, const char *library)
{
    memset(trial, 0, sizeof *trial);
    snprintf(trial->path, sizeof trial->path, "library.XXXXXX");
    const int file = mkstemp(trial->path);
    assert_true(file >= 0);
    close(file);
    file_write(trial->path, library);
    memory_host_init(&trial->host);
    trial->host.input = (struct scow_input){.kind = SCOW_INPUT_SEQUENCES, .name = "sources"};
    trial->host.items = trial->items;
    memory_job_init(&trial->job, &library_task, &trial->host);
    memory_job_text(&trial->job, "targets", trial->path);
}

static void source_add(struct trial *trial, const char *letters)
{
    const int64_t k = trial->host.input.extent[0]++;
    snprintf(trial->letters[k], sizeof trial->letters[k], "%s", letters);
    trial->items[k] = (struct scow_item){trial->letters[k], strlen(letters), "source"};
}

static void trial_release(struct trial *trial)
{
    memory_job_close(&trial->job);
    memory_host_release(&trial->host);
    unlink(trial->path);
}

static void refused_with(const char *library, const char *parameter, const char *text,
                         const char *sentence)
{
    struct trial trial;
    trial_init(&trial, library);
    source_add(&trial, "ACDE");
    if (parameter)
        memory_job_text(&trial.job, parameter, text);
    assert_false(memory_job_open(&trial.job));
    if (!strstr(trial.host.failure, sentence))
        fail_msg("'%s' is not in: %s", sentence, trial.host.failure);
    trial_release(&trial);
}

static void wrong_libraries_are_refused(void **state)
{
    (void)state;
    refused_with("", NULL, NULL, "has no sequences: name a FASTA file");
    refused_with("\n \n", NULL, NULL, "has no sequences: name a FASTA file");
    refused_with("ACGT\n", NULL, NULL, "line 1 of the library");
    refused_with("ACGT\n", NULL, NULL, "'A' before the first header");
    refused_with(">a\nAC\n>b\n>c\nAC\n", NULL, NULL, "sequence 2 ('b') of the library");
    refused_with(">a\nAC\n>b more\n", NULL, NULL, "sequence 2 ('b') of the library");
    refused_with(">a\nAC\nA1C\n", NULL, NULL, "line 3 of the library");
    refused_with(">a\nAC>\n", NULL, NULL, "has '>'");
    refused_with(">a\nA\x01\n", NULL, NULL, "has byte 0x01");
    refused_with(">a\nAC\n", "targets", "/nonexistent/library", "cannot be read: No such file");
    refused_with(">a\nAC\n", "targets", NULL, "--targets is missing");
    refused_with(">a\nAC\n", "matrix", "blosum1", "--matrix blosum1 is unknown");
}

/* The record that a package of one core task leaves. */
static struct best_record one_record(const struct trial *trial, int64_t task)
{
    struct memory_outcome outcome;
    assert_int_equal(memory_job_compute(&trial->job, task, 1, 0, 1, &outcome), SCOW_OK);
    const struct best_record record = *(struct best_record *)(void *)outcome.records;
    memory_outcome_release(&outcome);
    return record;
}

static void the_best_is_found_and_the_first_of_equals(void **state)
{
    (void)state;
    struct trial trial;
    trial_init(&trial, ">far text\nGGGGGGGG\n>near\r\nwwwwaaaa\r\nCCCC\r\n>same\nWWWWAAAACCCC\n"
                       ">\"odd\\ name\nPPPP\n");
    source_add(&trial, "WWWWAAAACCCC");
    source_add(&trial, "WWWWAAAACCCC");
    source_add(&trial, "PPPP");
    source_add(&trial, "*");
    assert_true(memory_job_open(&trial.job));
    const struct best_record same = one_record(&trial, 0), none = one_record(&trial, 3);
    assert_int_equal(same.target, 1);
    assert_string_equal(same.name, "near");
    assert_int_equal(same.score, 4 * 11 + 4 * 4 + 4 * 9);
    assert_int_equal(same.source_end, 11);
    assert_int_equal(same.target_end, 11);
    assert_string_equal(one_record(&trial, 2).name, "\"odd\\");
    assert_int_equal(none.target, -1);
    assert_int_equal(none.source_end, -1);
    assert_int_equal(none.score, 0);
    struct memory_outcome outcome;
    char json[256], method[512];
    assert_int_equal(memory_job_compute(&trial.job, 0, 4, 0, 1, &outcome), SCOW_OK);
    library_task.print(trial.job.made, outcome.state, json, sizeof json);
    assert_string_equal(json, "{\"score\": 96, \"source\": 0, \"target\": 1, \"name\": \"near\", "
                              "\"source_end\": 11, \"target_end\": 11}");
    memory_outcome_release(&outcome);
    assert_int_equal(memory_job_compute(&trial.job, 2, 1, 0, 1, &outcome), SCOW_OK);
    library_task.print(trial.job.made, outcome.state, json, sizeof json);
    assert_non_null(strstr(json, "\"name\": \"\\\"odd\\\\\""));
    memory_outcome_release(&outcome);
    assert_int_equal(memory_job_compute(&trial.job, 3, 1, 0, 1, &outcome), SCOW_OK);
    library_task.print(trial.job.made, outcome.state, json, sizeof json);
    assert_string_equal(json, "{\"score\": 0}");
    memory_outcome_release(&outcome);
    double weights[4];
    assert_int_equal(library_task.weigh(&trial.host.host, trial.job.made, weights), SCOW_OK);
    assert_true(weights[0] == 12);
    assert_true(weights[2] == 4);
    assert_true(weights[3] == 1);
    library_task.method(trial.job.made, method, sizeof method);
    assert_non_null(strstr(method, "blosum62, gaps of n letters 11 + 1 n, 4 sequences of 36 "));
    trial_release(&trial);
}

static void random_trial(struct trial *trial, struct random *random)
{
    char library[8 * (LETTERS_MOST + 16)] = "", letters[LETTERS_MOST + 1];
    for (int i = 0; i < 8; i++) {
        letters_draw(random, "ACGTacgtN", letters, random_between(random, 20, 319));
        snprintf(library + strlen(library), sizeof library - strlen(library), ">t%d\n%s\n", i,
                 letters);
    }
    trial_init(trial, library);
    for (int k = 0; k < SEQUENCES_MOST; k++) {
        letters_draw(random, "ACGT", letters, random_between(random, 1, 200));
        source_add(trial, letters);
    }
}

/* Whatever the packages, the batches in them and the threads. */
static void results_do_not_depend_on_packages(void **state)
{
    (void)state;
    struct random random = {SEED};
    struct trial trial;
    random_trial(&trial, &random);
    assert_true(memory_job_open(&trial.job));
    struct memory_outcome whole;
    assert_int_equal(memory_job_compute(&trial.job, 0, SEQUENCES_MOST, 0, 1, &whole), SCOW_OK);
    const struct best_record *records = (void *)whole.records;
    struct best_state all;
    for (int64_t size = 1; size < SEQUENCES_MOST; size += 3) {
        best_reset(NULL, &all);
        for (int64_t first = 0; first < SEQUENCES_MOST; first += size) {
            const int64_t count = size < SEQUENCES_MOST - first ? size : SEQUENCES_MOST - first;
            struct memory_outcome part;
            assert_int_equal(memory_job_compute(&trial.job, first, count, 1 + size / 2, 2, &part),
                             SCOW_OK);
            assert_memory_equal(part.records, &records[first], (size_t)count * sizeof *records);
            best_merge(NULL, &all, part.state);
            memory_outcome_release(&part);
        }
        assert_memory_equal(&all, whole.state, sizeof all);
    }
    memory_outcome_release(&whole);
    trial_release(&trial);
}

static void a_stop_is_heard(void **state)
{
    (void)state;
    struct trial trial;
    char library[16 * 2048] = "";
    for (int i = 0; i < 8; i++)
        snprintf(library + strlen(library), sizeof library - strlen(library), ">t\n%01900d\n", 0);
    for (char *c = library; *c; c++)
        *c = *c == '0' ? 'A' : *c;
    trial_init(&trial, library);
    for (int k = 0; k < SEQUENCES_MOST; k++)
        source_add(&trial,
                   "ACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGT"
                   "ACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGT");
    assert_true(memory_job_open(&trial.job));
    trial.host.pulses_until_stop = 2;
    struct memory_outcome outcome;
    assert_int_equal(memory_job_compute(&trial.job, 0, SEQUENCES_MOST, 0, 1, &outcome),
                     SCOW_STOPPED);
    assert_int_equal(trial.host.pulses, 3);
    memory_outcome_release(&outcome);
    trial_release(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alignments_are_those_of_the_recurrence),
        cmocka_unit_test(great_scores_are_exact),
        cmocka_unit_test(wrong_libraries_are_refused),
        cmocka_unit_test(the_best_is_found_and_the_first_of_equals),
        cmocka_unit_test(results_do_not_depend_on_packages),
        cmocka_unit_test(a_stop_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
