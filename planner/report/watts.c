#include "planner/report/watts.h"

#include "planner/studies/charge.h"

static void watts_scale(struct profile *profile, double factor, double plus)
{
    profile->master.watts = factor * profile->master.watts + plus;
    for (size_t k = 0; k < profile->setting_count; k++)
        for (size_t w = 0; w < profile->settings[k].window_count; w++) {
            struct profile_window *window = &profile->settings[k].windows[w];
            for (size_t c = 0; c < window->worker_count; c++) {
                struct price *price = &window->workers[c].price;
                price->watts = factor * price->watts + plus;
            }
        }
}

void watts_learn(const struct run_record *record, struct profile *profile)
{
    /* Counters are read from before the first package until all workers have ended. */
    const double seconds = record->used.walltime_s - record->startup_s;
    const int64_t workers = run_record_ranks(record);
    if (!(record->used.energy_j > 0) || !(seconds > 0) || record->resumed > 0 || workers < 1 ||
        profile->setting_count == 0)
        return;
    const double watts = record->used.energy_j / seconds;
    const double known = energy_of_run(profile, &profile->settings[0], workers, 1);
    if (known > 0)
        watts_scale(profile, (1 + watts / known) / 2, 0);
    else
        watts_scale(profile, 0, watts / (double)(workers + 1));
}
