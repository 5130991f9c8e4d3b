/* Predicted beside measured: from traces whose figures are known. */
#include "planner/report/report.h"
#include "planner/report/members.h"

#include <math.h>

#include "planner/replan/watching.h"
#include "planner/report/levels.h"
#include "planner/report/parts.h"
#include "planner/report/residuals.h"
#include "planner/report/resumed.h"
#include "planner/report/search.h"
#include "planner/report/trace_summary.h"
#include "tests/checks.h"
#include "tests/planner/runs.h"
#include "tests/planner/samples.h"

/* A run that went exactly as planned: nothing differs anywhere. */
static void a_perfect_run_has_no_error(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct run_record record;
        run_sample(seed, 0, &record);
        json_t *json = run_report(&record);
        assert_true(run_member(json, "error") == 0);
        assert_true(run_member(json, "predicted_s") == run_member(json, "measured_s"));
        const char *key;
        json_t *value;
        json_object_foreach(json_object_get(json, "operations"), key, value)
        {
            assert_true(run_member(value, "predicted_s") == run_member(value, "measured_s"));
        }
        size_t index;
        json_array_foreach(json_object_get(json, "rounds"), index, value)
        {
            assert_true(run_member(value, "residual_s") == 0);
        }
        assert_string_equal(json_string_value(json_object_get(json, "explanation")),
                            "The run went as predicted, to 0.0 %.");
        json_decref(json);
        run_record_release(&record);
    }
}

/* Workers' operations and idle time fill the makespan. */
static void figures_add_up(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct run_record record;
        struct trace_summary reduction;
        struct failure failure = FAILURE_INIT;
        double busy_s = 0, all_s = 0;
        int64_t tasks = 0;
        run_sample(seed, 0.3, &record);
        assert_true(trace_summary_make(&record.trace, &record.plan, &reduction, &failure));
        for (int64_t k = 0; k < reduction.worker_count; k++) {
            const struct worker_summary *worker = &reduction.workers[k];
            double here_s = worker->seconds[OPERATION_RECEIVE] +
                            worker->seconds[OPERATION_COMPUTE] + worker->seconds[OPERATION_OUTPUT];
            if (worker->packages == 0)
                continue;
            assert_true(fabs(here_s + worker->seconds[OPERATION_START] +
                             worker->seconds[OPERATION_IDLE] - reduction.makespan_s) <
                        1e-9 * reduction.makespan_s);
            busy_s += here_s;
            all_s += reduction.makespan_s;
            tasks += worker->tasks;
        }
        assert_int_equal(tasks, record.tasks);
        assert_true(fabs(reduction.worker_busy_share - busy_s / all_s) < 1e-12);
        assert_true(reduction.imbalance >= -1e-12);
        assert_true(reduction.network_utilization > 0 && reduction.network_utilization <= 1);
        trace_summary_release(&reduction);
        run_record_release(&record);
    }
}

/* One worker whose computing took twice as long as planned. */
/* What rounding leaves of a prediction of nothing is no prediction. */
static void nothing_predicted_has_no_error(void **state)
{
    (void)state;
    assert_true(isnan(residuals_error(0, 0.03)));
    assert_true(isnan(residuals_error(2e-16, 0.03)));
    assert_true(fabs(residuals_error(1e-6, 0.03) - 29999) < 1e-3);
}

static void the_sentence_names_the_cause(void **state)
{
    struct run_record record;
    (void)state;
    run_sample(3, 0, &record);
    double shift_s = 0;
    for (size_t k = 0; k < record.trace.count; k++) {
        struct trace_event *event = &record.trace.events[k];
        if (event->operation == OPERATION_COMPUTE)
            shift_s = fmax(shift_s, event->end_s);
    }
    for (size_t k = 0; k < record.trace.count; k++)
        if (record.trace.events[k].operation == OPERATION_COMPUTE)
            record.trace.events[k].end_s += shift_s;
    json_t *json = run_report(&record);
    const char *sentence = json_string_value(json_object_get(json, "explanation"));
    assert_non_null(strstr(sentence, "longer than predicted: worker "));
    assert_non_null(strstr(sentence, "more on computing core tasks."));
    json_decref(json);
    run_record_release(&record);
}

static void incomplete_runs_say_so(void **state)
{
    struct run_record record;
    struct failure failure = FAILURE_INIT;
    (void)state;
    run_sample(5, 0.1, &record);
    record.tasks = 1000;
    record.tasks_done = 990;
    char *text = report_text(&record, &failure);
    assert_non_null(text);
    assert_non_null(strstr(text, "The run is incomplete: 990 of 1000 core tasks are done; go on "
                                 "with it by scow run --resume.\n"));
    free(text);
    run_record_release(&record);
}

static void runs_without_a_profile_have_no_prediction(void **state)
{
    struct run_record record;
    (void)state;
    run_sample(5, 0.1, &record);
    profile_release(&record.profile);
    record.has_profile = false;
    json_t *json = run_report(&record);
    assert_true(json_is_null(json_object_get(json, "predicted_s")));
    assert_true(run_member(json, "measured_s") > 0);
    json_decref(json);
    run_record_release(&record);
}

/* Beside the kernel, where the run says it. */
static void the_method_is_reported(void **state)
{
    struct run_record record;
    struct failure failure = FAILURE_INIT;
    (void)state;
    run_sample(5, 0.1, &record);
    json_t *silent = run_report(&record);
    assert_true(json_is_null(json_object_get(silent, "method")));
    json_decref(silent);
    char *text = report_text(&record, &failure);
    assert_non_null(text);
    assert_null(strstr(text, "computed by"));
    free(text);
    record.method = strdup("fft for 2 filters");
    text = report_text(&record, &failure);
    assert_non_null(text);
    assert_non_null(strstr(text, "core task   sleep\ncomputed by fft for 2 filters\n"));
    free(text);
    free(record.profile.settings[0].method);
    record.profile.settings[0].method = strdup("direct");
    char *unlike = report_text(&record, &failure);
    assert_non_null(unlike);
    assert_non_null(strstr(unlike, "unlike      the profile was measured with tasks computed by "
                                   "direct, here it is fft for 2 filters\n"));
    free(unlike);
    json_t *json = run_report(&record);
    assert_string_equal(json_string_value(json_object_get(json, "method")), "fft for 2 filters");
    json_decref(json);
    run_record_release(&record);
}

static int lines_with(const char *text, const char *head)
{
    int lines = 0;
    for (const char *at = text; (at = strstr(at, head)); at += strlen(head))
        lines++;
    return lines;
}

/* One line for each condition that is known of both and differs. */
static void other_conditions_are_told(void **state)
{
    struct run_record record;
    struct failure failure = FAILURE_INIT;
    (void)state;
    run_sample(5, 0.1, &record);
    record.processor = strdup("Zen 4");
    record.threads = 4;
    record.workers_per_node = 8;
    char *unknown = report_text(&record, &failure);
    assert_non_null(unknown);
    assert_int_equal(lines_with(unknown, "unlike      "), 0);
    free(unknown);
    struct profile_origin *origin = &record.profile.origin;
    origin->processor = strdup("Zen 3");
    origin->threads = 2;
    origin->workers_per_node = 8;
    char *two = report_text(&record, &failure);
    assert_non_null(two);
    assert_int_equal(lines_with(two, "unlike      "), 2);
    assert_non_null(strstr(two, "measured on 'Zen 3', the master's processor is 'Zen 4'\n"));
    assert_non_null(strstr(two, "measured with 2 threads per rank, the run has 4 "));
    free(two);
    origin->workers_per_node = 2;
    char *three = report_text(&record, &failure);
    assert_non_null(three);
    assert_int_equal(lines_with(three, "unlike      "), 3);
    free(three);
    run_record_release(&record);
}

static void damaged_traces_are_refused(void **state)
{
    struct run_record record;
    struct failure damaged = FAILURE_INIT, empty = FAILURE_INIT, block = FAILURE_INIT;
    (void)state;
    run_sample(5, 0.1, &record);
    for (size_t k = 0; k < record.plan.parameters.count; k++)
        if (strcmp(record.plan.parameters.items[k].name, "block") == 0)
            record.plan.parameters.items[k].number = 48;
    assert_null(report_text(&record, &block));
    assert_failure(block, FAILURE_MISMATCH,
                   "the run's profile has no setting with the plan's parameters: run again with a "
                   "plan made from that profile");
    record.trace.events[0].operation = 99;
    assert_null(report_text(&record, &damaged));
    assert_failure(damaged, FAILURE_MISMATCH,
                   "the trace has an impossible event: the file is damaged, run again");
    record.trace.count = 0;
    assert_null(report_json(&record, &empty));
    assert_failure(empty, FAILURE_MISMATCH,
                   "the run left no trace: it ended before its last round: go on with it by "
                   "scow run --resume");
    empty = (struct failure)FAILURE_INIT;
    record.surveyed = true;
    assert_null(report_json(&record, &empty));
    assert_failure(empty, FAILURE_MISMATCH,
                   "the run left no trace: it ended before its last round: go on with it by "
                   "the same scow go");
    run_record_release(&record);
}

/* Killed when all was done, and then completed: what is known is told. */
static void what_left_no_trace_has_a_report(void **state)
{
    struct run_record record;
    struct failure failure = FAILURE_INIT;
    json_error_t error;
    (void)state;
    run_sample(5, 0.1, &record);
    record.trace.count = 0;
    record.resumed = 1;
    record.tasks_done = record.tasks;
    char *text = report_text(&record, &failure), *json = report_json(&record, &failure);
    assert_non_null(text);
    assert_non_null(json);
    assert_int_equal(lines_with(text, "checksum    "), 1);
    assert_int_equal(lines_with(text, "The run was killed when all its core tasks were done"), 1);
    assert_null(strstr(text, "nan"));
    json_t *report = json_loads(json, 0, &error);
    assert_non_null(report);
    assert_true(json_is_true(json_object_get(report, "complete")));
    assert_true(json_is_null(json_object_get(report, "measured_s")));
    assert_int_equal(json_array_size(json_object_get(report, "workers")), 0);
    json_decref(report);
    free(text);
    free(json);
    record.tasks_done--;
    assert_null(report_text(&record, &failure));
    run_record_release(&record);
}

static bool is_work(const char *name)
{
    for (int k = 0; k < OPERATION_IDLE; k++)
        if (strcmp(name, operation_name((enum operation)k)) == 0)
            return true;
    return false;
}

static size_t work_events(const struct trace *trace)
{
    size_t count = 0;
    for (size_t k = 0; k < trace->count; k++)
        count += trace->events[k].operation < OPERATION_IDLE;
    return count;
}

enum { THREADS = 1000 };

/* What viewers want: numbers of threads that are above 0 and of one process alone, each with a name
 * before its first event, and what names and orders it. */
static void chrome_event_check(json_t *event, size_t processes[THREADS], bool *named)
{
    const char *kind = json_string_value(json_object_get(event, "ph"));
    const char *name = json_string_value(json_object_get(event, "name"));
    const size_t process = (size_t)json_integer_value(json_object_get(event, "pid"));
    const size_t thread = (size_t)json_integer_value(json_object_get(event, "tid"));
    json_t *about = json_object_get(event, "args");
    assert_non_null(name);
    assert_true(json_is_object(about) && thread > 0 && thread < THREADS);
    assert_true(process == 1 || process == 2);
    assert_true(processes[thread] == 0 || processes[thread] == process);
    processes[thread] = process;
    if (strcmp(kind, "X") == 0) {
        assert_true(named[thread] && run_member(event, "dur") >= 0 && run_member(event, "ts") >= 0);
        return;
    }
    assert_string_equal(kind, "M");
    if (strcmp(name, "thread_sort_index") == 0) {
        assert_true(json_is_integer(json_object_get(about, "sort_index")));
        return;
    }
    assert_true(json_string_length(json_object_get(about, "name")) > 0);
    assert_true(strcmp(name, "thread_name") == 0 || strcmp(name, "process_name") == 0);
    named[thread] = named[thread] || strcmp(name, "thread_name") == 0;
}

/* Spans of a row stand in the order of time, and none begins before the one before it has ended. */
static void chrome_spans_check(json_t *event, double ends_us[THREADS])
{
    static const double ROUNDING = 1e-4;
    double *end_us = &ends_us[json_integer_value(json_object_get(event, "tid"))];
    const double start_us = run_member(event, "ts");
    assert_true(start_us >= *end_us - ROUNDING);
    *end_us = start_us + run_member(event, "dur");
}

/* Every event of the run and of its plan, as complete events of two processes; in the place of idle
 * times their causes. */
static void chrome_trace_check(uint64_t seed)
{
    struct run_record record;
    struct failure failure = FAILURE_INIT;
    size_t processes[3] = {0, 0, 0}, threads[THREADS] = {0}, index;
    bool named[THREADS] = {false};
    double ends_us[THREADS] = {0};
    json_t *event;
    run_sample(seed, 0, &record);
    char *text = report_chrome_trace(&record, &failure);
    assert_non_null(text);
    assert_int_equal(strstr(text, "output of worker") != NULL, plan_writes_behind(&record.plan));
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_is_array(json));
    json_array_foreach(json, index, event)
    {
        chrome_event_check(event, threads, named);
        if (strcmp(json_string_value(json_object_get(event, "ph")), "X") != 0)
            continue;
        chrome_spans_check(event, ends_us);
        size_t process = (size_t)json_integer_value(json_object_get(event, "pid"));
        processes[process] += is_work(json_string_value(json_object_get(event, "name")));
    }
    assert_int_equal(processes[1], work_events(&record.trace));
    assert_int_equal(processes[2], work_events(&record.trace));
    json_decref(json);
    free(text);
    run_record_release(&record);
}

static void chrome_traces_have_every_event(void **state)
{
    (void)state;
    chrome_trace_check(4);
    chrome_trace_check(7); /* written behind */
}

/* What is written while workers go on stands beside the operations, and is not among them. */
static void reports_tell_what_is_hidden(void **state)
{
    int told = 0;
    (void)state;
    for (uint64_t seed = 3; seed <= 43; seed += 4) {
        struct run_record record;
        struct failure failure = FAILURE_INIT;
        double hidden_s = 0, output_s = 0;
        run_sample(seed, 0.2, &record);
        double *hidden = trace_hidden(&record.trace);
        assert_non_null(hidden);
        for (size_t k = 0; k < record.trace.count; k++) {
            const struct trace_event *event = &record.trace.events[k];
            hidden_s += hidden[k];
            output_s += event->operation == OPERATION_OUTPUT ? event->end_s - event->start_s : 0;
        }
        json_t *json = run_report(&record);
        const json_t *beside = json_object_get(json, "output_while_working");
        const json_t *own = json_object_get(json_object_get(json, "operations"), "output");
        assert_true(fabs(run_member(beside, "measured_s") - hidden_s) <= 1e-9 * output_s);
        assert_true(fabs(run_member(own, "measured_s") + hidden_s - output_s) <= 1e-9 * output_s);
        char *text = report_text(&record, &failure);
        assert_non_null(text);
        assert_non_null(strstr(text, "\noutput while working "));
        told += hidden_s > 0;
        free(text);
        free(hidden);
        json_decref(json);
        run_record_release(&record);
    }
    assert_true(told > 5);
}

static char *word(const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    return copy;
}

/* The run is what the plan's simulation with a tail leaves: no error, though the plan alone would
 * have taken another time. */
static void tails_are_predicted(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct run_record record;
        struct watching watching;
        struct simulation simulation;
        struct failure failure = FAILURE_INIT;
        run_sample(seed, 0, &record);
        record.tail = word("fac:40%");
        record.replan = seed % 2 ? word("10%") : NULL;
        record.ahead = 2;
        const struct watching_request request = {.plan = &record.plan,
                                                 .setting = &record.profile.settings[0],
                                                 .tolerance = record.replan,
                                                 .tail = record.tail,
                                                 .ahead = 2};
        if (!watching_init(&watching, &request, &failure))
            fail_msg("%s", failure.text);
        record.trace.count = 0;
        assert_true(watching_expect(&watching, &record.trace, &simulation, &failure));
        watching_release(&watching);
        json_t *json = run_report(&record);
        assert_true(run_member(json, "error") == 0);
        assert_true(run_member(json, "measured_s") == simulation.makespan_s);
        /* The plan's interval is of another end than this, unless it is the plan's own. */
        assert_true(json_is_null(json_object_get(json, "interval")));
        json_decref(json);
        record.plan.tail = word("fac:40%");
        record.plan.predicted.interval_s[0] = 0.9 * simulation.makespan_s;
        record.plan.predicted.interval_s[1] = 1.1 * simulation.makespan_s;
        json = run_report(&record);
        assert_true(json_is_true(json_object_get(json, "inside")));
        assert_null(json_object_get(json, "planned_anew"));
        json_decref(json);
        run_record_release(&record);
    }
}

/* What came after is beside what was promised then, and not beside the first plan's rounds. */
static void plans_made_anew_are_told_apart(void **state)
{
    struct run_record record;
    struct failure failure = FAILURE_INIT;
    (void)state;
    run_sample(3, 0.1, &record);
    json_t *before = run_report(&record);
    const double measured_s = run_member(before, "measured_s");
    assert_true(json_array_size(json_object_get(before, "rounds")) > 1);
    record.replanned = word("[]");
    record.changes = (struct run_changes){2, 1, measured_s / 1.25};
    json_t *json = run_report(&record), *anew = json_object_get(json, "planned_anew");
    assert_true(run_member(anew, "count") == 2 && run_member(anew, "round") == 1);
    assert_true(fabs(run_member(anew, "error") - 0.25) < 1e-12);
    const json_t *rounds = json_object_get(json, "rounds");
    assert_true(json_is_number(json_object_get(json_array_get(rounds, 0), "residual_s")));
    assert_true(json_is_null(json_object_get(json_array_get(rounds, 1), "predicted_end_s")));
    assert_true(json_is_null(json_object_get(json_array_get(rounds, 1), "residual_s")));
    char *text = report_text(&record, &failure);
    assert_non_null(text);
    assert_non_null(strstr(text, "\n  as planned anew   "));
    assert_non_null(strstr(text,
                           "What remained was planned anew, more than once, from round 2 on, and "
                           "ended 25.0 % later than the last plan predicted."));
    free(text);
    json_decref(json);
    json_decref(before);
    run_record_release(&record);
}

/* One that was stopped and one that was killed, before the last. */
static void parts_are_listed_and_summed(void **state)
{
    const struct run_part parts[] = {{.began_s = 1000,
                                      .ended_s = 1010,
                                      .makespan_s = 8,
                                      .tasks = 40,
                                      .packages = 10,
                                      .workers = 3,
                                      .outcome = PART_STOPPED},
                                     {.began_s = 1100,
                                      .ended_s = 1105,
                                      .before = 40,
                                      .tasks = 20,
                                      .workers = 2,
                                      .outcome = PART_KILLED},
                                     {.began_s = 1200,
                                      .ended_s = 1203,
                                      .makespan_s = 2,
                                      .before = 60,
                                      .tasks = 30,
                                      .packages = 5,
                                      .workers = 1,
                                      .outcome = PART_COMPLETE}};
    struct run_record record;
    struct failure failure = FAILURE_INIT;
    (void)state;
    run_sample(5, 0.1, &record);
    record.resumed = 2;
    record.parts = calloc(COUNT_OF(parts), sizeof *parts);
    assert_non_null(record.parts);
    memcpy(record.parts, parts, sizeof parts);
    record.part_count = COUNT_OF(parts);
    json_t *json = run_report(&record), *all = json_object_get(json, "in_all");
    assert_true(run_member(all, "measured_s") == 15 && run_member(all, "between_s") == 185);
    assert_true(run_member(all, "tasks") == 90 && run_member(all, "packages") == 15);
    const json_t *killed = json_array_get(json_object_get(json, "parts"), 1);
    assert_string_equal(json_string_value(json_object_get(killed, "began")),
                        "1970-01-01T00:18:20Z");
    assert_string_equal(json_string_value(json_object_get(killed, "outcome")), "killed");
    assert_true(json_is_null(json_object_get(killed, "packages")));
    json_decref(json);
    char *text = report_text(&record, &failure);
    assert_non_null(text);
    assert_non_null(strstr(text, "in all      3 parts, "));
    assert_non_null(
        strstr(text, "  part 2     1970-01-01 00:18:20 UTC, 2 workers: 20 core tasks, "));
    assert_non_null(strstr(text, "s to its last heartbeat, killed\n"));
    assert_non_null(strstr(text, ", 1 worker: 30 core tasks in 5 packages, "));
    free(text);
    run_record_release(&record);
}

/* What was given and used is beside each other; without a batch system, what the plan asks for. */
static void requests_stand_beside_what_was_used(void **state)
{
    struct run_record record;
    (void)state;
    run_sample(5, 0, &record);
    json_t *before = run_report(&record);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(before, "requested"), "by")), "plan");
    assert_true(json_is_null(json_object_get(json_object_get(before, "used"), "walltime_s")));
    record.plan.predicted.known = true;
    record.plan.predicted.makespan_s = run_member(before, "predicted_s");
    record.requested = (struct run_request){
        .by = "pbs", .job = "7.here", .walltime_s = 100, .ranks = 4, .threads = 2};
    record.used = (struct run_usage){.walltime_s = 25, .processor_s = 80};
    record.rank_peak = 10000000;
    record.workers_per_node = 3;
    json_t *json = run_report(&record);
    const json_t *requested = json_object_get(json, "requested"), *used;
    assert_true(run_member(requested, "processor_s") == 800);
    assert_true(json_is_null(json_object_get(requested, "memory_bytes")));
    used = json_object_get(json, "used");
    assert_true(run_member(used, "walltime_s") == 25 && run_member(used, "memory_bytes") == 4e7);
    run_tells(&record, "memory      10 MB in a rank at most\n");
    assert_non_null(
        strstr(json_string_value(json_object_get(json, "next_request")), "#SBATCH --time="));
    run_tells(&record, "requested: by job 7.here of pbs\n");
    run_tells(&record, "walltime                 100.0 s");
    json_decref(json);
    record.master_peak = 20000000; /* and three workers */
    json = run_report(&record);
    used = json_object_get(json, "used");
    assert_true(run_member(used, "memory_bytes") == 5e7);
    run_tells(&record, "memory      10 MB in a worker at most, 20 MB in the master\n");
    json_decref(json);
    json_decref(before);
    run_record_release(&record);
}

/* Of 40 core tasks 4 failed and were done again: 40 of them, each part beside its own plan. */
static void what_is_done_again_counts_once(void **state)
{
    const struct run_part parts[] = {
        {.began_s = 1000, .ended_s = 1010, .makespan_s = 8, .tasks = 40, .outcome = PART_COMPLETE},
        {.began_s = 1100,
         .ended_s = 1102,
         .makespan_s = 1,
         .before = 36,
         .tasks = 4,
         .outcome = 3}};
    const double predicted_s[] = {10, (double)NAN};
    (void)state;
    const struct parts_total total = parts_sum(parts, COUNT_OF(parts), predicted_s);
    assert_int_equal(total.tasks, 40);
    assert_int_equal(total.again, 4);
    assert_true(total.measured_s == 9 && total.between_s == 90);
    assert_true(total.predicted_s == 10 && total.compared_s == 8);
}

/* What a stopped part had sent and nobody began is no part of what it is compared with. */
static void stopped_parts_are_compared_as_far_as_they_came(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct run_record record;
        run_sample(seed, 0, &record);
        json_t *whole = run_report(&record);
        int64_t last = 0;
        for (size_t k = 0; k < record.trace.count; k++)
            last = record.trace.events[k].package > last ? record.trace.events[k].package : last;
        for (size_t k = 0; last > 0 && k < record.trace.count; k++)
            if (record.trace.events[k].package == last && record.trace.events[k].rank > 0)
                record.trace.events[k--] = record.trace.events[--record.trace.count];
        record.cut_short = true;
        assert_true(run_record_cut_short(&record));
        json_t *part = run_report(&record);
        assert_true(run_member(part, "predicted_s") <=
                    run_member(whole, "predicted_s") * (1 + 1e-9));
        assert_true(fabs(run_member(part, "error")) < 1e-9);
        assert_true(fabs(run_member(part, "drift")) < 1e-9);
        json_decref(part);
        json_decref(whole);
        run_record_release(&record);
    }
}

/* The second was not predicted. */
static void levels_are_listed_and_summed(void **state)
{
    (void)state;
    struct run_level levels[] = {{.level = 1, .tasks = 10, .predicted_s = 2, .measured_s = 3},
                                 {.level = 2, .tasks = 25, .measured_s = 4}};
    struct run_record record = {.levels = levels, .level_count = 2};
    struct text text = TEXT_INIT, listed = TEXT_INIT;
    levels_text(&record, &text);
    assert_string_equal(text.bytes, "level       core tasks   predicted    measured     error\n"
                                    "1                   10     2.000 s     3.000 s   +50.0 %\n"
                                    "2                   25           -     4.000 s         -\n"
                                    "all                 35           -     7.000 s         -\n"
                                    "what follows is of level 2\n\n");
    struct json_text json = json_open(&listed, "{", ", ");
    levels_json(&record, &json);
    json_close(&json, "}");
    assert_string_equal(listed.bytes, "{\"levels\": [\n"
                                      "    {\"level\": 1, \"tasks\": 10, \"predicted_s\": 2, "
                                      "\"measured_s\": 3, \"error\": 0.5},\n"
                                      "    {\"level\": 2, \"tasks\": 25, \"predicted_s\": null, "
                                      "\"measured_s\": 4, \"error\": null}\n"
                                      "  ]}");
    text_release(&text);
    text_release(&listed);
    /* Its first plan has expected something, but not how long the second would take. */
    levels[0].expected_tasks = 10;
    levels[0].expected_s = 2;
    levels[1].expected_tasks = 30;
    levels_text(&record, &text);
    assert_string_equal(
        text.bytes,
        "level       core tasks   predicted    measured     error      expected          in\n"
        "1                   10     2.000 s     3.000 s   +50.0 %            10     2.000 s\n"
        "2                   25           -     4.000 s         -            30           -\n"
        "all                 35           -     7.000 s         -            40           -\n"
        "what follows is of level 2\n\n");
    json = json_open(&listed, "{", ", ");
    levels_json(&record, &json);
    json_close(&json, "}");
    assert_non_null(strstr(listed.bytes, "\"error\": 0.5, \"expected_tasks\": 10, "
                                         "\"expected_s\": 2},"));
    assert_non_null(strstr(listed.bytes, "\"error\": null, \"expected_tasks\": 30, "
                                         "\"expected_s\": null}"));
    record.level_count = 0; /* of other runs nothing */
    text_release(&text);
    levels_text(&record, &text);
    assert_null(text.bytes);
    text_release(&listed);
}

static void search_is(const struct run_record *record, enum failure_code code, const char *says)
{
    struct failure failure = FAILURE_INIT;
    struct text text = TEXT_INIT;
    assert_int_equal(search_ended(record, "dir/out.h5", &failure), code == FAILURE_NONE);
    assert_int_equal(failure.code, code);
    assert_string_equal(failure.text, says);
    search_json(record, "dir/out.h5", false, &text);
    json_t *json = json_loads(text.bytes, 0, NULL);
    assert_non_null(json);
    assert_int_equal(json_is_true(json_object_get(json, "over")), code == FAILURE_NONE);
    assert_int_equal(json_array_size(json_object_get(json, "levels")), record->level_count);
    json_decref(json);
    text_release(&text);
}

/* From its first level on, and behind it: what to do to go on. */
static void a_search_says_where_it_stands(void **state)
{
    (void)state;
    char kept[] = "dir/out.level1.h5", last[] = "dir/out.h5";
    struct run_level levels[] = {
        {.level = 1, .tasks = 10, .done = 10, .complete = true, .path = kept},
        {.level = 2, .tasks = 25, .done = 7, .path = last}};
    struct run_record record = {.levels = levels, .level_count = 1};
    search_is(&record, FAILURE_STOPPED,
              "dir/out.h5: level 1 is done and the next one has not begun: go on with it by scow "
              "run --resume");
    record.level_count = 2;
    search_is(&record, FAILURE_STOPPED,
              "dir/out.h5: 7 of 25 core tasks of level 2 are done: go on with it by scow run "
              "--resume");
    levels[1].done = 25;
    levels[1].complete = true;
    search_is(&record, FAILURE_STOPPED,
              "dir/out.h5: level 2 is done, and nothing says whether another one follows: scow run "
              "--resume finds out");
    record.level_last = true;
    search_is(&record, FAILURE_NONE, "");
    levels[1].done = 24;
    levels[1].failed = 1;
    search_is(&record, FAILURE_FAILED,
              "dir/out.h5: 1 of 25 core tasks of level 2 failed, so that no other level can "
              "follow: see why with scow show --failed, and try them again with scow run --resume");
    struct text text = TEXT_INIT;
    record.levels++; /* the first one's output was removed */
    record.level_count = 1;
    search_text(&record, last, &text);
    assert_non_null(strstr(text.bytes, "not there   the output before level 2\n"
                                       "level 2     24 of 25 core tasks done, 1 failed: out.h5\n"));
    text_release(&text);
}

/* Of many, the first ones and all others together. */
static void those_that_join_are_told_of(void **state)
{
    enum { MANY = 20 };
    struct run_member members[MANY];
    struct run_record record = {.members = members};
    (void)state;
    for (int k = 0; k < MANY; k++)
        members[k] = (struct run_member){
            .worker = k, .tasks = 10, .packages = k + 1, .joined_s = k, .host = "n1"};
    members[1].gone_s = members[12].gone_s = 9.5;
    members[12].lost = true;
    snprintf(members[1].why, sizeof members[1].why, "as asked");
    snprintf(members[12].why, sizeof members[12].why, "its process is gone");
    for (record.member_count = 0; record.member_count <= MANY; record.member_count++) {
        struct text text = TEXT_INIT;
        int lines = 0;
        members_text(&record, &text);
        for (size_t at = 0; at < text.length; at++)
            lines += text.bytes[at] == '\n';
        assert_int_equal(lines, record.member_count < 9 ? record.member_count : 9);
        if (record.member_count == MANY) {
            assert_non_null(strstr(text.bytes, "joined      worker 1 (n1) after 0 s: 10 core tasks "
                                               "in 1 package\n            worker 2 (n1) after "
                                               "1.000 s: 10 core tasks in 2 packages; left after "
                                               "9.500 s, as asked\n"));
            assert_non_null(strstr(text.bytes, "            and 12 more, which did 120 core tasks; "
                                               "1 of them was lost\n"));
        }
        text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_that_join_are_told_of),
        cmocka_unit_test(a_perfect_run_has_no_error),
        cmocka_unit_test(figures_add_up),
        cmocka_unit_test(a_search_says_where_it_stands),
        cmocka_unit_test(nothing_predicted_has_no_error),
        cmocka_unit_test(the_sentence_names_the_cause),
        cmocka_unit_test(incomplete_runs_say_so),
        cmocka_unit_test(runs_without_a_profile_have_no_prediction),
        cmocka_unit_test(the_method_is_reported),
        cmocka_unit_test(other_conditions_are_told),
        cmocka_unit_test(damaged_traces_are_refused),
        cmocka_unit_test(what_left_no_trace_has_a_report),
        cmocka_unit_test(chrome_traces_have_every_event),
        cmocka_unit_test(reports_tell_what_is_hidden),
        cmocka_unit_test(tails_are_predicted),
        cmocka_unit_test(plans_made_anew_are_told_apart),
        cmocka_unit_test(parts_are_listed_and_summed),
        cmocka_unit_test(what_is_done_again_counts_once),
        cmocka_unit_test(requests_stand_beside_what_was_used),
        cmocka_unit_test(stopped_parts_are_compared_as_far_as_they_came),
        cmocka_unit_test(levels_are_listed_and_summed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
