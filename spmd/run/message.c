#include "spmd/run/message.h"

#include <math.h>
#include <xxhash.h>

static uint64_t digest_of(const struct wire_result *result, size_t size)
{
    return XXH3_64bits((const char *)result + sizeof result->digest, size - sizeof result->digest);
}

void wire_result_seal(struct wire_result *result, size_t size)
{
    result->digest = digest_of(result, size);
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
           isfinite(times->computed_s) && isfinite(times->arrived_s) && isfinite(times->free_s) &&
           isfinite(times->transit_s);
}

bool wire_result_check(const struct wire_result *result, size_t size, const struct package *package)
{
    const bool done = result->failure.code == FAILURE_NONE && !result->skipped;
    return result->digest == digest_of(result, size) && packages_equal(&result->package, package) &&
           (!done || (result->summary.tasks == package->count && times_check(&result->times)));
}
