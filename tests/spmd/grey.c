/* Shades of grey, compared with the plain way to compute them, by every instruction set of the
 * processor. */
#include "spmd/layout/grey.h"

#include <math.h>

#include "kernel/type.h"
#include "kernel/vector/isa.h"
#include "planner/base/random.h"
#include "tests/checks.h"

enum { COUNT = 1000, BYTES = COUNT * sizeof(double) };

static uint8_t obvious(double value, double least, double greatest)
{
    const double shade = (value - least) * (255 / (greatest - least));
    return (uint8_t)(shade > 255 ? 255 : shade > 0 ? lrint(shade) : 0);
}

static void assert_greys(int type, const void *numbers, int64_t count, double least,
                         double greatest)
{
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        uint8_t grey[COUNT + 1];
        if (!isa_pin(isa_name((enum isa)isa)))
            continue;
        memset(grey, 77, sizeof grey);
        grey_fill(grey, type, numbers, count, least, greatest);
        for (int64_t i = 0; i < count; i++)
            assert_int_equal(grey[i],
                             obvious(scow_type_value(type, numbers, (size_t)i), least, greatest));
        assert_int_equal(grey[count], 77);
    }
    isa_pin("auto");
}

/* The numbers have any bits, so that floats are also huge, tiny, infinite and not a number; there
 * are any count of them. */
static void all_types_as_the_obvious_way(void **state)
{
    static const int types[] = {SCOW_U8,  SCOW_U16, SCOW_U32, SCOW_U64,
                                SCOW_I32, SCOW_I64, SCOW_F32, SCOW_F64};
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t random = seed;
        union {
            uint64_t words[COUNT];
            unsigned char bytes[BYTES];
        } numbers;
        for (int i = 0; i < COUNT; i++)
            numbers.words[i] = random_bits(&random);
        const int type = types[seed % (sizeof types / sizeof *types)];
        const int64_t count = (int64_t)(random_bits(&random) % (COUNT + 1));
        const double least = scow_type_value(type, &numbers, 0);
        const double greatest = scow_type_value(type, &numbers, 1);
        if (isnan(least) || isnan(greatest) || isinf(greatest - least))
            continue;
        assert_greys(type, &numbers, count, fmin(least, greatest), fmax(least, greatest));
    }
}

/* A value in the middle between two shades becomes the even one; values beyond the ends, and no
 * range, are tested, too. */
static void ties_ends_and_nothing(void **state)
{
    double numbers[COUNT];
    (void)state;
    for (int i = 0; i < COUNT; i++)
        numbers[i] = 0.5 * (i - 100);
    assert_greys(SCOW_F64, numbers, COUNT, 0, 255);
    assert_greys(SCOW_F64, numbers, COUNT, 3, 3);
    uint8_t grey[4];
    const float few[4] = {1.5F, 2.5F, NAN, INFINITY};
    grey_fill(grey, SCOW_F32, few, 4, 0, 255);
    assert_true(grey[0] == 2 && grey[1] == 2 && grey[2] == 0 && grey[3] == 255);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types_as_the_obvious_way),
        cmocka_unit_test(ties_ends_and_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
