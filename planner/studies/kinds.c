#include "planner/studies/kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/base/nearest.h"
#include "planner/model/beyond.h"
#include "planner/model/selection.h"

int64_t kind_workers(const struct kind *kind)
{
    return kind->count + kind->more;
}

bool kinds_alike(const struct kind *a, const struct kind *b)
{
    return a == b || (a->name && b->name && strcmp(a->name, b->name) == 0);
}

const char *kind_name(const struct kind *kind, char words[KIND_NAME_SIZE])
{
    if (kind->name)
        snprintf(words, KIND_NAME_SIZE, "%.70s", kind->name);
    else
        snprintf(words, KIND_NAME_SIZE, "rank %" PRId64, kind->first + 1);
    return words;
}

/* ---- which there are ----------------------------------------------------------------------- */

/* The end, in ranks, of the class of worker `first`: the least one of all windows. */
static int64_t class_end(const struct profile_setting *setting, int64_t first)
{
    int64_t end = INT64_MAX;
    for (size_t w = 0; w < setting->window_count; w++) {
        int64_t until = 0;
        for (size_t k = 0; until <= first; k++)
            until += setting->windows[w].workers[k].count;
        end = until < end ? until : end;
    }
    return end;
}

static bool kinds_fill(struct kinds *kinds, const struct profile_setting *setting, int64_t workers)
{
    const struct profile_window *window = &setting->windows[0];
    for (int64_t first = 0; first < workers;) {
        const struct profile_worker *class = &window->workers[profile_class(window, first)];
        const int64_t until = class_end(setting, first);
        const int64_t end = until < workers ? until : workers;
        struct kind *items = array_extend(kinds->items, kinds->count, sizeof *items);
        if (!items)
            return false;
        kinds->items = items;
        struct kind *kind = &items[kinds->count++];
        *kind = (struct kind){.name = class->name ? strdup(class->name) : NULL,
                              .first = first,
                              .count = end - first,
                              .most = end - first,
                              .price = class->price};
        if (class->name && !kind->name)
            return false;
        first = end;
    }
    return true;
}

static void beyond_join(struct kinds *kinds, const struct profile *profile, int64_t workers)
{
    const int64_t more = workers - kinds->measured;
    for (size_t k = 0; more > 0 && k < kinds->count; k++) {
        struct kind *kind = &kinds->items[k];
        if (beyond_rank(profile) <= kind->first || beyond_rank(profile) > kind->first + kind->count)
            continue;
        kinds->like = beyond_rank(profile);
        kind->more = more;
        kind->most += more;
    }
}

/* ---- which may be used --------------------------------------------------------------------- */

/* Is this kind of workers meant by that name of a class, or by that rank? */
static bool kind_is(const struct kind *kind, const char *word)
{
    char *end;
    if (kind->name && strcmp(kind->name, word) == 0)
        return true;
    if (*word < '0' || *word > '9')
        return false;
    const long long rank = strtoll(word, &end, 10);
    return *end == '\0' && rank > kind->first && rank <= kind->first + kind->count;
}

static bool class_refuse(const struct kinds *kinds, const char *option, const char *word,
                         struct failure *failure)
{
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = word};
    for (size_t k = 0; k < kinds->count; k++)
        if (kinds->items[k].name)
            nearest_try(&nearest, kinds->items[k].name);
    return failure_set(failure, FAILURE_USAGE,
                       "%s %.60s: the profile has no class of workers of that name, and no such "
                       "rank: %s",
                       option, word, nearest_hint(&nearest, "", "'scow show' lists them", hint));
}

/* What an option does with each kind of a class. *left: how many workers its number still
 * allows. */
typedef void kind_mark(struct kind *kind, int64_t *left);

static void mark_required(struct kind *kind, int64_t *left)
{
    (void)left;
    kind->required = true;
}

static void mark_excluded(struct kind *kind, int64_t *left)
{
    (void)left;
    kind->most = 0;
    kind->limit = KIND_EXCLUDED;
}

static void mark_at_most(struct kind *kind, int64_t *left)
{
    if (kind->most > *left) {
        kind->most = *left;
        kind->limit = KIND_AT_MOST;
    }
    *left -= kind->most;
}

static bool class_mark(struct kinds *kinds, const char *option, const char *word, int64_t number,
                       kind_mark *mark, struct failure *failure)
{
    bool found = false;
    int64_t left = number;
    for (size_t k = 0; k < kinds->count; k++)
        if (kind_is(&kinds->items[k], word)) {
            mark(&kinds->items[k], &left);
            found = true;
        }
    return found || class_refuse(kinds, option, word, failure);
}

/* Splits "CLASS=N": returns the number, and cuts the word before it. */
static bool number_take(char *word, int64_t *number, struct failure *failure)
{
    char *equals = strrchr(word, '='), *end = NULL;
    const long long value = equals ? strtoll(equals + 1, &end, 10) : -1;
    if (!equals || end == equals + 1 || *end || value < 0)
        return failure_set(failure, FAILURE_USAGE,
                           "--at-most %.60s: give CLASS=N, the most workers of that class", word);
    *equals = '\0';
    *number = value;
    return true;
}

static bool list_mark(struct kinds *kinds, const char *option, const char *list, bool numbers,
                      kind_mark *mark, struct failure *failure)
{
    char *words = list ? strdup(list) : NULL, *rest = NULL;
    bool good = words || !list || failure_memory(failure, "reading the command line");
    for (char *word = words ? strtok_r(words, ",", &rest) : NULL; good && word;
         word = strtok_r(NULL, ",", &rest)) {
        int64_t number = 0;
        good = (!numbers || number_take(word, &number, failure)) &&
               class_mark(kinds, option, word, number, mark, failure);
    }
    free(words);
    return good;
}

/* At least one worker must be left, and one of every required class. */
static bool limits_check(const struct kinds *kinds, struct failure *failure)
{
    char words[KIND_NAME_SIZE];
    int64_t left = 0;
    for (size_t k = 0; k < kinds->count; k++) {
        const struct kind *kind = &kinds->items[k];
        left += kind->most;
        if (kind->required && kind->most == 0)
            return failure_set(failure, FAILURE_INFEASIBLE,
                               "class %s is required, and left out by another option: give one of "
                               "them",
                               kind_name(kind, words));
    }
    return left > 0 ||
           failure_set(failure, FAILURE_INFEASIBLE,
                       "--exclude and --at-most leave no worker of %" PRId64 ": allow some class",
                       kinds->measured);
}

bool kinds_init(struct kinds *kinds, const struct profile *profile,
                const struct profile_setting *setting, int64_t worker_most,
                const struct kinds_wish *wish, struct failure *failure)
{
    const int64_t all = profile_workers(&setting->windows[0]);
    const int64_t workers = worker_most > 0 && worker_most < all ? worker_most : all;
    const int64_t measured = all - profile->beyond;
    struct kinds made = {.measured = workers < measured ? workers : measured};
    bool good =
        kinds_fill(&made, setting, made.measured) || failure_memory(failure, "choosing workers");
    beyond_join(&made, profile, workers);
    good = good && list_mark(&made, "--exclude", wish->exclude, false, mark_excluded, failure) &&
           list_mark(&made, "--at-most", wish->at_most, true, mark_at_most, failure) &&
           list_mark(&made, "--require", wish->require, false, mark_required, failure) &&
           limits_check(&made, failure);
    if (good)
        *kinds = made;
    else
        kinds_release(&made);
    return good;
}

void kinds_release(struct kinds *kinds)
{
    for (size_t k = 0; k < kinds->count; k++)
        free(kinds->items[k].name);
    free(kinds->items);
    *kinds = (struct kinds){.items = NULL};
}

/* ---- some of them -------------------------------------------------------------------------- */

static int64_t measured_of(const struct kind *kind, int64_t count)
{
    return count < kind->count ? count : kind->count;
}

bool kinds_select(const struct kinds *kinds, const int64_t *counts,
                  struct plan_selection *selection)
{
    struct plan_selection made = {.runs = NULL};
    int64_t beyond = 0;
    bool good = true;
    for (size_t k = 0; good && k < kinds->count; k++) {
        const struct kind *kind = &kinds->items[k];
        const int64_t measured = measured_of(kind, counts[k]);
        beyond += counts[k] - measured;
        good = measured == 0 || selection_add(&made, kind->first, kind->first + measured - 1);
    }
    good = good &&
           (beyond == 0 || selection_add(&made, kinds->measured, kinds->measured + beyond - 1));
    if (good)
        *selection = made;
    else
        selection_release(&made);
    return good;
}

size_t kinds_of(const struct kinds *kinds, const int64_t *counts, int64_t worker)
{
    int64_t end = 0;
    for (size_t k = 0; k < kinds->count; k++) {
        end += measured_of(&kinds->items[k], counts[k]);
        if (worker < end)
            return k;
    }
    for (size_t k = 0; k < kinds->count; k++)
        if (kinds->items[k].more > 0)
            return k;
    return 0;
}
