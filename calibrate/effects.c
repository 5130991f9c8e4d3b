#include "calibrate/effects.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "calibrate/allotment.h"
#include "calibrate/preview.h"
#include "calibrate/scout.h"
#include "planner/base/duration.h"
#include "spmd/job/commands.h"
#include "spmd/job/rejected.h"

enum { FAILURES_TOLD = 2 };

void effects_announce(const struct calibration_request *request, int64_t tasks, int workers)
{
    char budget[DURATION_SIZE];
    if ((request->kernel->task->flags & SCOW_ONCE) == 0)
        return;
    fprintf(stderr,
            "scow calibrate: these core tasks have side effects, and probes really do "
            "some, more than once: as many as fit into %s, at most %.0f (--dry-run shows the "
            "first; scow go measures while it works, and does each once)\n",
            duration_print(request->effort.budget_s, budget),
            allotment_tasks_most(&request->effort, tasks, workers) * request->setting_count);
}

/* ---- failures ------------------------------------------------------------------------------ */

/* A core task that was tried several times, and failed each time, is told of once. */
static bool was_told(const struct campaign_outcome *outcome, int index)
{
    for (int k = 0; k < index; k++)
        if (outcome->rejections[k].task == outcome->rejections[index].task)
            return true;
    return false;
}

void effects_failed(const struct campaign_outcome *outcome, const struct making *making,
                    struct text *text)
{
    if (outcome->failed == 0)
        return;
    struct commands *commands = commands_of(&making->job, making->input);
    for (int k = 0, told = 0; k < outcome->rejection_count && told < FAILURES_TOLD; k++) {
        if (was_told(outcome, k))
            continue;
        rejected_add(&outcome->rejections[k], commands, text);
        told++;
    }
    commands_close(&commands);
    if (outcome->failed < outcome->tasks)
        text_add(text,
                 "%" PRId64 " of %" PRId64 " core tasks that were computed failed; a run would "
                 "meet them, too: their times count like those of others\n",
                 outcome->failed, outcome->tasks);
}

/* ---- a dry run ----------------------------------------------------------------------------- */

static void commands_show(const struct making *making, const struct design_pass *pass, int workers,
                          struct text *text)
{
    const struct job *job = &making->job;
    int64_t tasks[PREVIEW_MOST];
    int shown = 0;
    for (; shown < PREVIEW_MOST && shown < pass->count; shown++)
        tasks[shown] = pass->packages[shown].first;
    if (!preview_add(making, tasks, shown, text))
        text_add(text,
                 "%s runs no commands: calibrating computes packages of one and more of its "
                 "%" PRId64 " core tasks (%s) on %d worker%s\n",
                 job->task->name, job->setup.tasks, job->task->core_task, workers,
                 workers == 1 ? "" : "s");
    else if (pass->count > shown)
        text_add(text, "and %" PRId64 " more, one for each worker, and then others\n",
                 pass->count - shown);
}

/* Local to the master. */
static void first_show(const struct calibration_request *request, const struct making *making,
                       int workers, struct failure *failure)
{
    const struct campaign campaign = {
        .workers = workers, .tasks = making->job.setup.tasks, .seed = request->seed};
    struct design_pass pass;
    struct text text = TEXT_INIT;
    if (!scout_first(&campaign, &pass, failure))
        return;
    commands_show(making, &pass, workers, &text);
    printf("%s", text.bytes ? text.bytes : "");
    design_pass_release(&pass);
    text_release(&text);
}

bool effects_dry_run(struct comm *comm, const struct calibration_request *request,
                     struct failure *failure)
{
    struct making making = {.comm = comm};
    if (making_start(&making, comm, request->kernel->task, &request->settings[0].values,
                     request->input, NULL, failure) &&
        comm->rank == 0) {
        const int workers = comm->size > 1 ? comm->size - 1 : 1; /* of one rank, as of two */
        first_show(request, &making, workers, failure);
        effects_announce(request, making.job.setup.tasks, workers);
    }
    making_release(&making);
    return comm_agree(comm, failure);
}
