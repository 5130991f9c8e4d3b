#include "planner/model/weights.h"

#include <stdlib.h>
#include <string.h>

/* With the names; the work is the caller's to fill in. */
static struct task_weights *weights_name(const char *source, const char *sha256)
{
    struct task_weights *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->source = strdup(source);
    made->sha256 = strdup(sha256);
    if (made->source && made->sha256)
        return made;
    weights_free(made);
    return NULL;
}

struct task_weights *weights_new(const char *source, const char *sha256, const double *items,
                                 int64_t count)
{
    struct task_weights *made = weights_name(source, sha256);
    if (made && !work_weigh(&made->work, items, count)) {
        weights_free(made);
        return NULL;
    }
    if (made)
        made->deviation = work_deviation(&made->work);
    return made;
}

struct task_weights *weights_copy(const struct task_weights *from)
{
    struct task_weights *made = weights_name(from->source, from->sha256);
    if (made && !work_copy(&made->work, &from->work)) {
        weights_free(made);
        return NULL;
    }
    if (made)
        made->deviation = from->deviation;
    return made;
}

void weights_free(struct task_weights *weights)
{
    if (!weights)
        return;
    free(weights->source);
    free(weights->sha256);
    work_release(&weights->work);
    free(weights);
}
