#include "planner/model/plan.h"

#include <stdlib.h>

#include "planner/model/platform.h"

int plan_buffers(const struct plan *plan)
{
    return plan->buffers > 0 ? plan->buffers : PLATFORM_BUFFERS;
}

static bool worker_has_load(const struct plan *plan, int64_t slot)
{
    for (size_t k = 0; k < plan->round_count; k++)
        if (plan->rounds[k].loads[slot] > 0)
            return true;
    return false;
}

int64_t plan_workers_needed(const struct plan *plan)
{
    int64_t needed = 0;
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        if (plan->workers[slot] >= needed && worker_has_load(plan, slot))
            needed = plan->workers[slot] + 1;
    return needed;
}

int64_t plan_packages(const struct plan *plan)
{
    int64_t packages = 0;
    for (size_t k = 0; k < plan->round_count; k++) {
        int64_t loaded = 0;
        for (int64_t slot = 0; slot < plan->worker_count; slot++)
            loaded += plan->rounds[k].loads[slot] > 0;
        packages += plan->rounds[k].repeat * loaded;
    }
    return packages;
}

int64_t plan_rounds_total(const struct plan *plan)
{
    int64_t rounds = 0;
    for (size_t k = 0; k < plan->round_count; k++)
        rounds += plan->rounds[k].repeat;
    return rounds;
}

int64_t plan_workers_used(const struct plan *plan)
{
    int64_t used = 0;
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        used += worker_has_load(plan, slot);
    return used;
}

double plan_largest_load(const struct plan *plan)
{
    double largest = 0;
    for (size_t k = 0; k < plan->round_count; k++)
        for (int64_t slot = 0; slot < plan->worker_count; slot++)
            if (plan->rounds[k].loads[slot] > largest)
                largest = plan->rounds[k].loads[slot];
    return largest;
}

void plan_release(struct plan *plan)
{
    for (size_t k = 0; k < plan->round_count; k++)
        free(plan->rounds[k].loads);
    free(plan->rounds);
    for (size_t k = 0; k < plan->other_count; k++)
        parameter_list_release(&plan->others[k].parameters);
    free(plan->others);
    free(plan->workers);
    free(plan->profile);
    free(plan->profile_sha256);
    free(plan->scheduler);
    parameter_list_release(&plan->parameters);
    free(plan->kernel);
    free(plan->plugin);
    free(plan->plugin_sha256);
    *plan = (struct plan){0};
}
