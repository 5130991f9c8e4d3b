#include <math.h>
#include <stdlib.h>

#include "spmd/master/master_state.h"
#include "spmd/transport/wire.h"

void master_listen(struct master *master)
{
    link_receive(master->run->comm->link, master->report, master->report_size, LINK_ANYBODY,
                 WIRE_RESULT, &master->receiving);
}

/* The time of the package on its way: on an emulated port as long as that takes, otherwise until it
 * arrived. */
static struct port_phase link_of(const struct master *master, const struct wire_result *report)
{
    const struct emulation *emulation = master->run->emulation;
    const struct package *package = &report->package;
    const double left_s = fmax(master->left_s, report->times.transit_s);
    if (!emulation)
        return (struct port_phase){left_s, fmax(left_s, report->times.arrived_s)};
    return (struct port_phase){master->left_s,
                               master->left_s + emulation_cost(emulation, OPERATION_LINK,
                                                               package->worker, package->count)};
}

/* A group's package is shown as received only: what its workers did of it is in their own events,
 * as in a simulation. */
static struct wire_times times_shown(const struct master *master, const struct wire_result *report)
{
    struct wire_times times = report->times;
    if (master->run->heads)
        times.handed_s = times.written_s = times.computed_s;
    return times;
}

static void figures_add(struct master *master, const struct wire_times *times)
{
    struct run_outcome *outcome = master->outcome;
    outcome->makespan_s = fmax(outcome->makespan_s, times->written_s - master->origin_s);
    if (master->run->heads)
        return; /* their workers' times are counted */
    outcome->worked_s += times->computed_s - times->start_s + times->written_s - times->handed_s;
    outcome->stalled_s += times->stalled_s;
    outcome->packages++;
}

/* Adds a worker's events to the trace. Time within MPI during computing is shown before
 * computing. */
static void report_trace(struct master *master, const struct wire_result *report)
{
    const struct package *package = &report->package;
    const struct wire_times shown = times_shown(master, report), *times = &shown;
    int member = (int)package->worker + 1;
    const struct port_phase link = link_of(master, report);
    double needed = fmax(fmax(times->free_s, times->prepared_s), master->origin_s);
    if (emulation_traits(master->run->emulation)->worker_takes)
        needed = fmax(needed, link.end_s);
    if (!master_counts(master, member))
        master_event(master, member, OPERATION_LINK, package, link.start_s, link.end_s);
    master_event(master, member, OPERATION_IDLE, package, needed, fmax(needed, times->start_s));
    double computing = times->start_s + times->receive_s;
    master_event(master, member, OPERATION_RECEIVE, package, times->start_s, computing);
    master_event(master, member, OPERATION_COMPUTE, package, computing, times->computed_s);
    if (!master->run->collects)
        master_event(master, member, OPERATION_OUTPUT, package, times->handed_s, times->written_s);
    else if (times->handed_s > times->computed_s) /* the master had not taken earlier results yet */
        master_event(master, member, OPERATION_IDLE, package, times->computed_s, times->handed_s);
    figures_add(master, &report->times);
}

/* Reports to the decision object: at once or, in a job that sleeps, when the report's way has
 * passed (reports_answer). */
static void report_tell(struct master *master, const struct package *package,
                        struct dispatch_times times)
{
    const struct emulation *emulation = master->run->emulation;
    struct pending_report report = {*package, times, times.end_s};
    if (master_counts(master, (int)package->worker + 1)) {
        dispatch_recovery_counted(master->dispatch, package, times.start_s, times.end_s);
        return;
    }
    if (!emulation || !dispatch_listens(master->dispatch)) {
        dispatch_report(master->dispatch, package, times);
        return;
    }
    report.there_s +=
        fmax(emulation_cost(emulation, OPERATION_REQUEST, package->worker, package->count) -
                 emulation_cost(emulation, OPERATION_ANSWER, package->worker, package->count),
             0);
    if (!pending_add(&master->pending, &report))
        failure_memory(master->failure, "keeping reports");
}

/* The one package that this worker can report now, apart from those whose results are still to
 * come; NULL: there is none. */
static const struct package *expected_of(const struct master *master, int member)
{
    int64_t count;
    const struct package *packages = outstanding_of(&master->outstanding, member - 1, &count);
    const int reported = master->workers[member - 1].returning;
    return reported < count ? packages + reported : NULL;
}

void master_flight_note(const struct master *master, int member)
{
    const struct package *package = master->run->collects ? expected_of(master, member) : NULL;
    if (master->run->collects)
        losses_begin_of(master->run->losses, membership_rank(master->run->members, member),
                        package ? package->first : 0, package ? package->count : 0);
}

/* Tells the display of progress the time of the package, beside what the profile expects. */
static void pace_tell(struct master *master, const struct wire_result *report)
{
    static const enum operation operations[] = {OPERATION_RECEIVE, OPERATION_COMPUTE,
                                                OPERATION_OUTPUT};
    const struct package *package = &report->package;
    double expected_s = 0;
    if (master->run->heads || !master->run->costs ||
        (!master->progress->out && !master->progress->tick.tell))
        return;
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        expected_s +=
            emulation_cost(master->run->costs, operations[k], package->worker, package->count);
    progress_worker(master->progress, package->worker, expected_s,
                    report->times.written_s - report->times.start_s);
}

/* What is wrong with the core tasks that were tried is wrong with all others: gives up the run. */
static void give_up(struct master *master)
{
    const struct summary *summary = &master->outcome->summary;
    const int64_t most = master->run->failing_most;
    if (most > 0 && summary->tasks >= most && summary->failed == summary->tasks)
        master->outcome->given_up = master->asked = true;
}

/* What its worker had of its processors; for a group that is not known. */
static struct run_had had_of(const struct master *master, const struct wire_times *times)
{
    if (master->run->heads)
        return (struct run_had){0, 0, 0};
    return (struct run_had){times->worked_s, times->queued_s,
                            times->computed_s - times->start_s - times->receive_s};
}

/* Reports the computed package for decisions and for progress; where the worker keeps its results,
 * the package does not count yet. */
static void work_tell(struct master *master, const struct wire_result *report)
{
    const double start_s = master_started_s(master, report);
    master->starts[report->package.worker].told = true;
    pace_tell(master, report);
    /* The time during which the master did not take returned results is not the worker's work. */
    const double end_s = master->run->collects ? report->times.computed_s : report->times.written_s;
    report_tell(master, &report->package,
                (struct dispatch_times){start_s - master->origin_s, end_s - master->origin_s,
                                        run_had_share_of(had_of(master, &report->times))});
}

void master_done_take(struct master *master, const struct summary *summary,
                      const struct rejection *rejection, const void *state)
{
    const struct job *job = master->run->job;
    summary_merge(&master->outcome->summary, summary);
    if (summary->failed > 0)
        rejection_keep(master->outcome, rejection);
    give_up(master);
    if (master->outcome->state)
        job->task->merge(job->opened, master->outcome->state, state);
}

/* The results have arrived, so the report has too, whatever clocks say. */
static void returned_tell(struct master *master, const struct package *package)
{
    struct pending_report held;
    if (pending_take_of(&master->pending, package, &held))
        dispatch_report(master->dispatch, &held.package, held.times);
    dispatch_returned(master->dispatch, package);
}

static void had_take(struct master *master, const struct wire_result *report)
{
    if (!run_had_add(&master->outcome->had, master->run->comm->size - 1, report->package.worker,
                     had_of(master, &report->times)))
        failure_memory(master->failure, "keeping what workers had of their processors");
}

/* Tells the master above what is done of a package. */
static void relay_tell(struct master *master, const struct package *package,
                       const struct wire_result *report)
{
    const size_t state_size = master->run->job->state_size;
    const struct relay_done done = {.summary = &report->summary,
                                    .rejection = &wire_result_told(report, state_size)->rejection,
                                    .state = state_size > 0 ? report + 1 : NULL,
                                    .end_s = report->times.written_s};
    master_relay_done(master, package, &done);
}

static void result_take(struct master *master, const struct wire_result *report)
{
    const size_t state_size = master->run->job->state_size;
    const struct rejection *rejection = &wire_result_told(report, state_size)->rejection;
    report_trace(master, report);
    had_take(master, report);
    master_start_trace(master, report);
    master_done_take(master, &report->summary, rejection, report + 1);
    membership_did(master->run->members, (int)report->package.worker + 1, report->package.count);
    master_groups_take(master, (int)report->package.worker + 1, &report->package, report + 1);
    relay_tell(master, &report->package, report);
    if (master->run->keeps)
        returned_tell(master, &report->package);
    else
        work_tell(master, report);
}

/* Another worker was first with that package: this report does not count. */
static void late_take(struct master *master, const struct wire_result *report)
{
    const struct wire_trouble *trouble = wire_result_told(report, master->run->job->state_size);
    if (trouble->failure.code == FAILURE_NONE && !report->skipped)
        work_tell(master, report);
}

static void report_heard(struct master *master, int member, const struct wire_times *times)
{
    int64_t count;
    outstanding_of(&master->outstanding, member - 1, &count);
    membership_heard(master->run->members, member);
    membership_await(master->run->members, member, count > 0 || master_counts(master, member));
    liveness_took(master->run->liveness, times->written_s - times->start_s);
}

/* ---- counts --------------------------------------------------------------------------------- */

/* Have all working workers sent their counts again? Only then is the share of all known. */
static bool counts_complete(const struct master *master)
{
    for (int worker = 0; worker < master->run->members->count; worker++) {
        const int member = worker + 1;
        const bool at_work =
            master_returns_unreported(master, member) > 0 || master_counts(master, member);
        if (at_work && !master->workers[worker].anew)
            return false;
    }
    return true;
}

static void counts_take(struct master *master, int member, const struct counts *counts)
{
    struct master_counts *own = &master->workers[member - 1];
    counts_add(&master->counts, counts);
    own->finished += counts->finished;
    own->failed += counts->failed;
    own->anew = true;
    if (!master->sharing || !counts_complete(master))
        return;
    master->all.all_finished = master->counts.finished;
    master->all.all_failed = master->counts.failed;
    master->all.told++;
    for (int worker = 0; worker < master->run->members->count; worker++)
        master->workers[worker].anew = false;
}

/* A free buffer. The previous one may still be read by a worker that may be gone: then another one
 * is allocated. */
static struct master_others *others_free(struct master_others *told)
{
    if (!told || link_test(&told->sending))
        return told;
    link_forget(&told->sending);
    return NULL;
}

void master_others_release(struct master *master)
{
    for (int member = 1; master->workers && member <= master->run->members->count; member++)
        free(others_free(master->workers[member - 1].told));
}

/* This does not wait: the worker may be gone without anybody knowing it yet. */
static void others_send(struct master *master, int member, const struct scow_others *others)
{
    struct master_others **told = &master->workers[member - 1].told;
    *told = others_free(*told);
    if (!*told)
        *told = calloc(1, sizeof **told);
    if (!*told) {
        failure_memory(master->failure, "telling workers of each other");
        return;
    }
    (*told)->others = *others;
    link_send(master->run->comm->link, &(*told)->others, sizeof(*told)->others,
              master_peer(master, member), WIRE_OTHERS, &(*told)->sending);
}

/* Answers a worker that has sent its counts while it computes, with those of all others. */
static void interim_take(struct master *master, int member, size_t size)
{
    if (!wire_interim_check(master->report, size) || !master_reaches(master, member)) {
        if (master_counts_on(master, member))
            master_lose(master, member, "it sent a message that is damaged", false);
        return;
    }
    master->sharing = true;
    counts_take(master, member, &master->report->counts);
    const struct master_counts *own = &master->workers[member - 1];
    struct scow_others others = master->all;
    others.finished = master->counts.finished - own->finished;
    others.failed = master->counts.failed - own->failed;
    others.median_s = counts_median(&master->counts);
    membership_heard(master->run->members, member);
    others_send(master, member, &others);
}

/* That worker takes no more packages by the counter. */
static void counted_take(struct master *master, int member, size_t size)
{
    if (!master_counts_on(master, member))
        return;
    if (!wire_counted_check(master->report, size) || !master_counts(master, member)) {
        master_lose(master, member, "it sent a message that is damaged", false);
        return;
    }
    counts_take(master, member, &master->report->counts);
    membership_heard(master->run->members, member);
    membership_await(master->run->members, member, false);
    master->asked = master->asked || master->report->asked;
    master_counted_over(master, member);
}

/* ---- reports -------------------------------------------------------------------------------- */

/* Takes the report of a package that was not begun; of a group's package, also what was done
 * before, of which a master above must hear. */
static void skipped_take(struct master *master, const struct wire_result *report)
{
    const struct rejection *rejection =
        &wire_result_told(report, master->run->job->state_size)->rejection;
    const struct package done = {.first = report->package.first, .count = report->summary.tasks};
    master->outcome->stopped = true;
    if (done.count == 0)
        return;
    master_done_take(master, &report->summary, rejection, report + 1);
    relay_tell(master, &done, report);
}

void master_report_settle(struct master *master, int member, const struct wire_result *report,
                          bool written)
{
    const struct failure *failure =
        &wire_result_told(report, master->run->job->state_size)->failure;
    if (failure->code != FAILURE_NONE && report->own && master->run->apart) {
        master_retire(master, member, failure);
        return;
    }
    const bool counts = dispatch_claim(master->dispatch, &report->package);
    if (!master->run->keeps && counts)
        counts_take(master, member, &report->counts);
    if (master_counts(master, member)) {
        master_counted_done(master, &report->package);
    } else {
        master->left_s = outstanding_left_s(&master->outstanding, member - 1);
        outstanding_take(&master->outstanding, member - 1);
    }
    report_heard(master, member, &report->times);
    master->asked = master->asked || report->asked;
    if (!counts)
        late_take(master, report);
    else if (failure->code != FAILURE_NONE)
        failure_set(master->failure, failure->code, "%s", failure->text);
    else if (report->skipped)
        skipped_take(master, report);
    else if (written)
        result_take(master, report);
}

/* Results follow the report only where something was done and results are returned. */
static bool returns_as_agreed(const struct master *master, const struct wire_result *report)
{
    const struct wire_trouble *trouble = wire_result_told(report, master->run->job->state_size);
    const bool done = trouble->failure.code == FAILURE_NONE && !report->skipped;
    return (report->returned > 0) == (done && master->run->collects);
}

/* Keeps a report whose results follow it. */
static void report_keep(struct master *master, int member, const struct wire_result *report)
{
    membership_heard(master->run->members, member);
    if (!master_returns_add(master, member, report))
        return;
    master_flight_note(master, member);
    if (!master->run->keeps)
        return;
    counts_take(master, member, &report->counts);
    if (report->returned > 0)
        work_tell(master, report);
}

static void report_accept(struct master *master, int member, const struct wire_result *report)
{
    if (!master_counts(master, member))
        master_ports_done(master, member, report);
    if (master->run->collects)
        report_keep(master, member, report);
    else
        master_report_settle(master, member, report, true);
}

/* A report from a worker that has been given up is too late: its work is done by others. */
void master_report_take(struct master *master, int member, size_t size)
{
    const struct wire_result *report = master->report;
    const size_t state_size = master->run->job->state_size;
    const struct package *expected = master_counts(master, member)
                                         ? master_counted_expect(master, member, report)
                                         : expected_of(master, member);
    if (report->interim != 0) {
        interim_take(master, member, size);
        return;
    }
    if (report->counted != 0) {
        counted_take(master, member, size);
        return;
    }
    if (!master_counts_on(master, member))
        return;
    if (!expected || !wire_result_check(report, state_size, size, expected) ||
        !returns_as_agreed(master, report))
        master_lose(master, member, "it sent a message that is damaged", false);
    else
        report_accept(master, member, report);
}
