/* Every algorithm against the reference as a plain program, for processors that are emulated and
 * have no test library. Exit code 1 and a sentence when one is wrong. */
#include <stdio.h>

#include "kernel/vector/isa.h"
#include "tests/kernel/trial.h"

enum { SEEDS = 50 };

int main(void)
{
    const char *complaint = trial_complaint_seeds(1, SEEDS);
    if (complaint != NULL) {
        fprintf(stderr, "%s\n", complaint);
        return 1;
    }
    printf("%d seeds: all algorithms agree with the reference (%s)\n", SEEDS,
           isa_name(isa_current()));
    return 0;
}
