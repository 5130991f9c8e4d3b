#include "spmd/resume/remaining.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/type.h"
#include "planner/base/text.h"
#include "planner/files/plan_json.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/layout.h"
#include "spmd/layout/parts.h"
#include "spmd/output/losses_file.h"

/* ---- is it the same job? ------------------------------------------------------------------- */

struct check {
    hid_t file;
    const char *path;
    const struct remaining_wanted *wanted;
    struct failure *failure;
};

static bool differs(const struct check *check, const char *what, const char *then, const char *now)
{
    return failure_set(check->failure, FAILURE_MISMATCH,
                       "%s: was begun with %s %.80s, and now it is %.80s: resume with what it was "
                       "begun with, or run to another file",
                       check->path, what, then ? then : "none", now ? now : "none");
}

/* NULL equals NULL. */
static bool attribute_same(const struct check *check, const char *name, const char *what,
                           const char *now)
{
    char *then = contents_attribute(check->file, name);
    const bool same = then && now ? strcmp(then, now) == 0 : !then && !now;
    if (!same)
        differs(check, what, then, now);
    free(then);
    return same;
}

/* A parameter that did not exist in the version that began the run had its default value then. */
static bool parameter_new(const struct check *check, const struct scow_parameter *row,
                          const struct scow_value *value)
{
    double number;
    char *then = contents_attribute(check->file, row->name);
    const bool known = then || contents_number(check->file, row->name, H5T_NATIVE_DOUBLE, &number);
    free(then);
    if (known || (row->kind == SCOW_TEXT && value->text != row->text))
        return false;
    return row->kind != SCOW_PATH && value->number == row->initial;
}

static bool parameter_same(const struct check *check, const struct scow_parameter *row,
                           const struct scow_value *value)
{
    double number = 0;
    char then[40], now[40], what[80];
    if (parameter_new(check, row, value))
        return true;
    snprintf(what, sizeof what, "parameter %.60s", row->name);
    if (row->kind != SCOW_NUMBER && row->kind != SCOW_WHOLE)
        return attribute_same(check, row->name, what, value->text);
    if (contents_number(check->file, row->name, H5T_NATIVE_DOUBLE, &number) &&
        number == value->number)
        return true;
    snprintf(then, sizeof then, "%.17g", number);
    snprintf(now, sizeof now, "%.17g", value->number);
    return differs(check, what, then, now);
}

/* Compares all parameters, except those that may change in a resumed run. */
static bool parameters_same(const struct check *check)
{
    const struct job *job = check->wanted->job;
    bool good = true;
    for (int i = 0; good && i < job->values.count; i++)
        if (!task_run_parameter(job->task, job->task->parameters[i].name))
            good = parameter_same(check, &job->task->parameters[i], &job->values.items[i]);
    return good;
}

/* A run that is planned while it works may be resumed with or without weights, but not with other
 * ones. */
static bool weights_agree(const struct check *check, const struct plan *plan)
{
    const struct task_weights *then = plan->weights, *now = check->wanted->plan->weights;
    return !then || !now || weights_same(now, then) ||
           failure_set(check->failure, FAILURE_MISMATCH,
                       "%s: was begun with other weights (%s) than %s: go on with the same or with "
                       "none, or run to another file",
                       check->path, then->source, now->source);
}

/* Compares plans by their contents, not by how they are written. */
static bool plan_same(const struct check *check)
{
    const bool any = check->wanted->any_plan;
    struct failure none = FAILURE_INIT;
    struct plan plan;
    bool same = any;
    char *text = contents_text(check->file, LAYOUT_PLAN);
    if (text && plan_parse_any(&plan, text, strlen(text), check->path, &none)) {
        same = any ? weights_agree(check, &plan) : plan_equal(&plan, check->wanted->plan);
        plan_release(&plan);
    }
    free(text);
    if (!same && !any)
        failure_set(check->failure, FAILURE_MISMATCH,
                    "%s: was begun with another plan than %s: resume with its own, or run to "
                    "another file",
                    check->path, check->wanted->plan_name);
    return same;
}

/* Have its files not been touched since, as far as their times tell? A time of modification can be
 * set back (cp -p, rsync -t), a time of status change cannot. Files of older versions do not have
 * the latter. */
static bool state_same(const struct check *check)
{
    const struct remaining_wanted *wanted = check->wanted;
    char *identity = contents_attribute(check->file, LAYOUT_INPUT_IDENTITY);
    char *stamp = contents_attribute(check->file, LAYOUT_INPUT_STAMP);
    const bool same = identity ? strcmp(identity, wanted->input_identity) == 0
                               : stamp && strcmp(stamp, wanted->input_stamp) == 0;
    free(identity);
    free(stamp);
    return same;
}

static bool input_differs(const struct check *check)
{
    const char *now = check->wanted->input;
    return failure_set(check->failure, FAILURE_MISMATCH,
                       "%s: was begun with another input than %s, or it has changed since "
                       "(its SHA-256 differs): resume with the same, or run to another file",
                       check->path, now ? now : "none");
}

/* Was the run killed before it had read all of its input? */
static bool input_unread(const struct check *check)
{
    return state_same(check) ||
           failure_set(check->failure, FAILURE_MISMATCH,
                       "%s: its run ended before the SHA-256 of its input was known, and %s has "
                       "been changed, copied or moved since (its time of status change says so): "
                       "run to another file",
                       check->path, check->wanted->input);
}

/* Compares the input with the digest that it had then (owned). */
static bool input_compare(const struct check *check, char *then, struct remaining *remaining)
{
    struct digest *now = check->wanted->digest;
    if (!digest_known(now)[0] && state_same(check)) {
        remaining->input_sha256 = then;
        return true;
    }
    const struct remaining_wanted *wanted = check->wanted;
    const bool taken = wanted->wait ? wanted->wait(wanted->waiter, now, check->failure)
                                    : digest_wait(now, check->failure);
    const bool same = taken && strcmp(then, digest_known(now)) == 0;
    free(then);
    return same || (taken && input_differs(check));
}

static bool input_same(const struct check *check, struct remaining *remaining)
{
    char *then = contents_attribute(check->file, LAYOUT_INPUT_SHA256);
    if (then && then[0] && check->wanted->input)
        return input_compare(check, then, remaining);
    const bool unread = then && !then[0] && check->wanted->input;
    const bool none = !then && !check->wanted->input;
    free(then);
    return unread ? input_unread(check) : none || input_differs(check);
}

/* For mixed clusters the instruction set is not recorded: the method is compared nevertheless. */
static bool instructions_same(const struct check *check)
{
    char *then = contents_attribute(check->file, LAYOUT_ISA);
    const char *now = check->wanted->isa;
    const bool same = then && (strchr(then, ' ') || strchr(now, ' ') || strcmp(then, now) == 0);
    if (!same)
        failure_set(check->failure, FAILURE_MISMATCH,
                    "%s: was begun with the instruction set %s, and these ranks use %s, which may "
                    "round differently: add --isa %s, or run to another file",
                    check->path, then ? then : "(unknown)", now, then ? then : "NAME");
    free(then);
    return same;
}

static bool all_same(const struct check *check, struct remaining *remaining)
{
    const struct remaining_wanted *wanted = check->wanted;
    char method[JOB_METHOD_SIZE];
    job_method(wanted->job, method, sizeof method);
    return attribute_same(check, LAYOUT_KERNEL, "kernel", wanted->job->task->name) &&
           attribute_same(check, LAYOUT_VERSION, "scow", SCOW_VERSION) &&
           attribute_same(check, LAYOUT_PLUGIN_SHA256, "a plug-in of SHA-256",
                          wanted->plugin_sha256) &&
           parameters_same(check) && plan_same(check) && input_same(check, remaining) &&
           instructions_same(check) && attribute_same(check, LAYOUT_METHOD, "the method", method);
}

/* ---- where everything lies ----------------------------------------------------------------- */

static bool damaged(const char *path, const char *what, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: has no readable %s of this job: is it the output of scow run?", path,
                       what);
}

/* Finds a data set with one row for each core task. */
static bool rows_find(const struct check *check, const char *name, int64_t *place)
{
    int64_t rows = 0;
    *place = contents_place(check->file, name, 1, &rows);
    return (*place > 0 && rows == check->wanted->job->setup.tasks) ||
           damaged(check->path, name + 1, check->failure);
}

/* Says " name value" of the run before, where the value is another one now. */
static void change_tell(const struct check *check, const struct scow_parameter *row,
                        const struct scow_value *value, struct text *text)
{
    double number = 0;
    if (row->kind == SCOW_NUMBER || row->kind == SCOW_WHOLE) {
        if (contents_number(check->file, row->name, H5T_NATIVE_DOUBLE, &number) &&
            number != value->number)
            text_add(text, " --%s %.15g", row->name, number);
        return;
    }
    char *then = contents_attribute(check->file, row->name);
    if (then && then[0] && (!value->text || strcmp(then, value->text) != 0))
        text_add(text, " --%s %s", row->name, then);
    free(then);
}

/* Does a parameter that a resumed run may change determine the size of records? */
static bool layout_differs(const struct check *check)
{
    const struct job *job = check->wanted->job;
    struct text text = TEXT_INIT;
    for (int i = 0; i < job->values.count; i++)
        if (task_run_parameter(job->task, job->task->parameters[i].name))
            change_tell(check, &job->task->parameters[i], &job->values.items[i], &text);
    failure_set(check->failure, FAILURE_MISMATCH,
                "%s: its records are of another size, as it was begun with%.200s: resume with "
                "that, or run to another file",
                check->path, text.bytes ? text.bytes : " other options");
    text_release(&text);
    return false;
}

static bool records_find(const struct check *check, int64_t *place)
{
    const hid_t dataset = contents_open(check->file, LAYOUT_RECORDS);
    const hid_t type = dataset >= 0 ? H5Dget_type(dataset) : -1;
    const bool same = type >= 0 && H5Tget_size(type) == check->wanted->job->record_size;
    if (type >= 0)
        H5Tclose(type);
    if (dataset >= 0)
        H5Dclose(dataset);
    if (type >= 0 && !same)
        return layout_differs(check);
    return rows_find(check, LAYOUT_RECORDS, place);
}

static bool grid_find(const struct check *check, const char *name, int64_t *place)
{
    int64_t shape[3] = {0, 0, 0};
    *place = contents_place(check->file, name, 3, shape);
    return (*place > 0 &&
            memcmp(shape, check->wanted->job->results.grid_extent, sizeof shape) == 0) ||
           damaged(check->path, name + 1, check->failure);
}

static bool partial_find(const struct check *check, struct remaining *remaining)
{
    const size_t slot_size = layout_slot_size(check->wanted->job->state_size);
    int64_t shape[3] = {0, 0, 0};
    remaining->places.partial = contents_place(check->file, LAYOUT_PARTIAL, 3, shape);
    remaining->partial =
        contents_rows(check->file, LAYOUT_PARTIAL, H5T_NATIVE_UINT8, 1, &remaining->partial_size);
    remaining->slots = (int)shape[0];
    return (remaining->places.partial > 0 && remaining->partial && shape[0] > 0 && shape[1] == 2 &&
            (size_t)shape[2] == slot_size) ||
           damaged(check->path, "partial states", check->failure);
}

/* Finds rows that files of older versions do not have: 0. */
static bool newer_find(const struct check *check, const char *name, int64_t *place)
{
    *place = 0;
    return H5Lexists(check->file, name, H5P_DEFAULT) == 0 || rows_find(check, name, place);
}

static bool places_find(const struct check *check, struct remaining *remaining)
{
    const struct job *job = check->wanted->job;
    const bool grid = job->results.grid_type != SCOW_NONE;
    struct output_places *places = &remaining->places;
    places->reason_size = (int64_t)layout_reason_size(job->setup.tasks);
    return rows_find(check, LAYOUT_LEDGER, &places->ledger) &&
           newer_find(check, LAYOUT_DIGESTS, &places->digests) &&
           newer_find(check, LAYOUT_REASONS, &places->reasons) &&
           (!grid || grid_find(check, LAYOUT_RESPONSE, &places->response)) &&
           (!grid || !job->results.grid_picture ||
            grid_find(check, LAYOUT_NORMALIZED, &places->normalized)) &&
           (!job->results.fields || records_find(check, &places->records)) &&
           (!job->results.emits || rows_find(check, LAYOUT_EMITTED, &places->emitted)) &&
           (job->state_size == 0 || partial_find(check, remaining));
}

/* What core tasks emitted is where the run put it or, if both were moved, beside the output. */
static bool emitted_find(const struct check *check, struct remaining *remaining)
{
    char *base = contents_attribute(check->file, LAYOUT_RESULTS);
    if (!base)
        return !check->wanted->job->results.emits ||
               damaged(check->path, "name of its results", check->failure);
    const char *slash = strrchr(check->path, '/'), *last = strrchr(base, '/');
    const size_t room = strlen(base) + strlen(check->path) + 32;
    char *name = malloc(room), *beside = malloc(room);
    bool moved = false;
    if (name && beside)
        snprintf(beside, room, "%.*s%s", slash ? (int)(slash - check->path) + 1 : 0, check->path,
                 last ? last + 1 : base);
    for (int rank = 1; name && beside && rank <= 64 && !moved; rank++) {
        snprintf(name, room, "%s.%d", base, rank);
        if (access(name, F_OK) == 0)
            break;
        snprintf(name, room, "%s.%d", beside, rank);
        moved = access(name, F_OK) == 0;
    }
    free(name);
    remaining->emitted = moved ? beside : base;
    free(moved ? base : beside);
    if (!name || !beside)
        return failure_memory(check->failure, "reading a run's output");
    return !check->wanted->emitted || strcmp(check->wanted->emitted, remaining->emitted) == 0 ||
           differs(check, "results in", remaining->emitted, check->wanted->emitted);
}

/* ---- whole --------------------------------------------------------------------------------- */

static hid_t file_open(const char *path, struct failure *failure)
{
    hid_t file = -1;
    layout_quiet();
    if (access(path, R_OK | W_OK) != 0)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: cannot be opened for reading and writing: %s: check its permissions", path,
                    strerror(errno));
    else if ((file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)) < 0)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: is no readable HDF5 file: name an output of scow run", path);
    return file;
}

/* Converts numbers of core tasks to positions. */
static bool ledger_order(const struct check *check, struct remaining *remaining)
{
    const struct order *order = &check->wanted->job->order;
    if (!order_differs(order))
        return true;
    uint8_t *ledger = malloc((size_t)order->tasks);
    if (!ledger)
        return failure_memory(check->failure, "reading a run's output");
    for (int64_t k = 0; k < order->tasks; k++)
        ledger[k] = remaining->ledger[order_task(order, k)];
    free(remaining->ledger);
    remaining->ledger = ledger;
    return true;
}

static bool ledger_read(const struct check *check, struct remaining *remaining)
{
    size_t count = 0;
    uint8_t *ledger = contents_rows(check->file, LAYOUT_LEDGER, H5T_NATIVE_UINT8, 1, &count);
    remaining->ledger = ledger;
    return ledger && (int64_t)count == check->wanted->job->setup.tasks
               ? ledger_order(check, remaining)
               : damaged(check->path, "ledger", check->failure);
}

static bool progress_read(const struct check *check, struct remaining *remaining)
{
    int32_t complete = 0;
    char *checksum = contents_attribute(check->file, LAYOUT_CHECKSUM);
    const bool there =
        contents_number(check->file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &complete) &&
        contents_number(check->file, LAYOUT_RESUMED, H5T_NATIVE_INT32, &remaining->resumed);
    remaining->complete = complete != 0;
    remaining->checksum = checksum ? strtoull(checksum, NULL, 16) : 0;
    remaining->profile = contents_text(check->file, LAYOUT_PROFILE);
    remaining->outcome_holds = contents_outcome_holds(check->file);
    contents_number(check->file, LAYOUT_MINIMUM, H5T_NATIVE_DOUBLE, &remaining->minimum);
    contents_number(check->file, LAYOUT_MAXIMUM, H5T_NATIVE_DOUBLE, &remaining->maximum);
    free(checksum);
    parts_get(check->file, remaining->resumed, &remaining->last);
    return there || damaged(check->path, "attributes", check->failure);
}

/* Reads what is known of core tasks on which workers were lost, including those at the end of a run
 * that was killed. */
static bool losses_read(const struct check *check, struct remaining *remaining)
{
    const int64_t tasks = check->wanted->job->setup.tasks;
    int64_t workers = 0;
    struct losses_in_flight *in_flight =
        remaining_killed(remaining) ? losses_in_flight_list(check->file, &workers) : NULL;
    losses_find(check->file, &remaining->places);
    struct losses_known known = {.rows = losses_list(check->file, workers, &known.count),
                                 .in_flight = in_flight,
                                 .in_flight_count = workers,
                                 .ledger = remaining->ledger,
                                 .tasks = tasks};
    if (check->wanted->retry_lost)
        losses_forget(&known);
    if (known.rows)
        losses_resolve(&known);
    remaining->lost = known.rows;
    remaining->lost_count = known.count < LOSSES_MOST ? known.count : LOSSES_MOST;
    free(in_flight);
    return true;
}

bool remaining_read(struct remaining *remaining, const char *path,
                    const struct remaining_wanted *wanted, struct failure *failure)
{
    *remaining = (struct remaining){.job = wanted->job};
    const struct check check = {file_open(path, failure), path, wanted, failure};
    if (check.file < 0)
        return false;
    const bool good = all_same(&check, remaining) && places_find(&check, remaining) &&
                      ledger_read(&check, remaining) && progress_read(&check, remaining) &&
                      losses_read(&check, remaining) && emitted_find(&check, remaining);
    H5Fclose(check.file);
    return good;
}
