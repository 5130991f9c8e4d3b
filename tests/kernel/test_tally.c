/* The tally of planes against counting bit by bit, in every instruction set. */
#include "kernel/motif/tally.h"

#include "kernel/vector/isa.h"
#include "tests/checks.h"
#include "tests/kernel/random.h"

enum { WORDS = 24, BITS = WORDS * 64 };

/* Planes in which each bit is set with a probability of about 1 / 2^halvings. */
static void planes_fill(struct tally *tally, uint64_t *words, struct random *random, int halvings)
{
    for (int p = 0; p < tally->planes; p++) {
        for (int w = 0; w < WORDS; w++) {
            uint64_t word = random_bits(random);
            for (int h = 1; h < halvings; h++)
                word &= random_bits(random);
            words[p * WORDS + w] = halvings > 0 ? word : UINT64_MAX;
        }
        tally->plane[p] = words + (ptrdiff_t)p * WORDS;
    }
}

static int sum_of(const struct tally *tally, int64_t bit)
{
    int sum = 0;
    for (int p = 0; p < tally->planes; p++)
        sum += (int)(tally->plane[p][bit / 64] >> bit % 64 & 1);
    return sum;
}

static bool tally_slowly(struct tally *tally)
{
    const int least = tally->least;
    for (int64_t bit = tally->begin; bit < tally->end; bit++) {
        const int sum = sum_of(tally, bit);
        if (sum >= tally->least) {
            tally->sum = sum;
            tally->at = bit;
            tally->least = sum + 1;
        }
    }
    return tally->least > least;
}

static void assert_tally(bool (*run)(struct tally *), const struct tally *tally)
{
    struct tally one = *tally, other = *tally;
    const bool found = run(&one);
    assert_int_equal(found, tally_slowly(&other));
    if (found) {
        assert_int_equal(one.sum, other.sum);
        assert_int_equal(one.at, other.at);
    }
}

static void check_isa(enum isa isa, bool (*run)(struct tally *))
{
    uint64_t *words = aligned_alloc(TALLY_ALIGNMENT, TALLY_PLANES_MOST * WORDS * sizeof *words);
    assert_non_null(words);
    for (uint64_t seed = 1; seed <= 300 && isa_available(isa); seed++) {
        struct random random = {seed};
        struct tally tally = {.planes = (int)random_between(&random, 1, TALLY_PLANES_MOST)};
        planes_fill(&tally, words, &random, (int)random_between(&random, 0, 4));
        tally.begin = random_between(&random, 0, BITS - 1);
        tally.end = random_between(&random, tally.begin + 1, BITS);
        tally.least = (int)random_between(&random, -5, 2 * tally.planes);
        assert_tally(run, &tally);
        tally.least = tally.planes / 2;
        assert_tally(run, &tally);
    }
    free(words);
}

static void sums_of_every_isa(void **state)
{
    (void)state;
    check_isa(ISA_BASELINE, tally_generic);
#ifdef __x86_64__
    check_isa(ISA_AVX2, tally_avx2);
    check_isa(ISA_AVX512, tally_avx512);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_every_isa),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
