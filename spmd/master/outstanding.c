#include "spmd/master/outstanding.h"

#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"

bool outstanding_init(struct outstanding *outstanding, int64_t workers)
{
    *outstanding = (struct outstanding){.workers = workers};
    outstanding->queues = calloc((size_t)workers, sizeof *outstanding->queues);
    return outstanding->queues != NULL;
}

void outstanding_release(struct outstanding *outstanding)
{
    for (int64_t k = 0; outstanding->queues && k < outstanding->workers; k++)
        free(outstanding->queues[k].items);
    for (int64_t k = 0; outstanding->queues && k < outstanding->workers; k++)
        free(outstanding->queues[k].left_s);
    free(outstanding->queues);
    *outstanding = (struct outstanding){.count = 0};
}

/* Removes reported packages, where they are at least half of all. */
static void queue_move(struct outstanding_queue *queue)
{
    const size_t count = queue->end - queue->first;
    if (queue->first < count)
        return;
    if (count > 0) {
        memcpy(queue->items, queue->items + queue->first, count * sizeof *queue->items);
        memcpy(queue->left_s, queue->left_s + queue->first, count * sizeof *queue->left_s);
    }
    queue->first = 0;
    queue->end = count;
}

bool outstanding_add(struct outstanding *outstanding, const struct package *package)
{
    struct outstanding_queue *queue = &outstanding->queues[package->worker];
    if (queue->end == queue->capacity)
        queue_move(queue);
    struct package *items =
        array_reserve(queue->items, &queue->capacity, queue->end + 1, sizeof *items);
    if (!items)
        return false;
    queue->items = items;
    double *left_s =
        array_reserve(queue->left_s, &queue->left_capacity, queue->end + 1, sizeof *left_s);
    if (!left_s)
        return false;
    queue->left_s = left_s;
    left_s[queue->end] = 0;
    items[queue->end++] = *package;
    outstanding->count++;
    return true;
}

/* The package is mostly among the newest ones, so it is searched for from the end. */
void outstanding_left(struct outstanding *outstanding, const struct package *package, double left_s)
{
    struct outstanding_queue *queue = &outstanding->queues[package->worker];
    for (size_t k = queue->end; k-- > queue->first;)
        if (queue->items[k].index == package->index) {
            queue->left_s[k] = left_s;
            return;
        }
}

double outstanding_left_s(const struct outstanding *outstanding, int64_t worker)
{
    const struct outstanding_queue *queue = &outstanding->queues[worker];
    return queue->end > queue->first ? queue->left_s[queue->first] : 0;
}

const struct package *outstanding_of(const struct outstanding *outstanding, int64_t worker,
                                     int64_t *count)
{
    const struct outstanding_queue *queue = &outstanding->queues[worker];
    *count = (int64_t)(queue->end - queue->first);
    return *count > 0 ? queue->items + queue->first : NULL;
}

void outstanding_take(struct outstanding *outstanding, int64_t worker)
{
    outstanding->queues[worker].first++;
    outstanding->count--;
}

void outstanding_drop(struct outstanding *outstanding, int64_t worker)
{
    struct outstanding_queue *queue = &outstanding->queues[worker];
    outstanding->count -= (int64_t)(queue->end - queue->first);
    queue->first = queue->end;
}
