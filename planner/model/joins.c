#include "planner/model/joins.h"

#include <math.h>
#include <stdlib.h>

static int spans_compare(const void *a, const void *b)
{
    const struct joins_span *p = a, *q = b;
    return (p->worker > q->worker) - (p->worker < q->worker);
}

static int changes_compare(const void *a, const void *b)
{
    const struct joins_change *p = a, *q = b;
    if (p->at_s < q->at_s || p->at_s > q->at_s)
        return p->at_s < q->at_s ? -1 : 1;
    return (p->worker > q->worker) - (p->worker < q->worker);
}

bool joins_sort(struct joins *joins, int64_t *worker)
{
    struct joins_span *spans = joins->spans;
    if (joins->span_count > 0)
        qsort(spans, joins->span_count, sizeof *spans, spans_compare);
    for (size_t k = 1; k < joins->span_count; k++)
        if (spans[k].worker == spans[k - 1].worker) {
            *worker = spans[k].worker;
            return false;
        }
    return true;
}

static const struct joins_span *span_of(const struct joins *joins, int64_t worker)
{
    const struct joins_span wanted = {.worker = worker};
    if (joins->span_count == 0)
        return NULL;
    return bsearch(&wanted, joins->spans, joins->span_count, sizeof wanted, spans_compare);
}

double joins_until(const struct joins *joins, int64_t worker)
{
    const struct joins_span *span = span_of(joins, worker);
    return span ? span->until_s : HUGE_VAL;
}

bool joins_settle(struct joins *joins, int64_t workers)
{
    struct joins_change *changes = calloc(2 * (size_t)workers, sizeof *changes);
    size_t count = 0;
    if (!changes)
        return false;
    for (int64_t worker = 0; worker < workers; worker++) {
        const struct joins_span *span = span_of(joins, worker);
        changes[count++] = (struct joins_change){span ? span->from_s : 0, worker, true};
        if (span && isfinite(span->until_s))
            changes[count++] = (struct joins_change){span->until_s, worker, false};
    }
    qsort(changes, count, sizeof *changes, changes_compare);
    free(joins->changes);
    joins->changes = changes;
    joins->change_count = count;
    return true;
}

void joins_release(struct joins *joins)
{
    free(joins->spans);
    free(joins->changes);
    *joins = (struct joins){.spans = NULL};
}
