#include "planner/files/cost_map_json.h"

#include <inttypes.h>
#include <stdlib.h>

#include "planner/base/limits.h"

/* Relative: of errors and of costs. */
static const double SHARE_MOST = 1e9, COST_LEAST = 1e-12;
enum { REGIONS_ON_A_LINE = 6 };

static bool share_parse(json_t *value, const char *key, const struct document_place *map,
                        double *share, struct failure *failure)
{
    const struct document_place place = document_at(map, key);
    return document_number(json_object_get(value, key), &place, 0, SHARE_MOST, share, failure);
}

static bool region_parse(struct cost_region *region, json_t *value,
                         const struct document_place *place, struct failure *failure)
{
    static const struct document_key keys[] = {{"tasks", true}, {"cost", true}};
    if (!document_keys(value, place, keys, sizeof keys / sizeof *keys, failure))
        return false;
    const struct document_place tasks = document_at(place, "tasks");
    const struct document_place cost = document_at(place, "cost");
    return document_count(json_object_get(value, "tasks"), &tasks, 1, LIMIT_TASKS, &region->tasks,
                          failure) &&
           document_number(json_object_get(value, "cost"), &cost, COST_LEAST, SHARE_MOST,
                           &region->cost, failure);
}

/* That their sum is the job's stops sums from growing beyond all numbers, too. */
static bool regions_parse(struct cost_map *map, json_t *value, const struct document_place *place,
                          struct failure *failure)
{
    int64_t left = map->tasks;
    if (!value)
        return true;
    if (!document_array(value, place, 1, failure))
        return false;
    map->regions = calloc(json_array_size(value), sizeof *map->regions);
    if (!map->regions)
        return failure_memory(failure, "reading a profile");
    for (size_t k = 0; k < json_array_size(value); k++) {
        const struct document_place at = document_element(place, k);
        struct cost_region *region = &map->regions[map->region_count++];
        if (!region_parse(region, json_array_get(value, k), &at, failure))
            return false;
        if (region->tasks > left)
            return document_refuse(failure, &at, "ends beyond the map's %" PRId64 " core tasks",
                                   map->tasks);
        left -= region->tasks;
    }
    return cost_map_settle(map) ||
           document_refuse(failure, place, "must have the map's %" PRId64 " core tasks together",
                           map->tasks);
}

bool cost_map_parse(struct cost_map *map, json_t *value, const struct document_place *place,
                    struct failure *failure)
{
    static const struct document_key keys[] = {{"tasks", true},
                                               {"sampled", true},
                                               {"error", false},
                                               {"unseen", false},
                                               {"regions", false}};
    if (!value)
        return true;
    if (!document_keys(value, place, keys, sizeof keys / sizeof *keys, failure))
        return false;
    const struct document_place tasks = document_at(place, "tasks");
    const struct document_place sampled = document_at(place, "sampled");
    const struct document_place regions = document_at(place, "regions");
    return document_count(json_object_get(value, "tasks"), &tasks, 1, LIMIT_TASKS, &map->tasks,
                          failure) &&
           document_count(json_object_get(value, "sampled"), &sampled, 1, map->tasks, &map->sampled,
                          failure) &&
           share_parse(value, "error", place, &map->error, failure) &&
           share_parse(value, "unseen", place, &map->unseen, failure) &&
           regions_parse(map, json_object_get(value, "regions"), &regions, failure);
}

static void regions_print(struct text *text, const struct cost_map *map)
{
    for (size_t k = 0; k < map->region_count; k++) {
        text_add(text,
                 "%s%s{\"tasks\": %" PRId64 ", \"cost\": ", k == 0 ? ", \"regions\": [" : ", ",
                 k % REGIONS_ON_A_LINE == 0 ? "\n        " : "", map->regions[k].tasks);
        text_add_number(text, map->regions[k].cost);
        text_add(text, "}");
    }
    if (map->region_count > 0)
        text_add(text, "]");
}

void cost_map_print(struct text *text, const struct cost_map *map, const char *behind)
{
    if (map->tasks == 0)
        return;
    text_add(text,
             "\"map\": {\"tasks\": %" PRId64 ", \"sampled\": %" PRId64 ", \"error\": ", map->tasks,
             map->sampled);
    text_add_number(text, map->error);
    text_add(text, ", \"unseen\": ");
    text_add_number(text, map->unseen);
    regions_print(text, map);
    text_add(text, "}%s", behind);
}
