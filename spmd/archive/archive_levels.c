#include "spmd/archive/archive_levels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/files/plan_json.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/layout.h"
#include "spmd/layout/level_file.h"
#include "spmd/layout/parts.h"

/* By its plan, as it began; 0: not known. */
static double predicted_of(hid_t file, const char *path)
{
    struct failure none = FAILURE_INIT;
    struct plan plan;
    double predicted_s = 0;
    char *text = contents_text(file, LAYOUT_PLAN);
    char *rule = contents_attribute(file, LAYOUT_RULE);
    if (text && !rule && plan_parse(&plan, text, strlen(text), path, &none)) {
        predicted_s = plan.predicted.known ? plan.predicted.makespan_s : 0;
        plan_release(&plan);
    }
    free(text);
    free(rule);
    return predicted_s;
}

/* Of all parts. */
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

/* Behind those that are there; false: out of memory. */
static bool level_add(hid_t file, const char *path, int64_t number, struct run_record *record)
{
    const size_t count = (size_t)record->level_count;
    struct run_level *grown = realloc(record->levels, (count + 1) * sizeof *grown);
    int64_t tasks = 0;
    if (!grown)
        return false;
    record->levels = grown;
    contents_place(file, LAYOUT_LEDGER, 1, &tasks);
    grown[record->level_count++] = (struct run_level){.level = number,
                                                      .tasks = tasks,
                                                      .predicted_s = predicted_of(file, path),
                                                      .measured_s = measured_of(file)};
    return true;
}

/* In the folder of `path`; owned; NULL: out of memory. */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const size_t size = strlen(path) + strlen(name) + 1;
    char *made = malloc(size);
    if (made)
        snprintf(made, size, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, name);
    return made;
}

/* The file of the level before; negative: there is none, or it is of another one. */
static hid_t before_open(const char *path, const char *name, int64_t number)
{
    char *before = NULL, *made = beside(path, name);
    const hid_t file = made ? H5Fopen(made, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    const bool good = file >= 0 && level_file_number(file, &before) == number;
    free(before);
    free(made);
    if (good || file < 0)
        return file;
    H5Fclose(file);
    return -1;
}

/* Those before the one that `file` is of, from the last to the first. */
static bool befores_add(hid_t file, const char *path, struct run_record *record)
{
    char *name;
    bool good = true;
    int64_t number = level_file_number(file, &name);
    while (good && name && number > 1) {
        const hid_t before = before_open(path, name, --number);
        free(name);
        name = NULL;
        if (before < 0)
            break;
        good = level_add(before, path, number, record);
        level_file_number(before, &name);
        H5Fclose(before);
    }
    free(name);
    return good;
}

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

bool archive_levels(hid_t file, const char *path, struct run_record *record,
                    struct failure *failure)
{
    char *name;
    const int64_t number = level_file_number(file, &name);
    free(name);
    if (number == 0)
        return true;
    const bool good = level_add(file, path, number, record) && befores_add(file, path, record);
    turn_round(record);
    return good || failure_memory(failure, "reading a search's levels");
}
