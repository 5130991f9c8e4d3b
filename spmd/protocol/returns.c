#include "spmd/protocol/returns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/pages.h"
#include "spmd/job/packed_results.h"
#include "spmd/transport/wire.h"

struct place {
    char *bytes; /* owned */
    size_t room, size;
    struct link_request sending;
};

/* The results of a package that are kept. */
struct kept {
    struct kept *next;
    int64_t index; /* of the package */
    char *bytes;   /* owned, unless they are being sent */
    size_t size;
};

struct returns {
    const struct comm *comm;
    const struct job *job;
    struct place *places; /* owned; one more than may be on their way: that is being packed */
    int count, next;
    struct kept *kept, **kept_end; /* owned; in the order of packages */
};

/* Makes room; what it contained is lost. */
static bool place_reserve(struct place *place, size_t size)
{
    if (size <= place->room)
        return true;
    free(place->bytes);
    place->bytes = size <= LINK_MOST ? pages_new(size) : NULL;
    place->room = place->bytes ? size : 0;
    if (place->bytes)
        pages_touch(place->bytes, size);
    return place->bytes != NULL;
}

struct returns *returns_new(const struct comm *comm, const struct job *job, int most, int64_t tasks,
                            struct failure *failure)
{
    struct returns *returns = calloc(1, sizeof *returns);
    const size_t size = packed_results_least(job, tasks);
    bool good = returns != NULL;
    if (good) {
        *returns = (struct returns){.comm = comm, .job = job, .count = most + 1};
        returns->kept_end = &returns->kept;
        returns->places = calloc((size_t)returns->count, sizeof *returns->places);
        good = returns->places != NULL;
    }
    for (int k = 0; good && k < returns->count; k++)
        good = place_reserve(&returns->places[k], size);
    if (!good) {
        failure_memory(failure, "making room for results that are to be returned");
        returns_free(&returns);
    }
    return returns;
}

double returns_memory(const struct job *job, int most, int64_t tasks)
{
    return (double)(most + 1) * (double)packed_results_least(job, tasks);
}

/* The results must fit into one message. */
static bool size_fits(const struct package_results *results, size_t size, struct failure *failure)
{
    return size <= LINK_MOST ||
           failure_set(failure, FAILURE_FAILED,
                       "core tasks %" PRId64 " to %" PRId64 " have %.1f GB of results, and at "
                       "most %.1f GB are returned at once: plan with smaller packages, or let "
                       "workers write (without --collect)",
                       job_task_number(package_task(results, 0)),
                       job_task_number(package_task(results, results->count - 1)),
                       (double)size / 1e9, (double)LINK_MOST / 1e9);
}

bool returns_pack(struct returns *returns, const struct package_results *results,
                  struct wire_result *report, struct failure *failure)
{
    struct place *place = &returns->places[returns->next];
    const size_t size = packed_results_size(returns->job, results);
    comm_wait(returns->comm,
              &place->sending); /* complete already: returns_await has waited for it */
    if (!size_fits(results, size, failure))
        return false;
    if (!place_reserve(place, size))
        return failure_memory(failure, "packing results that are to be returned");
    packed_results_fill(returns->job, results, place->bytes);
    place->size = size;
    wire_result_return(report, place->bytes, size);
    return true;
}

bool returns_put(struct returns *returns, const void *packed, size_t size,
                 struct wire_result *report, struct failure *failure)
{
    struct place *place = &returns->places[returns->next];
    comm_wait(returns->comm, &place->sending);
    if (!place_reserve(place, size))
        return failure_memory(failure, "returning results that are there");
    memcpy(place->bytes, packed, size);
    place->size = size;
    wire_result_return(report, place->bytes, size);
    return true;
}

/* After it, the place that is packed next is free. */
bool returns_await(struct returns *returns)
{
    struct link_request *oldest = &returns->places[(returns->next + 1) % returns->count].sending;
    if (link_test(oldest))
        return false;
    comm_wait(returns->comm, oldest);
    return true;
}

void returns_send(struct returns *returns)
{
    struct place *place = &returns->places[returns->next];
    link_send_taken(returns->comm->link, place->bytes, place->size, 0, WIRE_RETURN,
                    &place->sending);
    returns->next = (returns->next + 1) % returns->count;
}

void returns_finish(struct returns *returns)
{
    for (int k = 0; k < returns->count; k++)
        comm_wait(returns->comm, &returns->places[k].sending);
}

/* ---- kept ---------------------------------------------------------------------------------- */

enum { KEPT_ALIGNMENT = 64 };

static size_t kept_room(size_t size)
{
    return (size + KEPT_ALIGNMENT - 1) / KEPT_ALIGNMENT * KEPT_ALIGNMENT;
}

double returns_kept_memory(const struct job *job, double packages, double tasks)
{
    enum { SOME = 1000 };
    const double none = (double)packed_results_least(job, 0);
    const double each = ((double)packed_results_least(job, SOME) - none) / SOME;
    return packages * ((double)sizeof(struct kept) + none) + tasks * each;
}

bool returns_keep(struct returns *returns, const struct package_results *results, int64_t index,
                  struct wire_result *report, struct failure *failure)
{
    const size_t size = packed_results_size(returns->job, results);
    if (!size_fits(results, size, failure))
        return false;
    struct kept *kept = calloc(1, sizeof *kept);
    if (kept)
        kept->bytes = aligned_alloc(KEPT_ALIGNMENT, kept_room(size));
    if (!kept || !kept->bytes) {
        free(kept);
        return failure_memory(failure, "keeping results that are to be returned: plan with "
                                       "\"results\": \"package\" in the profile");
    }
    kept->index = index;
    kept->size = size;
    packed_results_fill(returns->job, results, kept->bytes);
    wire_result_return(report, kept->bytes, size);
    *returns->kept_end = kept;
    returns->kept_end = &kept->next;
    return true;
}

/* Takes the first one. */
static struct kept *kept_take(struct returns *returns)
{
    struct kept *first = returns->kept;
    returns->kept = first->next;
    if (!returns->kept)
        returns->kept_end = &returns->kept;
    return first;
}

void returns_give(struct returns *returns, int64_t index)
{
    while (returns->kept && returns->kept->index <= index) {
        struct kept *kept = kept_take(returns);
        struct place *place = &returns->places[returns->next];
        comm_wait(returns->comm, &place->sending);
        free(place->bytes);
        *place = (struct place){.bytes = kept->bytes, .room = kept->size, .size = kept->size};
        free(kept);
        returns_send(returns);
    }
}

void returns_free(struct returns **returns)
{
    struct returns *gone = *returns;
    if (!gone)
        return;
    while (gone->kept) {
        struct kept *kept = kept_take(gone);
        free(kept->bytes);
        free(kept);
    }
    if (gone->places)
        returns_finish(gone);
    for (int k = 0; gone->places && k < gone->count; k++)
        free(gone->places[k].bytes);
    free(gone->places);
    free(gone);
    *returns = NULL;
}
