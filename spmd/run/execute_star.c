/*
 * Several masters: which of them a rank belongs to, and its part of the run.
 *
 * Side by side each master has a star of its own. In a tree the masters of groups are the workers
 * of the star of the master above them, and each has its group: two stars, and a part in both, the
 * same on every level. Stars of one level come together at a time, from rank 0's downwards.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/run/execution_state.h"

/* Until stars begin with their packages: ranks are there, and have nothing long to do. */
static const double assembly_s = 60;

/* ---- finding it ----------------------------------------------------------------------------- */

static bool is_tree(const struct plan *plan)
{
    return plan->child_count > 0;
}

static int rank_compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Lists the masters of all groups below, in their order. */
static int groups_list(const struct plan *plan, int *ranks)
{
    int count = 0;
    for (size_t k = 0; k < plan->child_count; k++) {
        ranks[count++] = (int)plan->children[k].master;
        count += groups_list(&plan->children[k], ranks + count);
    }
    return count;
}

static int number_of(const struct execution_star *star, int64_t rank)
{
    for (int k = 0; k < star->count; k++)
        if (star->ranks[k] == rank)
            return k;
    return -1; /* the rank is not a master */
}

static void parents_find(const struct plan *plan, int number, struct execution_star *star)
{
    for (size_t k = 0; k < plan->child_count; k++) {
        const int below = number_of(star, plan->children[k].master);
        star->parents[below] = number;
        parents_find(&plan->children[k], below, star);
    }
}

/* Side by side: in the plan's order; in a tree: rank 0, then the others in their order. */
static bool masters_list(const struct plan *plan, struct execution_star *star,
                         struct failure *failure)
{
    star->tree = is_tree(plan);
    star->count = (int)(star->tree ? plan_groups(plan) + 1 : plan->star_count);
    star->ranks = calloc((size_t)star->count, sizeof *star->ranks);
    star->parents = calloc((size_t)star->count, sizeof *star->parents);
    if (!star->ranks || !star->parents)
        return failure_memory(failure, "preparing one of several masters");
    for (size_t k = 0; k < plan->star_count; k++)
        star->ranks[k] = (int)plan->stars[k].master;
    if (star->tree) {
        groups_list(plan, star->ranks + 1);
        qsort(star->ranks, (size_t)star->count, sizeof *star->ranks, rank_compare);
        parents_find(plan, 0, star);
    }
    return true;
}

/* The plan of the master on that rank; NULL: there is none. */
static const struct plan *plan_below(const struct plan *plan, int64_t rank)
{
    const struct plan *found = NULL;
    for (size_t k = 0; !found && k < plan->child_count; k++)
        found = plan->children[k].master == rank ? &plan->children[k]
                                                 : plan_below(&plan->children[k], rank);
    return found;
}

/* The plan of this rank's star. */
static const struct plan *star_plan(const struct execution_state *state)
{
    const struct execution_star *star = &state->star;
    if (!star->tree)
        return &state->plan->stars[star->number];
    return star->number > 0 ? plan_below(state->plan, star->before) : state->plan;
}

static int depth_of(const struct execution_star *star, int number)
{
    return number == 0 ? 0 : 1 + depth_of(star, star->parents[number]);
}

/* The master with that number, and the masters directly below it; owned. NULL: out of memory. */
static int *places_make(const struct execution_star *star, int number, int *count)
{
    int *places = calloc((size_t)star->count, sizeof *places);
    *count = 0;
    for (int k = 0; places && k < star->count; k++)
        if (k == number || (k > 0 && star->parents[k] == number))
            places[(*count)++] = star->ranks[k];
    return places;
}

/* The rank in the star of that rank of the job; 0: it is none of the star's workers. */
static int64_t member_of(const struct execution_star *star, int64_t rank)
{
    if (!star->heads)
        return rank > star->before && rank < star->before + star->size ? rank - star->before : 0;
    for (int k = 1; k < star->size; k++)
        if (star->places[k] == rank)
            return k;
    return 0;
}

/* The group that contains that rank, itself or in groups below; 0: there is none. */
static int behind_of(const struct execution_star *star, int rank)
{
    int number = 0;
    while (number + 1 < star->count && star->ranks[number + 1] <= rank)
        number++;
    while (number > 0 && star->parents[number] != star->number)
        number = star->parents[number];
    return number > 0 ? (int)member_of(star, star->ranks[number]) : 0;
}

static bool behind_find(struct execution_state *state)
{
    struct execution_star *star = &state->star;
    const int ranks = state->execution->comm->size;
    star->behind = calloc((size_t)ranks, sizeof *star->behind);
    for (int rank = 0; star->behind && rank < ranks; rank++)
        star->behind[rank] = behind_of(star, rank);
    return star->behind != NULL;
}

/* For a tree. */
static bool places_find(struct execution_state *state, struct failure *failure)
{
    struct execution_star *star = &state->star;
    struct execution_above *above = &star->above;
    int count = 0, above_count;
    star->heads = is_tree(star_plan(state));
    star->depth = depth_of(star, star->number);
    if (star->heads) {
        star->places = places_make(star, star->number, &count);
        star->size = count;
    }
    if (star->number > 0 && execution_leads(state)) {
        above->number = star->parents[star->number];
        above->depth = star->depth - 1;
        above->places = places_make(star, above->number, &above_count);
    }
    return (!star->heads || (star->places && behind_find(state))) &&
                   (above->places || star->number == 0 || !execution_leads(state))
               ? true
               : failure_memory(failure, "preparing one of several masters");
}

/* The star's ranks are those from its master to the next one; in a tree of groups, its master and
 * the masters of its groups. */
static bool ranks_find(struct execution_state *state, struct failure *failure)
{
    const struct comm *comm = state->execution->comm;
    struct execution_star *star = &state->star;
    int end = comm->size;
    for (int k = 0; k < star->count; k++)
        if (star->ranks[k] <= comm->rank && star->ranks[k] >= star->before) {
            star->before = star->ranks[k];
            star->number = k;
        }
    for (int k = 0; k < star->count; k++)
        if (star->ranks[k] > star->before && star->ranks[k] < end)
            end = star->ranks[k];
    star->size = end - star->before;
    return !star->tree || places_find(state, failure);
}

/* Plans that scow makes are always like this. */
static bool ranks_check(const struct execution_state *state, struct failure *failure)
{
    const struct execution_star *star = &state->star;
    const struct plan *plan = star_plan(state);
    const char *name = state->execution->plan_name, *again = star->tree ? "tree" : "masters";
    if (star->size < 2)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: the master on rank %d has no worker: plan again with --%s, for as "
                           "many ranks as mpiexec starts",
                           name, star->before, again);
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        if (member_of(star, plan->workers[slot] + 1) == 0)
            return failure_set(failure, FAILURE_MISMATCH,
                               "%s: rank %" PRId64
                               " works for the master on rank %d, and is not one of the ranks "
                               "between it and the next master: plan again with --%s",
                               name, plan->workers[slot] + 1, star->before, again);
    return true;
}

/* A rank behind a master of groups that is no master itself would have no master to work for; and
 * masters must come before the ranks below them. */
static bool group_check(const struct execution_star *star, int number, const char *name,
                        struct failure *failure)
{
    const int rank = star->ranks[number];
    bool heads = false;
    for (int k = 1; k < star->count; k++)
        heads = heads || star->parents[k] == number;
    if (heads && (number + 1 == star->count || star->ranks[number + 1] != rank + 1))
        return failure_set(
            failure, FAILURE_MISMATCH,
            "%s: rank %d is in no group: make it the first group's master below rank "
            "%d",
            name, rank + 1, rank);
    return number == 0 || star->parents[number] < number ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: the master on rank %d stands before rank %d, whose group it is in: "
                       "give the group of groups a master before all of its ranks",
                       name, rank, star->ranks[star->parents[number]]);
}

/* The same on every rank. */
static bool tree_check(const struct execution_state *state, struct failure *failure)
{
    const struct execution_star *star = &state->star;
    bool good = true;
    for (int k = 0; good && star->tree && k < star->count; k++)
        good = group_check(star, k, state->execution->plan_name, failure);
    return good;
}

/* Takes the star's plan, with workers numbered as its master counts them. */
static bool plan_take(struct execution_state *state, struct failure *failure)
{
    struct execution_star *star = &state->star;
    const struct plan *from = star_plan(state);
    const size_t count = (size_t)from->worker_count;
    int64_t *workers = malloc((count + 1) * sizeof *workers);
    if (!workers)
        return failure_memory(failure, "preparing one of several masters");
    for (size_t slot = 0; slot < count; slot++)
        workers[slot] = member_of(star, from->workers[slot] + 1) - 1;
    star->plan = *from;
    star->plan.workers = workers;
    star->plan.children = NULL;
    star->plan.child_count = 0;
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

/* A master other than the first one reads itself what it packs. */
static void input_take(struct execution_state *state, struct failure *failure)
{
    const struct execution *execution = state->execution;
    struct making *making = &state->making;
    const enum scow_input_kind kind = (enum scow_input_kind)execution->kernel->task->input;
    if (making->input || kind == SCOW_INPUT_NONE || !execution_leads(state) || state->star.heads)
        return;
    making->input = input_open(kind, execution->input, failure);
    if (making->input)
        input_load(making->input, failure);
}

bool execution_star_find(struct execution_state *state, struct failure *failure)
{
    struct comm *comm = state->execution->comm;
    /* Where nothing is left, the first master alone ends the run. */
    if ((state->plan->star_count == 0 && !is_tree(state->plan)) ||
        (state->resume.on && state->resume.left == 0))
        return true;
    if (state->leads && state->execution->until)
        state->star.until = *state->execution->until;
    comm_broadcast(comm, &state->star.until, sizeof state->star.until);
    if (failure->code != FAILURE_NONE || !ranks_suffice(state, failure) ||
        !masters_list(state->plan, &state->star, failure) || !tree_check(state, failure))
        return comm_agree(comm, failure);
    if (ranks_find(state, failure) && ranks_check(state, failure) && plan_take(state, failure))
        input_take(state, failure);
    return comm_agree(comm, failure);
}

/* ---- beginning and end ---------------------------------------------------------------------- */

/* Only for the first master, which ends the run. */
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
    if (!masters_init(&star->masters, state->execution->comm, star->ranks, star->count,
                      star->number))
        failure_memory(failure, "preparing one of several masters");
    star->masters.until = star->until.who;
    star->masters.tree = star->tree;
    star->masters.parents = star->parents;
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

/* Each watch looks a few times per second, so that they do not call each other endlessly. */
static void beside_add(struct execution_star *star, struct comm *waits, struct comm *looks)
{
    struct execution_beside *beside = star->beside;
    while (beside->waits)
        beside++;
    beside->waits = waits;
    beside->watch = (struct comm_watch){.look = beside_look, .self = looks};
    comm_watch_add(waits, &beside->watch);
}

/* A rank that waits in one group watches the others, too. */
static void watches_join(struct execution_state *state)
{
    struct execution_star *star = &state->star;
    struct comm *const groups[] = {state->execution->comm, &star->comm, &star->above.comm};
    const size_t count = execution_leads(state) && execution_is_group(state) ? 3 : 2;
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++)
            if (a != b)
                beside_add(star, groups[a], groups[b]);
}

/* Collective. The ranks of the group watch each other, and its first one tells which process it
 * is. */
static void group_begin(struct execution_state *state, struct comm *comm, struct liveness *liveness,
                        struct process *master, bool goes_on, struct failure *failure)
{
    const struct liveness *whole = state->execution->liveness;
    if (whole) {
        struct liveness_words words = whole->words;
        words.goes_on = goes_on;
        liveness_begin(liveness, comm, &words, assembly_s, failure);
    }
    *master = process_self();
    comm_broadcast(comm, master, sizeof *master);
}

/* Collective. Splitting a link does not notice lost ranks. So all ranks come together before it,
 * while they watch each other; a rank that dies in the short time between is not waited for without
 * a limit. */
static void group_split(const struct execution_state *state, struct comm *comm, int number,
                        int before)
{
    const struct execution *execution = state->execution;
    comm_barrier(execution->comm);
    if (execution->assemble)
        execution->assemble(true);
    comm_split(comm, execution->comm, number, before);
    if (execution->assemble)
        execution->assemble(false);
}

/* Collective. Begins the stars of that level; a rank that is in none of them does nothing here. */
static void level_begin(struct execution_state *state, int depth, struct failure *failure)
{
    struct execution_star *star = &state->star;
    struct execution_above *above = &star->above;
    struct comm none;
    if (star->depth == depth) {
        group_split(state, &star->comm, star->number, star->heads ? 0 : star->before);
        star->comm.places = star->places;
        group_begin(state, &star->comm, &star->liveness, &star->master, star->number > 0, failure);
    } else if (above->places && above->depth == depth) {
        group_split(state, &above->comm, above->number, 0);
        above->comm.places = above->places;
        group_begin(state, &above->comm, &above->liveness, &above->master, above->number > 0,
                    failure);
    } else {
        group_split(state, &none, star->count, 0);
        link_end(&none.link);
    }
}

static void tree_begin(struct execution_state *state, struct failure *failure)
{
    const struct execution_star *star = &state->star;
    int deepest = 0;
    for (int k = 0; k < star->count; k++)
        deepest = depth_of(star, k) > deepest ? depth_of(star, k) : deepest;
    for (int depth = 0; depth <= deepest; depth++)
        level_begin(state, depth, failure);
}

bool execution_star_begin(struct execution_state *state, struct failure *failure)
{
    struct execution_star *star = &state->star;
    const struct execution *execution = state->execution;
    if (!execution_is_starred(state))
        return true;
    if (star->tree) {
        tree_begin(state, failure);
    } else {
        group_split(state, &star->comm, star->number, star->before);
        group_begin(state, &star->comm, &star->liveness, &star->master, false, failure);
    }
    watches_join(state);
    masters_make(state, failure);
    return comm_agree(execution->comm, failure);
}

void execution_star_leave(struct execution_state *state)
{
    struct execution_star *star = &state->star;
    if (!execution_is_starred(state) || star->comm.size == 0)
        return;
    for (size_t k = 0; k < BESIDE_MOST && star->beside[k].waits; k++) {
        comm_watch_remove(star->beside[k].waits, &star->beside[k].watch);
        star->beside[k].waits = NULL;
    }
    liveness_end(&star->above.liveness);
    liveness_end(&star->liveness);
}

void execution_star_end(struct execution_state *state, bool broken)
{
    struct execution_star *star = &state->star;
    execution_star_leave(state);
    if (star->comm.size > 0 && !broken)
        link_end(&star->comm.link);
    if (star->above.comm.size > 0 && !broken)
        link_end(&star->above.comm.link);
    masters_release(&star->masters);
    membership_release(&star->all);
    free(star->plan.workers);
    free(star->ranks);
    free(star->parents);
    free(star->places);
    free(star->behind);
    free(star->above.places);
    star->plan.workers = NULL;
    star->ranks = star->parents = star->places = star->behind = star->above.places = NULL;
}
