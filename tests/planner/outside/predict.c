/* predict PROFILE TASKS: against the library as it is installed. */
#include <scow-plan.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct scow_profile *profile = NULL;
    struct scow_plan *plan = NULL;
    struct scow_plan_error error;
    struct scow_plan_request request = SCOW_PLAN_REQUEST_INIT;
    request.tasks = argc > 2 ? atoll(argv[2]) : 0;
    if (scow_profile_read(&profile, argc > 1 ? argv[1] : NULL, &error) == SCOW_PLAN_DONE &&
        scow_plan_make(&plan, profile, &request, &error) == SCOW_PLAN_DONE)
        printf("%.10g s, %lld workers, %lld packages\n", scow_plan_makespan_s(plan),
               (long long)scow_plan_workers(plan), (long long)scow_plan_packages(plan));
    else
        fprintf(stderr, "predict: %s\n", error.text);
    scow_plan_free(plan);
    scow_profile_free(profile);
    return error.code;
}
