#include "spmd/run/run_outcome.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds the prediction after the makespan. */
static void prediction_print(const struct plan_prediction *predicted, double makespan_s)
{
    printf(" (predicted %.4f s, ", predicted->makespan_s);
    if (predicted->interval_s[1] > 0)
        printf("90 %% between %.4f and %.4f s, ", predicted->interval_s[0],
               predicted->interval_s[1]);
    printf("%+.1f %%)", 100 * (makespan_s / predicted->makespan_s - 1));
}

void run_outcome_print(const char *output, const struct run_outcome *outcome, bool predicts)
{
    const struct summary *summary = &outcome->summary;
    const struct plan_prediction *predicted = &outcome->predicted;
    printf("%s: %" PRId64 " core tasks", output, summary->tasks);
    if (outcome->resumed)
        printf(", %" PRId64 " of them done before", outcome->kept);
    if (outcome->kept < summary->tasks)
        printf("%s in %.4f s", outcome->resumed ? ", the others" : "", outcome->makespan_s);
    if (predicted->known && predicted->makespan_s > 0 && predicts)
        prediction_print(predicted, outcome->makespan_s);
    if (summary->values > summary->not_numbers)
        printf("\nresponse %g to %g, ", summary->minimum, summary->maximum);
    else
        printf("\n%s", summary->values > 0 ? "response without a single number, " : "");
    printf("checksum %016" PRIx64 "\n", summary->checksum);
    if (summary->not_numbers > 0)
        printf("%" PRId64 " of %" PRId64 " values are not numbers\n", summary->not_numbers,
               summary->values);
    if (outcome->json)
        printf("%s\n", outcome->json);
    if (outcome->told)
        printf("%s", outcome->told);
    if (outcome->losses)
        printf("%s", outcome->losses);
}

void run_outcome_check(const char *output, const struct run_outcome *outcome,
                       struct failure *failure)
{
    char list[400] = "";
    size_t used = 0;
    for (int i = 0; i < outcome->rejection_count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%" PRId64 " (%.100s)",
                                 i > 0 ? ", " : "", outcome->rejections[i].task + 1,
                                 outcome->rejections[i].why);
    if (outcome->summary.failed > 0)
        failure_set(
            failure, FAILURE_FAILED,
            "%s: %" PRId64 " of %" PRId64 " core tasks failed%s%s%.300s: see scow show %s --failed",
            output, outcome->summary.failed, outcome->summary.tasks,
            outcome->summary.failed < outcome->summary.tasks ? ", all others are there" : "",
            list[0] ? "; among them " : "", list, output);
}

char *run_outcome_emitted(const char *output, const char *given)
{
    static const char ending[] = ".results";
    if (given)
        return strdup(given);
    const size_t size = strlen(output) + sizeof ending;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s%s", output, ending);
    return name;
}
