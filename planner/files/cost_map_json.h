/* A cost map as it stands in a profile's setting, under "map". */
#ifndef PLANNER_FILES_COST_MAP_JSON_H
#define PLANNER_FILES_COST_MAP_JSON_H

#include <stdbool.h>

#include "planner/base/text.h"
#include "planner/files/document.h"
#include "planner/model/cost_map.h"

/* Nothing where there is no value. False with *failure set: not a map. To be released all the same.
 */
bool cost_map_parse(struct cost_map *map, json_t *value, const struct document_place *place,
                    struct failure *failure);
/* The key, the value, and `behind`; nothing without a map. */
void cost_map_print(struct text *text, const struct cost_map *map, const char *behind);

#endif
