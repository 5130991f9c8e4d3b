/* The motif search in levels: the counts of every level, and the outcome of the other searches. */
#include <inttypes.h>

#include "kernel/motif/levels.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/kernel/memory_job.h"
#include "tests/kernel/motif_dna.h"
#include "tests/kernel/motif_oracle.h"

enum { LEVELS_MOST = 16 };

/* The counts of a level. */
struct counts {
    int64_t tasks, emitted, kept;
    int best; /* the predictor's score, after it */
};

struct search {
    struct counts levels[LEVELS_MOST];
    int count;
    char *json; /* owned; the last level's outcome */
};

struct wanted {
    int length, from, positions;
    int64_t package; /* 0: a level at once */
};

/* As core tasks emit them. */
struct child {
    uint32_t score, start;
};

static int64_t emitted_of(const struct memory_job *job, int64_t task, const struct child **children)
{
    const struct memory_note *note = memory_notes_find(&job->host->emitted, task);
    *children = note ? (const struct child *)(const void *)note->bytes : NULL;
    return note ? (int64_t)(note->size / sizeof **children) : 0;
}

static int64_t all_emitted(const struct memory_job *job)
{
    const struct child *children;
    int64_t count = 0;
    for (int64_t task = 0; task < job->setup.tasks; task++)
        count += emitted_of(job, task, &children);
    return count;
}

/* The last level keeps the tuples with the best score. */
static int64_t best_emitted(const struct memory_job *job, int *best)
{
    const struct child *children;
    int64_t kept = 0;
    *best = 0;
    for (int64_t task = 0; task < job->setup.tasks; task++)
        for (int64_t i = emitted_of(job, task, &children); i > 0; i--) {
            const int score = (int)children[i - 1].score;
            kept = score > *best ? 1 : kept + (score == *best);
            *best = score > *best ? score : *best;
        }
    return kept;
}

/* The predictor's score that a level begins with. */
static int predictor_of(const struct memory_job *job)
{
    const struct levels_shared *shared = job->setup.shared;
    return (int)shared->score;
}

static char *outcome_text(const struct memory_job *job, const void *state)
{
    const int size = job->task->print(job->made, state, NULL, 0) + 1;
    char *json = malloc((size_t)size);
    assert_non_null(json);
    assert_int_equal(job->task->print(job->made, state, json, (size_t)size), size - 1);
    return json;
}

/* Computes in packages from the last to the first. */
static void level_compute(const struct memory_job *job, const struct wanted *wanted,
                          struct search *search)
{
    const int64_t tasks = job->setup.tasks, most = wanted->package > 0 ? wanted->package : tasks;
    void *state = calloc(1, job->results.state_size + 1);
    assert_non_null(state);
    if (job->results.state_size > 0)
        job->task->reset(job->made, state);
    for (int64_t at = (tasks - 1) / most * most; at >= 0; at -= most) {
        struct memory_outcome outcome;
        const int64_t count = tasks - at < most ? tasks - at : most;
        assert_int_equal(memory_job_compute(job, at, count, 3, 1, &outcome), SCOW_OK);
        if (job->results.state_size > 0)
            job->task->merge(job->made, state, outcome.state);
        memory_outcome_release(&outcome);
    }
    if (job->results.state_size > 0)
        search->json = outcome_text(job, state);
    free(state);
}

static void levels_run(struct memory_job *job, const struct wanted *wanted, struct search *search)
{
    bool goes_on = true;
    for (search->count = 0; goes_on; search->count++) {
        assert_true(search->count < LEVELS_MOST);
        assert_int_equal(job->setup.level, search->count + 1);
        struct counts *level = &search->levels[search->count];
        level->tasks = job->setup.tasks;
        level_compute(job, wanted, search);
        level->emitted = all_emitted(job);
        level->kept = best_emitted(job, &level->best);
        goes_on = memory_job_next(job);
        if (goes_on)
            *level =
                (struct counts){level->tasks, level->emitted, job->setup.tasks, predictor_of(job)};
    }
}

static void items_set(const struct motif_sequences *sequences, struct scow_item *items,
                      struct memory_host *host)
{
    memory_host_init(host);
    for (int i = 0; i < sequences->count; i++)
        items[i] = (struct scow_item){sequences->letters[i], strlen(sequences->letters[i]),
                                      sequences->names[i]};
    host->items = items;
    host->input = (struct scow_input){
        .kind = SCOW_INPUT_SEQUENCES, .extent = {sequences->count, 0, 0}, .name = "dna.fa"};
}

/* The sentence, where it is refused; NULL: it is done. To be freed, as search->json. */
static char *search_levels(const struct motif_sequences *sequences, const struct wanted *wanted,
                           struct search *search)
{
    struct scow_item items[SEQUENCES_MOST + 1];
    struct memory_host host;
    struct memory_job job;
    *search = (struct search){.count = 0};
    items_set(sequences, items, &host);
    memory_job_init(&job, &motif_levels_task, &host);
    memory_job_number(&job, "length", wanted->length);
    memory_job_number(&job, "positions", wanted->positions);
    memory_job_number(&job, "from", wanted->from);
    const bool good = memory_job_open(&job);
    if (good)
        levels_run(&job, wanted, search);
    char *said = host.failure[0] ? strdup(host.failure) : NULL;
    memory_job_close(&job);
    memory_host_release(&host);
    return said;
}

static void assert_levels(const struct motif_sequences *sequences, const struct wanted *wanted,
                          const struct counts *expected, int count, const char *json)
{
    struct search search;
    assert_null(search_levels(sequences, wanted, &search));
    assert_int_equal(search.count, count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(search.levels[i].tasks, expected[i].tasks);
        assert_int_equal(search.levels[i].emitted, expected[i].emitted);
        assert_int_equal(search.levels[i].kept, expected[i].kept);
        assert_int_equal(search.levels[i].best, expected[i].best);
    }
    if (!strstr(search.json, json))
        fail_msg("%s is not in %s", json, search.json);
    free(search.json);
}

/* By hand: the first predictor has a score of 6 already, and only prefixes without a difference can
 * reach it. */
static void three_short_sequences(void **state)
{
    (void)state;
    const struct motif_sequences sequences = {.count = 3, .letters = {"ACGT", "TACG", "GACT"}};
    const struct wanted wanted = {.length = 2, .from = 1};
    const struct counts expected[] = {{3, 2, 2, 6}, {2, 1, 1, 6}};
    assert_levels(&sequences, &wanted, expected, 2, "{\"score\": 6, \"positions\": [0, 1, 1],");
}

/* Counts of a program that shares no code with this one. */
static void five_sequences(void **state)
{
    (void)state;
    const struct motif_sequences sequences = {.count = 5,
                                              .letters = {"GGCGTAGACAATTA", "CATAACAACGTAGT",
                                                          "CAGCACGTTACTTG", "TTGGACGGATGTGA",
                                                          "ACGGATTAAGGGTT"}};
    const struct counts expected[] = {
        {10, 100, 100, 19}, {100, 521, 84, 21}, {84, 7, 7, 21}, {7, 1, 1, 21}};
    for (int64_t package = 0; package < 8; package += 7) {
        const struct wanted wanted = {.length = 5, .from = 1, .package = package};
        assert_levels(&sequences, &wanted, expected, 4,
                      "{\"score\": 21, \"positions\": [1, 7, 4, 4, 0],");
    }
}

/* Source, Table 6-12: 5 sequences of 36 positions; where letters are all the same nothing is
 * spared. */
static void the_sources_counts(void **state)
{
    (void)state;
    struct motif_sequences sequences = {.count = 3};
    for (int i = 0; i < sequences.count; i++)
        sequences.letters[i] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"; /* 39 */
    const struct wanted wanted = {.length = 4, .from = 1};
    const struct counts expected[] = {{36, 1296, 1296, 12}, {1296, 46656, 46656, 12}};
    assert_levels(&sequences, &wanted, expected, 2, "{\"score\": 12, \"positions\": [0, 0, 0],");
}

static void assert_same(const struct motif_sequences *sequences, const struct wanted *wanted,
                        const char *expected, uint64_t seed)
{
    struct search search;
    char *said = search_levels(sequences, wanted, &search);
    if (said || strcmp(search.json, expected) != 0)
        fail_msg("seed %" PRIu64 ", from %d: %s instead of %s", seed, wanted->from,
                 said ? said : search.json, expected);
    free(search.json);
}

/* Few letters and short motifs: many tuples have the same score. */
static void the_same_as_brute_force(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(100); seed++) {
        struct random random = {seed};
        struct motif_sequences sequences;
        const int length = (int)random_between(&random, 1, 6), count = (int)(2 + seed % 4);
        dna_random(&sequences, &random, count, (int)random_between(&random, 1, 4), length,
                   length + 4);
        struct wanted wanted = {.length = length,
                                .from = (int)random_between(&random, 0, count - 1),
                                .package = random_between(&random, 0, 9)};
        char *expected = motif_oracle_tuples(&sequences, length, 0);
        assert_same(&sequences, &wanted, expected, seed);
        free(expected);
        dna_release(&sequences);
    }
}

static char *branch_and_bound(const struct motif_sequences *sequences, int length)
{
    const struct motif_wanted wanted = {.length = length, .search = MOTIF_BRANCH_AND_BOUND};
    struct motif_trial trial;
    char *json;
    assert_true(motif_trial_open(&trial, sequences, &wanted));
    assert_int_equal(motif_trial_run(&trial, trial.setup.tasks, 1, 0, &json), SCOW_OK);
    motif_trial_close(&trial);
    return json;
}

/* More sequences than brute force can do, with a motif in them, so that few prefixes are
 * continued. */
static void the_same_as_branch_and_bound(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(5); seed++) {
        enum { COUNT = 6, SIZE = 22, LENGTH = 8 };
        struct random random = {seed};
        struct motif_sequences sequences;
        char motif[LENGTH + 1] = "";
        dna_random(&sequences, &random, COUNT, 4, SIZE, SIZE);
        dna_sequence(&random, 4, LENGTH, motif);
        for (int i = 0; i < COUNT; i++)
            memcpy((char *)(uintptr_t)sequences.letters[i] + random_between(&random, 0, 14), motif,
                   LENGTH);
        const struct wanted wanted = {.length = LENGTH, .from = (int)(seed % 3)};
        char *expected = branch_and_bound(&sequences, LENGTH);
        assert_same(&sequences, &wanted, expected, seed);
        free(expected);
        dna_release(&sequences);
    }
}

static void assert_refused(int count, int from, const char *sentence)
{
    const struct motif_sequences sequences = {.count = count,
                                              .letters = {"ACGTACGT", "TACGTACG", "GACTGACT"}};
    const struct wanted wanted = {.length = 3, .from = from};
    struct search search;
    char *said = search_levels(&sequences, &wanted, &search);
    assert_non_null(said);
    assert_string_equal(said, sentence);
    free(said);
}

static void what_cannot_be_searched(void **state)
{
    (void)state;
    assert_refused(1, 1,
                   "a search in levels needs two sequences at least: add one, or take the core "
                   "task motif");
    assert_refused(3, 3,
                   "--from 3: prefixes are of fewer sequences than there are, which is 3: give "
                   "less");
}

/* What a level left is read from a file, and may belong to another level. */
static void survivors_of_another_level(void **state)
{
    (void)state;
    const struct motif_sequences sequences = {.count = 3, .letters = {"ACGT", "TACG", "GACT"}};
    struct scow_item items[SEQUENCES_MOST + 1];
    struct memory_host host;
    struct memory_job job;
    const uint32_t odd[2] = {3, 99};
    const int64_t good_at[] = {0, 0, 0, 8}, odd_at[] = {0, 0, 0, 7};
    const struct scow_survivors wrong[] = {
        {2, good_at, odd}, {3, good_at, odd}, {3, odd_at, odd}, {3, (int64_t[]){0, 0, 0, 0}, odd}};
    items_set(&sequences, items, &host);
    memory_job_init(&job, &motif_levels_task, &host);
    memory_job_number(&job, "length", 2);
    assert_true(memory_job_open(&job));
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        int64_t tasks;
        memory_host_restart(&host);
        assert_int_equal(motif_levels_task.next(&host.host, job.made, &wrong[i], &tasks),
                         SCOW_FAILED);
        assert_string_equal(host.failure,
                            "none of this level's prefixes goes on, though the best tuple's would: "
                            "its results are not those of these sequences");
    }
    memory_job_close(&job);
    memory_host_release(&host);
}

static void what_is_emitted_can_be_read(void **state)
{
    (void)state;
    const uint32_t children[2][2] = {{7, 3}, {12, 40}};
    char text[40];
    assert_int_equal(motif_levels_task.render(children, sizeof children, text, sizeof text), 10);
    assert_string_equal(text, "3 7\n40 12\n");
    assert_int_equal(motif_levels_task.render(children, sizeof children, text, 4), 10);
    assert_string_equal(text, "3 7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_short_sequences),
        cmocka_unit_test(five_sequences),
        cmocka_unit_test(the_sources_counts),
        cmocka_unit_test(the_same_as_brute_force),
        cmocka_unit_test(the_same_as_branch_and_bound),
        cmocka_unit_test(what_cannot_be_searched),
        cmocka_unit_test(survivors_of_another_level),
        cmocka_unit_test(what_is_emitted_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
