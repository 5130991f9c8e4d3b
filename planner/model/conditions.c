#include "planner/model/conditions.h"

#include <string.h>

/* Skips characters that do not belong to a name. */
static const char *ranks_skip(const char *text)
{
    while (*text == ' ' || *text == '(') {
        if (*text == '(')
            text += strcspn(text, ")");
        text += *text != '\0';
    }
    return text;
}

bool conditions_isa_alike(const char *one, const char *other)
{
    for (;; one++, other++) {
        one = ranks_skip(one);
        other = ranks_skip(other);
        if (*one != *other)
            return false;
        if (*one == '\0')
            return true;
    }
}

static bool are_other(const char *here, const char *measured)
{
    return here && here[0] != '\0' && measured && strcmp(here, measured) != 0;
}

static bool counts_differ(int here, int measured)
{
    return here > 0 && measured > 0 && here != measured;
}

void conditions_compare(const struct conditions *here, const struct profile *profile,
                        const struct profile_setting *setting, const char *head, struct text *text)
{
    const struct profile_origin *origin = &profile->origin;
    const int threads = setting ? profile_threads(profile, setting) : origin->threads;
    if (are_other(here->processor, origin->processor))
        text_add(text, "%sthe profile was measured on '%s', the master's processor is '%s'\n", head,
                 origin->processor, here->processor);
    if (counts_differ(here->workers_per_node, origin->workers_per_node))
        text_add(text, "%sthe profile was measured with %d workers on a node, the run has %d\n",
                 head, origin->workers_per_node, here->workers_per_node);
    if (counts_differ(here->threads, threads))
        text_add(text,
                 "%sthe profile was measured with %d threads per rank, the run has %d "
                 "(OMP_NUM_THREADS)\n",
                 head, threads, here->threads);
    if (here->isa && origin->isa && !conditions_isa_alike(origin->isa, here->isa))
        text_add(text, "%sthe profile was measured with %s, the run computes with %s (--isa)\n",
                 head, origin->isa, here->isa);
    if (setting && are_other(here->method, setting->method))
        text_add(text, "%sthe profile was measured with tasks computed by %s, here it is %s\n",
                 head, setting->method, here->method);
}
