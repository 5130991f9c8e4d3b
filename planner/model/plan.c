#include "planner/model/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/model/platform.h"
#include "planner/model/selection.h"

struct plan_prediction plan_prediction_steady(const struct plan_prediction *predicted)
{
    struct plan_prediction steady = *predicted;
    if (!(predicted->without_variation_s > 0))
        return steady;
    const double longer = predicted->makespan_s / predicted->without_variation_s;
    steady.makespan_s = predicted->without_variation_s;
    steady.without_variation_s = 0;
    steady.worker_busy_share *= longer;
    steady.network_utilization *= longer;
    return steady;
}

int plan_buffers(const struct plan *plan)
{
    return plan->buffers > 0 ? plan->buffers : PLATFORM_BUFFERS;
}

bool plan_writes_behind(const struct plan *plan)
{
    const struct parameter *behind = parameter_list_find(&plan->parameters, PLATFORM_WRITE_BEHIND);
    return behind && parameter_is_yes(behind);
}

enum results plan_returns(const struct plan *plan)
{
    const struct parameter *own = parameter_list_find(&plan->parameters, RESULTS_PARAMETER);
    enum results results = RESULTS_NONE;
    if (own && own->word)
        results_find(own->word, &results);
    return results;
}

bool plan_tail_own(const struct plan *plan, const char *tail)
{
    return tail && plan->tail ? strcmp(tail, plan->tail) == 0 : !tail && !plan->tail;
}

bool plan_is_several(const struct plan *plan)
{
    return plan->star_count > 0 || plan->child_count > 0;
}

size_t plan_masters(const struct plan *plan)
{
    return plan->star_count > 0 ? plan->star_count : 1;
}

size_t plan_groups(const struct plan *plan)
{
    size_t count = plan->child_count;
    for (size_t k = 0; k < plan->child_count; k++)
        count += plan_groups(&plan->children[k]);
    return count;
}

bool plan_has_master(const struct plan *plan, int64_t rank)
{
    for (size_t k = 0; k < plan->star_count; k++)
        if (plan->stars[k].master == rank)
            return true;
    for (size_t k = 0; k < plan->child_count; k++)
        if (plan->children[k].master == rank || plan_has_master(&plan->children[k], rank))
            return true;
    return false;
}

int64_t plan_masters_among(const struct plan *plan, int64_t first, int64_t end)
{
    int64_t count = plan->star_count == 0 && plan->master >= first && plan->master < end;
    for (size_t k = 0; k < plan->star_count; k++)
        count += plan_masters_among(&plan->stars[k], first, end);
    for (size_t k = 0; k < plan->child_count; k++)
        count += plan_masters_among(&plan->children[k], first, end);
    return count;
}

static void star_inherit(struct plan *star, const struct plan *plan)
{
    star->real_valued = plan->real_valued;
    star->buffers = plan->buffers;
    star->operating = plan->operating;
    star->threads = plan->threads;
}

void plan_inherit(struct plan *plan)
{
    double first = plan->first;
    for (size_t k = 0; k < plan->star_count; k++) {
        star_inherit(&plan->stars[k], plan);
        plan->stars[k].first = first;
        first += plan->stars[k].tasks;
    }
    for (size_t k = 0; k < plan->child_count; k++) {
        star_inherit(&plan->children[k], plan);
        plan->children[k].master = plan->workers[k] + 1;
        plan_inherit(&plan->children[k]);
    }
}

/* The plan's parts that have workers which compute: stars or groups; NULL: the plan itself has
 * them. */
static const struct plan *plan_parts(const struct plan *plan, size_t *count)
{
    *count = plan->star_count > 0 ? plan->star_count : plan->child_count;
    return plan->star_count > 0 ? plan->stars : plan->children;
}

size_t plan_leaves(const struct plan *plan)
{
    size_t count, leaves = 0;
    const struct plan *parts = plan_parts(plan, &count);
    for (size_t k = 0; k < count; k++)
        leaves += plan_leaves(&parts[k]);
    return count > 0 ? leaves : 1;
}

const struct plan *plan_leaf(const struct plan *plan, size_t number)
{
    size_t count, own, k = 0;
    const struct plan *parts = plan_parts(plan, &count);
    if (count == 0)
        return plan;
    for (; (own = plan_leaves(&parts[k])) <= number; k++)
        number -= own;
    return plan_leaf(&parts[k], number);
}

/* The first master after that rank and before `end`; `end`: there is none. */
static int64_t master_next(const struct plan *plan, int64_t rank, int64_t end)
{
    size_t count;
    const struct plan *parts = plan_parts(plan, &count);
    for (size_t k = 0; k < count; k++) {
        if (parts[k].master > rank && parts[k].master < end)
            end = parts[k].master;
        end = master_next(&parts[k], rank, end);
    }
    return end;
}

int64_t plan_workers_behind(const struct plan *plan, int64_t master, int64_t ranks)
{
    return master_next(plan, master, ranks) - master - 1;
}

bool plan_slot_loaded(const struct plan *plan, int64_t slot)
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
        if (plan->workers[slot] >= needed && plan_slot_loaded(plan, slot))
            needed = plan->workers[slot] + 1;
    size_t count;
    const struct plan *parts = plan_parts(plan, &count);
    for (size_t k = 0; k < count; k++) {
        const int64_t part = plan_workers_needed(&parts[k]);
        needed = part > needed ? part : needed;
    }
    return needed;
}

int64_t plan_packages(const struct plan *plan)
{
    size_t count;
    const struct plan *parts = plan_parts(plan, &count);
    int64_t packages = 0;
    for (size_t k = 0; count == 0 && k < plan->round_count; k++) {
        int64_t loaded = 0;
        for (int64_t slot = 0; slot < plan->worker_count; slot++)
            loaded += plan->rounds[k].loads[slot] > 0;
        packages += plan->rounds[k].repeat * loaded;
    }
    for (size_t k = 0; k < count; k++)
        packages += plan_packages(&parts[k]);
    return packages;
}

int64_t plan_rounds_total(const struct plan *plan)
{
    int64_t rounds = 0;
    for (size_t k = 0; k < plan->round_count; k++)
        rounds += plan->rounds[k].repeat;
    for (size_t k = 0; k < plan->star_count; k++)
        rounds += plan_rounds_total(&plan->stars[k]);
    return rounds;
}

int64_t plan_workers_used(const struct plan *plan)
{
    size_t count;
    const struct plan *parts = plan_parts(plan, &count);
    int64_t used = 0;
    for (int64_t slot = 0; count == 0 && slot < plan->worker_count; slot++)
        used += plan_slot_loaded(plan, slot);
    for (size_t k = 0; k < count; k++)
        used += plan_workers_used(&parts[k]);
    return used;
}

double plan_largest_load(const struct plan *plan)
{
    size_t count;
    const struct plan *parts = plan_parts(plan, &count);
    double largest = 0;
    for (size_t k = 0; count == 0 && k < plan->round_count; k++)
        for (int64_t slot = 0; slot < plan->worker_count; slot++)
            if (plan->rounds[k].loads[slot] > largest)
                largest = plan->rounds[k].loads[slot];
    for (size_t k = 0; k < count; k++)
        largest = fmax(largest, plan_largest_load(&parts[k]));
    return largest;
}

/* Appends an entry with whole packages from the left, as long as `tasks` suffice. */
static bool head_add(const struct plan *plan, const struct plan_round *round, int64_t repeat,
                     double tasks, struct plan *head)
{
    double *loads = calloc((size_t)plan->worker_count, sizeof *loads), sum = 0;
    if (!loads)
        return false;
    for (int64_t k = 0; k < plan->worker_count && sum + round->loads[k] <= tasks; k++) {
        loads[k] = round->loads[k];
        sum += loads[k];
    }
    head->rounds[head->round_count++] = (struct plan_round){repeat, loads};
    head->tasks += (double)repeat * sum;
    return true;
}

static double round_tasks(const struct plan *plan, const struct plan_round *round)
{
    double tasks = 0;
    for (int64_t k = 0; k < plan->worker_count; k++)
        tasks += round->loads[k];
    return tasks;
}

/* Takes whole rounds as long as they fit, then a part of one. */
static bool head_fill(const struct plan *plan, double tasks, struct plan *head)
{
    for (size_t r = 0; r < plan->round_count; r++) {
        const struct plan_round *round = &plan->rounds[r];
        const double each = round_tasks(plan, round), left = tasks - head->tasks;
        const double fit = each > 0 ? floor(left / each) : 0;
        const int64_t whole = fit < (double)round->repeat ? (int64_t)fit : round->repeat;
        if (whole > 0 && !head_add(plan, round, whole, left, head))
            return false;
        if (whole < round->repeat)
            return head_add(plan, round, 1, tasks - head->tasks, head);
    }
    return true;
}

bool plan_head(const struct plan *plan, double tasks, struct plan *head)
{
    const size_t workers = (size_t)plan->worker_count;
    *head = (struct plan){.worker_count = plan->worker_count};
    head->workers = calloc(workers, sizeof *head->workers);
    head->rounds = calloc(plan->round_count + 1, sizeof *head->rounds);
    if (!head->workers || !head->rounds || !head_fill(plan, tasks, head)) {
        plan_release(head);
        return false;
    }
    memcpy(head->workers, plan->workers, workers * sizeof *head->workers);
    return true;
}

void plan_take_rounds(struct plan *plan, struct plan *from)
{
    struct plan_round *const rounds = plan->rounds;
    const size_t count = plan->round_count;
    plan->rounds = from->rounds;
    plan->round_count = from->round_count;
    from->rounds = rounds;
    from->round_count = count;
}

void plan_release(struct plan *plan)
{
    for (size_t k = 0; plan->rounds && k < plan->round_count; k++)
        free(plan->rounds[k].loads);
    free(plan->rounds);
    for (size_t k = 0; k < plan->star_count; k++)
        plan_release(&plan->stars[k]);
    free(plan->stars);
    for (size_t k = 0; k < plan->child_count; k++)
        plan_release(&plan->children[k]);
    free(plan->children);
    for (size_t k = 0; k < plan->other_count; k++)
        parameter_list_release(&plan->others[k].parameters);
    free(plan->others);
    free(plan->levels);
    free(plan->workers);
    free(plan->profile);
    free(plan->profile_sha256);
    free(plan->beyond.name);
    selection_release(&plan->selected);
    free(plan->shared);
    free(plan->scheduler);
    free(plan->objective);
    free(plan->tail);
    weights_free(plan->weights);
    parameter_list_release(&plan->parameters);
    free(plan->kernel);
    free(plan->plugin);
    free(plan->plugin_sha256);
    *plan = (struct plan){0};
}
