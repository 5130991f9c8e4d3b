#include "planner/files/shared_json.h"

#include "planner/base/limits.h"
#include "planner/model/plan.h"

#define AT(member) offsetof(struct plan_shared, member)
static const struct field shared_fields[] = {
    {"first_rank", FIELD_COUNT, AT(first_rank), 1, LIMIT_WORKERS, .flags = FIELD_REQUIRED},
    {"last_rank", FIELD_COUNT, AT(last_rank), 1, LIMIT_WORKERS, .flags = FIELD_REQUIRED},
    {"share", FIELD_NUMBER, AT(share), 1e-6, 1e6, .flags = FIELD_REQUIRED},
    {"deviation", FIELD_NUMBER, AT(deviation), 0, LIMIT_DEVIATION, .flags = FIELD_REQUIRED},
    {"bandwidth", FIELD_NUMBER, AT(bandwidth), 1e-6, 1e6, .flags = FIELD_NONZERO},
    {"bandwidth_deviation", FIELD_NUMBER, AT(bandwidth_deviation), 0, LIMIT_DEVIATION,
     .flags = FIELD_NONZERO},
};
#undef AT
const struct field_table shared_json_table = {FIELD_TABLE(shared_fields)};
