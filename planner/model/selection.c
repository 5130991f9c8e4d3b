#include "planner/model/selection.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"

bool selection_add(struct plan_selection *selection, int64_t first, int64_t last)
{
    if (selection->count > 0 && selection->runs[selection->count - 1].last + 1 == first) {
        selection->runs[selection->count - 1].last = last;
        return true;
    }
    struct plan_run *runs = array_extend(selection->runs, selection->count, sizeof *runs);
    if (!runs)
        return false;
    runs[selection->count] = (struct plan_run){first, last};
    selection->runs = runs;
    selection->count++;
    return true;
}

bool selection_copy(struct plan_selection *to, const struct plan_selection *from)
{
    struct plan_selection copy = {.runs = NULL};
    for (size_t k = 0; k < from->count; k++)
        if (!selection_add(&copy, from->runs[k].first, from->runs[k].last)) {
            selection_release(&copy);
            return false;
        }
    *to = copy;
    return true;
}

void selection_release(struct plan_selection *selection)
{
    free(selection->runs);
    *selection = (struct plan_selection){.runs = NULL};
}

/* How many of the workers first .. end - 1 are selected. */
static int64_t selected_between(const struct plan_selection *selection, int64_t first, int64_t end)
{
    int64_t count = 0;
    for (size_t k = 0; k < selection->count; k++) {
        const struct plan_run *run = &selection->runs[k];
        const int64_t from = run->first > first ? run->first : first;
        const int64_t to = run->last + 1 < end ? run->last + 1 : end;
        count += to > from ? to - from : 0;
    }
    return count;
}

/* Selected workers keep their order, so that those of a class stay neighbours. */
static bool window_select(const struct profile_window *from, const struct plan_selection *selection,
                          struct profile_window *made)
{
    int64_t first = 0;
    *made = *from;
    made->worker_count = 0;
    made->workers = calloc(from->worker_count, sizeof *made->workers);
    if (!made->workers)
        return false;
    for (size_t k = 0; k < from->worker_count; k++) {
        struct profile_worker class = from->workers[k];
        const int64_t end = first + class.count;
        class.count = selected_between(selection, first, end);
        if (class.count > 0)
            made->workers[made->worker_count++] = class;
        first = end;
    }
    return true;
}

bool selection_setting(const struct profile_setting *from, const struct plan_selection *selection,
                       struct profile_setting *made)
{
    struct profile_setting copy = *from;
    copy.window_count = 0;
    copy.windows = calloc(from->window_count, sizeof *copy.windows);
    for (size_t k = 0; copy.windows && k < from->window_count; k++) {
        if (!window_select(&from->windows[k], selection, &copy.windows[k]))
            break;
        copy.window_count++;
    }
    if (copy.windows && copy.window_count == from->window_count) {
        *made = copy;
        return true;
    }
    selection_setting_release(&copy);
    return false;
}

void selection_setting_release(struct profile_setting *made)
{
    for (size_t k = 0; k < made->window_count; k++)
        free(made->windows[k].workers);
    free(made->windows);
    made->windows = NULL;
    made->window_count = 0;
}

/* Keeps only the selected workers, in place: classes without one are removed with their names. */
static void window_keep(struct profile_window *window, const struct plan_selection *selection)
{
    int64_t first = 0;
    size_t kept = 0;
    for (size_t k = 0; k < window->worker_count; k++) {
        struct profile_worker class = window->workers[k];
        const int64_t end = first + class.count;
        class.count = selected_between(selection, first, end);
        if (class.count > 0)
            window->workers[kept++] = class;
        else
            free(class.name);
        first = end;
    }
    window->worker_count = kept;
}

bool selection_follow(struct profile *profile, const struct plan_selection *selection,
                      struct failure *failure)
{
    if (selection->count == 0)
        return true;
    const int64_t workers = profile_workers(&profile->settings[0].windows[0]);
    const int64_t last = selection->runs[selection->count - 1].last;
    if (last >= workers)
        return failure_set(failure, FAILURE_MISMATCH,
                           "the plan selects worker %" PRId64 " of its profile, which has %" PRId64
                           ": plan again with this profile",
                           last, workers);
    for (size_t k = 0; k < profile->setting_count; k++)
        for (size_t w = 0; w < profile->settings[k].window_count; w++)
            window_keep(&profile->settings[k].windows[w], selection);
    return true;
}

void selection_describe(const struct plan_selection *selection, struct text *text)
{
    enum { RUNS_MOST = 8 };
    for (size_t k = 0; k < selection->count && k < RUNS_MOST; k++) {
        const struct plan_run *run = &selection->runs[k];
        text_add(text, k > 0 ? ", %" PRId64 : "selected    ranks %" PRId64, run->first + 1);
        if (run->last > run->first)
            text_add(text, " to %" PRId64, run->last + 1);
    }
    if (selection->count > 0)
        text_add(text, "%s of the profile\n", selection->count > RUNS_MOST ? ", ..." : "");
}
