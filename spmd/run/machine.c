#include "spmd/run/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/base/text.h"
#include "spmd/protocol/run_conditions.h"

static void word_write(char word[MACHINE_WORD_SIZE])
{
    char *processor = run_conditions_processor();
    snprintf(word, MACHINE_WORD_SIZE, "%.150s, %ld cores",
             processor ? processor : "a processor without a name", sysconf(_SC_NPROCESSORS_ONLN));
    free(processor);
}

/* The first rank from `from` on that has other texts. */
static int stretch_end(const char (*words)[MACHINE_WORD_SIZE], int ranks, int from)
{
    int to = from + 1;
    while (to < ranks && strcmp(words[to], words[from]) == 0)
        to++;
    return to;
}

char *machine_describe(const char (*words)[MACHINE_WORD_SIZE], int ranks)
{
    struct text text = TEXT_INIT;
    for (int from = 0, to; from < ranks; from = to) {
        to = stretch_end(words, ranks, from);
        text_add(&text, "%s%s", from > 0 ? "; " : "", words[from]);
        if (to - from == 1 && ranks > 1)
            text_add(&text, " (rank %d)", from);
        else if (to - from < ranks)
            text_add(&text, " (ranks %d-%d)", from, to - 1);
    }
    return text_take(&text);
}

bool machine_gather(const struct comm *comm, char **machine, struct failure *failure)
{
    const bool leads = comm_leads(comm);
    char mine[MACHINE_WORD_SIZE] = "";
    char(*all)[MACHINE_WORD_SIZE] = NULL;
    *machine = NULL;
    word_write(mine);
    if (leads && !(all = calloc((size_t)comm->size, sizeof *all)))
        failure_memory(failure, "describing the machine");
    const bool good = comm_agree(comm, failure);
    if (good)
        comm_gather(comm, mine, sizeof mine, all);
    if (good && leads) {
        *machine = machine_describe((const char(*)[MACHINE_WORD_SIZE])all, comm->size);
        if (!*machine)
            failure_memory(failure, "describing the machine");
    }
    free(all);
    return good && comm_agree(comm, failure);
}
