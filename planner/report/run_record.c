#include <stdlib.h>

#include "planner/report/report.h"

void run_record_release(struct run_record *record)
{
    plan_release(&record->plan);
    profile_release(&record->profile);
    trace_release(&record->trace);
    if (record->long_trace.release)
        record->long_trace.release(record->long_trace.self);
    free(record->input);
    free(record->input_sha256);
    free(record->kernel);
    free(record->version);
    free(record->command_line);
    free(record->isa);
    free(record->method);
    free(record->processor);
    free(record->rule);
    free(record->tail);
    free(record->replan);
    free(record->told);
    free(record->replanned);
    free(record->ended);
    parameter_list_release(&record->changed);
    free(record->lost_told);
    free(record->lost);
    free(record->losses);
    free(record->joined);
    free(record->members);
    free(record->moved);
    free(record->moves);
    free(record->had);
    free(record->parts);
    free(record->not_done);
    for (int64_t k = 0; k < record->other_count; k++)
        run_record_release(&record->others[k]);
    free(record->others);
    free(record->plugin);
    for (int64_t k = 0; k < record->level_count; k++)
        free(record->levels[k].path);
    free(record->levels);
    free(record->outcome);
    *record = (struct run_record){0};
}

struct profile_peaks run_record_peaks(const struct run_record *record)
{
    return (struct profile_peaks){.rank = (double)record->rank_peak,
                                  .command = (double)record->command_peak,
                                  .master = (double)record->master_peak};
}

double run_record_had(const struct run_record *record, int64_t worker)
{
    return worker < record->had_count ? record->had[worker] : 0;
}

bool run_record_traced(const struct run_record *record)
{
    return record->trace.count > 0 || record->long_trace.read;
}

int64_t run_record_ranks(const struct run_record *record)
{
    int64_t ranks = record->long_trace.ranks;
    for (size_t k = 0; k < record->trace.count; k++)
        ranks = record->trace.events[k].rank > ranks ? record->trace.events[k].rank : ranks;
    return ranks;
}

bool run_trace_read(const struct run_record *record, const struct trace_taker *taker,
                    struct failure *failure)
{
    if (record->long_trace.read)
        return record->long_trace.read(record->long_trace.self, taker, failure);
    return record->trace.count == 0 || taker->take(taker->self, &record->trace);
}

const char *run_record_again(const struct run_record *record)
{
    return record->surveyed ? "the same scow go" : "scow run --resume";
}
