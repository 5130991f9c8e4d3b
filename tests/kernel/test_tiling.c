/* Into how many core tasks a slice is divided, and into which tiles a core task is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>

#include "kernel/matched/tiling.h"
#include "tests/kernel/random.h"

static struct tiling tiling_of(const struct bank *bank, const char *algorithm, int block, int width)
{
    struct tiling tiling = {.bank = bank,
                            .combine = COMBINE_MAX,
                            .tuned = SPEEDS_AVX512,
                            .algorithm = algorithm ? algorithm_find(algorithm) : NULL,
                            .high.wished = block,
                            .wide.wished = width};
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
static void tasks_come_nearest_to_what_is_wished(void **state)
{
    (void)state;
    static const char *const algorithms[] = {NULL, "direct", "orbit", "fft"};
    struct bank *bank = bank_new_chaudhuri(2, 2, 9);
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random random = {seed};
        const int block = (int)random_between(&random, 1, 300);
        const int width = (int)(seed % 2 ? block : random_between(&random, 1, 3000));
        const int64_t rows = random_between(&random, 1, 2000);
        const int64_t columns = random_between(&random, 1, 2000);
        const struct tiling tiling = tiling_of(bank, algorithms[seed % 4], block, width);
        struct division division, again;
        assert_true(tiling_divide(&tiling, rows, columns, &division));
        assert_true(tiling_divide(&tiling, rows, columns, &again));
        assert_nearest(division.down, rows, block, seed);
        assert_nearest(division.across, columns, width, seed);
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
    const struct tiling tiling = tiling_of(bank, "direct", 64, 64);
    assert_divided(&tiling, 1408, 1408, 22, 22);
    assert_divided(&tiling, 1411, 1411, 22, 22);
    assert_divided(&tiling, 1464, 1464, 22, 23);
    assert_divided(&tiling, 63, 1, 1, 1);
    bank_free(&bank);
}

static void assert_follows(const struct tiling_side *side)
{
    const int64_t tile = tiling_edge(side, side->wished);
    assert_in_range(tile, 1, side->wished);
    assert_int_equal(tiling_edge(side, 1), 1);
    assert_true(tile * side->parts >= side->wished);
    for (int more = -1; more <= 1; more++) {
        const int64_t length = side->wished + more < 1 ? 1 : side->wished + more;
        const int64_t own = tiling_edge(side, length);
        assert_true(own <= length && own * side->parts >= length);
        if (side->parts == 1)
            assert_int_equal(own, length);
    }
}

/* A task as long as was wished, and one a bit longer or shorter, are cut into equally many. */
static void tiles_follow_what_is_wished(void **state)
{
    (void)state;
    struct bank *bank = bank_new_chaudhuri(12, 2, 9);
    for (int block = 1; block <= 700; block += 3) {
        const struct tiling square = tiling_of(bank, NULL, block, block);
        const struct tiling strip = tiling_of(bank, NULL, block, 5000 - 7 * block);
        assert_follows(&square.high);
        assert_int_equal(square.high.parts, square.wide.parts);
        assert_follows(&strip.high);
        assert_follows(&strip.wide);
    }
    bank_free(&bank);
}

/* One task across, however wide; a strip's tiles are not as wide as the image. */
static void strips_have_tiles(void **state)
{
    (void)state;
    struct bank *bank = bank_new_source();
    const struct tiling strip = tiling_of(bank, NULL, 64, 1048576);
    struct division division;
    assert_true(tiling_divide(&strip, 1411, 4000, &division));
    assert_int_equal(division.across, 1);
    assert_int_equal(division.down, 22);
    const struct tiling fitted = tiling_of(bank, NULL, 64, 4000);
    assert_in_range(tiling_edge(&fitted.wide, 4000), 64, 512);
    bank_free(&bank);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_come_nearest_to_what_is_wished),
        cmocka_unit_test(the_least_effort_decides),
        cmocka_unit_test(tiles_follow_what_is_wished),
        cmocka_unit_test(strips_have_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
