#include "planner/command/live.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "planner/base/duration.h"
#include "planner/command/readers.h"
#include "planner/files/textfile.h"

/* The time between two readings of the status. */
static const struct timespec look_every = {.tv_sec = 2};
/* Terminal sequences: move to the top left, and erase from there to the end of the screen. */
static const char TOP[] = "\033[H", CLEAR[] = "\033[J";

static void worker_lines(const struct run_status *status, struct text *text)
{
    if (status->slowest > 0)
        text_add(text, "slowest     worker %" PRId64 ", at %+.0f %% of what was expected\n",
                 status->slowest, 100 * status->excess);
    text_add(text, "workers     %" PRId64 " of %" PRId64 "\n", status->living, status->workers);
    for (int64_t k = 0; k < status->loss_count; k++)
        text_add(text, "lost        worker %" PRId64 ": %s\n", status->losses[k].worker,
                 status->losses[k].why);
}

static void end_lines(const struct run_status *status, double now_s, struct text *text)
{
    char words[DURATION_SIZE], moment[8] = "";
    const time_t then = (time_t)(now_s + status->left_s);
    struct tm local;
    if (status->left_s >= 0 && localtime_r(&then, &local))
        strftime(moment, sizeof moment, "%H:%M", &local);
    if (status->left_s >= 0)
        text_add(text, "left        %s, until about %s\n", duration_print(status->left_s, words),
                 moment);
    if (status->end_s > 0)
        text_add(text, "job ends    in %s\n", duration_print(status->end_s - now_s, words));
}

void live_describe(const char *output, const struct run_status *status, double now_s,
                   struct text *text)
{
    char words[DURATION_SIZE];
    const double age_s = fmax(0, now_s - status->written_s);
    const bool running = status->state == RUN_RUNNING && !status->gone;
    text_add(text, "run         %s: %s", output,
             status->gone ? "gone" : status_state(status->state));
    if (running)
        text_add(text, ", last heartbeat %s ago", duration_print(age_s, words));
    text_add(text, "\n");
    text_add(text, "done        %" PRId64 " of %" PRId64 " core tasks (%.0f %%)", status->done,
             status->tasks,
             status->tasks > 0 ? 100.0 * (double)status->done / (double)status->tasks : 100.0);
    if (status->failed > 0)
        text_add(text, ", %" PRId64 " failed", status->failed);
    if (status->kept > 0)
        text_add(text, ", %" PRId64 " done before", status->kept);
    text_add(text, "\nelapsed     %s\n", duration_print(status->elapsed_s, words));
    if (status->per_s > 0)
        text_add(text, "rate        %.3g core tasks a second\n", status->per_s);
    if (running)
        end_lines(status, now_s, text);
    worker_lines(status, text);
    if (status->gone) {
        text_add(
            text,
            "its master has ended unexpectedly: scow run --resume goes on with what is done\n");
        return;
    }
    text_add(text, "written     %s ago", duration_print(age_s, words));
    if (status_stale(status, age_s))
        text_add(text,
                 ": its master is busy, is completing the output, or has ended (it writes every "
                 "%.0f s); scow run --resume, or the same scow go, goes on with what is done, if "
                 "the run has ended",
                 status->every_s);
    text_add(text, "\n");
}

/* For a run that no longer writes a status: the state by its output file. */
static bool output_read(const char *output, struct run_status *status, struct failure *failure)
{
    struct run_record record = {0};
    const struct readers *readers = readers_find(NULL, failure);
    if (!readers || !readers->read_run(output, RUN_PLAN_ONLY, &record, failure))
        return false;
    *status = (struct run_status){.state = record.complete ? RUN_FINISHED : RUN_STOPPED,
                                  .tasks = record.tasks,
                                  .done = record.tasks_done + record.tasks_failed,
                                  .failed = record.tasks_failed,
                                  .left_s = -1};
    run_record_release(&record);
    return true;
}

/* *written: is there a status file? If not, the state is read from the output. */
static bool status_read(const struct live_options *options, struct run_status *status,
                        bool *written, struct failure *failure)
{
    char *path = status_path(options->output), *text = NULL;
    size_t length = 0;
    bool good = false;
    *status = (struct run_status){.left_s = -1};
    *written = path && access(path, F_OK) == 0;
    if (!path)
        failure_memory(failure, "reading a run's status");
    else if (!*written)
        good = output_read(options->output, status, failure);
    else if ((text = textfile_read(path, &length, failure)) != NULL)
        good = status_parse(status, text, length, path, failure);
    free(text);
    free(path);
    return good;
}

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Describes a run without a status file by what its output says. */
static void output_describe(const char *output, const struct run_status *status, struct text *text)
{
    text_add(text, "run         %s: %s\n", output,
             status->state == RUN_FINISHED ? "finished"
                                           : "not finished, and no master says that it is running");
    text_add(text, "done        %" PRId64 " of %" PRId64 " core tasks", status->done,
             status->tasks);
    if (status->failed > 0)
        text_add(text, ", %" PRId64 " failed", status->failed);
    text_add(text, "\n");
}

/* Reads and prints the status once; *state becomes the run's state. */
static bool look(const struct live_options *options, bool redraw, enum run_state *state,
                 struct failure *failure)
{
    struct text text = TEXT_INIT;
    struct run_status status;
    bool written = false;
    if (!status_read(options, &status, &written, failure))
        return false;
    const double now_s = clock_s();
    status.gone = written && status.state == RUN_RUNNING && process_has_ended(&status.master);
    *state = written && !status.gone ? status.state : RUN_STOPPED;
    if (redraw)
        text_add(&text, "%s%s", TOP, CLEAR);
    if (options->json) {
        char *json = status_print(&status, written ? fmax(0, now_s - status.written_s) : -1);
        text_add(&text, "%s", json ? json : "");
        free(json);
    } else if (written) {
        live_describe(options->output, &status, now_s, &text);
    } else {
        output_describe(options->output, &status, &text);
    }
    status_release(&status);
    return text_print(&text, "describing a run", failure);
}

bool live_show(const struct live_options *options, struct failure *failure)
{
    const bool once = options->once || !isatty(STDOUT_FILENO);
    enum run_state state = RUN_RUNNING;
    for (;;) {
        if (!look(options, !once, &state, failure))
            return false;
        if (once || state != RUN_RUNNING)
            return true;
        fflush(stdout);
        nanosleep(&look_every, NULL);
    }
}
