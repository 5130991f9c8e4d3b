#define _GNU_SOURCE /* cpu_set_t */
#include "spmd/launch/devices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/launch/cores.h"

enum { LIST_SIZE = 2000 };

static int64_t words_count(const char *list)
{
    int64_t count = *list != '\0';
    for (; *list; list++)
        count += *list == ',';
    return count;
}

/* *failure says where there are too few devices. */
static bool devices_lack(int64_t worker, int64_t per_worker, int64_t there, struct failure *failure)
{
    const int64_t needed = (worker + 1) * per_worker;
    if (needed <= there)
        return false;
    failure_set(failure, FAILURE_USAGE,
                "worker %" PRId64 " of its node lacks GPUs: --gpus-per-worker %" PRId64
                " needs %" PRId64 " there, and there are %" PRId64
                ": start fewer workers on a node, or ask for more GPUs",
                worker + 1, per_worker, needed, there);
    return true;
}

/* Copies the words from `first` on. */
static bool words_copy(const char *words, int64_t first, int64_t count, char *list, size_t size)
{
    for (int64_t k = 0; k < first; k++)
        words = strchr(words, ',') + 1;
    size_t length = 0;
    for (int64_t k = 0; k < count; k++) {
        length += strcspn(words + length, ",");
        length += k + 1 < count;
    }
    return (size_t)snprintf(list, size, "%.*s", (int)length, words) < size;
}

static bool numbers_print(int64_t first, int64_t count, char *list, size_t size)
{
    size_t used = 0;
    for (int64_t k = 0; k < count && used < size; k++)
        used +=
            (size_t)snprintf(list + used, size - used, "%s%" PRId64, k > 0 ? "," : "", first + k);
    return used < size;
}

bool devices_choose(const char *given, int64_t worker, int64_t per_worker, int gpus, char *list,
                    size_t size, struct failure *failure)
{
    const int64_t first = worker * per_worker, listed = given ? words_count(given) : 0;
    bool fits;
    if (given && listed <= per_worker)
        fits = (size_t)snprintf(list, size, "%s", given) < size;
    else if ((given || gpus > 0) &&
             devices_lack(worker, per_worker, given ? listed : gpus, failure))
        return false;
    else if (given)
        fits = words_copy(given, first, per_worker, list, size);
    else
        fits = numbers_print(first, per_worker, list, size);
    return fits ||
           failure_set(failure, FAILURE_USAGE,
                       "--gpus-per-worker %" PRId64 ": the list of GPUs is too long: ask for "
                       "fewer",
                       per_worker);
}

/* Collective. The number of this rank, from 0, among those of its node that compute: workers, and a
 * master that computes. */
static int worker_on_node(const struct comm *comm, bool master_computes)
{
    struct link node = link_node(comm->link);
    struct link_request request;
    const int master = comm_leads(comm) && !master_computes ? link_rank(node) : link_size(node),
              here = link_rank(node);
    int first = 0;
    link_least(node, &master, &first, &request);
    comm_wait(comm, &request);
    link_end(&node);
    return first < here ? here - 1 : here;
}

static bool variable_set(const char *name, const char *given, int worker, int64_t per_worker,
                         int gpus, struct failure *failure)
{
    char list[LIST_SIZE];
    if (!devices_choose(given, worker, per_worker, gpus, list, sizeof list, failure))
        return false;
    return setenv(name, list, 1) == 0 || failure_memory(failure, "sharing GPUs");
}

bool devices_share(const struct comm *comm, const struct devices_wish *wish,
                   struct failure *failure)
{
    static const char *const names[] = {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"};
    if (wish->per_worker == 0)
        return true;
    const int worker = worker_on_node(comm, wish->master_computes);
    const bool computes = !comm_leads(comm) || wish->master_computes;
    bool listed = false;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        listed |= getenv(names[k]) != NULL;
    const int gpus = listed ? 0 : cores_topology().gpus;
    bool good = failure->code == FAILURE_NONE;
    for (size_t k = 0; computes && good && k < sizeof names / sizeof *names; k++)
        good = variable_set(names[k], getenv(names[k]), worker, wish->per_worker, gpus, failure);
    if (computes && good)
        variable_set("SCOW_GPUS", NULL, worker, wish->per_worker, gpus, failure);
    return comm_agree(comm, failure);
}
