#include "planner/schedulers/scow/last_round.h"

#include <math.h>
#include <stdlib.h>

#include "planner/schedulers/search/discretise.h"

/* The levelling problem for one m; times count from worker 1's start. */
struct levelling {
    const struct ranking *ranking;
    const struct last_round *last;
    double *offsets; /* start of worker i after worker 1's, minus the time of results that return
                        before its own */
    int64_t twice;   /* m */
};

static double level_rate(const struct levelling *level, int64_t i)
{
    return rate_of(level->ranking->workers[i].work);
}

/* What worker i must do before the work on its Z_i, including the latency of that. */
static double busy_before(const struct levelling *level, int64_t i)
{
    const struct cost work = level->ranking->workers[i].work;
    const double kept_s = i < level->twice ? cost_of(work, level->last->loads[i]) : 0;
    return level->offsets[i] + kept_s + work.latency_s;
}

static bool takes_part(const struct levelling *level, int64_t i)
{
    return level->last->loads[i] > 0;
}

/* The common end: sum over i of (end - busy_i) / rw_i equals what is to be divided. */
static double common_end(const struct levelling *level, int64_t count)
{
    double left = level->last->total, speed = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!takes_part(level, i))
            continue;
        left += busy_before(level, i) / level_rate(level, i);
        if (i < level->twice)
            left -= level->last->loads[i];
        speed += 1 / level_rate(level, i);
    }
    return left / speed;
}

/* Fills in Z for the first `count` workers; true: none is negative. */
static bool level_fill(const struct levelling *level, int64_t count, double *z)
{
    const double end_s = common_end(level, count);
    bool good = true;
    for (int64_t i = 0; i < level->ranking->count; i++) {
        z[i] = 0;
        if (i < count && takes_part(level, i))
            z[i] = (end_s - busy_before(level, i)) / level_rate(level, i);
        good = good && z[i] >= 0;
    }
    return good;
}

/* Divides ordinary loads and Z between the two rounds; Z must be packages that the window
 * allows. */
static bool level_split(const struct levelling *level, double *z, double *round, double *auxiliary,
                        bool *out_of_memory)
{
    double total = level->last->total;
    for (int64_t i = 0; i < level->twice; i++)
        total -= level->last->loads[i];
    if (!discretise(level->ranking, z, level->ranking->count, total, out_of_memory))
        return false;
    for (int64_t i = 0; i < level->ranking->count; i++) {
        round[i] = i < level->twice ? level->last->loads[i] : z[i];
        auxiliary[i] = i < level->twice ? z[i] : 0;
    }
    return true;
}

/* Sums by which every m is judged, over the workers that take part: by the number of workers before
 * i, the latest time at which one of them begins its Z as a second package; the latest at which one
 * of the others begins it as its only package; and what second packages add to the sum in
 * common_end. */
struct level_sums {
    double *twice_s, *once_s, *added; /* count + 1 entries each, by m */
    double left, speed;               /* for m = 0 */
};

static void sums_fill(const struct levelling *level, int64_t used, struct level_sums *sums)
{
    sums->left = level->last->total;
    sums->speed = 0;
    sums->twice_s[0] = -HUGE_VAL;
    sums->added[0] = 0;
    sums->once_s[used] = -HUGE_VAL;
    for (int64_t i = 0; i < used; i++) {
        sums->twice_s[i + 1] = sums->twice_s[i];
        sums->added[i + 1] = sums->added[i];
        if (!takes_part(level, i))
            continue;
        const struct cost work = level->ranking->workers[i].work;
        const double rate = rate_of(work), load = level->last->loads[i];
        const double once_s = level->offsets[i] + work.latency_s, kept_s = cost_of(work, load);
        sums->left += once_s / rate;
        sums->speed += 1 / rate;
        sums->twice_s[i + 1] = fmax(sums->twice_s[i], once_s + kept_s);
        sums->added[i + 1] += kept_s / rate - load;
    }
    for (int64_t i = used - 1; i >= 0; i--) {
        const double once_s = level->offsets[i] + level->ranking->workers[i].work.latency_s;
        sums->once_s[i] =
            takes_part(level, i) ? fmax(sums->once_s[i + 1], once_s) : sums->once_s[i + 1];
    }
}

/* The largest m with all Z >= 0: Z falls as m grows, so bisection finds it. */
static void level_search(struct levelling *level, int64_t used, struct level_sums *sums, double *z)
{
    int64_t good = 0, bad = (used < level->last->most ? used : level->last->most) + 1;
    sums_fill(level, used, sums);
    while (bad - good > 1) {
        const int64_t twice = good + (bad - good) / 2;
        const double end_s = (sums->left + sums->added[twice]) / sums->speed;
        if (end_s >= fmax(sums->twice_s[twice], sums->once_s[twice]))
            good = twice;
        else
            bad = twice;
    }
    level->twice = good;
    while (level->twice > 0 && !level_fill(level, used, z)) /* for differences by rounding */
        level->twice--;
}

static int64_t used_count(const struct ranking *ranking, const double *loads)
{
    int64_t used = ranking->count;
    while (used > 0 && !(loads[used - 1] > 0))
        used--;
    return used;
}

/* K of a worker whose last package has `load` core tasks, with `all` core tasks in this round and
 * the auxiliary one. */
static double returned_s(const struct levelling *level, int64_t i, double load, double all)
{
    const struct last_round *last = level->last;
    const bool together = level->ranking->results == RESULTS_END;
    const double before = last->rounds * last->loads[i];
    return cost_of(level->ranking->workers[i].result, together ? before + all : load);
}

/* Computes offsets by the loads that are known: the ordinary ones where z is NULL. */
static void offsets_fill(struct levelling *level, const double *z)
{
    const struct last_round *last = level->last;
    const bool returns = results_return(level->ranking->results);
    double before_s = 0; /* K of the worker before */
    level->offsets[0] = 0;
    for (int64_t i = 0; i < level->ranking->count; i++) {
        const bool part = takes_part(level, i);
        if (i > 0)
            level->offsets[i] = level->offsets[i - 1] + (part ? last->delays[i] - before_s : 0);
        if (!returns || !part)
            continue;
        const double load = z != NULL && z[i] > 0 ? z[i] : last->loads[i];
        const double kept = i < level->twice ? last->loads[i] : 0;
        before_s = returned_s(level, i, load, z != NULL ? kept + z[i] : last->loads[i]);
    }
}

/* Finds Z for the largest possible m; returns how many workers take part: the last ones are left
 * out where there is too little for all. */
static int64_t level_solve(struct levelling *level, int64_t used, struct level_sums *sums,
                           double *z)
{
    level_search(level, used, sums, z);
    while (!level_fill(level, used, z) && used > 1)
        used -= (used + 15) / 16; /* too little for all: those that start last are left out */
    for (int64_t i = 0; i < level->ranking->count; i++)
        z[i] = fmax(z[i], 0);
    return used;
}

bool last_round_make(const struct ranking *ranking, const struct last_round *last, double *round,
                     double *auxiliary, bool *out_of_memory)
{
    enum { BLOCKS = 5 };
    const size_t room = (size_t)ranking->count + 1;
    double *offsets = malloc(BLOCKS * room * sizeof *offsets);
    const int64_t all = used_count(ranking, last->loads);
    bool good = offsets != NULL && all > 0;
    *out_of_memory = *out_of_memory || offsets == NULL;
    if (good) {
        struct levelling level = {ranking, last, offsets, 0};
        double *z = offsets + room;
        struct level_sums sums = {
            .twice_s = z + room, .once_s = z + 2 * room, .added = z + 3 * room};
        offsets_fill(&level, NULL);
        int64_t used = level_solve(&level, all, &sums, z);
        for (int step = 0; step < last->steps; step++) {
            offsets_fill(&level, z);
            used = level_solve(&level, all, &sums, z);
        }
        good = level_split(&level, z, round, auxiliary, out_of_memory);
        if (!good && level.twice > 0) {
            level.twice = 0;
            level_fill(&level, used, z);
            for (int64_t i = 0; i < ranking->count; i++)
                z[i] = fmax(z[i], 0);
            good = level_split(&level, z, round, auxiliary, out_of_memory);
        }
    }
    free(offsets);
    return good;
}
