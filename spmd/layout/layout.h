/*
 * Names and types of the output file, for its writer and its readers.
 */
#ifndef SPMD_LAYOUT_LAYOUT_H
#define SPMD_LAYOUT_LAYOUT_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernel/scow.h"

#define LAYOUT_RESPONSE "/response"
#define LAYOUT_NORMALIZED "/normalized"
#define LAYOUT_RECORDS "/result"
#define LAYOUT_EMITTED "/emitted"
#define LAYOUT_REASONS "/reason" /* why tasks failed, in words; of others whatever was there */
#define LAYOUT_PARTIAL "/partial"
#define LAYOUT_LEDGER "/ledger"
#define LAYOUT_DIGESTS "/digests" /* spmd/layout/task_digest.h; older files have none */
#define LAYOUT_RUN "/run"
#define LAYOUT_CUTS "/run/cuts" /* of the grid; spmd/layout/cuts.h */
#define LAYOUT_PLAN "/run/plan"
#define LAYOUT_PROFILE "/run/profile"
#define LAYOUT_TRACE "/run/trace"
/* The group of a part that resumed the run: /run/part2 for the first resume, and so on. Plan, trace
 * and the like have the names that those of the first part have in /run; a profile is stored only
 * if it is another one. Its attributes are those that the first part has in /run and, for the way
 * in which packages are assigned, in the root group. In files of older versions, and if no room was
 * left for the group, /run/trace is that of the last part. */
#define LAYOUT_PART "/run/part"
#define LAYOUT_PART_PLAN "plan"
#define LAYOUT_PART_PROFILE "profile"
#define LAYOUT_PART_TRACE "trace"
/* Of a watched plan: when and why the remaining tasks were planned again, as lines and as a JSON
 * array. */
#define LAYOUT_PART_TOLD "watched"
#define LAYOUT_PART_REPLANNED "replanned"
/* Of workers that were lost while the run went on: lines, and a JSON array; absent in most. */
#define LAYOUT_PART_ENDED "ended"
#define LAYOUT_PART_LOST_TOLD "lost"
#define LAYOUT_PART_LOST "lost_workers"
/* Of workers that joined while the run went on: a JSON array; absent in others. */
#define LAYOUT_PART_JOINED "joined_workers"
/* What workers had of their processors while they computed: a JSON array of shares, null where one
 * is not known; absent where none is, and in older files. */
#define LAYOUT_PART_HAD "availability"
#define LAYOUT_PART_COPIED "copied"
#define LAYOUT_PART_MOVED "moved"
/* Attribute of a part: 1 where its trace ends before the part did; absent in most. */
#define LAYOUT_TRACE_CUT "trace_cut"
/* One row a part of the run, the first ones; a run that goes on more often uses the last again. */
#define LAYOUT_PARTS "/run/parts"
enum { LAYOUT_PARTS_MOST = 64 };
/* What each rank works on, and core tasks on which workers were lost: spmd/output/losses.h. */
#define LAYOUT_IN_FLIGHT "/run/in_flight"
#define LAYOUT_LOST_TASKS "/run/lost_tasks"
/* Of a search in levels: what next has shared for this one, bytes; absent where that is nothing. */
#define LAYOUT_LEVEL_SHARED "/run/level_shared"
#define LAYOUT_OUTCOME "/run/result" /* of a reduction: a JSON text, filled up with zeros */

/* Of a run of strips: the whole grid, [rows][columns], and what was measured, a JSON text; and
 * attributes of the root group: the iterations that the grid is of, and the greatest change of a
 * cell in the last one. While the run goes on, grids are in two places in turn (grid_slots.h). */
#define LAYOUT_GRID "/grid"
#define LAYOUT_MEASURED "/run/measured"
#define LAYOUT_KEPT "/run/kept" /* a row for each place: what is there */
#define LAYOUT_SLOT "/run/kept" /* the group of a place is this and 0 or 1 after it */
#define LAYOUT_SLOT_GRID "grid"
#define LAYOUT_SLOT_MEASURED "measured"
#define LAYOUT_ITERATIONS "iterations"
#define LAYOUT_CHANGE "change"

/* Attributes of the root group. */
#define LAYOUT_VERSION "version"
#define LAYOUT_INPUT "input"
#define LAYOUT_INPUT_KIND "input_kind"     /* enum scow_input_kind */
#define LAYOUT_INPUT_SHA256 "input_sha256" /* empty: the run ended before it was known */
#define LAYOUT_INPUT_STAMP "input_stamp"   /* digest of its files' sizes and times of change */
/* The same and more: their inodes and times of status change, which nobody can set back. Files of
 * older versions have none. */
#define LAYOUT_INPUT_IDENTITY "input_identity"
#define LAYOUT_KERNEL "kernel"
#define LAYOUT_PLUGIN "plugin" /* path and digest of the plug-in that the core task is from */
#define LAYOUT_PLUGIN_SHA256 "plugin_sha256"
#define LAYOUT_RESULTS "emitted_files" /* FILE of FILE.1, FILE.2, ..., where /emitted points to */
#define LAYOUT_ISA "isa"
/* Attributes of /run: */
/* Of the run that made the file, as it could be typed. */
#define LAYOUT_COMMAND_LINE "command_line"
#define LAYOUT_PROCESSOR "processor"
#define LAYOUT_THREADS "threads"
#define LAYOUT_WORKERS_PER_NODE "workers_per_node"
/* What the batch system had given, absent where there was none: */
#define LAYOUT_REQUESTED_BY "requested_by"
#define LAYOUT_REQUESTED_JOB "requested_job"
#define LAYOUT_REQUESTED_WALLTIME "requested_walltime_s"
#define LAYOUT_REQUESTED_BYTES "requested_node_bytes"
#define LAYOUT_REQUESTED_NODES "requested_nodes"
#define LAYOUT_REQUESTED_RANKS "requested_ranks"
#define LAYOUT_REQUESTED_THREADS "requested_threads"
/* And what was used (struct run_usage); 0 as long as it is not known. */
#define LAYOUT_USED_WALLTIME "used_walltime_s"
#define LAYOUT_USED_PROCESSOR "used_processor_s"
#define LAYOUT_USED_ENERGY "used_energy_j"
/* The rule that assigned packages on request; absent if the plan's rounds were sent. */
#define LAYOUT_RULE "rule"
#define LAYOUT_TAIL "tail"   /* rule, perhaps with its share, of the plan's end; absent in most */
#define LAYOUT_AHEAD "ahead" /* packages that a worker had at a time, with a rule or a tail */
#define LAYOUT_COUNTED                                                                             \
    "counted" /* 1: workers took the rule's packages by a counter; absent in most */
#define LAYOUT_REPLAN "replan"     /* tolerance with which the plan was watched; absent in most */
#define LAYOUT_SURVEYED "surveyed" /* 1: measured while it worked (scow go); absent in most */
#define LAYOUT_METHOD "method"     /* how every rank computes a core task */
#define LAYOUT_CHECKSUM "checksum" /* 16 hexadecimal digits */
/* Of the text in LAYOUT_OUTCOME, or of none: 16 hexadecimal digits; older files do without. */
#define LAYOUT_OUTCOME_DIGEST "result_digest"
#define LAYOUT_COMPLETE "complete" /* 1 when the run reached its end */
#define LAYOUT_STOPPED "stopped"   /* 1 when it was asked to stop before */
#define LAYOUT_RESUMED "resumed"   /* how often it went on after it had been stopped or killed */
#define LAYOUT_RANK_PEAK "rank_peak_bytes" /* of memory; 0: not known; older files do without */
#define LAYOUT_MASTER_PEAK                                                                         \
    "master_peak_bytes" /* in files without it, that of any rank is above                          \
                         */
#define LAYOUT_COMMAND_PEAK "command_peak_bytes"
#define LAYOUT_LEVEL "level"               /* of a search in levels, from 1; absent in all others */
#define LAYOUT_LEVEL_BEFORE "level_before" /* name, beside this file, of the level's before it */
#define LAYOUT_LEVEL_LAST "level_last"     /* 1: no level follows; absent: that is not known */
#define LAYOUT_LEVEL_DIGEST "level_digest" /* of LAYOUT_LEVEL_SHARED: 16 hexadecimal digits */
#define LAYOUT_FAILED "failed"             /* core tasks that could not be done */
#define LAYOUT_MINIMUM "minimum"
#define LAYOUT_MAXIMUM "maximum"
#define LAYOUT_FINISH "finish_s"
#define LAYOUT_STARTUP "startup_s"

/* What one core task emitted: `size` bytes of the file of worker `rank`; 0: nothing. */
struct layout_emitted {
    int32_t rank;
    int32_t reserved;
    int64_t place, size;
};

/* In front of a rank's state of a reduction, in each of its two slots. */
struct layout_partial {
    uint64_t digest;      /* XXH3-64 of the rest of the head and the state: the slot is whole */
    uint64_t sequence;    /* the greater one of a rank's two is the later one; 0: nothing yet */
    int64_t first, count; /* the last package that is in it */
    int64_t tasks;        /* of all packages that are in it */
    uint64_t members;     /* which ones: layout_members of them all */
};

/* Bytes of one slot; a multiple of 64. */
size_t layout_slot_size(size_t state_size);
uint64_t layout_slot_digest(const struct layout_partial *head, const void *state,
                            size_t state_size);

/* Core tasks as a set, of which the sum of two is that of both: to tell whether a state is of the
 * very tasks that the ledger has, and not only of as many. Wraps around. */
uint64_t layout_members(int64_t first, int64_t count);

/* XXH3-64 of a reduction's outcome with the zeros that it is filled up with, or of other bytes: 16
 * hexadecimal digits. */
void layout_outcome_digest(const char *outcome, size_t size, char digest[17]);

/* Bytes of the reason of one task, in a job of so many, filled up with zeros: of very many tasks
 * they are short. No room is set aside for them: where none fails, a file system that knows of
 * holes stores nothing. */
size_t layout_reason_size(int64_t tasks);
/* To be closed; negative: failed. */
hid_t layout_emitted_type(void);
/* Records with these fields; offsets and size as in memory. To be closed; negative: failed. */
hid_t layout_record_type(const struct scow_field *fields, size_t record_size);
/* In the file; HDF5's own, not to be closed. Negative: no such type. */
hid_t layout_number_type(int type);
/* struct trace_event in memory; packed in the file. To be closed; negative: failed. */
hid_t layout_trace_type(void);
/* struct run_part in memory; packed in the file. To be closed; negative: failed. */
hid_t layout_part_type(void);
/* Fixed-length UTF-8 string of `size` bytes. To be closed; negative: failed. */
hid_t layout_text_type(size_t size);
/* Write rows [first, first + count) of a one-dimensional data set. */
bool layout_rows_write(hid_t dataset, hid_t type, int64_t first, int64_t count, const void *values);
/* The name of `what` ("plan", or "" for the group itself) of the part that went on for the
 * `times`th time, 0: the first one, in LAYOUT_RUN. */
enum { LAYOUT_NAME_SIZE = 64 };
void layout_part_name(char name[LAYOUT_NAME_SIZE], int64_t times, const char *what);
/* Do not print HDF5's error stack: failures are reported by our own sentences. */
void layout_quiet(void);

#endif
