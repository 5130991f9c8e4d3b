#include "planner/model/profile.h"

#include <stdlib.h>

const struct profile_setting *profile_find(const struct profile *profile, int block)
{
    for (size_t k = 0; k < profile->setting_count; k++)
        if (profile->settings[k].block == block)
            return &profile->settings[k];
    return NULL;
}

int64_t profile_workers(const struct profile_window *window)
{
    int64_t workers = 0;
    for (size_t k = 0; k < window->worker_count; k++)
        workers += window->workers[k].count;
    return workers;
}

static void window_release(struct profile_window *window)
{
    for (size_t k = 0; k < window->worker_count; k++)
        free(window->workers[k].name);
    free(window->workers);
}

void profile_setting_release(struct profile_setting *setting)
{
    for (size_t k = 0; k < setting->window_count; k++)
        window_release(&setting->windows[k]);
    free(setting->windows);
    free(setting->method);
}

void profile_release(struct profile *profile)
{
    for (size_t k = 0; k < profile->setting_count; k++)
        profile_setting_release(&profile->settings[k]);
    free(profile->settings);
    parameter_list_release(&profile->parameters);
    free(profile->kernel);
    free(profile->origin.host_name);
    free(profile->origin.processor);
    free(profile->origin.isa);
    free(profile->origin.mpi);
    free(profile->origin.created);
    free(profile->origin.version);
    *profile = (struct profile){0};
}
