#include "planner/dispatch/watch_slot.h"

void watch_slot_enter(const struct plan *plan, int64_t at, size_t entry, int64_t round,
                      struct watch_slot *slot)
{
    for (; entry < plan->round_count; round += plan->rounds[entry++].repeat)
        if (plan->rounds[entry].loads[at] > 0) {
            *slot = (struct watch_slot){entry, plan->rounds[entry].repeat - 1, round,
                                        plan->rounds[entry].loads[at]};
            return;
        }
    *slot = (struct watch_slot){.entry = entry, .round = round};
}

void watch_slot_advance(const struct plan *plan, int64_t at, struct watch_slot *slot)
{
    if (slot->repeats == 0) {
        watch_slot_enter(plan, at, slot->entry + 1, slot->round + 1, slot);
        return;
    }
    slot->repeats--;
    slot->round++;
    slot->left = plan->rounds[slot->entry].loads[at];
}
