#include "planner/report/outlook.h"

#include <math.h>

static const struct profile_setting *setting_of(const struct run_record *record)
{
    return record->has_profile
               ? profile_find(&record->profile, &record->plan.parameters, record->plan.threads)
               : NULL;
}

/* The batch jobs of the plan as it says, and at the pace of this run, with an interval that is
 * drawn in the same way. */
static void batches_find(const struct residuals *residuals, const struct profile_setting *setting,
                         struct outlook *outlook)
{
    const struct run_record *record = residuals->record;
    const struct interval_request request = {
        .profile = &record->profile, .setting = setting, .plan = &record->plan};
    struct interval interval = {.without_tail = false};
    struct failure none = FAILURE_INIT;
    const bool known =
        interval_known(&record->profile, setting) && interval_draw(&request, &interval, &none);
    /* Only the peaks of memory are changed in the copy: those of this run are added to the
     * profile's. */
    struct profile learnt = record->profile;
    learnt.peaks =
        peaks_most(learnt.peaks, advice_peaks(&record->plan, setting, run_record_peaks(record)));
    struct advice advice = {.plan = &record->plan,
                            .profile = &record->profile,
                            .setting = setting,
                            .interval = known ? &interval : NULL,
                            .risk = ADVICE_RISK};
    const double error =
        residuals_error(residuals_predicted(residuals), residuals->measured.makespan_s);
    batch_find(&advice, &outlook->planned);
    advice.pace = error > 0 && record->loss_count == 0 ? 1 + error : 1;
    advice.profile = &learnt;
    batch_find(&advice, &outlook->next);
    interval_release(&interval);
    outlook->has_plan = true;
    outlook->has_next = record->part <= 1 && !record->cut_short;
}

static double processors_of(int64_t ranks, int64_t threads, double walltime_s)
{
    return ranks > 0 && walltime_s > 0 ? (double)ranks * fmax((double)threads, 1) * walltime_s : 0;
}

static void requested_find(const struct run_record *record, struct outlook *outlook)
{
    const struct run_request *given = &record->requested;
    const struct batch *planned = &outlook->planned;
    outlook->by = given->by[0] ? given->by : "plan";
    outlook->job = given->job;
    if (given->by[0])
        outlook->requested = (struct resources){
            given->walltime_s, processors_of(given->ranks, given->threads, given->walltime_s),
            given->node_bytes};
    else if (outlook->has_plan)
        outlook->requested = (struct resources){
            (double)planned->walltime_s,
            processors_of(planned->ranks, planned->threads, (double)planned->walltime_s),
            planned->node_bytes};
}

static double work_seconds(const struct trace_summary *summary)
{
    return summary->seconds[OPERATION_ENVELOPE] + summary->seconds[OPERATION_RECEIVE] +
           summary->seconds[OPERATION_COMPUTE] + summary->seconds[OPERATION_OUTPUT];
}

static void predicted_find(const struct residuals *residuals, struct outlook *outlook)
{
    const int threads = residuals->record->plan.threads;
    if (!residuals->has_predicted)
        return;
    outlook->predicted =
        (struct resources){(outlook->has_plan ? outlook->planned.startup_s : ADVICE_STARTUP_S) +
                               residuals_predicted(residuals),
                           work_seconds(&residuals->predicted) * (threads > 0 ? threads : 1),
                           outlook->planned.node_bytes};
}

/* What a full node used: by its ranks, including the master, and by the processes that core tasks
 * start. */
static void used_find(const struct run_record *record, struct outlook *outlook)
{
    const struct run_usage *used = &record->used;
    const double workers = record->workers_per_node, threads = fmax(record->threads, 1);
    outlook->used = (struct resources){used->walltime_s, used->processor_s, 0};
    if (workers > 0 && record->rank_peak > 0)
        outlook->used.node_bytes =
            workers * (double)record->rank_peak +
            (double)(record->master_peak > 0 ? record->master_peak : record->rank_peak) +
            workers * threads * (double)record->command_peak;
}

void outlook_make(const struct residuals *residuals, struct outlook *outlook)
{
    const struct run_record *record = residuals->record;
    const struct profile_setting *setting = setting_of(record);
    *outlook = (struct outlook){.has_next = false};
    if (setting && residuals->has_predicted && record->plan.predicted.known && !record->rule)
        batches_find(residuals, setting, outlook);
    requested_find(record, outlook);
    predicted_find(residuals, outlook);
    used_find(record, outlook);
}

/* ---- printing ------------------------------------------------------------------------------ */

static void seconds_cell(struct text *text, double seconds)
{
    if (seconds > 0)
        text_add_seconds_column(text, seconds);
    else
        text_add(text, "%12s", "-");
}

static void seconds_row(struct text *text, const char *name, double requested, double predicted,
                        double used)
{
    text_add(text, "%-20s", name);
    seconds_cell(text, requested);
    seconds_cell(text, predicted);
    seconds_cell(text, used);
    if (requested > 0 && used > 0)
        text_add(text, "%9.3g %%", 100 * used / requested);
    text_add(text, "\n");
}

static void bytes_row(struct text *text, const double bytes[3])
{
    text_add(text, "%-20s", "memory of a node");
    for (int k = 0; k < 3; k++) {
        if (bytes[k] > 0)
            text_add(text, "%9.0f MB", bytes[k] / 1e6);
        else
            text_add(text, "%12s", "-");
    }
    if (bytes[0] > 0 && bytes[2] > 0)
        text_add(text, "%9.3g %%", 100 * bytes[2] / bytes[0]);
    text_add(text, "\n");
}

void outlook_text(const struct outlook *outlook, struct text *text)
{
    const struct resources *requested = &outlook->requested, *predicted = &outlook->predicted;
    const struct resources *used = &outlook->used;
    if (!(used->walltime_s > 0))
        return;
    text_add(text, "%-20s%12s%12s%12s%11s\n", "", "requested", "predicted", "used", "of it");
    seconds_row(text, "walltime", requested->walltime_s, predicted->walltime_s, used->walltime_s);
    seconds_row(text, "processor time", requested->processor_s, predicted->processor_s,
                used->processor_s);
    bytes_row(text,
              (const double[]){requested->node_bytes, predicted->node_bytes, used->node_bytes});
    if (outlook->job[0])
        text_add(text, "requested: by job %s of %s\n", outlook->job, outlook->by);
    else
        text_add(text, "requested: what the plan asks for, as no batch system gave anything\n");
    if (outlook->has_next) {
        text_add(text, "next time:\n");
        batch_slurm(&outlook->next, text);
    }
    text_add(text, "\n");
}

/* 0: not known. */
static void known_json(struct json_text *json, const char *key, double number)
{
    json_number(json, key, number > 0 ? number : (double)NAN);
}

static struct json_text resources_open(struct json_text *outer, const char *key,
                                       const struct resources *resources)
{
    struct json_text json = json_open_in(outer, key, "{", ", ");
    known_json(&json, "walltime_s", resources->walltime_s);
    known_json(&json, "processor_s", resources->processor_s);
    known_json(&json, "memory_bytes", resources->node_bytes);
    return json;
}

static void next_json(const struct outlook *outlook, struct json_text *json)
{
    struct text lines = TEXT_INIT;
    if (!outlook->has_next) {
        json_word(json, "next_request", NULL);
        return;
    }
    batch_slurm(&outlook->next, &lines);
    json_word(json, "next_request", lines.bytes ? lines.bytes : "");
    known_json(json, "next_walltime_s", (double)outlook->next.walltime_s);
    known_json(json, "next_risk", outlook->next.risk);
    known_json(json, "next_pace", outlook->next.pace);
    json->text->failed = json->text->failed || lines.failed;
    text_release(&lines);
}

void outlook_json(const struct outlook *outlook, struct json_text *json)
{
    struct json_text requested = resources_open(json, "requested", &outlook->requested);
    json_word(&requested, "by", outlook->by);
    json_word(&requested, "job", outlook->job);
    known_json(&requested, "predicted_walltime_s", outlook->predicted.walltime_s);
    known_json(&requested, "predicted_processor_s", outlook->predicted.processor_s);
    known_json(&requested, "predicted_memory_bytes", outlook->predicted.node_bytes);
    json_close(&requested, "}");
    struct json_text used = resources_open(json, "used", &outlook->used);
    json_close(&used, "}");
    next_json(outlook, json);
}
