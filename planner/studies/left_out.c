#include "planner/studies/left_out.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/studies/worker_candidates.h"

/* Kinds of workers that are told of; of further ones only how many there are. */
enum { KINDS_TOLD = 16 };

static void limit_tell(const struct kind *kind, struct text *text)
{
    if (kind->limit == KIND_EXCLUDED)
        text_add(text, "--exclude leaves them out\n");
    else
        text_add(text, "--at-most allows %" PRId64 "\n", kind->most);
}

/* Says what one worker more would change: "charge is 233.3 instead of 200". */
static void change_tell(const struct worker_wish *wish, const struct evaluation *with,
                        const struct evaluation *plan, struct text *text)
{
    const struct objective *objective = wish->objective;
    text_add(text, "with one more, %s is %.6g instead of %.6g", objective->name,
             objective->value(with), objective->value(plan));
    if (with->workers == plan->workers && with->makespan_s == plan->makespan_s)
        text_add(text, ": it would get no package");
    else if (objective->tie == OBJECTIVE_TIE_WORKERS)
        text_add(text, ", for %.6g worker-seconds instead of %.6g", with->worker_s, plan->worker_s);
    else
        text_add(text, ", with a makespan of %.6g s instead of %.6g s", with->makespan_s,
                 plan->makespan_s);
    text_add(text, "\n");
}

static void loss_tell(const struct worker_wish *wish, const struct counts_plan *more,
                      const struct evaluation *plan, struct text *text)
{
    const struct evaluation *with = &more->evaluation;
    if (!more->made)
        text_add(text, "with one more there is no plan%s%s\n", more->refused.text[0] ? ": " : "",
                 more->refused.text);
    else if (wish->budget >= 0 && with->charge > wish->budget)
        text_add(text, "with one more, the plan costs %.6g: above the budget of %.6g\n",
                 with->charge, wish->budget);
    else
        change_tell(wish, with, plan, text);
}

static bool kind_tell(const struct planning *planning, const struct worker_wish *wish,
                      const struct kinds *kinds, const int64_t *used, size_t at,
                      const struct evaluation *evaluation, struct text *text,
                      struct failure *failure)
{
    struct counts_plan more;
    int64_t *counts = malloc(kinds->count * sizeof *counts);
    if (!counts)
        return failure_memory(failure, "saying why workers are left out");
    memcpy(counts, used, kinds->count * sizeof *counts);
    counts[at]++;
    const bool good = counts_plan(planning, kinds, wish->waits, counts, false, &more, failure);
    if (good)
        loss_tell(wish, &more, evaluation, text);
    counts_plan_release(&more);
    free(counts);
    return good;
}

bool left_out_text(const struct planning *planning, const struct worker_wish *wish,
                   const struct kinds *kinds, const int64_t *used,
                   const struct evaluation *evaluation, struct text *text, struct failure *failure)
{
    char name[KIND_NAME_SIZE];
    int told = 0;
    for (size_t k = 0; k < kinds->count; k++) {
        const struct kind *kind = &kinds->items[k];
        const int64_t left = kind_workers(kind) - used[k];
        if (left == 0 || ++told > KINDS_TOLD)
            continue;
        text_add(text, "not used    %" PRId64 " of %" PRId64 " %s: ", left, kind_workers(kind),
                 kind_name(kind, name));
        if (used[k] >= kind->most)
            limit_tell(kind, text);
        else if (!kind_tell(planning, wish, kinds, used, k, evaluation, text, failure))
            return false;
    }
    if (told > KINDS_TOLD)
        text_add(text, "not used    workers of %d more kinds\n", told - KINDS_TOLD);
    if (told == 0)
        text_add(text, "not used    none: the plan uses all workers\n");
    return true;
}
