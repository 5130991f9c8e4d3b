/* Trials as assertions of cmocka, whose header must come before this one. */
#ifndef TESTS_KERNEL_ASSERT_TRIAL_H
#define TESTS_KERNEL_ASSERT_TRIAL_H

#include "tests/kernel/trial.h"

static inline void assert_no_complaint(const char *complaint)
{
    if (complaint != NULL)
        fail_msg("%s", complaint);
}

static inline void assert_trial_random(const struct algorithm *algorithm, const struct bank *bank,
                                       int rows, int columns, uint64_t seed)
{
    assert_no_complaint(trial_complaint_random(algorithm, bank, rows, columns, seed));
}

#endif
