#include "spmd/resume/remaining.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/type.h"
#include "planner/base/array.h"
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

/* NULL and NULL are the same. */
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

/* A parameter that the version that began it did not know yet is what it was then: its default. */
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

/* But for those that a run may change. */
static bool parameters_same(const struct check *check)
{
    const struct job *job = check->wanted->job;
    bool good = true;
    for (int i = 0; good && i < job->values.count; i++)
        if (!task_run_parameter(job->task, job->task->parameters[i].name))
            good = parameter_same(check, &job->task->parameters[i], &job->values.items[i]);
    return good;
}

/* By what they say, not by how they are written. */
static bool plan_same(const struct check *check)
{
    struct failure none = FAILURE_INIT;
    struct plan plan;
    bool same = false;
    if (check->wanted->any_plan)
        return true;
    char *text = contents_text(check->file, LAYOUT_PLAN);
    if (text && plan_parse(&plan, text, strlen(text), check->path, &none)) {
        char *then = plan_print(&plan), *now = plan_print(check->wanted->plan);
        same = then && now && strcmp(then, now) == 0;
        free(then);
        free(now);
        plan_release(&plan);
    }
    free(text);
    return same || failure_set(check->failure, FAILURE_MISMATCH,
                               "%s: was begun with another plan than %s: resume with its own, or "
                               "run to another file",
                               check->path, check->wanted->plan_name);
}

/* Nobody has touched its files since, as far as their states tell: a time of change can be set back
 * (cp -p, rsync -t), that of status change cannot. Files of older versions do not have the latter.
 */
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

/* Of a run that was killed before it had read all of its input. */
static bool input_unread(const struct check *check)
{
    return state_same(check) ||
           failure_set(check->failure, FAILURE_MISMATCH,
                       "%s: its run ended before the SHA-256 of its input was known, and %s has "
                       "been changed, copied or moved since (its time of status change says so): "
                       "run to another file",
                       check->path, check->wanted->input);
}

/* Against the digest that it had then (owned). */
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

/* Of mixed clusters nothing is known: the method is compared all the same. */
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

/* One row a task. */
static bool rows_find(const struct check *check, const char *name, int64_t *place)
{
    int64_t rows = 0;
    *place = contents_place(check->file, name, 1, &rows);
    return (*place > 0 && rows == check->wanted->job->setup.tasks) ||
           damaged(check->path, name + 1, check->failure);
}

/* " name value" of then, where it is another one now. */
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

/* Some parameter that a run may change decides on the size of records. */
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

/* Rows that files of older versions do not have: 0. */
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

/* What core tasks emitted lies where the run put it, or beside the output when both have moved. */
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

/* ---- states of a reduction ----------------------------------------------------------------- */

static struct layout_partial *slot_at(const struct remaining *remaining, int worker, int which,
                                      size_t slot_size)
{
    char *slot = remaining->partial + (size_t)(2 * worker + which) * slot_size;
    return (struct layout_partial *)(void *)slot;
}

static bool slot_is_whole(const struct layout_partial *slot, const struct job *job)
{
    return slot->sequence > 0 && slot->first >= 0 && slot->count > 0 &&
           slot->first <= job->setup.tasks - slot->count &&
           slot->digest == layout_slot_digest(slot, slot + 1, job->state_size);
}

static bool package_is_done(const struct remaining *remaining, const struct layout_partial *slot)
{
    for (int64_t k = 0; k < slot->count; k++)
        if (remaining->ledger[slot->first + k] == 0)
            return false;
    return true;
}

/* Leaves the worker at most one slot, the state that counts: NULL: it has none. */
static const struct layout_partial *slot_choose(struct remaining *remaining, const struct job *job,
                                                int worker)
{
    const size_t slot_size = layout_slot_size(job->state_size);
    struct layout_partial *chosen = NULL;
    for (int which = 0; which < 2; which++) {
        struct layout_partial *slot = slot_at(remaining, worker, which, slot_size);
        struct layout_partial *other = slot_at(remaining, worker, 1 - which, slot_size);
        const bool newest = !slot_is_whole(other, job) || slot->sequence > other->sequence;
        if (!slot_is_whole(slot, job) || !newest)
            continue;
        chosen = slot;
        if (package_is_done(remaining, slot))
            break;
        memset(remaining->ledger + slot->first, 0, (size_t)slot->count);
        chosen = slot_is_whole(other, job) ? other : NULL;
        break;
    }
    for (int which = 0; which < 2; which++)
        if (slot_at(remaining, worker, which, slot_size) != chosen)
            memset(slot_at(remaining, worker, which, slot_size), 0, slot_size);
    return chosen;
}

static int64_t ledger_count(const struct remaining *remaining, int64_t tasks, int mark)
{
    int64_t count = 0;
    for (int64_t k = 0; k < tasks; k++)
        count += remaining->ledger[k] == mark;
    return count;
}

/* Those that were given up are in nobody's state. */
static int64_t given_up_count(const struct remaining *remaining)
{
    int64_t count = 0;
    for (int64_t k = 0; k < remaining->lost_count; k++)
        count += remaining->lost[k].given_up && remaining->ledger[remaining->lost[k].first] == 2;
    return count;
}

static bool states_merge(struct remaining *remaining, const struct job *job,
                         struct failure *failure)
{
    const int64_t tasks = job->setup.tasks;
    int64_t within = 0;
    if (job->state_size == 0)
        return true;
    remaining->state = calloc(1, job->state_size);
    if (!remaining->state)
        return failure_memory(failure, "reading a run's output");
    job->task->reset(job->opened, remaining->state);
    for (int worker = 0; worker < remaining->slots; worker++) {
        const struct layout_partial *slot = slot_choose(remaining, job, worker);
        if (slot)
            job->task->merge(job->opened, remaining->state, slot + 1);
        within += slot ? slot->tasks : 0;
    }
    if (within + given_up_count(remaining) == tasks - ledger_count(remaining, tasks, 0))
        return true;
    job->task->reset(job->opened, remaining->state);
    memset(remaining->ledger, 0, (size_t)tasks);
    memset(remaining->partial, 0, remaining->partial_size);
    return true;
}

/* ---- what is left -------------------------------------------------------------------------- */

static bool range_extend(struct remaining *remaining, size_t *capacity, int64_t task)
{
    struct task_range *last =
        remaining->range_count > 0 ? &remaining->ranges[remaining->range_count - 1] : NULL;
    if (last && last->first + last->count == task) {
        last->count++;
        return true;
    }
    struct task_range *ranges = array_reserve(remaining->ranges, capacity,
                                              (size_t)remaining->range_count + 1, sizeof *ranges);
    if (!ranges)
        return false;
    remaining->ranges = ranges;
    ranges[remaining->range_count++] = (struct task_range){task, 1};
    return true;
}

/* Failed ones are to be done again where that can be, those given up are not. */
static void ledger_settle(struct remaining *remaining, const struct job *job)
{
    const int64_t tasks = job->setup.tasks;
    for (int64_t k = 0; k < tasks; k++)
        if (remaining->ledger[k] > 2 || (remaining->ledger[k] == 2 && job->state_size == 0))
            remaining->ledger[k] = 0;
    for (int64_t k = 0; k < remaining->lost_count; k++)
        if (remaining->lost[k].given_up)
            remaining->ledger[remaining->lost[k].first] = 2;
}

static bool suspect_add(struct remaining *remaining, size_t *capacity, int64_t task, int losses)
{
    struct suspect *suspects = array_reserve(
        remaining->suspects, capacity, (size_t)remaining->suspect_count + 1, sizeof *suspects);
    if (!suspects)
        return false;
    remaining->suspects = suspects;
    suspects[remaining->suspect_count++] = (struct suspect){{task, 1}, losses};
    return true;
}

/* What is left of one row, in as many pieces as it lies in. */
static bool row_take(struct remaining *remaining, size_t *capacity, const struct losses_row *row,
                     uint8_t *taken)
{
    bool goes_on = false;
    for (int64_t task = row->first; task < row->first + row->count; task++) {
        const bool suspect = remaining->ledger[task] == 0 && !taken[task];
        if (suspect && goes_on)
            remaining->suspects[remaining->suspect_count - 1].range.count++;
        else if (suspect && !suspect_add(remaining, capacity, task, row->losses))
            return false;
        goes_on = suspect;
        taken[task] = taken[task] || suspect;
        remaining->suspect_tasks += suspect;
    }
    return true;
}

/* The last row that has a core task counts: it is of the fewest others and the most losses. */
static bool suspects_make(struct remaining *remaining, uint8_t *taken)
{
    size_t capacity = 0;
    bool good = true;
    for (int64_t k = remaining->lost_count - 1; good && k >= 0; k--)
        good = row_take(remaining, &capacity, &remaining->lost[k], taken);
    return good;
}

static bool ranges_make(struct remaining *remaining, const struct job *job, struct failure *failure)
{
    const int64_t tasks = job->setup.tasks;
    size_t capacity = 0;
    uint8_t *taken = remaining->lost_count > 0 ? calloc((size_t)tasks, 1) : NULL;
    ledger_settle(remaining, job);
    bool good = (taken || remaining->lost_count == 0) && suspects_make(remaining, taken);
    for (int64_t k = 0; good && k < tasks; k++)
        if (remaining->ledger[k] == 0 && !(taken && taken[k]))
            good = range_extend(remaining, &capacity, k);
    free(taken);
    remaining->done = ledger_count(remaining, tasks, 1);
    remaining->failed = ledger_count(remaining, tasks, 2);
    remaining->left = tasks - remaining->done - remaining->failed;
    return good || failure_memory(failure, "finding out what is left of a run");
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

static bool ledger_read(const struct check *check, struct remaining *remaining)
{
    size_t count = 0;
    remaining->ledger = contents_rows(check->file, LAYOUT_LEDGER, H5T_NATIVE_UINT8, 1, &count);
    return (remaining->ledger && (int64_t)count == check->wanted->job->setup.tasks) ||
           damaged(check->path, "ledger", check->failure);
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

static bool was_killed(const struct remaining *remaining)
{
    return remaining->last.outcome == PART_RUNNING && remaining->last.began_s > 0;
}

/* What is known of core tasks on which workers were lost, those of the end of a run that was killed
 * among them. */
static bool losses_read(const struct check *check, struct remaining *remaining)
{
    const int64_t tasks = check->wanted->job->setup.tasks;
    int64_t workers = 0;
    struct losses_in_flight *in_flight =
        was_killed(remaining) ? losses_in_flight_list(check->file, &workers) : NULL;
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

/* What a part that did not say how it ended, or only that, has come to. */
static void last_settle(struct remaining *remaining, const char *path)
{
    struct run_part *last = &remaining->last;
    struct stat status;
    const bool killed = was_killed(remaining);
    if (!killed && last->outcome != PART_HALTED)
        return;
    last->tasks = remaining->done + remaining->failed - last->before;
    if (last->tasks < 0)
        last->tasks = 0;
    if (!killed)
        return;
    last->outcome = PART_KILLED;
    if (stat(path, &status) == 0)
        last->ended_s = (double)status.st_mtim.tv_sec + 1e-9 * (double)status.st_mtim.tv_nsec;
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

bool remaining_settle(struct remaining *remaining, const char *path,
                      const struct intact_damage *damage, struct failure *failure)
{
    for (int64_t k = 0; k < damage->count; k++)
        memset(remaining->ledger + damage->ranges[k].first, 0, (size_t)damage->ranges[k].count);
    if (!states_merge(remaining, remaining->job, failure) ||
        !ranges_make(remaining, remaining->job, failure))
        return false;
    last_settle(remaining, path);
    remaining->complete = remaining->complete && remaining->outcome_holds;
    return true;
}

void remaining_release(struct remaining *remaining)
{
    free(remaining->ranges);
    free(remaining->suspects);
    free(remaining->lost);
    free(remaining->state);
    free(remaining->emitted);
    free(remaining->profile);
    free(remaining->input_sha256);
    free(remaining->ledger);
    free(remaining->partial);
    *remaining = (struct remaining){.complete = false};
}
