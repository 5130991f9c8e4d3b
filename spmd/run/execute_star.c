/* Several masters side by side: which of them a rank belongs to, and its part of the run. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/run/execution_state.h"

/* Until stars have begun their packages: ranks are there, and have nothing long to do. */
static const double assembly_s = 60;

/* ---- this rank's ---------------------------------------------------------------------------- */

static bool is_starred(const struct execution_state *state)
{
    return state->star.size > 0;
}

const struct plan *execution_plan(const struct execution_state *state)
{
    return is_starred(state) ? &state->star.plan : state->plan;
}

const struct comm *execution_comm(const struct execution_state *state)
{
    return is_starred(state) ? &state->star.comm : state->execution->comm;
}

struct liveness *execution_liveness(struct execution_state *state)
{
    struct liveness *whole = state->execution->liveness;
    return whole && is_starred(state) ? &state->star.liveness : whole;
}

bool execution_leads(const struct execution_state *state)
{
    return state->execution->comm->rank == state->star.before;
}

int execution_workers_all(const struct execution_state *state)
{
    return is_starred(state) ? state->execution->comm->size - (int)plan_masters(state->plan)
                             : execution_workers(state);
}

/* ---- finding it ----------------------------------------------------------------------------- */

/* Its ranks are those from its master to the next one. */
static void ranks_find(const struct plan *plan, const struct comm *comm,
                       struct execution_star *star)
{
    int end = comm->size;
    for (size_t k = 0; k < plan->star_count; k++) {
        const int master = (int)plan->stars[k].master;
        if (master <= comm->rank && master >= star->before) {
            star->before = master;
            star->number = (int)k;
        }
    }
    for (size_t k = 0; k < plan->star_count; k++)
        if (plan->stars[k].master > star->before && plan->stars[k].master < end)
            end = (int)plan->stars[k].master;
    star->size = end - star->before;
}

/* Plans of scow's own are like that. */
static bool ranks_check(const struct execution_state *state, struct failure *failure)
{
    const struct execution_star *star = &state->star;
    const struct plan *plan = &state->plan->stars[star->number];
    const char *name = state->execution->plan_name;
    if (star->size < 2)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: the master on rank %d has no rank of its own behind it: plan again "
                           "with --masters, for as many ranks as mpiexec starts",
                           name, star->before);
    for (int64_t slot = 0; slot < plan->worker_count; slot++) {
        const int64_t rank = plan->workers[slot] + 1;
        if (rank <= star->before || rank >= star->before + star->size)
            return failure_set(failure, FAILURE_MISMATCH,
                               "%s: rank %" PRId64
                               " works for the master on rank %d, and is not among the ranks that "
                               "stand between it and the next master: plan again with --masters",
                               name, rank, star->before);
    }
    return true;
}

/* The star's plan, with workers as its master counts them. */
static bool plan_take(struct execution_state *state, struct failure *failure)
{
    struct execution_star *star = &state->star;
    const struct plan *from = &state->plan->stars[star->number];
    const size_t count = (size_t)from->worker_count;
    int64_t *workers = malloc((count + 1) * sizeof *workers);
    if (!workers)
        return failure_memory(failure, "preparing one of several masters");
    for (size_t slot = 0; slot < count; slot++)
        workers[slot] = from->workers[slot] - star->before;
    star->plan = *from;
    star->plan.workers = workers;
    return true;
}

static bool ranks_suffice(const struct execution_state *state, struct failure *failure)
{
    const int64_t needed = plan_workers_needed(state->plan) + 1;
    const int ranks = state->execution->comm->size;
    return needed <= ranks ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: needs %" PRId64 " ranks, but there are %d: start mpiexec with -n "
                       "%" PRId64 ", or plan again with -n %d",
                       state->execution->plan_name, needed, ranks, needed, ranks - 1);
}

/* Another master reads what it packs by itself. */
static void input_take(struct execution_state *state, struct failure *failure)
{
    const struct execution *execution = state->execution;
    struct making *making = &state->making;
    const enum scow_input_kind kind = (enum scow_input_kind)execution->kernel->task->input;
    if (making->input || kind == SCOW_INPUT_NONE || !execution_leads(state))
        return;
    making->input = input_open(kind, execution->input, failure);
    if (making->input)
        input_load(making->input, failure);
}

bool execution_star_find(struct execution_state *state, struct failure *failure)
{
    struct comm *comm = state->execution->comm;
    if (state->plan->star_count == 0)
        return true;
    if (state->leads && state->execution->until)
        state->star.until = *state->execution->until;
    comm_broadcast(comm, &state->star.until, sizeof state->star.until);
    if (failure->code != FAILURE_NONE || !ranks_suffice(state, failure))
        return comm_agree(comm, failure);
    ranks_find(state->plan, comm, &state->star);
    if (ranks_check(state, failure) && plan_take(state, failure))
        input_take(state, failure);
    return comm_agree(comm, failure);
}

/* ---- beginning and end ---------------------------------------------------------------------- */

/* Of the first one alone, which ends the run. */
static void all_make(struct execution_state *state)
{
    const struct execution *execution = state->execution;
    const struct membership_setup setup = {.comm = execution->comm,
                                           .liveness = execution->liveness,
                                           .path = execution->output,
                                           .command = execution->command,
                                           .workers = execution->comm->size - 1};
    membership_init(&state->star.all, &setup);
}

static void masters_make(struct execution_state *state, struct failure *failure)
{
    struct execution_star *star = &state->star;
    if (!execution_leads(state))
        return;
    if (!masters_init(&star->masters, state->execution->comm, state->plan, star->number))
        failure_memory(failure, "preparing one of several masters");
    star->masters.until = star->until.who;
    star->masters.liveness = execution_liveness(state);
    if (star->number > 0)
        return;
    all_make(state);
    star->masters.members = &star->all;
}

static void beside_look(void *comm)
{
    comm_look(comm);
}

/* Whoever waits for one group looks after the other, too. Each watch looks a few times a second, so
 * that they do not go on calling each other. */
static void watches_join(struct execution_state *state)
{
    struct execution_star *star = &state->star;
    struct comm *whole = state->execution->comm;
    star->beside[0] = (struct comm_watch){.look = beside_look, .self = whole};
    star->beside[1] = (struct comm_watch){.look = beside_look, .self = &star->comm};
    comm_watch_add(&star->comm, &star->beside[0]);
    comm_watch_add(whole, &star->beside[1]);
}

bool execution_star_begin(struct execution_state *state, struct failure *failure)
{
    struct execution_star *star = &state->star;
    const struct execution *execution = state->execution;
    if (!is_starred(state))
        return true;
    comm_split(&star->comm, execution->comm, star->number, star->before);
    if (execution->liveness)
        liveness_begin(&star->liveness, &star->comm, &execution->liveness->words, assembly_s,
                       failure);
    watches_join(state);
    star->master = process_self();
    comm_broadcast(&star->comm, &star->master, sizeof star->master);
    masters_make(state, failure);
    return comm_agree(execution->comm, failure);
}

void execution_star_leave(struct execution_state *state)
{
    struct execution_star *star = &state->star;
    if (!is_starred(state) || star->comm.size == 0)
        return;
    comm_watch_remove(state->execution->comm, &star->beside[1]);
    comm_watch_remove(&star->comm, &star->beside[0]);
    liveness_end(&star->liveness);
}

void execution_star_end(struct execution_state *state, bool broken)
{
    struct execution_star *star = &state->star;
    execution_star_leave(state);
    if (star->comm.size > 0 && !broken)
        link_end(&star->comm.link);
    masters_release(&star->masters);
    membership_release(&star->all);
    free(star->plan.workers);
    star->plan.workers = NULL;
}
