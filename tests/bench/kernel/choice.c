/*
 * Is the algorithm that is chosen the fastest? Banks of random filters from one to many and from
 * small to large, each by every algorithm and by the choice.
 */
#include "tests/bench/kernel/choice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/matched/correlators/correlate.h"
#include "kernel/matched/groups.h"
#include "tests/bench/kernel/works.h"

static const int counts[] = {1, 2, 4, 8, 16};
static const int sides[] = {3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 25, 31};
static const int tiles[] = {16, 64, 256};
static const struct method *const methods[] = {&method_direct, &method_fft, &method_auto};
enum {
    COUNTS = sizeof counts / sizeof *counts,
    SIDES = sizeof sides / sizeof *sides,
    TILES = sizeof tiles / sizeof *tiles,
    METHODS = sizeof methods / sizeof *methods,
    EDGE = 256
};

/* How much longer the choice takes than the better of the algorithms, and how these compare, in
 * truth and by the model. */
struct finding {
    double regret, fft_by_direct, estimated;
};

static double estimate_of(const char *algorithm, const struct bank *bank, int tile)
{
    const struct demand demand = {tile, tile, speeds_current()};
    double effort;
    if (!algorithm_find(algorithm)->estimate(bank, &demand, 1, &effort))
        abort();
    return effort;
}

/* The one algorithm that is chosen for the whole bank; "auto": there are several. Known, it need
 * not be timed again under another name, which would show the machine's noise as a bad choice. */
static const char *chosen(const struct bank *bank, int tile)
{
    const struct demand demand = {tile, tile, speeds_current()};
    struct groups_choice choice;
    size_t count;
    if (!groups_choose(bank, &demand, 1, NULL, &choice))
        abort();
    return choice.large > 0 ? "auto" : algorithm_list(&count)[choice.algorithms[1]]->name;
}

static struct finding finding_of(int count, int side, int tile, int rounds)
{
    const struct setting setting = {.tile = tile, .threads = 1};
    const struct limits limits = {.least = 3, .rounds = rounds, .budget_s = 1};
    struct bank *bank = bank_of_random(count, side);
    struct work work;
    struct comparison comparison;
    work_init(&work, "choice", bank, EDGE);
    comparison_make(&comparison, &work, &setting, methods, METHODS, &limits);
    const double direct = comparison_least(&comparison, "direct"),
                 fft = comparison_least(&comparison, "fft");
    const struct finding finding = {
        comparison_least(&comparison, chosen(bank, tile)) / fmin(direct, fft), fft / direct,
        estimate_of("fft", bank, tile) / estimate_of("direct", bank, tile)};
    work_release(&work);
    bank_free(&bank);
    return finding;
}

static double row_print(int count, int tile, int rounds)
{
    double worst = 0;
    struct finding findings[SIDES];
    printf("  %2d filter%s  fft/direct", count, count == 1 ? " " : "s");
    for (int i = 0; i < SIDES; i++) {
        findings[i] = finding_of(count, sides[i], tile, rounds);
        printf(" %6.2f", findings[i].fft_by_direct);
        worst = fmax(worst, findings[i].regret);
    }
    printf("\n              estimated ");
    for (int i = 0; i < SIDES; i++)
        printf(" %6.2f", findings[i].estimated);
    printf("\n              auto/best ");
    for (int i = 0; i < SIDES; i++)
        printf(" %6.2f", findings[i].regret);
    printf("\n");
    fflush(stdout);
    return worst;
}

double choice_measure(int rounds)
{
    double worst = 0;
    for (int t = 0; t < TILES; t++) {
        printf("\nwhich algorithm, %d x %d, tile %d\n  taps a side           ", EDGE, EDGE,
               tiles[t]);
        for (int i = 0; i < SIDES; i++)
            printf(" %6d", sides[i]);
        printf("\n");
        for (int i = 0; i < COUNTS; i++)
            worst = fmax(worst, row_print(counts[i], tiles[t], rounds));
    }
    return worst;
}
