/* Every algorithm against the reference, and pictures of the Mandelbrot set against its definition,
 * as a plain program, for processors that are emulated and have no test library. Exit code 1 and a
 * sentence when one is wrong. */
#include <inttypes.h>
#include <stdio.h>

#include "kernel/vector/isa.h"
#include "tests/kernel/mandelbrot_trial.h"
#include "tests/kernel/trial.h"

enum { SEEDS = 25, PICTURES = 10 }; /* as an emulator is slow */

int main(void)
{
    const char *complaint = trial_complaint_seeds(1, SEEDS);
    if (complaint != NULL) {
        fprintf(stderr, "%s\n", complaint);
        return 1;
    }
    for (uint64_t seed = 1; seed <= PICTURES; seed++)
        if ((complaint = domain_complaint_random(seed)) != NULL) {
            fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, complaint);
            return 1;
        }
    printf("%d seeds: all algorithms agree with the reference; %d: pictures with their "
           "definition (%s)\n",
           SEEDS, PICTURES, isa_name(isa_current()));
    return 0;
}
