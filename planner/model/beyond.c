#include "planner/model/beyond.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/model/selection.h"
#include "planner/model/shared.h"

int64_t beyond_measured(const struct profile *profile)
{
    return profile_workers(&profile->settings[0].windows[0]) - profile->beyond;
}

int64_t beyond_rank(const struct profile *profile)
{
    return profile->like_rank > 0 ? profile->like_rank : beyond_measured(profile);
}

/* The rank of the last worker of the class of that name; 0: there is no such class. */
static int64_t window_find(const struct profile_window *window, size_t classes, const char *name)
{
    int64_t workers = 0, rank = 0;
    for (size_t k = 0; k < classes; k++) {
        workers += window->workers[k].count;
        if (window->workers[k].name && strcmp(window->workers[k].name, name) == 0)
            rank = workers;
    }
    return rank;
}

static int64_t rank_read(const struct profile *profile, const char *digits)
{
    char *end;
    if (*digits < '0' || *digits > '9')
        return 0;
    const long long rank = strtoll(digits, &end, 10);
    return *end == '\0' && rank <= beyond_measured(profile) ? rank : 0;
}

int64_t beyond_find(const struct profile *profile, const char *name)
{
    int64_t rank = 0;
    for (size_t k = 0; k < profile->setting_count; k++) {
        const struct profile_setting *setting = &profile->settings[k];
        for (size_t w = 0; rank == 0 && w < setting->window_count; w++)
            rank = window_find(&setting->windows[w], profile_classes(profile, &setting->windows[w]),
                               name);
    }
    return rank > 0 ? rank : rank_read(profile, name);
}

/* Appends a class; its name is copied. */
static bool window_append(struct profile_window *window, size_t like, int64_t count)
{
    struct profile_worker *workers =
        realloc(window->workers, (window->worker_count + 1) * sizeof *workers);
    if (!workers)
        return false;
    window->workers = workers;
    struct profile_worker *added = &workers[window->worker_count];
    *added = workers[like];
    added->count = count;
    added->name = workers[like].name ? strdup(workers[like].name) : NULL;
    window->worker_count++;
    return added->name || !workers[like].name;
}

/* The class of workers beyond the measured ones, if there are any, is the last one. */
static bool window_extend(const struct profile *profile, struct profile_window *window,
                          int64_t more)
{
    if (profile->beyond == 0)
        return window_append(window, profile_class(window, profile->like_rank - 1), more);
    window->workers[window->worker_count - 1].count += more;
    return true;
}

bool beyond_extend(struct profile *profile, int64_t workers, int64_t rank, struct failure *failure)
{
    const int64_t measured = beyond_measured(profile);
    const int64_t more = workers - measured - profile->beyond;
    if (workers > LIMIT_WORKERS)
        return failure_set(failure, FAILURE_USAGE,
                           "-n %" PRId64 ": there can be %" PRId64 " workers at most: give less",
                           workers, LIMIT_WORKERS);
    if (profile->beyond == 0)
        profile->like_rank = rank > 0 && rank <= measured ? rank : measured;
    if (more <= 0)
        return true;
    for (size_t k = 0; k < profile->setting_count; k++)
        for (size_t w = 0; w < profile->settings[k].window_count; w++)
            if (!window_extend(profile, &profile->settings[k].windows[w], more))
                return failure_memory(failure, "adding workers to a profile");
    profile->beyond += more;
    return true;
}

bool beyond_follow(struct profile *profile, const struct plan *plan, struct failure *failure)
{
    const struct plan_beyond *beyond = &plan->beyond;
    shared_follow(profile, plan->shared, plan->shared_count);
    return selection_follow(profile, &plan->selected, failure) &&
           (beyond->workers == 0 ||
            beyond_extend(profile, beyond->measured + beyond->workers, beyond->rank, failure));
}

struct plan_beyond beyond_of(const struct profile *profile, int64_t workers)
{
    const int64_t measured = beyond_measured(profile), rank = beyond_rank(profile);
    const struct profile_window *window = &profile->settings[0].windows[0];
    if (workers <= measured)
        return (struct plan_beyond){.workers = 0};
    return (struct plan_beyond){.measured = measured,
                                .workers = workers - measured,
                                .rank = rank,
                                .name = window->workers[profile_class(window, rank - 1)].name};
}

static void window_settle(struct profile_window *window, int64_t kept)
{
    struct profile_worker *last = &window->workers[window->worker_count - 1];
    last->count = kept;
    if (kept > 0)
        return;
    free(last->name);
    window->worker_count--;
}

void beyond_settle(struct profile *profile, int64_t workers)
{
    const int64_t seen = workers - beyond_measured(profile);
    const int64_t kept = seen < 0 ? 0 : seen < profile->beyond ? seen : profile->beyond;
    for (size_t k = 0; profile->beyond > 0 && k < profile->setting_count; k++)
        for (size_t w = 0; w < profile->settings[k].window_count; w++)
            window_settle(&profile->settings[k].windows[w], kept);
    profile->beyond = 0;
    profile->like_rank = 0;
}

void beyond_describe(const struct plan_beyond *beyond, struct text *text)
{
    if (beyond->workers == 0)
        return;
    text_add(text, "beyond      %" PRId64 " worker%s beyond those measured, like ", beyond->workers,
             beyond->workers == 1 ? "" : "s");
    if (beyond->name)
        text_add(text, "%s\n", beyond->name);
    else
        text_add(text, "rank %" PRId64 "\n", beyond->rank);
}

void beyond_json(const struct plan_beyond *beyond, struct json_text *json)
{
    if (beyond->workers == 0)
        return;
    struct json_text members = json_open_in(json, "beyond", "{", ", ");
    json_count(&members, "measured", beyond->measured);
    json_count(&members, "workers", beyond->workers);
    json_count(&members, "rank", beyond->rank);
    if (beyond->name)
        json_word(&members, "class", beyond->name);
    json_close(&members, "}");
}
