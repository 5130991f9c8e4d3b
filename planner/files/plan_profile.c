#include "planner/files/plan_profile.h"

#include "planner/files/profile_json.h"
#include "planner/model/beyond.h"

bool plan_profile_init(struct plan_profile *seen, const struct profile *profile,
                       const struct plan *plan, struct failure *failure)
{
    *seen = (struct plan_profile){.setting = NULL};
    if (!profile_copy(&seen->profile, profile))
        return failure_memory(failure, "copying a profile");
    if (!beyond_follow(&seen->profile, plan, failure))
        return false;
    seen->setting = profile_find(&seen->profile, &plan->parameters, plan->threads);
    profile_weigh(&seen->profile, plan->weights);
    profile_operate(&seen->profile, plan->operating);
    return seen->setting ||
           failure_set(failure, FAILURE_MISMATCH,
                       "the profile has no setting with the plan's parameters: plan again with "
                       "this profile");
}

void plan_profile_release(struct plan_profile *seen)
{
    profile_release(&seen->profile);
    seen->setting = NULL;
}
