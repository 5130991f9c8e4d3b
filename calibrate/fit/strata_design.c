#include "calibrate/fit/strata_design.h"

#include <stdlib.h>

#include "calibrate/fit/strata_fit.h"
#include "planner/base/random.h"

/* The first round has so many strata, or so many for each worker; up to WHOLE all are halved, and
 * then half of them, never more than MOST. */
enum { STRATA_FIRST = 16, FIRST_EACH = 2, STRATA_WHOLE = 64, STRATA_MOST = 1024 };
/* Places of others that a worker times in a round; of its packages a third at most. */
enum { OTHERS_EACH = 4, OTHERS_SHARE = 3 };

/* Of the first round. */
static int64_t strata_first(const struct strata_design *design)
{
    const int64_t each = (int64_t)FIRST_EACH * design->workers;
    const int64_t wanted = each > STRATA_FIRST ? each : STRATA_FIRST;
    const int64_t room = design->tasks / design->package;
    return room < 1 ? 1 : room < wanted ? room : wanted;
}

/* A round under way. */
struct round {
    struct strata_design *design;
    struct stratum *strata; /* owned; those there are */
    bool *used;             /* owned; by stratum: it is halved, or timed again in this round */
    int64_t *order;         /* owned; strata by chance */
    int *turns;             /* owned; workers by chance */
    size_t count;
    struct design_pass *pass;
};

static void round_release(struct round *round)
{
    free(round->strata);
    free(round->used);
    free(round->order);
    free(round->turns);
}

static int64_t below(struct strata_design *design, int64_t count)
{
    return (int64_t)(random_uniform(&design->seed) * (double)count);
}

static bool round_init(struct round *round)
{
    struct strata_design *design = round->design;
    round->strata = strata_of(design->samples, design->setting, &round->count);
    round->used = calloc(round->count + 1, sizeof *round->used);
    round->order = calloc(round->count + 1, sizeof *round->order);
    round->turns = calloc((size_t)design->workers, sizeof *round->turns);
    if (!round->strata || !round->used || !round->order || !round->turns)
        return false;
    for (int64_t k = 0; k < (int64_t)round->count; k++) {
        const int64_t at = below(design, k + 1);
        round->order[k] = round->order[at];
        round->order[at] = k;
    }
    return true;
}

/* Anew whenever all have had a turn. */
static int turn_next(struct round *round, int64_t place)
{
    const int workers = round->design->workers;
    const int at = (int)(place % workers);
    for (int k = 0; at == 0 && k < workers; k++) {
        const int64_t other = below(round->design, k + 1);
        round->turns[k] = round->turns[other];
        round->turns[other] = k;
    }
    return round->turns[at];
}

static void package_add(struct round *round, int worker, struct task_range place,
                        struct task_range stratum)
{
    round->pass->packages[round->pass->count++] = (struct design_package){
        .worker = worker, .first = place.first, .tasks = place.count, .stratum = stratum};
}

/* ---- places of others ---------------------------------------------------------------------- */

static int64_t timings_of(const struct round *round, const struct stratum *stratum, int rank)
{
    const struct samples *samples = round->design->samples;
    int64_t count = 0;
    for (int64_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        count += sample->setting == round->design->setting && sample->stratum.count > 0 &&
                 sample->operation == OPERATION_COMPUTE && sample->first == stratum->place.first &&
                 (rank == 0 || sample->rank == rank);
    }
    return count;
}

/* The first by chance that is free and that the worker has not timed, or only it could. */
static int64_t other_find(const struct round *round, int worker)
{
    int64_t any = -1;
    for (size_t k = 0; k < round->count; k++) {
        const int64_t at = round->order[k];
        if (round->used[at])
            continue;
        if (timings_of(round, &round->strata[at], worker + 1) == 0)
            return at;
        any = any < 0 ? at : any;
    }
    return any;
}

static void others_add(struct round *round, int64_t each)
{
    for (int64_t k = 0; k < each; k++)
        for (int worker = 0; worker < round->design->workers; worker++) {
            const int64_t at = other_find(round, worker);
            if (at < 0)
                return;
            const struct stratum *stratum = &round->strata[at];
            round->used[at] = true;
            package_add(round, worker, stratum->place,
                        (struct task_range){stratum->first, stratum->count});
        }
}

/* ---- new places ---------------------------------------------------------------------------- */

static void first_add(struct round *round, int64_t most)
{
    struct strata_design *design = round->design;
    const int64_t wanted = strata_first(design), count = wanted < most ? wanted : most;
    for (int64_t k = 0; k < count; k++) {
        const struct task_range stratum = strata_equal(design->tasks, k, count);
        package_add(round, turn_next(round, k),
                    strata_place(stratum, design->package, &design->seed), stratum);
    }
}

static bool halves_add(struct round *round, int64_t most)
{
    struct strata_design *design = round->design;
    bool *chosen = calloc(round->count + 1, sizeof *chosen);
    const int64_t room = STRATA_MOST - (int64_t)round->count;
    const int64_t half = (int64_t)round->count / 2;
    const int64_t usual = round->count < STRATA_WHOLE ? (int64_t)round->count : half;
    const int64_t limit = usual < room ? usual : room;
    int64_t place = 0;
    if (!chosen || strata_halve(round->strata, round->count, design->package,
                                limit < most ? limit : most, chosen) < 0) {
        free(chosen);
        return false;
    }
    for (size_t k = 0; k < round->count; k++) {
        if (!chosen[k])
            continue;
        const struct task_range half_of = strata_other_half(&round->strata[k]);
        package_add(round, turn_next(round, place++),
                    strata_place(half_of, design->package, &design->seed), half_of);
    }
    free(chosen);
    return true;
}

/* ---- a round ------------------------------------------------------------------------------- */

/* But the first `fixed`, which find the workers cold. */
static void packages_shuffle(struct round *round, int64_t fixed)
{
    struct design_package *packages = round->pass->packages;
    for (int64_t i = round->pass->count - 1; i > fixed; i--) {
        const int64_t k = fixed + below(round->design, i + 1 - fixed);
        const struct design_package held = packages[i];
        packages[i] = packages[k];
        packages[k] = held;
    }
}

static bool round_make(struct round *round, int64_t each_most)
{
    const int64_t workers = round->design->workers;
    if (round->count == 0) {
        first_add(round, each_most * workers);
        packages_shuffle(round, 0);
        return true;
    }
    const int64_t third = each_most / OTHERS_SHARE;
    const int64_t others = third < 1 ? 1 : third < OTHERS_EACH ? third : OTHERS_EACH;
    const int64_t places = each_most > others ? (each_most - others) * workers : workers;
    others_add(round, others);
    const int64_t again = round->pass->count;
    if (!halves_add(round, places))
        return false;
    if (round->pass->count == again) /* no place is new */
        round->pass->count = 0;
    packages_shuffle(round, workers < again ? workers : again);
    return true;
}

bool strata_design_next(struct strata_design *design, int64_t each_most, struct design_pass *pass,
                        struct failure *failure)
{
    struct round round = {.design = design, .pass = pass};
    *pass = (struct design_pass){.placed = true};
    bool good = round_init(&round);
    const size_t room =
        2 * round.count + (size_t)strata_first(design) + OTHERS_EACH * (size_t)design->workers;
    pass->packages = calloc(room + 1, sizeof *pass->packages);
    pass->parts = calloc(1, sizeof *pass->parts);
    good = good && pass->packages && pass->parts && round_make(&round, each_most);
    round_release(&round);
    if (!good) {
        design_pass_release(pass);
        return failure_memory(failure, "choosing what to probe");
    }
    pass->part_count = pass->count > 0 ? 1 : 0;
    pass->parts[0] = (struct design_part){0, pass->count};
    return true;
}
