#include "spmd/archive/strips_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/files/strips_json.h"
#include "spmd/archive/archive_file.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/layout.h"

static bool texts_parse(const char *path, const char *planned, const char *measured,
                        struct strips_plan *plan, struct strips_outcome *outcome,
                        struct failure *failure)
{
    if (!strips_parse(plan, planned, strlen(planned), path, failure))
        return false;
    if (strips_outcome_parse(outcome, measured, strlen(measured), path, failure) &&
        outcome->strip_count == plan->strip_count)
        return true;
    strips_plan_release(plan);
    strips_outcome_release(outcome);
    return archive_not_ours(path, "strips", failure);
}

bool strips_file_read(const char *path, struct strips_plan *plan, struct strips_outcome *outcome,
                      struct failure *failure)
{
    *plan = (struct strips_plan){.kernel = NULL};
    *outcome = (struct strips_outcome){.strips = NULL};
    layout_quiet();
    const hid_t file = access(path, R_OK) == 0 ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    if (file < 0)
        return true;
    char *measured = contents_text(file, LAYOUT_MEASURED);
    char *planned = measured ? contents_text(file, LAYOUT_PLAN) : NULL;
    const bool good = !planned || texts_parse(path, planned, measured, plan, outcome, failure);
    free(measured);
    free(planned);
    H5Fclose(file);
    return good;
}
