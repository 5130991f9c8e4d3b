#include "planner/model/topology.h"

static void count_add(struct text *text, const char *before, int count, const char *what)
{
    text_add(text, "%s%d %s%s", before, count, what, count == 1 ? "" : "s");
}

void topology_describe(const struct topology *topology, struct text *text)
{
    count_add(text, "", topology->packages, "package");
    count_add(text, ", ", topology->cores, "core");
    count_add(text, ", ", topology->threads, "hardware thread");
    count_add(text, ", ", topology->numa, "NUMA node");
    if (topology->gpus > 0)
        count_add(text, ", ", topology->gpus, "GPU");
}

static bool topology_equal(const struct topology *a, const struct topology *b)
{
    return a->packages == b->packages && a->cores == b->cores && a->threads == b->threads &&
           a->numa == b->numa && a->gpus == b->gpus;
}

void topology_kinds_add(struct topology_kinds *kinds, const struct topology *topology)
{
    int at = 0;
    while (at < kinds->count && !topology_equal(&kinds->items[at].topology, topology))
        at++;
    if (topology->threads == 0 || at == TOPOLOGY_KINDS_MOST)
        return;
    if (at == kinds->count)
        kinds->items[kinds->count++] = (struct topology_kind){*topology, 0};
    kinds->items[at].nodes++;
}

void topology_kinds_describe(const struct topology_kinds *kinds, struct text *text)
{
    for (int k = 0; k < kinds->count; k++) {
        count_add(text, k > 0 ? "; " : "", kinds->items[k].nodes, "node");
        text_add(text, " of ");
        topology_describe(&kinds->items[k].topology, text);
    }
}
