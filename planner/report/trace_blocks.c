#include "planner/report/trace_blocks.h"

#include <stdlib.h>
#include <string.h>

void trace_blocks_init(struct trace_blocks *blocks, const struct trace_taker *taker,
                       bool begun_only)
{
    *blocks = (struct trace_blocks){.taker = taker, .begun_only = begun_only};
}

/* The place of the event's package in this block; -1: it is not in it. */
static int64_t place_of(const struct trace_blocks *blocks, const struct trace_event *event)
{
    if (event->package < blocks->first)
        return -1;
    const int64_t at = event->package - blocks->first;
    return at < TRACE_BLOCK_PACKAGES ? at : -1;
}

/* Numbers of the packages that were computed, -1 for others; owned. NULL: out of memory. */
static int64_t *numbers_find(struct trace_blocks *blocks)
{
    int64_t *numbers = malloc(TRACE_BLOCK_PACKAGES * sizeof *numbers);
    for (int64_t k = 0; numbers && k < TRACE_BLOCK_PACKAGES; k++)
        numbers[k] = -1;
    for (size_t k = 0; numbers && k < blocks->here.count; k++) {
        const struct trace_event *event = &blocks->here.events[k];
        const int64_t at = place_of(blocks, event);
        if (at >= 0 && event->operation == OPERATION_COMPUTE && event->rank > 0)
            numbers[at] = 0;
    }
    for (int64_t k = 0; numbers && k < TRACE_BLOCK_PACKAGES; k++)
        if (numbers[k] == 0)
            numbers[k] = blocks->numbered++;
    return numbers;
}

static bool begun_keep(struct trace_blocks *blocks)
{
    struct trace *here = &blocks->here;
    int64_t *numbers = numbers_find(blocks);
    size_t kept = 0;
    if (!numbers)
        return false;
    for (size_t k = 0; k < here->count; k++) {
        const int64_t at = place_of(blocks, &here->events[k]);
        const bool own = trace_event_own(&here->events[k]);
        if (!own && (at < 0 || numbers[at] < 0))
            continue;
        here->events[kept] = here->events[k];
        here->events[kept++].package = own ? -1 : numbers[at];
    }
    here->count = kept;
    free(numbers);
    return true;
}

/* Passes on the current block, and goes on to the next. */
static bool block_pass(struct trace_blocks *blocks)
{
    const struct trace gone = blocks->here;
    if (blocks->begun_only && !begun_keep(blocks))
        return false;
    blocks->refused =
        blocks->here.count > 0 && !blocks->taker->take(blocks->taker->self, &blocks->here);
    blocks->here = blocks->next;
    blocks->next = gone;
    blocks->next.count = 0;
    blocks->first += TRACE_BLOCK_PACKAGES;
    return !blocks->refused;
}

/* In a damaged trace numbers may be any: they are limited so that sums do not overflow. */
static int64_t package_of(const struct trace_event *event)
{
    const int64_t most = INT64_MAX - 4 * (int64_t)TRACE_BLOCK_PACKAGES;
    return event->package < 0 ? 0 : event->package > most ? most : event->package;
}

bool trace_blocks_add(struct trace_blocks *blocks, const struct trace_event *event)
{
    const int64_t before = package_of(event) - TRACE_BLOCK_PACKAGES;
    while (before >= blocks->first + TRACE_BLOCK_PACKAGES) {
        if (blocks->here.count + blocks->next.count == 0)
            blocks->first = before;
        else if (!block_pass(blocks))
            return false;
    }
    return trace_add(before >= blocks->first ? &blocks->next : &blocks->here, event);
}

bool trace_blocks_end(struct trace_blocks *blocks)
{
    bool good = true;
    while (good && blocks->here.count + blocks->next.count > 0)
        good = block_pass(blocks);
    return good;
}

void trace_blocks_release(struct trace_blocks *blocks)
{
    trace_release(&blocks->here);
    trace_release(&blocks->next);
}
