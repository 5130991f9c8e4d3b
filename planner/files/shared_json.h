/* The shares of processors that a plan was made for, as plans have them in their files. */
#ifndef PLANNER_FILES_SHARED_JSON_H
#define PLANNER_FILES_SHARED_JSON_H

#include "planner/files/fields.h"

/* Of a struct plan_shared. */
extern const struct field_table shared_json_table;

#endif
