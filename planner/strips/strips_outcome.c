#include "planner/strips/strips_outcome.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* A row: what was predicted, what was measured, and by how much more that is. */
static void row_add(const char *name, double predicted_s, double measured_s, struct text *text)
{
    text_add(text, "%-10s", name);
    text_add_seconds_column(text, predicted_s);
    text_add(text, " ");
    text_add_seconds_column(text, measured_s);
    if (predicted_s > 0) /* without a prediction there is no difference to print */
        text_add(text, " %+8.1f %%", nearbyint(1000 * (measured_s / predicted_s - 1)) / 10 + 0.0);
    text_add(text, "\n");
}

/* The plan's prediction, for as many tests as there were. */
static struct strips_prediction predicted_of(const struct strips_plan *plan,
                                             const struct strips_outcome *outcome)
{
    const struct strips_job *job = &plan->job;
    const double all = ceil((double)job->iterations / (double)job->every);
    const double share = all > 0 ? (double)outcome->tests / all : 0;
    struct strips_prediction predicted = plan->predicted;
    predicted.test_s *= share;
    predicted.gather_s *= job->keep ? share : 1;
    predicted.total_s = (double)(outcome->iterations - outcome->begun) * predicted.step_s +
                        predicted.test_s + predicted.gather_s;
    return predicted;
}

static void strip_add(const struct strip *planned, const struct strip_measured *strip,
                      double iterations, struct text *text)
{
    text_add(text, "%6" PRId64 " %10" PRId64 " ", strip->rank, strip->columns);
    text_add_seconds_column(text, planned->compute_s);
    text_add(text, " ");
    text_add_seconds_column(text, strip->compute_s / iterations);
    text_add(text, " ");
    text_add_seconds_column(text, planned->exchange_s);
    text_add(text, " ");
    text_add_seconds_column(text, strip->wait_s / iterations);
    text_add(text, "\n");
}

static void loss_add(const struct strips_loss *loss, struct text *text)
{
    text_add(text, "lost        worker %" PRId64 " after ", loss->rank);
    text_add_seconds(text, loss->at_s);
    text_add(text, ": %s; ", loss->why ? loss->why : "for an unknown reason");
    if (loss->spare > 0)
        text_add(text, "worker %" PRId64 " took its place, and all", loss->spare);
    else
        text_add(text, "the others");
    text_add(text, " went on from iteration %" PRId64 ", and %" PRId64 " were done again\n",
             loss->from, loss->iterations - loss->from);
}

void strips_outcome_describe(const struct strips_plan *plan, const struct strips_outcome *outcome,
                             struct text *text)
{
    const struct strips_job *job = &plan->job;
    const struct strips_prediction predicted = predicted_of(plan, outcome);
    const double iterations = fmax(1, (double)(outcome->iterations - outcome->begun));
    text_add(text,
             "%" PRId64 " rows x %" PRId64 " columns, %" PRId64 " of %" PRId64 " iterations%s",
             job->rows, job->columns, outcome->iterations, job->iterations,
             outcome->complete  ? ""
             : outcome->running ? ": the run goes on"
                                : ": stopped before its end");
    if (!outcome->simulated)
        text_add(text, ", the last changes no cell by more than %.3g", outcome->change);
    text_add(text, "\n");
    if (outcome->begun > 0)
        text_add(text, "went on     after %" PRId64 " iterations\n", outcome->begun);
    if (outcome->rebalanced > 0)
        text_add(text, "rebalanced  %" PRId64 " times: widths are those of the end\n",
                 outcome->rebalanced);
    for (size_t k = 0; k < outcome->loss_count; k++)
        loss_add(&outcome->losses[k], text);
    text_add(text, "\n             predicted    %s\n",
             outcome->simulated ? "simulated" : " measured");
    row_add("iteration", predicted.step_s, outcome->step_s, text);
    row_add("tests", predicted.test_s, outcome->test_s, text);
    row_add("grid", predicted.gather_s, outcome->gather_s, text);
    if (outcome->lost_s > 0)
        row_add("lost", 0, outcome->lost_s, text);
    row_add("total", predicted.total_s, outcome->total_s, text);
    const char *word = outcome->simulated ? "simulated" : " measured";
    text_add(text,
             "\n                  computing in an iteration   exchanging      waiting\n"
             "  rank    columns    predicted    %s    predicted    %s\n",
             word, word);
    for (size_t k = 0; k < outcome->strip_count && k < plan->strip_count; k++)
        strip_add(&plan->strips[k], &outcome->strips[k], iterations, text);
}

void strips_outcome_release(struct strips_outcome *outcome)
{
    for (size_t k = 0; k < outcome->loss_count; k++)
        free(outcome->losses[k].why);
    free(outcome->losses);
    free(outcome->strips);
    *outcome = (struct strips_outcome){.strips = NULL};
}
