#include "spmd/launch/documents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/files/strips_json.h"
#include "planner/files/textfile.h"
#include "planner/model/profile.h"
#include "spmd/launch/launch.h"

/* A profile's text, owned, if the file is there and is the one the plan was made from. What came
 * through a pipe then would be waited for now. */
static char *profile_try(const char *path, const char *digest, size_t *length)
{
    struct failure absent = FAILURE_INIT;
    struct stat status;
    char found[65];
    const bool there = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    char *text = there ? textfile_read(path, length, &absent) : NULL;
    if (!text)
        return NULL;
    textfile_sha256(text, *length, found);
    if (strcmp(found, digest) == 0)
        return text;
    free(text);
    return NULL;
}

/* Local to the master. Owned; NULL: not found. */
static char *profile_seek(const char *profile, const char *sha256, const char *plan_path,
                          size_t *length)
{
    if (!profile || !sha256)
        return NULL;
    char *text = profile_try(profile, sha256, length);
    if (text)
        return text;
    const char *name = strrchr(profile, '/'), *end = strrchr(plan_path, '/');
    char beside[4096];
    int directory = end ? (int)(end - plan_path) + 1 : 0;
    int bytes =
        snprintf(beside, sizeof beside, "%.*s%s", directory, plan_path, name ? name + 1 : profile);
    if (bytes < 0 || (size_t)bytes >= sizeof beside)
        return NULL;
    return profile_try(beside, sha256, length);
}

/* Where the profile of either plan was, and its digest; NULL: not said. */
static const char *profile_path(const struct documents *documents)
{
    return documents->strips.strip_count > 0 ? documents->strips.profile : documents->plan.profile;
}

static const char *profile_digest(const struct documents *documents)
{
    return documents->strips.strip_count > 0 ? documents->strips.profile_sha256
                                             : documents->plan.profile_sha256;
}

/* Collective. */
static bool profile_share(struct documents *documents, const struct comm *comm,
                          const char *plan_path, struct failure *failure)
{
    size_t length = 0;
    const char *path = profile_path(documents), *sha256 = profile_digest(documents);
    char *text = comm->rank == 0 ? profile_seek(path, sha256, plan_path, &length) : NULL;
    int found = text != NULL;
    comm_broadcast(comm, &found, sizeof found);
    if (!found)
        return true;
    documents->profile_text = comm_broadcast_text(comm, text, &length);
    return profile_parse(&documents->profile, documents->profile_text, length, path, failure);
}

/* Collective. A profile that is not the plan's own would explain nothing. */
static bool profile_read(struct documents *documents, const struct comm *comm, const char *plan,
                         const char *path, struct failure *failure)
{
    size_t length = 0;
    documents->profile_text = launch_read(comm, path, &length, failure);
    if (!documents->profile_text)
        return false;
    if (!profile_parse(&documents->profile, documents->profile_text, length, path, failure))
        return false;
    char digest[65];
    textfile_sha256(documents->profile_text, length, digest);
    const char *wanted = profile_digest(documents);
    if (wanted && strcmp(digest, wanted) != 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is not the profile that %s was made from: plan again with it", path,
                           plan);
    return true;
}

bool documents_read(struct documents *documents, const struct comm *comm, const char *plan,
                    const char *profile, struct failure *failure)
{
    size_t length = 0;
    documents->plan_text = launch_read(comm, plan, &length, failure);
    if (documents->plan_text && strips_is(documents->plan_text, length))
        strips_parse(&documents->strips, documents->plan_text, length, plan, failure);
    else if (documents->plan_text)
        plan_parse(&documents->plan, documents->plan_text, length, plan, failure);
    if (!comm_agree(comm, failure)) /* memory may have ended on one rank only */
        return false;
    if (profile)
        profile_read(documents, comm, plan, profile, failure);
    else
        profile_share(documents, comm, plan, failure);
    return comm_agree(comm, failure);
}

bool documents_replace_plan(struct documents *documents, const struct comm *comm, char *text,
                            const char *plan, struct failure *failure)
{
    size_t length = text ? strlen(text) : 0;
    plan_release(&documents->plan);
    free(documents->plan_text);
    documents->plan_text = comm_broadcast_text(comm, text, &length);
    plan_parse(&documents->plan, documents->plan_text, length, plan, failure);
    return comm_agree(comm, failure);
}

const struct profile *documents_profile(const struct documents *documents)
{
    return documents->profile_text ? &documents->profile : NULL;
}

void documents_release(struct documents *documents)
{
    plan_release(&documents->plan);
    strips_plan_release(&documents->strips);
    profile_release(&documents->profile);
    free(documents->plan_text);
    free(documents->profile_text);
}
