#include "planner/command/plan_periods.h"

#include <stdlib.h>

#include "planner/base/parameter.h"
#include "planner/files/load.h"
#include "planner/files/textfile.h"
#include "planner/library/wanted.h"
#include "planner/model/platform.h"
#include "planner/studies/one_period.h"
#include "planner/studies/pairs_table.h"

/* The only setting that fits the options; NULL with *failure set. Borrowed. */
static const struct profile_setting *setting_find(const struct periods_request *request,
                                                  const struct profile *profile,
                                                  const struct parameter_list *wanted,
                                                  struct failure *failure)
{
    const struct profile_setting *found = NULL;
    for (size_t k = 0; k < profile->setting_count; k++) {
        if (!profile_setting_suits(&profile->settings[k], wanted))
            continue;
        if (found) {
            failure_set(failure, FAILURE_USAGE,
                        "'%s' has several settings, each with costs of its own: say which by "
                        "--block or --set",
                        request->profile);
            return NULL;
        }
        found = &profile->settings[k];
    }
    if (!found)
        failure_set(failure, FAILURE_MISMATCH,
                    "'%s' has no setting with these parameters: 'scow show %s' lists them",
                    request->profile, request->profile);
    return found;
}

static bool figure_write(const struct pairs_table *table, const char *path, struct failure *failure)
{
    struct text text = TEXT_INIT;
    pairs_table_svg(table, &text);
    char *figure = text_finish(&text, true, "drawing the figure", failure);
    const bool good = figure && textfile_write(path, figure, failure);
    free(figure);
    return good;
}

static bool pairs_answer(const struct periods_request *request, const struct platform *platform,
                         struct failure *failure)
{
    struct pairs_table table;
    struct text text = TEXT_INIT;
    if (!pairs_table_make(platform, &table, failure))
        return false;
    bool good = !request->svg || figure_write(&table, request->svg, failure);
    if (good && !request->quiet) {
        if (request->json)
            pairs_table_json(&table, &text);
        else
            pairs_table_text(&table, &text);
        good = text_print(&text, "describing perfect pairs", failure);
    }
    pairs_table_release(&table);
    return good;
}

static bool period_answer(const struct periods_request *request, const struct platform *platform,
                          struct failure *failure)
{
    struct one_period one;
    struct text text = TEXT_INIT;
    if (!one_period_make(platform, request->period_s, &one, failure))
        return false;
    if (request->json)
        one_period_json(&one, &text);
    else
        one_period_text(&one, &text);
    one_period_release(&one);
    if (!request->quiet)
        return text_print(&text, "describing a period", failure);
    text_release(&text);
    return true;
}

static bool profile_answer(const struct periods_request *request, const struct profile *profile,
                           const struct parameter_list *wanted, struct failure *failure)
{
    struct platform platform;
    const struct profile_setting *setting = setting_find(request, profile, wanted, failure);
    if (!setting || !platform_init(&platform, setting, request->workers, failure))
        return false;
    const bool good = request->period_s > 0 ? period_answer(request, &platform, failure)
                                            : pairs_answer(request, &platform, failure);
    platform_release(&platform);
    return good;
}

bool periods_answer(const struct periods_request *request, struct failure *failure)
{
    struct profile profile;
    struct parameter_list wanted = {0};
    if (!load_profile(request->profile, &profile, NULL, failure))
        return false;
    const bool good =
        wanted_read(request->set, request->block, &wanted, failure) &&
        wanted_check(&profile, request->profile, &wanted, failure) &&
        wanted_workers(&profile, request->profile, request->workers, request->like, failure) &&
        profile_answer(request, &profile, &wanted, failure);
    parameter_list_release(&wanted);
    profile_release(&profile);
    return good;
}
