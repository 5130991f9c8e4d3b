#include "kernel/command/worker.h"
#include "kernel/command/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PULSE_MS = 2, ANSWER_MS = 20, ANSWERS_MOST = 10 };

static const double forced_s = 1; /* after SIGKILL, until what still runs is given up */
static const double look_each_s = 0.1;

int worker_start(struct worker *worker, const struct scow_host *host, const struct job *job)
{
    char name[PATH_SIZE];
    worker->job = job;
    worker->input_patience = 1;
    worker->kills = memory_kills();
    if (template_program(&job->form.template, name, sizeof name) &&
        !program_find(name, job->environment.path, job->environment.texts, worker->program))
        return host->fail(host, "'%s', which --command runs, cannot be run here: %s", name,
                          strerror(errno));
    const int status = environment_begin(worker, host);
    if (status != SCOW_OK)
        return status;
    if (spawner_connect(&worker->spawner) && environment_prepare(worker))
        return readiness_begin(worker, host);
    return host->fail(
        host, "commands cannot be started, because the process that starts them is missing: %s",
        strerror(errno));
}

/* ---- waiting ---- */

static void poll_add(struct pollfd *poll, int fd, short events)
{
    *poll = (struct pollfd){.fd = fd, .events = events};
}

/* What a long-lived command writes to standard error between packages is left for the next line. */
static void slot_polls(const struct worker *worker, const struct slot *slot, struct pollfd *polls)
{
    const bool quiet = worker->job->form.mode->lasting && slot_idle(slot) && !slot->ended;
    poll_add(&polls[0], slot->unwritten_size > 0 ? slot->input : -1, POLLOUT);
    poll_add(&polls[1], slot->outputs[0], POLLIN);
    poll_add(&polls[2], quiet ? -1 : slot->outputs[1], POLLIN);
}

static void slot_serve(struct worker *worker, struct slot *slot, const struct pollfd *polls)
{
    if (polls[1].revents)
        slot_take(worker, slot, 0);
    if (polls[2].revents)
        slot_take(worker, slot, 1);
    if (polls[0].revents)
        slot_write(worker, slot);
}

/* What it had started is lost with it, and is tried again by another one. */
static void spawner_replace(struct worker *worker)
{
    spawner_disconnect(&worker->spawner);
    if (worker->status != SCOW_OK)
        return;
    spawner_clear();
    worker->looks = 0;
    if (!spawner_connect(&worker->spawner) || !environment_prepare(worker)) {
        worker_fail(worker, "do without the process that starts its commands, which has ended",
                    ECONNRESET);
        spawner_disconnect(&worker->spawner);
        return;
    }
    for (int i = 0; i < worker->slot_count; i++)
        if (worker->slots[i].running)
            slot_lose(worker, &worker->slots[i]);
}

static void reports_take(struct worker *worker)
{
    struct spawner_report report;
    int received;
    while ((received = spawner_receive(&worker->spawner, &report)) > 0)
        slot_report(worker, &report);
    if (received < 0)
        spawner_replace(worker);
}

/* Until something happens, at most so long, and take it in. */
static void worker_wait(struct worker *worker, int wait_ms)
{
    struct pollfd *polls = worker->polls;
    poll_add(&polls[0], worker->spawner.socket, POLLIN);
    for (int i = 0; i < worker->slot_count; i++)
        slot_polls(worker, &worker->slots[i], &polls[1 + POLLS_EACH * i]);
    const int ready = poll(polls, 1 + POLLS_EACH * (nfds_t)worker->slot_count, wait_ms);
    worker->now_s = worker_clock();
    if (ready <= 0)
        return;
    for (int i = 0; i < worker->slot_count; i++)
        slot_serve(worker, &worker->slots[i], &polls[1 + POLLS_EACH * i]);
    if (polls[0].revents)
        reports_take(worker);
}

static void slots_check(struct worker *worker)
{
    for (int i = 0; i < worker->slot_count; i++)
        slot_check(worker, &worker->slots[i]);
}

static bool slots_run(const struct worker *worker)
{
    for (int i = 0; i < worker->slot_count; i++)
        if (worker->slots[i].running)
            return true;
    return false;
}

/* ---- ending ---- */

/* Wait for the end of all that runs, at most until then. */
static void slots_await(struct worker *worker, double until_s)
{
    while (slots_run(worker) && worker->spawner.socket >= 0 && worker->now_s < until_s) {
        worker_wait(worker, PULSE_MS);
        slots_check(worker);
        if (worker->host)
            worker->host->pulse(worker->host);
    }
}

/* Whatever still runs, and cannot be waited for, goes with the connection. */
static void worker_abort(struct worker *worker)
{
    for (int i = 0; i < worker->slot_count; i++) {
        struct slot *slot = &worker->slots[i];
        if (slot->running && !slot->ended && slot->kill == KILL_NOT)
            slot_kill(worker, slot);
    }
    slots_await(worker, worker->now_s + 2 * worker->job->grace_s + forced_s);
    for (int i = 0; i < worker->slot_count; i++) {
        struct slot *slot = &worker->slots[i];
        slot_close(slot);
        slot->running = false;
    }
    spawner_disconnect(&worker->spawner);
}

void worker_stop(struct worker *worker)
{
    worker->host = NULL;
    worker->status = SCOW_STOPPED;
    worker->now_s = worker_clock();
    for (int i = 0; i < worker->slot_count; i++) {
        struct slot *slot = &worker->slots[i];
        if (slot->input >= 0)
            close(slot->input);
        slot->input = -1;
    }
    slots_await(worker, worker->now_s + worker->job->grace_s);
    worker_abort(worker);
}

/* ---- a batch ---- */

static bool batch_begin(struct worker *worker, const struct scow_batch *batch)
{
    const int64_t first = batch->first - batch->package_first;
    worker->batch = batch;
    worker->now_s = worker_clock();
    worker->epoch_s = worker_time_of_day() - worker->now_s;
    worker->parts = 0;
    worker->end = first + batch->count;
    for (int i = 0; i < worker->slot_count; i++) {
        struct slot *slot = &worker->slots[i];
        slot->begun = slot->next = slot->given = slot->end = 0;
    }
    if (!lines_init(&worker->lines, batch->package, batch->package_size, batch->package_count))
        return false;
    lines_skip(&worker->lines, first);
    return true;
}

static bool batch_done(const struct worker *worker)
{
    if (worker->lines.index < worker->end)
        return false;
    for (int i = 0; i < worker->slot_count; i++) {
        const struct slot *slot = &worker->slots[i];
        if (!slot_idle(slot) || (slot->running && !worker->job->form.mode->lasting))
            return false;
    }
    return true;
}

static void slots_give(struct worker *worker)
{
    for (int i = 0; i < worker->slot_count && worker->status == SCOW_OK; i++) {
        struct slot *slot = &worker->slots[i];
        if (slot_able(worker, slot) && (slot->running || memory_suffices(worker)))
            worker->job->form.mode->give(worker, slot);
    }
}

/* Now and then: how much memory long-lived commands have had, into the records of their last lines.
 */
static void memory_look(struct worker *worker)
{
    if (!worker->job->form.mode->lasting || worker->now_s < worker->look_s)
        return;
    worker->looks = 0;
    for (int i = 0; i < worker->slot_count; i++) {
        const struct slot *slot = &worker->slots[i];
        const struct spawner_request request = {.verb = SPAWNER_LOOK, .slot = slot->number};
        if (slot->running && !slot->ended && spawner_ask(&worker->spawner, &request, NULL))
            worker->looks++;
    }
    for (int i = 0; i < ANSWERS_MOST && worker->looks > 0 && worker->spawner.socket >= 0; i++)
        worker_wait(worker, ANSWER_MS);
    for (int i = 0; i < worker->slot_count; i++)
        result_weigh(worker, &worker->slots[i]);
    worker->look_s = worker->now_s + look_each_s;
}

/* Commands that outlive packages may have ended since the last one. */
static void batch_run(struct worker *worker)
{
    worker_wait(worker, 0);
    slots_check(worker);
    while (worker->status == SCOW_OK && !batch_done(worker)) {
        slots_give(worker);
        if (worker->status != SCOW_OK)
            return;
        worker_wait(worker, PULSE_MS);
        slots_check(worker);
        others_look(worker);
        if (worker->host->pulse(worker->host) && worker->status == SCOW_OK)
            worker->status = SCOW_STOPPED;
    }
    if (worker->status == SCOW_OK)
        memory_look(worker);
    for (int i = 0; worker->status == SCOW_OK && i < worker->slot_count; i++)
        if (!worker->slots[i].running)
            slot_end(worker, &worker->slots[i]);
}

/* Writing to a command that does not read any more is an error of that write, and no signal. */
static bool pipe_signal_block(sigset_t *before)
{
    sigset_t pipe, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, before);
    return sigismember(&pending, SIGPIPE) == 1;
}

static void pipe_signal_restore(const sigset_t *before, bool pending)
{
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    while (!pending && sigtimedwait(&pipe, NULL, &(struct timespec){0, 0}) == SIGPIPE)
        ;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

int worker_compute(struct worker *worker, const struct scow_host *host,
                   const struct scow_batch *batch)
{
    sigset_t signals;
    const bool pending = pipe_signal_block(&signals);
    worker->host = host;
    worker->status = SCOW_OK;
    worker_lay_out(worker, batch->threads);
    if (!batch_begin(worker, batch))
        worker->status =
            host->fail(host, "a package of %" PRId64 " lines is damaged", batch->package_count);
    else
        batch_run(worker);
    if (worker->status != SCOW_OK)
        worker_abort(worker);
    results_clean(worker);
    readiness_tell(worker);
    pipe_signal_restore(&signals, pending);
    worker->host = NULL;
    worker->batch = NULL;
    return worker->status;
}
