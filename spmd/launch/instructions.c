#include "spmd/launch/instructions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/vector/isa.h"
#include "planner/base/text.h"

/* ---- pinning ------------------------------------------------------------------------------- */

/* For example ", sse2, avx2": those of `which`. */
static void names_list(char *list, size_t size, const bool which[ISA_COUNT])
{
    size_t used = 0;
    list[0] = '\0';
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (which[isa] && used < size)
            used += (size_t)snprintf(list + used, size - used, ", %s", isa_name((enum isa)isa));
}

bool instructions_check(const char *name, const bool had[ISA_COUNT], int rank,
                        struct failure *failure)
{
    static const bool all[ISA_COUNT] = {true, true, true};
    const enum isa isa = isa_find(name);
    char list[80];
    if (strcmp(name, "auto") == 0 || (isa != ISA_COUNT && had[isa]))
        return true;
    names_list(list, sizeof list, isa == ISA_COUNT ? all : had);
    if (isa == ISA_COUNT)
        return failure_set(failure, FAILURE_USAGE,
                           "--isa %s: there is no such instruction set: name one of auto%s", name,
                           list);
    return failure_set(failure, FAILURE_USAGE,
                       "--isa %s: the processor of rank %d does not have it: name one of auto%s",
                       name, rank, list);
}

bool instructions_pin(const char *name, const struct comm *comm, struct failure *failure)
{
    bool had[ISA_COUNT];
    for (int isa = 0; isa < ISA_COUNT; isa++)
        had[isa] = isa_available((enum isa)isa);
    return instructions_check(name, had, comm->rank, failure) && isa_pin(name);
}

/* ---- telling ------------------------------------------------------------------------------- */

/* The first worker from `from` on that uses this instruction set (or does not); `workers`: there is
 * none. */
static int worker_next(const enum isa *used, int workers, int from, enum isa isa, bool uses)
{
    while (from < workers && (used[from] == isa) != uses)
        from++;
    return from;
}

/* For example "avx2 (ranks 1-3, 5)". */
static void ranks_add(struct text *text, const enum isa *used, int workers, enum isa isa)
{
    const int start = worker_next(used, workers, 0, isa, true);
    int from = start, to = worker_next(used, workers, from, isa, false);
    const bool one = to - from == 1 && worker_next(used, workers, to, isa, true) == workers;
    text_add(text, "%s (rank%s ", isa_name(isa), one ? "" : "s");
    while (from < workers) {
        text_add(text, "%s%d", from > start ? ", " : "", from + 1);
        if (to - from > 1)
            text_add(text, "-%d", to);
        from = worker_next(used, workers, to, isa, true);
        to = worker_next(used, workers, from, isa, false);
    }
    text_add(text, ")");
}

char *instructions_describe(const enum isa *used, int workers)
{
    struct text text = TEXT_INIT;
    for (int k = 0; k < ISA_COUNT; k++) {
        const enum isa isa = (enum isa)k;
        if (worker_next(used, workers, 0, isa, true) == workers)
            continue;
        text_add(&text, "%s", text.length > 0 ? ", " : "");
        if (worker_next(used, workers, 0, isa, false) == workers)
            text_add(&text, "%s", isa_name(isa));
        else
            ranks_add(&text, used, workers, isa);
    }
    return text_take(&text);
}

char *instructions_gather(const struct comm *comm)
{
    const bool leads = comm_leads(comm);
    const enum isa mine = isa_current();
    enum isa *all = leads ? calloc((size_t)comm->size, sizeof *all) : NULL;
    char *words = NULL;
    if (all || !leads)
        comm_gather(comm, &mine, sizeof mine, all);
    if (all)
        words = instructions_describe(all + 1, comm->size - 1);
    free(all);
    if (words || !leads)
        return words;
    fputs("scow: out of memory\n", stderr);
    link_abort(comm->link, FAILURE_FAILED);
}
