/* The table of algorithms, the choice of an instruction set, and every algorithm on every
 * instruction set against the reference, on all sorts of banks and tiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernel/vector/isa.h"
#include "tests/cases.h"
#include "tests/kernel/assert_trial.h"

static void all_agree_with_the_reference(void **state)
{
    (void)state;
    assert_no_complaint(trial_complaint_seeds(1, cases_of(100)));
}

static void isas_can_be_pinned(void **state)
{
    (void)state;
    assert_true(isa_pin("generic"));
    assert_string_equal(isa_name(isa_current()), isa_name(ISA_BASELINE));
    assert_false(isa_pin("altivec"));
    assert_string_equal(isa_name(isa_current()), isa_name(ISA_BASELINE)); /* as it was */
    assert_true(isa_pin("auto"));
    for (int isa = ISA_COUNT - 1; isa >= 0; isa--)
        if (isa_available((enum isa)isa)) {
            assert_string_equal(isa_name(isa_current()), isa_name((enum isa)isa));
            break;
        }
}

static void every_algorithm_is_found_by_its_name(void **state)
{
    (void)state;
    size_t count;
    const struct algorithm *const *algorithms = algorithm_list(&count);
    assert_string_equal(algorithms[0]->name, "reference");
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(algorithm_find(algorithms[i]->name), algorithms[i]);
    assert_null(algorithm_find("magic"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_agree_with_the_reference),
        cmocka_unit_test(isas_can_be_pinned),
        cmocka_unit_test(every_algorithm_is_found_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
