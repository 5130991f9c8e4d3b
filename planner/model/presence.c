#include "planner/model/presence.h"

#include <math.h>
#include <stdlib.h>

static int spans_compare(const void *a, const void *b)
{
    const struct presence_span *p = a, *q = b;
    return (p->worker > q->worker) - (p->worker < q->worker);
}

static int changes_compare(const void *a, const void *b)
{
    const struct presence_change *p = a, *q = b;
    if (p->at_s < q->at_s || p->at_s > q->at_s)
        return p->at_s < q->at_s ? -1 : 1;
    return (p->worker > q->worker) - (p->worker < q->worker);
}

bool presence_sort(struct presence *presence, int64_t *worker)
{
    struct presence_span *spans = presence->spans;
    if (presence->span_count > 0)
        qsort(spans, presence->span_count, sizeof *spans, spans_compare);
    for (size_t k = 1; k < presence->span_count; k++)
        if (spans[k].worker == spans[k - 1].worker) {
            *worker = spans[k].worker;
            return false;
        }
    return true;
}

static const struct presence_span *span_of(const struct presence *presence, int64_t worker)
{
    const struct presence_span wanted = {.worker = worker};
    if (presence->span_count == 0)
        return NULL;
    return bsearch(&wanted, presence->spans, presence->span_count, sizeof wanted, spans_compare);
}

double presence_until(const struct presence *presence, int64_t worker)
{
    const struct presence_span *span = span_of(presence, worker);
    return span ? span->until_s : HUGE_VAL;
}

bool presence_settle(struct presence *presence, int64_t workers)
{
    struct presence_change *changes = calloc(2 * (size_t)workers, sizeof *changes);
    size_t count = 0;
    if (!changes)
        return false;
    for (int64_t worker = 0; worker < workers; worker++) {
        const struct presence_span *span = span_of(presence, worker);
        changes[count++] = (struct presence_change){span ? span->from_s : 0, worker, true};
        if (span && isfinite(span->until_s))
            changes[count++] = (struct presence_change){span->until_s, worker, false};
    }
    qsort(changes, count, sizeof *changes, changes_compare);
    free(presence->changes);
    presence->changes = changes;
    presence->change_count = count;
    return true;
}

void presence_release(struct presence *presence)
{
    free(presence->spans);
    free(presence->changes);
    *presence = (struct presence){.spans = NULL};
}
