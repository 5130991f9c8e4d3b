#include "spmd/run/conditions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/profile_json.h"
#include "spmd/job/instructions.h"

char *conditions_processor(void)
{
    static const char key[] = "model name";
    char line[256];
    char *model = NULL;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !model && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        line[strcspn(line, "\n")] = '\0';
        if (colon && strncmp(line, key, sizeof key - 1) == 0)
            model = strdup(colon + 1 + strspn(colon + 1, " \t"));
    }
    if (file)
        fclose(file);
    return model;
}

static void processor_compare(const char *measured)
{
    char *here = measured ? conditions_processor() : NULL;
    if (here && strcmp(here, measured) != 0)
        fprintf(stderr,
                "scow run: the profile was measured on '%s', the master's processor is '%s': times "
                "will differ\n",
                measured, here);
    free(here);
}

static void method_compare(const struct job *job, const char *measured)
{
    char method[JOB_METHOD_SIZE];
    job_method(job, method, sizeof method);
    if (measured && method[0] != '\0' && strcmp(method, measured) != 0)
        fprintf(stderr,
                "scow run: the profile was measured with tasks computed by %s, here it is %s: "
                "times will differ\n",
                measured, method);
}

static void profile_compare(const struct conditions *here, const struct profile *profile)
{
    const struct profile_origin *origin = &profile->origin;
    const struct profile_setting *setting =
        profile_find(profile, &here->plan->parameters, here->plan->threads);
    const int threads = setting ? profile_threads(profile, setting) : origin->threads;
    if (threads > 0 && threads != here->threads)
        fprintf(stderr,
                "scow run: the profile was measured with %d threads per rank, this run has %d: "
                "times will differ (OMP_NUM_THREADS)\n",
                threads, here->threads);
    if (origin->isa && !instructions_alike(origin->isa, here->isa))
        fprintf(stderr,
                "scow run: the profile was measured with %s, this run computes with %s: times "
                "will differ (--isa)\n",
                origin->isa, here->isa);
    if (origin->workers_per_node > 0 && origin->workers_per_node != here->workers_per_node)
        fprintf(stderr,
                "scow run: the profile was measured with %d workers on a node, this run has %d: "
                "times will differ\n",
                origin->workers_per_node, here->workers_per_node);
    processor_compare(origin->processor);
    if (setting)
        method_compare(here->job, setting->method);
}

void conditions_compare(const struct conditions *conditions)
{
    const char *text = conditions->profile_text;
    struct profile profile;
    struct failure failure = FAILURE_INIT;
    if (!text || !profile_parse(&profile, text, strlen(text), "", &failure))
        return;
    profile_compare(conditions, &profile);
    profile_release(&profile);
}
