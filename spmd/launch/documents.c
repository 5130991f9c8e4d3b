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
#include "spmd/transport/bundle.h"

/* A profile's text, owned, if the file exists and is the one that the plan was made from. It is not
 * read again if it was a pipe, for which this would wait. */
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

/* The path of the profile of either kind of plan, and its digest; NULL: not said. */
static const char *profile_path(const struct documents *documents)
{
    return documents->strips.strip_count > 0 ? documents->strips.profile : documents->plan.profile;
}

static const char *profile_digest(const struct documents *documents)
{
    return documents->strips.strip_count > 0 ? documents->strips.profile_sha256
                                             : documents->plan.profile_sha256;
}

/* Local. Parses a plan of either kind. */
static bool plan_take(struct documents *documents, size_t length, const char *plan,
                      struct failure *failure)
{
    const char *text = documents->plan_text;
    if (strips_is(text, length))
        return strips_parse(&documents->strips, text, length, plan, failure);
    return documents->masters ? plan_parse_any(&documents->plan, text, length, plan, failure)
                              : plan_parse(&documents->plan, text, length, plan, failure);
}

/* Lengths of the texts. */
struct lengths {
    size_t plan, profile;
};

/* Local to the master. Reads the plan's text, and the profile's: the file that is named, or the one
 * that the plan was made from, if it can be found. */
static void texts_read(struct documents *documents, struct lengths *lengths, const char *plan,
                       const char *profile, struct failure *failure)
{
    documents->plan_text = textfile_read(plan, &lengths->plan, failure);
    if (!documents->plan_text || !plan_take(documents, lengths->plan, plan, failure))
        return;
    documents->profile_text = profile
                                  ? textfile_read(profile, &lengths->profile, failure)
                                  : profile_seek(profile_path(documents), profile_digest(documents),
                                                 plan, &lengths->profile);
}

/* Local to a worker. */
static void texts_take(struct documents *documents, struct lengths *lengths, struct bundle *bundle,
                       const char *plan, struct failure *failure)
{
    documents->plan_text = bundle_take_text(bundle, &lengths->plan, failure);
    documents->profile_text = bundle_take_text(bundle, &lengths->profile, failure);
    if (documents->plan_text)
        plan_take(documents, lengths->plan, plan, failure);
}

/* Local. A profile that is not the plan's own is refused: it would explain nothing. */
static bool profile_take(struct documents *documents, size_t length, const char *plan,
                         const char *path, struct failure *failure)
{
    const char *text = documents->profile_text, *wanted = profile_digest(documents);
    char digest[65];
    if (!profile_parse(&documents->profile, text, length, path ? path : profile_path(documents),
                       failure))
        return false;
    textfile_sha256(text, length, digest);
    return !path || !wanted || strcmp(digest, wanted) == 0 ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: is not the profile that %s was made from: plan again with it", path,
                       plan);
}

bool documents_read(struct documents *documents, const struct comm *comm, const char *plan,
                    const char *profile, struct failure *failure)
{
    struct bundle bundle = {0};
    struct lengths lengths = {0};
    if (comm_leads(comm)) {
        texts_read(documents, &lengths, plan, profile, failure);
        bundle_put_text(&bundle, documents->plan_text, lengths.plan);
        bundle_put_text(&bundle, documents->profile_text, lengths.profile);
    }
    const bool good = bundle_share(&bundle, comm, failure);
    if (good && !comm_leads(comm))
        texts_take(documents, &lengths, &bundle, plan, failure);
    bundle_release(&bundle);
    if (documents->profile_text && failure->code == FAILURE_NONE)
        profile_take(documents, lengths.profile, plan, profile, failure);
    return good && comm_agree(comm, failure); /* one rank may be out of memory */
}

bool documents_replace_plan(struct documents *documents, char *text, size_t length,
                            const char *plan, struct failure *failure)
{
    plan_release(&documents->plan);
    free(documents->plan_text);
    documents->plan_text = text;
    return plan_parse(&documents->plan, text, length, plan, failure);
}

bool documents_renew(struct documents *documents, struct failure *failure)
{
    char *text = plan_print(&documents->plan);
    if (!text)
        return failure_memory(failure, "keeping a plan");
    free(documents->plan_text);
    documents->plan_text = text;
    return true;
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
