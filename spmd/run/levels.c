#include "spmd/run/levels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/model/selection.h"
#include "spmd/job/output_name.h"
#include "spmd/resume/levels_kept.h"
#include "spmd/resume/remaining_plan.h"
#include "spmd/run/ranks_left.h"
#include "spmd/run/run_outcome.h"
#include "spmd/transport/bundle.h"

bool levels_check(const struct execution *execution, struct failure *failure)
{
    const char *task = execution->kernel->task->name;
    if (execution->tail)
        return failure_set(failure, FAILURE_USAGE,
                           "core task '%s': levels are planned as they come, and have no tails on "
                           "request: give --tail none, or -s RULE",
                           task);
    if (execution->plan->weights)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: has weights, and those of later levels are not known: plan again "
                           "without --weights",
                           execution->plan_name);
    return true;
}

/* ---- one level ----------------------------------------------------------------------------- */

struct search {
    const struct execution *whole;
    const struct levels_setup *setup;
    struct ranks_left ranks;      /* those that take part */
    struct execution_level level; /* the current level */
    int64_t number;               /* the number of the current level, from 1 */
    char *plan_text;              /* owned; of a level after the first */
    struct plan plan;             /* of such a level */
    char *emitted;                /* owned */
    bool resume;                  /* the level is resumed */
    bool alone;                   /* no worker is left for another level */
    double predicted_s, measured_s;
    bool entire; /* every core task of every level was done by this program, as predicted */
};

static void level_release(struct search *search)
{
    plan_release(&search->plan);
    free(search->plan_text);
    free(search->emitted);
    free(search->level.before);
    description_release(&search->level.made);
    description_release(&search->level.next);
    search->plan = (struct plan){.kernel = NULL};
    search->plan_text = search->emitted = search->level.before = NULL;
}

/* Local to the master. Plans by the user's scheduler or another one, for the ranks that are left
 * and for what the level's core tasks cost, as far as known. */
static char *plan_make(const struct search *search, struct failure *failure)
{
    const struct execution *whole = search->whole;
    struct plan wished = *whole->plan;
    const struct remaining_request request = {.plan = &wished,
                                              .tasks = search->level.made.tasks,
                                              .workers = search->ranks.comm->size - 1};
    struct profile profile = {0};
    if (!whole->profile)
        return remaining_plan(&request, NULL, failure);
    wished.selected =
        (struct plan_selection){.runs = NULL}; /* the whole plan keeps its selection */
    if (!profile_copy(&profile, whole->profile) ||
        !ranks_left_select(&search->ranks, whole->plan, whole->profile, &wished.selected))
        failure_memory(failure, "planning a level");
    profile_level(&profile, search->number);
    char *text = failure->code == FAILURE_NONE ? remaining_plan(&request, &profile, failure) : NULL;
    selection_release(&wished.selected);
    profile_release(&profile);
    return text;
}

/* Local to the master. Owned; without its folder. */
static char *before_name(const struct search *search, struct failure *failure)
{
    char *name = output_name_level(search->whole->output, search->number - 1);
    const char *slash = name ? strrchr(name, '/') : NULL;
    char *last = name ? strdup(slash ? slash + 1 : name) : NULL;
    if (!last)
        failure_memory(failure, "beginning a level");
    free(name);
    return last;
}

/* Local to the master. */
static void level_plan(struct search *search, struct failure *failure)
{
    search->number = search->level.made.tasks > 0 ? search->level.made.level : 1;
    if (search->number == 1)
        return;
    search->plan_text = plan_make(search, failure);
    search->level.before = before_name(search, failure);
}

/* Local. Each level has files of its own, because those of the level before are still needed. */
static char *emitted_name(const struct search *search)
{
    char ending[64];
    const char *given = search->setup->results;
    snprintf(ending, sizeof ending, ".level%" PRId64 "%s", search->number, given ? "" : ".results");
    if (!given)
        return output_name_beside(search->whole->output, ending);
    const size_t size = strlen(given) + strlen(ending) + 1;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s%s", given, ending);
    return name;
}

/* Collective. Gives the master's plan and number to every rank. */
static bool level_share(struct search *search, struct failure *failure)
{
    const struct comm *comm = search->ranks.comm;
    struct bundle bundle = {0};
    size_t length = search->plan_text ? strlen(search->plan_text) : 0;
    if (comm_leads(comm)) {
        bundle_put(&bundle, &search->number, sizeof search->number);
        bundle_put_text(&bundle, search->plan_text, length);
    }
    const bool good = bundle_share(&bundle, comm, failure);
    if (good && !comm_leads(comm)) {
        bundle_take(&bundle, &search->number, sizeof search->number);
        search->plan_text = bundle_take_text(&bundle, &length, failure);
    }
    bundle_release(&bundle);
    if (good && search->plan_text)
        plan_parse(&search->plan, search->plan_text, length, "the level's plan", failure);
    if (good && !(search->emitted = emitted_name(search)))
        failure_memory(failure, "beginning a level");
    return good && comm_agree(comm, failure);
}

/* Local to the master. */
static void level_print(struct search *search, const struct run_outcome *outcome)
{
    const struct plan_prediction *predicted = &outcome->predicted;
    const size_t size = strlen(search->whole->output) + 40;
    char *label = malloc(size);
    if (!label)
        return;
    snprintf(label, size, "%s: level %" PRId64, search->whole->output, search->number);
    run_outcome_print(label, outcome, !search->whole->rule);
    free(label);
    search->entire = search->entire && predicted->known && !outcome->resumed;
    search->predicted_s += predicted->makespan_s;
    search->measured_s += outcome->makespan_s;
}

/* Collective, after a level. Gives the outcome of the level at the master, which may be busy with
 * the next one for long, to all ranks. They watch meanwhile that it lives: for the end of the level
 * they had stopped watching each other. */
static bool level_agree(const struct search *search, struct failure *failure)
{
    const struct levels_setup *setup = search->setup;
    const struct execution *whole = search->whole;
    const struct liveness_words words = {.program = whole->command,
                                         .path = whole->output,
                                         .state = "a level is to begin",
                                         .again = whole->again};
    if (!setup->liveness || setup->liveness->comm)
        return comm_agree(search->ranks.comm, failure);
    return liveness_begin(setup->liveness, search->ranks.comm, &words, setup->assembly_s, failure);
}

static void assemble(const struct search *search, bool begins)
{
    if (search->whole->assemble)
        search->whole->assemble(begins);
}

/* Collective among the ranks that are left, after a level in which some were lost. */
static void lost_leave_out(struct search *search, struct run_outcome *outcome)
{
    const struct execution *whole = search->whole;
    const int workers = search->ranks.comm->size - 1;
    search->alone = !ranks_left_suffice(&search->ranks, outcome);
    if (search->alone)
        return;
    assemble(search, true);
    ranks_left_go_on(&search->ranks, outcome);
    assemble(search, false);
    outcome->broken = false;
    if (comm_leads(search->ranks.comm) && search->level.next.tasks > 0)
        fprintf(stderr,
                "%s: goes on without %d of %d workers: after level %" PRId64
                " they are numbered from 1 again\n",
                whole->command, outcome->lost.count, workers, search->number);
}

/* Collective. */
static bool level_run(struct search *search, struct run_outcome *outcome, struct failure *failure)
{
    struct execution execution = *search->whole;
    const bool leads = comm_leads(execution.comm);
    execution.comm = search->ranks.comm;
    if (leads)
        level_plan(search, failure);
    if (!level_share(search, failure))
        return false;
    execution.level = &search->level;
    execution.emitted = search->emitted;
    execution.resume = search->resume;
    if (search->plan_text) {
        execution.plan = &search->plan;
        execution.plan_text = search->plan_text;
    }
    const bool good = execute_run(&execution, outcome, failure);
    if (good && leads) {
        level_print(search, outcome);
        run_outcome_check(execution.output, outcome, failure);
    }
    if (outcome->broken)
        lost_leave_out(search, outcome);
    return search->alone ? good : level_agree(search, failure);
}

/* ---- from one to the next ------------------------------------------------------------------ */

/* Local to the master. */
static void alone_tell(const struct search *search, struct failure *failure)
{
    if (search->level.next.tasks > 0)
        failure_set(failure, FAILURE_STOPPED,
                    "%s: level %" PRId64 " is done, and no worker is left for the next one: %s to "
                    "go on",
                    search->whole->output, search->number, search->whole->again);
}

/* Collective, where a worker is left. False: there is no next level, or *failure is set. */
static bool level_advance(struct search *search, struct failure *failure)
{
    const struct comm *comm = search->ranks.comm;
    const bool leads = comm_leads(comm);
    int64_t tasks = search->level.next.tasks;
    if (search->alone && leads && failure->code == FAILURE_NONE)
        alone_tell(search, failure);
    if (search->alone)
        return false;
    if (leads && tasks > 0)
        levels_kept_add(search->whole->output, search->number, failure);
    if (!comm_agree(comm, failure))
        return false;
    comm_broadcast(comm, &tasks, sizeof tasks);
    const struct description next = search->level.next;
    search->level.next = (struct description){.tasks = 0};
    level_release(search);
    search->level.made = next;
    search->level.again = true;
    search->resume = false;
    return tasks > 0;
}

/* Local to the master. */
static void search_print(const struct search *search)
{
    const double off = search->measured_s / search->predicted_s - 1;
    printf("%s: %" PRId64 " levels", search->whole->output, search->number);
    if (search->entire && search->predicted_s > 0 && !search->whole->rule)
        printf(" in %.4f s (predicted %.4f s as they began, %+.1f %%)", search->measured_s,
               search->predicted_s, 100 * off);
    printf("\n");
}

bool levels_run(const struct execution *execution, const struct levels_setup *setup,
                struct run_outcome *outcome, struct failure *failure)
{
    struct search search = {.whole = execution, .setup = setup, .resume = execution->resume};
    const bool leads = comm_leads(execution->comm);
    bool good = true, goes_on = true;
    ranks_left_begin(&search.ranks, setup->comm);
    if (leads)
        levels_kept_find(execution->output, execution->resume, &search.level.made, failure);
    search.entire = search.level.made.tasks == 0;
    while (goes_on) {
        run_outcome_release(outcome);
        *outcome = (struct run_outcome){0};
        good = level_run(&search, outcome, failure);
        goes_on = good && level_advance(&search, failure);
    }
    if (good && leads && failure->code == FAILURE_NONE)
        search_print(&search);
    if (search.ranks.made)
        liveness_end(setup->liveness); /* it watches the ranks that are left */
    ranks_left_end(&search.ranks, outcome);
    level_release(&search);
    return good;
}
