#define _GNU_SOURCE /* cpu_set_t */
#include "calibrate/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "spmd/launch/cores.h"
#include "spmd/launch/instructions.h"
#include "spmd/protocol/run_conditions.h"
#include "spmd/run/machine.h"

/* The first line, as one word of a table. */
static void library_name(char library[LINK_VERSION_SIZE])
{
    link_version(library);
    library[strcspn(library, "\n")] = '\0';
    for (char *tab = library; (tab = strchr(tab, '\t'));)
        *tab = ' ';
}

/* Collective. One kind says no more than the master's node. */
static bool kinds_gather(struct place *place, const struct comm *comm, struct failure *failure)
{
    struct topology *all = NULL;
    if (comm->rank == 0 && !(all = calloc((size_t)comm->size, sizeof *all)))
        failure_memory(failure, "describing the nodes");
    const bool good = comm_agree(comm, failure);
    if (good)
        comm_gather(comm, &place->topology, sizeof place->topology, all);
    for (int rank = 0; all && good && rank < comm->size; rank++)
        topology_kinds_add(&place->kinds, &all[rank]);
    if (place->kinds.count == 1)
        place->kinds.count = 0;
    free(all);
    return good;
}

bool place_find(struct place *place, const struct comm *comm, int threads, struct failure *failure)
{
    *place = (struct place){.workers = comm->size - 1, .threads = threads};
    link_machine(place->node);
    library_name(place->mpi);
    place->isa = instructions_gather(comm);
    place->workers_per_node = comm_workers_on_node(comm);
    place->nodes = comm_nodes(comm);
    if (comm_first_on_node(comm))
        place->topology = cores_topology();
    return kinds_gather(place, comm, failure) && machine_gather(comm, &place->machine, failure);
}

void place_release(struct place *place)
{
    free(place->machine);
    free(place->isa);
    *place = (struct place){.machine = NULL};
}

void place_sign(const struct place *place, struct profile_origin *origin)
{
    char when[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    *origin = (struct profile_origin){
        .host_name = strdup(place->node),
        .processor = run_conditions_processor(),
        .isa = strdup(place->isa),
        .threads = place->threads,
        .workers_per_node = place->workers_per_node,
        .machine = strdup(place->machine),
        .nodes = place->nodes,
        .topology = place->topology,
        .kinds = place->kinds,
        .mpi = strdup(place->mpi),
        .created = strdup(when),
        .version = strdup(SCOW_VERSION),
    };
}

/* ---- the same place? ------------------------------------------------------------------------- */

/* What the profile says (NULL: nothing) and what is here must be the same word. */
static bool word_fits(const char *what, const char *measured, const char *here, const char *path,
                      struct failure *failure)
{
    if (measured && strcmp(measured, here) == 0)
        return true;
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: was measured with %s '%.100s', and here it is '%.100s': calibrate to "
                       "another file, or remove this one",
                       path, what, measured ? measured : "unknown", here);
}

static bool count_fits(const char *what, int64_t measured, int64_t here, const char *path,
                       struct failure *failure)
{
    if (measured == here)
        return true;
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: was measured with %" PRId64 " %s, and here there are %" PRId64
                       ": start as many, calibrate to another file, or remove this one",
                       path, measured, what, here);
}

static void nodes_describe(const struct topology *topology, const struct topology_kinds *kinds,
                           struct text *text)
{
    if (kinds->count > 0)
        topology_kinds_describe(kinds, text);
    else
        topology_describe(topology, text);
}

/* Where either does not know, the machine's words must do. */
static bool topology_fits(const struct profile_origin *measured, const struct place *here,
                          const char *path, struct failure *failure)
{
    struct text was = TEXT_INIT, is = TEXT_INIT;
    if (measured->topology.threads == 0 || here->topology.threads == 0)
        return true;
    nodes_describe(&measured->topology, &measured->kinds, &was);
    nodes_describe(&here->topology, &here->kinds, &is);
    char *was_words = text_take(&was), *is_words = text_take(&is);
    const bool good = was_words && is_words
                          ? word_fits("nodes of", was_words, is_words, path, failure)
                          : failure_memory(failure, "comparing nodes");
    free(was_words);
    free(is_words);
    return good;
}

bool place_fits(const struct place *place, const struct profile *profile, const char *path,
                struct failure *failure)
{
    const struct profile_origin *origin = &profile->origin;
    const int64_t workers = profile_workers(&profile->settings[0].windows[0]);
    return word_fits("the machine", origin->machine, place->machine, path, failure) &&
           topology_fits(origin, place, path, failure) &&
           word_fits("instruction set", origin->isa, place->isa, path, failure) &&
           word_fits("MPI", origin->mpi, place->mpi, path, failure) &&
           word_fits("scow", origin->version, SCOW_VERSION, path, failure) &&
           count_fits("workers", workers, place->workers, path, failure) &&
           count_fits("nodes", origin->nodes, place->nodes, path, failure) &&
           count_fits("threads per rank", origin->threads, place->threads, path, failure);
}
