#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "kernel/command/kept.h"
#include "kernel/command/worker.h"

enum { WHY_SIZE = 160 };

static struct record *record_at(const struct worker *worker, int64_t index)
{
    const struct scow_batch *batch = worker->batch;
    const int64_t k = batch->package_first + index - batch->first;
    return (struct record *)((char *)batch->records + (size_t)k * worker->job->record_size);
}

static bool index_valid(const struct worker *worker, int64_t index)
{
    const int64_t k = worker->batch->package_first + index - worker->batch->first;
    return k >= 0 && k < worker->batch->count;
}

static void header_write(char *header, int stream, int attempt, size_t size)
{
    const unsigned char bytes[COMMAND_HEADER_SIZE] = {
        (unsigned char)stream,       0,
        (unsigned char)attempt,      (unsigned char)(attempt >> 8),
        (unsigned char)size,         (unsigned char)(size >> 8),
        (unsigned char)(size >> 16), (unsigned char)(size >> 24)};
    memcpy(header, bytes, sizeof bytes);
}

static void record_keep(struct record *record, int stream, size_t keep, const char *bytes,
                        size_t size)
{
    const int i = stream == COMMAND_STDERR;
    const size_t have = (size_t)record->sizes[i];
    record->sizes[i] += (int64_t)size;
    if (have >= keep)
        return;
    memcpy(record->text + (size_t)i * keep + have, bytes, size < keep - have ? size : keep - have);
}

/* More output than is allowed is not passed on, and its command is ended. */
static void slot_flood(struct worker *worker, struct slot *slot)
{
    if (!slot->flooded && !slot->ended && slot->kill == KILL_NOT)
        slot_kill(worker, slot);
    slot->flooded = true;
}

void result_add(struct worker *worker, struct slot *slot, int64_t index, int stream, char *bytes,
                size_t size)
{
    const struct scow_host *host = worker->host;
    if (!index_valid(worker, index))
        return;
    struct record *record = record_at(worker, index);
    record_keep(record, stream, worker->job->keep, bytes, size);
    if (record->sizes[0] + record->sizes[1] > worker->job->output_most) {
        slot_flood(worker, slot);
        return;
    }
    char *const piece = bytes - COMMAND_HEADER_SIZE;
    header_write(piece, stream, slot->attempt, size);
    const int status =
        host->emit(host, worker->batch->package_first + index, piece, COMMAND_HEADER_SIZE + size);
    if (status != SCOW_OK)
        worker->status = status;
}

void result_reset(struct worker *worker, int64_t index)
{
    memset(record_at(worker, index), 0, worker->job->record_size);
}

bool slot_succeeded(const struct slot *slot)
{
    return slot->ended && !slot->error && slot->exit == 0 && !slot->timed_out && !slot->flooded;
}

/* As a shell has it: 127 not found, 126 found and not started. */
static int32_t exit_recorded(const struct slot *slot)
{
    if (slot->error)
        return slot->error == ENOENT ? 127 : 126;
    return slot->ended ? slot->exit : 0;
}

static int32_t peak_recorded(const struct slot *slot)
{
    return slot->peak_kib < INT32_MAX ? (int32_t)slot->peak_kib : INT32_MAX;
}

void result_weigh(struct worker *worker, const struct slot *slot)
{
    if (slot->next > slot->begun && index_valid(worker, slot->next - 1))
        record_at(worker, slot->next - 1)->peak_kib = peak_recorded(slot);
}

static void record_close(struct worker *worker, const struct slot *slot, int64_t index,
                         double seconds)
{
    struct record *record = record_at(worker, index);
    record->exit = exit_recorded(slot);
    record->worker = worker->batch->rank;
    record->attempts = slot->attempt;
    record->peak_kib = peak_recorded(slot);
    record->seconds = seconds;
    record->start_s =
        worker->epoch_s + (worker->job->form.mode->answers ? slot->turn_s : slot->start_s);
}

void results_clean(const struct worker *worker)
{
    const size_t keep = worker->job->keep;
    for (int64_t k = 0; k < worker->batch->count; k++) {
        struct record *record =
            record_at(worker, worker->batch->first - worker->batch->package_first + k);
        for (int i = 0; i < 2; i++) {
            const bool cut = record->sizes[i] > (int64_t)keep;
            kept_clean(record->text + (size_t)i * keep, cut ? keep : (size_t)record->sizes[i], keep,
                       cut);
        }
    }
}

/* Is there a limit that counts for all workers, and somebody who tells of them? */
static bool limits_shared(const struct worker *worker)
{
    const struct job *job = worker->job;
    return (job->halt.value > 0 || job->timeout.percent) && SCOW_HOST_HAS(worker->host, others) &&
           SCOW_HOST_HAS(worker->host, finished);
}

static void over_tell(const struct worker *worker, int64_t index, double seconds, bool failed)
{
    if (limits_shared(worker))
        worker->host->finished(worker->host, worker->batch->package_first + index, seconds, failed);
}

void result_done(struct worker *worker, const struct slot *slot, int64_t index, double seconds)
{
    record_close(worker, slot, index, seconds);
    durations_add(&worker->durations, seconds);
    worker->finished++;
    over_tell(worker, index, seconds, false);
}

static void why_print(const struct slot *slot, char why[WHY_SIZE])
{
    if (slot->error)
        snprintf(why, WHY_SIZE, "cannot be started: %s", strerror(slot->error));
    else if (slot->timed_out)
        snprintf(why, WHY_SIZE, "timed out after %.4g s", slot->limit_s);
    else if (slot->flooded)
        snprintf(why, WHY_SIZE, "wrote more than --most-output allows");
    else if (slot->excess)
        snprintf(why, WHY_SIZE, "more lines of output than of input");
    else if (slot->retired && slot->kill != KILL_NOT &&
             (slot->exit == -SIGTERM || slot->exit == -SIGKILL))
        snprintf(why, WHY_SIZE, "the command closed its input or output before its answer");
    else if (slot->out_of_memory)
        snprintf(why, WHY_SIZE, "killed for memory, which had run out, when it had taken %.4g MB",
                 (double)slot->peak_kib * 1024 / 1e6);
    else if (slot->lost)
        snprintf(why, WHY_SIZE, "the process that starts commands was killed more than once");
    else if (slot->exit < 0)
        snprintf(why, WHY_SIZE, "killed by signal %d", -slot->exit);
    else if (slot->exit > 0)
        snprintf(why, WHY_SIZE, "exit %d", slot->exit);
    else
        snprintf(why, WHY_SIZE, "exit 0 without a line of output for this line");
}

/* Have so many commands failed, on all workers together, as the user's limit says? A limit in
 * percent is compared in others_look, where the host tells of the other workers. */
static bool halt_reached(const struct worker *worker)
{
    const struct limit *halt = &worker->job->halt;
    if (halt->percent && SCOW_HOST_HAS(worker->host, others))
        return false;
    return limit_reached(halt, worker->failed + worker->others.failed,
                         worker->finished + worker->others.finished);
}

void result_failed(struct worker *worker, const struct slot *slot, int64_t index, double seconds)
{
    const struct scow_host *host = worker->host;
    const struct job *job = worker->job;
    const int64_t task = worker->batch->package_first + index;
    char why[WHY_SIZE];
    why_print(slot, why);
    record_close(worker, slot, index, seconds);
    host->reject(host, task, why);
    worker->failed++;
    worker->finished++;
    over_tell(worker, index, seconds, true);
    if (worker->status == SCOW_OK && halt_reached(worker))
        worker->status =
            host->fail(host,
                       "%" PRId64 " of %" PRId64
                       " commands failed, which --halt %s ends; line %" PRId64 ": %s",
                       worker->failed + worker->others.failed,
                       worker->finished + worker->others.finished, job->halt_text, task + 1, why);
}

void others_look(struct worker *worker)
{
    const struct scow_host *host = worker->host;
    const struct limit *halt = &worker->job->halt;
    struct scow_others *others = &worker->others;
    const int64_t told = others->told;
    if (!limits_shared(worker))
        return;
    host->others(host, others);
    const bool reached =
        halt->percent
            ? others->told > told && limit_reached(halt, others->all_failed, others->all_finished)
            : others->failed > 0 && halt_reached(worker);
    if (worker->status == SCOW_OK && reached)
        worker->status = host->fail(
            host, "%" PRId64 " of %" PRId64 " commands of all workers failed, which --halt %s ends",
            halt->percent ? others->all_failed : worker->failed + others->failed,
            halt->percent ? others->all_finished : worker->finished + others->finished,
            worker->job->halt_text);
}
