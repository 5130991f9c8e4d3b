#include "planner/schedulers/optimal/groups.h"

#include <math.h>
#include <stdlib.h>

/* S and K of the head comment in groups.h. */
struct group_speed {
    double tasks_per_s, idle_tasks;
};

static bool workers_equal(const struct ranked_worker *a, const struct ranked_worker *b)
{
    return a->link.latency_s == b->link.latency_s && a->link.s_per_task == b->link.s_per_task &&
           a->work.latency_s == b->work.latency_s && a->work.s_per_task == b->work.s_per_task &&
           a->beside.latency_s == b->beside.latency_s &&
           a->beside.s_per_task == b->beside.s_per_task &&
           a->result.latency_s == b->result.latency_s &&
           a->result.s_per_task == b->result.s_per_task && a->start_s == b->start_s;
}

static struct group_speed speed_of(const struct ranking *ranking, const struct group *group)
{
    struct group_speed speed = {0, 0};
    for (int64_t i = group->first; i < group->first + group->count; i++) {
        const struct cost work = ranking->workers[i].work;
        speed.tasks_per_s += 1 / rate_of(work);
        speed.idle_tasks += work.latency_s / rate_of(work);
    }
    return speed;
}

/* A cost latency + rate * x_j as a function of y: x_j = ((K + y) / S - A_j) / a_j. */
static struct cost member_cost(const struct group_speed *speed, struct cost work, struct cost cost)
{
    const double share = cost.s_per_task / rate_of(work);
    return (struct cost){cost.latency_s +
                             share * (speed->idle_tasks / speed->tasks_per_s - work.latency_s),
                         share / speed->tasks_per_s};
}

/* Where results have rows of their own, links are without what results take of them. */
static struct cost member_link(const struct ranking *ranking, const struct ranked_worker *worker)
{
    return ranking->returns ? worker->way : worker->link;
}

static struct returned member_returned(const struct group_speed *speed,
                                       const struct ranked_worker *worker)
{
    const struct cost rate = {0, worker->result.s_per_task};
    return (struct returned){worker->result.latency_s, member_cost(speed, worker->work, rate)};
}

static void group_fill(const struct ranking *ranking, struct group *group)
{
    const struct group_speed speed = speed_of(ranking, group);
    const struct ranked_worker *first = &ranking->workers[group->first];
    const struct ranked_worker *last = first + group->count - 1;
    double longest_s = HUGE_VAL;
    group->work = (struct cost){speed.idle_tasks / speed.tasks_per_s, 1 / speed.tasks_per_s};
    for (const struct ranked_worker *worker = first; worker <= last; worker++) {
        group->master = cost_sum(group->master, member_cost(&speed, worker->work, ranking->master));
        group->link =
            cost_sum(group->link, member_cost(&speed, worker->work, member_link(ranking, worker)));
        group->result_last = member_returned(&speed, worker);
        group->result.once_s += group->result_last.once_s;
        group->result.each = cost_sum(group->result.each, group->result_last.each);
        longest_s = fmin(longest_s, cost_of(worker->work, ranking->greatest));
        group->start_s = fmax(group->start_s, worker->start_s);
    }
    group->beside = member_cost(&speed, first->work, first->beside);
    group->master_first = member_cost(&speed, first->work, ranking->master);
    group->link_first = member_cost(&speed, first->work, member_link(ranking, first));
    group->link_last = member_cost(&speed, last->work, member_link(ranking, last));
    group->greatest = fmax(longest_s * speed.tasks_per_s - speed.idle_tasks, 0);
}

/* Runs of equal workers. */
static int64_t runs_count(const struct ranking *ranking)
{
    int64_t runs = 1;
    for (int64_t i = 1; i < ranking->count; i++)
        runs += !workers_equal(&ranking->workers[i - 1], &ranking->workers[i]);
    return runs;
}

/* The last worker of the run of equal workers that `first` begins; where unequal workers may be
 * mixed, the last one of all. */
static int64_t run_end(const struct ranking *ranking, int64_t first, bool mixed)
{
    int64_t end = first + 1;
    if (mixed)
        return ranking->count;
    while (end < ranking->count &&
           workers_equal(&ranking->workers[end - 1], &ranking->workers[end]))
        end++;
    return end;
}

bool groups_init(struct groups *groups, const struct ranking *ranking, int64_t most)
{
    const int64_t size = (ranking->count + most - 1) / most;
    const bool mixed = runs_count(ranking) > most;
    struct groups made = {.ranking = ranking};
    made.items = calloc((size_t)(2 * most + 1), sizeof *made.items);
    if (made.items == NULL)
        return false;
    for (int64_t first = 0; first < ranking->count;) {
        const int64_t end = run_end(ranking, first, mixed);
        const int64_t parts = (end - first + size - 1) / size;
        for (int64_t part = 0; part < parts; part++) {
            const int64_t from = first + part * (end - first) / parts;
            const int64_t to = first + (part + 1) * (end - first) / parts;
            struct group *group = &made.items[made.count++];
            *group = (struct group){.first = from, .count = to - from};
            group_fill(ranking, group);
        }
        first = end;
    }
    *groups = made;
    return true;
}

void groups_release(struct groups *groups)
{
    free(groups->items);
    *groups = (struct groups){.items = NULL};
}

int64_t groups_workers(const struct groups *groups, int64_t count)
{
    return count > 0 ? groups->items[count - 1].first + groups->items[count - 1].count : 0;
}

int64_t groups_with(const struct groups *groups, int64_t workers)
{
    int64_t count = 0;
    while (count < groups->count && groups_workers(groups, count) < workers)
        count++;
    return count;
}

void groups_expand(const struct groups *groups, int64_t count, int64_t rounds, const double *loads,
                   double *expanded)
{
    const struct ranking *ranking = groups->ranking;
    const int64_t workers = groups_workers(groups, count);
    for (int64_t r = 0; r < rounds; r++)
        for (int64_t g = 0; g < count; g++) {
            const struct group *group = &groups->items[g];
            const double y = loads[r * count + g];
            const double busy_s = group->work.latency_s + group->work.s_per_task * y;
            for (int64_t i = group->first; i < group->first + group->count; i++) {
                const struct cost work = ranking->workers[i].work;
                expanded[r * workers + i] =
                    y > 0 ? fmax((busy_s - work.latency_s) / rate_of(work), 0) : 0;
            }
        }
}
