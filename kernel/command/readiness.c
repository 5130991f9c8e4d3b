/* A long-lived command loads before it answers, and only its first answer shows that it has: the
 * time until then, less what a later answer takes, is what it took to start. */
#include "kernel/command/worker.h"

/* One that was ready before it was asked takes for its first answer what it takes for the others.
 */
static const double first_least = 2;

static void slots_begin(struct worker *worker)
{
    for (int i = 0; i < worker->slot_count && worker->status == SCOW_OK; i++)
        slot_start(worker, &worker->slots[i]);
}

int readiness_begin(struct worker *worker, const struct scow_host *host)
{
    const bool known = host->size > offsetof(struct scow_host, started);
    if (!worker->job->form.mode->lasting || !known || host->threads < 1)
        return SCOW_OK;
    const struct scow_batch none = {.threads = host->threads, .rank = host->rank};
    worker_lay_out(worker, host->threads);
    worker->host = host;
    worker->batch = &none;
    worker->status = SCOW_OK;
    worker->begun_s = worker->now_s = worker_clock();
    slots_begin(worker);
    worker->host = NULL;
    worker->batch = NULL;
    return worker->status;
}

void readiness_note(const struct worker *worker, struct slot *slot, double seconds)
{
    if (!(worker->begun_s > 0) || worker->ready_told)
        return;
    if (slot->first_s > 0) {
        slot->later_s += seconds;
        slot->later++;
    } else {
        slot->first_s = worker->now_s;
        slot->first_took_s = seconds;
    }
}

void readiness_tell(struct worker *worker)
{
    double sum_s = 0;
    int known = 0, late = 0;
    if (!(worker->begun_s > 0) || worker->ready_told || worker->status != SCOW_OK)
        return;
    for (int i = 0; i < worker->slot_count; i++) {
        const struct slot *slot = &worker->slots[i];
        if (slot->later == 0)
            continue;
        const double line_s = slot->later_s / slot->later;
        known++;
        if (slot->first_took_s < first_least * line_s)
            continue;
        sum_s += slot->first_s - line_s - worker->begun_s;
        late++;
    }
    worker->ready_told = known > 0;
    if (late > 0 && sum_s > 0)
        worker->host->started(worker->host, sum_s / late);
}
