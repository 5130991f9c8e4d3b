#include "spmd/archive/archive_levels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/plan_json.h"
#include "spmd/archive/archive_file.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/layout.h"
#include "spmd/layout/level_file.h"
#include "spmd/layout/parts.h"

/* The levels while they are read. */
struct reading {
    struct run_record *record;
    struct plan_level
        *expected; /* owned: levels as expected by the first one's plan; NULL: not known */
    size_t expected_count;
    bool ruled; /* the first level was assigned on request: its plan's times are not the run's */
};

/* ---- one level ----------------------------------------------------------------------------- */

static void expected_take(struct reading *reading, struct plan *plan, bool ruled)
{
    reading->expected = plan->levels;
    reading->expected_count = plan->level_count;
    reading->ruled = ruled;
    plan->levels = NULL;
    plan->level_count = 0;
}

/* The makespan by the plan with which the level began; 0: not known. For the first level, also
 * reads what its plan expects. */
static double predicted_of(hid_t file, const char *path, int64_t number, struct reading *reading)
{
    struct failure none = FAILURE_INIT;
    struct plan plan;
    double predicted_s = 0;
    char *text = contents_text(file, LAYOUT_PLAN);
    char *rule = contents_attribute(file, LAYOUT_RULE);
    if (text && plan_parse(&plan, text, strlen(text), path, &none)) {
        predicted_s = plan.predicted.known && !rule ? plan.predicted.makespan_s : 0;
        if (number == 1)
            expected_take(reading, &plan, rule != NULL);
        plan_release(&plan);
    }
    free(text);
    free(rule);
    return predicted_s;
}

/* The sum over all parts. */
static double measured_of(hid_t file)
{
    int32_t resumed = 0;
    int64_t count = 0;
    double measured_s = 0;
    contents_number(file, LAYOUT_RESUMED, H5T_NATIVE_INT32, &resumed);
    struct run_part *parts = parts_list(file, resumed, &count);
    for (int64_t k = 0; k < count; k++)
        measured_s += parts[k].makespan_s;
    free(parts);
    return measured_s;
}

/* Reads the level's state from its ledger and its end. */
static void state_read(hid_t file, struct run_level *level)
{
    size_t count = 0;
    int32_t complete = 0;
    uint8_t *ledger = archive_ledger(file, &count);
    level->tasks = (int64_t)count;
    for (size_t k = 0; ledger && k < count; k++) {
        level->done += ledger[k] == 1;
        level->failed += ledger[k] == 2;
    }
    free(ledger);
    contents_number(file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &complete);
    level->complete = complete != 0;
}

/* Appends a level; false: out of memory. */
static bool level_add(hid_t file, const char *path, int64_t number, struct reading *reading)
{
    struct run_record *record = reading->record;
    const size_t count = (size_t)record->level_count;
    struct run_level *grown = realloc(record->levels, (count + 1) * sizeof *grown);
    if (!grown)
        return false;
    record->levels = grown;
    struct run_level *level = &grown[record->level_count++];
    *level = (struct run_level){.level = number,
                                .path = strdup(path),
                                .predicted_s = predicted_of(file, path, number, reading),
                                .measured_s = measured_of(file)};
    state_read(file, level);
    return level->path != NULL;
}

/* ---- those before it ----------------------------------------------------------------------- */

/* The path of `name` in the folder of `path`; owned. NULL: out of memory. */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const size_t size = strlen(path) + strlen(name) + 1;
    char *made = malloc(size);
    if (made)
        snprintf(made, size, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, name);
    return made;
}

/* Opens the file of the level before; negative: there is none, or it belongs to another search. */
static hid_t before_open(const char *path, int64_t number)
{
    char *before = NULL;
    const hid_t file = path ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    const bool good = file >= 0 && level_file_number(file, &before) == number;
    free(before);
    if (good || file < 0)
        return file;
    H5Fclose(file);
    return -1;
}

/* Adds the level before, whose file is called `name`; *more: the name of the file before that,
 * owned; NULL: there is none, or it is gone. False: out of memory. */
static bool before_add(const char *name, const char *path, int64_t number, struct reading *reading,
                       char **more)
{
    char *before = beside(path, name);
    const hid_t file = before_open(before, number);
    bool good = before != NULL;
    *more = NULL;
    if (file >= 0) {
        good = level_add(file, before, number, reading);
        level_file_number(file, more);
        H5Fclose(file);
    }
    free(before);
    return good;
}

/* Adds the levels before the one of `file`, from the last to the first. */
static bool befores_add(hid_t file, const char *path, struct reading *reading)
{
    char *name;
    bool good = true;
    int64_t number = level_file_number(file, &name);
    while (good && name && number > 1) {
        char *more;
        good = before_add(name, path, --number, reading, &more);
        free(name);
        name = more;
    }
    free(name);
    return good;
}

/* ---- all of them --------------------------------------------------------------------------- */

static void turn_round(struct run_record *record)
{
    for (int64_t k = 0; k < record->level_count / 2; k++) {
        struct run_level *one = &record->levels[k];
        struct run_level *other = &record->levels[record->level_count - 1 - k];
        const struct run_level kept = *one;
        *one = *other;
        *other = kept;
    }
}

static void expectations_put(const struct reading *reading)
{
    const struct run_record *record = reading->record;
    for (int64_t k = 0; k < record->level_count; k++) {
        struct run_level *level = &record->levels[k];
        if (level->level > (int64_t)reading->expected_count)
            continue;
        const struct plan_level *expected = &reading->expected[level->level - 1];
        level->expected_tasks = expected->tasks;
        level->expected_s = reading->ruled ? 0 : expected->makespan_s;
    }
}

bool archive_levels(hid_t file, const char *path, struct run_record *record,
                    struct failure *failure)
{
    char *name;
    const int64_t number = level_file_number(file, &name);
    free(name);
    if (number == 0)
        return true;
    struct reading reading = {.record = record};
    const bool good = level_add(file, path, number, &reading) && befores_add(file, path, &reading);
    turn_round(record);
    expectations_put(&reading);
    free(reading.expected);
    record->level_last = level_file_is_last(file);
    return good || failure_memory(failure, "reading a search's levels");
}
