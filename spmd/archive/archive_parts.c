#include "spmd/archive/archive_parts.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/model/beyond.h"
#include "planner/report/resumed.h"
#include "spmd/archive/archive_file.h"
#include "spmd/archive/archive_trace.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/layout.h"
#include "spmd/layout/parts.h"

/* ---- one part ------------------------------------------------------------------------------ */

static bool documents_read(hid_t file, hid_t group, const char *path, struct run_record *part,
                           struct failure *failure)
{
    char *plan = contents_text(group, LAYOUT_PART_PLAN);
    char *profile = contents_text(group, LAYOUT_PART_PROFILE);
    if (!profile)
        profile = contents_text(file, LAYOUT_PROFILE);
    bool good = plan != NULL;
    if (!good)
        archive_not_ours(path, "plan", failure);
    good = good && plan_parse_any(&part->plan, plan, strlen(plan), path, failure);
    if (good && profile) {
        good = profile_parse(&part->profile, profile, strlen(profile), path, failure);
        part->has_profile = good;
        good = good && beyond_follow(&part->profile, &part->plan, failure);
        profile_weigh(&part->profile, part->plan.weights);
        profile_operate(&part->profile, part->plan.operating);
    }
    free(plan);
    free(profile);
    return good;
}

/* Files of older versions do not have them. */
static void conditions_read(hid_t group, struct run_record *part)
{
    part->command_line = contents_attribute(group, LAYOUT_COMMAND_LINE);
    part->processor = contents_attribute(group, LAYOUT_PROCESSOR);
    contents_number(group, LAYOUT_THREADS, H5T_NATIVE_INT, &part->threads);
    contents_number(group, LAYOUT_WORKERS_PER_NODE, H5T_NATIVE_INT, &part->workers_per_node);
}

static void word_read(hid_t group, const char *name, char *word, size_t size)
{
    char *text = contents_attribute(group, name);
    snprintf(word, size, "%s", text ? text : "");
    free(text);
}

/* Files of older versions do not have it. */
static void usage_read(hid_t group, struct run_record *part)
{
    struct run_request *requested = &part->requested;
    struct run_usage *used = &part->used;
    word_read(group, LAYOUT_REQUESTED_BY, requested->by, sizeof requested->by);
    word_read(group, LAYOUT_REQUESTED_JOB, requested->job, sizeof requested->job);
    contents_number(group, LAYOUT_REQUESTED_WALLTIME, H5T_NATIVE_DOUBLE, &requested->walltime_s);
    contents_number(group, LAYOUT_REQUESTED_BYTES, H5T_NATIVE_DOUBLE, &requested->node_bytes);
    contents_number(group, LAYOUT_REQUESTED_NODES, H5T_NATIVE_INT64, &requested->nodes);
    contents_number(group, LAYOUT_REQUESTED_RANKS, H5T_NATIVE_INT64, &requested->ranks);
    contents_number(group, LAYOUT_REQUESTED_THREADS, H5T_NATIVE_INT64, &requested->threads);
    contents_number(group, LAYOUT_USED_WALLTIME, H5T_NATIVE_DOUBLE, &used->walltime_s);
    contents_number(group, LAYOUT_USED_PROCESSOR, H5T_NATIVE_DOUBLE, &used->processor_s);
    contents_number(group, LAYOUT_USED_ENERGY, H5T_NATIVE_DOUBLE, &used->energy_j);
}

/* Reads how packages were assigned; of the first part that is in the root group. */
static void assigning_read(hid_t object, struct run_record *part)
{
    part->rule = contents_attribute(object, LAYOUT_RULE); /* absent in most */
    part->tail = contents_attribute(object, LAYOUT_TAIL);
    part->replan = contents_attribute(object, LAYOUT_REPLAN);
    int32_t surveyed = 0, counted = 0;
    contents_number(object, LAYOUT_AHEAD, H5T_NATIVE_INT, &part->ahead);
    contents_number(object, LAYOUT_SURVEYED, H5T_NATIVE_INT32, &surveyed);
    contents_number(object, LAYOUT_COUNTED, H5T_NATIVE_INT32, &counted);
    part->surveyed = surveyed > 0;
    part->counted = counted > 0;
    contents_number(object, LAYOUT_FINISH, H5T_NATIVE_DOUBLE, &part->finish_s);
    contents_number(object, LAYOUT_STARTUP, H5T_NATIVE_DOUBLE, &part->startup_s);
    archive_drop_empty(&part->rule);
    archive_drop_empty(&part->tail);
    archive_drop_empty(&part->replan);
}

/* Reads what a watched run says about itself: where what remained was planned anew, and where plans
 * were kept. */
static void changes_read(const char *replanned, struct run_changes *changes)
{
    json_t *list = json_loads(replanned, 0, NULL), *change;
    size_t k;
    json_array_foreach(list, k, change)
    {
        if (!json_is_true(json_object_get(change, "adopted")))
            continue;
        if (changes->count++ == 0)
            changes->round = json_integer_value(json_object_get(change, "round"));
        changes->end_s = json_number_value(json_object_get(change, "replanned_end_s"));
    }
    json_decref(list);
}

/* The rows of a list in JSON (NULL: there is none), to be closed by rows_close, and zeroed memory
 * for as many structures of that size, owned; NULL: there are no rows, or out of memory. */
static json_t *rows_open(const char *text, size_t size, void **room)
{
    json_t *rows = text ? json_loads(text, 0, NULL) : NULL;
    const size_t count = json_array_size(rows);
    *room = count > 0 ? calloc(count, size) : NULL;
    return rows;
}

/* False: out of memory. */
static bool rows_close(json_t *rows, const void *room, struct failure *failure)
{
    const bool good = room || json_array_size(rows) == 0;
    json_decref(rows);
    return good || failure_memory(failure, "reading a run's output");
}

/* Reads what a run says about the workers that it lost. */
static bool losses_read(struct run_record *part, struct failure *failure)
{
    void *room;
    json_t *rows = rows_open(part->lost, sizeof *part->losses, &room), *loss;
    size_t k;
    part->losses = room;
    json_array_foreach(rows, k, loss)
    {
        if (part->losses)
            part->losses[part->loss_count++] =
                (struct run_loss){json_integer_value(json_object_get(loss, "worker")),
                                  json_number_value(json_object_get(loss, "time_s")),
                                  json_is_true(json_object_get(loss, "left"))};
    }
    return rows_close(rows, room, failure);
}

static void word_copy(char *to, size_t size, const json_t *word)
{
    snprintf(to, size, "%s", word ? json_string_value(word) : "");
}

static struct run_member member_of(const json_t *row)
{
    const json_t *lost = json_object_get(row, "lost_s"), *left = json_object_get(row, "left_s");
    struct run_member member = {.worker = json_integer_value(json_object_get(row, "worker")),
                                .packages = json_integer_value(json_object_get(row, "packages")),
                                .tasks = json_integer_value(json_object_get(row, "tasks")),
                                .joined_s = json_number_value(json_object_get(row, "joined_s")),
                                .gone_s = json_number_value(lost ? lost : left),
                                .lost = lost != NULL};
    word_copy(member.host, sizeof member.host, json_object_get(row, "host"));
    word_copy(member.why, sizeof member.why, json_object_get(row, "why"));
    return member;
}

/* Reads which workers joined during the run. */
static bool members_read(hid_t group, struct run_record *part, struct failure *failure)
{
    part->joined = contents_text(group, LAYOUT_PART_JOINED);
    archive_drop_empty(&part->joined);
    void *room;
    json_t *rows = rows_open(part->joined, sizeof *part->members, &room), *row;
    size_t k;
    part->members = room;
    json_array_foreach(rows, k, row)
    {
        if (part->members)
            part->members[part->member_count++] = member_of(row);
    }
    return rows_close(rows, room, failure);
}

/* Reads what workers had of their processors. */
static bool had_read(hid_t group, struct run_record *part, struct failure *failure)
{
    char *text = contents_text(group, LAYOUT_PART_HAD); /* absent in older files */
    void *room;
    json_t *rows = rows_open(text, sizeof *part->had, &room), *share;
    size_t k;
    free(text);
    part->had = room;
    json_array_foreach(rows, k, share)
    {
        const double had = json_number_value(share); /* 0 for null */
        if (part->had)
            part->had[part->had_count++] = had > 0 && had <= 1 ? had : 0;
    }
    return rows_close(rows, room, failure);
}

/* Reads the core tasks that moved between stars. */
static bool moves_read(hid_t group, struct run_record *part, struct failure *failure)
{
    part->moved = contents_text(group, LAYOUT_PART_MOVED);
    archive_drop_empty(&part->moved);
    void *room;
    json_t *rows = rows_open(part->moved, sizeof *part->moves, &room), *move;
    size_t k;
    part->moves = room;
    json_array_foreach(rows, k, move)
    {
        if (part->moves)
            part->moves[part->move_count++] =
                (struct run_move){json_integer_value(json_object_get(move, "from")),
                                  json_integer_value(json_object_get(move, "to")),
                                  json_integer_value(json_object_get(move, "tasks"))};
    }
    return rows_close(rows, room, failure);
}

static bool told_read(hid_t group, struct run_record *part, struct failure *failure)
{
    part->told = contents_text(group, LAYOUT_PART_TOLD);
    part->replanned = contents_text(group, LAYOUT_PART_REPLANNED);
    part->ended = contents_text(group, LAYOUT_PART_ENDED);
    archive_drop_empty(&part->ended);
    part->lost_told = contents_text(group, LAYOUT_PART_LOST_TOLD);
    part->lost = contents_text(group, LAYOUT_PART_LOST);
    archive_drop_empty(&part->replanned);
    if (part->replanned)
        changes_read(part->replanned, &part->changes);
    return had_read(group, part, failure) && losses_read(part, failure) &&
           members_read(group, part, failure) && moves_read(group, part, failure);
}

/* ---- all of them --------------------------------------------------------------------------- */

/* What is known about a run's parts as a whole. */
struct curve {
    struct run_part *rows; /* owned; NULL: there are none */
    int64_t row_count;
    int32_t resumed, complete;
    bool older;  /* the plan of the last part is not known, and its trace is in the place of the
                    first part's */
    bool traced; /* traces are wanted */
};

static bool group_there(hid_t file, int64_t times)
{
    char name[LAYOUT_NAME_SIZE];
    layout_part_name(name, times, "");
    return H5Lexists(file, name, H5P_DEFAULT) > 0;
}

static struct curve progress_curve_of(hid_t file)
{
    struct curve curve = {0};
    contents_number(file, LAYOUT_RESUMED, H5T_NATIVE_INT32,
                    &curve.resumed); /* older files do not have it */
    contents_number(file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &curve.complete);
    curve.rows = parts_list(file, curve.resumed, &curve.row_count);
    curve.older = curve.resumed > 0 && !group_there(file, curve.resumed);
    return curve;
}

/* Did that part, or the one that has its place, do all of its plan? */
static bool is_whole(hid_t group, const struct curve *curve, int64_t times)
{
    const int64_t row = curve->older && times == 0 ? curve->resumed : times;
    int32_t cut = 0;
    contents_number(group, LAYOUT_TRACE_CUT, H5T_NATIVE_INT32, &cut); /* absent in most */
    if (cut != 0 || row >= curve->row_count)
        return cut == 0;
    return curve->rows[row].outcome == PART_COMPLETE || (curve->complete && row == curve->resumed);
}

/* Did the part say how it ended? */
static bool is_written(const struct curve *curve, int64_t times)
{
    const int64_t row = curve->older && times == 0 ? curve->resumed : times;
    const int32_t outcome = row < curve->row_count ? curve->rows[row].outcome : PART_RUNNING;
    return (curve->complete && row == curve->resumed) || outcome == PART_COMPLETE ||
           outcome == PART_STOPPED;
}

static struct trace_part trace_part_of(const struct curve *curve, int64_t times)
{
    const int64_t row = curve->older && times == 0 ? curve->resumed : times;
    return (struct trace_part){row, row < curve->row_count ? curve->rows[row].began_s : 0};
}

/* A plan that was made during its run, or was not completed, is derived from what the run sent. */
static bool trace_needed(const struct curve *curve, int64_t times, const struct run_record *part)
{
    const bool tells = curve->older || part->surveyed || part->cut_short;
    return curve->traced || (tells && is_written(curve, times));
}

/* Reads the part that resumed the run for the `times`th time. */
static bool part_read(hid_t file, const char *path, const struct curve *curve, int64_t times,
                      struct run_record *part, struct failure *failure)
{
    char name[LAYOUT_NAME_SIZE];
    layout_part_name(name, times, "");
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    if (group < 0)
        return archive_not_ours(path, "run", failure);
    conditions_read(group, part);
    usage_read(group, part);
    assigning_read(times == 0 ? file : group, part);
    part->part = times + 1;
    part->cut_short = !is_whole(group, curve, times);
    const struct trace_part which = trace_part_of(curve, times);
    const bool good = documents_read(file, group, path, part, failure) &&
                      (!trace_needed(curve, times, part) ||
                       archive_trace_read(path, name, &which, part, failure)) &&
                      told_read(group, part, failure);
    H5Gclose(group);
    return good && (!part->surveyed || !run_record_traced(part) || run_record_sent(part) ||
                    failure_memory(failure, "reading a run's output"));
}

/* The part's number among those that were read; -1: there is none. */
static int64_t part_choose(const struct run_record *read, int64_t count, int64_t wanted)
{
    int64_t chosen = wanted > 0 ? -1 : 0;
    for (int64_t k = 0; k < count; k++)
        if (wanted > 0 ? read[k].part == wanted : run_record_traced(&read[k]))
            chosen = k;
    return chosen;
}

/* `read` becomes the parts besides the chosen one. */
static void parts_divide(struct run_record *read, int64_t count, int64_t chosen,
                         struct run_record *record)
{
    *record = read[chosen];
    for (int64_t k = chosen; k + 1 < count; k++)
        read[k] = read[k + 1];
    record->others = read;
    record->other_count = count - 1;
}

static bool part_missing(const char *path, const struct curve *curve, int64_t part,
                         struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: has nothing of a part %" PRId64 ": its run has %d part%s", path, part,
                       curve->resumed + 1, curve->resumed > 0 ? "s" : "");
}

static void read_release(struct run_record *read, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        run_record_release(&read[k]);
    free(read);
}

/* In an older file, and where the first part's plan is wanted because it describes the job,
 * everything has one name. */
static bool older_complete(const struct curve *curve, int64_t wanted, struct run_record *record,
                           struct failure *failure)
{
    if (!curve->older || record->part > 1)
        return true;
    record->part = 0;
    record->cut_short = false;
    return wanted > 0 || !run_record_traced(record) || run_record_last_part(record) ||
           failure_memory(failure, "reading a run's output");
}

bool archive_parts(hid_t file, const char *path, int64_t part, struct run_record *record,
                   struct failure *failure)
{
    struct curve curve = progress_curve_of(file);
    curve.traced = part != RUN_PLAN_ONLY;
    part = curve.traced ? part : 1;
    const int64_t most = curve.resumed < LAYOUT_PARTS_MOST ? curve.resumed + 1 : LAYOUT_PARTS_MOST;
    struct run_record *read = calloc((size_t)most + 1, sizeof *read);
    int64_t count = 0, chosen = -1;
    bool good = true;
    if (!read) {
        free(curve.rows);
        return failure_memory(failure, "reading a run's output");
    }
    for (int64_t times = 0; good && times < most; times++)
        if (times == 0 || group_there(file, times))
            good = part_read(file, path, &curve, times, &read[count++], failure);
    if (good)
        chosen = part_choose(read, count, part);
    if (good && chosen < 0)
        good = part_missing(path, &curve, part, failure);
    if (!good) {
        read_release(read, count);
        free(curve.rows);
        return false;
    }
    parts_divide(read, count, chosen, record);
    record->resumed = curve.resumed;
    record->parts = curve.rows;
    record->part_count = curve.row_count;
    return older_complete(&curve, part, record, failure);
}
