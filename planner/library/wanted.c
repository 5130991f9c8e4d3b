#include "planner/library/wanted.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/base/nearest.h"
#include "planner/model/beyond.h"

static bool value_add(struct parameter_list *wanted, const char *name, const char *word,
                      double number, struct failure *failure)
{
    if (parameter_list_find(wanted, name))
        return failure_set(failure, FAILURE_USAGE, "%.60s is given twice: choose one value", name);
    return parameter_list_add(wanted, name, word, number) ||
           failure_memory(failure, "reading the command line");
}

static bool item_add(struct parameter_list *wanted, char *item, struct failure *failure)
{
    char *equals = strchr(item, '=');
    if (!equals || equals == item || !equals[1])
        return failure_set(failure, FAILURE_USAGE, "--set %s: give NAME=VALUE,NAME=VALUE,...",
                           item);
    *equals = '\0';
    char *end = NULL;
    const char *value = equals + 1;
    const double number = strtod(value, &end);
    return value_add(wanted, item, *end ? value : NULL, number, failure);
}

bool wanted_read(const char *set, int64_t block, struct parameter_list *wanted,
                 struct failure *failure)
{
    char *items = set ? strdup(set) : NULL, *rest = NULL;
    bool good = !set || items || failure_memory(failure, "reading the command line");
    for (char *item = items ? strtok_r(items, ",", &rest) : NULL; good && item;
         item = strtok_r(NULL, ",", &rest))
        good = item_add(wanted, item, failure);
    free(items);
    if (good && block > 0)
        good = value_add(wanted, "block", NULL, (double)block, failure);
    return good;
}

static bool unknown_refuse(const struct profile *profile, const char *path, const char *name,
                           struct failure *failure)
{
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = name};
    for (size_t i = 0; i < profile->parameters.count; i++)
        nearest_try(&nearest, profile->parameters.items[i].name);
    for (size_t k = 0; k < profile->setting_count; k++)
        for (size_t i = 0; i < profile->settings[k].parameters.count; i++)
            nearest_try(&nearest, profile->settings[k].parameters.items[i].name);
    return failure_set(failure, FAILURE_MISMATCH, "'%s' knows no parameter '%.60s': %s", path, name,
                       nearest_hint(&nearest, "", "'scow show' lists those that it has", hint));
}

static bool any_setting_has(const struct profile *profile, const char *name)
{
    for (size_t k = 0; k < profile->setting_count; k++)
        if (parameter_list_find(&profile->settings[k].parameters, name))
            return true;
    return false;
}

/* Checks the name of the parameter. Whether some setting has that value is seen when one is
 * chosen. */
static bool parameter_check(const struct profile *profile, const char *path,
                            const struct parameter *wanted, struct failure *failure)
{
    if (any_setting_has(profile, wanted->name))
        return true;
    const struct parameter *own = parameter_list_find(&profile->parameters, wanted->name);
    if (!own)
        return unknown_refuse(profile, path, wanted->name, failure);
    return parameter_equal(own, wanted) ||
           failure_set(failure, FAILURE_MISMATCH,
                       "'%s' was measured with another %.60s: 'scow show' says with which; "
                       "calibrate with the one that is wanted",
                       path, wanted->name);
}

bool wanted_check(const struct profile *profile, const char *path,
                  const struct parameter_list *wanted, struct failure *failure)
{
    for (size_t i = 0; i < wanted->count; i++)
        if (!parameter_check(profile, path, &wanted->items[i], failure))
            return false;
    return true;
}

static bool like_refuse(const struct profile *profile, const char *path, const char *like,
                        struct failure *failure)
{
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = like};
    const struct profile_window *window = &profile->settings[0].windows[0];
    for (size_t k = 0; k < profile_classes(profile, window); k++)
        if (window->workers[k].name)
            nearest_try(&nearest, window->workers[k].name);
    return failure_set(failure, FAILURE_USAGE,
                       "--like %.60s: '%s' has no class of workers of that name, and no rank (1 to "
                       "%" PRId64 "): %s",
                       like, path, beyond_measured(profile),
                       nearest_hint(&nearest, "", "'scow show' lists them", hint));
}

bool wanted_workers(struct profile *profile, const char *path, int64_t workers, const char *like,
                    struct failure *failure)
{
    const int64_t rank = like ? beyond_find(profile, like) : 0;
    if (like && rank == 0)
        return like_refuse(profile, path, like, failure);
    return beyond_extend(profile, workers, rank, failure);
}

/* ---- prices -------------------------------------------------------------------------------- */

/* Sets the price of the classes of that name, or of that rank, in every window; NULL: of all
 * classes. Returns how many there are. */
static size_t classes_price(struct profile_setting *setting, const char *name, int64_t rank,
                            double price_s)
{
    size_t count = 0;
    for (size_t w = 0; w < setting->window_count; w++) {
        struct profile_window *window = &setting->windows[w];
        const size_t of_rank = rank > 0 ? profile_class(window, rank - 1) : 0;
        for (size_t k = 0; k < window->worker_count; k++) {
            struct profile_worker *class = &window->workers[k];
            const bool named = name && class->name && strcmp(class->name, name) == 0;
            if (name && !named && !(rank > 0 && k == of_rank))
                continue;
            class->price.price_s = price_s;
            count++;
        }
    }
    return count;
}

/* The rank, where the name is a number and no class is called so. */
static int64_t rank_of(const struct profile *profile, const char *name)
{
    const bool digits = name && *name >= '0' && *name <= '9';
    return digits ? beyond_find(profile, name) : 0;
}

static bool price_set(struct profile *profile, const char *path, const char *name, double price_s,
                      struct failure *failure)
{
    const bool master = !name || strcmp(name, "master") == 0;
    const int64_t rank = rank_of(profile, name);
    size_t count = master;
    if (master)
        profile->master.price_s = price_s;
    for (size_t k = 0; k < profile->setting_count; k++)
        count += classes_price(&profile->settings[k], name, rank, price_s);
    return count > 0 ||
           failure_set(
               failure, FAILURE_USAGE,
               "--price %.60s: '%s' has no class of workers of that name, and no such rank: "
               "'scow show' lists them",
               name, path);
}

static bool watts_take(struct price *price)
{
    *price = (struct price){.price_s = price->watts, .watts = price->watts};
    return price->watts > 0;
}

/* Prices in joules: each rank costs its watts per second, and nothing to start. */
static bool energy_price(struct profile *profile, const char *path, struct failure *failure)
{
    bool known = watts_take(&profile->master);
    for (size_t k = 0; k < profile->setting_count; k++)
        for (size_t w = 0; w < profile->settings[k].window_count; w++) {
            struct profile_window *window = &profile->settings[k].windows[w];
            for (size_t c = 0; c < window->worker_count; c++)
                known = watts_take(&window->workers[c].price) || known;
        }
    return known || failure_set(failure, FAILURE_USAGE,
                                "--price energy: '%s' has no watts, for where it was measured no "
                                "counter of energy could be read: give them as --price CLASS=WATTS",
                                path);
}

static bool price_take(struct profile *profile, const char *path, char *word,
                       struct failure *failure)
{
    char *equals = strrchr(word, '='), *end = NULL;
    const char *number = equals ? equals + 1 : word;
    const double price_s = strtod(number, &end);
    if (strcmp(word, "energy") == 0)
        return energy_price(profile, path, failure);
    if (end == number || *end || !(price_s >= 0 && price_s <= LIMIT_PRICE) || equals == word)
        return failure_set(failure, FAILURE_USAGE,
                           "--price %.60s: give CLASS=P or P, what a rank costs a second, from 0 "
                           "to %g, or energy",
                           word, LIMIT_PRICE);
    if (equals)
        *equals = '\0';
    return price_set(profile, path, equals ? word : NULL, price_s, failure);
}

bool wanted_prices(struct profile *profile, const char *path, const char *prices,
                   struct failure *failure)
{
    char *words = prices ? strdup(prices) : NULL, *rest = NULL;
    bool good = words || !prices || failure_memory(failure, "reading the command line");
    for (char *word = words ? strtok_r(words, ",", &rest) : NULL; good && word;
         word = strtok_r(NULL, ",", &rest))
        good = price_take(profile, path, word, failure);
    free(words);
    return good;
}

bool wanted_model(struct profile *profile, const char *model, struct failure *failure)
{
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = model};
    enum operating found;
    if (!model)
        return true;
    if (operating_find(model, &found)) {
        profile_operate(profile, found);
        return true;
    }
    for (int k = 0; k < OPERATING_COUNT; k++)
        nearest_try(&nearest, operating_traits((enum operating)k)->name);
    return failure_set(failure, FAILURE_USAGE, "unknown operating model '%.60s': %s", model,
                       nearest_hint(&nearest, "", "'scow plan --help' lists them", hint));
}
