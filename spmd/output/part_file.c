#include "spmd/output/part_file.h"

#include <string.h>
#include <sys/statvfs.h>

#include "spmd/layout/entries.h"
#include "spmd/layout/layout.h"

/* The longest name in the group's header is "lost_workers"; room for so many names. */
enum { NAMES_MOST = 32, NAME_LENGTH = 16 };

/* Names that are added while the file is used are put where room was left for them, so that nothing
 * that describes the others moves. */
hid_t part_file_group(hid_t file)
{
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_phase_change(creation, NAMES_MOST, NAMES_MOST / 2);
    H5Pset_est_link_info(creation, NAMES_MOST, NAME_LENGTH);
    hid_t group = H5Gcreate2(file, LAYOUT_RUN, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    return group;
}

bool part_file_conditions(hid_t group, const struct conditions *here)
{
    return (!here->processor || entry_words(group, LAYOUT_PROCESSOR, here->processor)) &&
           entry_number(group, LAYOUT_THREADS, H5T_NATIVE_INT, &here->threads) &&
           entry_number(group, LAYOUT_WORKERS_PER_NODE, H5T_NATIVE_INT, &here->workers_per_node);
}

static bool used_write(hid_t group, const struct run_usage *used)
{
    return entry_number(group, LAYOUT_USED_WALLTIME, H5T_NATIVE_DOUBLE, &used->walltime_s) &&
           entry_number(group, LAYOUT_USED_PROCESSOR, H5T_NATIVE_DOUBLE, &used->processor_s) &&
           entry_number(group, LAYOUT_USED_ENERGY, H5T_NATIVE_DOUBLE, &used->energy_j);
}

bool part_file_usage(hid_t group, const struct run_request *requested)
{
    const struct run_usage nothing = {.walltime_s = 0};
    if (!used_write(group, &nothing))
        return false;
    return !requested->by[0] ||
           (entry_words(group, LAYOUT_REQUESTED_BY, requested->by) &&
            entry_words(group, LAYOUT_REQUESTED_JOB, requested->job) &&
            entry_number(group, LAYOUT_REQUESTED_WALLTIME, H5T_NATIVE_DOUBLE,
                         &requested->walltime_s) &&
            entry_number(group, LAYOUT_REQUESTED_BYTES, H5T_NATIVE_DOUBLE,
                         &requested->node_bytes) &&
            entry_number(group, LAYOUT_REQUESTED_NODES, H5T_NATIVE_INT64, &requested->nodes) &&
            entry_number(group, LAYOUT_REQUESTED_RANKS, H5T_NATIVE_INT64, &requested->ranks) &&
            entry_number(group, LAYOUT_REQUESTED_THREADS, H5T_NATIVE_INT64, &requested->threads));
}

static bool attributes_create(hid_t group, const struct part_info *info)
{
    const bool asks = info->rule || info->tail;
    const double none = 0;
    const int32_t yes = 1;
    return part_file_conditions(group, &info->conditions) &&
           part_file_usage(group, &info->requested) &&
           (!info->command_line || entry_words(group, LAYOUT_COMMAND_LINE, info->command_line)) &&
           (!info->rule || entry_words(group, LAYOUT_RULE, info->rule)) &&
           (!info->tail || entry_words(group, LAYOUT_TAIL, info->tail)) &&
           (!info->replan || entry_words(group, LAYOUT_REPLAN, info->replan)) &&
           (!info->surveyed || entry_number(group, LAYOUT_SURVEYED, H5T_NATIVE_INT32, &yes)) &&
           (!info->counted || entry_number(group, LAYOUT_COUNTED, H5T_NATIVE_INT32, &yes)) &&
           (!asks || entry_number(group, LAYOUT_AHEAD, H5T_NATIVE_INT, &info->ahead)) &&
           entry_number(group, LAYOUT_FINISH, H5T_NATIVE_DOUBLE, &none);
}

/* HDF5 crashes if a disk fills while it closes a file: there must be space, with some to spare. */
static bool has_room(const char *path, const struct part_info *info)
{
    static const double spare_bytes = 1e6;
    struct statvfs disk;
    const double needed = (double)info->events * (double)sizeof(struct trace_event) +
                          (double)strlen(info->plan) +
                          (double)(info->profile ? strlen(info->profile) : 0) + spare_bytes;
    return statvfs(path, &disk) == 0 && (double)disk.f_bavail * (double)disk.f_frsize > needed;
}

bool part_file_begin(hid_t file, const char *path, int64_t times, const struct part_info *info)
{
    char name[LAYOUT_NAME_SIZE];
    if (times >= LAYOUT_PARTS_MOST || !info->plan || !has_room(path, info))
        return true;
    layout_part_name(name, times, "");
    /* From a part that was killed before it had begun. */
    if (H5Lexists(file, name, H5P_DEFAULT) > 0 && H5Ldelete(file, name, H5P_DEFAULT) < 0)
        return false;
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = group >= 0 && attributes_create(group, info) &&
                      entry_text(group, LAYOUT_PART_PLAN, info->plan) &&
                      (!info->profile || entry_text(group, LAYOUT_PART_PROFILE, info->profile)) &&
                      entry_trace(group, LAYOUT_PART_TRACE, info->events);
    return group >= 0 && H5Gclose(group) >= 0 && good;
}

/* The part's own group or, if it has none, that of the first part. To be closed. */
static hid_t group_open(hid_t file, int64_t times, bool *own)
{
    char name[LAYOUT_NAME_SIZE];
    layout_part_name(name, times, "");
    *own = H5Lexists(file, name, H5P_DEFAULT) > 0;
    return H5Gopen2(file, *own ? name : LAYOUT_RUN, H5P_DEFAULT);
}

/* Writes the plan that was made during the run in place of the one that it began with. `object` has
 * the attributes. */
static bool assigning_write(hid_t group, hid_t object, const struct output_outcome *outcome)
{
    return (!outcome->plan || entry_text_replace(group, LAYOUT_PART_PLAN, outcome->plan)) &&
           (!outcome->profile ||
            entry_text_replace(group, LAYOUT_PART_PROFILE, outcome->profile)) &&
           (!outcome->tail || entry_words(object, LAYOUT_TAIL, outcome->tail)) &&
           (!outcome->replan || entry_words(object, LAYOUT_REPLAN, outcome->replan));
}

bool part_file_halt(hid_t file, int64_t times, const char *why)
{
    bool own;
    hid_t group = group_open(file, times, &own);
    const bool good = group >= 0 && entry_text_replace(group, LAYOUT_PART_ENDED, why);
    return group >= 0 && H5Gclose(group) >= 0 && good;
}

static bool cut_write(hid_t group)
{
    const int32_t yes = 1;
    return entry_number(group, LAYOUT_TRACE_CUT, H5T_NATIVE_INT32, &yes);
}

/* Copies that part's trace from the file beside the output. If there is no space for it, it stays
 * there. */
static bool trace_import(hid_t group, const struct part_trace *trace, bool *imported)
{
    struct failure none = FAILURE_INIT;
    struct trace_reader reader;
    *imported = false;
    if (!trace_reader_open(&reader, trace->output, &trace->part, &none))
        return true;
    const bool fits = entry_trace_fits(group, reader.count);
    const bool good = !fits || (entry_trace_write(group, LAYOUT_PART_TRACE, &reader) &&
                                (!(reader.torn || trace->cut) || cut_write(group)));
    *imported = fits && good;
    trace_reader_close(&reader);
    return good;
}

/* How far the part came, by its trace. */
static void trace_sum(const struct part_trace *trace, struct run_part *part)
{
    struct failure none = FAILURE_INIT;
    struct trace_reader reader;
    struct trace_event event;
    if (!trace_reader_open(&reader, trace->output, &trace->part, &none))
        return;
    while (trace_reader_next(&reader, &event, 1) > 0) {
        if (event.rank > 0 && event.end_s > part->makespan_s)
            part->makespan_s = event.end_s;
        part->packages += event.rank > 0 && event.operation == OPERATION_COMPUTE;
    }
    trace_reader_close(&reader);
}

bool part_file_import(hid_t file, const struct part_trace *trace, struct run_part *part)
{
    bool own, imported;
    hid_t group = group_open(file, trace->part.times, &own);
    const bool good = group >= 0 && (!own || trace_import(group, trace, &imported));
    if (good && part->makespan_s <= 0)
        trace_sum(trace, part);
    return group >= 0 && H5Gclose(group) >= 0 && good;
}

bool part_file_end(hid_t file, const struct output_outcome *outcome, const struct part_trace *trace,
                   bool *imported)
{
    const int64_t times = trace->part.times;
    bool own;
    hid_t group = group_open(file, times, &own);
    const bool good = group >= 0 && (own || entry_trace_clear(group, LAYOUT_PART_TRACE)) &&
                      assigning_write(group, times == 0 ? file : group, outcome) &&
                      trace_import(group, trace, imported) &&
                      entry_text_replace(group, LAYOUT_PART_TOLD, outcome->told) &&
                      entry_text_replace(group, LAYOUT_PART_REPLANNED, outcome->replanned) &&
                      entry_text_replace(group, LAYOUT_PART_ENDED, outcome->ended) &&
                      entry_text_replace(group, LAYOUT_PART_LOST_TOLD, outcome->lost_told) &&
                      entry_text_replace(group, LAYOUT_PART_LOST, outcome->lost) &&
                      entry_text_replace(group, LAYOUT_PART_JOINED, outcome->joined) &&
                      entry_text_replace(group, LAYOUT_PART_HAD, outcome->had) &&
                      entry_text_replace(group, LAYOUT_PART_COPIED, outcome->copied) &&
                      entry_text_replace(group, LAYOUT_PART_MOVED, outcome->moved) &&
                      (!outcome->used || used_write(group, outcome->used)) &&
                      (times == 0 || !own ||
                       entry_number(group, LAYOUT_FINISH, H5T_NATIVE_DOUBLE, &outcome->finish_s));
    return group >= 0 && H5Gclose(group) >= 0 && good;
}
