#include <stdlib.h>
#include <string.h>

#include "planner/dispatch/dispatch.h"
#include "planner/files/profile_json.h"
#include "planner/files/textfile.h"
#include "planner/library/handle.h"
#include "planner/model/beyond.h"
#include "planner/model/objective.h"
#include "planner/schedulers/scheduler.h"

_Static_assert(SCOW_PLAN_SOVERSION == SCOW_PLAN_ABI, "the soname says which interface it is");
_Static_assert(sizeof((struct scow_plan_error *)0)->text == sizeof((struct failure *)0)->text,
               "sentences fit");

/* ---- the library --------------------------------------------------------------------------- */

int scow_plan_abi(void)
{
    return SCOW_PLAN_ABI;
}

const char *scow_plan_version(void)
{
    return SCOW_VERSION;
}

const char *scow_scheduler_name(size_t k)
{
    size_t count = 0;
    const struct scheduler *list = scheduler_list(&count);
    return k < count ? list[k].name : NULL;
}

const char *scow_scheduler_summary(size_t k)
{
    size_t count = 0;
    const struct scheduler *list = scheduler_list(&count);
    return k < count ? list[k].summary : NULL;
}

const char *scow_objective_name(size_t k)
{
    size_t count;
    const struct objective *list = objective_list(&count);
    return k < count ? list[k].name : NULL;
}

const char *scow_objective_summary(size_t k)
{
    size_t count;
    const struct objective *list = objective_list(&count);
    return k < count ? list[k].summary : NULL;
}

const char *scow_rule_name(size_t k)
{
    return k < dispatch_rule_count() ? dispatch_rule_name(k).name : NULL;
}

const char *scow_rule_summary(size_t k)
{
    return k < dispatch_rule_count() ? dispatch_rule_name(k).summary : NULL;
}

void scow_plan_text_free(char *text)
{
    free(text);
}

/* ---- profiles ------------------------------------------------------------------------------ */

void scow_profile_free(struct scow_profile *profile)
{
    if (!profile)
        return;
    profile_release(&profile->profile);
    free(profile->text);
    free(profile->name);
    free(profile);
}

/* Makes a handle from the text, and owns the text from then on; NULL with *failure set. */
static struct scow_profile *handle_new(char *text, size_t length, const char *name, bool is_file,
                                       struct failure *failure)
{
    struct scow_profile *handle = calloc(1, sizeof *handle);
    char *own = strdup(name);
    if (!handle || !own) {
        free(handle);
        free(own);
        free(text);
        failure_memory(failure, "reading the profile");
        return NULL;
    }
    *handle = (struct scow_profile){
        .text = text, .length = length, .name = own, .is_file = is_file && strcmp(name, "-") != 0};
    if (handle_profile_copy(handle, &handle->profile, failure)) {
        textfile_sha256(text, length, handle->digest);
        return handle;
    }
    scow_profile_free(handle);
    return NULL;
}

bool handle_profile_copy(const struct scow_profile *handle, struct profile *profile,
                         struct failure *failure)
{
    return profile_parse(profile, handle->text, handle->length, handle->name, failure);
}

int scow_profile_read(struct scow_profile **profile, const char *path,
                      struct scow_plan_error *error)
{
    struct entry entry = entry_begin();
    size_t length = 0;
    char *text = path ? textfile_read(path, &length, &entry.failure) : NULL;
    if (!path)
        failure_set(&entry.failure, FAILURE_USAGE, "no profile is named: give its path");
    *profile = text ? handle_new(text, length, path, true, &entry.failure) : NULL;
    return entry_end(&entry, error);
}

int scow_profile_parse(struct scow_profile **profile, const char *text, size_t length,
                       const char *name, struct scow_plan_error *error)
{
    struct entry entry = entry_begin();
    char *own = text ? malloc(length + 1) : NULL;
    *profile = NULL;
    if (own) {
        memcpy(own, text, length);
        own[length] = '\0';
        *profile = handle_new(own, length, name ? name : "profile", false, &entry.failure);
    } else if (text) {
        failure_memory(&entry.failure, "reading the profile");
    } else {
        failure_set(&entry.failure, FAILURE_USAGE, "no profile is given: hand over its text");
    }
    return entry_end(&entry, error);
}

const char *scow_profile_kernel(const struct scow_profile *profile)
{
    return profile->profile.kernel;
}

const char *scow_profile_sha256(const struct scow_profile *profile)
{
    return profile->digest;
}

int64_t scow_profile_workers(const struct scow_profile *profile)
{
    return beyond_measured(&profile->profile);
}

size_t scow_profile_settings(const struct scow_profile *profile)
{
    return profile->profile.setting_count;
}

int scow_profile_text(char **text, const struct scow_profile *profile,
                      struct scow_plan_error *error)
{
    struct entry entry = entry_begin();
    *text = profile_print(&profile->profile);
    if (!*text)
        failure_memory(&entry.failure, "writing the profile");
    return entry_end(&entry, error);
}
