/* Every allocation of making a job ready is made to fail in turn: the job is then refused with a
 * sentence, and under a leak checker nothing is lost. */
#include "tests/checks.h"
#include "tests/kernel/motif_trial.h"
#include "tests/scarcity.h"

/* True: it was made ready without a failure. */
static bool job_survives(const struct motif_wanted *wanted, int allowed)
{
    const struct motif_sequences sequences = {.count = 3, .letters = {"ACGTA", "TTGCAA", "ACCA"}};
    struct motif_trial trial;
    scarcity_begin(allowed);
    const bool good = motif_trial_open(&trial, &sequences, wanted);
    const bool failed = scarcity_end();
    assert_int_equal(good, !failed);
    assert_true(good || strstr(trial.memory.failure, "not enough memory") != NULL);
    motif_trial_close(&trial);
    return good;
}

static void a_job_without_memory(void **state)
{
    (void)state;
    for (int search = 0; search < 2; search++) {
        const struct motif_wanted wanted = {.length = 3, .search = (enum motif_search_word)search};
        int allowed = 0;
        while (!job_survives(&wanted, allowed))
            allowed++;
        assert_true(allowed > 6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
