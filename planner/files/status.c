#include "planner/files/status.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "planner/base/limits.h"
#include "planner/files/document.h"

static const char schema[] = "scow-status-1";
static const char *const states[RUN_STATES] = {"running", "finished", "stopped", "failed"};
/* A status that is older than so many of its intervals, and than so many seconds, should have been
 * written again: its master has probably ended. */
static const double stale_intervals = 5, stale_least_s = 15;
static const double time_most_s = 1e12;

const char *status_state(enum run_state state)
{
    return states[state];
}

bool status_stale(const struct run_status *status, double age_s)
{
    return status->state == RUN_RUNNING &&
           age_s > fmax(stale_least_s, stale_intervals * status->every_s);
}

char *status_path(const char *output)
{
    static const char ending[] = ".status";
    const size_t size = strlen(output) + sizeof ending;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s", output, ending);
    return path;
}

void status_release(struct run_status *status)
{
    for (int64_t k = 0; k < status->loss_count; k++)
        free(status->losses[k].why);
    free(status->losses);
    *status = (struct run_status){.state = RUN_RUNNING};
}

/* ---- printing ------------------------------------------------------------------------------ */

static void losses_print(struct json_text *json, const struct run_status *status)
{
    struct json_text losses = json_open_in(json, "lost_workers", "[", ", ");
    for (int64_t k = 0; k < status->loss_count; k++) {
        struct json_text loss = json_open_in(&losses, NULL, "{", ", ");
        json_count(&loss, "worker", status->losses[k].worker);
        json_word(&loss, "why", status->losses[k].why ? status->losses[k].why : "");
        json_close(&loss, "}");
    }
    json_close(&losses, "]");
}

/* The machine's number is a hash: it is written in hexadecimal digits. */
static void master_print(struct json_text *json, const struct process *master)
{
    if (master->machine == 0)
        return;
    text_add(json_next(json, "master_machine"), "\"%016" PRIx64 "\"", master->machine);
    json_count(json, "master_pid", master->number);
    json_count(json, "master_started", master->started);
}

char *status_print(const struct run_status *status, double age_s)
{
    struct text text = TEXT_INIT;
    struct json_text json = json_open(&text, "{\n  ", ",\n  ");
    json_word(&json, "schema", schema);
    json_word(&json, "state", states[status->state]);
    json_number(&json, "written_s", status->written_s);
    json_number(&json, "began_s", status->began_s);
    json_number(&json, "every_s", status->every_s);
    json_number(&json, "elapsed_s", status->elapsed_s);
    json_count(&json, "tasks", status->tasks);
    json_count(&json, "done", status->done);
    json_count(&json, "failed", status->failed);
    json_count(&json, "kept", status->kept);
    json_number(&json, "tasks_per_s", status->per_s);
    if (status->left_s >= 0)
        json_number(&json, "left_s", status->left_s);
    if (status->end_s > 0)
        json_number(&json, "job_ends_s", status->end_s);
    json_count(&json, "workers", status->workers);
    json_count(&json, "living", status->living);
    if (status->slowest > 0) {
        json_count(&json, "slowest_worker", status->slowest);
        json_number(&json, "slowest_excess", status->excess);
    }
    losses_print(&json, status);
    master_print(&json, &status->master);
    if (age_s >= 0) {
        json_number(&json, "age_s", age_s);
        json_flag(&json, "stale", status_stale(status, age_s));
        json_flag(&json, "gone", status->gone);
    }
    json_close(&json, "\n}\n");
    return text_take(&text);
}

/* ---- parsing ------------------------------------------------------------------------------- */

static const struct document_key keys[] = {{"schema", true},          {"state", true},
                                           {"written_s", true},       {"began_s", true},
                                           {"every_s", true},         {"elapsed_s", true},
                                           {"tasks", true},           {"done", true},
                                           {"failed", true},          {"kept", true},
                                           {"tasks_per_s", true},     {"left_s", false},
                                           {"job_ends_s", false},     {"workers", true},
                                           {"living", true},          {"slowest_worker", false},
                                           {"slowest_excess", false}, {"lost_workers", true},
                                           {"age_s", false},          {"stale", false},
                                           {"gone", false},           {"master_machine", false},
                                           {"master_pid", false},     {"master_started", false}};
static const struct document_key loss_keys[] = {{"worker", true}, {"why", true}};

struct reading {
    json_t *root;
    struct document_place place;
    struct failure *failure;
};

static bool number_read(const struct reading *reading, const char *key, double least,
                        double *number)
{
    const struct document_place place = document_at(&reading->place, key);
    return document_number(json_object_get(reading->root, key), &place, least, time_most_s, number,
                           reading->failure);
}

static bool count_read(const struct reading *reading, const char *key, int64_t *count)
{
    const struct document_place place = document_at(&reading->place, key);
    return document_count(json_object_get(reading->root, key), &place, 0, LIMIT_TASKS, count,
                          reading->failure);
}

static bool state_read(const struct reading *reading, struct run_status *status)
{
    const struct document_place place = document_at(&reading->place, "state");
    char *word = NULL;
    int state = 0;
    if (!document_word(json_object_get(reading->root, "state"), &place, &word, reading->failure))
        return false;
    while (state < RUN_STATES && strcmp(word, states[state]) != 0)
        state++;
    free(word);
    status->state = (enum run_state)state;
    return state < RUN_STATES || document_refuse(reading->failure, &place, "is no state of a run");
}

static bool loss_read(const struct reading *reading, json_t *value,
                      const struct document_place *place, struct status_loss *loss)
{
    const struct document_place worker = document_at(place, "worker");
    const struct document_place why = document_at(place, "why");
    return document_keys(value, place, loss_keys, sizeof loss_keys / sizeof *loss_keys,
                         reading->failure) &&
           document_count(json_object_get(value, "worker"), &worker, 1, LIMIT_WORKERS,
                          &loss->worker, reading->failure) &&
           document_word(json_object_get(value, "why"), &why, &loss->why, reading->failure);
}

static bool losses_read(const struct reading *reading, struct run_status *status)
{
    const struct document_place place = document_at(&reading->place, "lost_workers");
    json_t *list = json_object_get(reading->root, "lost_workers");
    if (!document_array(list, &place, 0, reading->failure))
        return false;
    const size_t count = json_array_size(list);
    status->losses = calloc(count + 1, sizeof *status->losses);
    if (!status->losses)
        return failure_memory(reading->failure, "reading a run's status");
    for (size_t k = 0; k < count; k++) {
        const struct document_place element = document_element(&place, k);
        status->loss_count++;
        if (!loss_read(reading, json_array_get(list, k), &element, &status->losses[k]))
            return false;
    }
    return true;
}

/* Status files of older versions do not name the master's process. */
static bool master_read(const struct reading *reading, struct process *master)
{
    const struct document_place place = document_at(&reading->place, "master_machine");
    json_t *machine = json_object_get(reading->root, "master_machine");
    char *digits = NULL;
    if (!machine)
        return true;
    if (!document_word(machine, &place, &digits, reading->failure))
        return false;
    master->machine = strtoull(digits, NULL, 16);
    free(digits);
    return count_read(reading, "master_pid", &master->number) &&
           count_read(reading, "master_started", &master->started);
}

bool status_parse(struct run_status *status, const char *text, size_t length, const char *name,
                  struct failure *failure)
{
    struct reading reading = {.place = {.name = name}, .failure = failure};
    *status = (struct run_status){.left_s = -1};
    reading.root = document_parse(text, length, name, failure);
    const bool good =
        reading.root && document_schema(reading.root, &reading.place, schema, failure) &&
        document_keys(reading.root, &reading.place, keys, sizeof keys / sizeof *keys, failure) &&
        state_read(&reading, status) && number_read(&reading, "written_s", 0, &status->written_s) &&
        number_read(&reading, "began_s", 0, &status->began_s) &&
        number_read(&reading, "every_s", 0, &status->every_s) &&
        number_read(&reading, "elapsed_s", 0, &status->elapsed_s) &&
        count_read(&reading, "tasks", &status->tasks) &&
        count_read(&reading, "done", &status->done) &&
        count_read(&reading, "failed", &status->failed) &&
        count_read(&reading, "kept", &status->kept) &&
        number_read(&reading, "tasks_per_s", 0, &status->per_s) &&
        number_read(&reading, "left_s", 0, &status->left_s) &&
        number_read(&reading, "job_ends_s", 0, &status->end_s) &&
        count_read(&reading, "workers", &status->workers) &&
        count_read(&reading, "living", &status->living) &&
        count_read(&reading, "slowest_worker", &status->slowest) &&
        number_read(&reading, "slowest_excess", -1, &status->excess) &&
        losses_read(&reading, status) && master_read(&reading, &status->master);
    json_decref(reading.root);
    if (!good)
        status_release(status);
    return good;
}
