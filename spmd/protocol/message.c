#include "spmd/protocol/message.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "spmd/transport/link.h"

/* Where the failure begins: behind a state, which may have any size, aligned. */
static size_t trouble_place(size_t state_size)
{
    const size_t alignment = _Alignof(struct wire_trouble);
    return sizeof(struct wire_result) + (state_size + alignment - 1) / alignment * alignment;
}

size_t wire_result_size(size_t state_size, bool troubled)
{
    return troubled ? trouble_place(state_size) + sizeof(struct wire_trouble)
                    : sizeof(struct wire_result) + state_size;
}

void wire_result_trouble(struct wire_result *result, size_t state_size,
                         const struct wire_trouble *trouble)
{
    result->troubled = 1;
    memcpy((char *)result + trouble_place(state_size), trouble, sizeof *trouble);
}

const struct wire_trouble *wire_result_told(const struct wire_result *result, size_t state_size)
{
    static const struct wire_trouble none = {.failure = FAILURE_INIT};
    const char *place = (const char *)result + trouble_place(state_size);
    return result->troubled ? (const struct wire_trouble *)(const void *)place : &none;
}

static uint64_t digest_of(const struct wire_result *result, size_t state_size)
{
    const size_t size = wire_result_size(state_size, result->troubled);
    return XXH3_64bits((const char *)result + sizeof result->digest, size - sizeof result->digest);
}

void wire_result_return(struct wire_result *result, const void *packed, size_t size)
{
    result->returned = (int64_t)size;
    result->returned_digest = XXH3_64bits(packed, size);
}

bool wire_return_check(const struct wire_result *result, const void *packed, size_t size)
{
    return result->returned >= 0 && size == (size_t)result->returned &&
           result->returned_digest == XXH3_64bits(packed, size);
}

void wire_result_seal(struct wire_result *result, size_t state_size)
{
    result->digest = digest_of(result, state_size);
}

void wire_interim_seal(struct wire_result *interim)
{
    interim->interim = 1;
    interim->troubled = 0;
    wire_result_seal(interim, 0);
}

/* Does nothing follow the message, and is it as it was sealed? */
static bool is_bare(const struct wire_result *result, size_t size)
{
    return size == sizeof *result && result->troubled == 0 &&
           result->digest == digest_of(result, 0) && counts_check(&result->counts);
}

bool wire_interim_check(const struct wire_result *interim, size_t size)
{
    return is_bare(interim, size) && interim->interim == 1 && interim->counted == 0;
}

void wire_counted_seal(struct wire_result *counted)
{
    counted->counted = 1;
    counted->troubled = 0;
    wire_result_seal(counted, 0);
}

bool wire_counted_check(const struct wire_result *counted, size_t size)
{
    return is_bare(counted, size) && counted->counted == 1 && counted->interim == 0;
}

static bool packages_equal(const struct package *a, const struct package *b)
{
    return a->index == b->index && a->round == b->round && a->worker == b->worker &&
           a->first == b->first && a->count == b->count;
}

static bool times_check(const struct wire_times *times)
{
    return isfinite(times->start_s) && isfinite(times->written_s) &&
           times->start_s <= times->written_s && isfinite(times->receive_s) &&
           isfinite(times->handed_s) && isfinite(times->stalled_s) && isfinite(times->computed_s) &&
           isfinite(times->arrived_s) && isfinite(times->free_s) && isfinite(times->transit_s) &&
           isfinite(times->prepared_s) && isfinite(times->worked_s) && isfinite(times->queued_s);
}

bool wire_result_check(const struct wire_result *result, size_t state_size, size_t size,
                       const struct package *package)
{
    if (size < sizeof *result || size != wire_result_size(state_size, result->troubled))
        return false;
    const struct wire_trouble *trouble = wire_result_told(result, state_size);
    const bool done = trouble->failure.code == FAILURE_NONE && !result->skipped;
    return result->digest == digest_of(result, state_size) &&
           packages_equal(&result->package, package) && counts_check(&result->counts) &&
           result->returned >= 0 && result->returned <= (int64_t)LINK_MOST &&
           (!done || (result->summary.tasks == package->count && times_check(&result->times)));
}
