#include "spmd/job/packed_results.h"

#include <string.h>

/* The head; the parts follow, each aligned. */
struct packed_head {
    int64_t first, count;
    uint64_t emitted, emitted_size; /* number of pieces, and bytes of all of them */
    uint64_t reasons, reasons_size;
};

enum { ALIGNMENT = 64 };

/* Where the parts begin, in their order. */
struct parts {
    size_t grid, records, ledger, emitted, emitted_bytes, reasons, reasons_bytes, end;
};

/* Adds a part; returns where it begins. */
static size_t part_take(size_t *end, size_t size)
{
    const size_t place = *end;
    *end += (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return place;
}

static struct parts parts_of(const struct job *job, const struct packed_head *head)
{
    const size_t count = (size_t)head->count;
    struct parts parts = {0};
    part_take(&parts.end, sizeof *head);
    parts.grid = part_take(&parts.end, count * job->tile_size);
    parts.records = part_take(&parts.end, count * job->record_size);
    parts.ledger = part_take(&parts.end, count);
    parts.emitted = part_take(&parts.end, head->emitted * sizeof(struct emission));
    parts.emitted_bytes = part_take(&parts.end, head->emitted_size);
    parts.reasons = part_take(&parts.end, head->reasons * sizeof(struct emission));
    parts.reasons_bytes = part_take(&parts.end, head->reasons_size);
    return parts;
}

static struct packed_head head_of(const struct package_results *results)
{
    return (struct packed_head){.first = results->first,
                                .count = results->count,
                                .emitted = results->emissions.count,
                                .emitted_size = results->emissions.size,
                                .reasons = results->reasons.count,
                                .reasons_size = results->reasons.size};
}

size_t packed_results_least(const struct job *job, int64_t tasks)
{
    const struct packed_head head = {.count = tasks};
    return parts_of(job, &head).end;
}

size_t packed_results_size(const struct job *job, const struct package_results *results)
{
    const struct packed_head head = head_of(results);
    return parts_of(job, &head).end;
}

static void part_fill(char *packed, size_t place, const void *bytes, size_t size)
{
    if (bytes && size > 0)
        memcpy(packed + place, bytes, size);
}

static void emissions_fill(char *packed, size_t items, size_t bytes,
                           const struct emissions *emissions)
{
    part_fill(packed, items, emissions->items, emissions->count * sizeof *emissions->items);
    part_fill(packed, bytes, emissions->bytes, emissions->size);
}

void packed_results_fill(const struct job *job, const struct package_results *results, void *packed)
{
    const struct packed_head head = head_of(results);
    const struct parts parts = parts_of(job, &head);
    const size_t count = (size_t)results->count;
    part_fill(packed, 0, &head, sizeof head);
    part_fill(packed, parts.grid, results->grid, count * job->tile_size);
    part_fill(packed, parts.records, results->records, count * job->record_size);
    part_fill(packed, parts.ledger, results->ledger, count);
    emissions_fill(packed, parts.emitted, parts.emitted_bytes, &results->emissions);
    emissions_fill(packed, parts.reasons, parts.reasons_bytes, &results->reasons);
}

/* Can so many parts of that size fit into that many bytes? If not, sums below could overflow. */
static bool head_fits(const struct job *job, const struct packed_head *head, size_t size)
{
    return head->count > 0 && (uint64_t)head->count <= size &&
           job->tile_size <= size / (size_t)head->count &&
           job->record_size <= size / (size_t)head->count &&
           head->emitted <= size / sizeof(struct emission) && head->emitted_size <= size &&
           head->reasons <= size / sizeof(struct emission) && head->reasons_size <= size &&
           parts_of(job, head).end == size;
}

static bool emissions_open(char *packed, size_t items, size_t bytes, size_t count, size_t size,
                           const struct package_results *results, struct emissions *emissions)
{
    *emissions = (struct emissions){.items = (struct emission *)(void *)(packed + items),
                                    .count = count,
                                    .bytes = packed + bytes,
                                    .size = size};
    for (size_t k = 0; k < count; k++) {
        const struct emission *one = &emissions->items[k];
        if (one->at < 0 || one->at >= results->count ||
            one->task != package_task(results, one->at) || one->offset > size ||
            one->size > size - one->offset)
            return false;
    }
    return true;
}

bool packed_results_open(const struct job *job, void *packed, size_t size,
                         struct package_results *results)
{
    struct packed_head head;
    char *bytes = packed;
    if (size < sizeof head)
        return false;
    memcpy(&head, packed, sizeof head);
    if (!head_fits(job, &head, size) || head.first < 0 ||
        head.first > job->setup.tasks - head.count)
        return false;
    const struct parts parts = parts_of(job, &head);
    *results =
        (struct package_results){.first = head.first,
                                 .count = head.count,
                                 .order = order_differs(&job->order) ? &job->order : NULL,
                                 .grid = job->tile_size > 0 ? bytes + parts.grid : NULL,
                                 .records = job->record_size > 0 ? bytes + parts.records : NULL,
                                 .ledger = (unsigned char *)bytes + parts.ledger};
    return emissions_open(bytes, parts.emitted, parts.emitted_bytes, head.emitted,
                          head.emitted_size, results, &results->emissions) &&
           emissions_open(bytes, parts.reasons, parts.reasons_bytes, head.reasons,
                          head.reasons_size, results, &results->reasons);
}
