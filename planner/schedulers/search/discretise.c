#include "planner/schedulers/search/discretise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct share {
    int64_t place;
    double wanted;
};

static int share_compare(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->wanted > y->wanted || x->wanted < y->wanted)
        return x->wanted > y->wanted ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void share_swap(struct share *shares, int64_t a, int64_t b)
{
    const struct share kept = shares[a];
    shares[a] = shares[b];
    shares[b] = kept;
}

/* Puts the greatest `first` of them first, without sorting: sorting all would take longer than
 * everything else here. */
static void shares_part(struct share *shares, int64_t count, int64_t first)
{
    int64_t low = 0, high = count - 1;
    while (first > low && first <= high) {
        int64_t left = low, right = high;
        const struct share middle = shares[low + (high - low) / 2];
        while (left <= right) {
            while (share_compare(&shares[left], &middle) < 0)
                left++;
            while (share_compare(&shares[right], &middle) > 0)
                right--;
            if (left <= right)
                share_swap(shares, left++, right--);
        }
        if (first <= right)
            high = right;
        else if (first > left)
            low = left;
        else
            return;
    }
}

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

/* Is a package of that size better for the ranking than none? */
static bool is_wanted(const struct ranking *ranking, double load)
{
    return load > 0 && load >= 0.5 * ranking_least(ranking);
}

/* How many packages there should be: as many as are wanted, within what the total needs and
 * suffices for; 0: no number is possible. */
static int64_t packages_count(const struct ranking *ranking, int64_t wanted, int64_t count,
                              double total)
{
    const double least = ranking_least(ranking);
    double most = fmin(floor(total / least), (double)count),
           fewest = ceil(total / ranking->greatest);
    while (most > 0 && most * least > total)
        most--;
    while (fewest * ranking->greatest < total)
        fewest++;
    return most < fewest ? 0 : (int64_t)clamp((double)wanted, fewest, most);
}

/* Puts the `packages` places with the greatest wanted loads first. */
static void shares_choose(const struct ranking *ranking, struct share *shares, const double *wanted,
                          int64_t count, int64_t packages, int64_t wanted_count)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++)
        if (packages != wanted_count || is_wanted(ranking, wanted[i]))
            shares[kept++] = (struct share){i, wanted[i]};
    /* Sorting 100,000 workers takes time: only where there is a choice to be made. */
    if (packages != wanted_count)
        qsort(shares, (size_t)count, sizeof *shares, share_compare);
}

/* Scales shares so that they lie in the window and sum to the total: each moves towards the bound
 * that has room, in proportion to its room. */
static void shares_balance(const struct ranking *ranking, struct share *shares, int64_t count,
                           double total)
{
    const double least = ranking_least(ranking), greatest = ranking->greatest;
    double sum = 0, room = 0;
    for (int64_t k = 0; k < count; k++)
        sum += shares[k].wanted;
    if (sum > 0) /* in proportion first, as far as the window allows */
        for (int64_t k = 0; k < count; k++)
            shares[k].wanted *= total / sum;
    sum = 0;
    for (int64_t k = 0; k < count; k++) {
        shares[k].wanted = clamp(shares[k].wanted, least, greatest);
        sum += shares[k].wanted;
    }
    const double missing = total - sum, bound = missing > 0 ? greatest : least;
    for (int64_t k = 0; k < count; k++)
        room += fabs(bound - shares[k].wanted);
    for (int64_t k = 0; k < count && room > 0; k++)
        shares[k].wanted += missing * (fabs(bound - shares[k].wanted) / room);
}

/* A pass over an order in which places get one more of the core tasks that are left, or one less;
 * or more than one, where there are more core tasks than places. */
struct round_pass {
    const struct ranking *ranking;
    struct share *shares;
    const struct share *order;
    int64_t count;
};

/* Gives to the places from `first` on, as far as the window allows; returns what is left. */
static double pass_through(const struct round_pass *pass, int64_t first, double left)
{
    const int64_t count = pass->count;
    const double each = copysign(fmax(floor(fabs(left) / (double)count), 1), left);
    for (int64_t k = first; k < count && fabs(left) >= 1; k++) {
        double *load = &pass->shares[pass->order[left > 0 ? k : count - 1 - k].place].wanted;
        const double changed = clamp(*load + each, pass->ranking->least, pass->ranking->greatest);
        left -= changed - *load;
        *load = changed;
    }
    return left;
}

/* Largest remainders: what is left goes to the shares with the greatest fractions. */
static void shares_round(const struct ranking *ranking, struct share *shares, int64_t count,
                         double total)
{
    double left = total;
    int64_t first = 0;
    /* Sorted by fraction; floor keeps shares within the window, because its bounds are whole. */
    struct share *order = shares + count;
    const struct round_pass pass = {ranking, shares, order, count};
    for (int64_t k = 0; k < count; k++) {
        const double whole = floor(shares[k].wanted);
        order[k] = (struct share){k, shares[k].wanted - whole};
        shares[k].wanted = clamp(whole, ranking->least, ranking->greatest);
        left -= shares[k].wanted;
    }
    if (left >= 1 && left < (double)count) {
        first = (int64_t)left;
        shares_part(order, count, first);
        left = pass_through(&(struct round_pass){ranking, shares, order, first}, 0, left);
    }
    if (fabs(left) >= 1)
        qsort(order, (size_t)count, sizeof *order, share_compare);
    for (; fabs(left) >= 1; first = 0)
        left = pass_through(&pass, first, left);
}

bool discretise(const struct ranking *ranking, double *wanted, int64_t count, double total,
                bool *out_of_memory)
{
    int64_t wanted_count = 0;
    if (count < 1 || !(total > 0))
        return false;
    for (int64_t i = 0; i < count; i++)
        wanted_count += is_wanted(ranking, wanted[i]);
    const int64_t packages = packages_count(ranking, wanted_count, count, total);
    const size_t room = (size_t)(packages == wanted_count ? packages : count + packages);
    if (packages == 0)
        return false;
    struct share *shares = malloc((room + (size_t)packages) * sizeof *shares);
    if (shares == NULL) {
        *out_of_memory = true;
        return false;
    }
    shares_choose(ranking, shares, wanted, count, packages, wanted_count);
    shares_balance(ranking, shares, packages, total);
    if (!ranking->real_valued)
        shares_round(ranking, shares, packages, total);
    memset(wanted, 0, (size_t)count * sizeof *wanted);
    for (int64_t k = 0; k < packages; k++)
        wanted[shares[k].place] = shares[k].wanted;
    free(shares);
    return true;
}
