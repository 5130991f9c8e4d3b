#include "planner/files/load.h"

#include <stdlib.h>
#include <string.h>

#include "planner/files/grouping_file.h"
#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/files/textfile.h"
#include "planner/files/waits_tsv.h"

bool load_profile(const char *path, struct profile *profile, char digest[65],
                  struct failure *failure)
{
    size_t length = 0;
    char *text = textfile_read(path, &length, failure);
    bool good = text && profile_parse(profile, text, length, path, failure);
    if (good && digest)
        textfile_sha256(text, length, digest);
    free(text);
    return good;
}

static bool load_by(bool (*parse)(struct plan *plan, const char *text, size_t length,
                                  const char *name, struct failure *failure),
                    const char *path, struct plan *plan, struct failure *failure)
{
    size_t length = 0;
    char *text = textfile_read(path, &length, failure);
    bool good = text && parse(plan, text, length, path, failure);
    free(text);
    return good;
}

bool load_plan(const char *path, struct plan *plan, struct failure *failure)
{
    return load_by(plan_parse, path, plan, failure);
}

bool load_grouping(const char *path, const struct profile *profile, struct group *whole,
                   struct failure *failure)
{
    size_t length = 0;
    char *text = textfile_read(path, &length, failure);
    const bool is_text = text && strlen(text) == length;
    const bool good =
        is_text ? grouping_parse(whole, text, path, profile, failure)
                : text && failure_set(failure, FAILURE_MISMATCH,
                                      "%s: is no text: give a file with a line of ranks for each "
                                      "group",
                                      path);
    free(text);
    return good;
}

bool load_waits(const char *path, struct waits *waits, struct failure *failure)
{
    size_t length = 0;
    char *text = textfile_read(path, &length, failure);
    const bool good = text && waits_parse(waits, text, path, failure);
    free(text);
    return good;
}

bool load_plan_any(const char *path, struct plan *plan, struct failure *failure)
{
    return load_by(plan_parse_any, path, plan, failure);
}
