/* Commands and the memory that they share with all others on the node. */
#include "kernel/command/memory.h"
#include "kernel/command/worker.h"

static const double left_age_s = 0.05;

static int slots_running(const struct worker *worker)
{
    int running = 0;
    for (int i = 0; i < worker->slot_count; i++)
        running += worker->slots[i].running;
    return running;
}

/* Those that run may have reached half of what such commands take, on an average. */
bool memory_suffices(struct worker *worker)
{
    const int running = slots_running(worker);
    if (running == 0 || worker->peak_kib == 0)
        return true;
    if (worker->now_s >= worker->left_s + left_age_s) {
        worker->left_kib = memory_left_kib();
        worker->left_s = worker->now_s;
    }
    return worker->left_kib < 0 ||
           worker->left_kib >= worker->peak_kib + worker->peak_kib * running / 2;
}

bool memory_ended(struct worker *worker)
{
    const int64_t kills = memory_kills(), before = worker->kills;
    worker->kills = kills;
    return before >= 0 && kills > before;
}
