#include "spmd/protocol/run_conditions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/launch/oversubscription.h"

char *run_conditions_processor(void)
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

static const struct profile_setting *setting_of(const struct plan *plan,
                                                const struct profile *profile)
{
    return profile_find(profile, &plan->parameters, plan->threads);
}

void run_conditions_warn(const struct conditions *conditions, const struct plan *plan,
                         const struct profile *profile, const char *command)
{
    struct text text = TEXT_INIT;
    if (!profile)
        return;
    char who[32];
    snprintf(who, sizeof who, "%s: ", command);
    conditions_compare(conditions, profile, setting_of(plan, profile), who, &text);
    if (text.length > 0)
        fprintf(stderr, "%s%stimes will differ from the plan's\n", text.bytes, who);
    text_release(&text);
}

void run_conditions_crowded(const struct comm *comm, bool works, int threads, const char *who)
{
    const struct oversubscription oversubscription = oversubscription_find(comm, works);
    struct text text = TEXT_INIT;
    oversubscription_describe(&oversubscription, threads, &text);
    if (comm_leads(comm) && text.length > 0)
        fprintf(stderr, "%s: %s", who, text.bytes);
    text_release(&text);
}
