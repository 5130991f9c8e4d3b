/* In how many core tasks a slice is cut, and in what tiles a task is computed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>

#include "kernel/matched/tiling.h"
#include "tests/kernel/random.h"

static struct tiling tiling_of(const struct bank *bank, const char *algorithm, int block)
{
    struct tiling tiling = {.bank = bank,
                            .combine = COMBINE_MAX,
                            .tuned = SPEEDS_AVX512,
                            .algorithm = algorithm ? algorithm_find(algorithm) : NULL,
                            .block = block};
    assert_true(tiling_fit(&tiling));
    return tiling;
}

static void assert_nearest(int64_t tasks, int64_t side, int block, uint64_t seed)
{
    const int64_t fewest = side < block ? 1 : side / block, most = (side + block - 1) / block;
    if (tasks != fewest && tasks != most)
        fail_msg("seed %" PRIu64 ": %" PRId64 " tasks for %" PRId64 " pixels at block %d", seed,
                 tasks, side, block);
}

/* From above or below; the same whenever it is asked. */
static void tasks_come_nearest_to_the_block(void **state)
{
    (void)state;
    static const char *const algorithms[] = {NULL, "direct", "orbit", "fft"};
    struct bank *bank = bank_new_chaudhuri(2, 2, 9);
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random random = {seed};
        const int block = (int)random_between(&random, 1, 300);
        const int64_t rows = random_between(&random, 1, 2000);
        const int64_t columns = random_between(&random, 1, 2000);
        const struct tiling tiling = tiling_of(bank, algorithms[seed % 4], block);
        struct division division, again;
        assert_true(tiling_divide(&tiling, rows, columns, &division));
        assert_true(tiling_divide(&tiling, rows, columns, &again));
        assert_nearest(division.down, rows, block, seed);
        assert_nearest(division.across, columns, block, seed);
        assert_memory_equal(&division, &again, sizeof division);
    }
    bank_free(&bank);
}

static void assert_divided(const struct tiling *tiling, int64_t rows, int64_t columns, int64_t down,
                           int64_t across)
{
    struct division division;
    assert_true(tiling_divide(tiling, rows, columns, &division));
    assert_int_equal(division.down, down);
    assert_int_equal(division.across, across);
}

/* The direct algorithm computes 16 columns at a time here: 64 of 65 columns are better than 62 of
 * 61, but not 66 of 67, which take 80; rows cost what they are, and fewer tasks load less. */
static void the_least_effort_decides(void **state)
{
    (void)state;
    struct bank *bank = bank_new_chaudhuri(12, 2, 9);
    const struct tiling tiling = tiling_of(bank, "direct", 64);
    assert_divided(&tiling, 1408, 1408, 22, 22);
    assert_divided(&tiling, 1411, 1411, 22, 22);
    assert_divided(&tiling, 1464, 1464, 22, 23);
    assert_divided(&tiling, 63, 1, 1, 1);
    bank_free(&bank);
}

/* A task as long as the block, and one a bit longer or shorter, are cut into equally many. */
static void tiles_follow_the_block(void **state)
{
    (void)state;
    struct bank *bank = bank_new_chaudhuri(12, 2, 9);
    for (int block = 1; block <= 700; block += 3) {
        const struct tiling tiling = tiling_of(bank, NULL, block);
        const int64_t tile = tiling_edge(&tiling, block);
        assert_in_range(tile, 1, block);
        assert_int_equal(tiling_edge(&tiling, 1), 1);
        assert_true(tile * tiling.parts >= block);
        for (int more = -1; more <= 1; more++) {
            const int64_t edge = block + more < 1 ? 1 : block + more;
            const int64_t own = tiling_edge(&tiling, edge);
            assert_true(own <= edge && own * tiling.parts >= edge);
            if (tiling.parts == 1)
                assert_int_equal(own, edge);
        }
    }
    bank_free(&bank);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_come_nearest_to_the_block),
        cmocka_unit_test(the_least_effort_decides),
        cmocka_unit_test(tiles_follow_the_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
